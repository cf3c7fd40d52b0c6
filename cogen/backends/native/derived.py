"""What tables of the language say, for the run time: operations, hints.

Operations are written as their rows in the table of primitives say.

    row("bitwise-xor", "int int", "int", ..., c="{0} ^ {1}")

    word op_bitwise_xor(RT, word a, word b) {
        int64_t x = need_integer(rt, "bitwise-xor", a);
        int64_t y = need_integer(rt, "bitwise-xor", b);
        return make_integer(rt, x ^ y);
    }

All others are in `runtime/`.  The hints are those of `lang.othernames`.
"""

from __future__ import annotations

from typing import Final

from cogen.backends.ctree.literals import small, string
from cogen.backends.ctree.printer import print_unit
from cogen.backends.ctree.template import template
from cogen.backends.ctree.tree import (
    CData,
    CDeclare,
    CFunction,
    CInclude,
    CReturn,
    CTitle,
    CUnit,
    CVariable,
    Expr,
    Item,
    Statement,
)
from cogen.backends.ctree.types import BOOL, DOUBLE, I64, CBasic, CConst
from cogen.backends.native.operations import operation_name
from cogen.backends.native.vocabulary import RUNTIME, WORD, braces, macro, truth_of, word_variable
from cogen.lang.othernames import FAILURES
from cogen.lang.prims import PRIMITIVES, PrimitiveRow

_NEEDED: Final = {
    "int": ("need_integer", I64), "float": ("need_flonum", DOUBLE), "bool": ("need_boolean", BOOL),
}  # fmt: skip
"""What takes an operand out of its word, and its type then."""

DERIVED: Final = tuple(row for row in PRIMITIVES.values() if row.c is not None)
"""The rows whose templates are their meaning."""


def derived() -> str:
    """The C file of these operations, and of the failures that a hint is known for."""
    head: tuple[Item, ...] = (
        CTitle(("What the table of primitives says in C.",)),
        CInclude("operations.h", own=True),
        CInclude("math.h"),
    )
    return print_unit(CUnit((*head, *map(_operation, DERIVED), _failures())))


def _failures() -> Item:
    """What messages of failures say, and the hints."""
    rows = [
        braces(string(known.beginning), string(known.part), string(known.hint))
        for known in FAILURES
    ]
    kind = CConst(CBasic("known_failure"))
    return CData(kind, "known_failures", braces(*rows, braces(small(0))), 0, public=True)


def _operation(row: PrimitiveRow) -> CFunction:
    words = [word_variable(f"a{number}") for number in range(len(row.arguments))]
    operands: list[CVariable] = []
    taken: list[Statement] = []
    for number, (kind, word) in enumerate(zip(row.arguments, words, strict=True)):
        need, t = _NEEDED[kind]
        operand = CVariable(f"x{number}", t)
        operands.append(operand)
        found = macro(need, RUNTIME, string(row.name), word, gives=t)
        taken.append(CDeclare(t, operand.name, found))
    value = template(row.c or "")(operands)
    body = (*taken, CReturn(_made(row.result, value)))
    return CFunction(WORD, operation_name(row.name), (RUNTIME, *words), body)


def _made(kind: str, value: Expr) -> Expr:
    """A value in a word."""
    if kind == "bool":
        return truth_of(value)
    return macro("make_integer" if kind == "int" else "make_flonum", RUNTIME, value)
