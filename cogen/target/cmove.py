"""Simultaneous assignment in sequence: an order that keeps old values until they are read."""

from __future__ import annotations

from collections.abc import Sequence

from cogen.target.cnames import Namer
from cogen.target.ctree import Expr, Name, names_of


def in_order(assignments: Sequence[tuple[str, Expr]], namer: Namer) -> list[tuple[str, Expr, str]]:
    """The assignments one after the other, as (variable, value, "").

    Where variables exchange their values, (temporary, value, variable) declares a temporary
    of the type of a variable.  Assignments of a variable to itself are left out.
    """
    waiting = [(target, expr) for target, expr in assignments if expr != Name(target)]
    reads = {target: set(names_of(expr)) for target, expr in waiting}
    ordered: list[tuple[str, Expr, str]] = []
    delayed: list[tuple[str, Expr, str]] = []
    while waiting:
        for target, expr in waiting:
            if not any(target in reads[other] for other, _ in waiting if other != target):
                waiting.remove((target, expr))
                ordered.append((target, expr, ""))
                break
        else:
            target, expr = waiting.pop(0)
            temporary = namer.fresh(f"{target}_next")
            ordered.append((temporary, expr, target))
            delayed.append((target, Name(temporary), ""))
    return ordered + delayed
