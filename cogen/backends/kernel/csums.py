"""Sums of loops that may leave 64 bits: that is told, where a run may come so far.

    total += e;     ->     const int64_t added = e;
                           int64_t sum;
                           if (__builtin_add_overflow(total, added, &sum)) { report; return 0; }
                           total = sum;

An integer of the language has 64 bits, and C that is not checked may take it that none needs more.
A few seconds of 24-bit sound have an energy that does, so additions of a loop of which fewer than
2^32 may come so far are checked: once a block where the loop has blocks (`cblocks`), else each.
That what is added fits is known of it, or it is made of words: else it may be wrong in itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from cogen.backends.ctree import values as ct
from cogen.backends.ctree.tree import (
    CAssign,
    CBinary,
    CDeclare,
    CFor,
    CIf,
    CInvoke,
    CScope,
    CUnary,
    CVariable,
    CWhile,
    Expr,
    Statement,
)
from cogen.backends.ctree.types import BOOL, I64, CConst
from cogen.backends.ctree.values import CValue
from cogen.backends.kernel import structured as st
from cogen.lang import il
from cogen.lang.datum import INT_MAX, INT_MIN
from cogen.lang.prims import BITWISE

if TYPE_CHECKING:
    from cogen.backends.kernel.cbody import FunctionBody

LARGE: Final = 1 << 31
"""What is smaller can be added 2^32 times."""


@dataclass(frozen=True, slots=True)
class Summand:
    """What a loop adds to a variable, and the operation that does it."""

    value: CValue
    operation: st.Op | None

    @property
    def is_large(self) -> bool:
        """Whether so many may be added that the sum leaves 64 bits."""
        return self.value.type == I64 and max(-self.value.low, self.value.high) >= LARGE


OF_WORDS: Final = frozenset({"load-word", *BITWISE})
"""Operations that give any 64 bits, and do not overflow."""


def large(p: FunctionBody, sums: Mapping[str, Summand]) -> set[str]:
    """The variables whose sums are to be checked, and are not."""
    if p.checked:
        return set()
    return {name for name, s in sums.items() if s.is_large and _fits(p, s)}


def _fits(p: FunctionBody, summand: Summand) -> bool:
    """Whether what is added has 64 bits, though nothing checks that."""
    if (summand.value.low, summand.value.high) != (INT_MIN, INT_MAX):
        return True
    arguments = () if summand.operation is None else summand.operation.arguments
    made = [p.definitions.get(atom.name) for atom in arguments if isinstance(atom, il.Var)]
    return any(operation is not None and operation.op in OF_WORDS for operation in made)


def told(
    p: FunctionBody, body: Sequence[Statement], sums: Mapping[str, Summand], names: Set[str]
) -> tuple[Statement, ...]:
    """The body with what it adds to these variables checked."""
    made: list[Statement] = []
    for statement in body:
        match statement:
            case CAssign(CVariable(name), value, operator) if name in names:
                parts = [value] if operator == "+=" else _parts(statement.target, value)
                for part in parts:
                    made += added(p, name, part, sums[name].operation, statement)
                if not parts:
                    made.append(statement)
            case CIf(_, then, otherwise):
                arms = told(p, then, sums, names), told(p, otherwise, sums, names)
                made.append(replace(statement, then=arms[0], otherwise=arms[1]))
            case CFor() | CWhile() | CScope():
                made.append(replace(statement, body=told(p, statement.body, sums, names)))
            case _:
                made.append(statement)
    return tuple(made)


def _parts(total: Expr, value: Expr) -> list[Expr]:
    """a, b, c of `total + a + b + c`; none if that is not what the value is."""
    found: list[Expr] = []
    while isinstance(value, CBinary) and value.operator == "+":
        found.insert(0, value.right)
        value = value.left
    return found if value == total else []


def added(
    p: FunctionBody, name: str, value: Expr, operation: st.Op | None, source: CAssign | None
) -> list[Statement]:
    """A checked addition to a variable."""
    places = source.places if source is not None else ()
    part = CVariable(p.namer.fresh(f"{name}_added"), I64)
    total, result = CVariable(name, I64), CVariable(p.namer.fresh(f"{name}_sum"), I64)
    taken = (total, part, CUnary("&", result))
    fails = CInvoke("__builtin_add_overflow", taken, BOOL)
    span = None if operation is None else operation.span
    values = [ct.variable(each.name, I64) for each in (total, part)]
    report = p.failure(*p.site("+", values, span))
    return [
        CDeclare(CConst(I64), part.name, value, places=places),
        CDeclare(I64, result.name),
        CIf(fails, tuple(report), places=places),
        CAssign(total, result, places=places),
    ]


def last_summand(value: CValue, total: CVariable) -> CValue | None:
    """What is added to a variable last, if a value is a sum of that and others."""
    while value.wide is not None and value.narrow is not None:
        if value.wide.expr == total:
            return value.narrow
        value = value.wide
    return None


def swapped(target: CVariable, expr: Expr) -> Expr | None:
    """e of `e + x`, where x is the target."""
    is_sum = isinstance(expr, CBinary) and expr.operator == "+" and expr.right == target
    return expr.left if is_sum and isinstance(expr, CBinary) else None
