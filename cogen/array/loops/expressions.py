"""Makes expressions, without operations that change nothing: `plus(x, 0)` is x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops import tree
from cogen.array.loops.tree import (
    BOOL,
    I64,
    Address,
    Binary,
    Choose,
    Const,
    Convert,
    Expr,
    Load,
    Not,
    Number,
    Pointer,
    SizeOf,
    Type,
)

ZERO: Final = Const(0, I64)
ONE: Final = Const(1, I64)
TRUE: Final = Const(True, BOOL)
NULL: Final = Const(None, tree.BLOCK)


def natural(value: int) -> Const:
    """A size or an index."""
    return Const(value, I64)


def is_number(e: Expr) -> bool:
    return isinstance(e, Const) and type(e.value) is int


def value_of(e: Expr) -> int:
    """The value of an int constant."""
    assert isinstance(e, Const)
    assert isinstance(e.value, int)
    return e.value


def plus(a: Expr, b: Expr) -> Expr:
    """The sum of numbers, or of an address and a number."""
    if b == ZERO:
        return a
    return b if a == ZERO else Binary("+", a, b)


def minus(a: Expr, b: Expr) -> Expr:
    return a if b == ZERO else Binary("-", a, b)


def times(a: Expr, b: Expr) -> Expr:
    if ZERO in (a, b):
        return ZERO
    if a == ONE:
        return b
    return a if b == ONE else Binary("*", a, b)


def over(a: Expr, b: Expr) -> Expr:
    """The quotient of two that are not negative."""
    return Binary("/", a, b)


def less(a: Expr, b: Expr) -> Expr:
    return Binary("<", a, b)


def at_most(a: Expr, b: Expr) -> Expr:
    return Binary("<=", a, b)


def more(a: Expr, b: Expr) -> Expr:
    return Binary(">", a, b)


def same(a: Expr, b: Expr) -> Expr:
    return Binary("==", a, b)


def both(a: Expr, b: Expr) -> Expr:
    return Binary("&&", a, b)


def negated(e: Expr) -> Expr:
    return Not(e)


def choose(test: Expr, then: Expr, otherwise: Expr) -> Expr:
    return Choose(test, then, otherwise)


def convert(t: Type, e: Expr) -> Expr:
    """A number as another; itself if it is one of that type."""
    return e if e.type == t else Convert(t, e)


def load(base: Expr, index: Expr) -> Load:
    return Load(base, index)


def place(base: Expr, index: Expr) -> Address:
    """The address of an element."""
    return Address(Load(base, index))


def size_of(t: Type) -> Expr:
    return SizeOf(t)


def bytes_of(count: Expr, t: Type) -> Expr:
    """The size of so many elements, as C's memcpy takes it."""
    return times(Convert(tree.SIZE, count), SizeOf(t))


def product(sizes: Sequence[Expr]) -> Expr:
    found: Expr = ONE
    for size in sizes:
        found = times(found, size)
    return found


def is_null(e: Expr) -> Expr:
    """Whether there is no region."""
    return same(e, NULL)


def number_type(kind: str, arithmetic: Arithmetic) -> Number:
    """The type of elements in memory, by the kind of scalar."""
    match kind:
        case "int":
            return Number(f"i{arithmetic.int_bits}")
        case "real":
            return Number(f"f{arithmetic.real_bits}")
        case "char":
            return tree.U32
    return tree.U8


def pointer(t: Type, space: str = "") -> Pointer:
    return Pointer(t, space)
