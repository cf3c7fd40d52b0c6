"""Operations of staged reals that L0 has no functions for, by formulas: hypot, copysign, fmod,
logaddexp, and degrees.

They give what NumPy gives but for two or three units in the last place; signs of zeros, infinity
and what is no number are as there.
"""

from __future__ import annotations

import math
from typing import Any, Final

from cogen.array.l0.types import INT, REAL
from cogen.staging.scalaroperations import select
from cogen.staging.stagedconditionals import conditional
from cogen.staging.stagedscalars import Scalar, apply, cast, join, operation, scalar


def _reals(operands: list[Scalar]) -> list[Any]:
    return [cast(x, REAL) for x in operands]


def _both(*tests: Any) -> Any:
    found = tests[0]
    for test in tests[1:]:
        found = apply("logical_and", found, test)
    return found


def _either(a: Any, b: Any) -> Any:
    return apply("logical_or", a, b)


def _is_negative(x: Any) -> Any:
    """Whether a real has a sign: less than 0, or -0.0."""
    return _either(x < 0.0, _both(x == 0.0, 1.0 / x < 0.0))


@operation("signbit")
def _signbit(operands: list[Scalar], elements: bool) -> Scalar:
    (x,) = _reals(operands)
    return scalar(_is_negative(x))


@operation("copysign")
def _copysign(operands: list[Scalar], elements: bool) -> Scalar:
    x, sign = _reals(operands)
    size = apply("absolute", x)
    return scalar(select(_is_negative(sign), -size, size))


@operation("hypot")
def _hypot(operands: list[Scalar], elements: bool) -> Scalar:
    """The root of the sum of the squares.

    Of elements it is m sqrt(1 + (n / m)^2) of the larger m and the smaller n, since the squares may
    be beyond the reals, or below; of numbers only where they are.
    """
    x, y = _reals(operands)
    if elements:
        return scalar(_scaled_hypot(x, y))
    squares = x * x + y * y
    whole = _both(squares > LEAST_SQUARE, squares < math.inf)
    return scalar(conditional(whole, lambda: apply("sqrt", squares), lambda: _scaled_hypot(x, y)))


LEAST_SQUARE: Final = 1e-280
"""Sums of squares above have lost nothing that counts to what is below the reals."""


def _scaled_hypot(x: Any, y: Any) -> Any:
    x, y = apply("absolute", x), apply("absolute", y)
    more, less = apply("maximum", x, y), apply("minimum", x, y)
    ratio = less / more
    found = select(more == 0.0, more, more * apply("sqrt", ratio * ratio + 1.0))
    return select(_either(x == math.inf, y == math.inf), math.inf, found)


@operation("fmod")
def _fmod(operands: list[Scalar], elements: bool) -> Scalar:
    """What is left, with the sign of the dividend."""
    t = join([x.type for x in operands], INT)
    a, b = (cast(x, t) for x in operands)
    rest = apply("remainder", apply("absolute", a), apply("absolute", b))
    if t == INT:
        return scalar(select(a < 0, -rest, rest))
    return scalar(apply("copysign", rest, a))


@operation("logaddexp")
def _logaddexp(operands: list[Scalar], elements: bool) -> Scalar:
    """log(exp(a) + exp(b)), whose powers may not be reals."""
    a, b = _reals(operands)
    more = apply("maximum", a, b)
    found = more + apply("log1p", apply("exp", -apply("absolute", a - b)))
    return scalar(select(a == b, a + math.log(2.0), found))


@operation("deg2rad", "radians")
def _radians(operands: list[Scalar], elements: bool) -> Scalar:
    (x,) = _reals(operands)
    return scalar(x * (math.pi / 180.0))


@operation("rad2deg", "degrees")
def _degrees(operands: list[Scalar], elements: bool) -> Scalar:
    (x,) = _reals(operands)
    return scalar(x * (180.0 / math.pi))
