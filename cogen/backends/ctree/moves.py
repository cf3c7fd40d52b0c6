"""Simultaneous assignment in sequence: an order that keeps old values until they are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cogen.backends.ctree.tree import CVariable, Expr, names_of

Assignments = list[tuple[CVariable, Expr, bool]]


def in_order(
    assignments: Sequence[tuple[CVariable, Expr]], temporary_for: Callable[[str], str]
) -> Assignments:
    """The assignments one after the other, as (variable, value, False).

    Where variables exchange their values, (temporary, value, True) declares a temporary of the
    type of a variable.  Assignments of a variable to itself are left out.
    """
    waiting = [(target, expr) for target, expr in assignments if expr != target]
    reads = {target: set(names_of(expr)) for target, expr in waiting}
    ordered: Assignments = []
    delayed: Assignments = []
    while waiting:
        for target, expr in waiting:
            if not any(target.name in reads[other] for other, _ in waiting if other != target):
                waiting.remove((target, expr))
                ordered.append((target, expr, False))
                break
        else:
            target, expr = waiting.pop(0)
            temporary = CVariable(temporary_for(target.name), target.type)
            ordered.append((temporary, expr, True))
            delayed.append((target, temporary, False))
    return ordered + delayed
