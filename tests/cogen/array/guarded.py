"""Runs random programs on an OpenCL device whose buffers end where a page ends that none may touch.

    python -m tests.cogen.array.guarded FIRST LAST      the seeds of the programs

A kernel that reads or writes past the end of a buffer ends the process.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from random import Random
from typing import Any, Final

import numpy as np

from cogen.array import loads
from cogen.array.opencl import devicememory
from tests.cogen.array.randomarrays import arguments, program
from tests.cogen.array.targets import Ways, same

PAGE: Final = mmap.PAGESIZE
LIBC: Final = ctypes.CDLL(None, use_errno=True)


def guarded(size: int) -> np.ndarray[Any, Any]:
    """So many bytes up to the end of a page, after which comes one that may not be touched."""
    end = -(-max(size, 1) // PAGE) * PAGE
    whole = np.frombuffer(mmap.mmap(-1, end + PAGE), np.uint8)
    if LIBC.mprotect(ctypes.c_void_p(whole.ctypes.data + end), PAGE, 0):
        raise OSError(ctypes.get_errno(), "mprotect")
    return whole[end - size : end]


def at_end(value: Any) -> Any:
    """An argument, moved to such a place if it is an array."""
    if not isinstance(value, np.ndarray):
        return value
    moved = guarded(value.nbytes).view(value.dtype).reshape(value.shape)
    moved[...] = value
    return moved


def main(first: int, last: int) -> None:
    devicememory._aligned = guarded
    for seed in range(first, last):
        random = Random(seed)
        source = loads(program(random))
        ways = Ways(source)
        for large in (0, 50, 41):
            values = [at_end(value) for value in arguments(random, large)]
            expected = source.run(*values)
            for way in ("opencl", "lanes"):
                assert same(ways(way)(*values), expected), (seed, large, way)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
