"""Elements of staged arrays: what `a[...]` gives, and what assigning to it does.

a[i], a[i, j]           an element, or a row (a view)
a[1:-1, ::2]            a part (a view)
a[mask], a[indices]     elements that are chosen, as a new array
a[...] = x              the array with other elements; in a run, in its memory
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cogen.staging.stagedarrays import INDEXING, Array, View, as_array
from cogen.staging.stagedassigning import assign, put_part
from cogen.staging.stagedindices import IndexSlice, index_items, is_known_index
from cogen.staging.stagedreading import chosen_elements, element_at, now_of, taken_part
from cogen.staging.stagedscalars import (
    Scalar,
)


def get(a: Array, index: Any) -> Any:
    """What `a[index]` is."""
    if a.known is not None and is_known_index(index):
        found = a.known[index]
        if not isinstance(found, np.ndarray):
            return found
        if isinstance(index, np.ndarray | list):
            return as_array(found)
    items = index_items(a, index)
    arrays = [x for x in items if isinstance(x, Array)]
    if arrays:
        return chosen_elements(a, items, arrays)
    if all(isinstance(x, int | Scalar) for x in items):
        return element_at(a, items)
    if not any(x is None for x in items) and all(
        isinstance(x, IndexSlice) and x.whole for x in items
    ):
        return View(
            a, lambda: now_of(a), lambda v: assign(a, Ellipsis, v), a.element, a.ndim, a.ones
        )
    ndim = len([x for x in items if not isinstance(x, int | Scalar)])
    ones = _ones(a, items)
    return View(
        a, lambda: taken_part(a, items), lambda v: put_part(a, items, v), a.element, ndim, ones
    )


def _ones(a: Array, items: Sequence[Any]) -> tuple[bool, ...]:
    found: list[bool] = []
    dimension = 0
    for x in items:
        if x is None:
            found.append(True)
            continue
        if isinstance(x, IndexSlice):
            found.append(a.ones[dimension] if x.whole else x.one)
        dimension += 1
    return tuple(found)


INDEXING["get"] = get
INDEXING["set"] = assign
