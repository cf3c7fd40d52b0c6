"""Calls of `pack` like an earlier one, quickly."""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np

from cogen.signals.buffers import Array, empty_array, new_array
from cogen.signals.kernels import NativeKernel
from cogen.signals.layout import AnyLayout, Layout
from cogen.signals.moving import SHARED
from cogen.signals.pattern import SPARSE
from cogen.signals.repeated import Repeated, keep, native_for, viewed
from cogen.signals.rounding import Rounding
from cogen.signals.rows import AnyShape, Rows
from cogen.signals.task import Task
from cogen.signals.values import Fit, limits_of

CLEARED: Final = 1 << 10
"""Bytes that are cleared more quickly than it is found out whether they must be."""

ROUNDED: Final = 8
"""Calls after which it is worth to compile what rounds scaled numbers, however few they are."""


class QuickPacking(Repeated):
    """Packs arrays of one type of numbers by one layout, into new arrays or those given, by one
    thread; None for what is left to the long way."""

    __slots__ = ("inner", "layout")

    def __init__(self, native: NativeKernel, layout: AnyLayout, checked: bool) -> None:
        super().__init__(native, layout)
        self.layout = layout
        self.inner = () if layout.width is None else (layout.width,)
        if checked:
            self.call = native.pack

    def __call__(self, values: Array, out: Any, threads: int | None) -> Any:
        shape = values.shape
        if not shape or shape[1:] != self.inner:
            return None
        samples = values.size
        groups, rest = divmod(samples, self.fields)
        most = SHARED if threads != 1 else sys.maxsize
        if rest or not 0 < values.nbytes < most or not values.flags.c_contiguous:
            return None
        size = (self.offset + (groups - 1) * self.step + self.high + 7) // 8
        if size >= most:
            return None
        made: Any = new_bytes(self.layout, size) if out is None else _taking(out)
        if made is None:
            return None
        data, target = self.memory(values), self.memory(made)
        if not size <= len(target) < most:
            return None
        # which stores nothing that is kept if they share memory, or if values are out of range
        if self.call(data, values.nbytes, 0, target, len(target), self.offset, samples, 1.0):
            return None
        return made if out is None else out


class QuickScaling(QuickPacking):
    """The same of numbers that are divided by a scale, and rounded."""

    __slots__ = ("calls", "limits", "rounding", "scale", "strict")

    def __init__(
        self, native: NativeKernel, layout: Layout, scale: float, fit: Fit, dtype: np.dtype[Any]
    ) -> None:
        super().__init__(native, layout, False)
        self.scale = scale
        self.strict = fit == "check"
        self.limits = limits_of(layout.fields[0])
        self.rounding = Rounding(dtype, layout.fields[0], scale, *self.limits, self.strict)
        self.calls = 0

    def __call__(self, values: Array, out: Any, threads: int | None) -> Any:
        self.calls += 1
        if self.calls < ROUNDED or not values.flags.c_contiguous or not values.size:
            return None
        samples = self.rounding(values)
        return None if samples is None else super().__call__(samples, out, threads)


class QuickRowPacking(Repeated):
    """The same of rows of whole groups."""

    __slots__ = (
        "address", "distance", "first", "height", "line", "pack_rows", "samples", "shape", "start",
    )  # fmt: skip

    def __init__(self, native: NativeKernel, rows: Rows, checked: bool) -> None:
        super().__init__(native, rows.layout)
        self.height, self.distance, self.samples = rows.height, rows.distance, rows.samples
        self.start, self.address, self.line = rows.start, rows.address, rows.row_bytes
        self.first = rows.bytes_needed(1)
        self.shape = rows.shape(1)[1:]
        self.pack_rows = native.pack_rows if checked else native.call_rows

    def __call__(self, values: Array, out: Any, threads: int | None) -> Any:
        bytes_ = values.nbytes
        if values.shape[1:] != self.shape or not bytes_ or not values.flags.c_contiguous:
            return None
        height = values.shape[0]
        size = self.first + (height - 1) * self.distance
        most = SHARED if threads != 1 else sys.maxsize
        if self.height not in (None, height) or size >= most or bytes_ >= most:
            return None
        made: Any = new_array(size, np.uint8) if out is None else _taking(out)
        if made is None or (out is not None and np.may_share_memory(values, _bytes_of(made))):
            return None
        data, target = self.memory(values), self.memory(made)
        if not size <= len(target) < most:
            return None
        pitch = bytes_ // height
        failed = self.pack_rows(
            data, pitch, 0, pitch, 0, target + self.start, self.line, self.address,
            self.distance, 0, self.samples, height, 1.0,
        )  # fmt: skip
        if failed:
            return None
        return made if out is None else out


