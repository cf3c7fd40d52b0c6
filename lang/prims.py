"""The primitive table: one row a primitive.

A row says everything the rest of the system needs to know of a primitive: how many
arguments of which types, what it gives, its effect, how it can fail, what it means in
Python and in C.  Types: int float number bool char string symbol pair list vector
bytevector memory procedure record port unspecified any.

Effects
    pure     a function of its arguments
    alloc    pure, but the result has an identity of its own (pairs, vectors, boxes)
    read     reads mutable memory
    write    writes mutable memory
    output   writes to a port or reads from one, or asks the system for anything else
    control  handles continuations; never an operation of `let`, always called

Failures (the set `fails`): type index division overflow user file read.  An unused operation may be
dropped if it is pure, alloc or read and can fail by overflow at most.

The rows stand in `lang/primtable/`; what a row holds is said at `Primitive`.  To add a
primitive, add its row there; everything else reads the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from cogen.lang.datum import Datum
from cogen.lang.machine import Machine
from cogen.lang.primtable import (
    control,
    conversions,
    data,
    equivalence,
    files,
    io,
    memory,
    numbers,
    system,
    text,
    words,
)
from cogen.lang.primtable.checks import PrimitiveError, RaisedError
from cogen.lang.primtable.row import PrimitiveRow

__all__ = [
    "BITWISE",
    "CHOOSING",
    "CONTROL",
    "OUTSIDE",
    "PRIMITIVES",
    "PrimitiveError",
    "PrimitiveRow",
    "RaisedError",
    "apply_primitive",
    "wrong_count",
]


def _table(*groups: tuple[PrimitiveRow, ...]) -> dict[str, PrimitiveRow]:
    table: dict[str, PrimitiveRow] = {}
    for group in groups:
        for row in group:
            if row.name in table:
                raise ValueError(f"two rows for the primitive {row.name}")
            table[row.name] = row
    return table


PRIMITIVES: Final = _table(
    numbers.ROWS,
    conversions.ROWS,
    words.ROWS,
    equivalence.ROWS,
    data.ROWS,
    control.ROWS,
    text.ROWS,
    memory.ROWS,
    io.ROWS,
    files.ROWS,
    system.ROWS,
)
"""The operations of the IL's `let`, by name."""

CHOOSING: Final = {row.name: row.chooses for row in PRIMITIVES.values() if row.chooses is not None}
"""The operations that give one of two integers: the first where this comparison holds."""

BITWISE: Final = {
    row.name: row.operator
    for row in PRIMITIVES.values()
    if row.is_bitwise and row.operator is not None
}
"""The operations that combine each bit of two integers by itself, and how C writes them."""

OUTSIDE: Final = frozenset(
    [
        *(row.name for row in (*files.FILES, *system.ROWS) if row.effect == "output"),
        *(row.name for row in io.INPUT if row.context),
        "current-input-port",
    ]
)
"""The operations by which a program asks for what it does not say itself: files, what is typed, the
process and its clocks."""

CONTROL: Final = _table(control.CONTROL_ROWS)
"""The primitives that are called with a continuation, by name."""


def wrong_count(name: str, arity: tuple[int, int | None], count: int) -> PrimitiveError:
    """The error of a call with a wrong number of arguments."""
    least, most = arity
    if most is None:
        wanted = f"at least {least}"
    elif least == most:
        wanted = str(least)
    else:
        wanted = f"{least} to {most}"
    plural = "" if least == 1 and most in (1, None) else "s"
    if name == "values":  # the receiver of a form that binds several values
        return PrimitiveError("type", f"expected {wanted} value{plural}, got {count}")
    return PrimitiveError("type", f"{name}: expected {wanted} argument{plural}, got {count}")


def apply_primitive(primitive: PrimitiveRow, machine: Machine, arguments: Sequence[Datum]) -> Datum:
    """The value of a primitive called with that many arguments, as a call in the source.

    Raises `PrimitiveError`, also for a wrong number of arguments.
    """
    count = len(arguments)
    least, most = primitive.arity
    if least <= count and (most is None or count <= most):
        if primitive.context:
            return primitive.python(machine, *arguments)
        return primitive.python(*arguments)
    least, most = primitive.source_arity
    if count < least or (most is not None and count > most):
        raise wrong_count(primitive.name, (least, most), count)
    if primitive.fold == "chain":
        return all(primitive.python(a, b) for a, b in pairwise(arguments))
    return _fold_left(primitive, arguments)


def _fold_left(primitive: PrimitiveRow, arguments: Sequence[Datum]) -> Datum:
    if not arguments:
        return primitive.identity
    first, *rest = arguments
    if not rest:
        return primitive.python(first if primitive.unit is None else primitive.unit, first)
    for argument in rest:
        first = primitive.python(first, argument)
    return first
