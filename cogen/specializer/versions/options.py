"""What a specialization may be told: word size, checks, generalization and limits."""

from __future__ import annotations

from dataclasses import dataclass

from cogen.expected import flag, shown
from cogen.lang.datum import INT_MAX
from cogen.lang.errors import CogenError
from cogen.lang.governor import DEFAULT_MEMORY, Budget
from cogen.lang.machine import WORD_SIZES

DEFAULT_MAX_VARIANTS = 1_000
DEFAULT_MAX_SIZE = 200_000
DEFAULT_MAX_UNFOLDINGS = 300_000
DEFAULT_MAX_TIME = 300.0
DEFAULT_MAX_MEMORY = float(DEFAULT_MEMORY)


@dataclass(frozen=True, slots=True)
class SpecializerOptions:
    """How to specialize, in the words of `cogen.specialize`, which tells what they mean;
    CogenError when a value makes no sense.  `generalize` is for `growth.growth_detection`, `auto`
    for `versions.auto`.
    """

    word_size: int = 32
    checked: bool = False
    generalize: bool = False
    auto: bool | None = None
    max_variants: int = DEFAULT_MAX_VARIANTS
    max_size: int = DEFAULT_MAX_SIZE
    max_unfoldings: int = DEFAULT_MAX_UNFOLDINGS
    max_time: float | None = DEFAULT_MAX_TIME
    max_memory: float | None = DEFAULT_MAX_MEMORY

    def __post_init__(self) -> None:
        if type(self.word_size) is not int or self.word_size not in WORD_SIZES:
            told = shown(self.word_size)
            raise CogenError(f"the word size must be a multiple of 8 from 8 to 64 bits, not {told}")
        for name in ("checked", "generalize", "auto"):
            if name != "auto" or self.auto is not None:
                object.__setattr__(self, name, flag(getattr(self, name), name))
        for name in ("max_variants", "max_size", "max_unfoldings"):
            limit = getattr(self, name)
            if type(limit) is not int or not 1 <= limit <= INT_MAX:
                raise CogenError(f"{name} must be a positive integer, not {shown(limit)}")
        for name in ("max_time", "max_memory"):
            limit = getattr(self, name)
            if type(limit) is int and limit > INT_MAX:
                raise CogenError(f"{name} must be less than 2^63, not {shown(limit)}")
        _ = self.budget

    @property
    def budget(self) -> Budget:
        """The limits of time and memory; CogenError when they make no sense."""
        return Budget(self.max_time, self.max_memory)
