"""functions -> functions: iterations use several tables of buckets in turn.

    for i from start to stop, tables(t d)       for i from start, four at a time
        k = a[i]                                    for turn from 0 to 4
        t[k] = t[k] + 1                   ->            k = a[i + turn]
                                                        u = t + turn * d
                                                        u[k] = u[k] + 1
                                                for the iterations that are left: as before

Additions to one key, one after the other, would wait for each other's store. The distance is 0
where there is one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.loops import tree
from cogen.array.loops.copying import UntakenNames, copied
from cogen.array.loops.expressions import ONE, ZERO, at_most, minus, natural, plus, times
from cogen.array.loops.replacing import of_loops
from cogen.array.loops.tree import I64, Expr, Statement, Var

COPIES: Final = 4
"""How many tables iterations use in turn."""


@of_loops
def take_turns(
    names: UntakenNames, loop: tree.For, before: list[Statement]
) -> list[Statement] | None:
    """The functions with tables in turn."""
    match loop:
        case tree.For(mark=tree.Tables(tables)) if loop.step == ONE:
            return _turns(loop, tables, names)
    return None


def _turns(
    loop: tree.For, tables: Sequence[tuple[Var, Var]], names: UntakenNames
) -> list[Statement]:
    first, turn = names.fresh("first", I64), names.fresh("turn", I64)
    own, values = use_tables(tables, turn, names)
    body = (
        tree.Let(loop.index, plus(first, turn)),
        *own,
        *copied(loop.body, values, names),
    )
    four = natural(COPIES)
    inner = tree.For(turn, ZERO, four, ONE, body)
    test = at_most(first, minus(loop.stop, four))
    rest = names.fresh(loop.index.name, I64)
    left = copied(loop.body, {loop.index: rest}, names)
    return [
        tree.Variable(first, loop.start),
        tree.While(test, (inner, tree.Assign(first, four, "+"))),
        tree.For(rest, first, loop.stop, ONE, left),
    ]


def use_tables(
    tables: Sequence[tuple[Var, Var]], turn: Expr, names: UntakenNames
) -> tuple[list[Statement], dict[Var, Expr]]:
    """The tables whose turn it is, and what stands for what."""
    found: list[Statement] = []
    values: dict[Var, Expr] = {}
    for base, distance in tables:
        own = names.fresh("mine", base.type)
        found.append(tree.Let(own, plus(base, times(turn, distance))))
        values[base] = own
    return found, values
