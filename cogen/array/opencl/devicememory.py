"""The memory of an OpenCL device: buffers, copies to and from it and within it.

Where the device is the processor, buffers lie in memory of the host that the device uses in place
(`USE_HOST_PTR`): arguments are not copied, and a result is the array that a buffer lies in. Other
devices have a pool of buffers that are used again. Elements of a buffer are as wide as the
arithmetic says.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from cogen.array.ir.graphtypes import ScalarType
from cogen.array.ir.marshal import extents
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.l0.runerrors import out_of_memory
from cogen.array.opencl.device import Device
from cogen.array.opencl.hostvalues import (
    DeviceArray,
    HostArray,
    HostCounter,
    HostFill,
    number,
    place,
    python_scalar,
    row_major,
)
from cogen.array.opencl.preamble import RUNTIME
from cogen.backends.ctree.helpers import parts
from cogen.lang.errors import CogenError

ALIGNMENT: Final = 4096
"""Of memory that is shared with the processor's device, in bytes: that of a page."""

MOST_WAITING: Final = 1 << 28
"""So many bytes may be kept because a kernel that was not waited for may use them."""

_WORDS: Final = {1: "uint8_t", 4: "uint32_t", 8: "uint64_t"}
"""What elements of so many bytes are copied as."""

TILE: Final = 16
"""The side of the squares that a transposition goes through in local memory."""


def copy_text() -> str:
    """The kernels that copy arrays with any strides, and transpose, for each size of element."""
    texts: list[str] = []
    for t in _WORDS.values():
        words = {f"{before}TYPE": f"{before}{t}" for before in ("", "copy_", "turn_")}
        words["TILE"] = str(TILE)
        texts += parts(RUNTIME / "copying.cl", words).values()
    return "\n".join(texts)


