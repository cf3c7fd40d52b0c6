"""The types of L0, and how arrays of tuples are laid out.

    t ::= int | real | bool | char | cert      basic types
        | {t, ...}                             tuples
        | x                                    declared records and unions: tuples with names
        | [t] | *[t]                           arrays, and arrays declared unique
        | [packed "layout"]                    stored packed, outside of the program

Types are values: equal when written alike. `same_type` ignores uniqueness, which
`cogen.array.l0.uniqueness` checks. An array of tuples is a tuple of arrays (seed 003, section
4.1): `flatten` gives the types of its parts, the *leaves* of a type, and

    len(flatten({t, ...})) == sum of len(flatten(t))       flatten([t]) has as many leaves as t
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache
from typing import Final

from cogen.array.l0.literals import escape
from cogen.lang.errors import LimitationError, Span
from cogen.lang.node import leaf

MAX_DIMENSIONS: Final = 32
"""How many dimensions an array may have, tuples within it counted through: NumPy's least limit."""

QUOTE: Final = '"'

MAX_DEPTH: Final = 100
"""How deeply a type may be nested."""


@leaf
class Basic:
    """A type without structure."""

    name: str

    depth = 0
    dimensions = 0
    starred = False


@leaf
class PackedElements(Basic):
    """The elements of an array that is stored packed (`cogen.array.l0.storage`), by their layout:
    only in declared types. Within a program they are of the type that the layout says."""

    layout: str


@leaf
class ArrayType:
    """An array of elements (rows); `unique` where a declaration says `*`."""

    element: Type
    unique: bool = False
    depth: int = field(init=False, compare=False, repr=False)
    dimensions: int = field(init=False, compare=False, repr=False)
    starred: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", self.element.depth + 1)
        object.__setattr__(self, "dimensions", self.element.dimensions + 1)
        object.__setattr__(self, "starred", self.unique or self.element.starred)


@leaf
class TupleType:
    """A tuple of any number of parts."""

    parts: tuple[Type, ...]
    depth: int = field(init=False, compare=False, repr=False)
    dimensions: int = field(init=False, compare=False, repr=False)
    starred: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        depth = max([part.depth for part in self.parts], default=0)
        object.__setattr__(self, "depth", depth + 1)
        dimensions = max([part.dimensions for part in self.parts], default=0)
        object.__setattr__(self, "dimensions", dimensions)
        object.__setattr__(self, "starred", any(part.starred for part in self.parts))


Type = Basic | ArrayType | TupleType


@leaf
class CaseType:
    """One case of a record or a union: its fields, and the parts of the tuple that have them."""

    name: str
    fields: tuple[str, ...]
    types: tuple[Type, ...]
    places: tuple[int, ...]


@leaf
class NamedTupleType(TupleType):
    """A tuple whose parts have names: equal only to the record of the same declaration.

    All that knows tuples knows records by their parts; `plain` leaves the names out.
    """

    name: str
    names: tuple[str, ...]

    @property
    def cases(self) -> tuple[CaseType, ...]:
        return (CaseType(self.name, self.names, self.parts, tuple(range(len(self.names)))),)


@leaf
class UnionType(TupleType):
    """One of several cases: a tuple of the case's number, and of the fields of all cases.

    A field that has one name and type in several cases is one part.  Parts that a case does not
    have hold `NULLS`, and arrays without elements.
    """

    name: str
    names: tuple[str, ...]
    """Those of the parts, of which the first is the number."""
    cases: tuple[CaseType, ...]


Declared = NamedTupleType | UnionType
"""What a program declares."""


def union_type(name: str, cases: Sequence[tuple[str, Sequence[tuple[str, Type]]]]) -> UnionType:
    """The union of cases with fields.

    `a {int id, real x} | b {int id, bool x}` has the parts case, id, x of a, x of b.
    """
    parts: list[tuple[str, Type]] = [("case", INT)]
    found = []
    for case, fields in cases:
        for part in fields:
            if part not in parts[1:]:
                parts.append(part)
        places = tuple([parts.index(part, 1) for part in fields])
        found.append(
            CaseType(case, tuple([f for f, _ in fields]), tuple([t for _, t in fields]), places)
        )
    types = tuple([t for _, t in parts])
    return UnionType(types, name, tuple([part for part, _ in parts]), tuple(found))


@lru_cache(maxsize=4096)
def plain(t: Type) -> Type:
    """The type with tuples for records and unions."""
    match t:
        case Basic():
            return t
        case ArrayType():
            return ArrayType(plain(t.element), t.unique)
        case TupleType():
            return TupleType(tuple([plain(part) for part in t.parts]))


