"""functions -> functions: loops that look for an extreme pass over blocks that have none at once.

    for i from start to stop                    for each block of 256 iterations
        t = s < a[i]                                any = 0
        s = t ? a[i] : s                  ->        for each i of it, lanes(| any)
        k = t ? i : k                                   any = any | (s < a[i])
                                                    if any
                                                        for each i of it: t, s, k as before
                                                for the iterations that are left: the same

Where the greatest element is: what an iteration finds depends on the one before, so it is no
reduction that C's compiler knows. But where the test does not hold for what was found before a
block, and any of its elements, nothing is found in it. That holds for NaN, too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied, copied_with
from cogen.array.loops.dividing import is_total, made_of
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
    choose,
    is_number,
    less,
    minus,
    natural,
    over,
    plus,
    times,
    value_of,
)
from cogen.array.loops.replacing import of_loops
from cogen.array.loops.stream import MOST_WORK, work
from cogen.array.loops.tree import I64, Block, Combination, Expr, Number, Statement, Var

BLOCK: Final = 128
"""Iterations of a block: few, since one that has an extreme is gone through one by one."""

ANY: Final = Combination("|", 0, "int.or")


@of_loops
def skim(names: UntakenNames, loop: tree.For, before: list[Statement]) -> list[Statement] | None:
    """The functions with their loops that look for extremes in blocks."""
    search = _search(loop)
    return None if search is None else _SkimmedBlocks(loop, search, names).statements()


@dataclass(frozen=True, slots=True)
class ExtremeSearch:
    """What a loop looks for: the test of an iteration, by its name, whether that tells that all
    stays as it is (`keeps`), and the statements that make it."""

    test: Var
    keeps: bool
    made: Block


def _search(loop: tree.For) -> ExtremeSearch | None:
    """What a loop looks for; None if it does anything else, or has few iterations."""
    size = minus(loop.stop, loop.start)
    if loop.mark is not None or loop.step != ONE or (is_number(size) and value_of(size) < BLOCK):
        return None
    values: dict[Var, Expr] = {}
    found: dict[Var, Expr] = {}
    for statement in loop.body:
        match statement:
            case tree.Let(variable, value) if not found and isinstance(variable.type, Number):
                values[variable] = value
            case tree.Assign(variable, value, "") if variable not in found:
                found[variable] = value
            case _:
                return None
    found = {v: values.get(e, e) if isinstance(e, Var) else e for v, e in found.items()}
    extremes = {v: e for v, e in found.items() if _is_extreme(v, e)}
    tests = {_asked(v, e) for v, e in found.items() if v not in extremes}
    (asked,) = tests if len(tests) == 1 else (None,)
    if asked is None or not all(_stays(v, e, values, *asked) for v, e in extremes.items()):
        return None
    return _of_test(loop, *asked, found)


def _is_extreme(variable: Var, value: Expr) -> bool:
    """Whether a value is the greater, or the less, of an accumulator and something."""
    return (
        isinstance(value, tree.Operate)
        and value.row in ("int.max", "int.min")
        and variable in value.operands
    )


def _stays(variable: Var, extreme: Expr, values: dict[Var, Expr], test: Var, keeps: bool) -> bool:
    """Whether an accumulator of an extreme is as it was where a test says that others are."""
    match extreme, values.get(test):
        case tree.Operate(row, operands), tree.Operate("int.lt" | "int.le", compared):
            other = operands[1] if operands[0] == variable else operands[0]
            greater = (row == "int.max") is not keeps
            return compared == ((variable, other) if greater else (other, variable))
    return False


def _asked(variable: Var, value: Expr) -> tuple[Var, bool] | None:
    """The test by which an accumulator stays, or becomes another value, and whether it stays where
    that holds."""
    match value:
        case tree.Choose(Var() as test, then, otherwise):
            if otherwise == variable:
                return test, False
            if then == variable:
                return test, True
    return None


def _of_test(
    loop: tree.For, test: Var, keeps: bool, accumulators: Collection[Var]
) -> ExtremeSearch | None:
    """The search by a test, if that looks at what was found, and at elements."""
    made = made_of(frozenset([test.name]), loop.body, frozenset())
    if made is None or work(made) > MOST_WORK or not _is_in_order(made, loop.index):
        return None
    if treewalk.mentioned(made).isdisjoint([variable.name for variable in accumulators]):
        return None
    return ExtremeSearch(test, keeps, made)


def _is_in_order(block: Block, index: Var) -> bool:
    """Whether statements read elements at the index of a loop only, some at least."""
    whole = [e for statement in block for e in treewalk.expressions(statement)]
    loads = [x for e in whole for x in treewalk.within(e) if isinstance(x, tree.Load)]
    return bool(loads) and all(is_total(e, index) for e in whole)


@dataclass(slots=True)
class _SkimmedBlocks:
    """A loop that looks for something, in blocks."""

    loop: tree.For
    search: ExtremeSearch
    names: UntakenNames

    def statements(self) -> list[Statement]:
        loop, room = self.loop, natural(BLOCK)
        end = self.names.fresh("end", I64)
        begin = self.names.fresh("begin", I64)
        any_ = self.names.fresh("any", I64)
        whole = times(over(minus(loop.stop, loop.start), room), room)
        block = (
            tree.Variable(any_, ZERO),
            self.look(begin, any_),
            tree.IfStatement(less(ZERO, any_), (self.again(begin, plus(begin, room)),)),
        )
        return [
            tree.Let(end, plus(loop.start, whole)),
            tree.For(begin, loop.start, end, room, block),
            self.again(end, loop.stop),
        ]

    def look(self, begin: Var, any_: Var) -> tree.For:
        """The loop that asks whether any iteration of a block finds something."""
        index = self.names.fresh(self.loop.index.name, I64)
        made, values = copied_with(self.search.made, {self.loop.index: index}, self.names)
        test = values[self.search.test]
        found = choose(test, ZERO, ONE) if self.search.keeps else choose(test, ONE, ZERO)
        body = (*made, tree.Assign(any_, ANY.combine(any_, found)))
        mark = tree.Lanes(((ANY, any_),), few=True)
        return tree.For(index, begin, plus(begin, natural(BLOCK)), ONE, body, mark)

    def again(self, start: Expr, stop: Expr) -> tree.For:
        """The loop as it was, over some of its iterations."""
        index = self.names.fresh(self.loop.index.name, I64)
        body = copied(self.loop.body, {self.loop.index: index}, self.names)
        return tree.For(index, start, stop, ONE, body)
