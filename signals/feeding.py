"""Bytes as they come -> chunks of whole samples, rows or frames.

A feeder is told of bytes in pieces of any size, and gives what is whole in them; the rest waits for
the next piece.  All chunks begin at the same place in a byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import gcd, lcm

from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array
from cogen.signals.layout import AnyLayout, capacity
from cogen.signals.reading import check_streamable, told_of_rest
from cogen.signals.rows import AnyShape, Rows
from cogen.signals.unpacking import unpack


@dataclass(frozen=True, slots=True)
class FedChunk:
    """Some samples, rows or a frame: the bytes that hold them, and how they lie there."""

    data: memoryview
    shape: AnyShape
    items: int

    def array(self, dtype: object = None) -> Array:
        """The values."""
        if isinstance(self.shape, Rows):
            return unpack(self.data, replace(self.shape, height=self.items), dtype=dtype)
        return unpack(self.data, self.shape, self.items, dtype=dtype)


class Feeder:
    """Cuts the bytes of a stream.

    `multiple`: chunks but the last have a multiple of so many items (of `Rows`, of rows; those with
    a height are frames, one a chunk).  `block`: chunks but the last have that many; by default as
    many as there are.  LimitationError for a layout that does not go forward.
    """

    def __init__(self, shape: AnyShape, block: int | None = None, multiple: int = 1) -> None:
        self._rest: list[bytes] = []
        """What is no whole chunk, in the pieces in which it came."""
        self._held = 0
        self.consumed = 0
        """How many bytes of the stream belong to the chunks so far, or come before the first."""
        if isinstance(shape, Rows):
            check_streamable(shape.layout)
            self._skip = shape.start
            inner = replace(shape.layout, offset=shape.address)
            self.shape: AnyShape = replace(shape, layout=inner, pitch=shape.distance)
            rows = shape.height or multiple
            self._items, self._size, self._more = rows, rows * shape.distance, 0
            self._block = None if shape.height is None else 1
        else:
            check_streamable(shape)
            self._skip, place = divmod(shape.offset, 8)
            self.shape = replace(shape, offset=place)
            groups = _whole_groups(shape, multiple)
            self._items = groups * len(shape.fields) // shape.per_item
            self._size = groups * shape.step // 8
            self._more = max(0, -(-(place + shape.pattern.high - shape.step) // 8))
            self._block = None
        if block is not None and self._block is None:
            if block % self._items:
                raise CogenError(
                    f"blocks of {block} samples are not whole bytes: {self._items} samples are",
                    hint=f"take a multiple of {self._items}",
                )
            self._block = block // self._items

    @property
    def items(self) -> int:
        """All chunks but the last have a multiple of so many items."""
        return self._items

    def resume_at(self, consumed: int) -> None:
        """Go on with a stream of which so many bytes are done already."""
        self.consumed, self._skip, self._rest, self._held = consumed, 0, [], 0

    def feed(self, data: bytes | memoryview) -> Iterator[FedChunk]:
        """The chunks that are whole with these bytes."""
        if self._skip:
            some = min(self._skip, len(data))
            data = data[some:]
            self._skip -= some
            self.consumed += some
        self._held += len(data)
        if self._held - self._more < (self._block or 1) * self._size:
            self._rest.append(bytes(data))  # put together when a chunk is whole
            return
        whole = memoryview(b"".join([*self._rest, data]) if self._rest else data)
        at = 0
        while (units := (len(whole) - at - self._more) // self._size) >= (self._block or 1):
            units = self._block or units
            size = units * self._size
            self.consumed += size
            yield FedChunk(whole[at : at + size + self._more], self.shape, units * self._items)
            at += size
        self._rest, self._held = [bytes(whole[at:])], len(whole) - at

    def finish(self) -> tuple[FedChunk | None, str | None]:
        """What is whole of the rest, and what to tell of the rest of that."""
        data = b"".join(self._rest)
        shape = self.shape
        if isinstance(shape, Rows):
            rows = shape.fitting(len(data))
            items = rows if shape.height is None else rows // shape.height * shape.height
            left = len(data) - items * shape.distance
            what = "a row" if shape.height is None else "a frame"
            message = f"the input ends inside {what}: {left} bytes are left over"
            told = message if left > 0 else None
        else:
            items = capacity(shape, len(data))
            told = told_of_rest(shape, len(data))
        if not items:
            return None, told
        self.consumed += len(data)
        self._rest, self._held = [], 0
        return FedChunk(memoryview(data), shape, items), told


def _whole_groups(layout: AnyLayout, items: int) -> int:
    """The least number of groups that are whole bytes and a multiple of so many items."""
    fields, samples = len(layout.fields), items * layout.per_item
    return lcm(8 // gcd(layout.step, 8), samples // gcd(samples, fields))
