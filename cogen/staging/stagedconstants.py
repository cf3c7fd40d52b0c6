"""Known arrays as constants of the program."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, INT, REAL, Basic, array_of
from cogen.array.scheme.symbolicvalues import SymbolicName, SymbolicNumber
from cogen.staging.sourceplaces import cannot
from cogen.staging.stagedexpressions import constant
from cogen.staging.stagedscalars import DTYPES
from cogen.staging.tracer import current

KINDS: Final = {"b": BOOL, "i": INT, "u": INT, "f": REAL}
"""The types of elements by the kinds of NumPy's dtypes."""


MOST_CONSTANTS: Final = 1 << 16
"""Elements of a known array that become part of a program."""


def constant_array(values: np.ndarray[Any, Any]) -> SymbolicName:
    """A known array as a constant of the program."""
    tracer = current()
    element = KINDS.get(values.dtype.kind)
    if element is None or values.dtype.names:
        cannot(f"array programs have no arrays of {values.dtype}", "numbers and truth values")
    array = np.ascontiguousarray(values, DTYPES[element])
    key = array.shape, element, array.tobytes()
    found = tracer.constants.get(key)
    if found is None:
        with tracer.at_head():
            e = _constant(array, element)
            found = tracer.bind(e, array_of(element, array.ndim), "constants")
        tracer.constants[key] = found
    assert isinstance(found, SymbolicName)
    return found


def _constant(array: np.ndarray[Any, Any], element: Basic) -> tree.Expression:
    tracer = current()
    place = tracer.place

    def number(x: Any) -> tree.Expression:
        return tracer.expression(SymbolicNumber(x.item(), element))

    if array.size and _is_uniform(array):
        e = number(array.flat[0])
        for n in reversed(array.shape):
            e = tree.Form(place, "replicate", (constant(n), e))
        return e
    if array.ndim == 1 and element == INT and np.array_equal(array, np.arange(len(array))):
        return tree.Form(place, "iota", (constant(len(array)),))
    if array.size > MOST_CONSTANTS:
        cannot(
            f"a known array of {array.size} elements would become part of the program",
            "pass it as a parameter",
        )
    if not array.size:
        empty: tree.Expression = tree.Empty(place, element)
        if array.ndim > 1:
            empty = tree.ReshapeExpression(place, tuple([constant(n) for n in array.shape]), empty)
        return empty

    def rows(part: np.ndarray[Any, Any]) -> tree.Expression:
        made = [rows(row) if part.ndim > 1 else number(row) for row in part]
        return tree.ArrayExpression(place, tuple(made))

    return rows(array)


def _is_uniform(array: np.ndarray[Any, Any]) -> bool:
    flat = array.ravel()
    same = flat.view(np.int64) if flat.dtype.itemsize == 8 else flat
    return bool((same == same[0]).all())
