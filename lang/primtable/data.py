"""Rows of the primitive table: pairs, symbols, vectors, records.

Lists are built from pairs by the prelude (`lang/prelude.scm`), so that the specializer sees
through `append`, `map` and their like.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from cogen.lang.datum import (
    NIL,
    UNSPECIFIED,
    Datum,
    Pair,
    Record,
    RecordType,
    Symbol,
    symbol,
)
from cogen.lang.governor import room
from cogen.lang.primtable.checks import PrimitiveError, expected, need_index, need_size
from cogen.lang.primtable.intervals import SIZE
from cogen.lang.primtable.row import PrimitiveRow, row

# Pairs


def _need_pair(name: str, x: Datum) -> Pair:
    if type(x) is Pair:
        return x
    raise expected(name, "a pair", x)


def car(x: Datum) -> Datum:
    """`car`"""
    return _need_pair("car", x).car


def cdr(x: Datum) -> Datum:
    """`cdr`"""
    return _need_pair("cdr", x).cdr


def _set_car(x: Datum, value: Datum) -> Datum:
    _need_pair("set-car!", x).car = value
    return UNSPECIFIED


def _set_cdr(x: Datum, value: Datum) -> Datum:
    _need_pair("set-cdr!", x).cdr = value
    return UNSPECIFIED


_PAIRS = (
    row("cons", "any any", "pair", Pair, "A new pair.", effect="alloc", fails=""),
    row("car", "pair", "any", car, "The first half of a pair.", effect="read", typed=True),
    row("cdr", "pair", "any", cdr, "The second half of a pair.", effect="read", typed=True),
    row("set-car!", "pair any", "unspecified", _set_car, "Replace the first half of a pair.",
        effect="write"),
    row("set-cdr!", "pair any", "unspecified", _set_cdr, "Replace the second half of a pair.",
        effect="write"),
    row("pair?", "any", "bool", lambda x: type(x) is Pair, "Is x a pair?", fails=""),
    row("null?", "any", "bool", lambda x: x is NIL, "Is x the empty list?", fails=""),
)  # fmt: skip


def is_circular(x: Datum) -> bool:
    """Whether x is a circular list, or a list that leads into one.

    Brent, "An improved Monte Carlo factorization algorithm" (1980): one mark, which is moved ever
    less often.
    """
    steps = 64
    while True:
        mark = x
        for _ in repeat(None, steps):
            if type(x) is not Pair:
                return False
            x = x.cdr
            if x is mark:
                return True
        steps *= 2


def finite(name: str, x: Datum) -> Datum:
    """x, if it is no circular list; the error that the procedure of that name expects a list."""
    if is_circular(x):
        raise expected(name, "a list", x)
    return x


def some_finite(name: str, lists: Sequence[Datum]) -> None:
    """The same error if all lists are circular that the procedure goes through side by side."""
    if all(map(is_circular, lists)):
        raise expected(name, "a list", lists[0])


def need_name(name: str, x: Datum) -> str:
    """The string that an operation is given; an error if it is none."""
    if type(x) is str:
        return x
    raise expected(name, "a string", x)


def walked(name: Datum, x: Datum) -> Datum:
    """`%walked`: an error if a search has gone through a circular list."""
    finite(need_name("%walked", name), x)
    return UNSPECIFIED


# Symbols


def need_symbol(name: str, x: Datum) -> Symbol:
    """The symbol that an operation is given; an error if it is none."""
    if type(x) is Symbol:
        return x
    raise expected(name, "a symbol", x)


def _string_to_symbol(x: Datum) -> Symbol:
    if type(x) is str:
        return symbol(x)
    raise expected("string->symbol", "a string", x)


def _symbol_equal(a: Datum, b: Datum) -> bool:
    return need_symbol("symbol=?", a) is need_symbol("symbol=?", b)


_SYMBOLS = (
    row("symbol?", "any", "bool", lambda x: type(x) is Symbol, "Is x a symbol?", fails=""),
    row("symbol=?", "symbol symbol", "bool", _symbol_equal, "The same symbol.", fold="chain",
        typed=True),
    row("symbol->string", "symbol", "string", lambda x: need_symbol("symbol->string", x).name,
        "The symbol's name.", typed=True),
    row("string->symbol", "string", "symbol", _string_to_symbol, "The symbol of that name."),
)  # fmt: skip


# Vectors

MAX_VECTOR = 1 << 27
"""The largest number of elements that `make-vector` makes: a gigabyte."""

POINTER = 8
"""The bytes that an element of a vector takes."""


def need_vector(name: str, x: Datum) -> list[Datum]:
    """The argument if it is a vector."""
    if type(x) is list:
        return x
    raise expected(name, "a vector", x)


def _make_vector(size: Datum, fill: Datum = UNSPECIFIED) -> list[Datum]:
    count = need_size("make-vector", size, MAX_VECTOR)
    room(count * POINTER)
    return [fill] * count


def vector_ref(vector: Datum, index: Datum) -> Datum:
    """`vector-ref`"""
    items = need_vector("vector-ref", vector)
    return items[need_index("vector-ref", index, len(items))]


def vector_set(vector: Datum, index: Datum, value: Datum) -> Datum:
    """`vector-set!`"""
    items = need_vector("vector-set!", vector)
    items[need_index("vector-set!", index, len(items))] = value
    return UNSPECIFIED


_VECTORS = (
    row("vector?", "any", "bool", lambda x: type(x) is list, "Is x a vector?", fails=""),
    row("vector", "any", "vector", lambda *items: list(items), "A new vector of the arguments.",
        effect="alloc", fails="", arity=(0, None)),
    row("make-vector", "int any", "vector", _make_vector, "A new vector of that size.",
        effect="alloc", fails="type index", arity=(1, 2)),
    row("vector-length", "vector", "int", lambda x: len(need_vector("vector-length", x)),
        "The number of elements.", interval=lambda a: SIZE, typed=True),
    row("vector-ref", "vector int", "any", vector_ref, "The element at an index, from 0.",
        effect="read", fails="type index"),
    row("vector-set!", "vector int any", "unspecified", vector_set,
        "Replace the element at an index.", effect="write", fails="type index"),
)  # fmt: skip


# Records


def type_name(rtd: RecordType) -> str:
    """What messages call a record type: its name without the angle brackets."""
    name = rtd.name
    return name[1:-1] if name[:1] == "<" and name[-1:] == ">" and len(name) > 2 else name


def _need_type(name: str, x: Datum) -> RecordType:
    if isinstance(x, RecordType):
        return x
    raise expected(name, "a record type", x)


def _make_record(rtd: Datum, *values: Datum) -> Record:
    wanted = len(_need_type("make-record", rtd).fields)
    if len(values) != wanted:
        message = f"make-record: expected {wanted} field values, got {len(values)}"
        raise PrimitiveError("type", message)
    return Record(rtd, list(values))


def is_record(rtd: Datum, x: Datum) -> bool:
    """`record-is?`"""
    return type(x) is Record and x.type is rtd


def _field_of(name: str, suffix: str, rtd: Datum, index: Datum, x: Datum) -> tuple[Record, int]:
    """The record and the field's index; the error speaks as the accessor would."""
    record_type = _need_type(name, rtd)
    if type(index) is not int or not 0 <= index < len(record_type.fields):
        raise expected(name, "the index of a field", index)
    if type(x) is Record and x.type is rtd:
        return x, index
    shown = type_name(record_type)
    accessor = f"{shown}-{record_type.fields[index]}{suffix}"
    raise expected(accessor, f"a record of type {shown}", x)


def record_ref(rtd: Datum, index: Datum, x: Datum) -> Datum:
    """`record-ref`"""
    record, field = _field_of("record-ref", "", rtd, index, x)
    return record.values[field]


def _record_set(rtd: Datum, index: Datum, x: Datum, value: Datum) -> Datum:
    record, field = _field_of("record-set!", "-set!", rtd, index, x)
    record.values[field] = value
    return UNSPECIFIED


_RECORDS = (
    row("make-record", "any any", "record", _make_record,
        "(make-record rtd a ...): a new record; rtd is a constant.",
        effect="alloc", fails="type", arity=(1, None)),
    row("record-is?", "any any", "bool", is_record,
        "(record-is? rtd x): is x a record of that type?", fails=""),
    row("record-ref", "any int record", "any", record_ref,
        "(record-ref rtd i x): field i, from 0, of a record; rtd and i are constants.",
        effect="read"),
    row("record-set!", "any int record any", "unspecified", _record_set,
        "(record-set! rtd i x a): replace field i of a record; rtd and i are constants.",
        effect="write"),
)  # fmt: skip


ROWS: tuple[PrimitiveRow, ...] = (*_PAIRS, *_SYMBOLS, *_VECTORS, *_RECORDS)
