"""Packed samples from stream to stream, in memory that does not grow with their number.

Samples are worked on in chunks that are whole bytes and whole items in every layout involved.
What is left at the end of the input and makes no item is ignored, as by `signals.unpack`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import gcd, lcm
from typing import Any, BinaryIO

import numpy as np

from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array
from cogen.signals.converting import check_same_items, convert_into
from cogen.signals.layout import AnyLayout, bytes_needed, groups_of, overlaps
from cogen.signals.packing import as_values, check_whole, pack_values
from cogen.signals.reading import (
    CHUNK_BYTES,
    Report,
    Told,
    check_streamable,
    counted_chunks,
    read,
    read_chunks,
    rounded_groups,
    skip,
    unit_of,
)
from cogen.signals.rows import Rows
from cogen.signals.unpacking import unpack
from cogen.signals.values import Fit


def unpack_stream(
    source: BinaryIO,
    layout: AnyLayout,
    count: int | None,
    report: Report,
    left_over: Told = lambda _message: None,
) -> Iterator[Array]:
    """The samples of a stream, `count` items or all, as arrays one after the other."""
    for chunk, items in counted_chunks(source, layout, count, report, left_over):
        yield unpack(chunk.data, chunk.layout, items)


def pack_stream(arrays: Iterator[Array], sink: BinaryIO, layout: AnyLayout, fit: Fit) -> None:
    """Write the samples of arrays, each but the last of `items_per_chunk` items, packed."""
    writer = PackedWriter(sink, layout)
    first = 0
    for array in arrays:
        values = as_values(array, layout)
        with writer.chunk(len(values)) as (out, place):
            pack_values(values, place, out, fit, first)
        first += len(values)
    writer.finish()


def convert_stream(
    source: BinaryIO,
    source_layout: AnyLayout,
    sink: BinaryIO,
    target_layout: AnyLayout,
    fit: Fit,
    report: Report,
) -> None:
    """Write the samples of a stream in another layout."""
    check_same_items(source_layout, target_layout)
    writer = PackedWriter(sink, target_layout)
    unit = lcm(unit_of(source_layout), _unit_of_other(source_layout, target_layout))
    first = 0
    for chunk in read_chunks(source, source_layout, unit, report):
        check_whole(target_layout, chunk.items)
        with writer.chunk(chunk.items) as (out, place):
            convert_into(chunk.data, chunk.layout, out, place, chunk.items, fit, first)
        first += chunk.items
    writer.finish()


def items_per_chunk(layout: AnyLayout) -> int:
    """The items to give `pack_stream` at a time."""
    return rounded_groups(layout, unit_of(layout)) * len(layout.fields) // layout.per_item


def unpack_rows_stream(
    source: BinaryIO, rows: Rows, report: Report, left_over: Told = lambda _message: None
) -> Iterator[Array]:
    """The rows of a stream, as arrays of some rows one after the other."""
    check_streamable(rows.layout)
    skip(source, rows.start, report)
    one = replace(
        rows, layout=replace(rows.layout, offset=rows.address), height=None, pitch=rows.distance
    )
    left, rest = rows.height, 0
    while left is None or left > 0:
        wanted = max(1, CHUNK_BYTES // rows.distance)
        wanted = wanted if left is None else min(wanted, left)
        needed = one.bytes_needed(wanted)
        data = read(source, needed, report)
        found = one.fitting(len(data))
        if found:
            yield unpack(data, replace(one, height=found))
        left = None if left is None else left - found
        if len(data) < needed:
            rest = len(data) - found * one.distance
            break
        skip(source, one.distance - one.row_bytes, report)  # the padding of the last row
    if left:
        left_over(f"the input has {(rows.height or 0) - left} rows, not {rows.height}")
    elif rest > 0:
        left_over(f"the input ends inside a row: {rest} of its {one.row_bytes} bytes are left over")


class PackedWriter:
    """Writes chunks of packed samples; bits that two chunks share a byte of are put together."""

    def __init__(self, sink: BinaryIO, layout: AnyLayout) -> None:
        check_streamable(layout)
        if overlaps(layout):
            raise CogenError("samples that overlap can be unpacked, but not packed")
        self._sink = sink
        self._layout = layout
        self._zeros, place = divmod(layout.offset, 8)
        self._part = replace(layout, offset=place)
        self._begun: int | None = None
        """The last byte so far, if a later chunk has bits in it."""
        self._end: int | None = None
        """Where in its byte the last group ends, padding and all; None if there is none."""

    @property
    def state(self) -> tuple[int, int | None, int | None]:
        """What has yet to be written: zeros, and a byte that is begun; and where the end is."""
        return self._zeros, self._begun, self._end

    @state.setter
    def state(self, state: tuple[int, int | None, int | None]) -> None:
        self._zeros, self._begun, self._end = state

    @contextmanager
    def chunk(self, items: int) -> Iterator[tuple[memoryview, AnyLayout]]:
        """Write what the block packs: into zeros, in a layout.  All chunks but the last are whole
        bytes."""
        layout, place = self._layout, self._part.offset
        needed = bytes_needed(self._part, items)
        buffer = bytearray(needed)
        yield memoryview(buffer), self._part
        if items == 0:
            return
        if self._begun is not None:
            buffer[0] |= self._begun
            self._begun = None
        complete, self._end = divmod(place + groups_of(layout, items) * layout.step, 8)
        self._put_zeros()
        if needed > complete:
            self._begun = buffer[-1]
        self._sink.write(memoryview(buffer)[: min(needed, complete)])
        self._zeros = max(0, complete - needed)

    def finish(self) -> None:
        """Write what is still held back; behind a record its padding."""
        if self._begun is not None:
            self._sink.write(bytes([self._begun]))
        elif self._end is not None and self._layout.dtype.names is not None:
            self._zeros += self._end > 0
            self._put_zeros()

    def _put_zeros(self) -> None:
        while self._zeros:
            some = min(self._zeros, CHUNK_BYTES)
            self._sink.write(bytes(some))
            self._zeros -= some


def read_raw(source: BinaryIO, dtype: np.dtype[Any], width: int | None, items: int,
             report: Report) -> Iterator[Array]:  # fmt: skip
    """The elements of a stream as arrays of so many items."""
    size = dtype.itemsize * (width or 1)
    while True:
        data = read(source, items * size, report)
        if len(data) % size:
            raise CogenError(
                f"the input ends inside an item: items have {size} bytes ({dtype.name})"
            )
        if not data:
            return
        array = np.frombuffer(data, dtype)
        yield array if width is None else array.reshape(-1, width)


def _unit_of_other(layout: AnyLayout, other: AnyLayout) -> int:
    """Groups of `layout` whose samples are whole bytes and items in the other layout."""
    samples = unit_of(other) * len(other.fields)
    return samples // gcd(samples, len(layout.fields))
