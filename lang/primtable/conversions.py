"""Rows of the primitive table: rounding, conversions, and functions of floats, which never fail."""

from __future__ import annotations

import math
from collections.abc import Callable

from cogen.lang.datum import Datum
from cogen.lang.lexical import parse_number
from cogen.lang.primtable.checks import PrimitiveError, expected, fitting
from cogen.lang.primtable.numbers import INF, NAN, divide, need_float, need_number
from cogen.lang.primtable.row import PrimitiveRow, row
from cogen.lang.printer import format_float


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
    return need_float("inexact", x)


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
    logs = [natural_log(need_float("log", x)) for x in arguments]
    return logs[0] if len(logs) == 1 else float(divide(*logs))


def _float_function(name: str, function: Callable[[float], float]) -> Callable[[Datum], float]:
    def apply(x: Datum) -> float:
        try:
            return function(need_float(name, x))
        except ValueError:
            return NAN

    return apply


def _atan(*arguments: Datum) -> float:
    numbers = [need_float("atan", x) for x in arguments]
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


_CONVERSION = (
    row("floor", "number", "number", _rounder("floor", math.floor),
        "The integer below, a float of a float.", typed=True),
    row("ceiling", "number", "number", _rounder("ceiling", math.ceil),
        "The integer above, a float of a float.", typed=True),
    row("round", "number", "number", _rounder("round", round),
        "The nearest integer, ties to even, a float of a float.", typed=True),
    row("truncate", "number", "number", _rounder("truncate", math.trunc),
        "The integer toward zero, a float of a float.", typed=True),
    row("exact", "number", "int", exact, "A float without a fraction as an integer.",
        fails="type overflow"),
    row("inexact->exact", "number", "int", exact, "The same as `exact`.",
        fails="type overflow"),
    row("inexact", "number", "float", inexact, "The nearest float.", typed=True),
    row("exact->inexact", "number", "float", inexact, "The same as `inexact`.", typed=True),
    row("sqrt", "number", "number", _sqrt,
        "Square root: of a square integer an integer, of a negative number NaN."),
    row("exp", "number", "float", _float_function("exp", _exp), "e to the power x.", typed=True),
    row("log", "number number", "float", _log,
        "Natural logarithm, or to the base of a second argument.", arity=(1, 2)),
    row("sin", "number", "float", _float_function("sin", math.sin), "Sine.", typed=True),
    row("cos", "number", "float", _float_function("cos", math.cos), "Cosine.", typed=True),
    row("tan", "number", "float", _float_function("tan", math.tan), "Tangent.", typed=True),
    row("asin", "number", "float", _float_function("asin", math.asin), "Arc sine."),
    row("acos", "number", "float", _float_function("acos", math.acos), "Arc cosine."),
    row("atan", "number number", "float", _atan, "Arc tangent of x, or of y/x by quadrant.",
        arity=(1, 2)),
    row("number->string", "number int", "string", _number_to_string,
        "The number as text, integers in any radix of 2, 8, 10, 16.", arity=(1, 2)),
    row("string->number", "string int", "any", _string_to_number,
        "The number that the text writes, or #f.", fails="type overflow", arity=(1, 2)),
)  # fmt: skip

ROWS: tuple[PrimitiveRow, ...] = _CONVERSION
