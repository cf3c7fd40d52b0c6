"""A road: how a program is turned into another, step by step, and what it then gives.

`cogen.dev.scheme` has the road of residual programs, `cogen.dev.arrays` that of array programs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from cogen.lang.errors import CogenError


@dataclass(frozen=True, slots=True)
class PassChoice:
    """How far to go: `steps` at most (None: all), without the passes `off`."""

    off: frozenset[str] = frozenset()
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class PassStep:
    """One step: the pass or rule, and whether it changed anything."""

    name: str
    changed: bool = True


@dataclass(slots=True)
class PassCount:
    """What one pass took in all: how often it was run, how often it changed something, seconds."""

    name: str
    runs: int = 0
    changes: int = 0
    seconds: float = 0.0


class Road(ABC):
    """One program with what it is run on."""

    stages: Sequence[str]
    """What `show` can show."""
    way: str
    """How its outcome is found, which says what steps there are."""

    @abstractmethod
    def passes(self) -> Sequence[str]:
        """The names that can be switched off."""

    @abstractmethod
    def steps(self, off: frozenset[str]) -> list[PassStep]:
        """The steps that are taken, in order."""

    def ends(self, off: frozenset[str]) -> dict[str, int]:
        """The number of the first step of each pass, or of the last if it makes many in one go."""
        found: dict[str, int] = {}
        for number, step in enumerate(self.steps(off), 1):
            found.setdefault(step.name, number)
        return found

    @abstractmethod
    def show(self, stage: str, choice: PassChoice) -> str:
        """The program as text."""

    @abstractmethod
    def counts(self) -> list[PassCount]:
        """What each pass took."""

    @abstractmethod
    def check(self) -> str | None:
        """The first pass after which the program is not well-formed, and what is wrong; None if it
        always is."""

    @abstractmethod
    def expected(self) -> str:
        """What the source program gives."""

    @abstractmethod
    def outcome(self, choice: PassChoice) -> str:
        """What the program gives after so many steps."""

    def agree(self, expected: str, found: str) -> bool:
        """Whether an outcome is what it should be."""
        return expected == found


def told(error: CogenError) -> str:
    """An error as an outcome: its place and message."""
    return str(error).splitlines()[0]


def refuse_unknown(off: frozenset[str], known: Sequence[str]) -> None:
    """CogenError for a pass that is none."""
    for name in sorted(off - set(known)):
        raise CogenError(f"there is no pass `{name}`", hint=f"there are {', '.join(known)}")
