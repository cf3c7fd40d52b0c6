"""Finishes on the host what kernels leave of Group and Distinct: the keys of all iterations.

A kernel computes and stores them; here they are sorted, or numbered, by NumPy.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

SMALL: Final = 1 << 16
"""Fewer keys than these are sorted by counting."""

Array = np.ndarray[Any, np.dtype[Any]]


def grouped(keys: Array, limits: int) -> tuple[Array, Array]:
    """Where each key's iterations begin, and the iterations in the order of their keys."""
    offsets = np.zeros(limits, np.int64)
    np.cumsum(np.bincount(keys, minlength=limits - 1), out=offsets[1:])
    narrow = keys.astype(np.uint16) if limits <= SMALL else keys
    return offsets, np.argsort(narrow, kind="stable").astype(np.int64)


def numbered(values: Array) -> tuple[int, Array, Array]:
    """The different values as they first occur: how many, which, and the number of each one."""
    different, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order))
    return len(order), different[order], numbers[inverse.reshape(-1)]
