"""What a rule is: how the specializer carries out one primitive on symbolic values.

`rule(path, values, span, hint, delay)` gives the result; what must happen at run time it emits to
the path.  `hint` names the result for people.  With `delay`, a predicate may give a `Test`
instead of emitting anything.  A failure that is certain is raised as `PrimitiveError`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cogen.spec.domain import Static, Test, Value
from cogen.spec.known import datum_of, type_of
from cogen.spec.path import Path
from lang.datum import NIL, Datum, iterate
from lang.errors import Span
from lang.prims import PRIMITIVES, Primitive

Rule = Callable[[Path, tuple[Value, ...], "Span | None", str, bool], Value]


def known(values: Sequence[Value]) -> bool:
    """Whether all values are constants."""
    return all(type(value) is Static for value in values)


def fold(op: str, values: Sequence[Value]) -> Value:
    """Carry out a primitive on constants."""
    return Static(PRIMITIVES[op].python(*[value.datum for value in values]))  # type: ignore[union-attr]


def delayed(
    path: Path, op: str, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    """A predicate that only the residual program can decide: now, or as a `Test` for later."""
    if not delay:
        return path.emit(op, values, span, hint)
    fails = path.remaining_failures(op, [type_of(value) for value in values])
    test = Test(op, values, fails, path.placed(span) if fails else span)
    if fails:
        path.settle()
        path.pending = test
    return test


_MADE_AHEAD = frozenset({"string", "list", "vector"})
"""Types of new objects that known data gives ahead: a run can only tell them by identity."""


def _made(path: Path, row: Primitive, datum: Datum) -> Value:
    """The value of a primitive carried out ahead; a new vector or list is one of the path's."""
    if row.effect == "pure":
        return Static(datum)
    if type(datum) is list:
        return path.allocate("vector", [Static(item) for item in datum])
    if not path.spec.mutable_pairs:
        return Static(datum)
    result: Value = Static(NIL)
    for item in reversed(list(iterate(datum))):
        result = path.allocate("pair", (Static(item), result))
    return result


def general(op: str) -> Rule:
    """The rule of a primitive that has none of its own: carried out if it is a function of known
    data, else emitted."""
    row = PRIMITIVES[op]
    foldable = not row.context and (
        row.effect == "pure" or (row.effect == "alloc" and row.result in _MADE_AHEAD)
    )
    predicate = row.effect == "pure" and row.result == "bool" and not row.context

    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        if foldable:
            data = [datum_of(value) for value in values]
            if all(datum is not None for datum in data):
                return _made(path, row, row.python(*data))
        if predicate:
            return delayed(path, op, values, span, hint, delay)
        return path.emit(op, values, span, hint)

    return rule
