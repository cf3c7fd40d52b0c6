"""Counted loops of the IL -> `loop` of L0."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cogen.array.l0 import tree
from cogen.array.l0.types import INT, Type
from cogen.array.scheme.counted import Counted
from cogen.array.scheme.objects import ObjectState, Stale
from cogen.array.scheme.symbolicvalues import (
    KnownSymbol,
    SymbolicName,
    SymbolicNumber,
    SymbolicProcedure,
    Value,
)
from cogen.array.scheme.translation import Translation
from cogen.array.scheme.typetext import show
from cogen.lang import il
from cogen.lang.errors import CogenError, Span


def loop(
    body: Translation, cont: il.Cont, found: Counted, values: list[Value], end: str
) -> list[Value]:
    """What a loop that starts with these values, and what follows it, gives `end`.

    What the rounds change is found by translating them: first as if it were nothing, then again
    with what was found, until nothing new is.
    """
    made = _CountedLoop(body, cont, found, values, end)
    made.settle()
    return made.leave(end)


class CarryingLoop:
    """A loop in the making: what it carries.

    `objects` are those that its rounds change, which it carries like its variables; `one` says of
    which variables and objects a round may be one, `stale` which cannot be read in a later round.
    """

    def __init__(
        self,
        body: Translation,
        cont: il.Cont,
        values: list[Value],
        end: str,
        apart: Collection[str],
        unchanged: Collection[str],
    ) -> None:
        self.body = body
        self.cont = cont
        self.span = body.span(cont.span)
        self.start = dict(zip(cont.parameters, values, strict=True))
        self.along = [
            x
            for x in body.regions.rebound_in_rounds(cont.name, end)
            if not isinstance(body.env[x], SymbolicProcedure | KnownSymbol)
        ]
        self.start.update((x, body.env[x]) for x in self.along)
        for x in unchanged:
            body.env[x] = self.start[x]
        self.carried = [
            x for x in (*cont.parameters, *self.along) if x not in unchanged and x not in apart
        ]
        self.values: list[Value] = []
        """What it carries is called so in a round: the variables, then the objects."""
        self.objects: dict[Value, None] = {}
        self.one: dict[tuple[int, int | Value], None] = {}
        self.stale: dict[Value, Stale] = {}
        self.visible: dict[Value, None] = {}
        if body.objects.active:
            self.visible = body.objects.visible({**body.env, **self.start})

    def settle(self) -> None:
        """Translate the rounds, until they change no more than is known."""
        saved = self.body.save()
        while not self.attempt():
            self.body.restore(saved)

    def attempt(self) -> bool:
        """Translate the rounds; whether they change no more than is known."""
        raise NotImplementedError

    def starting(self) -> tuple[list[tree.Expression], list[Type], list[tree.Pattern]]:
        """What it carries begins with, and the patterns that name it."""
        code, span = self.body.code, self.span
        starting = [code.expression(self.start[x], span) for x in self.carried]
        made = [code.pattern(x, t, span) for x, (_, t) in zip(self.carried, starting, strict=True)]
        for one in self.objects:
            e, t = code.expression(one, span)
            starting.append((e, t))
            made.append(code.pattern(_name(one), t, span))
        self.values = [value for _, value in made]
        return [e for e, _ in starting], [t for _, t in starting], [p for p, _ in made]

    def begin(self) -> None:
        """The state of the objects where a round begins, or the loop ends."""
        objects, count = self.body.objects, len(self.carried)
        for one, value in zip(self.objects, self.values[count:], strict=True):
            objects.state.held[one] = value
        if not objects.active:
            return
        starts = [list(objects.reached(self.start[x])) for x in self.carried]
        others = [
            (i, list(objects.objects(self.values[j]) if isinstance(j, int) else objects.reached(j)))
            for i, j in self.one
        ]
        for i, found in [*enumerate(starts), *others]:
            objects.be_one(self.values[i], found, self.span)
        objects.state.stale.update(self.stale)

    def name_carried(self) -> None:
        """The variables are what the loop carries."""
        self.body.env.update(zip(self.carried, self.values, strict=False))

    def next_values(
        self, given: Sequence[Value], types: Sequence[Type]
    ) -> tuple[list[tree.Expression], list[Value]]:
        """Expressions of what the next round begins with, of what the loop's parameters and the
        variables that come along get; and the values of those that are carried."""
        body, span = self.body, self.span
        values = dict(zip((*self.cont.parameters, *self.along), given, strict=True))
        nexts = [values[x] for x in self.carried]
        made = []
        for value, t in zip([*nexts, *self.objects], types, strict=True):
            e, other = body.code.expression(value, span, t)
            if other != t:
                numbers = {show(t), show(other)} == {"int", "float"}
                raise CogenError(
                    f"the loop's variable starts as {show(t)}, but goes on as {show(other)}", span,
                    "write 0.0 for the float 0" if numbers else None,
                )  # fmt: skip
            made.append(e)
        return made, nexts

    def settled(self, before: ObjectState, given: list[Value]) -> bool:
        """Whether a round that ends now did no more than was known of it."""
        objects = self.body.objects
        if not objects.active:
            return True
        known = len(self.objects) + len(self.one) + len(self.stale)
        self.objects.update(dict.fromkeys(objects.changed(before, self.visible)))
        for one in self.visible:
            if one in objects.state.stale and one not in before.stale:
                self.stale[one] = objects.state.stale[one]
        for i, value in enumerate(given):
            for j, other in enumerate(given):
                if i != j and self._may_be_one(value, other):
                    self.one[i, j] = None
            for one in self.visible:
                if one is not self.start[self.carried[i]] and self._may_be_one(value, one):
                    self.one[i, one] = None
        return known == len(self.objects) + len(self.one) + len(self.stale)

    def _may_be_one(self, a: Value, b: Value) -> bool:
        objects = self.body.objects
        return any(objects.related(x, y) for x in objects.objects(a) for y in objects.objects(b))


class _CountedLoop(CarryingLoop):
    """One that goes round as often as is known before it begins."""

    def __init__(
        self, body: Translation, cont: il.Cont, found: Counted, values: list[Value], end: str
    ) -> None:
        super().__init__(body, cont, values, end, [found.parameter], found.unchanged)
        self.found = found

    def attempt(self) -> bool:
        """Translate the rounds; whether they change no more than is known."""
        body, span, found = self.body, self.span, self.found
        rounds = _rounds(body, found, self.start[found.parameter], span)
        first, types, patterns = self.starting()
        index = tree.Name(span, body.code.names.fresh(found.parameter))
        counter = self.start[found.parameter]
        self.begin()
        before = body.objects.state.copy()
        outer = body.inner()
        try:
            self._enter(_counter(body, found, counter, index, span))
            inside, given = self._round(types)
        finally:
            body.code = outer
        settled = self.settled(before, given)
        state, body.objects.state = body.objects.state, before
        before.add(state)
        pattern, start = one_pattern(patterns, span), one_expression(first, span)

        def frame(rest: tree.Expression) -> tree.Expression:
            return tree.LoopExpression(span, pattern, start, index, rounds(), inside, rest)

        body.code.frames.append(frame)
        self.rounds = rounds
        return settled

    def _enter(self, counter: Value) -> None:
        self.body.env[self.found.parameter] = counter
        self.name_carried()

    def _round(self, types: list[Type]) -> tuple[tree.Expression, list[Value]]:
        """The next values of what the loop carries; those of its variables, as they are given."""
        body, cont = self.body, self.cont
        with (
            body.deciding(self.found.tail, self.found.stay),
            body.taking_along(self.along, cont.name),
        ):
            given = body.block(cont.body, cont.name)
        made, nexts = self.next_values(given, types)
        return body.code.close(one_expression(made, self.span)), nexts

    def leave(self, end: str) -> list[Value]:
        """What follows the last round."""
        body, found = self.body, self.found
        self.begin()
        self._enter(_final(body, found, self.start[found.parameter], self.rounds, self.span))
        body.heads = body.heads | found.head
        with body.deciding(found.tail, found.leave):
            return body.block(self.cont.body, end)


def _name(one: Value) -> str:
    """What an object is called."""
    return one.text if isinstance(one, SymbolicName) else "x"


def one_pattern(patterns: list[tree.Pattern], span: Span) -> tree.Pattern:
    """A pattern of several."""
    return patterns[0] if len(patterns) == 1 else tree.TuplePattern(span, tuple(patterns))


def one_expression(parts: list[tree.Expression], span: Span) -> tree.Expression:
    """An expression of several, as a tuple."""
    return parts[0] if len(parts) == 1 else tree.Tuple(span, tuple(parts))


# Counting


class _IndexArithmetic:
    """Sums of ints at a place, simplified where they are constants."""

    def __init__(self, body: Translation, span: Span) -> None:
        self.body = body
        self.span = span

    def plus(self, a: Value, n: int) -> Value:
        if isinstance(a, SymbolicNumber):
            return SymbolicNumber(int(a.value) + n, INT)
        return a if n == 0 else self.make("+" if n > 0 else "-", a, SymbolicNumber(abs(n), INT))

    def minus(self, a: Value, b: Value) -> Value:
        if isinstance(b, SymbolicNumber):
            return self.plus(a, -int(b.value))
        return self.make("-", a, b)

    def times(self, a: Value, n: int) -> Value:
        return a if n == 1 else self.make("*", a, SymbolicNumber(n, INT))

    def make(self, operator: str, a: Value, b: Value) -> Value:
        x, y = (self.body.code.expression(value, self.span)[0] for value in (a, b))
        return self.body.code.let("n", tree.BinaryExpression(self.span, operator, x, y), INT)


class _RoundCount:
    """How often a loop goes round: a new expression at each call."""

    def __init__(self, body: Translation, value: Value, span: Span) -> None:
        self.body = body
        self.value = value
        self.span = span

    def __call__(self) -> tree.Expression:
        return self.body.code.expression(self.value, self.span)[0]


def _rounds(body: Translation, found: Counted, start: Value, span: Span) -> _RoundCount:
    """While i + offset < bound, i growing by step: (bound - offset - start) / step, rounded up."""
    bound = _fixed(body, found, found.bound)
    for value in (start, bound):
        t = body.code.type(value, span)
        if t != INT:
            raise CogenError(f"a loop is counted with an int, not with {show(t)}", span)
    work = _IndexArithmetic(body, span)
    step = found.step
    limit = work.plus(bound, -found.offset)
    if found.relation == "<=":
        limit = work.plus(limit, 1)
    elif found.relation == ">=":
        limit = work.plus(limit, -1)
    distance = work.minus(limit, start) if step > 0 else work.minus(start, limit)
    size = abs(step)
    if size != 1:
        distance = work.make("/", work.plus(distance, size - 1), SymbolicNumber(size, INT))
    return _RoundCount(body, distance, span)


def _fixed(body: Translation, found: Counted, atom: il.Atom) -> Value:
    """The value of an atom that is the same in all rounds, computed before the loop."""
    if not isinstance(atom, il.Var) or atom.name not in found.definitions:
        return body.value(atom)
    definition = found.definitions[atom.name]
    assert definition is not None
    if isinstance(definition, il.Atom):
        return _fixed(body, found, definition)
    values = [_fixed(body, found, a) for a in definition.arguments]
    span = body.span(definition.span)
    if isinstance(definition, il.Let):
        return body.primitive(definition.op, values, span)
    return body.call(body.value(definition.function), values, span)


def _counter(
    body: Translation, found: Counted, start: Value, index: tree.Name, span: Span
) -> Value:
    """The loop's own counter, from L0's, which counts from 0 by 1."""
    work = _IndexArithmetic(body, span)
    scaled = work.times(SymbolicName(index.text, INT), found.step)
    if isinstance(start, SymbolicNumber):
        return work.plus(scaled, int(start.value))
    return work.make("+", start, scaled)


def _final(
    body: Translation, found: Counted, start: Value, rounds: _RoundCount, span: Span
) -> Value:
    """The loop's counter after the last round."""
    work = _IndexArithmetic(body, span)
    none = tree.BinaryExpression(span, "<", rounds(), tree.LiteralExpression(span, 0, INT))
    count = tree.IfExpression(span, none, tree.LiteralExpression(span, 0, INT), rounds())
    scaled = work.times(body.code.let("n", count, INT), found.step)
    if isinstance(start, SymbolicNumber):
        return work.plus(scaled, int(start.value))
    return work.make("+", start, scaled)
