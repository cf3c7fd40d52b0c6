"""The scalar operations of the array graph: one table.

A row has the name, the types, the Python meaning (on Python values, the same as the reference
interpreter's) and the C meaning. An operation never fails: where it has no result for some
operands, whoever makes the node gives it a certificate that these do not occur (`partial` says
what must hold). In `c`, `{0}` and `{1}` are the operands, C expressions in parentheses or names;
ints wrap around (the code is compiled so that signed overflow wraps), and the helper functions
that it names (`int_div`, ...) are the back end's run-time library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from cogen.array.l0 import operators, types
from cogen.array.l0.values import MAX_ELEMENTS
from cogen.array.types import BOOL, INT, REAL, Scalar


@dataclass(frozen=True, slots=True)
class Row:
    """A scalar operation."""

    name: str
    operands: tuple[Scalar, ...]
    result: Scalar
    meaning: Callable[..., Any]
    c: str
    symbol: str
    """How people see it: an infix or prefix operator, or a function's name."""
    commutative: bool = False
    cost: int = 1
    """Roughly, in units of an addition."""
    partial: str = ""
    """What must hold of the operands for the operation to have a result."""


def _area(a: int, b: int) -> int:
    return min(max(a, 1) * max(b, 1), MAX_ELEMENTS + 1)


def _rows() -> list[Row]:
    binary, unary, builtin = operators.BINARY, operators.UNARY, operators.BUILTIN
    i2, r2, b2 = (INT, INT), (REAL, REAL), (BOOL, BOOL)
    it, rt, bt = types.INT, types.REAL, types.BOOL
    return [
        Row("int.add", i2, INT, binary["+", it], "{0} + {1}", "+", commutative=True),
        Row("int.sub", i2, INT, binary["-", it], "{0} - {1}", "-"),
        Row("int.mul", i2, INT, binary["*", it], "{0} * {1}", "*", commutative=True),
        Row("int.div", i2, INT, binary["/", it], "int_div({0}, {1})", "/", cost=20,
            partial="the divisor is not 0"),
        Row("int.mod", i2, INT, binary["%", it], "int_mod({0}, {1})", "%", cost=20,
            partial="the divisor is not 0"),
        Row("int.pow", i2, INT, binary["pow", it], "int_pow({0}, {1})", "pow", cost=40,
            partial="the base is not 0 or the exponent is not negative"),
        Row("int.and", i2, INT, binary["&", it], "{0} & {1}", "&", commutative=True),
        Row("int.or", i2, INT, binary["|", it], "{0} | {1}", "|", commutative=True),
        Row("int.xor", i2, INT, binary["^", it], "{0} ^ {1}", "^", commutative=True),
        Row("int.shl", i2, INT, binary["<<", it], "int_shl({0}, {1})", "<<"),
        Row("int.shr", i2, INT, binary[">>", it], "{0} >> ({1} & 63)", ">>"),
        Row("int.neg", (INT,), INT, unary["~", it], "-{0}", "~"),
        Row("int.abs", (INT,), INT, builtin["abs", it], "int_abs({0})", "abs"),
        Row("int.eq", i2, BOOL, binary["=", it], "{0} == {1}", "=", commutative=True),
        Row("int.lt", i2, BOOL, binary["<", it], "{0} < {1}", "<"),
        Row("int.le", i2, BOOL, binary["<=", it], "{0} <= {1}", "<="),
        Row("int.min", i2, INT, min, "int_min({0}, {1})", "min", commutative=True),
        Row("int.max", i2, INT, max, "int_max({0}, {1})", "max", commutative=True),
        Row("int.area", i2, INT, _area, "int_area({0}, {1})", "area", commutative=True),
        Row("real.add", r2, REAL, binary["+", rt], "{0} + {1}", "+", commutative=True),
        Row("real.sub", r2, REAL, binary["-", rt], "{0} - {1}", "-"),
        Row("real.mul", r2, REAL, binary["*", rt], "{0} * {1}", "*", commutative=True),
        Row("real.div", r2, REAL, binary["/", rt], "{0} / {1}", "/", cost=5),
        Row("real.mod", r2, REAL, binary["%", rt], "real_mod({0}, {1})", "%", cost=30),
        Row("real.pow", r2, REAL, binary["pow", rt], "pow({0}, {1})", "pow", cost=40),
        Row("real.neg", (REAL,), REAL, unary["~", rt], "-{0}", "~"),
        Row("real.abs", (REAL,), REAL, builtin["abs", rt], "fabs({0})", "abs"),
        Row("real.sqrt", (REAL,), REAL, builtin["sqrt", rt], "sqrt({0})", "sqrt", cost=10),
        Row("real.log", (REAL,), REAL, builtin["log", rt], "log({0})", "log", cost=20),
        Row("real.exp", (REAL,), REAL, builtin["exp", rt], "exp({0})", "exp", cost=20),
        Row("real.eq", r2, BOOL, binary["=", rt], "{0} == {1}", "=", commutative=True),
        Row("real.lt", r2, BOOL, binary["<", rt], "{0} < {1}", "<"),
        Row("real.le", r2, BOOL, binary["<=", rt], "{0} <= {1}", "<="),
        Row("int.to_real", (INT,), REAL, builtin["toReal", it], "(double){0}", "toReal"),
        Row("real.trunc", (REAL,), INT, builtin["trunc", rt], "real_trunc({0})", "trunc"),
        Row("bool.and", b2, BOOL, binary["&&", bt], "{0} & {1}", "&&", commutative=True),
        Row("bool.or", b2, BOOL, binary["||", bt], "{0} | {1}", "||", commutative=True),
        Row("bool.not", (BOOL,), BOOL, unary["not", bt], "!{0}", "not"),
    ]  # fmt: skip


TABLE: Final[dict[str, Row]] = {row.name: row for row in _rows()}
"""The rows by name.

`int.area` is the product of two sizes, 0 counted as 1, or 2^47+1 where it exceeds 2^47: it says
whether an array of these sizes can be.
"""
