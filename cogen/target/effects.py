"""What evaluating a core expression may do, as a set of bits: which expressions may change places.

An expression may move past another one if neither writes what the other reads or writes, and
not both can fail (which error comes first can be seen).  A call of a procedure may do anything.
"""

from __future__ import annotations

from typing import Final

from lang import core
from lang.prims import PRIMITIVES

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
        match expr:
            case core.Const() | core.PrimRef() | core.Lambda():
                return 0
            case core.LocalRef(variable):
                return READ if variable.assigned else 0
            case core.GlobalRef(name):
                return READ | FAIL if name in self.assigned else 0
        found = self.known.get(expr)
        if found is None:
            found = self.known[expr] = self.compute(expr)
        return found

    def compute(self, expr: core.Expr) -> int:
        match expr:
            case core.SetLocal(value=value):
                return self.of(value) | WRITE
            case core.SetGlobal(value=value):
                return self.of(value) | WRITE | FAIL
            case core.If(test, then, otherwise):
                return self.of(test) | self.of(then) | self.of(otherwise)
            case core.Let(bindings, body) | core.Letrec(bindings, body):
                effects = self.of(body)
                for _, value in bindings:
                    effects |= self.of(value)
                return effects
            case core.Seq(expressions):
                effects = 0
                for part in expressions:
                    effects |= self.of(part)
                return effects
            case core.Call(function, arguments):
                effects = self.own(function, len(arguments))
                for argument in arguments:
                    effects |= self.of(argument)
                return effects | self.of(function)
        return ANYTHING

    def own(self, function: core.Expr, count: int) -> int:
        """What a call does beyond evaluating its operands."""
        if not isinstance(function, core.PrimRef):
            return ANYTHING
        row = PRIMITIVES.get(function.name)
        if row is None or row.effect not in _EFFECTS:
            return ANYTHING
        fails = 0
        if row.fails:
            fails = OVERFLOW if row.fails == {"overflow"} else FAIL
        return _EFFECTS[row.effect] | fails
