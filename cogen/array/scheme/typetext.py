"""The types of array programs as the Scheme-like language writes them, and as L0 does.

int  float (or real)  bool  char  string  (array t)  (tuple t ...)
int  real             bool  char  [char]  [t]        {t, ...}

(pair t t)  (record name t ...)  (union t ...)      have names

(array (packed "layout")) is [packed "layout"].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cogen.array.l0 import types as ty
from cogen.array.l0.storage import storage_of
from cogen.array.scheme.symbolicvalues import PAIR, RecordKind
from cogen.array.scheme.unions import union_of
from cogen.lang.datum import NIL, Datum, Pair, Symbol, iterate
from cogen.lang.errors import CogenError, Span
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum

NAMES: Final[Mapping[str, ty.Type]] = {
    "int": ty.INT,
    "float": ty.REAL,
    "real": ty.REAL,
    "bool": ty.BOOL,
    "char": ty.CHAR,
    "string": ty.STRING,
    "bytevector": ty.packed_array("u8"),
}

HINT: Final = (
    "the types are int, float, bool, char, string, bytevector, (array TYPE), "
    "(tuple TYPE ...), (pair TYPE TYPE), (record NAME TYPE ...), (union (record ...) ...)"
)

Kinds = Mapping[str, RecordKind]
"""The record types of a program, by their names there."""


def type_of_datum(datum: Datum, span: Span | None, kinds: Kinds) -> ty.Type:
    """The type that a datum writes.  CogenError if it writes none."""
    if isinstance(datum, Symbol) and datum.name in NAMES:
        return NAMES[datum.name]
    if isinstance(datum, Pair) and isinstance(datum.car, Symbol):
        parts = list(iterate(datum.cdr)) if _is_list(datum.cdr) else []
        layout = _layout(parts[0]) if parts else None
        if datum.car.name == "array" and len(parts) == 1 and layout is not None:
            return ty.packed_array(_known_layout(layout, span))
        if datum.car.name == "array" and len(parts) == 1:
            return ty.ArrayType(type_of_datum(parts[0], span, kinds))
        if datum.car.name == "tuple" and _is_list(datum.cdr):
            return ty.TupleType(tuple([type_of_datum(part, span, kinds) for part in parts]))
        if datum.car.name == "pair" and len(parts) == 2:
            return PAIR.of(tuple([type_of_datum(part, span, kinds) for part in parts]))
        if datum.car.name == "record" and parts and isinstance(parts[0], Symbol):
            types = tuple([type_of_datum(part, span, kinds) for part in parts[1:]])
            return _record(parts[0].name, types, span, kinds)
        if datum.car.name == "union" and parts:
            return _union([type_of_datum(part, span, kinds) for part in parts], span)
    raise CogenError("this is no type of an array program", span, HINT)


def _record(name: str, types: tuple[ty.Type, ...], span: Span | None, kinds: Kinds) -> ty.Type:
    found = kinds.get(name)
    if found is None:
        raise CogenError(f"there is no record type {name}", span)
    if len(found.fields) != len(types):
        raise CogenError(
            f"the record {name} has {len(found.fields)} fields, but {len(types)} types are given",
            span,
        )
    return found.of(types)


def _union(types: list[ty.Type], span: Span | None) -> ty.Type:
    records = [t for t in types if isinstance(t, ty.NamedTupleType)]
    made = union_of(records) if len(records) == len(types) else None
    if made is None:
        raise CogenError("a union is of records of different names", span, HINT)
    return made


def _layout(datum: Datum) -> str | None:
    """The layout of elements that are stored packed; None of all else."""
    match datum:
        case Pair(car=Symbol(name="packed"), cdr=Pair(car=str(layout), cdr=rest)) if rest is NIL:
            return layout
    return None


def _known_layout(layout: str, span: Span | None) -> str:
    try:
        storage_of(layout)
    except CogenError as error:
        raise CogenError(error.message, span, error.hint) from None
    return layout


def _is_list(datum: Datum) -> bool:
    while isinstance(datum, Pair):
        datum = datum.cdr
    return not isinstance(datum, Symbol | int | float | str)


def type_of_text(text: str, kinds: Kinds) -> ty.Type:
    """The type that a text writes.  CogenError if it writes none."""
    return type_of_datum(read_datum(text), None, kinds)


def show(t: ty.Type) -> str:
    """The type as the Scheme-like language writes it."""
    match t:
        case ty.PackedElements():
            return f"(packed {write_datum(t.layout)})"
        case ty.Basic():
            return "float" if t == ty.REAL else t.name
        case ty.ArrayType():
            return f"(array {show(t.element)})"
        case ty.UnionType(cases=cases):
            records = [ty.NamedTupleType(c.types, c.name, c.fields) for c in cases]
            return f"({' '.join(['union', *map(show, records)])})"
        case ty.NamedTupleType(name=PAIR.name, names=PAIR.fields):
            return f"({' '.join([t.name, *map(show, t.parts)])})"
        case ty.NamedTupleType():
            return f"({' '.join(['record', t.name, *map(show, t.parts)])})"
        case ty.TupleType():
            return f"({' '.join(['tuple', *map(show, t.parts)])})"
