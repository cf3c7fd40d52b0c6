"""What was decided at places, as the page tells it: verdicts, sentences, colours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from cogen.lang.errors import Source, Span
from cogen.specializer.explain import decisions as told
from cogen.specializer.explain.decisions import Decision

SHADES: Final = {
    told.STATIC: "static",
    told.DECIDED: "static",
    told.UNFOLDED: "static",
    told.PARTIAL: "partial",
    told.SPLIT: "partial",
    told.KEPT: "static",
    told.CYCLIC: "cyclic",
    told.MASKED: "masked",
    told.DYNAMIC: "dynamic",
    told.RESIDUAL: "dynamic",
    told.CALLED: "dynamic",
    told.MEMO: "dynamic",
    told.LOOP: "dynamic",
    told.PROCEDURE: "dynamic",
    told.ESCAPED: "dynamic",
    told.GENERALISED: "generalised",
}
"""The colour of each verdict."""

ORDER: Final = ("generalised", "dynamic", "masked", "partial", "cyclic", "static")
"""Of several colours at a place the first is taken."""

_SENTENCES: Final = {
    told.STATIC: "known",
    told.PARTIAL: "known in part",
    told.CYCLIC: "its remainder is known",
    told.MASKED: "where its bits come from is known",
    told.DYNAMIC: "only the run knows it",
    told.DECIDED: "the test was carried out",
    told.RESIDUAL: "the test was left to the run",
    told.UNFOLDED: "the call was carried out",
    told.CALLED: "the call was not unfolded",
    told.MEMO: "the call begins code of its own",
    told.GENERALISED: "it was known, and made dynamic",
    told.KEPT: "it was made dynamic on trial, and stays known",
    told.SPLIT: "there is a case for each remainder",
    told.LOOP: "a loop of the residual program begins here",
    told.PROCEDURE: "a procedure of the residual program",
    told.ESCAPED: "it becomes an object of the residual program",
}

_CONDITIONAL: Final = re.compile(r"\((?:if|when|unless|and|or|cond\s+\()\s*")

Key = tuple[Source, int, int]


def key_of(place: Span) -> Key:
    """What two spans of the same place have in common."""
    return place.source, place.start, place.end


def operation_of(place: Span, operations: Sequence[Span]) -> Span | None:
    """The first of some operations, ordered by their length, in whose text a place stands."""
    within = (
        one
        for one in operations
        if one.source is place.source and one.start <= place.start and place.end <= one.end
    )
    return next(within, None)


class PlacedDecisions:
    """The decisions of an explanation by place."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self.by_place: dict[Key, list[Decision]] = {}
        self._from: dict[tuple[Source, int], list[Decision]] = {}
        for one in decisions:
            self.by_place.setdefault(key_of(one.place), []).append(one)
            self._from.setdefault((one.place.source, one.place.start), []).append(one)

    def at(self, place: Span) -> Sequence[Decision]:
        """What was decided at a place."""
        return self.by_place.get(key_of(place), ())

    def test(self, place: Span) -> Sequence[Decision]:
        """What was decided on the test of a conditional: the first form within it."""
        text = place.source.text[place.start : place.end]
        head = _CONDITIONAL.match(text)
        if head is None:
            return ()
        start = place.start + head.end()
        return [one for one in self._from.get((place.source, start), ()) if one.kind == "test"]

    def shade(self, place: Span) -> str:
        """The colour of a place: of what is known there, the least; empty if nothing was said."""
        shades = {SHADES[one.verdict] for one in self.at(place)}
        return next((shade for shade in ORDER if shade in shades), "")

    def is_mixed(self, place: Span) -> bool:
        """Whether not the same is known in all versions of a place."""
        verdicts = [one for one in self.at(place) if one.kind in ("variable", "operation", "test")]
        return len({SHADES[one.verdict] for one in verdicts}) > 1


def note(decision: Decision, entry: str) -> dict[str, Any]:
    """A decision as the page of an entry tells it."""
    named = decision.kind in ("variable", "call", "procedure") and decision.what[:1] != "("
    what = f"{decision.what}: " if named else ""
    reason = decision.reason or _of_variable(decision, entry)
    why = f" — {reason}" if reason else ""
    times = "" if decision.times == 1 else f", {decision.times:,} times"
    return {
        "verdict": decision.verdict,
        "shade": SHADES[decision.verdict],
        "said": f"{what}{_said(decision)}{times}{why}",
        "rule": decision.rule,
    }


def _said(decision: Decision) -> str:
    if decision.kind == "call" and decision.verdict == told.RESIDUAL:
        return "what it calls leaves a test to the run"
    return _SENTENCES[decision.verdict]


def _of_variable(decision: Decision, entry: str) -> str:
    """Why a variable is not known, where no more is told."""
    if decision.kind != "variable" or decision.verdict != told.DYNAMIC:
        return ""
    if decision.procedure == entry:
        return "the binding times say so, or what it is bound to is not known"
    return "what it is bound to is not known"
