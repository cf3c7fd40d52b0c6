"""What is asked of a kernel: from which pattern to which, and where the samples are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import lcm
from typing import Final

from cogen.signals.pattern import BitPattern

C_TYPES: Final = {
    "b1": "bool",
    "u1": "uint8_t", "u2": "uint16_t", "u4": "uint32_t", "u8": "uint64_t",
    "i1": "int8_t", "i2": "int16_t", "i4": "int32_t", "i8": "int64_t",
    "f4": "float", "f8": "double",
}  # fmt: skip
"""The types of numbers, by NumPy's kind and size; but for floats of 16 bits, which C lacks."""


@dataclass(frozen=True, slots=True)
class SampleStage:
    """What becomes of samples that a kernel has put into elements of the type `sample`: numbers of
    the type `value`, multiplied by the scale first if `scaled`.  Types are NumPy's: `u2`, `f8`."""

    sample: str
    value: str
    scaled: bool

    @property
    def known(self) -> bool:
        """Whether C has both types."""
        return self.sample in C_TYPES and self.value in C_TYPES


@dataclass(frozen=True, slots=True)
class Task:
    """What a kernel is for.

    `places` are the bits of the first samples' addresses modulo 8; `saturate`, whether values out
    of range are clamped (else their low bits are kept); `keep`, whether bits between the samples
    of the target keep their values (else the kernel may make them 0); `stage`, what becomes of
    samples whose target is an array.
    """

    source: BitPattern
    target: BitPattern
    places: tuple[int, int] = (0, 0)
    saturate: bool = False
    keep: bool = False
    stage: SampleStage | None = None

    @property
    def fit(self) -> Fitness | None:
        """What tells whether the integers of an array, structured or not, fit in the samples that
        they are packed as; None if all do, or if it is no array that is packed."""
        if self.stage is not None or self.saturate:
            return None
        return _fitness(self.source, self.target)


@dataclass(frozen=True, slots=True)
class FitTest:
    """An element of so many bytes, `at` bytes from where its group begins, is in range if, with
    `added` to it, it has no bit from number `bits` on."""

    at: int
    bytes: int
    bits: int
    added: int


@dataclass(frozen=True, slots=True)
class Fitness:
    """Tests of the elements of a group of so many `samples`, which take `step` bytes."""

    samples: int
    step: int
    tests: tuple[FitTest, ...]

    @property
    def alike(self) -> FitTest | None:
        """The only test, if it is that of all elements and they lie side by side."""
        (first, *others) = self.tests
        return first if not others and self.samples == 1 and self.step == first.bytes else None


MOST_TESTED: Final = 256
"""Samples of a group, at most, that have tests of their own."""


@lru_cache(maxsize=1024)
def _fitness(source: BitPattern, target: BitPattern) -> Fitness | None:
    """What tells whether samples of one pattern, if those are the elements of an array, fit in
    those of the other."""
    count = lcm(len(source.fields), len(target.fields))
    if not _is_array(source) or count > MOST_TESTED:
        return None
    tests: list[FitTest | None] = []
    for i in range(count):
        group, place = divmod(i, len(source.fields))
        signed, ((address, width),) = source.fields[place]
        to_signed, pieces = target.fields[i % len(target.fields)]
        both = signed and to_signed
        size = sum(bits for _, bits in pieces)
        bits = size if both else min(size - to_signed, width - signed)
        at = (group * source.step + address) // 8
        test = FitTest(at, width // 8, bits, (1 << (size - 1)) * both)
        tests.append(test if bits < width else None)
    step = source.step // 8
    if len(source.fields) == 1 and len({test and replace(test, at=0) for test in tests}) == 1:
        count, tests = 1, tests[:1]
    step *= count // len(source.fields)
    needed = tuple(test for test in tests if test is not None)
    return Fitness(count, step, needed) if needed else None


def _is_array(pattern: BitPattern) -> bool:
    """Whether samples lie like the elements of an array, in whole bytes of their own."""
    return (
        pattern.order == "little"
        and pattern.step > 0
        and pattern.step % 8 == 0
        and all(
            len(pieces) == 1 and pieces[0][0] % 8 == 0 and pieces[0][1] in (8, 16, 32, 64)
            for _, pieces in pattern.fields
        )
    )


@dataclass(frozen=True, slots=True)
class Extent:
    """Where the samples are: rows in two buffers.

    Row r has `samples` samples, the first at bit `in_at` of the bytes from r * `in_pitch` on, of
    which there are `in_bytes` - r * `in_less`, and goes to the same places on the other side.
    Nothing beyond these bytes is read or written.
    """

    in_bytes: int
    in_at: int
    out_bytes: int
    out_at: int
    samples: int
    rows: int = 1
    in_pitch: int = 0
    in_less: int = 0
    out_pitch: int = 0
    out_less: int = 0