def has_names(t: Type) -> bool:
    """Whether there is a record or a union anywhere in the type."""
    return plain(t) != t


def packed_array(layout: str) -> ArrayType:
    """The type of an array that is stored packed."""
    return ArrayType(PackedElements(f"packed {escape(layout, QUOTE)}", layout))


def packed_layout(t: Type) -> str | None:
    """The layout of an array that is stored packed; None of all else."""
    if isinstance(t, ArrayType) and isinstance(t.element, PackedElements):
        return t.element.layout
    return None


def has_packed(t: Type) -> bool:
    """Whether anything in a declared type is stored packed."""
    match t:
        case Basic():
            return isinstance(t, PackedElements)
        case ArrayType():
            return has_packed(t.element)
        case TupleType():
            return any(map(has_packed, t.parts))


def limit_type(t: Type, span: Span) -> Type:
    """The type, if it is within the limits.  LimitationError if it is not."""
    if t.dimensions > MAX_DIMENSIONS:
        raise LimitationError(f"an array has at most {MAX_DIMENSIONS} dimensions", span)
    if t.depth > MAX_DEPTH:
        raise LimitationError(f"a type is nested at most {MAX_DEPTH} levels deep", span)
    return t


INT: Final = Basic("int")
REAL: Final = Basic("real")
BOOL: Final = Basic("bool")
CHAR: Final = Basic("char")
CERT: Final = Basic("cert")
STRING: Final = ArrayType(CHAR)

NULLS: Final[dict[Type, int | float | bool | str]] = {
    INT: 0, REAL: 0.0, BOOL: False, CHAR: "\0", CERT: True
}  # fmt: skip
"""What stands in the parts of a union that a case does not have."""

BASIC_TYPES: Final = {t.name: t for t in (INT, REAL, BOOL, CHAR, CERT)}


def show_type(t: Type) -> str:
    """The type as programs write it."""
    match t:
        case Basic():
            return t.name
        case ArrayType():
            return f"{'*' if t.unique else ''}[{show_type(t.element)}]"
        case NamedTupleType() | UnionType():
            return t.name
        case TupleType():
            return "{" + ", ".join([show_type(part) for part in t.parts]) + "}"


def show_case(case: CaseType) -> str:
    """A record's or a case's name and fields as programs declare them."""
    fields = zip(case.types, case.fields, strict=True)
    return f"{case.name} {{{', '.join([f'{show_type(t)} {name}' for t, name in fields])}}}"


@lru_cache(maxsize=4096)
def without_uniqueness(t: Type) -> Type:
    """The type with every `*` left out."""
    match t:
        case Basic():
            return t
        case ArrayType():
            return ArrayType(without_uniqueness(t.element))
        case NamedTupleType() | UnionType():
            return t  # the types of fields have none
        case TupleType():
            return TupleType(tuple([without_uniqueness(part) for part in t.parts]))


def same_type(a: Type, b: Type) -> bool:
    """Whether values of one type are values of the other: `*` does not count."""
    return without_uniqueness(a) == without_uniqueness(b)


def has_uniqueness(t: Type) -> bool:
    """Whether there is a `*` anywhere in the type: found when the type was made."""
    return t.starred


def rank(t: Type) -> int:
    """How many indices a full index of the array has; 0 for what is no array."""
    count = 0
    while isinstance(t, ArrayType):
        count += 1
        t = t.element
    return count


def row_type(t: Type, indices: int) -> Type:
    """The type of an array's element after so many indices, at most its rank; without `*`."""
    for _ in range(indices):
        assert isinstance(t, ArrayType)
        t = t.element
    return without_uniqueness(t)


def array_of(t: Type, dimensions: int) -> Type:
    """The type of an array of so many dimensions with elements of type `t`."""
    for _ in range(dimensions):
        t = ArrayType(t)
    return t


@lru_cache(maxsize=4096)
def flatten(t: Type) -> tuple[Type, ...]:
    """The leaves of a type: basic types and arrays without tuples, left to right.

    `[{int, {*[real]}}]` cannot be written, but `{int, *[{real, bool}]}` has the leaves
    `int`, `*[real]`, `*[bool]`.
    """
    match t:
        case Basic():
            return (t,)
        case ArrayType():
            return tuple([ArrayType(leaf, t.unique) for leaf in flatten(t.element)])
        case TupleType():
            return tuple([leaf for part in t.parts for leaf in flatten(part)])


def is_unique(leaf: Type) -> bool:
    """Whether a leaf is an array declared unique."""
    return isinstance(leaf, ArrayType) and leaf.unique
