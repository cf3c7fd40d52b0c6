"""An OpenCL device that interprets the loops of kernels, each access checked; needs no driver.

`device_of(code)` is a device for the kernels of `code`, to be given to a `DeviceProgram`. What the
package `pyopencl` would do is done with arrays of the host; the kernels that only copy are written
here once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cogen.array.loops.interpret import LoopMachine
from cogen.array.loops.items import launch
from cogen.array.loops.memory import MemoryPlace, MemoryRegion
from cogen.array.loops.tree import Kernel, Pointer
from cogen.array.opencl.device import Device
from cogen.array.opencl.deviceprogram import DeviceCode

_COPIED = {"uint8_t": np.uint8, "uint32_t": np.uint32, "uint64_t": np.uint64}


class Error(Exception):
    """No call of this device fails."""


class Flags:
    """The flags that the host asks for."""

    READ_WRITE, READ_ONLY, USE_HOST_PTR, READ = 1, 2, 4, 8


@dataclass
class Buffer:
    context: None
    flags: int
    hostbuf: Any

    def place(self, t: Pointer) -> MemoryPlace:
        return MemoryPlace(MemoryRegion(memoryview(self.hostbuf).cast("B")), 0, t.target)


@dataclass
class LocalMemory:
    size: int


class Queue:
    """Everything is done when it is asked for."""

    def finish(self) -> None:
        """There is nothing to wait for."""


class _Mapped:
    """Memory of the host that is not in use by the device."""

    base: Any

    def __init__(self) -> None:
        self.base = self

    def release(self, queue: Queue) -> None:
        """The host may change it at any time."""


class Cl:
    """What stands for the module `pyopencl`."""

    Error = Error
    mem_flags = map_flags = Flags
    Buffer = Buffer
    LocalMemory = LocalMemory

    def __init__(self, code: DeviceCode) -> None:
        self.code = code
        self.kernels = {kernel.name: kernel for kernel in code.kernels}
        self.ran: set[str] = set()
        """The kernels that were run."""

    def Program(self, context: None, text: str) -> Cl:
        assert all(name in text for name in self.kernels)
        return self

    def build(self, options: Sequence[str]) -> Cl:
        return self

    def Kernel(self, program: Cl, name: str) -> Any:
        kind, _, rest = name.partition("_")
        if kind == "copy" and rest in _COPIED:
            return _copier(np.dtype(_COPIED[rest]))
        if kind == "turn" and rest in _COPIED:
            return _turner(np.dtype(_COPIED[rest]))
        self.ran.add(name)
        return _runner(self.kernels[name], self.code)

    def enqueue_copy(
        self, queue: Queue, to: Any, source: Any, src_offset: int = 0, dst_offset: int = 0
    ) -> None:
        data = _bytes(source)[src_offset:]
        target = _bytes(to)[dst_offset:]
        size = min(len(data), len(target))
        target[:size] = data[:size]

    def enqueue_map_buffer(self, *given: Any) -> tuple[_Mapped, None]:
        return _Mapped(), None


def _bytes(found: Any) -> Any:
    array = found.hostbuf if isinstance(found, Buffer) else found
    return array.reshape(-1).view(np.uint8)


def _runner(kernel: Kernel, code: DeviceCode) -> Any:
    def run(queue: Queue, size: tuple[int], group: tuple[int], *arguments: Any) -> None:
        machine = LoopMachine([], code.prepared.arithmetic)
        given = []
        for parameter, argument in zip(kernel.parameters, arguments, strict=True):
            if isinstance(argument, Buffer):
                assert isinstance(parameter.type, Pointer)
                given.append(argument.place(parameter.type))
            elif isinstance(argument, LocalMemory):
                given.append(argument.size)
            else:
                given.append(None if argument is None else argument.item())
        launch(machine, kernel, size[0], group[0], given)

    return run


def _copier(dtype: Any) -> Any:
    def copy(
        queue: Queue, size: tuple[int], group: None, to: Buffer, to_offset: Any, source: Buffer,
        offset: Any, layout: Buffer, count: Any,
    ) -> None:  # fmt: skip
        rank, *described = layout.hostbuf.view(np.int64).reshape(-1).tolist()
        shape, to_strides, strides = (described[k : 3 * rank : 3] for k in range(3))
        x, y = _bytes(source), _bytes(to)
        x, y = (own[: len(own) // dtype.itemsize * dtype.itemsize].view(dtype) for own in (x, y))
        for index in np.ndindex(*shape):
            at = int(to_offset) + sum(i * s for i, s in zip(index, to_strides, strict=True))
            y[at] = x[int(offset) + sum(i * s for i, s in zip(index, strides, strict=True))]

    return copy


def _turner(dtype: Any) -> Any:
    def turn(
        queue: Queue, size: tuple[int, ...], group: tuple[int, ...], to: Buffer, source: Buffer,
        offset: Any, rows: Any, columns: Any,
    ) -> None:  # fmt: skip
        count = size[2] * int(rows) * int(columns)
        x = _bytes(source).view(dtype)[int(offset) : int(offset) + count]
        turned = x.reshape(size[2], columns, rows).transpose(0, 2, 1)
        _bytes(to)[: count * dtype.itemsize].view(dtype)[:] = turned.reshape(-1)

    return turn


def device_of(code: DeviceCode, group: int = 16, local: int = 1 << 14) -> Device:
    """A device with two units, and work groups of at most so many items."""
    return Device(Cl(code), None, Queue(), "loops", True, 2, group, local)
