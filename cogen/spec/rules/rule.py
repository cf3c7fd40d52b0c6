"""What a rule is: how the specializer carries out one primitive on symbolic values.

`rule(path, values, span, hint, delay)` gives the result; what must happen at run time it emits to
the path.  `hint` names the result for people.  With `delay`, a predicate may give a `Test`
instead of emitting anything.  A failure that is certain is raised as `PrimitiveError`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cogen.spec.domain import Static, Test, Value
from cogen.spec.path import Path, datum_of, type_of
from lang.errors import Span
from lang.prims import PRIMITIVES

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
    test = Test(op, values, fails, span)
    if fails:
        path.settle()
        path.pending = test
    return test


def general(op: str) -> Rule:
    """The rule of a primitive that has none of its own: carried out if it is a function of known
    data, else emitted."""
    row = PRIMITIVES[op]
    foldable = not row.context and (
        row.effect == "pure" or (row.effect == "alloc" and row.result == "string")
    )
    predicate = row.effect == "pure" and row.result == "bool" and not row.context

    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        if foldable:
            data = [datum_of(value) for value in values]
            if all(datum is not None for datum in data):
                return Static(row.python(*data))
        if predicate:
            return delayed(path, op, values, span, hint, delay)
        return path.emit(op, values, span, hint)

    return rule
