"""The signal cases: one generic program each, its layout, and its opponents.

    sum8 sum12 sum16   the sum of packed unsigned samples
    sum24              the sum of packed signed samples
    grey               8-bit interleaved RGB to 8-bit grey
    mix16              two 16-bit signed signals into a third

A case's parameters are described once; the binding times, the arguments of the residual and of
the unspecialized program follow from it.  The word size is part of what is known ahead: 32 bits,
but 8 where each sample is a byte of its own and bytes are what gcc shuffles best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from cogen.bt import BT, cyclic, dynamic, static

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True, slots=True)
class Buffer:
    """A parameter that is memory: `a`, `b` (inputs) or `out`."""

    name: str


@dataclass(frozen=True, slots=True)
class Address:
    """A parameter that is a bit address, of the sample after so many bits times the number of
    samples; known to be a multiple of the word size."""

    bits: int


@dataclass(frozen=True, slots=True)
class Known:
    """A parameter that is known ahead."""

    value: int


Parameter = Buffer | Address | Known


@dataclass(frozen=True, slots=True)
class Data:
    """What a case works on: inputs, room for the output, and the number of samples."""

    a: Bytes
    b: Bytes
    out: Bytes
    count: int

    def buffer(self, name: str) -> Bytes:
        return {"a": self.a, "b": self.b, "out": self.out}[name]


@dataclass(frozen=True, slots=True)
class Case:
    """A benchmark case.

    `name` is also that of the hand-written C functions; `input_bits` and `output_bits` are per
    sample (per pixel), input of `a` alone.
    """

    name: str
    title: str
    entry: str
    parameters: tuple[Parameter, ...]
    input_bits: int
    numpy: Callable[[Data], int | None]
    second_input: bool = False
    output_bits: int = 0
    word_size: int = 32

    def binding_times(self) -> list[BT]:
        """Sizes known, addresses multiples of the word size."""
        return [self._binding_time(parameter) for parameter in self.parameters]

    def _binding_time(self, parameter: Parameter) -> BT:
        match parameter:
            case Buffer():
                return dynamic("memory")
            case Address():
                return cyclic(self.word_size, 0)
            case Known(value):
                return static(value)

    def nothing_known(self) -> list[BT]:
        """The binding times of the unspecialized program."""
        return [dynamic("memory" if isinstance(p, Buffer) else "int") for p in self.parameters]

    def arguments(self, data: Data, everything: bool) -> list[object]:
        """The arguments for the data: all of them, or those that are not known ahead."""
        arguments: list[object] = []
        for parameter in self.parameters:
            match parameter:
                case Buffer(name):
                    arguments.append(data.buffer(name))
                case Address(bits):
                    arguments.append(bits * data.count)
                case Known(value):
                    if everything:
                        arguments.append(value)
        return arguments

    def bytes_per_sample(self) -> float:
        """Bytes read and written for one sample."""
        return ((2 if self.second_input else 1) * self.input_bits + self.output_bits) / 8

    def make(self, size: int, seed: int = 1) -> Data:
        """Random data of about `size` bytes, a whole number of rounds for every word size."""
        count = max(1, int(size / self.bytes_per_sample()) // 192) * 192
        random = np.random.default_rng(seed)
        input_bytes = count * self.input_bits // 8
        a = aligned(input_bytes)
        a[:] = random.integers(0, 256, input_bytes, dtype=np.uint8)
        b = aligned(input_bytes if self.second_input else 0)
        b[:] = random.integers(0, 256, len(b), dtype=np.uint8)
        return Data(a, b, aligned(count * self.output_bits // 8), count)


def aligned(size: int, alignment: int = 4096) -> Bytes:
    """Zeroed memory that starts on a page."""
    memory = np.zeros(size + alignment, np.uint8)
    start = -memory.ctypes.data % alignment
    return memory[start : start + size]


def _sum8(data: Data) -> int:
    return int(data.a.sum(dtype=np.int64))


def _sum12(data: Data) -> int:
    triples = data.a.reshape(-1, 3).astype(np.uint16)
    even = triples[:, 0] | (triples[:, 1] & 15) << 8
    odd = triples[:, 1] >> 4 | triples[:, 2] << 4
    return int(even.sum(dtype=np.int64) + odd.sum(dtype=np.int64))


def _sum16(data: Data) -> int:
    return int(data.a.view("<u2").sum(dtype=np.int64))


def _sum24(data: Data) -> int:
    padded = np.zeros((data.count, 4), np.uint8)
    padded[:, 1:] = data.a.reshape(-1, 3)
    return int((padded.view("<i4") >> 8).sum(dtype=np.int64))


def _grey(data: Data) -> None:
    red, green, blue = (data.a[k::3].astype(np.uint16) for k in range(3))
    data.out[:] = (77 * red + 150 * green + 29 * blue) >> 8


def _mix16(data: Data) -> None:
    a, b = data.a.view("<i2"), data.b.view("<i2")
    data.out.view("<i2")[:] = np.add(a, b, dtype=np.int32) >> 1


def _sum(name: str, bits: int, numpy: Callable[[Data], int], entry: str = "sum") -> Case:
    parameters = (Buffer("a"), Address(0), Address(bits), Known(bits))
    return Case(name, f"sum, {bits}-bit", entry, parameters, bits, numpy)


def _packed(name: str, bits: int) -> tuple[Parameter, ...]:
    return (Buffer(name), Address(0), Address(bits), Known(bits))


CASES: Final[Sequence[Case]] = (
    _sum("sum8", 8, _sum8),
    _sum("sum12", 12, _sum12),
    _sum("sum16", 16, _sum16),
    _sum("sum24", 24, _sum24, "sum-signed"),
    Case(
        name="grey",
        title="RGB to grey, 8-bit",
        entry="grey!",
        parameters=(
            Buffer("a"),
            Address(0),
            Address(24),
            Buffer("out"),
            Address(0),
            Address(8),
            Known(8),
        ),
        input_bits=24,
        numpy=_grey,
        output_bits=8,
        word_size=8,
    ),
    Case(
        name="mix16",
        title="mix of two, 16-bit",
        entry="mix!",
        parameters=(*_packed("a", 16), *_packed("b", 16), *_packed("out", 16)),
        input_bits=16,
        numpy=_mix16,
        second_input=True,
        output_bits=16,
    ),
)


def program_path() -> Path:
    """The source of the generic programs."""
    return Path(__file__).with_name("programs.scm")
