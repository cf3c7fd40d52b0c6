"""Elements of NumPy's arrays as Python's values, for the interpreter of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cogen.array.ir.node import Node
from cogen.lang.errors import InternalError


def scalar(value: Any) -> Any:
    """A Python value of an element of an array; rows stay."""
    if isinstance(value, np.generic):
        return chr(int(value)) if value.dtype == np.uint32 else value.item()
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return scalar(value[()])
    return value


def plain(value: Any) -> Any:
    """What NumPy stores for a value."""
    return ord(value) if isinstance(value, str) else value


def check_bounds(node: Node, array: Any, indices: Sequence[int]) -> None:
    """Refuse indices that a certificate should have excluded."""
    for i, size in zip(indices, array.shape, strict=False):
        if not 0 <= i < size:
            raise InternalError(f"{type(node).__name__} {node.number}: {indices} in {array.shape}")
