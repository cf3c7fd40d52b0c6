"""loop -> kernel: maps of maps, with an item for each element of the innermost one.

    for i from 0 to n                           j = part % m
        r = a[i]                          ->    i = part / m
        for j from 0 to m, apart                r = a[i]
            y[i * m + j] = r + b[j]             y[i * m + j] = r + b[j]

Neighbouring items touch neighbouring elements: so for devices that are no processors. What an outer
iteration computes before the loop within is computed by each item.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cogen.array.loops import tree
from cogen.array.loops.copying import NewNames
from cogen.array.loops.dividing import has_effect
from cogen.array.loops.expressions import ONE, ZERO, over
from cogen.array.loops.tree import I64, Binary, Block, Expr, Statement, Var


@dataclass(frozen=True, slots=True)
class Flat:
    """What the item `part` does, and how many iterations the loops within have, outermost first."""

    body: Block
    columns: tuple[Expr, ...]


def flattened(
    loop: tree.For, part: Expr, is_known: Callable[[Expr], bool], names: NewNames
) -> Flat | None:
    """The iterations of a loop and of those within it as one; None if there are none within, or
    their number is not `is_known` outside."""
    levels = _levels(loop)
    columns = tuple([level.stop for level in levels[1:]])
    if not columns or not all(map(is_known, columns)):
        return None
    made: list[Statement] = []
    rest = part
    for level in reversed(levels[1:]):
        made.append(tree.Let(level.index, Binary("%", rest, level.stop)))
        whole = names.fresh("k", I64)
        made.append(tree.Let(whole, over(rest, level.stop)))
        rest = whole
    made.append(tree.Let(levels[0].index, rest))
    for level in levels:
        made += level.body if level is levels[-1] else level.body[:-1]
    return Flat(tuple(made), columns)


def _levels(loop: tree.For) -> list[tree.For]:
    """A loop, the one that is all it does but for making values, and so on."""
    found = [loop]
    while True:
        match found[-1].body:
            case (*before, tree.For(mark=tree.Apart(())) as inner) if all(
                map(_is_value, before)
            ) and (inner.start, inner.step) == (ZERO, ONE):
                found.append(inner)
            case _:
                return found


def _is_value(statement: Statement) -> bool:
    match statement:
        case tree.Let(Var(), value):
            return not has_effect(value)
    return False
