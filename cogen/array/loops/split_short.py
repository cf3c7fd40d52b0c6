"""functions -> functions: reductions in loops that turn out to be short are done without vectors.

    for i from 0 to m                           for i from 0 to m
        s = 0                                       s = 0
        for k from 0 to n, lanes(+ s)               if n < 16
            s = s + f(i, k)               ->            for k from 0 to n
                                                            s = s + f(i, k)
                                                    else
                                                        for k from 0 to n, lanes(+ s)
                                                            s = s + f(i, k)

To fill vectors of accumulators and to add them up takes as long as twenty additions, which a loop
that goes around another pays each time. This pass is before `cogen.array.loops.stream`, which has
four vectors, and after `cogen.array.loops.jam`, whose iterations are side by side as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from cogen.array.loops import tree
from cogen.array.loops.copying import UntakenNames, copied
from cogen.array.loops.expressions import is_number, less, minus, natural
from cogen.array.loops.replacing import of_loops, other_loops_in
from cogen.array.loops.tree import Statement

SHORT: Final = 16
"""With fewer iterations vectors of accumulators take longer than they save."""


@of_loops
def split_short(
    names: UntakenNames, loop: tree.For, before: list[Statement]
) -> Sequence[Statement] | None:
    """The functions with reductions in loops that have a plain form, too."""
    return [replace(loop, body=other_loops_in(loop.body, partial(_within, names)))]


def _within(
    names: UntakenNames, loop: tree.For, before: list[Statement]
) -> Sequence[Statement] | None:
    mark = loop.mark
    if not isinstance(mark, tree.Lanes) or not mark.accumulators or mark.few:
        return None
    if is_number(minus(loop.stop, loop.start)):
        return None
    return [plain_if_short(loop, SHORT, names, (loop,))]


def plain_if_short(
    loop: tree.For, few: int, names: UntakenNames, otherwise: Sequence[Statement]
) -> tree.IfStatement:
    """A loop as it is written if it has fewer iterations than `few`, else other statements."""
    index = names.fresh(loop.index.name, loop.index.type)
    body = copied(loop.body, {loop.index: index}, names)
    plain = tree.For(index, loop.start, loop.stop, loop.step, body)
    size = minus(loop.stop, loop.start)
    return tree.IfStatement(less(size, natural(few)), (plain,), tuple(otherwise))
