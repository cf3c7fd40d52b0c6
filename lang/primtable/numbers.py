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
from cogen.lang.lexical import parse_number
from cogen.lang.primtable.row import (
    SIZE,
    PrimitiveError,
    PrimitiveRow,
    expected,
    fitting,
    need_int,
    overflow,
    row,
)
from cogen.lang.printer import format_float

INF = math.inf
NAN = math.nan

_Number = TypeVar("_Number", int, int | float)


def need_number(name: str, x: Datum) -> int | float:
    """The argument if it is a number."""
    if type(x) is int or type(x) is float:
        return x
    raise expected(name, "a number", x)


def _need_float(name: str, x: Datum) -> float:
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
    x, y = _need_float("/", a), _need_float("/", b)
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
        x, y = _need_float(name, a), _need_float(name, b)
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
    x, y = _need_float("expt", base), _need_float("expt", exponent)
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


# Rounding and conversion


def _rounder(name: str, operation: Callable[[float], int]) -> Callable[[Datum], int | float]:
    def rounder(x: Datum) -> int | float:
        number = need_number(name, x)
        if type(number) is int or not math.isfinite(number):
            return number
        return math.copysign(float(operation(number)), number)

    return rounder


def exact(x: Datum) -> int:
    """`exact`: an integral float as an integer."""
    number = need_number("exact", x)
    if isinstance(number, int):
        return number
    if not number.is_integer():
        raise PrimitiveError("type", f"exact: {format_float(number)} is not an integer")
    return fitting("exact", int(number))


def inexact(x: Datum) -> float:
    """`inexact`"""
    return _need_float("inexact", x)


def _sqrt(x: Datum) -> int | float:
    number = need_number("sqrt", x)
    if number < 0:
        return NAN
    if type(number) is int:
        root = math.isqrt(number)
        if root * root == number:
            return root
    return math.sqrt(number)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return INF


def natural_log(x: float) -> float:
    """The natural logarithm as C's `log`."""
    if x == 0.0:
        return -INF
    return math.log(x) if x > 0.0 else NAN


def _log(*arguments: Datum) -> float:
    logs = [natural_log(_need_float("log", x)) for x in arguments]
    return logs[0] if len(logs) == 1 else float(divide(*logs))


def _float_function(name: str, function: Callable[[float], float]) -> Callable[[Datum], float]:
    def apply(x: Datum) -> float:
        try:
            return function(_need_float(name, x))
        except ValueError:
            return NAN

    return apply


def _atan(*arguments: Datum) -> float:
    numbers = [_need_float("atan", x) for x in arguments]
    return math.atan(numbers[0]) if len(numbers) == 1 else math.atan2(*numbers)


DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _in_radix(number: int, radix: int) -> str:
    if radix == 10:
        return str(number)
    rest, digits = abs(number), []
    while rest:
        rest, digit = divmod(rest, radix)
        digits.append(DIGITS[digit])
    text = "".join(reversed(digits)) or "0"
    return "-" + text if number < 0 else text


def _need_radix(name: str, radix: Datum) -> int:
    if type(radix) is int and radix in (2, 8, 10, 16):
        return radix
    raise expected(name, "a radix of 2, 8, 10 or 16", radix)


def _number_to_string(x: Datum, radix: Datum = 10) -> str:
    number = need_number("number->string", x)
    base = _need_radix("number->string", radix)
    if type(number) is int:
        return _in_radix(number, base)
    if base != 10:
        raise expected("number->string", "an integer, as the radix is not 10", x)
    return format_float(number)


def _string_to_number(text: Datum, radix: Datum = 10) -> Datum:
    if type(text) is not str:
        raise expected("string->number", "a string", text)
    number = parse_number(text, _need_radix("string->number", radix))
    if number is None:
        return False
    return fitting("string->number", number) if type(number) is int else number


_BY_TYPE = {"arrays": "an array program has exact-integer?, as types are known"}

_ARITHMETIC = (
    row("+", "number number", "number", add, "Sum.",
        fails="type overflow", fold="left", identity=0, unit=0),
    row("-", "number number", "number", subtract, "Difference; (- x) is x negated.",
        fails="type overflow", fold="left", unit=0),
    row("*", "number number", "number", multiply, "Product.",
        fails="type overflow", fold="left", identity=1, unit=1),
    row("/", "number number", "number", divide,
        "Quotient: of integers the integer, an error if there is none; of floats IEEE's.",
        fails="type division overflow", fold="left", unit=1),
    row("quotient", "integer integer", "number", _whole("quotient", _quotient, _float_quotient),
        "Integer quotient, rounded toward zero.",
        fails="type division overflow"),
    row("remainder", "integer integer", "number", _whole("remainder", _remainder, math.fmod),
        "What `quotient` leaves; has the sign of the first argument.",
        fails="type division"),
    row("modulo", "integer integer", "number",
        _whole("modulo", operator.mod, _float_floor_remainder),
        "What `floor-quotient` leaves; has the sign of the second argument.",
        fails="type division"),
    row("floor-quotient", "integer integer", "number",
        _whole("floor-quotient", operator.floordiv, _float_floor_quotient),
        "Integer quotient, rounded toward minus infinity.",
        fails="type division overflow"),
    row("floor-remainder", "integer integer", "number",
        _whole("floor-remainder", operator.mod, _float_floor_remainder),
        "The same as `modulo`.",
        fails="type division"),
    row("truncate-quotient", "integer integer", "number",
        _whole("truncate-quotient", _quotient, _float_quotient),
        "The same as `quotient`.",
        fails="type division overflow"),
    row("truncate-remainder", "integer integer", "number",
        _whole("truncate-remainder", _remainder, math.fmod),
        "The same as `remainder`.",
        fails="type division"),
    row("abs", "number", "number", absolute, "Absolute value.", fails="type overflow"),
    row("min", "number number", "number", _extreme("min", min),
        "The smaller one; NaN if either is.",
        fold="left", interval=lambda a, b: (min(a[0], b[0]), min(a[1], b[1]))),
    row("max", "number number", "number", _extreme("max", max),
        "The larger one; NaN if either is.",
        fold="left", interval=lambda a, b: (max(a[0], b[0]), max(a[1], b[1]))),
    row("gcd", "integer integer", "number", _whole("gcd", math.gcd, _float_gcd, divides=False),
        "Greatest common divisor, not negative.",
        fails="type overflow", fold="left", identity=0, unit=0,
        interval=lambda a, b: SIZE),
    row("lcm", "integer integer", "number", _whole("lcm", math.lcm, _float_lcm, divides=False),
        "Least common multiple, not negative.",
        fails="type overflow", fold="left", identity=1, unit=1),
    row("square", "number", "number", square, "The product of x and x.", fails="type overflow"),
    row("expt", "number number", "number", expt,
        "Power: of integers exact, an error if it is a fraction; of floats C's `pow`.",
        fails="type division overflow"),
)  # fmt: skip

