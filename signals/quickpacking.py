"""Calls of `pack` like an earlier one, quickly."""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np

from cogen.signals.buffers import Array, empty_array, new_array
from cogen.signals.kernels import NativeKernel
from cogen.signals.layout import AnyLayout
from cogen.signals.moving import SHARED
from cogen.signals.pattern import SPARSE
from cogen.signals.repeated import (
    Repeated,
    RepeatedRows,
    bytes_of,
    keep,
    native_for,
    viewed,
)
from cogen.signals.rounding import Clamping, Rounding
from cogen.signals.rows import AnyShape, Rows
from cogen.signals.task import Task
from cogen.signals.values import Fit, limits_of

CLEARED: Final = 1 << 10
"""Bytes that are cleared more quickly than it is found out whether they must be."""

ROUNDED: Final = 8
"""Calls after which it is worth to compile what rounds scaled numbers, however few they are."""


class Preparing:
    """Makes arrays of one type those that machine code packs: in one piece, in the processor's
    order of bytes, complex numbers as pairs, and, with a `rounding`, what is rounded."""

    __slots__ = ("calls", "changes", "dtype", "paired", "rounding")

    def __init__(self, dtype: np.dtype[Any], rounding: Rounding | None = None) -> None:
        self.dtype = dtype.newbyteorder("=") if dtype.names is None else dtype
        self.paired = None if dtype.kind != "c" else number_of(dtype)
        self.rounding = rounding
        self.changes = rounding is not None or self.paired is not None or self.dtype != dtype
        self.calls = 0

    def __call__(self, values: Array) -> Array | None:
        """None if they cannot be rounded, or are too few for something to be compiled."""
        values = np.asarray(values, self.dtype, order="C")
        if self.paired is not None:
            values = values.view(self.paired).reshape(*values.shape, 2)
        if self.rounding is None:
            return values
        self.calls += 1
        return self.rounding(values) if self.calls >= ROUNDED and values.size else None


class QuickPacking(Repeated):
    """Packs arrays of one type by one layout, into new arrays or those given, by one thread; None
    for what is left to the long way."""

    __slots__ = ("inner", "layout", "prepare")

    def __init__(
        self, native: NativeKernel, layout: AnyLayout, prepare: Preparing, checked: bool
    ) -> None:
        super().__init__(native, layout)
        self.layout = layout
        self.prepare = prepare
        self.inner = () if layout.width is None else (layout.width,)
        if checked:
            self.call = native.pack

    def __call__(self, given: Array, out: Any, threads: int | None) -> Any:
        most = SHARED if threads != 1 else sys.maxsize
        if not 0 < given.nbytes < most:
            return None
        values = given
        if self.prepare.changes or not given.flags.c_contiguous:
            ready = self.prepare(given)
            if ready is None or ready.nbytes >= most:
                return None
            values = ready
        shape = values.shape
        if not shape or shape[1:] != self.inner:
            return None
        samples = values.size * self.in_element
        groups, rest = divmod(samples, self.fields)
        end = self.high if out is not None else self.made
        size = (self.offset + (groups - 1) * self.step + end + 7) // 8
        if rest or size >= most:
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


