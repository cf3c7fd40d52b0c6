"""Operations of the run time that are written as their rows in the table of primitives say.

    row("bitwise-xor", "int int", "int", ..., c="{0} ^ {1}")

    word op_bitwise_xor(RT, word a, word b) {
        int64_t x = need_integer(rt, "bitwise-xor", a);
        int64_t y = need_integer(rt, "bitwise-xor", b);
        return make_integer(rt, x ^ y);
    }

All others are in `runtime/`.
"""

from __future__ import annotations

from typing import Final

from cogen.backends.ctree.printer import print_expr
from cogen.backends.ctree.template import template
from cogen.backends.ctree.tree import Variable
from cogen.backends.ctree.types import BOOL, DOUBLE, I64
from cogen.lang.prims import PRIMITIVES, Primitive
from cogen.native.operations import operation_name

_NEEDED: Final = {
    "int": "int64_t {0} = need_integer(rt, {1}, {2});",
    "float": "double {0} = need_flonum(rt, {1}, {2});",
    "bool": "bool {0} = need_boolean(rt, {1}, {2});",
}

_TYPES: Final = {"int": I64, "float": DOUBLE, "bool": BOOL}

_MADE: Final = {
    "int": "make_integer(rt, {0})",
    "float": "make_flonum(rt, {0})",
    "bool": "BOOL({0})",
}

DERIVED: Final = tuple(row for row in PRIMITIVES.values() if row.c is not None)
"""The rows whose templates are their meaning."""


def derived() -> str:
    """The C file of these operations."""
    head = (
        '/* What the table of primitives says in C. */\n#include "operations.h"\n#include <math.h>'
    )
    return "\n".join([head, *map(_operation, DERIVED), ""])


def _operation(row: Primitive) -> str:
    words = [f"a{number}" for number in range(len(row.arguments))]
    values = [f"x{number}" for number in range(len(row.arguments))]
    lines = [
        "    " + _NEEDED[type_].format(value, f'"{row.name}"', word)
        for type_, value, word in zip(row.arguments, values, words, strict=True)
    ]
    types = [_TYPES[type_] for type_ in row.arguments]
    operands = [Variable(value, type_) for value, type_ in zip(values, types, strict=True)]
    text = print_expr(template(row.c or "")(operands))
    parameters = ", ".join(["RT", *[f"word {word}" for word in words]])
    return "\n".join(
        [
            f"\nword {operation_name(row.name)}({parameters}) {{",
            *lines,
            f"    return {_MADE[row.result].format(text)};",
            "}",
        ]
    )
