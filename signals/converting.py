"""Bytes -> bytes in another layout: `convert`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from cogen.boundary import public
from cogen.expected import integer
from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array, byte_array, new_array, readable
from cogen.signals.kernels import NativeKernel
from cogen.signals.layout import AnyLayout, Field, bytes_made, overlaps
from cogen.signals.moving import SHARED, move
from cogen.signals.packing import (
    check_whole,
    choose_fit,
    pack,
    pack_values,
    parts_of,
)
from cogen.signals.pattern import SPARSE
from cogen.signals.quickpacking import new_bytes
from cogen.signals.repeated import Repeated, ends_made, keep, native_for
from cogen.signals.rows import AnyShape, Rows, to_shape
from cogen.signals.task import Extent, Task
from cogen.signals.unpacking import items_in, unpack
from cogen.signals.values import Fit
from cogen.signals.wavfiles import tell_of_header


@public
def convert(
    buffer: object,
    source_layout: AnyShape | str,
    target_layout: AnyShape | str,
    wrap: bool = False,
    saturate: bool = False,
    threads: int | None = None,
) -> Array:
    """All samples of a buffer in another layout, as an array of bytes.

    Values stay the same (scales count); one that does not fit is a CogenError unless `wrap` or
    `saturate`.  The result is as short as can be, and zero where there is no sample.  `Rows` become
    rows of the same width, or samples one after the other; samples become rows of any width.
    """
    fit = choose_fit(wrap, saturate)
    key = source_layout, target_layout, fit
    if threads is None or (type(threads) is int and threads > 0):
        found = _converted_again(buffer, key, threads)
        if found is not None:
            return found
    source, target = to_shape(source_layout), to_shape(target_layout)
    threads = None if threads is None else integer(threads, "threads", 1)
    if isinstance(source, Rows) or isinstance(target, Rows):
        return _convert_rows(buffer, source, target, fit, threads)
    check_same_items(source, target)
    if overlaps(target):
        raise CogenError("samples that overlap can be unpacked, but not packed")
    view = readable(buffer)
    tell_of_header(view, source.offset, stacklevel=4)
    items = items_in(source, len(view), None)
    check_whole(target, items)
    result = new_array(bytes_made(target, items), np.uint8)
    convert_into(view, source, result.data, target, items, fit, threads=threads)
    _remember(key, source, target, fit)
    return result


class _QuickConverting(Repeated):
    """Converts bytes from one layout to another by one kernel and one thread; None for what is left
    to the long way."""

    __slots__ = ("end", "end_made", "target")

    def __init__(
        self, native: NativeKernel, source: AnyLayout, target: AnyLayout, checked: bool
    ) -> None:
        super().__init__(native, source)
        self.end = source.offset + self.high
        self.target = target
        self.end_made = ends_made(target)
        if checked:
            self.call = native.pack

    def __call__(self, buffer: Any, threads: int | None) -> Array | None:
        data = self.taken(buffer)
        if data is None:
            return None
        length, target = len(data), self.target
        bits = 8 * length - self.end
        if bits < 0 or (threads != 1 and length >= SHARED):
            return None
        if _may_be_wav(data):
            return None
        samples = (bits // self.step + 1) * self.fields // self.per_item * self.per_item
        groups, rest = divmod(samples, len(target.fields))
        size = (target.offset + (groups - 1) * target.step + self.end_made + 7) // 8
        if rest or not groups or (threads != 1 and size >= SHARED):
            return None
        made = new_bytes(target, size)
        if self.call(
            data, length, self.offset, self.memory(made), size, target.offset, samples, 1.0,
        ):  # fmt: skip
            return None
        return made


class _QuickByValues:
    """Converts few bytes by two kernels, to values and from them; None for what is left to the long
    way."""

    __slots__ = ("fit", "source", "target")

    def __init__(self, source: AnyLayout, target: AnyLayout, fit: Fit) -> None:
        self.source, self.target, self.fit = source, target, fit

    def __call__(self, buffer: Any, threads: int | None) -> Array | None:
        if type(buffer) is not bytes and type(buffer) is not bytearray:
            return None
        if len(buffer) > FEW or _may_be_wav(buffer):
            return None
        values = unpack(buffer, self.source, threads=1)
        if not len(values):
            return None
        packed: Array = pack(
            values, self.target, None, self.fit == "wrap", self.fit == "saturate", 1
        )
        return packed


FEW: Final = 1 << 14
"""Bytes, at most, whose values are made all at a time."""


def _may_be_wav(data: Any) -> bool:
    """Whether bytes begin as a WAV file, which is told of then, or nearly so."""
    return len(data) > 1 and data[0] in (b"R", 82) and data[1] in (b"I", 73)


def _converted_again(
    buffer: object, key: tuple[Any, Any, Fit], threads: int | None
) -> Array | None:
    """The result as of an earlier call, quickly; None if there is no such way."""
    try:
        quick = _quick.get(key)
    except TypeError:  # something without a hash
        return None
    return None if quick is None else quick(buffer, threads)


_quick: dict[tuple[Any, Any, Fit], _QuickConverting | _QuickByValues] = {}


def _remember(key: tuple[Any, Any, Fit], source: AnyLayout, target: AnyLayout, fit: Fit) -> None:
    """Keep what later calls need."""
    if not all(isinstance(part, Hashable) for part in key):
        return
    task = direct_task(source, target, fit)
    checked = task is None
    if task is None:
        task = _checked_task(source, target, fit)
    if task is None:
        if source.width == target.width and source.dtype.names == target.dtype.names:
            keep(_quick, key, _QuickByValues(source, target, fit))
        return
    if not (0 < source.step <= SPARSE and 0 < target.step <= SPARSE):
        return
    native = native_for(task)
    if native is not None:
        keep(_quick, key, _QuickConverting(native, source, target, checked))


def convert_into(
    view: memoryview,
    source: AnyLayout,
    out: memoryview,
    target: AnyLayout,
    items: int,
    fit: Fit,
    index: int = 0,
    threads: int | None = None,
) -> None:
    """Convert that many items into zeros; `index` is that of the first, for messages."""
    task = direct_task(source, target, fit)
    checked = None if task is not None else _checked_task(source, target, fit)
    if task is not None or checked is not None:
        data, result = byte_array(view), byte_array(out)
        samples = items * source.per_item
        extent = Extent(data.size, source.offset, result.size, target.offset, samples)
        if task is not None:
            move(data, result, task, extent, threads=threads)
            return
        if checked is not None and move(data, result, checked, extent, 1.0, threads, True):
            return  # else what follows says which sample does not fit
    for first, part, some in parts_of(source, items, target):
        values = unpack(view, part, some)
        groups = first * target.per_item // len(target.fields)
        place = replace(target, offset=target.offset + groups * target.step)
        pack_values(values, place, out, fit, index + first, keep=True)


def check_same_items(source: AnyLayout, target: AnyLayout) -> None:
    """CogenError if items of the layouts have different numbers of samples."""
    if source.per_item != target.per_item:
        raise CogenError(
            f"the source layout has {source.per_item} channels or fields, the target layout "
            f"{target.per_item}"
        )


def direct_task(source: AnyLayout, target: AnyLayout, fit: Fit) -> Task | None:
    """What a kernel from layout to layout does; None if there is none, because values must be
    scaled or checked."""
    clamp = _clamps(source, target, fit)
    if clamp is None:
        return None
    places = (source.offset % 8, target.offset % 8)
    return Task(source.pattern, target.pattern, places, clamp)


def _checked_task(source: AnyLayout, target: AnyLayout, fit: Fit) -> Task | None:
    """What a kernel does that looks whether samples fit, those of the source being elements of an
    array; None if there is none."""
    fields = (*source.fields, *target.fields)
    scaled = source.scale is not None or target.scale is not None
    if fit != "check" or scaled or any(field.float for field in fields) or source.offset % 8:
        return None
    task = Task(source.pattern, target.pattern, (0, target.offset % 8))
    return None if task.fit is None or native_for(task) is None else task


def _convert_rows(
    buffer: object, source: AnyShape, target: AnyShape, fit: Fit, threads: int | None
) -> Array:
    """Convert where one of the layouts is rows."""
    values = unpack(buffer, source, threads=threads)
    inner = target.layout if isinstance(target, Rows) else target
    check_same_items(source.layout if isinstance(source, Rows) else source, inner)
    if not isinstance(target, Rows):
        values = values.reshape(-1, *values.shape[2:])
    elif not isinstance(source, Rows):
        if len(values) % target.width:
            raise CogenError(f"{len(values)} samples make no whole rows of {target.width}")
        values = values.reshape(-1, target.width, *values.shape[1:])
    packed: Array = pack(values, target, None, fit == "wrap", fit == "saturate", threads)
    return packed


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