def new_bytes(layout: AnyLayout, size: int) -> Array:
    """New bytes for machine code to pack into: zeros wherever there will be no sample."""
    if size < CLEARED or layout.offset or not layout.pattern.is_full:
        return new_array(size, np.uint8)
    made = empty_array(size, np.uint8)
    made[-1] = 0
    return made


def _taking(out: Any) -> Any:
    """Something that can be packed into as it is, an array of bytes in one piece, for C code; None
    for all else."""
    if type(out) is bytearray:
        return out
    if type(out) is not np.ndarray:
        out = viewed(out)
    if out is None or out.dtype != np.uint8 or not out.flags.carray:
        return None
    return out


def _bytes_of(buffer: Any) -> Array:
    return buffer if type(buffer) is np.ndarray else np.frombuffer(buffer, np.uint8)


quick_ways: dict[tuple[Any, Any, Fit, bool], QuickPacking | QuickRowPacking] = {}
"""What is known of earlier calls: by the layout and the type that were given, what becomes of
values out of range, and whether it was packed into something."""


def remember(
    key: object, shape: AnyShape, dtype: np.dtype[Any], fit: Fit, task: Task, into: bool
) -> None:
    """Keep what later calls need that pack by that task, where they can be quick: for numbers as
    they are, and scaled ones."""
    layout = shape.layout if isinstance(shape, Rows) else shape
    scale = layout.scale
    if (key, dtype, fit, into) in quick_ways:  # which counts its calls
        return
    if not 0 < layout.step <= SPARSE or layout.dtype.names is not None:
        return
    if not (is_plain(dtype, layout) or _is_moved(dtype, layout) or scale is not None):
        return
    native = native_for(task)
    if native is None:
        return
    checked = fit == "check" and task.fit is not None and scale is None
    made: QuickPacking | QuickRowPacking
    if isinstance(shape, Rows):
        if scale is not None or shape.samples % len(layout.fields):
            return
        made = QuickRowPacking(native, shape, checked)
    elif scale is None:
        made = QuickPacking(native, layout, checked)
    elif isinstance(layout, Layout) and not layout.float and fit != "wrap":
        made = QuickScaling(native, layout, scale, fit, dtype)
    else:
        return
    keep(quick_ways, (key, dtype, fit, into), made)


def _is_moved(dtype: np.dtype[Any], layout: AnyLayout) -> bool:
    """Whether elements are floats that are packed as they are, or single bits."""
    if dtype.kind == "b":
        return not layout.fields[0].float and all(f.limits[1] >= 1 for f in layout.fields)
    field = layout.fields[0]
    return field.float and dtype.isnative and dtype == field.dtype


def is_plain(dtype: np.dtype[Any], layout: AnyLayout) -> bool:
    """Whether elements are integers that become samples of one kind as they are."""
    sizes = {(field.size, field.signed, field.float) for field in layout.fields}
    plain = dtype.kind in "iu" and dtype.isnative and len(sizes) == 1 and not sizes.pop()[2]
    return plain and not (isinstance(layout, Layout) and layout.scale is not None)
