"""Random layouts of signals, and a model of them: bits of a Python integer."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from hypothesis import strategies as st

from cogen.lang.datum import Symbol, symbol


@dataclass(frozen=True)
class Layout:
    """A layout inside a buffer: see `make-signal`; `count` samples, `length` bytes."""

    word_size: int
    offset: int
    size: int
    stride: int
    count: int
    order: str
    kind: str
    length: int

    @property
    def end(self) -> int:
        return self.offset + self.count * self.stride

    def symbols(self) -> list[Symbol]:
        return [symbol(self.kind), symbol(self.order)]

    def arguments(self, buffer: bytearray) -> list[object]:
        """What the test programs' `build` takes."""
        return [buffer, self.offset, self.end, self.size, self.stride, *self.symbols()]

    def position(self, k: int) -> int:
        """How far sample k's lowest bit is from the low end of the buffer as one integer."""
        address = self.offset + k * self.stride
        return address if self.order == "little" else 8 * self.length - address - self.size

    def get(self, buffer: bytes, k: int) -> int | float:
        """Sample k of the buffer."""
        bits = int.from_bytes(buffer, self.order) >> self.position(k) & ((1 << self.size) - 1)
        if self.kind == "float":
            packed = bits.to_bytes(self.size // 8, "little")
            value: float = struct.unpack("<f" if self.size == 32 else "<d", packed)[0]
            return value
        signed = self.kind == "signed" or self.size == 64
        return bits - (1 << self.size) if signed and bits >> (self.size - 1) else bits

    def put(self, buffer: bytearray, k: int, bits: int) -> None:
        """Put the low bits of an integer in sample k's place."""
        mask = (1 << self.size) - 1
        whole = int.from_bytes(buffer, self.order) & ~(mask << self.position(k))
        whole |= (bits & mask) << self.position(k)
        buffer[:] = whole.to_bytes(self.length, self.order)


KINDS = ("unsigned", "signed", "float")


@st.composite
def layouts(draw: st.DrawFn, kinds: tuple[str, ...] = KINDS) -> Layout:
    """Any size, stride (also negative), offset, order, kind and word size, with ragged ends."""
    kind = draw(st.sampled_from(kinds))
    size = draw(st.sampled_from([32, 64]) if kind == "float" else st.integers(1, 64))
    stride = draw(st.integers(-80, 80).filter(lambda n: abs(n) >= size) | st.just(size))
    count = draw(st.integers(0, 12))
    slack = draw(st.integers(0, 70))
    offset = slack if stride > 0 else slack + max(count - 1, 0) * -stride
    last = slack + max(count - 1, 0) * abs(stride) + size
    length = -(-last // 8) + draw(st.integers(0, 3))
    word_size = draw(st.sampled_from([8, 16, 24, 32, 64]))
    order = draw(st.sampled_from(["little", "big"]))
    return Layout(word_size, offset, size, stride, count, order, kind, length)


def contents(layout: Layout) -> st.SearchStrategy[bytes]:
    """The bytes of a buffer for the layout."""
    return st.binary(min_size=layout.length, max_size=layout.length)
