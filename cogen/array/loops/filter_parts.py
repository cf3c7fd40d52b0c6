"""Which loops only do something where a test holds, and what they compute before it and after.

    for i from start to stop                    early: x = a[i]
        x = a[i]                                test: x < 0.5
        if x < 0.5                    ->        late: s = s + x
            s = s + x                           crossing: x

A test is one without which an iteration does nothing: with False in its place, all that is left
computes what nothing uses, or combines accumulators with what changes none.  What the test is made
of is computed early, with elements that are read at the index; it must not depend on what
iterations change.  All else is done late, in the order in which it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.dividing import changed, has_effect, made_of
from cogen.array.loops.expressions import ONE, ZERO, convert, is_number, minus, value_of
from cogen.array.loops.rewriting import Change, expression, rewritten
from cogen.array.loops.tree import (
    BOOL,
    I64,
    Block,
    Combination,
    Const,
    Expr,
    Number,
    Operate,
    Statement,
    Var,
)

LEAST: Final = 64
"""Loops of fewer iterations are left as they are."""

MOST_HELD: Final = 6
"""More values of an iteration are not held."""

MOST_TRIED: Final = 16
"""So many tests of an iteration are tried, from the first on: each asks all that it does."""

ADD: Final = "int.add"
"""The operation that counts."""


@dataclass(frozen=True, slots=True)
class FilterParts:
    """What is computed of all iterations, the test, and what is done where it holds; what of the
    first the last uses. `counters` grow by one in each iteration that passes."""

    early: Block
    test: Expr
    late: Block
    crossing: tuple[Var, ...]
    counters: Mapping[Var, int]
    """With where in `late` they grow."""


def divide(loop: tree.For) -> FilterParts | None:
    """The parts of a loop whose iterations do nothing unless a test holds; None if there is no such
    test, or nothing would be gained."""
    if not isinstance(loop.mark, (tree.Running, tree.Tables, type(None))) or loop.step != ONE:
        return None
    size = minus(loop.stop, loop.start)
    if is_number(size) and value_of(size) < LEAST:
        return None
    if not _can_be_divided(loop.body):
        return None
    known = _MarkFacts.of(loop.mark)
    lets = [(at, s.variable) for at, s in enumerate(loop.body) if isinstance(s, tree.Let)]
    tests = [(at, variable) for at, variable in lets if variable.type == BOOL]
    for at, test in tests[:MOST_TRIED]:
        if is_idle(decided(loop.body, test, False), known):
            return _parts(loop, at, test)
    return None


def _can_be_divided(body: Block) -> bool:
    """Whether all statements are such that others may stand for expressions in them, and none
    leaves the loop but by a failure."""
    for statement in treewalk.all_statements(body):
        match statement:
            case tree.Break() | tree.Parallel() | tree.Scan():
                return False
            case tree.For(mark=tree.Tables() | tree.Shared()):
                return False
    return True


@dataclass(frozen=True, slots=True)
class _MarkFacts:
    """What a mark says: how accumulators are combined, and what counts."""

    combined: Mapping[Var, Combination]
    counts: tuple[Var, ...] = ()

    @staticmethod
    def of(mark: tree.Mark | None) -> _MarkFacts:
        if not isinstance(mark, tree.Running):
            return _MarkFacts({})
        pairs = (*mark.scans, *mark.accumulators)
        return _MarkFacts({variable: how for how, variable in pairs}, mark.counts)


def _parts(loop: tree.For, at: int, test: Var) -> FilterParts | None:
    body = loop.body
    early = made_of(frozenset([test.name]), body[: at + 1], changed(body), loop.index)
    if early is None:
        return None
    rest = tuple([s for s in body if s not in early])
    late = decided(rest, test, True)
    used = treewalk.mentioned(tuple(late))
    crossing = [v for s in early for v in treewalk.declared(s) if v.name in used and v != test]
    if loop.index.name in used:
        crossing.append(loop.index)
    if len(crossing) > MOST_HELD or not all(isinstance(v.type, Number) for v in crossing):
        return None
    return FilterParts(early, test, tuple(late), tuple(crossing), _counters(late))


def _counters(late: Sequence[Statement]) -> dict[Var, int]:
    """The variables of outside that each iteration makes one more, and nothing else changes."""
    changes: dict[Var, int] = {}
    for s in treewalk.all_statements(tuple(late)):
        for variable in [s.variable] if isinstance(s, tree.Assign) else treewalk.declared(s):
            changes[variable] = changes.get(variable, 0) + 1
    return {
        s.variable: at
        for at, s in enumerate(late)
        if isinstance(s, tree.Assign) and changes[s.variable] == 1 and _isone_more(s)
    }


def _isone_more(s: tree.Assign) -> bool:
    if s.sign == "+" and s.variable.type == I64:
        return s.value == ONE
    return not s.sign and s.value == one_more(s.variable, ONE)


def one_more(variable: Var, much: Expr) -> Expr:
    """A number that may be any, and so much more."""
    t = variable.type
    assert isinstance(t, Number)
    more = Const(much.value, t) if isinstance(much, Const) else convert(t, much)
    return Operate(ADD, (variable, more), t)


# What a loop does where its test holds, and where it does not.


def decided(block: Block, test: Var, holds: bool) -> list[Statement]:
    """Statements, with a test that is decided."""
    return _decided(block, {test: Const(holds, BOOL)})


def _decided(block: Block, values: dict[Var, Expr]) -> list[Statement]:
    change = _folding(values)
    found: list[Statement] = []
    for statement in block:
        match statement:
            case tree.Let(variable, e):
                e = expression(e, change)
                if isinstance(e, Const):
                    values[variable] = e
                else:
                    found.append(tree.Let(variable, e))
            case tree.IfStatement(e, then, otherwise):
                e = expression(e, change)
                if isinstance(e, Const):
                    found += _decided(then if e.value else otherwise, values)
                else:
                    ways = [tuple(_decided(own, dict(values))) for own in (then, otherwise)]
                    found.append(tree.IfStatement(e, *ways))
            case _:
                found += rewritten((statement,), change)
    return found


def _folding(values: Mapping[Var, Expr]) -> Change:
    """Variables that are known, and what follows from them."""

    def change(e: Expr) -> Expr | None:
        match e:
            case Var():
                return values.get(e)
            case tree.Choose(Const(value), then, otherwise):
                return then if value else otherwise
            case tree.Not(Const(value)) | Operate("bool.not", (Const(value),)):
                return Const(not value, BOOL)
            case Operate("bool.to_int", (Const(value),), t):
                return Const(int(bool(value)), t)
            case tree.Convert(Number() as t, Const(bool() as value)) if t != BOOL:
                return Const(int(value), t)
            case Operate("bool.and", (a, b)) | tree.Binary("&&", a, b):
                return _conjoined(a, b)
        return None

    return change


def _conjoined(a: Expr, b: Expr) -> Expr | None:
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const):
            return other if one.value else one
    return None


def is_idle(block: Sequence[Statement], known: _MarkFacts) -> bool:
    """Whether statements do nothing that anything outside of them could see. An element behind
    those that are counted is not seen."""
    own: set[Var] = set()
    for statement in block:
        if any(map(has_effect, treewalk.expressions(statement))):
            return False
        match statement:
            case tree.Let(variable) | tree.Variable(variable):
                own.add(variable)
            case tree.Assign(variable):
                if variable not in own and not _stays(statement, known.combined.get(variable)):
                    return False
            case tree.Store(_, Var() as place) if place in known.counts:
                pass
            case tree.IfStatement(_, then, otherwise):
                if not is_idle(then, known) or not is_idle(otherwise, known):
                    return False
            case _:
                return False
    return True


def _stays(s: tree.Assign, how: Combination | None) -> bool:
    """Whether a variable is assigned what it has."""
    if s.sign or s.value == s.variable:
        return not s.sign or (s.sign == "+" and s.value == ZERO)
    taken = None if how is None else how.taken(s.variable, s.value)
    if how is None or how.identity is None or not isinstance(taken, Const):
        return False
    return taken.value == how.identity
