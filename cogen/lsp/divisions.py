"""Divisions, which say what is known of a procedure's arguments, and what they make of a program.

A comment names one, and the program is specialized to it while it is written:

    ;; cogen: (power (dynamic int) (static 3))
    (define (power x n) …)

    Specialized ::= (call, residual, error, …)    a division, and what came out
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import cogen
from cogen.api import library_path
from cogen.calls import call_of
from cogen.lang import il
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.governor import Budget
from cogen.lang.lexical import DELIMITERS
from cogen.lang.load import load_source
from cogen.lang.marks import Marked
from cogen.lang.readnext import read_next
from cogen.specialized import Residual
from cogen.specializer.explain.decisions import DECIDED, STATIC, Decision, KnownRule
from cogen.view.notes import ORDER, SHADES, note
from cogen.view.targets import scheme_text

MOST_SECONDS: Final = 5.0
"""What a specialization may take, and what is to be expanded before it."""

MOST_DIVISIONS: Final = 20
"""Divisions of a text that are looked at."""

_DIVISION: Final = re.compile(r"^[ \t]*;+[ \t]*cogen:[ \t]*(\([^\n]*)", re.MULTILINE)
_WORDS: Final = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Division:
    """`(NAME BT ...)`, and the place of the call in the comment that says it."""

    call: str
    place: Span


def divisions(source: Source) -> list[Division]:
    """The divisions that comments of a text name."""
    found: list[Division] = []
    for match in _DIVISION.finditer(source.text):
        text = match[1].rstrip()
        place = Span(source, match.start(1), match.start(1) + len(text))
        found.append(Division(_in_one_line(text), place))
    return found[:MOST_DIVISIONS]


def named_in_divisions(source: Source, name: str) -> list[Span]:
    """Where comments of a text name a procedure to say a division of it."""
    found: list[Span] = []
    for match in _DIVISION.finditer(source.text):
        head = _HEAD.match(source.text, match.start(1))
        if head is not None and head[1] == name:
            found.append(Span(source, head.start(1), head.end(1)))
    return found


def _in_one_line(text: str) -> str:
    return " ".join(_WORDS.findall(text))


def load(source: Source) -> il.Program:
    """The program of a text; CogenError for whatever is wrong with it."""
    return load_source(source, library_path(), Budget(MOST_SECONDS))


class Specialized:
    """What becomes of a program by a division: a residual program, or an error.

    Places are those of the program's own sources.
    """

    def __init__(self, program: il.Program, call: str, place: Span | None = None) -> None:
        self.call = call
        self.residual: Residual | None = None
        self.error: CogenError | None = None
        self.decisions: tuple[Decision, ...] = ()
        self.values: tuple[KnownRule, ...] = ()
        try:
            self._specialize(program, place)
        except CogenError as error:
            self.error = error
            if place is not None and error.span is None:
                error.span = place

    def _specialize(self, program: il.Program, place: Span | None) -> None:
        source, start = Source("<call>", self.call), 0
        if place is not None:  # what is wrong with the call is told where it stands
            source = Source(place.source.name, place.source.text[: place.end], place.source.path)
            start = place.start
        form, end = read_next(source, start)
        if form is None or source.text[end:].strip():
            raise CogenError("one call with binding times was expected", place)
        folder = None if program.source is None else Path(program.source.path).parent
        name, times = call_of(program, form, folder)
        limits: dict[str, Any] = {"max_time": MOST_SECONDS, "explain": True}
        self.residual = cogen.specialize(program, name, *times, **limits)
        explanation = self.residual.explain()
        self.decisions, self.values = explanation.decisions, explanation.values

    @cached_property
    def notes(self) -> Shades:
        """The colours of places."""
        return Shades(self.decisions)

    @property
    def entry(self) -> str:
        """The procedure that was specialized."""
        return "" if self.residual is None else self.residual.entry

    def told(self, path: str, start: int, end: int) -> list[str]:
        """What was decided at a place of a text, as sentences."""
        there = [
            note(one, self.entry)["said"]
            for one in self.decisions
            if _is_at(one.place, path, start) and one.place.end == end
        ]
        known = [
            f"its value: {', '.join(one.values)}"
            for one in self.values
            if _is_at(one.place, path, start) and one.place.end == end
        ]
        return [*dict.fromkeys(there), *known]

    def hints(self, path: str) -> list[Hint]:
        """The values that were known of the places of a text: of variables where they are bound, of
        tests, and of operations that are no parts of such."""
        at = self._verdicts(path)
        found = [Hint(p.start, p.end, kind, values) for p, kind, values in at]
        found.sort(key=lambda one: (one.start, -one.end))
        outer = -1
        kept: list[Hint] = []
        for one in found:
            if one.kind == "variable":
                kept.append(one)
            elif one.start >= outer:
                kept.append(one)
                outer = one.end
        return kept

    def _verdicts(self, path: str) -> list[tuple[Span, str, tuple[str, ...]]]:
        values = {one.place: one.values for one in self.values if one.place.source.path == path}
        found: dict[Span, tuple[str, tuple[str, ...]]] = {}
        for place, kinds in self._by_place(path).items():
            kind, verdicts, reasons = kinds
            if verdicts == {DECIDED}:
                found[place] = kind, tuple("#t" if one == "true" else "#f" for one in reasons)
            elif verdicts == {STATIC} and place in values:
                found[place] = kind, values[place]
        return [(place, *rest) for place, rest in found.items()]

    def _by_place(self, path: str) -> dict[Span, tuple[str, set[str], list[str]]]:
        """The kind, the verdicts and the reasons of each place; tests count before operations."""
        found: dict[Span, tuple[str, set[str], list[str]]] = {}
        for kind in ("variable", "test", "operation"):
            first = set(found)
            for one in self.decisions:
                if one.kind == kind and one.place.source.path == path and one.place not in first:
                    _, verdicts, reasons = found.setdefault(one.place, (kind, set(), []))
                    verdicts.add(one.verdict)
                    reasons.append(one.reason)
        return found

    def made_of(self, path: str, start: int, end: int) -> list[str]:
        """The pieces of residual Scheme that a form became."""
        text, marks = self._scheme
        there = [
            mark
            for mark in marks
            if any(_is_at(place, path, start) and place.end == end for place in mark.places)
        ]
        return list(dict.fromkeys(text[mark.start : mark.end] for mark in there))

    @cached_property
    def _scheme(self) -> Marked:
        return Marked("") if self.residual is None else scheme_text(self.residual.program)


@dataclass(frozen=True, slots=True)
class Hint:
    """Values of a place, as an editor shows them behind it."""

    start: int
    end: int
    kind: str
    values: Sequence[str]

    @property
    def text(self) -> str:
        """`= 3, 2, 1` behind a variable, `⇒ #t` behind an operation or a test."""
        shown = list(self.values[:MOST_SHOWN])
        if len(self.values) > MOST_SHOWN:
            shown.append("…")
        return f"{'=' if self.kind == 'variable' else '⇒'} {', '.join(shown)}"


class Shades:
    """What is known at places, as colours: of the decisions there the one that knows least."""

    def __init__(self, decisions: Sequence[Decision]) -> None:
        self._shades: dict[tuple[str, int, int], set[str]] = {}
        self._forms: list[Span] = []
        for one in decisions:
            place, shade = one.place, SHADES[one.verdict]
            self._shades.setdefault((place.source.path, place.start, place.end), set()).add(shade)
            if one.kind in ("operation", "test", "call"):
                self._forms.append(place)

    def shade_at(self, path: str, start: int, end: int) -> str:
        """The colour of a place; empty if nothing was decided there."""
        found = self._shades.get((path, start, end), ())
        return next((shade for shade in ORDER if shade in found), "")

    def heads(self, source: Source) -> Iterator[tuple[Span, str]]:
        """The words that begin the forms of a text about which something was decided, with the
        colours of the forms."""
        for place in self._forms:
            word = _HEAD.match(source.text, place.start, place.end)
            if place.source.path == source.path and word is not None:
                shade = self.shade_at(source.path, place.start, place.end)
                yield Span(source, *word.span(1)), shade


_HEAD: Final = re.compile(rf"\(\s*([^{DELIMITERS}'`,]+)")

MOST_SHOWN: Final = 4
"""Values of a place that a hint shows."""


def _is_at(place: Span, path: str, start: int) -> bool:
    return place.start == start and place.source.path == path
