"""NumPy's dtypes as types of array programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from cogen.array.l0.types import BOOL, INT, REAL, Basic
from cogen.staging.sourceplaces import cannot, fail


def type_of_dtype(dtype: Any) -> tuple[Basic, tuple[int, bool] | None]:
    """The type of a dtype of NumPy's, and bits and sign where ints wrap around in fewer than 64."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        fail(f"this is no dtype of numbers: {dtype!r}")
    if found.kind == "b":
        return BOOL, None
    if found == np.float64:
        return REAL, None
    if found == np.int64:
        return INT, None
    if found.kind in "iu" and found.itemsize < 8:
        return INT, (found.itemsize * 8, found.kind == "i")
    cannot(
        f"array programs have no {found}",
        "they compute with int64, float64 and bool; cogen.store gives results other storage",
    )
