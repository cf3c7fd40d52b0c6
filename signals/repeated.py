"""Calls like the one before: what they need, kept by layout and type, so that small buffers are
quick."""

from __future__ import annotations

from array import array
from mmap import mmap
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from cogen.signals.kernels import NativeKernel, mover_for

if TYPE_CHECKING:
    from cogen.signals.buffers import Array
    from cogen.signals.layout import AnyLayout
    from cogen.signals.rows import Rows
    from cogen.signals.task import Task

PLAIN: Final = frozenset([array, mmap])
"""Types of buffers that always lie in one piece."""

MOST: Final = 256
"""Layouts and types that are remembered."""

Made = TypeVar("Made")


class Repeated:
    """The machine code for a layout, and how its samples lie."""

    __slots__ = (
        "call", "fields", "high", "in_element", "made", "memory", "native", "offset", "per_item",
        "step",
    )  # fmt: skip

    def __init__(self, native: NativeKernel, layout: AnyLayout) -> None:
        from cogen.backends.objectcode.foreign import memory

        self.native = native  # which keeps the code loaded
        self.call = native.call
        self.memory = memory
        self.offset = layout.offset
        self.step = layout.step
        self.high = layout.pattern.high
        self.made = ends_made(layout)
        self.fields = len(layout.fields)
        self.per_item = layout.per_item
        self.in_element = 1 if layout.dtype.names is None else len(layout.fields)

    def taken(self, buffer: Any) -> Any:
        """The memory of a buffer of plain data in one piece, for C code; None for all else."""
        kind = type(buffer)
        if kind is np.ndarray:
            if buffer.dtype.hasobject:
                return None
        elif kind is not bytes and kind is not bytearray:
            buffer = viewed(buffer)
            if buffer is None:
                return None
        try:
            return self.memory(buffer)
        except ValueError:  # in several pieces
            return None


class RepeatedRows(Repeated):
    """The same of rows: how many, how far apart, what each has, the bytes of the first, and the
    shape of a row of the array."""

    __slots__ = ("distance", "first", "height", "samples", "shape")

    def __init__(self, native: NativeKernel, rows: Rows) -> None:
        super().__init__(native, rows.layout)
        self.height, self.distance, self.samples = rows.height, rows.distance, rows.samples
        self.first = rows.bytes_needed(1)
        self.shape = rows.shape(1)[1:]


def ends_made(layout: AnyLayout) -> int:
    """Up to which bit of its last group new memory for samples goes (`bytes_made`)."""
    high = layout.pattern.high
    return high if layout.dtype.names is None else max(high, layout.step)


def bytes_of(buffer: Any) -> Array:
    """An array of any type, or the bytes of a buffer, to ask whether it shares memory."""
    return buffer if type(buffer) is np.ndarray else np.frombuffer(buffer, np.uint8)


def viewed(buffer: Any) -> Array | None:
    """The bytes of a view of bytes in one piece, as streams hand on, of one of Python's arrays, or
    of the memory of a file; None for all else.

    An array, for C code is not to hold the view itself: where both are part of a cycle, of an
    exception's traceback for instance, Python's collector clears the view first, and crashes.
    """
    try:
        if type(buffer) is memoryview and buffer.format == "B" and buffer.c_contiguous:
            return np.frombuffer(buffer, np.uint8) if buffer.nbytes else None
        if type(buffer) in PLAIN:
            return np.frombuffer(buffer, np.uint8) if len(buffer) else None
    except ValueError:  # released
        pass
    return None


def native_for(task: Task) -> NativeKernel | None:
    """The mover for a task, if it is machine code."""
    mover = mover_for(task)
    return mover if isinstance(mover, NativeKernel) else None


def keep(table: dict[Any, Made], key: Any, made: Made) -> None:
    """Remember what later calls need; everything is forgotten when there is too much."""
    if len(table) >= MOST:
        table.clear()
    table[key] = made
