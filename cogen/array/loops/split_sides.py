"""functions -> functions: a loop that asks where it is becomes a loop on either side of that place.

    for i from 0 to m + n                       place = m, or the nearer end if that lies beyond
        if i < m                                for i from 0 to place
            x = a[i]                                s = s + a[i]
        else                           ->       for k from place - m to m + n - m
            x = b[i - m]                            s = s + b[k]
        s = s + x

So one loop goes through arrays that are put one after the other (`cogen.array.fusion.chained`), and
no iteration asks which of them it is in. What stands around the test is there on both sides, so
loops of many statements stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeGuard

from cogen.array.ir.operations import TABLE
from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied
from cogen.array.loops.dividing import changed
from cogen.array.loops.expressions import (
    ONE,
    TRUE,
    ZERO,
    choose,
    convert,
    less,
    minus,
    plus,
    same,
)
from cogen.array.loops.replacing import other_loops_in
from cogen.array.loops.rewriting import Change, rewritten, standing_for, with_expressions
from cogen.array.loops.tree import BOOL, I64, Block, Const, Convert, Expr, Operate, Statement, Var

MOST_STATEMENTS: Final = 60
"""The loops that are made of one have twice so many statements together at most, or half as many
again as it had; else it stays."""

MOST_OF_INNER: Final = 100
"""Likewise if there is no loop in the loop, and it asks where it is to choose a place: elements at
places that are chosen have to be gathered, one by one."""

MOST_LOOKED_AT: Final = 2000
"""A loop of more statements stays as it is."""

FALSE: Final = Const(False, BOOL)


def split_sides(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with loops on either side of the places that they ask for."""
    dividing = _Dividing(UntakenNames(functions))
    return tuple([replace(f, body=other_loops_in(f.body, dividing.loop)) for f in functions])


@dataclass(frozen=True, slots=True)
class _Question:
    """Whether the index of a loop comes before a place, as a test in its iterations."""

    test: Expr
    place: Expr


