"""What is asked of a kernel: from which pattern to which, and where the samples are."""

from __future__ import annotations

from dataclasses import dataclass
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
    def fit(self) -> FitTest | None:
        """What tells whether the integers of an array fit in the samples that they are packed as;
        None if all do, or if it is no array of integers that is packed to samples of one kind."""
        kinds = {(s, sum(size for _, size in pieces)) for s, pieces in self.target.fields}
        if self.stage is not None or self.saturate or len(kinds) != 1:
            return None
        ((signed, size),) = kinds
        ((from_signed, pieces), *more) = self.source.fields
        width = self.source.step
        little = self.source.order == "little"
        if more or pieces != ((0, width),) or width not in (8, 16, 32, 64) or not little:
            return None
        both = signed and from_signed
        bits = size if both else min(size - signed, width - from_signed)
        return FitTest(width // 8, bits, (1 << (size - 1)) * both) if bits < width else None


@dataclass(frozen=True, slots=True)
class FitTest:
    """Elements of so many bytes are in range if, with `added` to them, they have no bit from
    number `bits` on."""

    bytes: int
    bits: int
    added: int


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
