"""What is known where: the decisions of an explanation by the places that they are about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cogen.lang.errors import Source, Span
from cogen.specializer.explain import decisions as told
from cogen.specializer.explain.decisions import Decision

KNOWN: Final = (
    told.GENERALISED, told.DYNAMIC, told.MASKED, told.PARTIAL, told.CYCLIC, told.STATIC,
)  # fmt: skip
"""What may be known of a value; of several at one place the first counts."""

_SAID: Final = {told.RESIDUAL: told.DYNAMIC, told.CALLED: told.DYNAMIC, told.DECIDED: told.STATIC}
"""What verdicts on tests and calls say of their values."""


class Knowledge:
    """What is known of the values at the places of a program."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._at: dict[tuple[Source, int, int], set[str]] = {}
        self._from: dict[tuple[Source, int], set[str]] = {}
        """The same of variables, by where the expressions begin that they are bound to."""
        for one in decisions:
            place, verdict = one.place, _SAID.get(one.verdict, one.verdict)
            if verdict not in KNOWN:
                continue
            self._at.setdefault((place.source, place.start, place.end), set()).add(verdict)
            if one.kind == "variable":
                start = _next(place)
                self._from.setdefault((place.source, start), set()).add(verdict)

    def of(self, place: Span) -> str:
        """What is known of the value of a place; empty if nothing was said of it."""
        found = self._at.get((place.source, place.start, place.end))
        return _least(found or self._from.get((place.source, place.start), set()))

    def left(self, place: Span) -> str:
        """What is known of the value of an operation that was left to the run."""
        known = self.of(place)
        return told.DYNAMIC if known in ("", told.STATIC) else known


def _least(verdicts: set[str]) -> str:
    return next((verdict for verdict in KNOWN if verdict in verdicts), "")


def _next(place: Span) -> int:
    """Where the text goes on behind a place and spaces."""
    text, offset = place.source.text, place.end
    while offset < len(text) and text[offset].isspace():
        offset += 1
    return offset
