"""Values of L0 to the leaves that the graph works on, and back (see `cogen.array.ir.layout`).

A scalar leaf is a Python int, float, bool or str of one character; an array leaf a NumPy array of
the dtype that its arithmetic has. Dimensions are given with the leaves: an array that is empty
still has sizes within.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cogen.array.ir.layout import leaves_of
from cogen.array.l0.storage import Fit, Storage, storage_of, unpacked
from cogen.array.l0.types import ArrayType, Basic, TupleType, Type, has_packed, packed_layout
from cogen.array.l0.values import ArrayValue, PackedValue, Value

LeafValue = Any
"""A scalar, a NumPy array, or a `PackedLeaf`."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedLeaf:
    """A leaf of an array that is stored packed: the bytes, which all its leaves share."""

    storage: Storage
    data: np.ndarray[Any, Any]
    number: int
    count: int

    def array(self) -> np.ndarray[Any, Any]:
        """Its elements in memory."""
        return self.storage.unpack(self.data)[self.number][: self.count]


def outside(value: Value, t: Type) -> Value:
    """A value of a program as one of the declared type: what that stores packed is packed."""
    layout = packed_layout(t)
    if layout is not None:
        assert isinstance(value, ArrayValue)
        leaves = _array_leaves(value, unpacked(t), 0)[0]
        return _packed(storage_of(layout), layout, leaves)
    if isinstance(t, TupleType) and has_packed(t):
        assert isinstance(value, tuple)
        return tuple([outside(v, part) for v, part in zip(value, t.parts, strict=True)])
    return value


def inside(value: Value, t: Type) -> Value:
    """A value of a declared type as one of a program: what is packed is unpacked."""
    if isinstance(value, PackedValue):
        assert isinstance(value.content, np.ndarray)
        leaves = [a[: len(value)] for a in storage_of(value.layout).unpack(value.content)]
        return from_leaves(leaves, unpacked(t))
    if isinstance(t, TupleType) and has_packed(t):
        assert isinstance(value, tuple)
        return tuple([inside(v, part) for v, part in zip(value, t.parts, strict=True)])
    return value


def _packed(storage: Storage, layout: str, leaves: Sequence[LeafValue]) -> PackedValue:
    count = len(leaves[0])
    scaled = storage.leaves[0].scale is not None and storage.leaves[0].kind != "float"
    fit: Fit = "saturate" if scaled else "wrap"  # floats have no low bits of great numbers
    data = np.frombuffer(storage.pack(list(leaves), fit), np.uint8)
    return PackedValue((count,), data, layout)


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
            if isinstance(value, PackedValue):
                return _packed_leaves(value)
            return _array_leaves(value, t, 0)


def _packed_leaves(value: PackedValue) -> tuple[list[LeafValue], list[int]]:
    storage, count = storage_of(value.layout), len(value)
    assert isinstance(value.content, np.ndarray)
    data = value.content
    return [PackedLeaf(storage, data, k, count) for k in range(len(storage.leaves))], [count]


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
    """The value of a type that some leaves are.  What is declared to be packed is so already, and
    its first leaf has it, or its leaves are packed now."""
    layout = packed_layout(t)
    if layout is not None:
        first = leaves[0]
        return first if isinstance(first, PackedValue) else _packed(
            storage_of(layout), layout, leaves
        )  # fmt: skip
    match t:
        case Basic():
            return leaves[0]  # type: ignore[no-any-return]  # a scalar
        case TupleType(parts):
            found = []
            for part in parts:
                count = len(leaves_of(unpacked(part)).leaves)
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
