"""How values of L0 are laid out in the graph: a type of the source -> leaves and dimensions.

    {int, [{real, [bool]}]}   has the leaves   int, real[d0], bool[d0, d1]

A *leaf* is a scalar or an array of scalars, a node of the graph. A *dimension* is what all arrays
that are parts of one array of the source share. `{}` is one leaf of type cert, so that an array
of them has a size (seed 003, section 4.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cogen.array.ir import graphtypes as types
from cogen.array.ir.graphtypes import Dimension, ScalarType
from cogen.array.l0.types import BOOL, CERT, CHAR, INT, REAL, ArrayType, Basic, TupleType, Type

SCALARS: Final[dict[Type, ScalarType]] = {
    INT: types.INT,
    REAL: types.REAL,
    BOOL: types.BOOL,
    CHAR: types.CHAR,
    CERT: types.CERT,
}
"""The scalars of the graph that hold the basic types."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf: what it holds, and the numbers of its dimensions, outermost first."""

    scalar: ScalarType
    dimensions: tuple[int, ...]

    def type(self, sizes: tuple[Dimension, ...]) -> types.Type:
        """Its type where the value's dimensions have these sizes."""
        return types.array_of(self.scalar, *[sizes[d] for d in self.dimensions])


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of a type, left to right, and how many dimensions there are."""

    leaves: tuple[Leaf, ...]
    dimensions: int


@lru_cache(maxsize=4096)
def leaves_of(t: Type) -> Leaves:
    """The leaves of a type of the source."""
    match t:
        case Basic():
            return Leaves((Leaf(SCALARS[t], ()),), 0)
        case ArrayType():
            inner = leaves_of(t.element)
            return Leaves(
                tuple([_within(leaf, 1, (0,)) for leaf in inner.leaves]), inner.dimensions + 1
            )
        case TupleType():
            if not t.parts:
                return Leaves((Leaf(types.CERT, ()),), 0)
            found: list[Leaf] = []
            count = 0
            for part in t.parts:
                inner = leaves_of(part)
                found.extend([_within(leaf, count, ()) for leaf in inner.leaves])
                count += inner.dimensions
            return Leaves(tuple(found), count)


def _within(leaf: Leaf, shift: int, outer: tuple[int, ...]) -> Leaf:
    """A leaf as part of something larger."""
    return Leaf(leaf.scalar, (*outer, *[d + shift for d in leaf.dimensions]))


@lru_cache(maxsize=4096)
def shapes_of(t: Type) -> tuple[tuple[int, ...], ...]:
    """The shapes that arrays of a type must agree in for an array of them to be regular.

    Each is the numbers of some dimensions, outermost first.
    """
    return tuple(dict.fromkeys(_shapes(t, (), 0)))


def _shapes(t: Type, outer: tuple[int, ...], first: int) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    if isinstance(t, ArrayType):
        while isinstance(t, ArrayType):
            outer, first, t = (*outer, first), first + 1, t.element
        found.append(outer)
    if isinstance(t, TupleType):
        for part in t.parts:
            found.extend(_shapes(part, outer, first))
            first += leaves_of(part).dimensions
    return found
