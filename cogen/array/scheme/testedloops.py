"""Loops of the IL that tests end, at any places -> `loop` of L0 that goes on while it is to.

    (let next ((x n) (k 0))
      (if (= x 1) k (next (step x) (+ k 1))))

    loop ({more, x, k} = {True, n, 0}) = for i < WHILE do
      if more then
        if x = 1 then {False, x, k} else {True, step(x), k + 1}
      else {more, x, k} in k

A round is a region that ends where the next one begins, or the loop does: both are led to one end,
with the truth value that says which.  What follows the loop gets what the loop carries, where the
rounds that leave give it that; else it is carried, too, and null until then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, INT, Type
from cogen.array.l0.while_loops import WHILE
from cogen.array.scheme.controlflow import Regions
from cogen.array.scheme.counted import LoopRounds
from cogen.array.scheme.countedloops import CarryingLoop, one_expression, one_pattern
from cogen.array.scheme.symbolicvalues import SymbolicName, SymbolicParts, Value
from cogen.array.scheme.translation import Recursive, Translation
from cogen.array.scheme.unions import null
from cogen.lang import il
from cogen.lang.errors import CogenError


def tested_loop(body: Translation, cont: il.Cont, values: list[Value], end: str) -> list[Value]:
    """What a loop that starts with these values gives `end`."""
    made = _TestedLoop(body, cont, values, end)
    made.settle()
    return made.leave()


Result = Type | Value | int | list[Any]
"""What the end is given: a value that is carried, by number; another one that is the same in all
rounds that leave; something of a type; or several of these, as a tuple, or record of a kind."""


class _TestedLoop(CarryingLoop):
    """A loop that goes round until a round leaves it."""

    def __init__(self, body: Translation, cont: il.Cont, values: list[Value], end: str) -> None:
        rounds = LoopRounds(cont, body.regions, end, body.program.changing)
        unchanged = [x for x in cont.parameters if rounds.keeps(x)]
        super().__init__(body, cont, values, end, (), unchanged)
        self.heads = (*cont.parameters, *self.along)
        self.behind = end
        self.end = f"{cont.name}%round-{len(body.widths)}"
        count = body.width(end)
        self.given = [f"{self.end}-{k}" for k in range(count + len(body.taken_along.get(end, ())))]
        """What the end of the loop is given is called so in a round that goes on."""
        body.widths[self.end] = 1 + len(self.heads) + len(self.given)
        self.regions = self._round_of(end, count)
        self.results: list[Result] | None = None
        self.outside = {value for x in body.env for value in _leaves(body.env[x])}
        self.slots: list[Value] = []
        self.left: list[Value] = []
        """What rounds give the end."""

    def _round_of(self, end: str, count: int) -> Regions:
        """The continuations, where the next round and the end of the loop are the round's end."""
        body, cont = self.body, self.cont
        again = [f"{x}%next" for x in cont.parameters]
        nexts = [il.Var(x) for x in (*again, *self.along, *self.given)]
        left = [f"{x}%left" for x in self.given[:count]]
        kept = [il.Var(_kept(x)) for x in self.heads]
        given = [il.Var(x) for x in (*left, *body.taken_along.get(end, ()))]
        conts = dict(body.regions.conts)
        instead = dict(body.regions.instead)
        for name, parameters, more, values in (
            (cont.name, again, True, nexts), (end, left, False, [*kept, *given]),
        ):  # fmt: skip
            instead[name] = step = f"{self.end}-{more}"
            jump = il.Jump(self.end, (il.Const(more), *values), cont.span)
            conts[step] = il.Cont(step, tuple(parameters), il.Block((), jump), cont.span)
        return Regions(conts, instead)

    def attempt(self) -> bool:
        """Translate a round; whether it gives no more than is known."""
        first, types, patterns = self.starting()
        if self.results is None:
            self.results = self._found()
            return False
        body, span = self.body, self.span
        more = tree.Name(span, body.code.names.fresh("more"))
        self._make_slots(first, types, patterns)
        self.begin()
        before = body.objects.state.copy()
        outer = body.inner()
        try:
            given = self._round()
            self.left = given[1 + len(self.heads) :]
            made, nexts = self.next_values(given[1 : 1 + len(self.heads)], types)
            for value, result in zip(self.left, self.results, strict=True):
                made += self._given_slots(value, result)
            test = body.code.expression(given[0], span)[0]
            inside = body.code.close(one_expression([test, *made], span))
        finally:
            body.code = outer
        settled = self.settled(before, nexts)
        state, body.objects.state = body.objects.state, before
        before.add(state)
        pattern = one_pattern([more, *patterns], span)
        start = one_expression([tree.LiteralExpression(span, True, BOOL), *first], span)
        whole = tree.IfExpression(
            span, tree.VariableExpression(span, more), inside, _as_expression(pattern)
        )
        index = tree.Name(span, body.code.names.fresh("round"))
        bound = tree.LiteralExpression(span, WHILE, INT)

        def frame(rest: tree.Expression) -> tree.Expression:
            return tree.LoopExpression(span, pattern, start, index, bound, whole, rest)

        body.code.frames.append(frame)
        return settled

    def _found(self) -> list[Result]:
        """What rounds that leave give; those that do not say nothing here."""
        body = self.body
        self.begin()
        outer = body.inner()
        try:
            given = self._round(typed=False)[1 + len(self.heads) :]
            return [self._result(value) for value in given]
        except Recursive as recursive:
            if body.untyped or recursive.args[0] in body.program.procedures:
                raise  # another loop, or procedure, may tell what it gives
            raise CogenError("this loop never ends", self.span) from None
        finally:
            body.code = outer

    def _result(self, value: Value) -> Result:
        for i, own in enumerate(self.values[: len(self.carried)]):
            if value is own:
                return i
        if isinstance(value, SymbolicParts):
            return [value.record, *[self._result(part) for part in value.parts]]
        if isinstance(value, SymbolicName) and value not in self.outside:
            return value.type
        return value

    def _make_slots(
        self, first: list[tree.Expression], types: list[Type], patterns: list[tree.Pattern]
    ) -> None:
        """What is carried to be given to the end."""
        code, span = self.body.code, self.span

        def made(result: Result) -> Value:
            if isinstance(result, int):
                return self.values[result]
            if isinstance(result, list):
                return SymbolicParts(tuple([made(part) for part in result[1:]]), result[0])
            if not isinstance(result, Type):
                return result
            first.append(code.expression(null(code, result, span), span, result)[0])
            pattern, value = code.pattern("result", result, span)
            patterns.append(pattern)
            return value

        assert self.results is not None
        self.slots = [made(result) for result in self.results]

    def _given_slots(self, value: Value, result: Result) -> list[tree.Expression]:
        """Expressions of what a round gives for what is carried to be given to the end."""
        if isinstance(result, list):
            assert isinstance(value, SymbolicParts)
            pairs = zip(value.parts, result[1:], strict=True)
            return [e for part, r in pairs for e in self._given_slots(part, r)]
        if not isinstance(result, Type):
            return []
        return [self.body.code.expression(value, self.span, result)[0]]

    def _round(self, typed: bool = True) -> list[Value]:
        """What a round gives its end."""
        body, outer, untyped = self.body, self.body.regions, self.body.untyped
        self.name_carried()
        for x in self.heads:
            body.env[_kept(x)] = body.env[x]
        body.env.update(zip(self.given, self.slots if typed else (), strict=typed))
        body.regions = self.regions
        body.untyped = untyped - {self.cont.name, self.behind}
        if not typed:
            body.untyped |= {self.cont.name}
        try:
            return body.block(self.cont.body, self.end)
        finally:
            body.regions, body.untyped = outer, untyped

    def leave(self) -> list[Value]:
        """What the end is given."""
        self.begin()
        self.name_carried()
        if self.body.objects.active:
            for slot, value in zip(self.slots, self.left, strict=True):
                self.body.objects.derive(slot, [value], self.span)
        return list(self.slots)


def _kept(x: str) -> str:
    """What a variable was where the round began."""
    return f"{x}%kept"


def _as_expression(pattern: tree.Pattern) -> tree.Expression:
    """What a pattern names."""
    if isinstance(pattern, tree.Name):
        return tree.VariableExpression(pattern.span, pattern)
    assert isinstance(pattern, tree.TuplePattern)
    return one_expression(_all(pattern.parts), pattern.span)


def _all(parts: Sequence[tree.Pattern]) -> list[tree.Expression]:
    return [_as_expression(part) for part in parts]


def _leaves(value: Value) -> list[Value]:
    """What a value is put together of."""
    if isinstance(value, SymbolicParts):
        return [leaf for part in value.parts for leaf in _leaves(part)]
    return [value]