class Memory:
    """The memory of a device; `program` has the kernels of `copy_text`.

    Calls that use it take turns.
    """

    def __init__(self, device: Device, program: Any, arithmetic: Arithmetic) -> None:
        self.device = device
        self.cl = device.cl
        self.queue = device.queue
        self.program = program
        self.arithmetic = arithmetic
        self._kernels: dict[str, Any] = {}
        self.events: list[Any] | None = None
        """The events of kernels, where somebody wants to know how long they take."""
        self._given: set[int] = set()
        """The addresses of the memory that results of this call own."""
        self._waiting: dict[int, Any] = {}
        self._waiting_bytes = 0
        """Memory of the host that kernels may still use, by identity, and how much was taken since
        these were waited for: it must not be freed before they ran."""
        self._pool: Any = None
        if not device.is_cpu:
            from pyopencl.tools import ImmediateAllocator, MemoryPool

            self._pool = MemoryPool(ImmediateAllocator(device.queue))

    def end(self) -> None:
        """A call is over."""
        self._given.clear()
        self.wait()

    def wait(self) -> None:
        """Wait until the device has done all that it was told."""
        self.queue.finish()
        self._waiting.clear()
        self._waiting_bytes = 0

    def run(
        self, name: str, items: tuple[int, ...], group: tuple[int, ...] | None, *arguments: Any
    ) -> None:
        """Tell the device to run a kernel of the program, for so many items in such groups."""
        event = self.kernel(name)(self.queue, items, group, *arguments)
        if self.events is not None:
            self.events.append(event)
        if self._pool is None:  # what was made before the last wait is used again
            hosts = [one.hostbuf for one in arguments if isinstance(one, self.cl.Buffer)]
            self._waiting.update({id(host): host for host in hosts})

    def kernel(self, name: str) -> Any:
        """A kernel of the program; making one takes longer than running a small one."""
        found = self._kernels.get(name)
        if found is None:
            found = self._kernels[name] = self.cl.Kernel(self.program, name)
        return found

    def dtype(self, element: ScalarType) -> np.dtype[Any]:
        """The dtype of elements."""
        return self.arithmetic.dtype(element.kind)

    # Buffers.

    def new(self, element: ScalarType, shape: Sequence[int]) -> DeviceArray:
        """An array without gaps whose elements are not set."""
        whole = tuple(shape)
        self.can_be(whole)
        buffer = self.buffer(prod(whole) * self.dtype(element).itemsize)
        return DeviceArray(element, buffer, 0, whole, row_major(whole))

    def can_be(self, shape: Sequence[int]) -> None:
        """CogenError unless there can be an array of a shape."""
        if prod(shape) > self.arithmetic.max_elements:
            shown = "x".join(map(str, shape))
            raise CogenError(f"an array of size {shown} is too large")

    def buffer(self, size: int) -> Any:
        """A buffer of so many bytes."""
        size = max(8, size)
        try:
            if self._pool is not None:
                return self._pool.allocate(size)
            return self._shared(_aligned(size), self.cl.mem_flags.READ_WRITE)
        except (self.cl.Error, OverflowError, MemoryError, ValueError):
            raise out_of_memory(None) from None

    def _shared(self, host: np.ndarray[Any, Any], flags: int) -> Any:
        """A buffer in memory of the host."""
        if self._waiting_bytes > MOST_WAITING:
            self.wait()
        self._waiting[id(host)] = host
        self._waiting_bytes += host.nbytes
        flags |= self.cl.mem_flags.USE_HOST_PTR
        return self.cl.Buffer(self.device.context, flags, hostbuf=host)

    def upload(self, array: np.ndarray[Any, Any], element: ScalarType) -> DeviceArray:
        """A NumPy array on the device."""
        host = np.ascontiguousarray(array, self.dtype(element))
        made = self.new(element, array.shape)
        if host.size:
            self.cl.enqueue_copy(self.queue, made.buffer, host)
        return made

    def raw(self, array: np.ndarray[Any, Any]) -> Any:
        """A buffer with what an array holds."""
        if self._pool is None:
            return self._shared(array, self.cl.mem_flags.READ_WRITE)
        made = self.buffer(array.nbytes)
        self.cl.enqueue_copy(self.queue, made, array)
        return made

    def borrow(self, array: np.ndarray[Any, Any], element: ScalarType) -> DeviceArray:
        """The same for reading only: where the device is the processor, nothing is copied."""
        host = np.ascontiguousarray(array, self.dtype(element))
        if self._pool is not None or not host.size:
            return self.upload(host, element)
        buffer = self._shared(host, self.cl.mem_flags.READ_ONLY)
        return DeviceArray(element, buffer, 0, array.shape, row_major(array.shape))

    def keep(self, array: DeviceArray) -> None:
        """What lies in an array's buffer is no result of this call that the host may change."""
        if self._pool is None:
            self._given.add(array.buffer.hostbuf.ctypes.data)

    def is_lent(self, array: DeviceArray) -> bool:
        """Whether an array lies in memory of the host that somebody else may change."""
        return self._pool is None and bool(array.buffer.flags & self.cl.mem_flags.READ_ONLY)

    # To the host.

    def download(self, array: HostArray, own: bool = False) -> np.ndarray[Any, Any]:
        """An array as a NumPy array that nobody changes; with `own`, one of its own."""
        if not isinstance(array, DeviceArray):
            return self.on_host(array)
        source = self.dense(array)
        shape, dtype = extents(array.shape), self.dtype(array.element)
        if 0 in shape:
            return np.empty(shape, dtype)
        size, start = prod(shape) * dtype.itemsize, source.offset * dtype.itemsize
        if self._can_give(source.buffer, size):
            found = self._seen(source.buffer, start, size).view(dtype).reshape(shape)
            if own:
                self._given.add(source.buffer.hostbuf.ctypes.data)
            return found
        found = np.empty(shape, dtype)
        self.cl.enqueue_copy(self.queue, found, source.buffer, src_offset=start)
        return found

    def _can_give(self, buffer: Any, size: int) -> bool:
        """Whether the memory of a buffer may be a result: it is no argument's and no other
        result's, and most of it is needed."""
        if self._pool is not None or buffer.flags & self.cl.mem_flags.READ_ONLY:
            return False
        host = buffer.hostbuf
        return host.nbytes // 8 - ALIGNMENT <= size and host.ctypes.data not in self._given

    def _seen(self, buffer: Any, start: int, size: int) -> np.ndarray[Any, Any]:
        """What the device has stored into the host's memory that a buffer lies in."""
        flags = self.cl.map_flags.READ
        mapped, _ = self.cl.enqueue_map_buffer(self.queue, buffer, flags, start, (size,), np.uint8)
        mapped.base.release(self.queue)
        host: np.ndarray[Any, Any] = buffer.hostbuf
        return host[start : start + size]

    def element(self, array: HostArray, indices: Sequence[int]) -> Any:
        """One element."""
        match array:
            case HostFill():
                return array.value
            case HostCounter():
                return array.start + place(array.strides, indices)
            case DeviceArray():
                found = np.empty(1, self.dtype(array.element))
                start = (array.offset + place(array.strides, indices)) * found.itemsize
                self.cl.enqueue_copy(self.queue, found, array.buffer, src_offset=start)
                return python_scalar(found[0], array.element)

    def set_element(self, array: DeviceArray, indices: Sequence[int], value: Any) -> None:
        """Store one element."""
        made = np.array([number(value)], self.dtype(array.element))
        start = (array.offset + place(array.strides, indices)) * made.itemsize
        self.cl.enqueue_copy(self.queue, array.buffer, made, dst_offset=start)

    def on_host(self, array: HostCounter | HostFill) -> np.ndarray[Any, Any]:
        """The elements of an array that has no buffer."""
        dtype = self.dtype(array.element)
        whole = extents(array.shape)
        self.can_be(whole)
        if isinstance(array, HostFill):
            return np.full(whole, number(array.value), dtype)
        found = np.full(whole, array.start, np.int64)
        for axis, (size, stride) in enumerate(zip(whole, array.strides, strict=True)):
            shape = [1] * len(whole)
            shape[axis] = size
            found += (np.arange(size, dtype=np.int64) * stride).reshape(shape)
        return found.astype(dtype, copy=False)

    # Within the device.

    def dense(self, array: HostArray) -> DeviceArray:
        """The array without gaps on the device; itself where it is so."""
        if isinstance(array, DeviceArray) and array.dense:
            return array
        return self.copy(array)

    def copy(self, array: HostArray) -> DeviceArray:
        """A copy in memory of its own."""
        if not isinstance(array, DeviceArray):
            return self.upload(self.on_host(array), array.element)
        made = self.new(array.element, array.shape)
        self.assign(made, array)
        return made

    def assign(self, target: DeviceArray, source: HostArray) -> None:
        """Copy all elements into an array of the same shape."""
        count = prod(target.shape)
        if not count:
            return
        if not isinstance(source, DeviceArray):
            source = self.upload(self.on_host(source), source.element)
        elif source.buffer is target.buffer and source.offset != target.offset:
            source = self.copy(source)  # they may overlap
        wide = self.device.group >= TILE * TILE
        if wide and target.dense and target.offset == 0 and _is_turned(source):
            self._turn(target, source)
            return
        layout = [len(target.shape)]
        for size, to, start in zip(target.shape, target.strides, source.strides, strict=True):
            layout += [size, to, start]
        described = self.raw(np.array(layout, np.int64))
        name = f"copy_{_WORDS[self.dtype(target.element).itemsize]}"
        self.run(
            name, (count,), None, target.buffer, np.int64(target.offset), source.buffer,
            np.int64(source.offset), described, np.int64(count),
        )  # fmt: skip

    def _turn(self, target: DeviceArray, source: DeviceArray) -> None:
        """Copy an array whose last two dimensions have changed places."""
        *outer, rows, columns = target.shape
        name = f"turn_{_WORDS[self.dtype(target.element).itemsize]}"
        across, along = (-(-rows // TILE) * TILE, -(-columns // TILE) * TILE)
        self.run(
            name, (across, along, prod(outer)), (TILE, TILE, 1), target.buffer,
            source.buffer, np.int64(source.offset), np.int64(rows), np.int64(columns),
        )  # fmt: skip


def _is_turned(array: DeviceArray) -> bool:
    """Whether an array is one without gaps whose last two dimensions have changed places."""
    if len(array.shape) < 2 or array.dense:
        return False
    *outer, rows, columns = array.shape
    *strides, a, b = array.strides
    return (*strides, b, a) == row_major((*outer, columns, rows))


def _aligned(size: int) -> np.ndarray[Any, Any]:
    """So many bytes of the host, from the beginning of a page."""
    whole = np.empty(size + ALIGNMENT, np.uint8)
    start = -whole.ctypes.data % ALIGNMENT
    return whole[start : start + size]
