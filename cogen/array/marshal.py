"""Values of L0 to the leaves that the graph works on, and back (see `cogen.array.layout`).

A scalar leaf is a Python int, float, bool or str of one character; an array leaf a NumPy array of
the dtype that its arithmetic has. Dimensions are given with the leaves: an array that is empty
still has sizes within.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cogen.array.l0.types import ArrayType, Basic, TupleType, Type
from cogen.array.l0.values import ArrayValue, Value
from cogen.array.layout import leaves_of

LeafValue = Any
"""A scalar, or a NumPy array."""


def extents(sizes: Sequence[int]) -> tuple[int, ...]:
    """The shape of an array that compiled code gives these sizes."""
    return tuple([int(size) for size in sizes])


def to_leaves(value: Value, t: Type) -> tuple[list[LeafValue], list[int]]:
    """The leaves of a value, and the sizes of its dimensions."""
    match t:
        case Basic():
            return [value], []
        case TupleType(parts):
            if not parts:
                return [True], []
            assert isinstance(value, tuple)
            leaves: list[LeafValue] = []
            sizes: list[int] = []
            for part, part_type in zip(value, parts, strict=True):
                found, dimensions = to_leaves(part, part_type)
                leaves.extend(found)
                sizes.extend(dimensions)
            return leaves, sizes
        case ArrayType():
            assert isinstance(value, ArrayValue)
            return _array_leaves(value, t, 0)


def _array_leaves(array: ArrayValue, t: Type, known: int) -> tuple[list[LeafValue], list[int]]:
    """The same for an array whose first dimensions are known already."""
    sizes = list(array.shape[known:])
    while isinstance(t, ArrayType):
        t = t.element
    if not isinstance(t, TupleType):
        return [array.content], sizes
    if not t.parts:
        return [np.ones(array.shape, np.bool_)], sizes
    assert isinstance(array.content, tuple)
    leaves: list[LeafValue] = []
    for part, part_type in zip(array.content, t.parts, strict=True):
        found, dimensions = _array_leaves(part, part_type, len(array.shape))
        leaves.extend(found)
        sizes.extend(dimensions)
    return leaves, sizes


def from_leaves(leaves: Sequence[LeafValue], t: Type) -> Value:
    """The value of a type that some leaves are."""
    match t:
        case Basic():
            return leaves[0]  # type: ignore[no-any-return]  # a scalar
        case TupleType(parts):
            found = []
            for part in parts:
                count = len(leaves_of(part).leaves)
                found.append(from_leaves(leaves[:count], part))
                leaves = leaves[count:]
            return tuple(found)
        case ArrayType():
            return _from_arrays(leaves, t, 0)


def _from_arrays(leaves: Sequence[LeafValue], t: Type, outer: int) -> ArrayValue:
    """An array of `outer` dimensions and those of a type."""
    while isinstance(t, ArrayType):
        outer, t = outer + 1, t.element
    shape = tuple(leaves[0].shape[:outer])
    if not isinstance(t, TupleType):
        return ArrayValue(shape, leaves[0])
    parts = []
    for part in t.parts:
        count = len(leaves_of(part).leaves)
        parts.append(_from_arrays(leaves[:count], part, outer))
        leaves = leaves[count:]
    return ArrayValue(shape, tuple(parts))
