"""Bytes -> arrays: `unpack`.

Most calls are like the one before, so what a call needs is kept by layout and type: the kernel,
and how many items so many bytes hold (`cogen.signals.quickunpacking`).  What that does not cover
is done from scratch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cogen.boundary import leave
from cogen.expected import integer, shown
from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array, byte_array, byte_rows, empty_array, readable
from cogen.signals.forms import Form, form_of, to_dtype
from cogen.signals.kernels import NativeKernel, mover_for
from cogen.signals.layout import AnyLayout, capacity
from cogen.signals.moving import move
from cogen.signals.pattern import pattern_of_array
from cogen.signals.quickunpacking import quick_ways, remember
from cogen.signals.rows import AnyShape, Rows, to_shape
from cogen.signals.task import Extent, Task
from cogen.signals.wavfiles import tell_of_header


def unpack(
    buffer: object,
    layout: AnyShape | str,
    count: int | None = None,
    out: Any = None,
    dtype: Any = None,
    threads: int | None = None,
) -> Array:
    """The samples of a buffer as an array of shape (count,) or (count, channels); of `Rows`, of
    shape (height, width) or (height, width, channels).

    `count` defaults to all that lie wholly inside the buffer.  `dtype` is by default the smallest
    that holds the values, float64 with a scale; any that holds every value exactly can be asked
    for, and for two channels a complex one, which makes an item one number.  `out`, an array of
    the right shape, is filled and returned instead of a new one.  `threads` is the greatest number
    of threads that work; by default as many as there are processors, from 4 MB on.

    CogenError for a buffer or a layout that is none, if there are fewer than `count`, for a type
    that cannot hold the values, and for an `out` of another shape or type, or that is read-only.
    """
    if threads is None or (type(threads) is int and threads > 0):  # of which one would do
        kind = out.dtype if dtype is None and type(out) is np.ndarray else dtype
        try:
            quick = quick_ways.get((layout, kind))
        except TypeError:  # something without a hash
            quick = None
        if quick is not None:
            found = quick(buffer, count, out, threads)
            if found is not None:
                return found
    try:
        return _unpack_anew(buffer, layout, count, out, dtype, threads)
    except CogenError as error:  # as `public` does, which is a call more
        leave(error)
        raise


def _unpack_anew(
    buffer: object,
    layout: AnyShape | str,
    count: int | None,
    out: Any,
    dtype: Any,
    threads: int | None,
) -> Array:
    """The same without what is kept of earlier calls."""
    shape = to_shape(layout)
    if dtype is None and isinstance(out, np.ndarray):
        dtype = out.dtype
    wanted = None if dtype is None else to_dtype(dtype)
    threads = None if threads is None else integer(threads, "threads", 1)
    one = shape.layout if isinstance(shape, Rows) else shape
    if isinstance(shape, Rows):
        result = _unpack_rows(buffer, shape, count, out, wanted, threads)
    else:
        result = _unpack_plain(buffer, shape, count, out, wanted, threads)
    if result.size:
        form = form_of(one, wanted)
        remember(layout, dtype, shape, form, task_for(one, form))
    return result


def items_in(layout: AnyLayout, length: int, count: int | None) -> int:
    """How many items to unpack from that many bytes; CogenError if there are not `count`."""
    fitting = capacity(layout, length)
    if count is None:
        return fitting
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
        raise CogenError(f"count must be an integer, at least 0, not {shown(count)}")
    if count > fitting:
        raise CogenError(
            f"the buffer of {length} bytes has room for {fitting} samples, not {shown(count)}"
        )
    return int(count)


def shape_of(layout: AnyLayout, items: int) -> tuple[int, ...]:
    """The shape of an array of that many items."""
    return (items,) if layout.width is None else (items, layout.width)


def rows_in(rows: Rows, array: Array) -> tuple[int, Extent]:
    """How many rows bytes hold, and where they are: in one piece, or in rows themselves, which
    must be as far apart as those of the layout.  CogenError if they are not, or too few."""
    at, samples = rows.address, rows.samples
    if array.ndim == 1:
        fitting = rows.fitting(array.size)
        extent = Extent(array.size - rows.start, at, 0, 0, samples, 0, rows.distance, rows.distance)
    else:
        if array.shape[1] != rows.distance or rows.start + rows.row_bytes > array.shape[1]:
            raise CogenError(
                f"the buffer does not lie in one piece: its rows have {array.shape[1]} bytes, "
                f"those of the layout {rows.distance}",
                hint="pass a contiguous copy of it, x.copy(), or a pitch",
            )
        fitting = array.shape[0]
        left = array.shape[1] - rows.start
        extent = Extent(left, at, 0, 0, samples, 0, array.strides[0])
    if rows.height is None:
        return fitting, extent
    if rows.height > fitting:
        raise CogenError(
            f"the buffer of {array.size} bytes has room for {fitting} rows, not {rows.height}"
        )
    return rows.height, extent


def _unpack_plain(
    buffer: object,
    layout: AnyLayout,
    count: int | None,
    out: Any,
    dtype: np.dtype[Any] | None,
    threads: int | None,
) -> Array:
    view = readable(buffer)
    tell_of_header(view, layout.offset, stacklevel=5)
    items = items_in(layout, len(view), count)
    form = form_of(layout, dtype)
    shape = (items,) if form.is_complex else shape_of(layout, items)
    source = byte_array(view)
    extent = Extent(source.size, layout.offset, 0, 0, items * layout.per_item)
    return _unpack(source, layout, form, shape, extent, out, threads)


def _unpack_rows(
    buffer: object,
    rows: Rows,
    count: int | None,
    out: Any,
    dtype: np.dtype[Any] | None,
    threads: int | None,
) -> Array:
    if count is not None:
        raise CogenError(
            "rows are not counted by `count`", hint="Rows(layout, width, height) says how many"
        )
    form = form_of(rows.layout, dtype)
    source = byte_rows(buffer)
    height, extent = rows_in(rows, source)
    shape = (height, rows.width) if form.is_complex else rows.shape(height)
    if source.ndim == 2:
        source = source[:, rows.start :]
    elif rows.whole:
        extent = Extent(extent.in_bytes, extent.in_at, 0, 0, height * rows.samples)
        return _unpack(source[rows.start :], rows.layout, form, shape, extent, out, threads)
    else:
        source = source[rows.start :]
    width = rows.samples * form.part.itemsize
    if form.dtype.names is not None:
        width = rows.width * form.dtype.itemsize
    extent = Extent(
        extent.in_bytes, extent.in_at, width, 0, rows.samples, height,
        extent.in_pitch, extent.in_less, width, 0,
    )  # fmt: skip
    return _unpack(source, rows.layout, form, shape, extent, out, threads)


def _unpack(
    source: Array,
    layout: AnyLayout,
    form: Form,
    shape: tuple[int, ...],
    extent: Extent,
    out: Any,
    threads: int | None,
) -> Array:
    """Unpack an extent into an array of the shape, a new one or `out`."""
    if out is None and len(layout.fields) == 1 and layout.fields[0].size == 1:
        made = _made_of_bits(source, layout, form, extent)
        if made is not None:
            return made.reshape(shape)
    result = empty_array(shape, form.dtype) if out is None else _checked(out, shape, form)
    if form.stage is not None and not form.stage.known:
        samples = empty_array((extent.rows, extent.samples), form.sample)
        width = extent.samples * form.sample.itemsize if extent.rows > 1 else 0
        place = Extent(
            extent.in_bytes, extent.in_at, width, 0, extent.samples, extent.rows,
            extent.in_pitch, extent.in_less, width, 0,
        )  # fmt: skip
        _fill(source, layout, None, samples, place, 1.0, threads)
        if layout.scale is not None:
            samples = samples.astype(np.float64) * np.float64(layout.scale)
        parts = samples.astype(form.part, copy=False)
        result[...] = (parts.view(form.dtype) if form.is_complex else parts).reshape(shape)
        return result if out is None else out
    aside = out is not None and (
        not result.flags.c_contiguous
        or result.dtype != form.dtype
        or not result.dtype.isnative
        or np.may_share_memory(result, source)
    )
    target = empty_array(shape, form.dtype) if aside else result
    scale = 1.0 if layout.scale is None else layout.scale
    _fill(source, layout, form, target, extent, scale, threads)
    if aside:
        result[...] = target
    return result if out is None else out


def _made_of_bits(source: Array, layout: AnyLayout, form: Form, extent: Extent) -> Array | None:
    """The samples as a new array, if NumPy does the work, and makes one itself."""
    if form.stage is not None or not extent.samples:
        return None
    mover = mover_for(task_for(layout, form))
    if isinstance(mover, NativeKernel):
        return None
    from cogen.signals.slices import Slices

    return mover.fresh(source, extent) if isinstance(mover, Slices) else None


def _fill(
    source: Array,
    layout: AnyLayout,
    form: Form | None,
    target: Array,
    extent: Extent,
    scale: float,
    threads: int | None,
) -> None:
    task = task_for(layout, form)
    data = target.reshape(-1).view(np.uint8)
    if not extent.out_bytes:
        extent = Extent(extent.in_bytes, extent.in_at, data.size, 0, extent.samples)
    move(source, data, task, extent, scale, threads)


def task_for(layout: AnyLayout, form: Form | None) -> Task:
    """What a kernel does that unpacks a layout to a form, or to samples as they are."""
    sample = layout.fields[0].dtype if form is None else form.sample
    if form is None and len(layout.fields) > 1:
        sample = layout.dtype
    stage = None if form is None else form.stage
    places = (layout.offset % 8, 0)
    return Task(layout.pattern, pattern_of_array(sample), places, stage=stage)


def _checked(out: Any, shape: tuple[int, ...], form: Form) -> Array:
    """The array to fill; CogenError if it cannot be."""
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise CogenError(f"out must be an array of NumPy's, not {shown(out)}")
    if out.shape != shape:
        raise CogenError(f"out must have the shape {shape}, not {out.shape}")
    if out.dtype != form.dtype and out.dtype.newbyteorder("=") != form.dtype:
        raise CogenError(f"out must have the type {form.dtype}, not {out.dtype}")
    if not out.flags.writeable:
        raise CogenError("out is read-only", hint="pass an array that may be written to")
    return out
