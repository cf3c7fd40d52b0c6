"""Arrays -> bytes: `pack`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, TypeGuard

import numpy as np

from cogen.boundary import leave
from cogen.buffers import refuse_masked
from cogen.expected import flag, integer
from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array, array_of, byte_array, new_array, readable, writable
from cogen.signals.kernels import NativeKernel, mover_for
from cogen.signals.layout import AnyLayout, Layout, bytes_made, bytes_needed, overlaps
from cogen.signals.moving import move
from cogen.signals.pattern import pattern_of_array
from cogen.signals.quickpacking import is_plain, new_bytes, quick_ways, remember
from cogen.signals.records import as_records
from cogen.signals.repeated import native_for
from cogen.signals.rows import AnyShape, Rows, to_shape
from cogen.signals.task import Extent, Task
from cogen.signals.unpacking import shape_of
from cogen.signals.values import Fit, PreparedValues, prepare

CHUNK: Final = 1 << 15
"""Groups that are worked on at a time where values pass through a buffer between: they stay in
the processor's cache."""

CHANNELS: Final = 32
"""Rows of more items than this are hardly meant to be channels."""


def pack(
    array: object,
    layout: AnyShape | str,
    out: Any = None,
    wrap: bool = False,
    saturate: bool = False,
    threads: int | None = None,
) -> Any:
    """The samples of an array, packed: `out`, or a new array of bytes.

    A new array is as short as can be, and zero where there is no sample; records have the padding
    behind the last one, too.  In `out`, a writable
    buffer, only the samples' bits change.  A value out of range is a CogenError, and nothing is
    stored, unless `wrap` (keep the low bits) or `saturate` (clamp).  Complex numbers are packed as
    two channels.  Of `Rows`, samples that fill up the last group of a row are packed as 0.
    """
    try:
        fit = choose_fit(wrap, saturate)
        if type(array) is list:
            array = _array_of(array)
        if (
            type(array) is np.ndarray
            and (threads is None or (type(threads) is int and threads > 0))  # of which one would do
        ):
            found = _packed_again(array, layout, fit, out, threads)
            if found is not None:
                return found
        return _pack_anew(array, layout, out, fit, threads)
    except CogenError as error:  # as `public` does, which is a call more
        leave(error)
        raise


def _pack_anew(
    array: object, layout: AnyShape | str, out: Any, fit: Fit, threads: int | None
) -> Any:
    """The same without what is kept of earlier calls."""
    shape = to_shape(layout)
    threads = None if threads is None else integer(threads, "threads", 1)
    values = as_values(array, shape)
    if values.dtype.names is None:
        values = values.astype(values.dtype.newbyteorder("="), copy=False)
    one = shape.layout if isinstance(shape, Rows) else shape
    if overlaps(one):
        raise CogenError("samples that overlap can be unpacked, but not packed")
    if isinstance(shape, Rows):
        values = _filled_up(values, shape)
    later = fit == "check" and _checked_later(values, one, out is not None)
    prepared = PreparedValues(values) if later else _prepare(values, one, fit)
    if isinstance(shape, Rows):
        needed = (shape.bytes_made if out is None else shape.bytes_needed)(len(values))
    else:
        needed = (bytes_made if out is None else bytes_needed)(one, len(values))
    repeats = array if _come_again(array, values, prepared, one) else None
    at = shape.address if isinstance(shape, Rows) else one.offset

    def fill(data: memoryview) -> None:
        keep = out is not None
        if not _pack_into(prepared, shape, data, keep, threads, later):
            _pack_into(_prepare(values, one, fit), shape, data, keep, threads)  # which tells of it

    if out is None:
        if prepared.fitting and one.pattern.is_bits and shape is one:
            bits = _packed_bits(prepared.array, one)
            if bits is not None:
                return bits
        task = task_of(prepared.array.dtype, one, prepared.clamp, False, at)
        native = shape is one and native_for(task)
        result = new_bytes(one, needed) if native else new_array(needed, np.uint8)
        fill(result.data)
        if repeats is not None:
            remember(layout, shape, repeats.dtype, fit, task, False)
        return result
    view = writable(out, "out")
    if needed > len(view):
        what = "samples" if shape is one else "rows"
        raise CogenError(
            f"{len(values)} {what} need {needed} bytes, but out has {len(view)}",
            hint="without `out`, pack makes a buffer of the right size",
        )
    if needed and np.may_share_memory(prepared.array, byte_array(view)):
        prepared = PreparedValues(prepared.array.copy(), prepared.clamp)
    fill(view)
    if repeats is not None:
        task = task_of(prepared.array.dtype, one, prepared.clamp, True, at)
        remember(layout, shape, repeats.dtype, fit, task, True)
    return out


def _come_again(
    array: object, values: Array, prepared: PreparedValues, layout: AnyLayout
) -> TypeGuard[Array]:
    """Whether to remember what was found out for an array whose numbers are `values`."""
    if not isinstance(array, np.ndarray) or not values.size:
        return False
    plainly = values.dtype.kind in "bf" or layout.scale is not None
    return type(array) is np.ndarray and (plainly or prepared.array is values)


