"""What the extensions compute, from values to values; see `cogen.array.l0.extensions`.

Each gets the most elements of an array, and the types of its operands and of its result first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final

from cogen.array.l0 import values as v
from cogen.array.l0.extensions import BAD_KEY, BAD_SEGMENT, NO_OFFSETS
from cogen.array.l0.meanings import Applied
from cogen.array.l0.operators import Fault
from cogen.array.l0.types import INT, ArrayType, TupleType, Type
from cogen.array.l0.values import ArrayValue, Value

Types = Sequence[Type]


def _in_buckets(most: int, count: int, keys: ArrayValue, array: ArrayValue) -> list[int]:
    """The keys of an array, if there are as many as elements, and a bucket for each."""
    v.zip_arrays([keys, array])
    v.check_size((count,), most)
    found: list[int] = list(v.rows(keys))  # type: ignore[arg-type]  # ints
    for k in found:
        if not 0 <= k < count:
            raise Fault(BAD_KEY.format(k, count))
    return found


def _bucket_reduce(
    most: int,
    types: Types,
    result: Type,
    f: Applied,
    start: Value,
    count: int,
    keys: ArrayValue,
    array: ArrayValue,
) -> ArrayValue:
    buckets = v.replicate(count, start, types[0], most)
    found = [start] * count
    one = v.build([start], types[0])
    for k, row in zip(_in_buckets(most, count, keys, array), v.rows(array), strict=True):
        found[k] = f(found[k], row)
        v.updated(one, (0,), found[k])  # faults if it is of another size
    if not count:
        return buckets
    return v.with_row_sizes(v.build(found, types[0]), v.sizes(start), most)


def _collected(numbers: Sequence[int], count: int, array: ArrayValue) -> tuple[ArrayValue, Any]:
    """The offsets of groups, and the elements in order of their groups' numbers."""
    offsets = [0] * (count + 1)
    for number in numbers:
        offsets[number + 1] += 1
    for number in range(count):
        offsets[number + 1] += offsets[number]
    order = sorted(range(len(numbers)), key=lambda i: numbers[i])
    return v.build(offsets, INT), v.gather(array, order)


def _bucket_collect(
    most: int, types: Types, result: Type, count: int, keys: ArrayValue, array: ArrayValue
) -> tuple[ArrayValue, ...]:
    v.check_size((count,), most)
    v.check_size((count + 1,), most)
    return _collected(_in_buckets(most, count, keys, array), count, array)


def _group_by(
    most: int, types: Types, result: Type, f: Applied, array: ArrayValue
) -> tuple[ArrayValue, ...]:
    assert isinstance(result, TupleType)
    numbers: dict[Any, int] = {}
    found = [numbers.setdefault(f(row), len(numbers)) for row in v.rows(array)]
    (keys, *_) = result.parts
    assert isinstance(keys, ArrayType)
    return v.build(list(numbers), keys.element), *_collected(found, len(numbers), array)


def _reduce_segments(
    most: int,
    types: Types,
    result: Type,
    f: Applied,
    start: Value,
    offsets: ArrayValue,
    array: ArrayValue,
) -> ArrayValue:
    limits: list[int] = list(v.rows(offsets))  # type: ignore[arg-type]  # ints
    if not limits:
        raise Fault(NO_OFFSETS)
    found = []
    rows = list(v.rows(array))
    for low, high in pairwise(limits):
        if not 0 <= low <= high <= len(rows):
            raise Fault(BAD_SEGMENT.format(low, high, len(rows)))
        total = start
        for row in rows[low:high]:
            total = f(total, row)
        found.append(total)
    return v.build(found, types[0]) if found else v.replicate(0, start, types[0], most)


def _flat_map(most: int, types: Types, result: Type, f: Applied, array: ArrayValue) -> ArrayValue:
    assert isinstance(result, ArrayType)
    found = [part for row in v.rows(array) for part in v.rows(f(row))]
    v.check_size((len(found),), most)
    return v.build(found, result.element)


def _distinct(most: int, types: Types, result: Type, array: ArrayValue) -> ArrayValue:
    assert isinstance(result, ArrayType)
    return v.build(list(dict.fromkeys(v.rows(array))), result.element)


def _scatter(
    most: int,
    types: Types,
    result: Type,
    array: ArrayValue,
    indices: ArrayValue,
    values: ArrayValue,
) -> ArrayValue:
    v.zip_arrays([indices, values])
    for i, value in zip(v.rows(indices), v.rows(values), strict=True):
        assert isinstance(i, int)
        v.check_index(array, (i,))
        array = v.updated(array, (i,), value)
    return array


EXTENSIONS: Final[dict[str, Callable[..., Any]]] = {
    "bucketReduce": _bucket_reduce,
    "bucketCollect": _bucket_collect,
    "groupBy": _group_by,
    "reduceSegments": _reduce_segments,
    "flatMap": _flat_map,
    "distinct": _distinct,
    "scatter": _scatter,
}
