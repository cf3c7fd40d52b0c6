"""What L0's operators and built-in functions compute.

Integers have 64 bits and wrap around; reals are binary64 and follow IEEE 754. `/` and `%` of
integers floor, and a zero divisor is a `Fault`. Three points are decided here so that they are
the same on every target: a shift counts modulo 64; `trunc` of what is out of range gives the
nearest integer there is, of nan 0; `%` of reals has the sign of the divisor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cogen.array.l0.keys import bits_of
from cogen.array.l0.primitives import MEANINGS
from cogen.array.l0.signatures import OF_NUMPY
from cogen.array.l0.types import BOOL, CHAR, INT, REAL, Type

LEAST: Final = -(1 << 63)
GREATEST: Final = (1 << 63) - 1


class Fault(Exception):
    """A run-time error of an operation; whoever ran it knows the place."""


def wrap(n: int) -> int:
    """The integer modulo 2^64 that an int holds."""
    if LEAST <= n <= GREATEST:
        return n
    return ((n - LEAST) & ((1 << 64) - 1)) + LEAST


def _divide(a: int, b: int) -> int:
    if b == 0:
        raise Fault("division by zero")
    return wrap(a // b)


def _modulo(a: int, b: int) -> int:
    if b == 0:
        raise Fault("division by zero")
    return a % b


def _power(a: int, b: int) -> int:
    if b >= 0:
        return wrap(pow(a, b, 1 << 64))
    if a == 0:
        raise Fault("0 to a negative power is a division by zero")
    if abs(a) == 1:
        return 1 if a == 1 or b % 2 == 0 else -1
    return 0 if a > 0 or b % 2 == 0 else -1  # the floor of 1 / a^-b


def _divide_real(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _modulo_real(a: float, b: float) -> float:
    if b == 0.0 or math.isinf(a):
        return math.nan
    return a % b


def _power_real(a: float, b: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.power(np.float64(a), np.float64(b)))


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _log(x: float) -> float:
    if x > 0.0 or math.isnan(x):
        return math.log(x)
    return -math.inf if x == 0.0 else math.nan


def _sqrt(x: float) -> float:
    return math.nan if x < 0.0 else math.sqrt(x)


def _trunc(x: float) -> int:
    if math.isnan(x):
        return 0
    if x >= 2.0**63:
        return GREATEST
    return LEAST if x <= -(2.0**63) else int(x)


def _character(code: int) -> str:
    """The character of a code point; of what is none, that which stands for others."""
    return chr(code) if 0 <= code < 0xD800 or 0xE000 <= code < 0x110000 else "\ufffd"


Meaning = Callable[..., Any]


def _defined(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function of reals, nan where it has no value."""

    def meaning(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return math.nan

    return meaning


def _whole(rounded: Callable[[float], int]) -> Callable[[float], float]:
    """A whole number near a real; of 0, with its sign, and what is not finite it is the same."""
    return lambda x: math.copysign(float(rounded(x)), x) if math.isfinite(x) else x


BINARY: Final[dict[tuple[str, Type], Meaning]] = {
    ("+", INT): lambda a, b: wrap(a + b),
    ("-", INT): lambda a, b: wrap(a - b),
    ("*", INT): lambda a, b: wrap(a * b),
    ("/", INT): _divide,
    ("%", INT): _modulo,
    ("pow", INT): _power,
    ("+", REAL): lambda a, b: a + b,
    ("-", REAL): lambda a, b: a - b,
    ("*", REAL): lambda a, b: a * b,
    ("/", REAL): _divide_real,
    ("%", REAL): _modulo_real,
    ("pow", REAL): _power_real,
    ("atan2", REAL): math.atan2,
    ("&", INT): lambda a, b: a & b,
    ("^", INT): lambda a, b: a ^ b,
    ("|", INT): lambda a, b: a | b,
    ("<<", INT): lambda a, b: wrap(a << (b & 63)),
    (">>", INT): lambda a, b: a >> (b & 63),
    ("&&", BOOL): lambda a, b: a and b,
    ("||", BOOL): lambda a, b: a or b,
}
for _t in (INT, REAL, CHAR):
    BINARY["=", _t] = lambda a, b: a == b
    BINARY["<", _t] = lambda a, b: a < b
    BINARY["<=", _t] = lambda a, b: a <= b

UNARY: Final[dict[tuple[str, Type], Meaning]] = {
    ("-", INT): lambda a: wrap(-a),
    ("-", REAL): lambda a: -a,
    ("~", INT): lambda a: wrap(-a),
    ("~", REAL): lambda a: -a,
    ("not", BOOL): lambda a: not a,
}


def _of_numpy(name: str) -> Callable[[float], float]:
    function = getattr(np, name)

    def meaning(x: float) -> float:
        with np.errstate(all="ignore"):
            return float(function(x))

    return meaning


BUILTIN: Final[dict[tuple[str, Type], Meaning]] = {
    ("toReal", INT): float,
    ("trunc", REAL): _trunc,
    ("sqrt", REAL): _sqrt,
    ("log", REAL): _log,
    ("exp", REAL): _exp,
    ("ord", CHAR): ord,
    ("chr", INT): _character,
    ("abs", INT): lambda a: wrap(abs(a)),
    ("abs", REAL): abs,
    ("sin", REAL): _defined(math.sin),
    ("cos", REAL): _defined(math.cos),
    ("tan", REAL): _defined(math.tan),
    ("asin", REAL): _defined(math.asin),
    ("acos", REAL): _defined(math.acos),
    ("atan", REAL): math.atan,
    **{(name, REAL): _of_numpy(numpys) for name, numpys in OF_NUMPY.items()},
    ("floor", REAL): _whole(math.floor),
    ("ceil", REAL): _whole(math.ceil),
    ("round", REAL): _whole(round),
    ("bits", REAL): lambda x: wrap(bits_of(x, 64)),
    **MEANINGS,
}
"""The functions without an effect; `trace` is the interpreter's own."""
