"""The types of L0's operators and of the functions every program has.

Each row maps the type of the operands to that of the result; an operator's operands have one
type.  What the operators compute is in `cogen.array.l0.operators`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cogen.array.l0.primitives import SIGNATURES
from cogen.array.l0.types import BOOL, CHAR, INT, REAL, Type

Table = Mapping[Type, Type]

ARITHMETIC: Final[Table] = {INT: INT, REAL: REAL}
OF_REALS: Final[Table] = {REAL: REAL}
ORDER: Final[Table] = {INT: BOOL, REAL: BOOL, CHAR: BOOL}
BITWISE: Final[Table] = {INT: INT}
LOGICAL: Final[Table] = {BOOL: BOOL}

BINARY_TYPES: Final[Mapping[str, Table]] = {
    **dict.fromkeys(("+", "-", "*", "/", "%", "pow"), ARITHMETIC),
    "atan2": OF_REALS,
    **dict.fromkeys(("=", "<", "<="), ORDER),
    **dict.fromkeys(("&", "^", "|", "<<", ">>"), BITWISE),
    **dict.fromkeys(("&&", "||"), LOGICAL),
}

UNARY_TYPES: Final[Mapping[str, Table]] = {
    "-": ARITHMETIC,
    "~": ARITHMETIC,
    "not": LOGICAL,
}

OF_NUMPY: Final = {
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "exp2": "exp2", "expm1": "expm1", "log2": "log2", "log10": "log10",
    "log1p": "log1p", "cbrt": "cbrt",
}  # fmt: skip
"""Functions of reals that C's library has, and what NumPy calls them, by which they are meant."""

BUILTIN_TYPES: Final[Mapping[str, Table | None]] = {
    "toReal": {INT: REAL},
    "trunc": {REAL: INT},
    "bits": {REAL: INT},
    "sqrt": {REAL: REAL},
    "log": {REAL: REAL},
    "exp": {REAL: REAL},
    "abs": ARITHMETIC,
    "ord": {CHAR: INT},
    "chr": {INT: CHAR},
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan"), OF_REALS),
    **dict.fromkeys(OF_NUMPY, OF_REALS),
    **dict.fromkeys(("floor", "ceil", "round"), OF_REALS),
    **SIGNATURES,
    "trace": None,
}
"""The functions; `trace` gives back its argument, of any type."""
