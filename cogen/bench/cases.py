"""The signal cases: one generic program each, its layout, and its opponents.

Each case is a procedure of `programs.scm`.  Its parameters are described once; the binding times,
the arguments of the residual and of the unspecialized program follow from it.  The word size is
part of what is known ahead: 32 bits, but 8 where each sample is a byte of its own and bytes are
what gcc shuffles best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cogen.bench import numpyways
from cogen.bench.data import CaseData, counted, diffused, escapes, random_bytes, runs, sparse
from cogen.binding_times import BT, cyclic, dynamic, static


@dataclass(frozen=True, slots=True)
class Buffer:
    """A parameter that is memory: `a`, `b` (inputs) or `out`."""

    name: str


@dataclass(frozen=True, slots=True)
class AtBit:
    """A parameter that is a bit address: so many bits times the number of samples, plus an
    offset; known but for whole words."""

    bits: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class End:
    """A parameter that is the bit address after a buffer's last byte: a whole word's."""

    name: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """A parameter that is known ahead."""

    value: int


Parameter = Buffer | AtBit | End | Fixed


@dataclass(frozen=True, slots=True)
class BenchmarkCase:
    """A benchmark case.

    `name` is also that of the C functions; `inlined` tells that there is generic C of it.
    `input_bits`, `second_bits` and `output_bits` are per sample (per pixel, per letter) in the
    buffers `a`, `b` and `out`, each with `spare` bytes more; the number of samples is a multiple
    of `multiple`.  `make` gives data that is no plain array of samples.  `counted` tells that the
    result is the number of bytes written; what is behind them is not specified.  `bar` is the
    greatest time that the residual program may take, in times of the hand-written one.
    """

    name: str
    title: str
    entry: str
    parameters: tuple[Parameter, ...]
    numpy: Callable[[CaseData], int | None] | None
    input_bits: int = 0
    second_bits: int = 0
    output_bits: int = 0
    spare: int = 0
    multiple: int = 192
    word_size: int = 32
    make: Callable[[int], CaseData] | None = None
    inlined: bool = True
    unspecialized: bool = True
    counted: bool = False
    bar: float = 1.1

    def binding_times(self) -> list[BT]:
        """Sizes known, addresses known but for whole words."""
        return [self._binding_time(parameter) for parameter in self.parameters]

    def _binding_time(self, parameter: Parameter) -> BT:
        match parameter:
            case Buffer():
                return dynamic("memory")
            case AtBit(_, offset):
                return cyclic(self.word_size, offset % self.word_size)
            case End():
                return cyclic(self.word_size, 0)
            case Fixed(value):
                return static(value)

    def nothing_known(self) -> list[BT]:
        """The binding times of the unspecialized program."""
        return [dynamic("memory" if isinstance(p, Buffer) else "int") for p in self.parameters]

    def arguments(self, data: CaseData, everything: bool) -> list[object]:
        """The arguments for the data: all of them, or those that are not known ahead."""
        arguments: list[object] = []
        for parameter in self.parameters:
            match parameter:
                case Buffer(name):
                    arguments.append(data.buffer(name))
                case AtBit(bits, offset):
                    arguments.append(bits * data.count + offset)
                case End(name):
                    arguments.append(8 * len(data.buffer(name)))
                case Fixed(value):
                    if everything:
                        arguments.append(value)
        return arguments

    def data(self, size: int) -> CaseData:
        """Random data of about `size` bytes in all."""
        if self.make is not None:
            return self.make(size)
        per_sample = (self.input_bits + self.second_bits + self.output_bits) / 8
        count = max(1, int(size / per_sample) // self.multiple) * self.multiple
        a, b, out = (
            count * bits // 8 + self.spare * (bits > 0)
            for bits in (self.input_bits, self.second_bits, self.output_bits)
        )
        return CaseData(random_bytes(a, 1), random_bytes(b, 2), random_bytes(out, 3), count)


def _packed(name: str, bits: int) -> tuple[Parameter, ...]:
    return (Buffer(name), AtBit(0), AtBit(bits), Fixed(bits))


def _sum(bits: int, numpy: Callable[[CaseData], int], entry: str = "sum") -> BenchmarkCase:
    title = f"sum, {bits}-bit"
    return BenchmarkCase(f"sum{bits}", title, entry, _packed("a", bits), numpy, input_bits=bits)


def _ramp(name: str, title: str, stride: int, numpy: Callable[[CaseData], None]) -> BenchmarkCase:
    parameters = (Buffer("out"), AtBit(0), AtBit(stride), Fixed(8), Fixed(stride))
    return BenchmarkCase(name, title, "ramp!", parameters, numpy, output_bits=stride)


def _copy(
    name: str, title: str, source: int, target: int, numpy: Callable[[CaseData], None]
) -> BenchmarkCase:
    parameters = (*_packed("a", source), *_packed("out", target))
    return BenchmarkCase(
        name, title, "copy!", parameters, numpy, input_bits=source, output_bits=target
    )  # fmt: skip


def _mix(name: str, title: str, entry: str, numpy: Callable[[CaseData], None]) -> BenchmarkCase:
    return BenchmarkCase(
        name, title, entry, (*_packed("a", 16), *_packed("b", 16), *_packed("out", 16)), numpy,
        input_bits=16, second_bits=16, output_bits=16, word_size=16,
    )  # fmt: skip


_ROW: Final = 768
"""Pixels in a row of the dithered picture, as in c/hand.c."""

_SIXTEEN: Final = (Buffer("a"), AtBit(0), AtBit(16), Buffer("out"), AtBit(0), AtBit(16))

CASES: Final[Sequence[BenchmarkCase]] = (
    _sum(8, numpyways.sum8),
    _sum(12, numpyways.sum12),
    _sum(16, numpyways.sum16),
    _sum(24, numpyways.sum24, "sum-signed"),
    _ramp("ramp8", "ramp, 8-bit", 8, numpyways.ramp8),
    _ramp("ramp16", "ramp, 8 of 16 bits", 16, numpyways.ramp16),
    BenchmarkCase(
        "grey", "RGB to grey, 8-bit", "grey!",
        (Buffer("a"), AtBit(0), AtBit(24), Buffer("out"), AtBit(0), AtBit(8), Fixed(8)),
        numpyways.grey, input_bits=24, output_bits=8, word_size=8,
    ),
    _mix("mix16", "mix of two, 16-bit", "mix!", numpyways.mix16),
    _mix("mixsat16", "saturating mix, 16-bit", "mix-saturated!", numpyways.mixsat16),
    BenchmarkCase(
        "copy1", "copy of bits, misaligned", "copy!",
        (Buffer("a"), AtBit(0, 3), AtBit(1, 3), Fixed(1), *_packed("out", 1)),
        numpyways.copy1, input_bits=1, output_bits=1, spare=4,
    ),
    _copy("unpack12", "unpack 12 to 16 bits", 12, 16, numpyways.unpack12),
    _copy("pack12", "pack 16 to 12 bits", 16, 12, numpyways.pack12),
    BenchmarkCase(
        "fir5", "5-tap FIR, 16-bit", "smooth!",
        (*_packed("a", 16), Buffer("out"), AtBit(0), AtBit(16, -64), Fixed(16)),
        numpyways.fir5, input_bits=16, output_bits=16, unspecialized=False,
    ),
    BenchmarkCase(
        "dither", "ordered dither to 1 bit", "dither!",
        (Buffer("a"), AtBit(0), AtBit(8), Buffer("out"), AtBit(0), AtBit(1), Fixed(_ROW)),
        numpyways.dither, input_bits=8, output_bits=1, multiple=4 * _ROW, word_size=8,
        inlined=False, unspecialized=False,
    ),
    BenchmarkCase(
        "base64", "base-64 encode", "encode!",
        (Buffer("a"), AtBit(0), AtBit(8), Buffer("out"), AtBit(0), End("out")),
        numpyways.base64, word_size=8,
        make=lambda size: _base64(size), inlined=False, counted=True, bar=1.5,
    ),
    BenchmarkCase(
        "rle", "run-length decode", "decode-runs!",
        (
            Buffer("a"), AtBit(0), AtBit(8), Buffer("b"), AtBit(0), AtBit(8),
            Buffer("out"), AtBit(0), End("out"),
        ),
        numpyways.rle, word_size=8, make=runs, inlined=False, counted=True, bar=1.5,
    ),
    BenchmarkCase(
        "escaped", "sum, escape-coded", "sum-escaped",
        (Buffer("a"), AtBit(0), AtBit(8)),
        numpyways.escaped, word_size=64, make=escapes, inlined=False, bar=1.5,
    ),
    BenchmarkCase(
        "sparsedot", "sparse dot product, 16-bit", "dot-sparse",
        (
            Buffer("a"), AtBit(0), AtBit(16), Buffer("a"), AtBit(16), AtBit(32),
            Buffer("b"), AtBit(0), End("b"),
        ),
        numpyways.sparsedot, make=sparse, inlined=False, bar=1.5,
    ),
    BenchmarkCase(
        "histogram", "histogram, 8-bit", "histogram!",
        (Buffer("a"), AtBit(0), AtBit(8), Buffer("out"), AtBit(0), End("out")),
        numpyways.histogram, make=counted, inlined=False, bar=1.5,
    ),
    BenchmarkCase(
        "delta16", "delta encode, 16-bit", "differences!", _SIXTEEN, numpyways.delta16,
        input_bits=16, output_bits=16, inlined=False,
    ),
    BenchmarkCase(
        "undelta16", "delta decode, 16-bit", "sums!", _SIXTEEN, numpyways.undelta16,
        input_bits=16, output_bits=16, inlined=False,
    ),
    BenchmarkCase(
        "diffuse", "error diffusion to 1 bit", "diffuse!",
        (
            Buffer("a"), AtBit(0), AtBit(8), Buffer("out"), AtBit(0), AtBit(1),
            Buffer("b"), AtBit(0), End("b"), Fixed(_ROW),
        ),
        None, word_size=8, make=lambda size: diffused(size, _ROW), inlined=False,
        unspecialized=False,
    ),
    BenchmarkCase(
        "adpcm", "IMA ADPCM decode, 4 to 16 bits", "decode-adpcm!",
        (Buffer("a"), AtBit(0), AtBit(4), Buffer("out"), AtBit(0), AtBit(16)),
        None, input_bits=4, output_bits=16, word_size=16, inlined=False, unspecialized=False,
        bar=1.2,
    ),
    BenchmarkCase(
        "counts4", "counts in a make-vector, 4-bit", "count-fives",
        (Buffer("a"), AtBit(0), AtBit(4)),
        None, input_bits=4, inlined=False, unspecialized=False, bar=1.2,
    ),
)  # fmt: skip


def _base64(size: int) -> CaseData:
    count = max(1, size // 7 // 64) * 192
    return CaseData(
        random_bytes(count, 1), random_bytes(0, 2), random_bytes(count // 3 * 4, 3), count
    )


def program_path() -> Path:
    """The source of the generic programs."""
    return Path(__file__).with_name("programs.scm")
