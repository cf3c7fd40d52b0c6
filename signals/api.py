"""Packed samples and NumPy arrays: `unpack`, `pack`, `convert`.

The work is done by residual C (see `signals.kernels`), straight from one buffer to the other,
with the interpreter lock released.  A layout may be given by name or as a text, see
`signals.formats`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from cogen.buffers import refuse_masked
from cogen.expected import flag, shown
from cogen.lang.errors import CogenError
from cogen.signals.buffers import new_array, readable, writable
from cogen.signals.formats import to_layout
from cogen.signals.kernels import Task
from cogen.signals.layout import (
    AnyLayout,
    Field,
    Layout,
    bytes_needed,
    capacity,
    overlaps,
)
from cogen.signals.moving import move
from cogen.signals.pattern import pattern_of_array
from cogen.signals.values import Array, Fit, Prepared, prepare

CHUNK: Final = 1 << 15
"""Groups that are worked on at a time where values pass through a buffer between: they stay in
the processor's cache."""


def unpack(buffer: object, layout: AnyLayout | str, count: int | None = None) -> Array:
    """The samples of a buffer as an array of shape (count,) or (count, channels).

    `count` defaults to all that lie wholly inside the buffer.  The type is the smallest that
    holds the values; float64 with a scale.  CogenError for a buffer or a layout that is none,
    and if there are fewer than `count`.
    """
    layout = to_layout(layout)
    view = readable(buffer)
    items = items_in(layout, len(view), count)
    if layout.scale is None:
        result = new_array(shape_of(layout, items), layout.dtype)
        _unpack_into(view, layout, result)
        return result
    scaled = new_array(shape_of(layout, items), np.float64)
    for first, part, some in parts_of(layout, items):
        samples: Array = np.empty(shape_of(layout, some), layout.fields[0].dtype)
        _unpack_into(view, part, samples)
        np.multiply(samples, layout.scale, out=scaled[first : first + some])
    return scaled


def pack(
    array: object,
    layout: AnyLayout | str,
    out: Any = None,
    wrap: bool = False,
    saturate: bool = False,
) -> Any:
    """The samples of an array, packed: `out`, or a new array of bytes.

    A new array is as short as can be, and zero where there is no sample.  In `out`, a writable
    buffer, only the samples' bits change.  A value out of range is a CogenError, and nothing is
    stored, unless `wrap` (keep the low bits) or `saturate` (clamp).
    """
    layout = to_layout(layout)
    fit = choose_fit(wrap, saturate)
    values = as_values(array, layout)
    if overlaps(layout):
        raise CogenError("samples that overlap can be unpacked, but not packed")
    prepared = _prepare(values, layout, fit)
    needed = bytes_needed(layout, len(values))
    if out is None:
        result = new_array(needed, np.uint8)
        _pack_into(prepared, layout, result.data, keep=False)
        return result
    view = writable(out, "out")
    if needed > len(view):
        raise CogenError(
            f"{len(values)} samples need {needed} bytes, but out has {len(view)}",
            hint="without `out`, pack makes a buffer of the right size",
        )
    if needed and np.may_share_memory(prepared.array, np.frombuffer(view, np.uint8)):
        prepared = Prepared(prepared.array.copy(), prepared.clamp)
    _pack_into(prepared, layout, view, keep=True)
    return out


def convert(
    buffer: object,
    source_layout: AnyLayout | str,
    target_layout: AnyLayout | str,
    wrap: bool = False,
    saturate: bool = False,
) -> Array:
    """All samples of a buffer in another layout, as an array of bytes.

    Values stay the same (scales count); one that does not fit is a CogenError unless `wrap` or
    `saturate`.  The result is as short as can be, and zero where there is no sample.
    """
    source, target = to_layout(source_layout), to_layout(target_layout)
    fit = choose_fit(wrap, saturate)
    check_same_items(source, target)
    if overlaps(target):
        raise CogenError("samples that overlap can be unpacked, but not packed")
    view = readable(buffer)
    items = items_in(source, len(view), None)
    check_whole(target, items)
    result = new_array(bytes_needed(target, items), np.uint8)
    convert_into(view, source, result.data, target, items, fit)
    return result


def convert_into(
    view: memoryview,
    source: AnyLayout,
    out: memoryview,
    target: AnyLayout,
    items: int,
    fit: Fit,
    index: int = 0,
) -> None:
    """Convert that many items into zeros; `index` is that of the first, for messages."""
    clamp = _clamps(source, target, fit)
    if clamp is not None:
        task = Task(source.pattern, target.pattern, (source.offset, target.offset), clamp, False)
        move(view, out, task, items * source.per_item)
        return
    for first, part, some in parts_of(source, items, target):
        values = unpack(view, part, some)
        prepared = _prepare(values, target, fit, index + first)
        groups = first * target.per_item // len(target.fields)
        place = replace(target, offset=target.offset + groups * target.step)
        _pack_into(prepared, place, out, keep=True)


