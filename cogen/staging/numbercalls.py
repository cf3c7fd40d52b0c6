"""Python's functions of numbers, and those of `math` and `cmath`, in staged code."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cogen.staging.stagedarrays import Array
from cogen.staging.stagedcomplex import ComplexValue, as_complex, complex_of, is_complex
from cogen.staging.stagedoptionals import StagedOptional
from cogen.staging.stagedscalars import Scalar, Staged, apply
from cogen.staging.stagedscalars import convert as convert_number
from cogen.staging.stagedtexts import StagedString, length_of
from cogen.staging.textoperations import character_of, number_of, order_of, text_of

_NUMPYS: Final = {
    "fabs": "absolute", "pow": "power", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "atan2": "arctan2",
}  # fmt: skip
"""What NumPy calls functions of `math`, where it calls them otherwise."""


def _of_math(name: str) -> Callable[..., Any]:
    plain = getattr(math, name)
    numpys = _NUMPYS.get(name, name)

    def run(*given: Any) -> Any:
        if not any(isinstance(x, Scalar) for x in given):
            return plain(*given)
        found = apply(numpys, *given)
        return convert_number(found, int) if name in ("floor", "ceil", "trunc") else found

    return run


def _of_cmath(name: str) -> Callable[..., Any]:
    plain = getattr(cmath, name)
    whole = getattr(np, _NUMPYS.get(name, name))

    def run(*given: Any) -> Any:
        if not any(isinstance(x, Staged) for x in given):
            return plain(*given)
        found = whole(as_complex(given[0]))
        return found / plain(given[1]) if len(given) > 1 else found

    return run


def _complex(*given: Any) -> Any:
    """`complex`."""
    if not any(isinstance(x, Staged) for x in given):
        return complex(*given)
    if len(given) == 1:
        return as_complex(given[0])
    real, imag = given
    if is_complex(real) or is_complex(imag):
        return real + imag * 1j
    return complex_of(real, imag)


def _number_of(dtype: Any) -> Callable[..., Any]:
    def run(*given: Any, **options: Any) -> Any:
        if len(given) == 1 and isinstance(given[0], Scalar | Array | ComplexValue):
            return given[0].astype(dtype)
        return dtype(*given, **options)

    return run


def _pythons(t: type) -> Callable[..., Any]:
    """`int`, `float` or `bool`: of a staged number, the number as that type; `int` of a string."""

    def run(*given: Any, **options: Any) -> Any:
        if len(given) == 1 and isinstance(given[0], StagedOptional):
            return apply("logical_and", given[0].is_there, run(given[0].value))
        if len(given) == 1 and isinstance(given[0], Scalar):
            return given[0].astype(t)
        if t is int and len(given) == 1 and isinstance(given[0], StagedString):
            return number_of(given[0])
        if t is bool and len(given) == 1 and isinstance(given[0], StagedString):
            return apply("less", 0, length_of(given[0]))
        if t is bool and len(given) == 1 and hasattr(given[0], "staged_length"):
            return apply("less", 0, given[0].staged_length())
        return t(*given, **options)

    return run


def _round(x: Any, digits: Any = None) -> Any:
    if isinstance(x, Scalar):
        return x.__round__(digits)
    return round(x) if digits is None else round(x, digits)


NUMBER_CALLS: Final[dict[Any, Callable[..., Any]]] = {
    round: _round, complex: _complex, ord: order_of, chr: character_of, str: text_of,
    **{t: _pythons(t) for t in (int, float, bool)},
    **{getattr(math, n): _of_math(n) for n in (
        "sqrt", "exp", "log", "floor", "ceil", "trunc", "fabs", "sin", "cos", "tan", "asin",
        "acos", "atan", "isnan", "isinf", "isfinite", "pow", "sinh", "cosh", "tanh", "asinh",
        "acosh", "atanh", "expm1", "log2", "log10", "log1p", "atan2", "hypot", "copysign",
        "fmod", "degrees", "radians", "gcd", "lcm",
    )},
    **{t: _number_of(t) for t in (np.int64, np.float64, np.bool_, np.int32, np.int16, np.int8,
                                  np.uint8, np.uint16, np.uint32, np.float32, np.uint64,
                                  np.complex128, np.complex64)},
    cmath.phase: np.angle, cmath.polar: lambda z: (abs(z), np.angle(z)),
    cmath.rect: lambda r, phi: complex_of(r * apply("cos", phi), r * apply("sin", phi)),
    **{getattr(cmath, n): _of_cmath(n) for n in (
        "exp", "log", "log10", "sqrt", "sin", "cos", "sinh", "cosh", "isnan", "isinf", "isfinite",
    )},
}  # fmt: skip
"""Functions of numbers that staged code has others for."""
