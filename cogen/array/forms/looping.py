"""Counted loops of the IL -> `loop` of L0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogen.array.forms.counted import Counted
from cogen.array.forms.typetext import show
from cogen.array.forms.values import Known, Name, Number, Procedure, Value
from cogen.array.l0 import tree
from cogen.array.l0.types import INT, Type
from cogen.lang import il
from cogen.lang.errors import CogenError, Span

if TYPE_CHECKING:
    from cogen.array.forms.body import Body


def loop(body: Body, cont: il.Cont, found: Counted, values: list[Value], end: str) -> list[Value]:
    """What a loop that starts with these values, and what follows it, gives `end`."""
    span = body.span(cont.span)
    start = dict(zip(cont.parameters, values, strict=True))
    for x in found.unchanged:
        body.env[x] = start[x]
    along = [
        x
        for x in body.regions.rebound_in_rounds(cont.name, end)
        if not isinstance(body.env[x], Procedure | Known)
    ]
    start.update((x, body.env[x]) for x in along)
    carried = [x for x in cont.parameters if x not in found.unchanged and x != found.parameter]
    carried += along
    rounds = _rounds(body, found, start[found.parameter], span)
    initial = [body.code.expression(start[x], span) for x in carried]
    types = [t for _, t in initial]
    made = [body.code.pattern(x, t, span) for x, t in zip(carried, types, strict=True)]
    index = tree.Name(span, body.code.names.fresh(found.parameter))

    def enter(counter: Value) -> None:
        body.env[found.parameter] = counter
        body.env.update(zip(carried, [value for _, value in made], strict=True))

    outer = body.inner()
    try:
        enter(_counter(body, found, start[found.parameter], index, span))
        inside = _round(body, cont, found, carried, along, types, span)
    finally:
        body.code = outer
    pattern = _one([pattern for pattern, _ in made], span)
    first = _one_expression([e for e, _ in initial], span)

    def frame(rest: tree.Expression) -> tree.Expression:
        return tree.Loop(span, pattern, first, index, rounds(), inside, rest)

    body.code.frames.append(frame)
    enter(_final(body, found, start[found.parameter], rounds, span))
    return _after(body, cont, found, end)


def _round(
    body: Body,
    cont: il.Cont,
    found: Counted,
    carried: list[str],
    along: list[str],
    types: list[Type],
    span: Span,
) -> tree.Expression:
    """The next values of what a loop carries."""
    with body.deciding(found.tail, found.stay), body.taking_along(along, cont.name):
        given = body.block(cont.body, cont.name)
    values = dict(zip((*cont.parameters, *along), given, strict=True))
    made = []
    for x, t in zip(carried, types, strict=True):
        e, other = body.code.expression(values[x], span, t)
        if other != t:
            numbers = {show(t), show(other)} == {"int", "float"}
            raise CogenError(
                f"the loop's variable starts as {show(t)}, but goes on as {show(other)}", span,
                "write 0.0 for the float 0" if numbers else None,
            )  # fmt: skip
        made.append(e)
    return body.code.close(_one_expression(made, span))


def _after(body: Body, cont: il.Cont, found: Counted, end: str) -> list[Value]:
    """What follows the last round."""
    with body.deciding(found.tail, found.leave):
        return body.block(cont.body, end)


def _one(patterns: list[tree.Pattern], span: Span) -> tree.Pattern:
    return patterns[0] if len(patterns) == 1 else tree.TuplePattern(span, tuple(patterns))


def _one_expression(parts: list[tree.Expression], span: Span) -> tree.Expression:
    return parts[0] if len(parts) == 1 else tree.Tuple(span, tuple(parts))


# Counting


class _Arithmetic:
    """Sums of ints at a place, simplified where they are constants."""

    def __init__(self, body: Body, span: Span) -> None:
        self.body = body
        self.span = span

    def plus(self, a: Value, n: int) -> Value:
        if isinstance(a, Number):
            return Number(int(a.value) + n, INT)
        return a if n == 0 else self.make("+" if n > 0 else "-", a, Number(abs(n), INT))

    def minus(self, a: Value, b: Value) -> Value:
        if isinstance(b, Number):
            return self.plus(a, -int(b.value))
        return self.make("-", a, b)

    def times(self, a: Value, n: int) -> Value:
        return a if n == 1 else self.make("*", a, Number(n, INT))

    def make(self, operator: str, a: Value, b: Value) -> Value:
        x, y = (self.body.code.expression(value, self.span)[0] for value in (a, b))
        return self.body.code.let("n", tree.Binary(self.span, operator, x, y), INT)


class _Rounds:
    """How often a loop goes round: a new expression at each call."""

    def __init__(self, body: Body, value: Value, span: Span) -> None:
        self.body = body
        self.value = value
        self.span = span

    def __call__(self) -> tree.Expression:
        return self.body.code.expression(self.value, self.span)[0]


def _rounds(body: Body, found: Counted, start: Value, span: Span) -> _Rounds:
    """While i + offset < bound, i growing by step: (bound - offset - start) / step, rounded up."""
    bound = _fixed(body, found, found.bound)
    for value in (start, bound):
        t = body.code.type(value, span)
        if t != INT:
            raise CogenError(f"a loop is counted with an int, not with {show(t)}", span)
    work = _Arithmetic(body, span)
    step = found.step
    limit = work.plus(bound, -found.offset)
    if found.relation == "<=":
        limit = work.plus(limit, 1)
    elif found.relation == ">=":
        limit = work.plus(limit, -1)
    distance = work.minus(limit, start) if step > 0 else work.minus(start, limit)
    size = abs(step)
    if size != 1:
        distance = work.make("/", work.plus(distance, size - 1), Number(size, INT))
    return _Rounds(body, distance, span)


def _fixed(body: Body, found: Counted, atom: il.Atom) -> Value:
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


def _counter(body: Body, found: Counted, start: Value, index: tree.Name, span: Span) -> Value:
    """The loop's own counter, from L0's, which counts from 0 by 1."""
    work = _Arithmetic(body, span)
    scaled = work.times(Name(index.text, INT), found.step)
    if isinstance(start, Number):
        return work.plus(scaled, int(start.value))
    return work.make("+", start, scaled)


def _final(body: Body, found: Counted, start: Value, rounds: _Rounds, span: Span) -> Value:
    """The loop's counter after the last round."""
    work = _Arithmetic(body, span)
    none = tree.Binary(span, "<", rounds(), tree.Literal(span, 0, INT))
    count = tree.If(span, none, tree.Literal(span, 0, INT), rounds())
    scaled = work.times(body.code.let("n", count, INT), found.step)
    if isinstance(start, Number):
        return work.plus(scaled, int(start.value))
    return work.make("+", start, scaled)
