"""The scalar operations of the array graph: one table.

A row has the name, the types, the Python meaning (on Python values, the same as the reference
interpreter's) and the C meaning. An operation never fails: where it has no result for some
operands, whoever makes the node gives it a certificate that these do not occur (`partial` says
what must hold). In `c`, `{0}` and `{1}` are the operands, C expressions in parentheses or names;
ints wrap around (the code is compiled so that signed overflow wraps), and the helper functions
that it names (`int_pow`, ...) are the back end's run-time library.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from cogen.array.ir.graphtypes import BOOL, CHAR, INT, REAL, ScalarType
from cogen.array.l0 import types
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.keys import REAL_FORMATS, bits_of
from cogen.array.l0.primitives import MEANINGS, NAMED, OPERATIONS, operand
from cogen.array.l0.signatures import OF_NUMPY

REAL_FUNCTIONS: Final[Mapping[str, tuple[str, int]]] = {
    **{name: (name, 30) for name in ("sin", "cos", "tan", "asin", "acos", "atan", *OF_NUMPY)},
    "floor": ("floor", 2), "ceil": ("ceil", 2), "round": ("rint", 2),
}  # fmt: skip
"""Functions of reals by their names in L0: what C calls them, and their costs."""


@dataclass(frozen=True, slots=True)
class Row:
    """A scalar operation."""

    name: str
    operands: tuple[ScalarType, ...]
    result: ScalarType
    meaning: Callable[..., Any]
    c_text: str
    symbol: str
    """How people see it: an infix or prefix operator, or a function's name."""
    commutative: bool = False
    cost: int = 1
    """Roughly, in units of an addition."""
    partial: str = ""
    """What must hold of the operands for the operation to have a result."""


def _rows(a: Arithmetic) -> list[Row]:
    return [
        *_of_ints(a),
        *_of_reals(a),
        *_between_types(a),
        *_of_the_rest(a),
        *[_of_primitive(a, name, OPERATIONS[name, t]) for name, t in MEANINGS],
    ]


def _of_ints(a: Arithmetic) -> list[Row]:
    binary, unary, builtin, it = a.binary, a.unary, a.builtin, types.INT
    i2 = (INT, INT)

    def area(m: int, n: int) -> int:
        return min(max(m, 1) * max(n, 1), a.max_elements + 1)

    return [
        Row("int.add", i2, INT, binary["+", it], "{0} + {1}", "+", commutative=True),
        Row("int.sub", i2, INT, binary["-", it], "{0} - {1}", "-"),
        Row("int.mul", i2, INT, binary["*", it], "{0} * {1}", "*", commutative=True),
        Row("int.div", i2, INT, binary["/", it], "cogen_floor_quotient({0}, {1})", "/", cost=20,
            partial="the divisor is not 0"),
        Row("int.mod", i2, INT, binary["%", it], "cogen_floor_remainder({0}, {1})", "%", cost=20,
            partial="the divisor is not 0"),
        Row("int.pow", i2, INT, binary["pow", it], "int_pow({0}, {1})", "pow", cost=40,
            partial="the base is not 0 or the exponent is not negative"),
        Row("int.and", i2, INT, binary["&", it], "{0} & {1}", "&", commutative=True),
        Row("int.or", i2, INT, binary["|", it], "{0} | {1}", "|", commutative=True),
        Row("int.xor", i2, INT, binary["^", it], "{0} ^ {1}", "^", commutative=True),
        Row("int.shl", i2, INT, binary["<<", it], "int_shl({0}, {1})", "<<"),
        Row("int.shr", i2, INT, binary[">>", it], f"{{0}} >> ({{1}} & {a.int_bits - 1})", ">>"),
        Row("int.neg", (INT,), INT, unary["~", it], "-{0}", "~"),
        Row("int.abs", (INT,), INT, builtin["abs", it], "int_abs({0})", "abs"),
        Row("int.eq", i2, BOOL, binary["=", it], "{0} == {1}", "=", commutative=True),
        Row("int.lt", i2, BOOL, binary["<", it], "{0} < {1}", "<"),
        Row("int.le", i2, BOOL, binary["<=", it], "{0} <= {1}", "<="),
        Row("int.min", i2, INT, min, "int_min({0}, {1})", "min", commutative=True),
        Row("int.max", i2, INT, max, "int_max({0}, {1})", "max", commutative=True),
        Row("int.area", i2, INT, area, "int_area({0}, {1})", "area", commutative=True),
    ]  # fmt: skip


