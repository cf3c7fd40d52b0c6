"""Arrays on an OpenCL device as the host sees them, and how they are copied.

value ::= int | float | bool | str                   scalars are on the host
    | DeviceArray buffer, offset, shape, strides     elements in a buffer; views share it
    | HostCounter start, shape, strides              iota and its views
    | HostFill value, shape                          equal elements
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Final

import numpy as np

from cogen.array.codegen.device import Device
from cogen.array.codegen.emitter import C_TYPES, OUT_OF_MEMORY
from cogen.array.codegen.native import scalar_of
from cogen.array.marshal import NUMPY, extents
from cogen.array.types import Scalar
from lang.errors import CogenError


@dataclass(frozen=True, slots=True, eq=False)
class DeviceArray:
    """Elements of a buffer, from an offset, with strides in elements."""

    element: Scalar
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

    element: Scalar
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class HostFill:
    """Equal elements."""

    element: Scalar
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


def copy_text() -> str:
    """The kernels that copy arrays with any strides, for each size of element."""
    return "\n".join([_COPY.replace("TYPE", t) for t in dict.fromkeys(C_TYPES.values())])


_COPY: Final = """\
/* y[i, ...] = x[i, ...]; the layout has the rank, then of each dimension its size, and the strides
   of y and x. */
__kernel void copy_TYPE(__global TYPE *y, const int64_t y_offset, __global const TYPE *x,
                        const int64_t x_offset, __global const int64_t *layout,
                        const int64_t count)
{
    int64_t at = get_global_id(0);
    if (at >= count) {
        return;
    }
    int64_t to = y_offset;
    int64_t from = x_offset;
    for (int64_t k = layout[0] - 1; k >= 0; k--) {
        const int64_t index = at % layout[1 + 3 * k];
        at /= layout[1 + 3 * k];
        to += index * layout[2 + 3 * k];
        from += index * layout[3 + 3 * k];
    }
    y[to] = x[from];
}
"""


class Memory:
    """The memory of a device, and copies within it; `program` has the kernels of `copy_text`."""

    def __init__(self, device: Device, program: Any) -> None:
        self.device = device
        self.cl = device.cl
        self.queue = device.queue
        self.program = program

    def new(self, element: Scalar, shape: Sequence[int]) -> DeviceArray:
        """An array without gaps whose elements are not set."""
        whole = tuple(shape)
        buffer = self.buffer(prod(whole) * NUMPY[element].itemsize)
        return DeviceArray(element, buffer, 0, whole, row_major(whole))

    def buffer(self, size: int) -> Any:
        """A buffer of so many bytes."""
        try:
            return self.cl.Buffer(self.device.context, self.cl.mem_flags.READ_WRITE, max(8, size))
        except (self.cl.Error, OverflowError, MemoryError):
            raise CogenError(OUT_OF_MEMORY) from None

    def upload(self, array: np.ndarray[Any, Any], element: Scalar) -> DeviceArray:
        """A NumPy array on the device."""
        host = np.ascontiguousarray(array, NUMPY[element])
        made = self.new(element, array.shape)
        if host.size:
            self.cl.enqueue_copy(self.queue, made.buffer, host)
        return made

    def borrow(self, array: np.ndarray[Any, Any], element: Scalar) -> DeviceArray:
        """The same for reading only: where the device is the processor, nothing is copied."""
        host = np.ascontiguousarray(array, NUMPY[element])
        if not self.device.is_cpu or not host.size:
            return self.upload(host, element)
        flags = self.cl.mem_flags.READ_ONLY | self.cl.mem_flags.USE_HOST_PTR
        buffer = self.cl.Buffer(self.device.context, flags, hostbuf=host)
        return DeviceArray(element, buffer, 0, array.shape, row_major(array.shape))

    def download(self, array: HostArray) -> np.ndarray[Any, Any]:
        """An array as a NumPy array of its own."""
        if not isinstance(array, DeviceArray):
            return _on_host(array)
        source = self.dense(array)
        found = np.empty(extents(array.shape), NUMPY[array.element])
        if found.size:
            start = source.offset * found.itemsize
            self.cl.enqueue_copy(self.queue, found, source.buffer, src_offset=start)
        return found

    def dense(self, array: HostArray) -> DeviceArray:
        """The array without gaps on the device; itself where it is so."""
        if isinstance(array, DeviceArray) and array.dense:
            return array
        return self.copy(array)

    def copy(self, array: HostArray) -> DeviceArray:
        """A copy in memory of its own."""
        if not isinstance(array, DeviceArray):
            return self.upload(_on_host(array), array.element)
        made = self.new(array.element, array.shape)
        self.assign(made, array)
        return made

    def assign(self, target: DeviceArray, source: HostArray) -> None:
        """Copy all elements into an array of the same shape."""
        count = prod(target.shape)
        if not count:
            return
        if not isinstance(source, DeviceArray):
            source = self.upload(_on_host(source), source.element)
        elif source.buffer is target.buffer and source.offset != target.offset:
            source = self.copy(source)  # they may overlap
        layout = [len(target.shape)]
        for size, to, start in zip(target.shape, target.strides, source.strides, strict=True):
            layout += [size, to, start]
        described = self.upload(np.array(layout, np.int64), Scalar("int", 64))
        kernel = self.cl.Kernel(self.program, f"copy_{C_TYPES[target.element.kind]}")
        kernel(
            self.queue, (count,), None, target.buffer, np.int64(target.offset), source.buffer,
            np.int64(source.offset), described.buffer, np.int64(count),
        )  # fmt: skip

    def element(self, array: HostArray, indices: Sequence[int]) -> Any:
        """One element."""
        match array:
            case HostFill():
                return array.value
            case HostCounter():
                return array.start + place(array.strides, indices)
            case DeviceArray():
                found = np.empty(1, NUMPY[array.element])
                start = (array.offset + place(array.strides, indices)) * found.itemsize
                self.cl.enqueue_copy(self.queue, found, array.buffer, src_offset=start)
                return python_scalar(found[0], array.element)

    def set_element(self, array: DeviceArray, indices: Sequence[int], value: Any) -> None:
        """Store one element."""
        made = np.array([number(value)], NUMPY[array.element])
        start = (array.offset + place(array.strides, indices)) * made.itemsize
        self.cl.enqueue_copy(self.queue, array.buffer, made, dst_offset=start)


def number(value: Any) -> Any:
    """A scalar as an array's element."""
    return ord(value) if isinstance(value, str) else value


def python_scalar(value: Any, t: Scalar) -> Any:
    """An array's element as a scalar."""
    return float(value) if t.kind == "real" else scalar_of(int(value), t)


def _on_host(array: HostCounter | HostFill) -> np.ndarray[Any, Any]:
    dtype = NUMPY[array.element]
    whole = extents(array.shape)
    if isinstance(array, HostFill):
        return np.full(whole, number(array.value), dtype)
    found = np.full(whole, array.start, np.int64)
    for axis, (size, stride) in enumerate(zip(whole, array.strides, strict=True)):
        shape = [1] * len(whole)
        shape[axis] = size
        found += (np.arange(size, dtype=np.int64) * stride).reshape(shape)
    return found
