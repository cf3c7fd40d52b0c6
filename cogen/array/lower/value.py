"""Values of the source while a program is lowered: leaves, and the sizes of their dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cogen.array.ir.layout import leaves_of
from cogen.array.ir.node import (
    Node,
    Parameter,
)
from cogen.array.l0.types import ArrayType, TupleType, Type


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a type of the source (see `cogen.array.ir.layout`).

    `sizes` has one size for each dimension. A leaf's own type may name other atoms: sizes that
    were asserted to be equal.
    """

    type: Type
    leaves: tuple[Node, ...]
    sizes: tuple[Node, ...] = ()

    @property
    def leaf(self) -> Node:
        """The only leaf."""
        (leaf,) = self.leaves
        return leaf

    @property
    def parameters(self) -> list[Parameter]:
        """The leaves, where they are parameters."""
        return [leaf for leaf in self.leaves if isinstance(leaf, Parameter)]

    @property
    def rank(self) -> int:
        """The number of its own dimensions, which come first among the sizes."""
        count, t = 0, self.type
        while isinstance(t, ArrayType):
            count, t = count + 1, t.element
        return count

    @property
    def shape(self) -> tuple[Node, ...]:
        """The sizes of its own dimensions."""
        return self.sizes[: self.rank]


def tuple_of(values: Sequence[Value]) -> Value:
    """The tuple of some values; at least one."""
    return Value(
        TupleType(tuple([value.type for value in values])),
        tuple([leaf for value in values for leaf in value.leaves]),
        tuple([size for value in values for size in value.sizes]),
    )


def parts_of(value: Value) -> list[Value]:
    """The parts of a tuple."""
    assert isinstance(value.type, TupleType)
    return _divided(value, value.type, 0)


def unzipped(value: Value) -> Value:
    """The tuple of arrays that an array of tuples is."""
    assert isinstance(value.type, ArrayType)
    element = value.type.element
    assert isinstance(element, TupleType)
    if not element.parts:
        return Value(element, value.leaves[:1])
    parts = [
        Value(ArrayType(part.type), part.leaves, (value.sizes[0], *part.sizes))
        for part in _divided(value, element, 1)
    ]
    return tuple_of(parts)


def zipped(arrays: Sequence[Value], size: Node) -> Value:
    """The array of tuples of elements of arrays, of which there are `size`."""
    elements = []
    for array in arrays:
        assert isinstance(array.type, ArrayType)
        elements.append(array.type.element)
    return Value(
        ArrayType(TupleType(tuple(elements))),
        tuple([leaf for array in arrays for leaf in array.leaves]),
        (size, *[n for array in arrays for n in array.sizes[1:]]),
    )


def _divided(value: Value, t: TupleType, dimension: int) -> list[Value]:
    """The parts of a tuple type, their leaves and their sizes from a dimension on."""
    found: list[Value] = []
    leaf = 0
    for part in t.parts:
        shape = leaves_of(part)
        leaves = value.leaves[leaf : leaf + len(shape.leaves)]
        sizes = value.sizes[dimension : dimension + shape.dimensions]
        found.append(Value(part, leaves, sizes))
        leaf += len(shape.leaves)
        dimension += shape.dimensions
    return found