_COMPARISON = (
    row("=", "number number", "bool", _compare("=", operator.eq), "Equal numbers.", fold="chain"),
    row("<", "number number", "bool", _compare("<", operator.lt), "Increasing numbers.",
        fold="chain"),
    row(">", "number number", "bool", _compare(">", operator.gt), "Decreasing numbers.",
        fold="chain"),
    row("<=", "number number", "bool", _compare("<=", operator.le), "Numbers that never decrease.",
        fold="chain"),
    row(">=", "number number", "bool", _compare(">=", operator.ge), "Numbers that never increase.",
        fold="chain"),
    row("zero?", "number", "bool", _number_test("zero?", lambda x: x == 0), "Is x zero?"),
    row("positive?", "number", "bool", _number_test("positive?", lambda x: x > 0),
        "Is x above zero?"),
    row("negative?", "number", "bool", _number_test("negative?", lambda x: x < 0),
        "Is x below zero?"),
    row("odd?", "integer", "bool", lambda x: not _is_even("odd?", x), "Is x odd?"),
    row("even?", "integer", "bool", lambda x: _is_even("even?", x), "Is x even?"),
    row("number?", "any", "bool", _is_number, "Is x a number?", fails=""),
    row("real?", "any", "bool", _is_number, "Is x a number?", fails=""),
    row("complex?", "any", "bool", _is_number, "Is x a number?", fails=""),
    row("rational?", "any", "bool", _is_rational, "Is x a finite number?", fails=""),
    row("integer?", "any", "bool", _is_integer, "Is x a number without a fraction?", fails=""),
    row("exact-integer?", "any", "bool", lambda x: type(x) is int, "Is x an integer, no float?",
        fails=""),
    row("exact?", "number", "bool", _number_test("exact?", lambda x: type(x) is int),
        "Is the number an integer, no float?", without=_BY_TYPE),
    row("inexact?", "number", "bool", _number_test("inexact?", lambda x: type(x) is float),
        "Is the number a float?", without=_BY_TYPE),
    row("nan?", "number", "bool", _number_test("nan?", lambda x: x != x), "Is x a NaN?"),
    row("infinite?", "number", "bool", _number_test("infinite?", lambda x: x in (INF, -INF)),
        "Is x infinite?"),
    row("finite?", "number", "bool", _number_test("finite?", math.isfinite), "Is x finite?"),
)  # fmt: skip

_CONVERSION = (
    row("floor", "number", "number", _rounder("floor", math.floor),
        "The integer below, a float of a float."),
    row("ceiling", "number", "number", _rounder("ceiling", math.ceil),
        "The integer above, a float of a float."),
    row("round", "number", "number", _rounder("round", round),
        "The nearest integer, ties to even, a float of a float."),
    row("truncate", "number", "number", _rounder("truncate", math.trunc),
        "The integer toward zero, a float of a float."),
    row("exact", "number", "int", exact, "A float without a fraction as an integer.",
        fails="type overflow"),
    row("inexact->exact", "number", "int", exact, "The same as `exact`.",
        fails="type overflow"),
    row("inexact", "number", "float", inexact, "The nearest float."),
    row("exact->inexact", "number", "float", inexact, "The same as `inexact`."),
    row("sqrt", "number", "number", _sqrt,
        "Square root: of a square integer an integer, of a negative number NaN."),
    row("exp", "number", "float", _float_function("exp", _exp), "e to the power x."),
    row("log", "number number", "float", _log,
        "Natural logarithm, or to the base of a second argument.", arity=(1, 2)),
    row("sin", "number", "float", _float_function("sin", math.sin), "Sine."),
    row("cos", "number", "float", _float_function("cos", math.cos), "Cosine."),
    row("tan", "number", "float", _float_function("tan", math.tan), "Tangent."),
    row("asin", "number", "float", _float_function("asin", math.asin), "Arc sine."),
    row("acos", "number", "float", _float_function("acos", math.acos), "Arc cosine."),
    row("atan", "number number", "float", _atan, "Arc tangent of x, or of y/x by quadrant.",
        arity=(1, 2)),
    row("number->string", "number int", "string", _number_to_string,
        "The number as text, integers in any radix of 2, 8, 10, 16.", arity=(1, 2)),
    row("string->number", "string int", "any", _string_to_number,
        "The number that the text writes, or #f.", fails="type overflow", arity=(1, 2)),
)  # fmt: skip

ROWS: tuple[PrimitiveRow, ...] = (*_ARITHMETIC, *_COMPARISON, *_CONVERSION)
