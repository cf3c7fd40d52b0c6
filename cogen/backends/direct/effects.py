"""What evaluating a core expression may do, as a set of bits: which expressions may change places.

An expression may move past another one if neither writes what the other reads or writes, and
not both can fail (which error comes first can be seen).  A call of a procedure may do anything.
"""

from __future__ import annotations

from typing import Final

from cogen.lang import core
from cogen.lang.prims import PRIMITIVES, PrimitiveRow

READ: Final = 1
WRITE: Final = 2
"""Writes memory, a variable or a port, or leaves for good."""
FAIL: Final = 4
OVERFLOW: Final = 8
"""Fails by integer overflow at most."""
ANYTHING: Final = READ | WRITE | FAIL

_EFFECTS: Final = {"pure": 0, "alloc": 0, "read": READ, "write": WRITE, "output": READ | WRITE}


def commute(one: int, other: int) -> bool:
    """May expressions with these effects be evaluated in either order?"""
    if (one & WRITE and other) or (other & WRITE and one):
        return False
    failing = FAIL | OVERFLOW
    return not (one & failing and other & failing)


def droppable(effects: int) -> bool:
    """May an expression with these effects stay unevaluated if its value is not used?"""
    return not effects & (WRITE | FAIL)


class Effects:
    """The effects of expressions, remembered; `assigned` are the assigned globals."""

    def __init__(self, assigned: frozenset[str]) -> None:
        self.assigned = assigned
        self.known: dict[core.Expr, int] = {}

    def of(self, expr: core.Expr) -> int:
        """The effects of evaluating an expression."""
        if type(expr) is core.LocalRef:
            return READ if expr.variable.assigned else 0
        if (
            type(expr) is core.ConstForm
            or type(expr) is core.PrimRef
            or type(expr) is core.LambdaForm
        ):
            return 0
        if type(expr) is core.GlobalRef:
            return READ | FAIL if expr.name in self.assigned else 0
        found = self.known.get(expr)
        if found is None:
            found = self.known[expr] = self.compute(expr)
        return found

    def compute(self, expr: core.Expr) -> int:
        if type(expr) is core.CallForm:
            effects = self.own(expr.function, len(expr.arguments)) | self.of(expr.function)
            for argument in expr.arguments:
                effects |= self.of(argument)
            return effects
        if type(expr) is core.IfForm:
            return self.of(expr.test) | self.of(expr.then) | self.of(expr.otherwise)
        if type(expr) is core.LetForm or type(expr) is core.LetrecForm:
            effects = self.of(expr.body)
            for _, value in expr.bindings:
                effects |= self.of(value)
            return effects
        if type(expr) is core.SequenceForm:
            effects = 0
            for part in expr.expressions:
                effects |= self.of(part)
            return effects
        if type(expr) is core.SetLocal:
            return self.of(expr.value) | WRITE
        if type(expr) is core.SetGlobal:
            return self.of(expr.value) | WRITE | FAIL
        return ANYTHING

    def own(self, function: core.Expr, count: int) -> int:
        """What a call does beyond evaluating its operands."""
        if type(function) is not core.PrimRef:
            return ANYTHING
        return _OWN.get(function.name, ANYTHING)


def _of_row(row: PrimitiveRow) -> int:
    fails = 0
    if row.fails:
        fails = OVERFLOW if row.fails == {"overflow"} else FAIL
    return _EFFECTS[row.effect] | fails


_OWN: Final = {name: _of_row(row) for name, row in PRIMITIVES.items() if row.effect in _EFFECTS}
"""The effects of primitives that can be told from their rows."""