class QuickRowPacking(RepeatedRows):
    """The same of rows of whole groups."""

    __slots__ = ("address", "pack_rows", "prepare", "room", "start")

    def __init__(self, native: NativeKernel, rows: Rows, prepare: Preparing, checked: bool) -> None:
        super().__init__(native, rows)
        self.prepare = prepare
        self.start, self.address, self.room = rows.start, rows.address, rows.row_bytes
        self.pack_rows = native.pack_rows if checked else native.call_rows

    def __call__(self, given: Array, out: Any, threads: int | None) -> Any:
        most = SHARED if threads != 1 else sys.maxsize
        if not 0 < given.nbytes < most:
            return None
        values = given
        if self.prepare.changes or not given.flags.c_contiguous:
            ready = self.prepare(given)
            if ready is None or ready.nbytes >= most:
                return None
            values = ready
        if values.shape[1:] != self.shape:
            return None
        height = values.shape[0]
        size = self.first + (height - 1) * self.distance
        if out is None:  # with the padding of the last row
            size += self.distance - self.room
        if self.height not in (None, height) or size >= most:
            return None
        made: Any = new_array(size, np.uint8) if out is None else _taking(out)
        if made is None or (out is not None and np.may_share_memory(values, bytes_of(made))):
            return None
        data, target = self.memory(values), self.memory(made)
        if not size <= len(target) < most:
            return None
        pitch = values.nbytes // height
        failed = self.pack_rows(
            data, pitch, 0, pitch, 0, target + self.start, self.room, self.address,
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


quick_ways: dict[tuple[Any, Any, Fit, bool], QuickPacking | QuickRowPacking] = {}
"""What is known of earlier calls: by the layout and the type that were given, what becomes of
values out of range, and whether it was packed into something."""


def remember(
    key: object, shape: AnyShape, dtype: np.dtype[Any], fit: Fit, task: Task, into: bool
) -> None:
    """Keep what later calls need that pack by that task, where they can be quick: for numbers as
    they are, records of them, and numbers that are rounded."""
    layout = shape.layout if isinstance(shape, Rows) else shape
    if (key, dtype, fit, into) in quick_ways:  # which counts its calls
        return
    if not 0 < layout.step <= SPARSE:
        return
    prepare = _preparing(dtype, layout, fit)
    native = None if prepare is None else native_for(task)
    if prepare is None or native is None:
        return
    checked = fit == "check" and task.fit is not None and prepare.rounding is None
    made: QuickPacking | QuickRowPacking
    if not isinstance(shape, Rows):
        made = QuickPacking(native, layout, prepare, checked)
    elif shape.samples % len(layout.fields) == 0:
        made = QuickRowPacking(native, shape, prepare, checked)
    else:
        return
    keep(quick_ways, (key, dtype, fit, into), made)


def _preparing(dtype: np.dtype[Any], layout: AnyLayout, fit: Fit) -> Preparing | None:
    """What makes arrays of a type ready for the machine code of the layout; None if that is left
    to the long way."""
    one = number_of(dtype)
    if layout.scale is None and (is_plain(one, layout) or _is_moved(one, layout)):
        return Preparing(dtype)
    field = layout.fields[0]
    alike = len({(each.size, each.signed) for each in layout.fields}) == 1
    if not alike or field.float or one.names is not None or fit == "wrap":
        return None
    if layout.scale is None and one.kind != "f":
        return None
    scale = 1.0 if layout.scale is None else layout.scale
    clamping = Clamping(scale, *limits_of(field), fit == "check", layout.scale is None)
    return Preparing(dtype, Rounding(one, field, clamping))


def number_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of the numbers that elements are, or that complex ones have two of, in the
    processor's order of bytes; a structured type as it is."""
    if dtype.names is not None:
        return dtype
    if dtype.kind == "c":
        return np.dtype(f"f{dtype.itemsize // 2}")
    return dtype.newbyteorder("=")


def _is_moved(dtype: np.dtype[Any], layout: AnyLayout) -> bool:
    """Whether elements are floats that are packed as they are, or single bits."""
    if dtype.kind == "b":
        return not layout.fields[0].float and all(f.limits[1] >= 1 for f in layout.fields)
    field = layout.fields[0]
    return field.float and dtype.isnative and dtype == field.dtype


def is_plain(dtype: np.dtype[Any], layout: AnyLayout) -> bool:
    """Whether elements are integers that become samples as they are, or records of such, and of
    floats, field by field."""
    fields = layout.fields
    if layout.dtype.names is None:
        whole = layout.scale is None and not any(field.float for field in fields)
        return whole and dtype.kind in "iu" and dtype.isnative
    if dtype.names != layout.dtype.names or dtype.names is None:
        return False
    return all(
        dtype[name] == field.dtype if field.float else dtype[name].kind in "iu"
        for name, field in zip(dtype.names, fields, strict=True)
    ) and all(dtype[name].isnative for name in dtype.names)
