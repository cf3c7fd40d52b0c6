"""What is known of the functions of C, of its library and of ours: headers, types of results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from cogen.backends.ctree.tree import Expr
from cogen.backends.ctree.types import (
    DOUBLE,
    FLOAT,
    INT,
    U32,
    CBasic,
    CVector,
    Type,
    plain,
)
from cogen.backends.ctree.typing import type_of

MATH: Final = frozenset([
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "exp", "exp2", "expm1", "fabs", "floor", "fmod", "ldexp", "log", "log10", "log1p",
    "log2", "nearbyint", "pow", "rint", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
])  # fmt: skip
"""Functions of <math.h> that give a float of the size of their operands."""

_TESTS: Final = frozenset(["isfinite", "isinf", "isnan", "signbit"])

HEADERS: Final = {
    **dict.fromkeys((*MATH, *[f"{name}f" for name in MATH], *_TESTS), "math.h"),
    **dict.fromkeys(("NAN", "INFINITY"), "math.h"),
    **dict.fromkeys(("memcpy", "memmove", "memset"), "string.h"),
}
"""Where the names of the library are declared."""

_GIVEN: Final = {**dict.fromkeys(_TESTS, INT), "__builtin_popcountll": INT, "char_chr": U32}

_CONVERSION: Final = re.compile(r"(?:as|convert)_([a-z]+)(\d+)?")
"""Functions of OpenCL C that say what they give."""

_WORD: Final = re.compile(r"[A-Za-z_]\w*")


def result_of(function: str, arguments: Sequence[Expr]) -> Type:
    """What a function gives: of those that are not known, what its first operand is."""
    found = _GIVEN.get(function)
    if found is not None:
        return found
    named = _CONVERSION.fullmatch(function)
    if named is not None:
        return CVector(named[1], int(named[2])) if named[2] else CBasic(named[1])
    first = plain(type_of(arguments[0])) if arguments else INT
    if isinstance(first, CVector):
        return first
    if function in MATH:
        return DOUBLE
    return FLOAT if function.removesuffix("f") in MATH else first


def headers(names: Iterable[str], texts: Iterable[str] = ()) -> set[str]:
    """The headers for names, and for those in texts of C."""
    found = {HEADERS[name] for name in names if name in HEADERS}
    for text in texts:
        found |= {HEADERS[word] for word in _WORD.findall(text) if word in HEADERS}
    return found
