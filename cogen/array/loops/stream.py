"""functions -> functions: reductions go through four parts of their iterations at once.

    for i from start to stop, lanes(+ s)        part = (stop - start) / 4
        x = a[i]                                s2, s3, s4 = 0
        s = s + x                         ->    for i from start to start + part, lanes(+ s s2 ...)
                                                    x = a[i], s = s + x
                                                    i2 = i + part, x2 = a[i2], s2 = s2 + x2
                                                    ...
                                                s = s + s2, ...
                                                for i from start + 4 * part to stop, lanes(+ s)
                                                    x = a[i], s = s + x

and the loop as it was, if there are few iterations.

C's compiler vectorises a reduction with one vector of accumulators, whose additions wait for each
other: 3 or 4 cycles each, where a processor begins two of them in a cycle. It takes loops that
store nothing and do little.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cogen.array.ir.operations import TABLE
from cogen.array.loops import expressions as ex
from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied
from cogen.array.loops.replacing import of_loops
from cogen.array.loops.tree import I64, Block, Expr, Statement, Var

STREAMS: Final = 4
"""How many parts advance together."""

LEAST: Final = 4096
"""Fewer iterations are not divided: the loops' beginnings and ends would cost more."""

MOST_WORK: Final = 24
"""What costs more, in additions, keeps a processor busy as it is."""

APART: Final = 5
"""What a sample costs that does not follow the one before: vectors of such are permuted."""


@of_loops
def stream(names: UntakenNames, loop: tree.For, before: list[Statement]) -> list[Statement] | None:
    """The functions with their reductions in streams."""
    match loop:
        case tree.For(mark=tree.Lanes() as mark) if is_stream(loop, mark):
            return _streams(loop, mark, names)
    return None


def is_stream(loop: tree.For, mark: tree.Lanes) -> bool:
    """Whether a loop is nothing but cheap reductions, none of which is divided already."""
    if not mark.accumulators or mark.abreast > 1 or mark.few or loop.step != ex.ONE:
        return False
    size = ex.minus(loop.stop, loop.start)
    if ex.is_number(size) and ex.value_of(size) < LEAST:
        return False
    return is_pure(loop.body) and work(loop.body) <= MOST_WORK


def is_pure(block: Block) -> bool:
    """Whether statements change nothing but variables."""
    plain = (tree.Let, tree.Variable, tree.Assign, tree.IfStatement)
    return all(isinstance(statement, plain) for statement in treewalk.all_statements(block))


def work(block: Block) -> int:
    """What statements cost, in additions."""
    return sum([
        _cost(e)
        for statement in treewalk.all_statements(block)
        if not isinstance(statement, tree.Assign)
        for whole in treewalk.expressions(statement)
        for e in treewalk.within(whole)
    ])  # fmt: skip


def _cost(e: Expr) -> int:
    match e:
        case tree.Operate(row):
            return TABLE[row].cost
        case tree.Get(samples) if samples.step > sum(samples.sizes):
            return APART
    return int(isinstance(e, tree.Choose))


def _streams(loop: tree.For, mark: tree.Lanes, names: UntakenNames) -> list[Statement]:
    size = ex.minus(loop.stop, loop.start)
    divided = _divided(loop, mark, size, names)
    if ex.is_number(size):
        return divided
    index = names.fresh(loop.index.name, I64)
    whole = replace(loop, index=index, body=copied(loop.body, {loop.index: index}, names))
    return [tree.IfStatement(ex.less(size, ex.natural(LEAST)), (whole,), tuple(divided))]


def _divided(loop: tree.For, mark: tree.Lanes, size: Expr, names: UntakenNames) -> list[Statement]:
    """The statements for a loop of so many iterations, enough to divide them."""
    part = names.fresh("part", I64)
    found: list[Statement] = [tree.Let(part, ex.over(size, ex.natural(STREAMS)))]
    body, accumulators = [*loop.body], [*mark.accumulators]
    others: list[Statement] = []
    for number in range(1, STREAMS):
        values: dict[Var, Expr] = {}
        for how, variable in mark.accumulators:
            own = names.fresh(variable.name, variable.type)
            found.append(tree.Variable(own, how.start(variable)))
            others.append(tree.Assign(variable, how.combine(variable, own)))
            accumulators.append((how, own))
            values[variable] = own
        index = names.fresh(loop.index.name, I64)
        body.append(tree.Let(index, ex.plus(loop.index, ex.times(ex.natural(number), part))))
        body += copied(loop.body, {**values, loop.index: index}, names)
    both = tree.Lanes(tuple(accumulators), STREAMS)
    stop = ex.plus(loop.start, part)
    rest = names.fresh("rest", I64)
    index = names.fresh(loop.index.name, I64)
    return [
        *found,
        tree.For(loop.index, loop.start, stop, ex.ONE, tuple(body), both),
        *others,
        tree.Let(rest, ex.plus(loop.start, ex.times(ex.natural(STREAMS), part))),
        tree.For(
            index, rest, loop.stop, ex.ONE, copied(loop.body, {loop.index: index}, names), mark
        ),
    ]
