"""Packed samples from a stream, in chunks that are whole bytes and whole items.

What is left at the end of the input and makes no item is told of.  Nothing here needs NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import gcd, lcm
from typing import BinaryIO, Final

from cogen.lang.errors import CogenError, LimitationError
from cogen.signals.layout import AnyLayout, capacity
from cogen.signals.wavfiles import tell_of_header

CHUNK_BYTES: Final = 1 << 18
"""About how many packed bytes are worked on at a time: they stay in the processor's cache."""


Report = Callable[[int], None]
"""Is told how many bytes more have been read."""


Told = Callable[[str], None]
"""Is told of what is left over at the end of the input, or raises an error."""


@dataclass(frozen=True, slots=True)
class ReadChunk:
    """Some items: the bytes that hold them, and the layout that begins with the first."""

    data: memoryview
    layout: AnyLayout
    items: int


def read_chunks(
    source: BinaryIO,
    layout: AnyLayout,
    unit: int,
    report: Report,
    left_over: Told = lambda _message: None,
) -> Iterator[ReadChunk]:
    """The chunks of a stream: all but the last have the same number of groups, a multiple of
    `unit`.  Bytes at the end that make no item are told of."""
    check_streamable(layout)
    whole, place = divmod(layout.offset, 8)
    skip(source, whole, report)
    part = replace(layout, offset=place)
    groups = rounded_groups(layout, unit)
    size = groups * layout.step // 8
    high = layout.pattern.high
    needed = max(size, -(-(place + (groups - 1) * layout.step + high) // 8))
    data, first = b"", True
    while True:
        data += read(source, needed - len(data), report)
        if len(data) < needed:
            break
        if first:
            tell_of_header(data, layout.offset)
            first = False
        yield ReadChunk(memoryview(data), part, groups * len(layout.fields) // layout.per_item)
        data = data[size:]
    items = capacity(part, len(data))
    if first:
        tell_of_header(data, layout.offset)
    if items:
        yield ReadChunk(memoryview(data), part, items)
    message = told_of_rest(part, len(data))
    if message is not None:
        left_over(message)


def told_of_rest(layout: AnyLayout, length: int) -> str | None:
    """What to tell of bytes that end inside of an item, or None if they do not: what is left is
    whole bytes that belong to an item, not bits that fill up the last byte."""
    items = capacity(layout, length)
    fields = len(layout.fields)
    first = items * layout.per_item
    after = layout.offset + first // fields * layout.step + layout.pattern.low
    if first % fields:  # the next samples are in a group that is begun
        return None
    rest = 8 * length - after
    if layout.step < 0 or rest < 8:
        return None
    what = "a group" if fields > 1 else "a sample" if layout.per_item == 1 else "an item"
    return f"the input ends inside {what}: {rest // 8} bytes are left over"


def check_streamable(layout: AnyLayout) -> None:
    """LimitationError for a layout that does not go forward."""
    if layout.step < 0:
        raise LimitationError(
            "a negative stride cannot be streamed",
            hint="read the whole file in Python and use signals.unpack or signals.pack",
        )


def unit_of(layout: AnyLayout) -> int:
    """Groups that are whole bytes and whole items."""
    items = layout.per_item // gcd(layout.per_item, len(layout.fields))
    return lcm(8 // gcd(layout.step, 8), items)


def rounded_groups(layout: AnyLayout, unit: int) -> int:
    """Groups of about `CHUNK_BYTES`, a multiple of the unit."""
    return max(1, 8 * CHUNK_BYTES // (layout.step * unit)) * unit


def skip(source: BinaryIO, size: int, report: Report) -> None:
    """Read that many bytes, or all there are, for nothing."""
    while size > 0:
        some = len(read(source, min(size, CHUNK_BYTES), report))
        if some == 0:
            return
        size -= some


def read(source: BinaryIO, size: int, report: Report) -> bytes:
    """That many bytes, fewer only at the end of the stream."""
    parts = []
    while size > 0:
        try:
            part = source.read(size)
        except OSError as error:
            raise CogenError(f"cannot read the input: {error.strerror}") from None
        if not part:
            break
        report(len(part))
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def counted_chunks(
    source: BinaryIO, layout: AnyLayout, count: int | None, report: Report, left_over: Told
) -> Iterator[tuple[ReadChunk, int]]:
    """The chunks of `count` items, or of all, each with how many of its items belong to these."""
    left = count
    for chunk in read_chunks(source, layout, unit_of(layout), report, left_over):
        items = chunk.items if left is None else min(chunk.items, left)
        yield chunk, items
        if left is not None:
            left -= items
            if left == 0:
                return
    if left:
        raise CogenError(f"the input has {(count or 0) - left} samples, not {count}")
