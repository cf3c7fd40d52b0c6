"""Rows of the primitive table: numbers.

Laws
    every integer result lies in [-2^63, 2^63); any other is an overflow error
    an exact 0 is the identity of + and -, an exact 1 that of * and /, for floats too: (+ 0 -0.0)
    and (- 0 0.0) are -0.0
    a = base * (floor-quotient a base) + (floor-remainder a base), and the remainder has the
    sign of the base; quotient and remainder the same with the sign of a; of floats that have
    no fraction they are floats, as near as floats are
    float operations are those of IEEE 754 binary64; they never fail
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TypeVar

from cogen.lang.datum import Datum
from cogen.lang.primtable import intervals
from cogen.lang.primtable.checks import PrimitiveError, expected, fitting, need_int, overflow
from cogen.lang.primtable.row import PrimitiveRow, row

INF = math.inf
NAN = math.nan

_Number = TypeVar("_Number", int, int | float)


def need_number(name: str, x: Datum) -> int | float:
    """The argument if it is a number."""
    if type(x) is int or type(x) is float:
        return x
    raise expected(name, "a number", x)


def need_float(name: str, x: Datum) -> float:
    """The argument, a number, as a float."""
    return float(need_number(name, x))


# Arithmetic


def add(a: Datum, b: Datum) -> int | float:
    """`+`"""
    if type(a) is int and type(b) is int:
        return fitting("+", a + b)
    need_number("+", a)
    need_number("+", b)
    if type(a) is int and a == 0:
        return float(b)
    if type(b) is int and b == 0:
        return float(a)
    return float(a + b)


def subtract(a: Datum, b: Datum) -> int | float:
    """`-`"""
    if type(a) is int and type(b) is int:
        return fitting("-", a - b)
    need_number("-", a)
    need_number("-", b)
    if type(a) is int and a == 0:
        return -float(b)
    return float(a - b)


def multiply(a: Datum, b: Datum) -> int | float:
    """`*`"""
    if type(a) is int and type(b) is int:
        return fitting("*", a * b)
    return float(need_number("*", a) * need_number("*", b))


def need_nonzero(name: str, b: _Number) -> _Number:
    """The divisor if it is not zero."""
    if b == 0:
        raise PrimitiveError("division", f"{name}: division by zero")
    return b


def divide(a: Datum, b: Datum) -> int | float:
    """`/`: of integers the integer, if there is one; of floats IEEE's."""
    if type(a) is int and type(b) is int:
        quotient, rest = divmod(a, need_nonzero("/", b))
        if rest:
            raise PrimitiveError(
                "division", f"/: {a} is not divisible by {b}, and there are no fractions"
            )
        return fitting("/", quotient)
    x, y = need_float("/", a), need_float("/", b)
    if y != 0.0:
        return x / y
    if x == 0.0 or x != x:
        return NAN
    return math.copysign(INF, x) * math.copysign(1.0, y)


_Binary = Callable[[Datum, Datum], int | float]


def need_whole(name: str, x: Datum) -> int | float:
    """The argument if it is an integer, be it a float."""
    if type(x) is int or (type(x) is float and x.is_integer()):
        return x
    raise expected(name, "an integer", x)


def _whole(
    name: str,
    operation: Callable[[int, int], int],
    of_floats: Callable[[float, float], float],
    divides: bool = True,
) -> _Binary:
    """An operation of two integers; if one is a float, so is the result."""

    def whole(a: Datum, b: Datum) -> int | float:
        if type(a) is int and type(b) is int and (b or not divides):
            return fitting(name, operation(a, b))
        x, y = need_whole(name, a), need_whole(name, b)
        return of_floats(float(x), float(need_nonzero(name, y) if divides else y))

    return whole


def _quotient(a: int, b: int) -> int:
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def _remainder(a: int, b: int) -> int:
    return a - b * _quotient(a, b)


def _float_quotient(a: float, b: float) -> float:
    return (a - math.fmod(a, b)) / b


def _float_floor_quotient(a: float, b: float) -> float:
    rest = math.fmod(a, b)
    return (a - rest) / b - (rest != 0 and (rest < 0) != (b < 0))


def _float_floor_remainder(a: float, b: float) -> float:
    rest = math.fmod(a, b)
    return rest + b if rest != 0 and (rest < 0) != (b < 0) else rest


def _float_gcd(a: float, b: float) -> float:
    return float(math.gcd(int(a), int(b)))


def _float_lcm(a: float, b: float) -> float:
    return abs(a) / _float_gcd(a, b) * abs(b) if a and b else 0.0


def _is_even(name: str, x: Datum) -> bool:
    return need_whole(name, x) % 2 == 0


def absolute(x: Datum) -> int | float:
    """`abs`"""
    if type(x) is int:
        return fitting("abs", abs(x))
    return abs(need_number("abs", x))


