"""Calls with a wrong number of arguments, which are told before a program runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.lang import core
from cogen.lang.errors import CogenError, Note, Span
from cogen.lang.othernames import hint_of_operator
from cogen.lang.prims import CONTROL, PRIMITIVES
from cogen.lang.rules import excerpt

_WRITES: Final = frozenset({"display", "write", "write-string"})
_SEVERAL: Final = "a call writes one value; several are written so: (for-each display (list a b))"


def check_primitive(name: str, count: int, span: Span) -> None:
    """CogenError unless a call of a primitive may have that many arguments."""
    row = PRIMITIVES.get(name) or CONTROL[name]
    least, most = row.source_arity
    if count < least or (most is not None and count > most):
        raise CogenError(
            f"`{name}` takes {_arguments(least, most)}, but is given {count}",
            span,
            _SEVERAL if name in _WRITES and count > 2 else _hint(span),
        )


def check_arity(procedure: core.LambdaForm, count: int, span: Span) -> None:
    """CogenError unless a call of the procedure may have that many arguments."""
    least = len(procedure.parameters)
    most = least if procedure.rest is None else None
    wrong = count < least or (most is not None and count > most)
    wanted = _arguments(least, most)
    if procedure.cases:
        wrong = not any(count == n or (more and count > n) for n, more in procedure.cases)
        wanted = _cases(procedure.cases)
    if wrong:
        named = f"`{procedure.name}`" if procedure.name != "lambda" else "this procedure"
        raise CogenError(
            f"{named} takes {wanted}, but is given {count}",
            span,
            _hint(span),
            [Note(f"{named} is defined here: {excerpt(procedure.span)}", procedure.span)],
        )


def _hint(span: Span) -> str | None:
    """What may have been meant by the call: `(f n - 1)` has an operator too many."""
    return hint_of_operator(span.source.text[span.start : span.end])


def _arguments(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least} argument{'' if least == 1 else 's'}"
    if least == most:
        return "no arguments" if least == 0 else f"{least} argument{'' if least == 1 else 's'}"
    return f"{least} to {most} arguments"


def _cases(cases: Sequence[tuple[int, bool]]) -> str:
    """What the clauses of a `case-lambda` take."""
    counts = [f"at least {n}" if more else str(n) for n, more in dict.fromkeys(cases)]
    return f"{' or '.join(counts)} argument{'' if counts == ['1'] else 's'}"
