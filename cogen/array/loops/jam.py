"""functions -> functions: four iterations around a reduction become one.

    for j from start to stop, apart             rest = start + (stop - start) / 4 * 4
        s = 0                                   for j from start to rest, 4 apart
        for k from 0 to n, lanes(+ s)               s = 0, j2 = j + 1, s2 = 0, ...
            s = s + f(j, k)               ->        for k from 0 to n, lanes(+ s s2 ...)
        y[j] = s                                        s = s + f(j, k), s2 = s2 + f(j2, k), ...
                                                    y[j] = s, y[j2] = s2, ...
                                                for j from rest to stop, apart
                                                    ...

What the iterations read alike is read once, and no addition waits for the one before. Likewise
around two loops, so that what the inner ones read of arrays alike is read from memory once. The
iterations around need nothing of one another (`Apart`), and the loops within have one size for all
of them; the innermost is one that `cogen.array.loops.stream` would take. This pass is before that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied, copied_with
from cogen.array.loops.dividing import is_plain
from cogen.array.loops.expressions import ONE, minus, natural, over, plus, times
from cogen.array.loops.replacing import other_loops, other_loops_in
from cogen.array.loops.stream import MOST_WORK, is_pure, work
from cogen.array.loops.tree import I64, Block, Expr, Statement, Var

TOGETHER: Final = 4
"""How many iterations advance together."""

MOST_LOOPS: Final = 2
"""Around so many loops, the innermost included."""

Values = dict[Var, Expr]


def jam(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with iterations around reductions put together."""
    return other_loops(functions, _put_together)


def _put_together(
    names: UntakenNames, loop: tree.For, before: list[Statement]
) -> list[Statement] | None:
    return _jammed(loop, names) if jams(loop) else None


def jams(loop: tree.For, outside: frozenset[str] = frozenset(), loops: int = MOST_LOOPS) -> bool:
    """Whether iterations of a loop are plain operations around one loop of one size, which is a
    cheap reduction or, again, such a loop; `outside` differs between iterations further out."""
    if loop.mark != tree.Apart() or loop.step != ONE:
        return False
    inner = [statement for statement in loop.body if isinstance(statement, tree.For)]
    if len(inner) != 1 or not all(is_plain(s) for s in loop.body if s is not inner[0]):
        return False
    own = [v.name for statement in loop.body for v in treewalk.declared(statement)]
    differs = outside | {loop.index.name, *own}
    (within,) = inner
    if any(treewalk.names(e) & differs for e in (within.start, within.stop, within.step)):
        return False
    if loops > 1 and jams(within, differs, loops - 1):
        return True
    mark = within.mark
    return (
        isinstance(mark, tree.Lanes)
        and bool(mark.accumulators)
        and mark.abreast == 1
        and not mark.few
        and is_pure(within.body)
        and work(within.body) <= MOST_WORK
    )


def _jammed(loop: tree.For, names: UntakenNames) -> list[Statement]:
    at_once = natural(TOGETHER)
    whole = times(over(minus(loop.stop, loop.start), at_once), at_once)
    rest = names.fresh("rest", I64)
    body: list[Statement] = []
    copies: list[Values] = []
    before, inner, after = _parts(loop.body)
    for number in range(TOGETHER):
        values: Values = {}
        made = before
        if number > 0:
            index = names.fresh(loop.index.name, I64)
            body.append(tree.Let(index, plus(loop.index, natural(number))))
            made, values = copied_with(before, {loop.index: index}, names)
        body += made
        copies.append(values)
    body.append(_joint(inner, copies, names))
    for values in copies:
        body += copied(after, values, names) if values else after
    last = names.fresh(loop.index.name, I64)
    left = other_loops_in(
        copied(loop.body, {loop.index: last}, names), partial(_put_together, names)
    )
    return [
        tree.Let(rest, plus(loop.start, whole)),
        tree.For(loop.index, loop.start, rest, at_once, tuple(body)),
        tree.For(last, rest, loop.stop, ONE, left, loop.mark),
    ]


def _parts(body: Block) -> tuple[Block, tree.For, Block]:
    """What comes before the one loop in a body, that loop, and what comes after it."""
    ((at, loop),) = [(at, s) for at, s in enumerate(body) if isinstance(s, tree.For)]
    return body[:at], loop, body[at + 1 :]


def _joint(loop: tree.For, copies: Sequence[Values], names: UntakenNames) -> tree.For:
    """One loop for those of several iterations around it, where variables stand for others."""
    if isinstance(loop.mark, tree.Lanes):
        body = [s for values in copies for s in _own(loop.body, values, names)]
        accumulators = [
            (how, _variable(variable, values))
            for values in copies
            for how, variable in loop.mark.accumulators
        ]
        return replace(loop, body=tuple(body), mark=tree.Lanes(tuple(accumulators), len(copies)))
    before, inner, after = _parts(loop.body)
    body = []
    within: list[Values] = []
    for values in copies:
        made, found = (before, values) if not values else copied_with(before, values, names)
        body += made
        within.append(found)
    body.append(_joint(inner, within, names))
    for values in within:
        body += _own(after, values, names)
    return replace(loop, body=tuple(body), mark=None)


def _own(block: Block, values: Values, names: UntakenNames) -> Block:
    """Statements for one of the iterations; as they are for the first."""
    return copied(block, values, names) if values else block


def _variable(variable: Var, values: Values) -> Var:
    found = values.get(variable, variable)
    assert isinstance(found, Var)
    return found
