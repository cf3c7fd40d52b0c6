"""A call of a primitive in the source as operations with the number of arguments of its row.

`+ * -` and their kind take any number of arguments in the source and two in the IL (`fold` is
"left": (+ a b c) is (+ (+ a b) c)); so do comparisons ("chain": all operands are evaluated, then
compared from left to right until one comparison fails).  What fewer arguments mean is said by
the row's `identity` and `unit`.
"""

from __future__ import annotations

from collections.abc import Callable

from cogen.lang import core, il
from cogen.lang.errors import CogenError, Span
from cogen.lang.prims import PRIMITIVES

Emit = Callable[[str, tuple[il.Atom, ...], bool], il.Atom]
"""Binds an operation of some arguments; the flag says that it is the last one of the call."""


def is_operation(function: core.Expr) -> bool:
    """Does a call of this become operations (rather than an IL call)?"""
    return isinstance(function, core.PrimRef) and function.name in PRIMITIVES


def is_chain(function: core.Expr, count: int) -> bool:
    """Is a call with `count` arguments a comparison of more than two things?"""
    if not isinstance(function, core.PrimRef) or function.name not in PRIMITIVES:
        return False
    return PRIMITIVES[function.name].fold == "chain" and count > 2


def operations(name: str, atoms: list[il.Atom], span: Span | None, emit: Emit) -> il.Atom:
    """Emit a call of the primitive `name`; the atom that holds its value.

    CogenError when the primitive does not take that many arguments.
    """
    row = PRIMITIVES[name]
    least, most = row.arity
    count = len(atoms)
    if count >= least and (most is None or count <= most):
        return emit(name, tuple(atoms), True)
    if row.fold != "left" or (count == 0 and row.identity is None):
        raise wrong_count(name, count, span)
    if count == 0:
        return il.Const(row.identity)
    if count == 1:
        first = atoms[0] if row.unit is None else il.Const(row.unit)
        return emit(name, (first, atoms[0]), True)
    result = atoms[0]
    for atom in atoms[1:-1]:
        result = emit(name, (result, atom), False)
    return emit(name, (result, atoms[-1]), True)


def wrong_count(name: str, count: int, span: Span | None) -> CogenError:
    """The error for a call of a primitive with a number of arguments that it does not take."""
    least, most = PRIMITIVES[name].source_arity
    if most is None:
        wanted = f"at least {least}"
    else:
        wanted = str(least) if least == most else f"{least} to {most}"
    plural = "" if wanted in ("1", "at least 1") else "s"
    return CogenError(f"{name}: expected {wanted} argument{plural}, got {count}", span)
