"""Finishes groups, and numbers of keys, on the host: kernels leave the keys of all iterations.

A kernel computes and stores them; here they are sorted, or numbered, by NumPy, where they are more
than kernels count (`cogen.array.opencl.groupkeys`).
"""

from __future__ import annotations

from collections.abc import Sequence
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


def numbered(parts: Sequence[Array]) -> tuple[int, list[Array], Array]:
    """The different tuples as they first occur: how many, which, and the number of each one."""
    codes = np.zeros(len(parts[0]), np.int64)
    for values in parts:
        different, inverse = np.unique(values, return_inverse=True)
        pairs = codes * max(len(different), 1) + inverse.reshape(-1)
        codes = np.unique(pairs, return_inverse=True)[1].reshape(-1)
    _, first = np.unique(codes, return_index=True)
    order = np.argsort(first)
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order))
    found = first[order]
    return len(order), [values[found] for values in parts], numbers[codes]
