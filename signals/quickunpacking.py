"""Calls of `unpack` like an earlier one, quickly."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import Any

import numpy as np

from cogen.signals.buffers import Array, empty_array
from cogen.signals.forms import Form
from cogen.signals.kernels import NativeKernel
from cogen.signals.layout import AnyLayout
from cogen.signals.moving import SHARED
from cogen.signals.pattern import SPARSE
from cogen.signals.repeated import Repeated, RepeatedRows, bytes_of, keep, native_for
from cogen.signals.rows import AnyShape, Rows
from cogen.signals.task import Task


class QuickUnpacking(Repeated):
    """Unpacks buffers of one layout into arrays of one type, new ones or those given, by one
    thread; None for what is left to the long way."""

    __slots__ = ("dtype", "end", "itemsize", "scale", "width")

    def __init__(self, native: NativeKernel, layout: AnyLayout, form: Form) -> None:
        super().__init__(native, layout)
        self.dtype = form.dtype
        self.end = layout.offset + self.high
        self.width = None if form.is_complex else layout.width
        self.itemsize = form.dtype.itemsize * (self.width or 1)
        self.scale = 1.0 if layout.scale is None else layout.scale

    def __call__(
        self, buffer: Any, count: int | None, out: Any, threads: int | None
    ) -> Array | None:
        data = self.taken(buffer)
        if data is None:
            return None
        length = len(data)
        bits = 8 * length - self.end
        items = (bits // self.step + 1) * self.fields // self.per_item if bits >= 0 else 0
        if count is not None:
            if type(count) is not int or not 0 <= count <= items:
                return None
            items = count
        size = items * self.itemsize
        if not size or (threads != 1 and (size >= SHARED or length >= SHARED)):
            return None
        result = _made((items,) if self.width is None else (items, self.width), self.dtype, out)
        if result is None:
            return None
        if self.call(  # which does nothing if they share memory
            data, length, self.offset, self.memory(result), size, 0, items * self.per_item,
            self.scale,
        ):  # fmt: skip
            return None
        return result


class QuickRows(RepeatedRows):
    """The same of rows, each in one piece, and all in one buffer."""

    __slots__ = ("dtype", "line", "scale", "whole")

    def __init__(self, native: NativeKernel, rows: Rows, form: Form) -> None:
        super().__init__(native, rows)
        self.whole = rows.whole
        self.dtype = form.dtype
        if form.is_complex:
            self.shape = (rows.width,)
        self.line = rows.samples * form.part.itemsize
        if form.dtype.names is not None:
            self.line = rows.width * form.dtype.itemsize
        self.scale = 1.0 if rows.layout.scale is None else rows.layout.scale

    def __call__(
        self, buffer: Any, count: int | None, out: Any, threads: int | None
    ) -> Array | None:
        data = self.taken(buffer)
        if data is None or count is not None:
            return None
        length, height, line = len(data), self.height, self.line
        fitting = (length - self.first) // self.distance + 1 if length >= self.first else 0
        if height is None:
            height = fitting
        size = height * line
        most = SHARED if threads != 1 else sys.maxsize
        if height > fitting or not 0 < size < most or length >= most:
            return None
        result = _made((height, *self.shape), self.dtype, out)
        if result is None or (out is not None and np.may_share_memory(out, bytes_of(buffer))):
            return None
        target = self.memory(result)
        if self.whole:  # all samples are as far apart as those of a row
            failed = self.call(
                data, length, self.offset, target, size, 0, height * self.samples, self.scale
            )
        else:
            failed = self.native.call_rows(
                data, length, self.offset, self.distance, self.distance,
                target, line, 0, line, 0, self.samples, height, self.scale,
            )  # fmt: skip
        return None if failed else result


def _made(shape: tuple[int, ...], dtype: np.dtype[Any], out: Any) -> Array | None:
    """A new array, or `out` if C code can fill it as it is; else None."""
    if out is None:
        return empty_array(shape, dtype)
    if (
        type(out) is not np.ndarray
        or out.shape != shape
        or out.dtype != dtype
        or not out.flags.carray
        or not out.dtype.isnative
    ):
        return None
    return out


quick_ways: dict[tuple[Any, Any], QuickUnpacking | QuickRows] = {}
"""What is known of earlier calls, by the layout and the type that were given."""


def remember(key: object, dtype: object, shape: AnyShape, form: Form, task: Task) -> None:
    """Keep what later calls need that unpack by that task, where they can be quick."""
    if not isinstance(dtype, Hashable) or (key, dtype) in quick_ways:
        return
    layout = shape.layout if isinstance(shape, Rows) else shape
    if not 0 < layout.step <= SPARSE or (form.stage is not None and not form.stage.known):
        return
    native = native_for(task)
    if native is not None:
        if isinstance(shape, Rows):
            keep(quick_ways, (key, dtype), QuickRows(native, shape, form))
        else:
            keep(quick_ways, (key, dtype), QuickUnpacking(native, shape, form))
