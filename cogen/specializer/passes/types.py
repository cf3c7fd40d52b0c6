"""What little the residual passes know of types, and what follows from it.

A type is one of the names of `lang.prims`.  Only types that a value keeps for life are of use
(a list may stop being one), and only operations whose type failures the table describes
completely are called safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from cogen.lang import il
from cogen.lang.datum import Char, Datum, Pair, RecordType, Symbol
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.passes import flow_graph as flow

NUMBERS: Final = frozenset({"int", "float", "number"})

LASTING: Final = frozenset(
    {"int", "float", "number", "bool", "char", "string", "symbol", "pair", "vector"}
    | {"bytevector", "memory", "procedure", "cell"}
)
"""The types that a value cannot lose; apart from number and memory they are disjoint.  A cell is
what `make-cell` gives; the table knows it as `any`."""

INEXACT_LAW: Final = frozenset({"sqrt", "expt"})
"""Operations whose result may be a float although all arguments are ints."""

DIVISIONS: Final = frozenset(
    (
        "quotient", "remainder", "modulo", "floor-quotient", "floor-remainder",
        "truncate-quotient", "truncate-remainder",
    )
)  # fmt: skip
"""Integer divisions: they have a division failure only if the divisor is 0."""

PREDICATES: Final = {
    "pair?": frozenset({"pair"}),
    "null?": frozenset[str](),
    "vector?": frozenset({"vector"}),
    "string?": frozenset({"string"}),
    "char?": frozenset({"char"}),
    "symbol?": frozenset({"symbol"}),
    "boolean?": frozenset({"bool"}),
    "procedure?": frozenset({"procedure"}),
    "number?": NUMBERS,
    "exact-integer?": frozenset({"int"}),
}
"""Type predicates, and the types of which they are true."""


def type_of_datum(value: Datum) -> str:
    """The type of a constant; `any` where it is of no use."""
    kind = type(value)
    if kind is Pair:
        return "pair"
    return _TYPE_NAMES.get(kind, "any")


_TYPE_NAMES: Final = {
    int: "int",
    float: "float",
    bool: "bool",
    Char: "char",
    str: "string",
    Symbol: "symbol",
    list: "vector",
    bytearray: "bytevector",
}


SURELY: Final = {
    wanted: frozenset({wanted})
    | (NUMBERS if wanted == "number" else frozenset())
    | (frozenset({"bytevector"}) if wanted == "memory" else frozenset())
    for wanted in LASTING
} | {"integer": frozenset({"int"})}
"""By lasting type, the types of which every value has it; an `integer` may be a float, so that a
value does not keep to it for life."""


def is_of(known: str, wanted: str) -> bool:
    """Whether a value of the known type certainly has the wanted one."""
    return wanted == "any" or (wanted in SURELY and known in SURELY[wanted])


def join(a: str, b: str) -> str:
    """The most exact type that covers both."""
    if is_of(a, b):
        return b
    if is_of(b, a):
        return a
    return "number" if a in NUMBERS and b in NUMBERS else "any"


def more_exact(a: str, b: str) -> str:
    """The more exact of two types that are both true."""
    return a if is_of(a, b) else b


STOOD_FOR: Final = frozenset({"pair?", "list?", "vector?"})
"""What a record may stand for that a box of an interpreter's list or vector has become
(`advice.unlooked` sees to it that none is asked)."""


def answer(predicate: str, known: str) -> bool | None:
    """What a type predicate says of a value of the known type, if that decides it."""
    if known not in LASTING or known == "memory":
        return None
    if known in PREDICATES[predicate]:
        return True
    if known == "record" and predicate in STOOD_FOR:
        return None
    return None if known == "number" and predicate == "exact-integer?" else False


def differ(known: Sequence[str]) -> bool:
    """Whether two values of the known types are certainly not the same."""
    a, b = ("memory" if kind == "bytevector" else kind for kind in known)
    return a in LASTING and b in LASTING and not is_of(a, b) and not is_of(b, a)


EQUALITIES: Final = frozenset({"eq?", "eqv?", "equal?"})
"""Operations that tell values of different types apart."""

RESULTS: Final = {
    op: row.result for op, row in PRIMITIVES.items() if row.result != "number" or op in INEXACT_LAW
} | {"make-cell": "cell"}
"""The types of results that do not depend on the arguments'; see `result_type`."""


def result_type(op: str, arguments: Sequence[str]) -> str:
    """The type of an operation's result, given the types of its arguments."""
    fixed = RESULTS.get(op)
    if fixed is not None:
        return fixed
    if "float" in arguments:
        return "float"
    for known in arguments:
        if known != "int":
            return "number"
    return "int"


@cache
def wanted_types(op: str, count: int) -> Sequence[str]:
    """The types an operation wants its `count` arguments to have."""
    if op in ("cell-ref", "cell-set!"):
        return ("cell", "any")[:count]
    listed = PRIMITIVES[op].arguments
    return tuple([listed[min(i, len(listed) - 1)] for i in range(count)]) if listed else ()


def cannot_fail(operation: flow.Operation, types: Sequence[str]) -> bool:
    """Whether type, index and division failures are excluded for arguments of these types."""
    op = operation.op
    if op == "make-record":
        return _makes_whole(operation)
    row = PRIMITIVES[op]
    for failure in row.fails:
        if failure == "type":
            if not row.typed or not all(map(is_of, types, wanted_types(op, len(types)))):
                return False
        elif failure == "division":
            if not _divides(operation, types):
                return False
        elif failure == "index" and not _shifts_within_word(operation):
            return False
    return True


def _makes_whole(operation: flow.Operation) -> bool:
    """Whether a record of a type that is known gets all of its fields."""
    kind = operation.arguments[0]
    return (
        isinstance(kind, il.Const)
        and isinstance(kind.value, RecordType)
        and len(kind.value.fields) == len(operation.arguments) - 1
    )


def _divides(operation: flow.Operation, types: Sequence[str]) -> bool:
    if operation.op in DIVISIONS:
        divisor = operation.arguments[1]
        return isinstance(divisor, il.Const) and type(divisor.value) is int and divisor.value != 0
    return operation.op == "/" and "float" in types


def _shifts_within_word(operation: flow.Operation) -> bool:
    if operation.op not in ("word-shift-left", "word-shift-right"):
        return False
    count = operation.arguments[1]
    return isinstance(count, il.Const) and type(count.value) is int and 0 <= count.value < 64