def pack_values(
    values: Array, layout: AnyLayout, out: memoryview, fit: Fit, index: int = 0
) -> None:
    """Pack values of the right shape into zeros; `index` is that of the first, for messages."""
    _pack_into(_prepare(values, layout, fit, index), layout, out, keep=False)


def _clamps(source: AnyLayout, target: AnyLayout, fit: Fit) -> bool | None:
    """Whether a kernel from layout to layout must clamp; None if there is none that does it."""
    if source.scale is not None or target.scale is not None:
        return None
    clamp = False
    for a, b in _pairs(source, target):
        if a.float or b.float:
            if not (a.float and b.float and a.size == b.size):
                return None
        elif not _holds(b, a):
            if fit == "check":
                return None
            clamp = clamp or fit == "saturate"
    if clamp and any(a.float or _exceeds_language(a) for a in source.fields):
        return None
    return clamp


def _exceeds_language(field: Field) -> bool:
    """Whether its integers go beyond those of the language, so that a kernel cannot clamp them."""
    return field.size == 64 and not field.signed


def _pairs(source: AnyLayout, target: AnyLayout) -> Iterator[tuple[Field, Field]]:
    """The pairs of fields between which samples are moved."""
    for i in range(len(source.fields) * len(target.fields)):
        yield source.fields[i % len(source.fields)], target.fields[i % len(target.fields)]


def _holds(field: Field, other: Field) -> bool:
    """Whether a field of integers holds every value of another."""
    (low, high), (least, greatest) = field.limits, other.limits
    return low <= least and greatest <= high


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


def choose_fit(wrap: bool, saturate: bool) -> Fit:
    """What to do with values out of range."""
    wrap, saturate = flag(wrap, "wrap"), flag(saturate, "saturate")
    if wrap and saturate:
        raise CogenError("wrap and saturate exclude each other")
    return "wrap" if wrap else "saturate" if saturate else "check"


def check_same_items(source: AnyLayout, target: AnyLayout) -> None:
    """CogenError if items of the layouts have different numbers of samples."""
    if source.per_item != target.per_item:
        raise CogenError(
            f"the source layout has {source.per_item} channels or fields, the target layout "
            f"{target.per_item}"
        )


def as_values(array: object, layout: AnyLayout) -> Array:
    """The array to pack; CogenError if its shape is not the layout's."""
    if array is None:
        raise CogenError("there is no array to pack: it is None")
    refuse_masked(array, "the array")
    try:
        values = np.asarray(array)
    except (ValueError, TypeError, OverflowError) as error:
        raise CogenError(f"the samples make no array: {error}") from None
    if layout.dtype.names is not None:
        if values.dtype.names is None or set(values.dtype.names) != set(layout.dtype.names):
            raise CogenError(
                "the samples of a record are a structured array with the fields "
                + ", ".join(layout.dtype.names),
                hint="make one by np.zeros(count, signals.layout(...).dtype)",
            )
    elif values.dtype.names is not None:
        raise CogenError("the layout has no fields, but the array is a structured one")
    expected = shape_of(layout, values.shape[0]) if values.ndim else (0,)
    if values.shape != expected:
        wanted = "(count,)" if layout.width is None else f"(count, {layout.width})"
        raise CogenError(f"the array must have the shape {wanted}, not {values.shape}")
    check_whole(layout, len(values))
    return values


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


def _unpack_into(view: memoryview, layout: AnyLayout, result: Array) -> None:
    task = Task(layout.pattern, pattern_of_array(result.dtype), (layout.offset, 0), False, False)
    move(view, readable(result), task, len(result) * layout.per_item)


def _pack_into(prepared: Prepared, layout: AnyLayout, out: memoryview, keep: bool) -> None:
    values = np.ascontiguousarray(prepared.array)
    task = Task(
        pattern_of_array(values.dtype), layout.pattern, (0, layout.offset), prepared.clamp, keep
    )
    move(readable(values), out, task, len(values) * layout.per_item)


def _prepare(values: Array, layout: AnyLayout, fit: Fit, first: int = 0) -> Prepared:
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
    return Prepared(values, any(part.clamp for part in parts))


def _prepare_record(values: Array, layout: AnyLayout, fit: Fit, first: int) -> Prepared:
    parts = {
        field.name: prepare(values[field.name], field, None, fit, first) for field in layout.fields
    }
    kinds = [(name, part.array.dtype) for name, part in parts.items()]
    result: Array = np.empty(len(values), np.dtype(kinds))
    for field in layout.fields:
        part = parts[field.name]
        low, high = field.limits
        if part.clamp:  # a kernel clamps all fields or none
            signed = np.maximum(part.array.astype(np.int64), max(low, -1 << 63))
            result[field.name] = np.minimum(signed, min(high, (1 << 63) - 1))
        else:
            result[field.name] = part.array
    return Prepared(result)