def _array_of(given: list[Any]) -> object:
    """The array of a list of numbers, which need not be made again; the list if it makes none."""
    if given and isinstance(given[0], dict | tuple):  # perhaps records
        return given
    try:
        made = array_of(given)
    except (ValueError, TypeError, OverflowError):
        return given
    if made.dtype.kind not in "iub":  # masked numbers are no integers
        refuse_masked(given, "the array")
    return made


def _checked_later(values: Array, layout: AnyLayout, keep: bool) -> bool:
    """Whether the machine code that packs the values looks whether they are in range.  If it
    refuses some, `_prepare` says which."""
    if not is_plain(values.dtype, layout) or not values.size:
        return False
    task = task_of(values.dtype, layout, False, keep, layout.offset)
    return task.fit is not None and native_for(task) is not None


def _packed_again(
    array: Array, layout: AnyShape | str, fit: Fit, out: Any, threads: int | None
) -> Any:
    """The result as of an array like an earlier one, quickly; None if there is no such way."""
    try:
        quick = quick_ways.get((layout, array.dtype, fit, out is not None))
    except TypeError:  # something without a hash
        return None
    return None if quick is None else quick(array, out, threads)


def pack_values(
    values: Array, layout: AnyLayout, out: memoryview, fit: Fit, index: int = 0, keep: bool = False
) -> None:
    """Pack values of the right shape into zeros, or, to keep what is between the samples, into
    anything; `index` is that of the first, for messages."""
    later = fit == "check" and _checked_later(values, layout, keep)
    if later and _pack_into(PreparedValues(values), layout, out, keep, checked=True):
        return
    _pack_into(_prepare(values, layout, fit, index), layout, out, keep)


def choose_fit(wrap: bool, saturate: bool) -> Fit:
    """What to do with values out of range."""
    if saturate is False and (wrap is False or wrap is True):
        return "wrap" if wrap else "check"
    wrap, saturate = flag(wrap, "wrap"), flag(saturate, "saturate")
    if wrap and saturate:
        raise CogenError("wrap and saturate exclude each other")
    return "wrap" if wrap else "saturate" if saturate else "check"


def as_values(array: object, shape: AnyShape) -> Array:
    """The array to pack; CogenError if its shape is not the layout's."""
    layout = shape.layout if isinstance(shape, Rows) else shape
    if array is None:
        raise CogenError("there is no array to pack: it is None")
    refuse_masked(array, "the array")
    if isinstance(array, str | bytes):
        raise CogenError(
            f"samples are numbers, not {type(array).__name__}",
            hint="np.frombuffer(data, np.uint8) is an array of bytes",
        )
    array = as_records(array, layout)
    try:
        values = array_of(array)
    except (ValueError, TypeError, OverflowError) as error:
        raise CogenError(f"the samples make no array: {error}") from None
    if layout.dtype.names is not None:
        if values.dtype.names is None or set(values.dtype.names) != set(layout.dtype.names):
            raise CogenError(
                "the samples of a record are a structured array with the fields "
                + ", ".join(layout.dtype.names),
                hint="or columns by name, {name: numbers, ...}, or a list of tuples",
            )
    elif values.dtype.names is not None:
        raise CogenError("the layout has no fields, but the array is a structured one")
    values = _as_channels(values, layout)
    if isinstance(shape, Rows):
        _check_rows(values, shape)
        return values
    expected = shape_of(layout, values.shape[0]) if values.ndim else (0,)
    if values.shape != expected:
        wanted = "(count,)" if layout.width is None else f"(count, {layout.width})"
        raise CogenError(
            f"the array must have the shape {wanted}, not {values.shape}",
            hint=_shape_hint(layout, values.shape),
        )
    check_whole(layout, len(values))
    return values


def _shape_hint(layout: AnyLayout, shape: tuple[int, ...]) -> str | None:
    """What to write for an array of rows that are given to a layout without any."""
    if layout.width is not None or len(shape) != 2:
        return None
    channels = ""
    if isinstance(layout, Layout) and 1 < shape[1] <= CHANNELS:
        channels = f"a layout of channels={shape[1]} takes such an array; "
    return (
        f"{channels}signals.Rows(layout, {shape[1]}) packs rows that begin at whole bytes, "
        "array.reshape(-1) one item after the other"
    )


def check_whole(layout: AnyLayout, items: int) -> None:
    """CogenError if that many items are no whole groups, so that they cannot be packed."""
    if items * layout.per_item % len(layout.fields):
        raise CogenError(
            f"{items} samples make no whole groups of {len(layout.fields)}",
            hint="fill them up with zeros",
        )


def parts_of(
    layout: AnyLayout, items: int, other: AnyLayout | None = None
) -> Iterator[tuple[int, AnyLayout, int]]:
    """Cuts the items into chunks of whole groups (of both layouts): the first item of each, the
    layout that begins there, the number of items."""
    groups = CHUNK * (len(other.fields) if other is not None else 1)
    chunk = groups * len(layout.fields) // layout.per_item
    while groups * len(layout.fields) % layout.per_item:  # channels that are no power of two
        groups *= layout.per_item
        chunk = groups * len(layout.fields) // layout.per_item
    for number, first in enumerate(range(0, items, chunk)):
        part = replace(layout, offset=layout.offset + number * groups * layout.step)
        yield first, part, min(chunk, items - first)


