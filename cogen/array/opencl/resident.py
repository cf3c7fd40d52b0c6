"""Arrays that stay on an OpenCL device between calls: results of `compile("opencl", device=True)`.

    step = program.compile("opencl", device=True)
    y = step(step(x))            y is a Resident; nothing is copied to the host between the calls
    numpy.asarray(y)

A `Resident` never changes. Passed to a program on the same device it is used where it is; other
programs, NumPy and what takes DLPack see it on the host: where the device is the processor that is
the same memory, else a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cogen.array.ir.marshal import LeafValue
from cogen.array.opencl.hostvalues import DeviceArray

if TYPE_CHECKING:
    from cogen.array.opencl.devicememory import Memory


class Resident:
    """An array on a device: its shape, its dtype, and the buffer that it lies in."""

    is_resident = True
    """What those tell it by who do not import this module."""

    def __init__(self, array: DeviceArray, memory: Memory) -> None:
        self.array = array
        self.memory = memory
        self.shape = array.shape
        self.dtype = memory.dtype(array.element)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def buffer(self) -> Any:
        """The buffer of pyopencl, which the array is all of."""
        return self.array.buffer

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape))
        return f"<array of {self.dtype} {shape} on {self.memory.device.name}>"

    def numpy(self) -> np.ndarray[Any, Any]:
        """The array on the host, for reading."""
        found = self.memory.download(self.array).view()
        found.flags.writeable = False
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        found = self.numpy()
        if copy or (dtype is not None and found.dtype != dtype):
            return found.astype(dtype or found.dtype)
        return found

    def __dlpack__(self, **options: Any) -> Any:
        """The array on the host; see `__dlpack_device__`."""
        return self.memory.download(self.array).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The processor: other devices' arrays are copied for DLPack."""
        return 1, 0


class StandIns:
    """Arrays without memory that go through the checks of arguments in place of residents."""

    def __init__(self) -> None:
        self.residents: dict[int, tuple[np.ndarray[Any, Any], Resident]] = {}

    def value(self, value: Any) -> Any:
        """An argument, or what stands for it: also within tuples."""
        if isinstance(value, tuple) and type(value) is tuple:
            return tuple(map(self.value, value))
        if not isinstance(value, Resident):
            return value
        made = np.broadcast_to(np.zeros((), value.dtype), value.shape)
        self.residents[id(made)] = made, value
        return made

    def leaves(self, leaves: Sequence[LeafValue]) -> list[LeafValue] | None:
        """The leaves of arguments, with the residents; None where one of these is not taken as it
        is, but converted."""
        found = [self.residents[id(leaf)][1] if id(leaf) in self.residents else leaf
                 for leaf in leaves]  # fmt: skip
        taken = {id(leaf) for leaf in leaves}
        return found if all(number in taken for number in self.residents) else None


def on_host(value: Any) -> Any:
    """An argument as it is taken elsewhere: also within tuples."""
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(map(on_host, value))
    return value.numpy() if isinstance(value, Resident) else value