def _extreme(name: str, choose: Callable[..., int | float]) -> _Binary:
    def extreme(a: Datum, b: Datum) -> int | float:
        if type(a) is int and type(b) is int:
            return choose(a, b)
        x, y = need_float(name, a), need_float(name, b)
        return NAN if x != x or y != y else choose(x, y)

    return extreme


def of_integers(name: str, operation: Callable[[int, int], int]) -> Callable[[Datum, Datum], int]:
    """An operation of two integers; the result is checked."""

    def checked(a: Datum, b: Datum) -> int:
        return fitting(name, operation(need_int(name, a), need_int(name, b)))

    return checked


def square(x: Datum) -> int | float:
    """`square`"""
    if type(x) is int:
        return fitting("square", x * x)
    number = need_number("square", x)
    return number * number


def expt(base: Datum, exponent: Datum) -> int | float:
    """`expt`: of integers the exact power, of floats C's `pow`."""
    if type(base) is int and type(exponent) is int:
        return _integer_power(base, exponent)
    x, y = need_float("expt", base), need_float("expt", exponent)
    try:
        return math.pow(x, y)
    except OverflowError:
        odd = y.is_integer() and y % 2 == 1
        return -INF if x < 0 and odd else INF
    except ValueError:  # a negative number to a fraction, or zero to a negative power
        if x != 0.0:
            return NAN
        odd = y.is_integer() and y % 2 == 1
        return math.copysign(INF, x) if odd else INF


def _integer_power(base: int, exponent: int) -> int:
    if base in (0, 1, -1):
        if base == 0 and exponent < 0:
            raise PrimitiveError("division", "expt: division by zero")
        return 1 if exponent == 0 or (base == -1 and exponent % 2 == 0) else base
    if exponent < 0:
        raise PrimitiveError("division", "expt: the result is a fraction, and there are none")
    if exponent > 64:
        raise overflow("expt")
    return fitting("expt", base**exponent)


# Comparison


def _compare(name: str, operation: Callable[..., bool]) -> Callable[[Datum, Datum], bool]:
    def compare(a: Datum, b: Datum) -> bool:
        if type(a) is int and type(b) is int:
            return operation(a, b)
        return operation(need_number(name, a), need_number(name, b))

    return compare


def _number_test(name: str, test: Callable[..., bool]) -> Callable[[Datum], bool]:
    return lambda x: test(need_number(name, x))


def _is_number(x: Datum) -> bool:
    return type(x) is int or type(x) is float


def _is_integer(x: Datum) -> bool:
    return type(x) is int or (type(x) is float and x.is_integer())


def _is_rational(x: Datum) -> bool:
    return type(x) is int or (type(x) is float and math.isfinite(x))


_BY_TYPE = {"arrays": "an array program has exact-integer?, as types are known"}

_ARITHMETIC = (
    row("+", "number number", "number", add, "Sum.",
        fails="type overflow", fold="left", identity=0, unit=0, interval=intervals.sum_of,
        commutes=True, inline="{0} + {1}", typed=True),
    row("-", "number number", "number", subtract, "Difference; (- x) is x negated.",
        fails="type overflow", fold="left", unit=0, interval=intervals.difference,
        inline="{0} - {1}", typed=True),
    row("*", "number number", "number", multiply, "Product.",
        fails="type overflow", fold="left", identity=1, unit=1, interval=intervals.product,
        commutes=True, inline="{0} * {1}", typed=True),
    row("/", "number number", "number", divide,
        "Quotient: of integers the integer, an error if there is none; of floats IEEE's.",
        fails="type division overflow", fold="left", unit=1, typed=True),
    row("quotient", "integer integer", "number", _whole("quotient", _quotient, _float_quotient),
        "Integer quotient, rounded toward zero.",
        fails="type division overflow", interval=intervals.quotient, typed=True),
    row("remainder", "integer integer", "number", _whole("remainder", _remainder, math.fmod),
        "What `quotient` leaves; has the sign of the first argument.",
        fails="type division", interval=intervals.remainder, typed=True),
    row("modulo", "integer integer", "number",
        _whole("modulo", operator.mod, _float_floor_remainder),
        "What `floor-quotient` leaves; has the sign of the second argument.",
        fails="type division", interval=intervals.floor_remainder, operator="%", typed=True),
    row("floor-quotient", "integer integer", "number",
        _whole("floor-quotient", operator.floordiv, _float_floor_quotient),
        "Integer quotient, rounded toward minus infinity.",
        fails="type division overflow", interval=intervals.floor_quotient, operator="/",
        typed=True),
    row("floor-remainder", "integer integer", "number",
        _whole("floor-remainder", operator.mod, _float_floor_remainder),
        "The same as `modulo`.",
        fails="type division", interval=intervals.floor_remainder, operator="%", typed=True),
    row("truncate-quotient", "integer integer", "number",
        _whole("truncate-quotient", _quotient, _float_quotient),
        "The same as `quotient`.",
        fails="type division overflow", interval=intervals.quotient, typed=True),
    row("truncate-remainder", "integer integer", "number",
        _whole("truncate-remainder", _remainder, math.fmod),
        "The same as `remainder`.",
        fails="type division", interval=intervals.remainder, typed=True),
    row("abs", "number", "number", absolute, "Absolute value.", fails="type overflow",
        interval=intervals.absolute, typed=True),
    row("min", "number number", "number", _extreme("min", min),
        "The smaller one; NaN if either is.",
        fold="left", interval=intervals.least, chooses="<=", typed=True),
    row("max", "number number", "number", _extreme("max", max),
        "The larger one; NaN if either is.",
        fold="left", interval=intervals.greatest, chooses=">=", typed=True),
    row("gcd", "integer integer", "number", _whole("gcd", math.gcd, _float_gcd, divides=False),
        "Greatest common divisor, not negative.",
        fails="type overflow", fold="left", identity=0, unit=0,
        interval=lambda a, b: intervals.SIZE, commutes=True, typed=True),
    row("lcm", "integer integer", "number", _whole("lcm", math.lcm, _float_lcm, divides=False),
        "Least common multiple, not negative.",
        fails="type overflow", fold="left", identity=1, unit=1, commutes=True, typed=True),
    row("square", "number", "number", square, "The product of x and x.", fails="type overflow",
        interval=intervals.square, typed=True),
    row("expt", "number number", "number", expt,
        "Power: of integers exact, an error if it is a fraction; of floats C's `pow`.",
        fails="type division overflow"),
)  # fmt: skip

