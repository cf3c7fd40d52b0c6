"""Rules of what programs say to the specializer, and of what their libraries ask it."""

from __future__ import annotations

from typing import Final

from cogen.lang import il
from cogen.lang.datum import Char
from cogen.lang.errors import Span
from cogen.spec.domain import Closure, Dynamic, PartialPair, PartialRecord, Primitive, Static, Value
from cogen.spec.path import Path
from cogen.spec.rules.rule import Rule, delayed, fold, general, known


def _unwatched(path: Path, value: Dynamic) -> Dynamic:
    """A lifted value: what stands for it need not be watched, as it would not be known any more
    if it were known."""
    if value.name not in path.context.demand.watched:
        return value
    return path.let("lift", (il.Var(value.name),), value.type, "x", None)


def _lift(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    value = path.dynamic(values[0])
    return _unwatched(path, value)


def _lift_of(kinds: frozenset[type]) -> Rule:
    """Advice (`cogen.spec.advice`): numbers, characters, strings and values of these kinds become
    dynamic; what steers (names, lists, truth values) stays what it is."""

    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        value = values[0]
        kind = type(value)
        if type(value) is Dynamic and value.type in _PLAIN_TYPES:
            return _unwatched(path, value)
        if kind in kinds or (kind is Static and type(value.datum) in _PLAIN):  # type: ignore[union-attr]
            return path.dynamic(value)
        return value

    return rule


_PLAIN = frozenset({int, float, str, Char})
_PLAIN_TYPES = frozenset({"int", "float", "string", "char"})


def _word_size(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    return Static(path.context.options.word_size)


def _string_content(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    """A string that is known is a constant."""
    value = values[1]
    if type(value) is Static and type(value.datum) is str:
        return value
    return path.emit("%string-content", values, span, hint)


def _fresh_string(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    """Strings that can be changed are the residual program's."""
    return path.emit("%fresh-string", values, span, hint)


def _mutable_ref(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    value = values[0]
    if type(value) is Static and type(value.datum) is str:
        return _CONSTANT_REF(path, values, span, hint, delay)
    return path.emit("%string-ref", values, span, hint)


_CONSTANT_REF: Final = general("string-ref")


def _finite(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    """A list that only the residual program knows is taken to end, where nothing makes circular
    ones: else each procedure of lists would go through it twice."""
    if known(values):
        return fold("%finite", values)
    if path.context.mutations.tails and type(values[1]) is Dynamic:
        return path.emit("%finite", values, span, hint)
    return values[1]


def _is_circular(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    if known(values):
        return fold("%circular?", values)
    end = values[0]
    while type(end) is PartialPair:
        end = end.cdr
    if type(end) is Static or not path.context.mutations.tails:
        return Static(False)
    return delayed(path, "%circular?", values, span, hint, delay)


RULES: dict[str, Rule] = {
    "%string-content": _string_content,
    "%string-ref": _mutable_ref,
    "%fresh-string": _fresh_string,
    "%finite": _finite,
    "%circular?": _is_circular,
    "lift": _lift,
    "%lift-value": _lift_of(frozenset({Closure, Primitive})),
    "%lift-data": _lift_of(frozenset()),
    "%lift-made": _lift_of(frozenset({PartialPair, PartialRecord})),
    "word-size": _word_size,
}
