"""What variables of the IL stand for while a program is translated to L0.

value ::= SymbolicName(x, t) | SymbolicNumber(k, t)  an L0 expression without effect, and its type
        | SymbolicParts(value ..., record)    a tuple (a list) or record, taken apart;
                                              a record of one of several types (`unions`)
        | SymbolicProcedure(function)         a lambda, translated where it is applied
        | KnownSymbol(global or primitive)    a procedure by its name
        | SymbolicConstant(datum)             an array or a text, not translated yet
        | Untyped(x)                          a parameter whose type is not known (yet)
        | SymbolicCell()                      an assigned variable; what it holds, `objects` knows

A value is also what an array or a record *is*: two variables with one value (by identity) are one
object, and an update of the one is seen by the other (see `objects`).
"""

from __future__ import annotations

import re
from typing import Final

from cogen.array.l0.types import (
    BOOL,
    CHAR,
    INT,
    REAL,
    CaseType,
    NamedTupleType,
    TupleType,
    Type,
    UnionType,
)
from cogen.lang import datum, il
from cogen.lang.datum import NIL, Char, Datum, Pair, Record
from cogen.lang.errors import Span
from cogen.lang.node import leaf, node
from cogen.lang.primtable.data import type_name


@node
class SymbolicName:
    """A variable of L0."""

    text: str
    type: Type


@node
class SymbolicNumber:
    """A constant of a basic type; a char is a text of one character."""

    value: int | float | bool | str
    type: Type


@leaf
class RecordKind:
    """A record type: what it and its fields are called, as L0 can spell it."""

    name: str
    fields: tuple[str, ...]

    def of(self, types: tuple[Type, ...]) -> NamedTupleType:
        """The type of records with fields of these types."""
        return NamedTupleType(types, self.name, self.fields)


PAIR: Final = RecordKind("pair", ("car", "cdr"))
"""Pairs that are no tuples: a list of a fixed length is one, and ends with the empty list."""


@leaf
class UnionKind:
    """Several record types: what their parts are called, and each with the places of its fields."""

    name: str
    names: tuple[str, ...]
    cases: tuple[tuple[RecordKind, tuple[int, ...]], ...]

    def of(self, types: tuple[Type, ...]) -> UnionType:
        """The type of values with parts of these types."""
        cases = [
            CaseType(kind.name, kind.fields, tuple([types[p] for p in places]), places)
            for kind, places in self.cases
        ]
        return UnionType(types, self.name, self.names, tuple(cases))

    def number(self, kind: RecordKind) -> SymbolicNumber:
        """That of a record type of it."""
        return SymbolicNumber([of for of, _ in self.cases].index(kind), INT)

    def places(self, kind: RecordKind) -> tuple[int, ...]:
        """Where the fields of a record type are."""
        return dict(self.cases)[kind]


def kind_of_type(t: TupleType) -> RecordKind | UnionKind | None:
    """What records of a type are; None for tuples."""
    if isinstance(t, NamedTupleType):
        return RecordKind(t.name, t.names)
    if isinstance(t, UnionType):
        cases = tuple([(RecordKind(case.name, case.fields), case.places) for case in t.cases])
        return UnionKind(t.name, t.names, cases)
    return None


def kind_of(record: datum.RecordType) -> RecordKind:
    """The kind of a record type of the language."""
    return RecordKind(
        spelled(type_name(record)), tuple([spelled(field) for field in record.fields])
    )


def spelled(name: str) -> str:
    """A name of the language as far as L0 can spell it."""
    base = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    return base if re.match("[A-Za-z]", base) else f"x{base}"


@node
class SymbolicParts:
    parts: tuple[Value, ...]
    record: RecordKind | UnionKind | None = None


@node
class SymbolicProcedure:
    function: il.Function


@leaf
class KnownSymbol:
    name: str
    primitive: bool


@node
class SymbolicConstant:
    datum: Datum


@node
class Untyped:
    name: str
    span: Span | None


@node
class SymbolicCell:
    """An assigned variable."""


Value = (
    SymbolicName
    | SymbolicNumber
    | SymbolicParts
    | SymbolicProcedure
    | KnownSymbol
    | SymbolicConstant
    | Untyped
    | SymbolicCell
)


def constant(value: Datum) -> Value:
    """What a constant of the IL stands for."""
    kind = type(value)
    if kind is bool:
        return SymbolicNumber(value, BOOL)
    if kind is int:
        return SymbolicNumber(value, INT)
    if kind is float:
        return SymbolicNumber(value, REAL)
    if isinstance(value, Char):
        return SymbolicNumber(value.value, CHAR)
    if isinstance(value, Record):
        return SymbolicParts(
            tuple([constant(field) for field in value.values]), kind_of(value.type)
        )
    parts = []
    rest = value
    while isinstance(rest, Pair):
        parts.append(constant(rest.car))
        rest = rest.cdr
    if rest is NIL or not parts:
        return SymbolicParts(tuple(parts)) if rest is NIL else SymbolicConstant(value)
    whole = constant(rest)
    for part in reversed(parts):
        whole = SymbolicParts((part, whole), PAIR)
    return whole