class _Dividing:
    """Divides the loops of some functions."""

    def __init__(self, names: UntakenNames) -> None:
        self.names = names

    def loop(self, loop: tree.For, before: list[Statement]) -> list[Statement] | None:
        """What stands for a loop; None if it asks for no place, or would become much longer."""
        few = _count(loop.body)
        made = self._divided(loop) if few <= MOST_LOOKED_AT else None
        least = MOST_OF_INNER if _chooses_places(loop.body) else MOST_STATEMENTS
        most = max(2 * least, few + few // 2)
        return None if made is None or _count(made) > most else made

    def _divided(self, loop: tree.For) -> list[Statement] | None:
        """What stands for a loop, whatever its length; None if it asks for no place."""
        question = _question(loop) if _is_divisible(loop) else None
        if question is None:
            return None
        loop = replace(loop, sharing=None)  # whoever shares loops out has done so
        place = self.names.fresh("place", I64)
        at = convert(I64, question.place)
        before_all, after_all = less(at, loop.start), less(at, loop.stop)
        chosen = choose(before_all, loop.start, choose(after_all, at, loop.stop))
        below = replace(loop, stop=place, body=_answered(loop.body, question, TRUE))
        return [
            tree.Let(place, chosen),
            *self._again(below),
            *self._above(loop, question, place),
        ]

    def _again(self, loop: tree.For) -> list[Statement]:
        """What stands for one side."""
        return self._divided(loop) or self._whole(loop)

    def _whole(self, loop: tree.For) -> list[Statement]:
        return [replace(loop, body=other_loops_in(loop.body, self.loop))]

    def _above(self, loop: tree.For, question: _Question, place: Var) -> list[Statement]:
        """What stands for the side from a place on. If its iterations ask for further places, and
        the number that is asked for is one of the loop's, they count from there."""
        body = _answered(loop.body, question, FALSE)
        plain = self._alone(replace(loop, start=place, body=body))
        index = self.names.fresh(loop.index.name, I64)
        counted = rewritten(body, _past(loop.index, question.place, index))
        if counted == body:
            return self._again(plain)
        counted = _named(counted, index)
        if loop.index.name in treewalk.mentioned(counted):
            counted = tree.Let(loop.index, plus(index, place)), *counted
        stop = minus(loop.stop, place)
        further = self._divided(replace(loop, index=index, start=ZERO, stop=stop, body=counted))
        if further is None:
            return self._again(plain)
        is_one = same(place, convert(I64, question.place))
        return [tree.IfStatement(is_one, tuple(further), tuple(self._whole(plain)))]

    def _alone(self, loop: tree.For) -> tree.For:
        """A loop with names of its own."""
        (found,) = copied((loop,), {}, self.names)
        assert isinstance(found, tree.For)
        return found


def _chooses_places(block: Block) -> bool:
    """Whether there is no loop among statements, which read elements at places that are chosen."""
    statements = [*treewalk.all_statements(block)]
    if any(isinstance(s, tree.For) for s in statements):
        return False
    chosen = {
        s.variable
        for s in statements
        if isinstance(s, tree.Let) and isinstance(s.value, tree.Choose)
    }
    loads = [
        x
        for s in statements
        for e in treewalk.expressions(s)
        for x in treewalk.within(e)
        if isinstance(x, tree.Load)
    ]
    return any(chosen.intersection(treewalk.within(load.index)) for load in loads)


def _count(block: Sequence[Statement]) -> int:
    """How many statements there are, in loops too, that do something."""
    inner = treewalk.all_statements(tuple(block))
    return sum([not isinstance(s, (tree.For, tree.Variable)) and not _is_known(s) for s in inner])


def _is_known(s: Statement) -> bool:
    """Whether a statement gives a number another name."""
    return isinstance(s, tree.Let) and isinstance(s.value, Const)


def _is_divisible(loop: tree.For) -> bool:
    """Whether what a loop does is known from its statements, which may be there twice."""
    if loop.step != ONE or isinstance(loop.mark, (tree.Shared, tree.Tables)):
        return False
    for s in treewalk.all_statements(loop.body):
        if isinstance(s, (tree.Break, tree.Parallel, tree.Scan)):
            return False
        if isinstance(s, tree.For) and isinstance(s.mark, (tree.Shared, tree.Tables)):
            return False
    return True


def _question(loop: tree.For) -> _Question | None:
    """A test for a place that chooses what an iteration does, if there is one."""
    varies = changed(loop.body) | {
        variable.name
        for s in (loop, *treewalk.all_statements(loop.body))
        for variable in (*treewalk.declared(s), *treewalk.bound(s))
    }
    values = {s.variable: s.value for s in loop.body if isinstance(s, tree.Let)}
    for found in _tests(loop.body):
        test = found.operand if isinstance(found, tree.Not) else found
        meant = values.get(test, test) if isinstance(test, Var) else test
        match meant:
            case Operate("int.lt", (at, place)):
                if _number(at) == loop.index and _stays(place, varies):
                    return _Question(meant, place)
    return None


def _tests(block: Block) -> Iterator[Expr]:
    """The tests that choose between statements, or between values, of a block."""
    for statement in block:
        if isinstance(statement, tree.IfStatement):
            yield statement.test
        for e in treewalk.expressions(statement):
            for x in treewalk.within(e):
                if isinstance(x, tree.Choose):
                    yield x.test


def _number(e: Expr) -> Expr:
    """An int without its conversions to other ints: sizes and indices fit into all."""
    while (
        isinstance(e, Convert) and e.type in (I64, tree.I32) and e.operand.type in (I64, tree.I32)
    ):
        e = e.operand
    return e


def _stays(e: Expr, varies: frozenset[str]) -> bool:
    """Whether an expression is the same number in all iterations."""
    return isinstance(_number(e), (Var, Const)) and treewalk.names(e).isdisjoint(varies)


def _past(index: Var, place: Expr, counted: Var) -> Change:
    """How far an index lies past a place is `counted`."""

    def change(e: Expr) -> Expr | None:
        match e:
            case Operate("int.sub", (at, start)):
                if _number(at) == index and _number(start) == _number(place):
                    return convert(e.type, counted)
        return None

    return change


def _named(block: Block, index: Var) -> Block:
    """Statements in which an index has no other name."""
    lets = [s for s in treewalk.all_statements(block) if isinstance(s, tree.Let)]
    return rewritten(block, standing_for({s.variable: index for s in lets if s.value == index}))


def _answered(block: Block, question: _Question, answer: Const) -> Block:
    """The statements of an iteration of which it is known where it is."""
    body = rewritten(block, lambda e: answer if e == question.test else None)
    return _at_once(_chosen(body, {}))


def _chosen(block: Block, known: Mapping[Expr, Const]) -> Block:
    """Statements without tests that are known, where variables are that stand for what is, and are
    what they were last assigned."""
    found: list[Statement] = []
    own = dict(known)
    empty: set[Var] = set()
    waiting = [*reversed(block)]
    while waiting:
        statement = with_expressions(waiting.pop(), lambda e: _simpler(e, own))
        match statement:
            case tree.Let(variable, Const() as value):
                own[variable] = value
            case tree.Variable(variable) if _is_empty(statement):
                empty.add(variable)
            case tree.Assign(variable, value, sign) if variable in empty:
                own.pop(variable, None)
                if isinstance(value, Const) and not sign:
                    own[variable] = value
            case tree.IfStatement(Const(value), then, otherwise):
                waiting += reversed(then if value else otherwise)
                continue
        inner = treewalk.blocks(statement)
        for assigned in {v for each in inner for v in _assigned(each, own)}:
            del own[assigned]
        found.append(treewalk.with_blocks(statement, [_chosen(each, own) for each in inner]))
    return tuple(found)


def _assigned(block: Block, known: Mapping[Expr, Const]) -> set[Expr]:
    """The variables, among those that are known, that statements assign."""
    found = [s.variable for s in treewalk.all_statements(block) if isinstance(s, tree.Assign)]
    return {variable for variable in found if variable in known}


def _simpler(e: Expr, known: Mapping[Expr, Const]) -> Expr | None:
    """What an expression is whose tests, or numbers, are known."""
    match e:
        case Var():
            return known.get(e)
        case tree.Not(Const(value)):
            return FALSE if value else TRUE
        case tree.Choose(Const(value), then, otherwise):
            return then if value else otherwise
        case Operate(row, operands, t) if t in (I64, BOOL):
            numbers = [x.value for x in operands if isinstance(x, Const) and x.type in (I64, BOOL)]
            if len(numbers) == len(operands):
                return _computed(row, numbers, t)
    return None


def _computed(row: str, numbers: Sequence[object], t: tree.Number) -> Const | None:
    """What an operation gives for known numbers, if there is a result for them."""
    known = TABLE[row]
    if known.partial and not (known.partial == "the divisor is not 0" and numbers[1]):
        return None
    value = known.meaning(*numbers)
    return Const(value, t) if isinstance(value, (bool, int)) else None


def _at_once(block: Block) -> Block:
    """Variables that are assigned once, among the statements after them, are made there."""
    everywhere = [s for s in treewalk.all_statements(block) if isinstance(s, tree.Assign)]
    times = Counter([s.variable for s in everywhere])
    here = [s for s in block if isinstance(s, tree.Assign) and not s.sign]
    once = {s.variable for s in here if times[s.variable] == 1}
    once &= {s.variable for s in block if _is_empty(s)}
    found: list[Statement] = []
    for s in block:
        if isinstance(s, tree.Assign) and s.variable in once:
            found.append(tree.Let(s.variable, s.value, place=s.place))
        elif not (isinstance(s, tree.Variable) and s.variable in once):
            found.append(s)
    return tuple(found)


def _is_empty(s: Statement) -> TypeGuard[tree.Variable]:
    """Whether a statement declares a variable, and no more."""
    return isinstance(s, tree.Variable) and s.value is None and s.region is None
