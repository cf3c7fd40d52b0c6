"""Kinds of values: which of the disjoint kinds of things something may be.

    kinds ::= a set of bits, one for each kind        ANYTHING if nothing is known

The kinds are number, truth value, character, string, symbol, list (a pair or the empty list),
vector, bytevector, procedure, record, and all others together (ports, cells, the unspecified value,
…).  They are what a variable of a program mostly keeps to: what a loop goes through is a list,
although it is a pair now and the empty list in the end.  Laws: a value never changes its kind; that
of the value of an operation is in `of_type` of its row's result, and after it that of an argument
in `wanted`; a predicate says of something of certain kinds what `compare` says, and something of
which it is true or false is of one of those that `refine` leaves.
"""

from __future__ import annotations

from typing import Final

from cogen.lang.datum import NIL, Datum
from cogen.lang.primtable.row import PrimitiveRow

Kinds = int

NUMBER, TRUTH, CHAR, STRING, SYMBOL, LIST = (1 << number for number in range(6))
VECTOR, BYTES, PROCEDURE, RECORD, OTHER = (1 << number for number in range(6, 11))
ANYTHING: Final[Kinds] = (1 << 11) - 1

ATOMS: Final[Kinds] = NUMBER | CHAR | STRING | SYMBOL

OF_TYPE: Final[dict[str, Kinds]] = {
    "int": NUMBER,
    "float": NUMBER,
    "number": NUMBER,
    "integer": NUMBER,
    "bool": TRUTH,
    "char": CHAR,
    "string": STRING,
    "symbol": SYMBOL,
    "pair": LIST,
    "list": LIST,
    "vector": VECTOR,
    "bytevector": BYTES,
    "procedure": PROCEDURE,
    "record": RECORD,
    "port": OTHER,
    "unspecified": OTHER,
}
"""The kinds that the types of the primitive table stand for; of any other type, all."""

PREDICATES: Final[dict[str, tuple[Kinds, bool]]] = {
    "pair?": (LIST, False),
    "null?": (LIST, False),
    "vector?": (VECTOR, True),
    "string?": (STRING, True),
    "char?": (CHAR, True),
    "symbol?": (SYMBOL, True),
    "boolean?": (TRUTH, True),
    "procedure?": (PROCEDURE, True),
    "number?": (NUMBER, True),
    "integer?": (NUMBER, False),
    "exact-integer?": (NUMBER, False),
    "record-is?": (RECORD, False),
}
"""By predicate: the kind of which it may be true, and whether it is true of all of that kind."""

EQUALITIES: Final = frozenset({"eq?", "eqv?", "equal?"})
"""Operations that are true of values of one kind only."""

_DATA: Final[dict[str, Kinds]] = {
    "int": NUMBER,
    "float": NUMBER,
    "bool": TRUTH,
    "Char": CHAR,
    "str": STRING,
    "MutableString": STRING,
    "Symbol": SYMBOL,
    "Pair": LIST,
    "list": VECTOR,
    "bytearray": BYTES,
    "bytes": BYTES,
    "memoryview": BYTES,
    "Record": RECORD,
}


def of_datum(datum: Datum) -> Kinds:
    """The kind of a constant."""
    return LIST if datum is NIL else _DATA.get(type(datum).__name__, OTHER)


def of_type(type: str) -> Kinds:
    """The kinds of a type of the primitive table."""
    return OF_TYPE.get(type, ANYTHING)


def wanted(row: PrimitiveRow, position: int) -> Kinds:
    """The kinds that an argument has if an operation that looks at its type succeeds."""
    types = row.arguments
    return of_type(types[min(position, len(types) - 1)]) if types else ANYTHING


def compare(op: str, kinds: Kinds) -> bool | None:
    """What a predicate says of something of these kinds; None if that depends."""
    perhaps, surely = PREDICATES[op]
    if not kinds & perhaps:
        return False
    return True if surely and not kinds & ~perhaps else None


def refine(op: str, kinds: Kinds, holds: bool) -> Kinds:
    """The kinds of which a predicate may be true, or false."""
    perhaps, surely = PREDICATES[op]
    if holds:
        return kinds & perhaps
    return kinds & ~perhaps if surely else kinds