def _of_reals(a: Arithmetic) -> list[Row]:
    binary, unary, builtin, rt = a.binary, a.unary, a.builtin, types.REAL
    r2 = (REAL, REAL)
    f = "f" if a.real_bits == 32 else ""
    return [
        Row("real.add", r2, REAL, binary["+", rt], "{0} + {1}", "+", commutative=True),
        Row("real.sub", r2, REAL, binary["-", rt], "{0} - {1}", "-"),
        Row("real.mul", r2, REAL, binary["*", rt], "{0} * {1}", "*", commutative=True),
        Row("real.div", r2, REAL, binary["/", rt], "{0} / {1}", "/", cost=5),
        Row("real.mod", r2, REAL, binary["%", rt], "real_mod({0}, {1})", "%", cost=30),
        Row("real.pow", r2, REAL, binary["pow", rt], f"pow{f}({{0}}, {{1}})", "pow", cost=40),
        Row("real.atan2", r2, REAL, binary["atan2", rt], f"atan2{f}({{0}}, {{1}})", "atan2",
            cost=40),
        Row("real.neg", (REAL,), REAL, unary["~", rt], "-{0}", "~"),
        Row("real.abs", (REAL,), REAL, builtin["abs", rt], f"fabs{f}({{0}})", "abs"),
        Row("real.sqrt", (REAL,), REAL, builtin["sqrt", rt], f"sqrt{f}({{0}})", "sqrt", cost=10),
        Row("real.log", (REAL,), REAL, builtin["log", rt], f"log{f}({{0}})", "log", cost=20),
        Row("real.exp", (REAL,), REAL, builtin["exp", rt], f"exp{f}({{0}})", "exp", cost=20),
        *[
            Row(f"real.{name}", (REAL,), REAL, builtin[name, rt], f"{c}{f}({{0}})", name, cost=cost)
            for name, (c, cost) in REAL_FUNCTIONS.items()
        ],
        Row("real.eq", r2, BOOL, binary["=", rt], "{0} == {1}", "=", commutative=True),
        Row("real.lt", r2, BOOL, binary["<", rt], "{0} < {1}", "<"),
        Row("real.le", r2, BOOL, binary["<=", rt], "{0} <= {1}", "<="),
    ]  # fmt: skip


def _between_types(a: Arithmetic) -> list[Row]:
    builtin, it, rt, ct = a.builtin, types.INT, types.REAL, types.CHAR
    to_int = f"(int{a.int_bits}_t){{0}}"
    to_real = "(float){0}" if a.real_bits == 32 else "(double){0}"
    to_single = "{0}" if a.real_bits == 32 else "(double)(float){0}"
    return [
        Row("int.to_real", (INT,), REAL, builtin["toReal", it], to_real, "toReal"),
        Row("real.trunc", (REAL,), INT, builtin["trunc", rt], "real_trunc({0})", "trunc"),
        Row("bool.to_int", (BOOL,), INT, int, to_int, "toInt"),
        Row("real.single", (REAL,), REAL, _single, to_single, "single"),
        Row("real.half", (REAL,), REAL, _half, "real_half({0})", "half", cost=5),
        Row("real.key", (REAL,), INT, builtin["bits", rt], "real_key({0})", "bits"),
        Row("real.key_high", (REAL,), INT, lambda x: a.wrap(_bits(a, x) >> a.int_bits),
            "real_key_high({0})", "keyHigh"),
        Row("key.real", (INT, INT), REAL, lambda low, high: _of_bits(a, low, high),
            "key_real({0}, {1})", "ofKey"),
        Row("char.ord", (CHAR,), INT, builtin["ord", ct], to_int, "ord"),
        Row("char.chr", (INT,), CHAR, builtin["chr", it], "char_chr({0})", "chr"),
    ]  # fmt: skip


def _of_the_rest(a: Arithmetic) -> list[Row]:
    binary, unary, bt, ct = a.binary, a.unary, types.BOOL, types.CHAR
    b2, c2 = (BOOL, BOOL), (CHAR, CHAR)
    return [
        Row("bool.and", b2, BOOL, binary["&&", bt], "{0} & {1}", "&&", commutative=True),
        Row("bool.or", b2, BOOL, binary["||", bt], "{0} | {1}", "||", commutative=True),
        Row("char.eq", c2, BOOL, binary["=", ct], "{0} == {1}", "=", commutative=True),
        Row("char.lt", c2, BOOL, binary["<", ct], "{0} < {1}", "<"),
        Row("char.le", c2, BOOL, binary["<=", ct], "{0} <= {1}", "<="),
        Row("bool.not", (BOOL,), BOOL, unary["not", bt], "!{0}", "not"),
    ]  # fmt: skip


def _single(x: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(x))


def _bits(a: Arithmetic, x: float) -> int:
    """The bits of a real as a key: -0.0 is 0.0, and all that are no numbers are one."""
    return bits_of(x, a.real_bits)


def _of_bits(a: Arithmetic, low: int, high: int) -> float:
    """The real with these bits, as far as ints have room for them in `low`."""
    mask = (1 << a.int_bits) - 1
    bits = ((high & mask) << a.int_bits | low & mask) & ((1 << a.real_bits) - 1)
    return float(
        struct.unpack(REAL_FORMATS[a.real_bits], bits.to_bytes(a.real_bits // 8, "little"))[0]
    )


def _half(x: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float16(x))


def _of_primitive(a: Arithmetic, name: str, operation: str) -> Row:
    """The row of a primitive of the language that L0 has as a function."""
    row = NAMED[name]
    types_ = {"int": INT, "float": REAL, "bool": BOOL}
    return Row(
        operation, (types_[row.arguments[0]],), types_[row.result], a.builtin[name, operand(row)],
        row.c or "", name,
    )  # fmt: skip


@cache
def table(arithmetic: Arithmetic) -> Mapping[str, Row]:
    """The rows by name; they differ in what they mean, not in their types.

    `int.area` is the product of two sizes, 0 counted as 1, or one more than the most elements of
    an array where it exceeds that: it says whether an array of these sizes can be.
    """
    return {row.name: row for row in _rows(arithmetic)}


LOAD: Final = 2
"""The cost of reading an element, in additions."""

TABLE: Final = table(WIDE)
"""The rows of 64 bits; types, costs and laws are the same at all widths."""
