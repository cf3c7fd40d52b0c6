"""Arrays on an OpenCL device as the host sees them.

value ::= int | float | bool | str                   scalars are on the host
    | DeviceArray buffer, offset, shape, strides     elements in a buffer; views share it
    | HostCounter start, shape, strides              iota and its views
    | HostFill value, shape                          equal elements
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from cogen.array.c.nativeprogram import scalar_of
from cogen.array.ir.graphtypes import ScalarType


@dataclass(frozen=True, slots=True, eq=False)
class DeviceArray:
    """Elements of a buffer, from an offset, with strides in elements."""

    element: ScalarType
    buffer: Any
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def dense(self) -> bool:
        return self.strides == row_major(self.shape) or prod(self.shape) == 0


@dataclass(frozen=True, slots=True, eq=False)
class HostCounter:
    """Ints that depend linearly on the indices."""

    element: ScalarType
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class HostFill:
    """Equal elements."""

    element: ScalarType
    value: Any
    shape: tuple[int, ...]


HostArray = DeviceArray | HostCounter | HostFill

Env = dict[object, Any]
"""The values of nodes, by `cogen.array.codegen.frames.key`."""


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of an array without gaps."""
    return tuple([prod(shape[k + 1 :]) for k in range(len(shape))])


def place(strides: Sequence[int], indices: Sequence[int]) -> int:
    return sum([i * s for i, s in zip(indices, strides, strict=False)])


def row(array: HostArray, indices: Sequence[int]) -> HostArray:
    """The row at some indices."""
    rest = array.shape[len(indices) :]
    if isinstance(array, HostFill):
        return replace(array, shape=rest)
    moved, strides = place(array.strides, indices), array.strides[len(indices) :]
    if isinstance(array, HostCounter):
        return replace(array, start=array.start + moved, shape=rest, strides=strides)
    return replace(array, offset=array.offset + moved, shape=rest, strides=strides)


def slice_rows(array: HostArray, start: int, length: int) -> HostArray:
    """Some of the rows."""
    shape = (length, *array.shape[1:])
    if isinstance(array, HostFill):
        return replace(array, shape=shape)
    moved = start * array.strides[0]
    if isinstance(array, HostCounter):
        return replace(array, start=array.start + moved, shape=shape)
    return replace(array, offset=array.offset + moved, shape=shape)


def rearranged(array: HostArray, order: Sequence[int]) -> HostArray:
    """The dimensions in another order."""
    shape = tuple([array.shape[k] for k in order])
    if isinstance(array, HostFill):
        return replace(array, shape=shape)
    return replace(array, shape=shape, strides=tuple([array.strides[k] for k in order]))


def repeated(array: HostArray, size: int) -> HostArray:
    """So many times the same row."""
    shape = (size, *array.shape)
    if isinstance(array, HostFill):
        return replace(array, shape=shape)
    return replace(array, shape=shape, strides=(0, *array.strides))


def number(value: Any) -> Any:
    """A scalar as an array's element."""
    return ord(value) if isinstance(value, str) else value


def python_scalar(value: Any, t: ScalarType) -> Any:
    """An array's element as a scalar."""
    return float(value) if t.kind == "real" else scalar_of(int(value), t.kind)
