"""How wide ints and reals are, and what L0's operations compute at a width.

    arithmetic("int32", "float64").binary["+", INT](2147483647, 1)   is  -2147483648

The rules are those of `cogen.array.l0.operators`, at 32 bits: ints wrap around modulo 2^32, a shift
counts modulo 32, `trunc` gives the nearest int there is; each operation on reals is rounded to
binary32. Values are Python ints and floats whatever the width: an int of 32 bits is in
[-2^31, 2^31), a real of 32 bits a float that binary32 holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from ctypes import c_float
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import Any, Final

import numpy as np

from cogen.array.l0 import operators
from cogen.array.l0.keys import bits_of
from cogen.array.l0.operators import Meaning
from cogen.array.l0.types import INT, REAL, Type
from cogen.expected import text
from cogen.lang.errors import CogenError, Span

Table = Mapping[tuple[str, Type], Meaning]


@dataclass(frozen=True)
class Arithmetic:
    """The numbers that a program computes with; equal when the widths are."""

    int_bits: int = 64
    real_bits: int = 64
    binary: Table = field(init=False, compare=False, repr=False)
    """The operators of two operands, by their sign and the type of the operands."""
    unary: Table = field(init=False, compare=False, repr=False)
    builtin: Table = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name, table in (
            ("binary", operators.BINARY),
            ("unary", operators.UNARY),
            ("builtin", operators.BUILTIN),
        ):
            object.__setattr__(self, name, _narrowed(self, table))

    def __reduce__(self) -> tuple[type[Arithmetic], tuple[int, int]]:
        return Arithmetic, (self.int_bits, self.real_bits)

    @property
    def least(self) -> int:
        """The least int."""
        return -(1 << (self.int_bits - 1))

    @property
    def greatest(self) -> int:
        """The greatest int."""
        return (1 << (self.int_bits - 1)) - 1

    @property
    def max_elements(self) -> int:
        """The most elements of an array, sizes of 0 counted as 1: more than any memory holds, but
        less than the greatest int."""
        return min(1 << 47, self.greatest - 1)

    @property
    def max_iterations(self) -> int:
        """More iterations than any loop makes."""
        return min(1 << 56, self.greatest)

    def wrap(self, n: int) -> int:
        """The int that is congruent to an integer modulo 2^`int_bits`."""
        if self.least <= n <= self.greatest:
            return n
        return ((n - self.least) & ((1 << self.int_bits) - 1)) + self.least

    def rounded(self, x: float) -> float:
        """The nearest real; inf beyond the greatest."""
        return x if self.real_bits == 64 else c_float(x).value

    def literal(self, value: Any) -> Any:
        """What a literal stands for: the operand of a prefix `-` may be one more than an int."""
        if type(value) is int:
            return self.wrap(value)
        return self.rounded(value) if isinstance(value, float) else value

    def dtype(self, kind: str) -> np.dtype[Any]:
        """The dtype of arrays of int, real, bool, cert or char."""
        return _dtype(kind, self.int_bits, self.real_bits)

    def holds(self, value: int | float) -> bool:
        """Whether a literal can be this number: it is no greater than ints or reals are, and no
        real that is not 0 becomes 0."""
        if isinstance(value, int):
            return value <= self.greatest
        found = self.rounded(value)
        return value in (found, 0.0) or not (found == 0.0 or abs(found) == float("inf"))


_DTYPES: Final = {
    "int": "int%(int)d", "real": "float%(real)d", "bool": "bool", "cert": "bool", "char": "uint32",
}  # fmt: skip


@cache
def _dtype(kind: str, int_bits: int, real_bits: int) -> np.dtype[Any]:
    return np.dtype(_DTYPES[kind] % {"int": int_bits, "real": real_bits})


def _narrowed(a: Arithmetic, table: Table) -> Table:
    """The operations at the width, from those at 64 bits.

    What ints of 64 bits wrap to is right modulo 2^32, too; a sum, product, quotient or root of two
    reals of 32 bits is that of 64 bits, rounded once more.
    """
    found = dict(table)
    for (name, t), meaning in table.items():
        if a.int_bits == 32 and t == INT and name not in ("=", "<", "<=", "toReal", "chr"):
            found[name, t] = _shift(a, meaning) if name in ("<<", ">>") else _wrapped(a, meaning)
        if a.real_bits == 32 and t == REAL and name not in ("=", "<", "<=", "trunc", "bits"):
            found[name, t] = _rounded(a, meaning)
    if a.real_bits == 32 and ("toReal", INT) in found:
        found["toReal", INT] = _to_real
    if a.int_bits == 32 and ("trunc", REAL) in found:
        found["trunc", REAL] = _truncated(a, table["trunc", REAL])
    if ("bits", REAL) in found:
        found["bits", REAL] = lambda x: a.wrap(bits_of(x, a.real_bits))
    return found


def _wrapped(a: Arithmetic, meaning: Meaning) -> Meaning:
    return lambda *operands: a.wrap(meaning(*operands))


def _shift(a: Arithmetic, meaning: Meaning) -> Meaning:
    return lambda x, count: a.wrap(meaning(x, count & (a.int_bits - 1)))


def _rounded(a: Arithmetic, meaning: Meaning) -> Meaning:
    return lambda *operands: a.rounded(meaning(*operands))


def _truncated(a: Arithmetic, meaning: Meaning) -> Meaning:
    return lambda x: min(max(meaning(x), a.least), a.greatest)


def _to_real(n: int) -> float:
    """Rounded once, not by way of binary64."""
    return float(np.float32(np.array(n, np.int64)))


WIDE: Final = Arithmetic()
"""The usual one: int64 and float64."""


def out_of_range(value: int | float, span: Span, a: Arithmetic) -> CogenError:
    """What is said of a number that is written, and that the arithmetic does not have."""
    if isinstance(value, int):
        hint = f"int has {a.int_bits} bits"
        return CogenError("this integer is not in the range of int", span, hint)
    hint = f"real has {a.real_bits} bits"
    return CogenError("this number is not in the range of real", span, hint)


INTS: Final = {"int64": 64, "int32": 32}
REALS: Final = {"float64": 64, "float32": 32}


def arithmetic(int: str = "int64", real: str = "float64") -> Arithmetic:
    """The arithmetic of two names.  CogenError for a name that is none."""
    return Arithmetic(_width(int, INTS, "int"), _width(real, REALS, "real"))


def _width(name: str, widths: Mapping[str, int], what: str) -> int:
    found = widths.get(text(name, f"the width of {what}"))
    if found is not None:
        return found
    near = get_close_matches(str(name), list(widths), n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {' and '.join(widths)}"
    raise CogenError(f"`{name}` is no width of {what}", hint=hint)
