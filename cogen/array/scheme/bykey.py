"""Operations by key, on segments and at indices -> the extensions of L0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.types import (
    BOOL,
    CHAR,
    INT,
    REAL,
    ArrayType,
    TupleType,
    Type,
    row_type,
)
from cogen.array.scheme.arraycall import (
    ArrayCall,
    Meaning,
    expected,
    extension,
    initial_value,
    ints,
    like,
)
from cogen.array.scheme.symbolicvalues import (
    Value,
)
from cogen.array.scheme.typetext import show


def _combined(
    op: ArrayCall, function: Value, start: Value, element: Type
) -> tuple[tree.Function, tree.Expression]:
    """The function and the initial value of a reduction of such elements."""
    initial, found = initial_value(op, start, element)
    like(op, found, element, "the initial value")
    combine, result = op.work.function(function, [element, element], op.span, element)
    like(op, result, element, "what the function gives")
    return combine, initial


def _key(op: ArrayCall, t: Type, what: str) -> None:
    parts = t.parts if isinstance(t, TupleType) else (t,)
    for part in parts:
        if isinstance(part, TupleType):
            _key(op, part, what)
        elif part not in (INT, REAL, BOOL, CHAR):
            raise op.error(
                f"{what} must be int, float, bool, char or tuples of these, but are {show(t)}"
            )


def _bucket_reduce(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[4])
    element = row_type(t, 1)
    combine, initial = _combined(op, values[0], values[1], element)
    count, keys = op.integer(values[2]), ints(op, values[3], "the array of keys")
    made = extension(op, "bucketReduce", combine, initial, count, keys, array)
    return op.bind(made, ArrayType(element), "buckets")


def _bucket_collect(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[2])
    count, keys = op.integer(values[0]), ints(op, values[1], "the array of keys")
    made = extension(op, "bucketCollect", None, count, keys, array)
    return op.bind(made, TupleType((ArrayType(INT), t)), "groups")


def _group_by(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[1])
    function, key = op.work.function(values[0], [row_type(t, 1)], op.span)
    _key(op, key, "the keys")
    made = extension(op, "groupBy", function, array)
    return op.bind(made, TupleType((ArrayType(key), ArrayType(INT), t)), "groups")


def _distinct(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    _key(op, row_type(t, 1), "the elements")
    return op.bind(extension(op, "distinct", None, array), t)


def _reduce_segments(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[3])
    element = row_type(t, 1)
    combine, initial = _combined(op, values[0], values[1], element)
    offsets = ints(op, values[2], "the array of offsets")
    made = extension(op, "reduceSegments", combine, initial, offsets, array)
    return op.bind(made, ArrayType(element), "totals")


def _flat_map(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[1])
    function, result = op.work.function(values[0], [row_type(t, 1)], op.span)
    if not isinstance(result, ArrayType):
        raise op.error(f"the function must give an array, but gives {show(result)}", "(array x)")
    if not _is_flat(result.element):
        raise op.error(f"the arrays must have no arrays in them, but are {show(result)}")
    return op.bind(extension(op, "flatMap", function, array), result)


def _is_flat(t: Type) -> bool:
    if isinstance(t, TupleType):
        return all(_is_flat(part) for part in t.parts)
    return not isinstance(t, ArrayType)


def _scatter(op: ArrayCall, values: Sequence[Value]) -> Value:
    """Into a copy, as `array-with`."""
    array, t = op.array(values[0])
    indices = ints(op, values[1], "the array of indices")
    new, found = expected(op, values[2], t)
    like(op, found, t, "the array of new values")
    return op.bind(extension(op, "scatter", None, op.form("copy", array), indices, new), t)


BY_KEY: Final[Mapping[str, Meaning]] = {
    "array-bucket-reduce": (5, 5, _bucket_reduce),
    "array-bucket-collect": (3, 3, _bucket_collect),
    "array-group-by": (2, 2, _group_by),
    "array-reduce-segments": (4, 4, _reduce_segments),
    "array-flat-map": (2, 2, _flat_map),
    "array-distinct": (1, 1, _distinct),
    "array-scatter": (3, 3, _scatter),
}
"""Operations by key, on segments and at indices."""