_COMPARISON = (
    row("=", "number number", "bool", _compare("=", operator.eq), "Equal numbers.", fold="chain",
        commutes=True, inline="{0} == {1}", typed=True),
    row("<", "number number", "bool", _compare("<", operator.lt), "Increasing numbers.",
        fold="chain", inline="{0} < {1}", typed=True),
    row(">", "number number", "bool", _compare(">", operator.gt), "Decreasing numbers.",
        fold="chain", inline="{0} > {1}", typed=True),
    row("<=", "number number", "bool", _compare("<=", operator.le), "Numbers that never decrease.",
        fold="chain", inline="{0} <= {1}", typed=True),
    row(">=", "number number", "bool", _compare(">=", operator.ge), "Numbers that never increase.",
        fold="chain", inline="{0} >= {1}", typed=True),
    row("zero?", "number", "bool", _number_test("zero?", lambda x: x == 0), "Is x zero?",
        inline="{0} == 0", typed=True),
    row("positive?", "number", "bool", _number_test("positive?", lambda x: x > 0),
        "Is x above zero?", inline="{0} > 0", typed=True),
    row("negative?", "number", "bool", _number_test("negative?", lambda x: x < 0),
        "Is x below zero?", inline="{0} < 0", typed=True),
    row("odd?", "integer", "bool", lambda x: not _is_even("odd?", x), "Is x odd?", typed=True),
    row("even?", "integer", "bool", lambda x: _is_even("even?", x), "Is x even?", typed=True),
    row("number?", "any", "bool", _is_number, "Is x a number?", fails=""),
    row("real?", "any", "bool", _is_number, "Is x a number?", fails=""),
    row("complex?", "any", "bool", _is_number, "Is x a number?", fails=""),
    row("rational?", "any", "bool", _is_rational, "Is x a finite number?", fails=""),
    row("integer?", "any", "bool", _is_integer, "Is x a number without a fraction?", fails=""),
    row("exact-integer?", "any", "bool", lambda x: type(x) is int, "Is x an integer, no float?",
        fails=""),
    row("exact?", "number", "bool", _number_test("exact?", lambda x: type(x) is int),
        "Is the number an integer, no float?", without=_BY_TYPE, typed=True),
    row("inexact?", "number", "bool", _number_test("inexact?", lambda x: type(x) is float),
        "Is the number a float?", without=_BY_TYPE, typed=True),
    row("nan?", "number", "bool", _number_test("nan?", lambda x: x != x), "Is x a NaN?",
        typed=True),
    row("infinite?", "number", "bool", _number_test("infinite?", lambda x: x in (INF, -INF)),
        "Is x infinite?", typed=True),
    row("finite?", "number", "bool", _number_test("finite?", math.isfinite), "Is x finite?",
        typed=True),
)  # fmt: skip

ROWS: tuple[PrimitiveRow, ...] = (*_ARITHMETIC, *_COMPARISON)