def _check_rows(values: Array, rows: Rows) -> None:
    height = values.shape[0] if values.ndim and rows.height is None else rows.height
    if values.ndim == 0 or values.shape != rows.shape(height or 0):
        wanted = ", ".join(map(str, rows.shape(height or 0)[1:]))
        first = "height" if rows.height is None else rows.height
        raise CogenError(f"the array must have the shape ({first}, {wanted}), not {values.shape}")


def _as_channels(values: Array, layout: AnyLayout) -> Array:
    """Complex numbers as two channels."""
    if values.dtype.kind != "c" or layout.width != 2:
        return values
    part = np.dtype(f"f{values.dtype.itemsize // 2}")
    kind = values.dtype.newbyteorder("=")
    parts = np.ascontiguousarray(values.astype(kind, copy=False)).view(part)
    return parts.reshape(*values.shape, 2)


def _filled_up(values: Array, rows: Rows) -> Array:
    """The array with whole groups in each row."""
    layout = rows.layout
    items, fields = rows.width, len(layout.fields)
    while items * layout.per_item % fields:
        items += 1
    if items == rows.width:
        return values
    result = new_array((values.shape[0], items, *values.shape[2:]), values.dtype)
    result[:, : rows.width] = values
    return result


def _pack_into(
    prepared: PreparedValues,
    shape: AnyShape,
    out: memoryview,
    keep: bool,
    threads: int | None = None,
    checked: bool = False,
) -> bool:
    """Pack values; False if they are `checked` meanwhile, and some are out of range."""
    values = np.ascontiguousarray(prepared.array)
    layout = shape.layout if isinstance(shape, Rows) else shape
    source = byte_array(readable(values))
    data = byte_array(out)
    samples = values.size * (1 if values.dtype.names is None else len(layout.fields))
    at = layout.offset
    extent = Extent(source.size, 0, data.size, at, samples)
    if isinstance(shape, Rows):
        at = shape.address
        data = data[shape.start :]
        if not shape.whole:
            pitch = source.size // len(values) if len(values) else 0
            extent = Extent(
                pitch, 0, shape.row_bytes, at, samples // max(1, len(values)), len(values),
                pitch, 0, shape.distance, 0,
            )  # fmt: skip
        else:
            extent = Extent(source.size, 0, data.size, at, samples)
    task = task_of(values.dtype, layout, prepared.clamp, keep, at)
    return move(source, data, task, extent, threads=threads, checked=checked)


def _packed_bits(values: Array, layout: AnyLayout) -> Array | None:
    """Numbers that are 0 or 1 as bits, if NumPy does the work."""
    if layout.offset or isinstance(
        mover_for(task_of(values.dtype, layout, False, False)), NativeKernel
    ):
        return None
    order: Any = layout.order
    return np.packbits(np.ascontiguousarray(values).reshape(-1), bitorder=order)


def task_of(dtype: np.dtype[Any], layout: AnyLayout, clamp: bool, keep: bool, at: int = 0) -> Task:
    """What a kernel does that packs the elements of an array."""
    return Task(pattern_of_array(dtype), layout.pattern, (0, at % 8), clamp, keep)


def _prepare(values: Array, layout: AnyLayout, fit: Fit, first: int = 0) -> PreparedValues:
    """The values ready for the kernel that packs them."""
    if layout.dtype.names is not None:
        return _prepare_record(values, layout, fit, first)
    if isinstance(layout, Layout) or len({field.size for field in layout.fields}) == 1:
        return prepare(values, layout.fields[0], layout.scale, fit, first)
    columns = values.reshape(-1, len(layout.fields))
    parts = [
        prepare(columns[:, i], field, None, fit, first) for i, field in enumerate(layout.fields)
    ]
    if any(part.array.dtype != values.dtype or part.changed for part in parts):
        values = np.stack([part.array for part in parts], axis=-1).reshape(values.shape)
    return PreparedValues(values, any(part.clamp for part in parts))


def _prepare_record(values: Array, layout: AnyLayout, fit: Fit, first: int) -> PreparedValues:
    parts = {
        field.name: prepare(values[field.name], field, None, fit, first) for field in layout.fields
    }
    kinds = [(name, part.array.dtype) for name, part in parts.items()]
    if values.dtype.names == layout.dtype.names and all(
        part.array.dtype == values.dtype[name] and not (part.changed or part.clamp)
        for name, part in parts.items()
    ):
        return PreparedValues(values)
    result: Array = np.empty(values.shape, np.dtype(kinds))
    for field in layout.fields:
        part = parts[field.name]
        low, high = field.limits
        if part.clamp:  # a kernel clamps all fields or none
            signed = np.maximum(part.array.astype(np.int64), max(low, -1 << 63))
            result[field.name] = np.minimum(signed, min(high, (1 << 63) - 1))
        else:
            result[field.name] = part.array
    return PreparedValues(result)
