"""What the arms of a conditional give where they meet: one value of two, and what objects are.

An arm that cannot be translated yet, since it needs the type of what the other one gives, says
nothing (`Recursive`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cogen.array.l0 import tree
from cogen.array.l0.types import TupleType, Type
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.objects import ObjectState
from cogen.array.scheme.symbolicvalues import (
    KnownSymbol,
    SymbolicCell,
    SymbolicConstant,
    SymbolicParts,
    SymbolicProcedure,
    Value,
)
from cogen.array.scheme.translation import Recursive, Translation
from cogen.array.scheme.typetext import show
from cogen.array.scheme.unions import meeting, widened
from cogen.lang import il
from cogen.lang.errors import CogenError, Span


def choose(
    body: Translation, test: tree.Expression, tail: il.If, meeting: str, span: Span
) -> list[Value]:
    """What a conditional's arms give the continuation where they meet."""
    arms: list[MeetingArm | None] = []
    start = body.objects.state
    visible = body.objects.visible(body.env) if body.objects.active else {}
    before = body.env if body.regions.is_entered_again(tail, meeting) else None
    for arm in (tail.then, tail.otherwise):
        if before is not None:
            body.env = dict(before)
        outer = body.inner()
        body.objects.state = start.copy()
        try:
            values = body.block(arm, meeting)
            arms.append(MeetingArm(body.code, values, body.objects.state))
        except Recursive:
            if arms == [None]:
                raise
            arms.append(None)
        finally:
            body.code = outer
    if before is not None:
        body.env = before
    first, second = arms
    if first is None or second is None:
        return _trial(body, first or second, span)
    count = len(first.values)
    cells = _meet_cells(first, second, visible)
    changed = body.objects.differing(first.state, second.state, [*visible, *cells])
    found = _joined(body, test, first, second, changed, span, body.hints(meeting))
    body.objects.meet(first.state, second.state, dict(zip(changed, found[count:], strict=True)))
    for made, a, b in zip(found, first.values, second.values, strict=False):
        if made is not a:
            body.objects.derive(made, (a, b), span)
    return found[:count]


def _trial(body: Translation, arm: MeetingArm | None, span: Span) -> list[Value]:
    """The arm that says what types the other one must give; this code is thrown away."""
    assert arm is not None
    body.code.frames += arm.code.frames
    body.objects.state = arm.state
    return arm.values


def _joined(
    body: Translation,
    test: tree.Expression,
    first: MeetingArm,
    second: MeetingArm,
    changed: Sequence[Value],
    span: Span,
    hints: Sequence[str],
) -> list[Value]:
    """Bind the values that both arms give, and what objects are that they have changed."""
    results: list[Value | None] = []
    chosen: list[tuple[tree.Expression, tree.Expression, Type]] = []
    given = [
        [*arm.values, *[arm.state.held.get(one, one) for one in changed]] for arm in (first, second)
    ]
    for a, b in zip(*given, strict=True):
        same = _without_choice(a, b)
        results.append(same)
        if same is None:
            chosen.append(_alike(body, first, a, second, b, span))
    bodies = []
    for code, side in ((first.code, 0), (second.code, 1)):
        parts = [(x, y)[side] for x, y, _ in chosen]
        whole: tree.Expression = parts[0] if len(parts) == 1 else tree.Tuple(span, tuple(parts))
        bodies.append(code.close(whole))
    types = [t for _, _, t in chosen]
    made = tree.IfExpression(span, test, *bodies)
    if len(types) == 1:
        index = results.index(None)
        hint = hints[index] if index < len(hints) else ""
        bound = [body.code.let(hint or "chosen", made, types[0])]
    else:
        value = body.code.let("chosen", made, TupleType(tuple(types)))
        assert isinstance(value, SymbolicParts)
        bound = list(value.parts)
    rest = iter(bound)
    return [next(rest) if value is None else value for value in results]


def _alike(
    body: Translation, left: MeetingArm, a: Value, right: MeetingArm, b: Value, span: Span
) -> tuple[tree.Expression, tree.Expression, Type]:
    """The expressions of two values, which must have one type."""
    if isinstance(a, SymbolicConstant) and not isinstance(b, SymbolicConstant):
        y, t = _at_end(body, right, b, span)
        x, found = _at_end(body, left, a, span, t)
    else:
        x, t = _at_end(body, left, a, span)
        y, found = _at_end(body, right, b, span, t)
    whole = meeting(t, found)
    if t != found and whole is not None:
        left_e = _widened(body, left, a, whole, span)
        return left_e, _widened(body, right, b, whole, span), whole
    if t != found:
        numbers = {show(t), show(found)} == {"int", "float"}
        raise CogenError(
            f"a conditional gives {show(t)} in one arm and {show(found)} in the other", span,
            "write 0.0 for the float 0, or convert with inexact" if numbers else None,
        )  # fmt: skip
    return x, y, t


def _at_end(
    body: Translation, arm: MeetingArm, value: Value, span: Span, expected: Type | None = None
) -> tuple[tree.Expression, Type]:
    """The expression of what an arm gives, in its code."""
    outer, body.code = body.code, arm.code
    body.objects.state = arm.state
    try:
        return body.code.expression(value, span, expected)
    finally:
        body.code = outer


def _widened(
    body: Translation, arm: MeetingArm, value: Value, whole: Type, span: Span
) -> tree.Expression:
    """A record of one of several types that meet, at the end of an arm."""
    outer, body.code = body.code, arm.code
    body.objects.state = arm.state
    try:
        return body.code.expression(widened(body.code, value, whole, span), span)[0]
    finally:
        body.code = outer


@dataclass(frozen=True, slots=True, eq=False)
class MeetingArm:
    """What an arm of a conditional does, what it gives, and what objects are at its end."""

    code: Code
    values: list[Value]
    state: ObjectState


def _meet_cells(
    first: MeetingArm, second: MeetingArm, visible: Mapping[Value, None]
) -> list[Value]:
    """Variables that both arms give, each one of its own, become one with what either holds."""
    made: dict[tuple[Value, Value], Value] = {}
    for i, (a, b) in enumerate(zip(first.values, second.values, strict=True)):
        if not (isinstance(a, SymbolicCell) and isinstance(b, SymbolicCell)) or a is b:
            continue
        if a in visible or b in visible:
            continue
        cell = made.setdefault((a, b), SymbolicCell())
        first.values[i] = second.values[i] = cell
        first.state.held[cell], second.state.held[cell] = first.state.held[a], second.state.held[b]
    return list(made.values())


def _without_choice(a: Value, b: Value) -> Value | None:
    """The value that two values of a join are, if that needs no choice."""
    if a is b or (isinstance(a, KnownSymbol) and a == b):
        return a
    if (
        isinstance(a, SymbolicProcedure)
        and isinstance(b, SymbolicProcedure)
        and a.function is b.function
    ):
        return a
    if isinstance(a, SymbolicConstant) and isinstance(b, SymbolicConstant) and a.datum is b.datum:
        return a
    return None
