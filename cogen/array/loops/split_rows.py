"""functions -> functions: loops that take their index apart by a known width are loops over rows.

    for i from 0 to n                        for y from 0 to n / 640
        f(i / 640, i % 640)                      for x from 0 to 640
                                    ->               i = y * 640 + x
                                                     f(y, x)
                                             for i from 640 * (n / 640) to n: as before

So nothing is divided, and what is read along a row is known to lie side by side
(`cogen.array.loops.tile`).
"""

from __future__ import annotations

from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied
from cogen.array.loops.expressions import ONE, ZERO, is_number, natural, over, plus, times, value_of
from cogen.array.loops.replacing import of_loops
from cogen.array.loops.rewriting import rewritten
from cogen.array.loops.strip_mine import sorts
from cogen.array.loops.strip_plans import JOINS, PLAIN, in_groups
from cogen.array.loops.tree import I64, Expr, Operate, Statement, Var

LEAST_WIDTH: Final = 16
"""Shorter rows are not worth a loop."""

_PARTS: Final = ("int.div", "int.mod")


@of_loops
def split_rows(
    names: UntakenNames, loop: tree.For, before: list[Statement]
) -> list[Statement] | None:
    """The functions with their loops over rows."""
    width = None if sorts(before) else _width(loop)
    return None if width is None else _over_rows(loop, width, names)


def _width(loop: tree.For) -> int | None:
    """The number by which a loop takes its index apart, if it is one."""
    if loop.start != ZERO or loop.step != ONE or not isinstance(loop.mark, tree.Apart | None):
        return None
    joins = () if loop.sharing is None else loop.sharing.joins
    statements = list(treewalk.all_statements(loop.body))
    if not all(isinstance(join, JOINS) for join in joins):
        return None
    if not all(isinstance(s, PLAIN) for s in statements):
        return None
    widths = {
        value_of(e.operands[1])
        for s in statements
        for whole in treewalk.expressions(s)
        for e in treewalk.within(whole)
        if isinstance(e, Operate) and e.row in _PARTS and _takes_apart(e, loop.index)
    }
    if len(widths) != 1 or min(widths) < LEAST_WIDTH:
        return None
    return min(widths)


def _takes_apart(e: Operate, index: Var) -> bool:
    return e.operands[0] == index and is_number(e.operands[1])


def _over_rows(loop: tree.For, width: int, names: UntakenNames) -> list[Statement]:
    count, y, x = names.fresh("rows", I64), names.fresh("y", I64), names.fresh("x", I64)

    def part(e: Expr) -> Expr | None:
        if not isinstance(e, Operate) or e.row not in _PARTS or not _takes_apart(e, loop.index):
            return None
        return y if e.row == "int.div" else x

    place = names.fresh(loop.index.name, I64)
    body = rewritten(loop.body, part)
    body = rewritten(body, lambda e: place if e == loop.index else None)
    at = tree.Let(place, plus(times(y, natural(width)), x))
    row = tree.For(x, ZERO, natural(width), ONE, (at, *body), loop.mark)
    last = names.fresh(loop.index.name, I64)
    rest = copied(loop.body, {loop.index: last}, names)
    return [
        tree.Let(count, over(loop.stop, natural(width))),
        tree.For(y, ZERO, count, ONE, (row,), loop.mark, in_groups(loop.sharing, width)),
        tree.For(last, times(count, natural(width)), loop.stop, ONE, rest),
    ]
