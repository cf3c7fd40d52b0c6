"""The types of the array graph: scalars, and arrays of scalars with sizes that are values.

    t ::= s                      scalars: int real bool char cert, with a width in bits
        | s[n, ...]              arrays: an element and one size for each dimension
    n ::= atom                   a node of the graph that is an int: a constant, ...
        | own(i), own(i) + k     in the result types of a node with several results: result i, and
                                 what is more by a constant

There are no tuples: an array of tuples is several arrays (seed 003, section 4.1). Types are
values: equal when their sizes are the same nodes, so two arrays of equal type agree in size in
every run. `cert` is the type of certificates, which are there only to be depended upon; it has
no content.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


class SizeAtom:
    """What can be a size: a node of the graph (`cogen.array.ir.node.Node`); compared by
    identity."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Own:
    """In the result types of a node with several results: the value of its result `index`, and
    `more`."""

    index: int
    more: int = 0

    def of(self, other: Own) -> Own:
        """The same size, where this result is another one."""
        return Own(other.index, self.more + other.more)


Dimension = SizeAtom | Own


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A type without structure; `kind` is int, real, bool, char, cert or none."""

    kind: str
    bits: int


@dataclass(frozen=True, slots=True)
class GraphArray:
    """An array of scalars of at least one dimension; the outermost size comes first."""

    element: ScalarType
    shape: tuple[Dimension, ...]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)


Type = ScalarType | GraphArray

INT: Final = ScalarType("int", 64)
REAL: Final = ScalarType("real", 64)
BOOL: Final = ScalarType("bool", 8)
CHAR: Final = ScalarType("char", 32)
CERT: Final = ScalarType("cert", 0)
NONE: Final = ScalarType("none", 0)
"""The type of nodes that have no value of their own: those with several results, and traces."""


def rank(t: Type) -> int:
    """The number of dimensions; 0 for a scalar."""
    return t.rank if isinstance(t, GraphArray) else 0


def element(t: Type) -> ScalarType:
    """The scalars that an array holds; a scalar itself."""
    return t.element if isinstance(t, GraphArray) else t


def shape(t: Type) -> tuple[Dimension, ...]:
    """The sizes of an array; none for a scalar."""
    return t.shape if isinstance(t, GraphArray) else ()


def row(t: Type, indices: int = 1) -> Type:
    """The type of what so many indices, at most the rank, leave of an array."""
    rest = shape(t)[indices:]
    return GraphArray(element(t), rest) if rest else element(t)


def array_of(t: Type, *sizes: Dimension) -> Type:
    """The type of an array whose elements or rows are `t`; `t` if there are no sizes."""
    whole = (*sizes, *shape(t))
    return GraphArray(element(t), whole) if whole else t
