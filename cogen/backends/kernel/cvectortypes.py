"""Vectors in C: their types, and expressions that take them from memory and change their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CBinary,
    CBraces,
    CCast,
    CConstant,
    CInvoke,
    CNumber,
    CTypedef,
    CUnary,
    CVariable,
    Expr,
)
from cogen.backends.ctree.types import (
    DOUBLE,
    FLOAT,
    INT,
    U8,
    U32,
    U64,
    CBasic,
    CConst,
    CPointer,
    Type,
)

FROM: Final = CVariable("from", CPointer(CConst(U8), restrict=True))


def vector_types(types: Iterable[str]) -> Iterator[CTypedef]:
    """Vector types, each with one for any address; they may be defined several times."""
    for name in sorted(types):
        kind, lanes = name.removeprefix("cogen_").split("x")
        element, size = ELEMENTS[kind]
        if lanes == "1":
            yield CTypedef(element, f"{name}_at", "aligned(1), may_alias")
            continue
        vector = f"vector_size({size * int(lanes)})"
        yield CTypedef(element, name, vector)
        yield CTypedef(element, f"{name}_at", f"{vector}, aligned(1), may_alias")


ELEMENTS: Final[dict[str, tuple[Type, int]]] = {
    **{f"u{n}": (CBasic(f"uint{n}_t"), n // 8) for n in (8, 16, 32, 64)},
    **{f"i{n}": (CBasic(f"int{n}_t"), n // 8) for n in (8, 16, 32, 64)},
    "f32": (FLOAT, 4),
    "f64": (DOUBLE, 8),
}


def vector_at(base: CVariable, kind: CBasic, offset: int) -> Expr:
    """What is so many bytes behind an address, which may be any."""
    t: Type = CBasic(f"{kind.name}_at")
    where = CBinary("+", base, small(offset))
    return CUnary("*", CCast(CPointer(CConst(t) if base == FROM else t), where))


def shuffled(one: Expr, other: Expr, places: Iterable[int]) -> Expr:
    """The bytes of two vectors at places."""
    return CInvoke("__builtin_shufflevector", (one, other, *map(small, places)), VECTOR)


def converted(value: Expr, kind: CBasic) -> Expr:
    return CInvoke("__builtin_convertvector", (value, CConstant(kind.name, kind)), kind)


VECTOR: Final = CBasic("vector")
"""Any vector."""


def table_of(kind: CBasic, numbers: Sequence[int], size: int) -> Expr:
    """A vector of numbers; one alone if they are all the same."""
    made = [lane_number(number, size) for number in numbers]
    return made[0] if len(set(made)) == 1 else vector_of(kind, made)


def lane_number(number: int, size: int) -> Expr:
    """A number of a lane of so many bits."""
    t = INT if size < 32 else U32 if number < 1 << 32 else U64
    return CNumber(number, t, hexadecimal=number > 255)


def vector_of(kind: CBasic, numbers: Sequence[Expr]) -> Expr:
    return CCast(kind, CBraces(tuple([("", number) for number in numbers])))
