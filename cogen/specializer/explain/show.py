"""Decisions -> text: the program's text, with notes below the lines that they are about."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from cogen.lang.errors import Source, Span
from cogen.specializer.explain import decisions as told
from cogen.specializer.explain.decisions import RULES, Decision
from cogen.specializer.explain.names import occurrence

WIDTH: Final = 100
"""Columns of the text."""

BRIEF: Final = 60
"""Characters that are shown of a binding time."""

LEAST: Final = 40
"""Columns that a note beside its carets needs; with fewer it stands below them."""

NEAR: Final = 3
"""Of what people have typed, lines are shown that are nearer to a decision."""


class Tried(NamedTuple):
    """A way to specialize the program, and what came of it."""

    how: str
    outcome: str


class ShownVariable(NamedTuple):
    """What is known of a variable of a procedure: how often which verdict."""

    procedure: str
    name: str
    place: Span
    verdicts: dict[str, int]

    @property
    def verdict(self) -> str:
        """In a word: what is known of it wherever it is, or `mixed`; `generalised` if it is known
        on arrival only."""
        if told.GENERALISED in self.verdicts:
            return told.GENERALISED
        known = [verdict for verdict in told.KNOWLEDGE if verdict in self.verdicts]
        return known[0] if len(known) == 1 else "mixed"

    def json(self) -> dict[str, object]:
        """As data."""
        line, column = self.place.source.position(self.place.start)
        return {
            "procedure": self.procedure,
            "variable": self.name,
            "file": self.place.source.name,
            "line": line,
            "column": column,
            "verdict": self.verdict,
            "verdicts": self.verdicts,
        }


def show(
    entry: str,
    division: Sequence[str],
    attempts: Sequence[Tried],
    decisions: Sequence[Decision],
    variables: Sequence[ShownVariable],
) -> str:
    """The whole explanation."""
    times = " ".join(one if len(one) <= BRIEF else f"{one[: BRIEF - 1]}…" for one in division)
    lines = _wrapped(f"{entry}, specialized to {times or 'nothing'}", "", "    ")
    for number, tried in enumerate(attempts, 1):
        lines += _wrapped(f"{number}. {tried.how}: {tried.outcome}", "  ", "     ")
    shown = list(_outermost(decisions))
    for source in dict.fromkeys(one.place.source for one in shown):
        lines += ["", f"{source.name}:"]
        lines += _listing(source, [one for one in shown if one.place.source is source])
    lines += ["", "Variables:", *_table(variables), "", "Rules:"]
    for name in dict.fromkeys(one.rule for one in shown):
        rule = RULES[name]
        lines += _wrapped(f"[{name}] {rule.law} ({rule.source})", "  ", "    ")
    return "\n".join(lines) + "\n"


def _outermost(decisions: Sequence[Decision]) -> Iterable[Decision]:
    """Without unfolded calls of the library, operations that are tests, and those of which as much
    is known as of one that they are a part of."""
    tests = {one.place for one in decisions if one.kind == "test"}
    verdicts: dict[Span, set[str]] = {}
    for one in decisions:
        if one.kind == "operation":
            verdicts.setdefault(one.place, set()).add(one.verdict)
    around: list[Span] = []
    for one in decisions:
        if one.kind != "operation":
            if one.rule != "library":
                yield one
            continue
        while around and not around[-1].encloses(one.place):
            around.pop()
        inside = [outer for outer in around if outer != one.place]
        if not around or around[-1] != one.place:
            around.append(one.place)
        same = any(verdicts[outer] >= verdicts[one.place] for outer in inside)
        if one.place not in tests and not same:
            yield one


# -- the listing -----------------------------------------------------------------------------------


def _listing(source: Source, decisions: Sequence[Decision]) -> list[str]:
    at_line: dict[int, list[Decision]] = {}
    for one in decisions:
        at_line.setdefault(one.place.line, []).append(one)
    last = len(source.line_starts)
    digits = len(str(last))
    bar = " " * (digits + 2) + "| "
    lines: list[str] = []
    for number in range(1, last + 1):
        if source.is_typed and not any(n in at_line for n in range(number - NEAR, number + NEAR)):
            continue
        text = source.line_text(number)
        if number < last or text:
            lines.append(f" {number:{digits}} | {text}".rstrip())
        for place, notes in _notes(at_line.get(number, [])):
            lines += _note(bar, place, text, notes)
    return lines


def _notes(decisions: Sequence[Decision]) -> Iterable[tuple[Span, list[str]]]:
    """The notes of a line: by place, one for each thing and rule."""
    by_place: dict[Span, dict[tuple[str, str], list[Decision]]] = {}
    for one in decisions:
        group = by_place.setdefault(_pointed_at(one), {})
        group.setdefault((one.kind, one.what), []).append(one)
    for place in sorted(by_place, key=lambda span: span.start):
        yield (
            place,
            [
                f"{what}: {note}" if kind in _NAMED else note
                for (kind, what), group in by_place[place].items()
                for note in _told(group)
            ],
        )


_NAMED: Final = frozenset({"call", "variable", "procedure"})
"""Kinds of decisions whose notes begin with a name."""


def _pointed_at(decision: Decision) -> Span:
    """Of a call, the procedure."""
    place = decision.place
    head = Span(place.source, place.start + 1, place.start + 1 + len(decision.what))
    text = place.source.text
    if decision.kind == "call" and text.startswith("(let ", place.start):
        return occurrence(decision.what, place) or place
    if decision.kind == "call" and text[head.start : head.end] == decision.what:
        return head
    return place


def _told(group: Sequence[Decision]) -> Iterable[str]:
    """Notes on one thing: what is known of it, then what was done about that."""
    known = [one for one in group if one.verdict in told.KNOWLEDGE and one.rule == "values"]
    if known:
        yield _knowledge(known)
    decided = [one for one in group if one.verdict == told.DECIDED]
    for rule in dict.fromkeys(one.rule for one in decided):
        counts = {one.reason: one.times for one in decided if one.rule == rule}
        yield f"decided: {_counted(counts, list(counts))} [{rule}]"
    for one in group:
        if one not in known and one not in decided:
            times = "" if one.times == 1 else f" in {one.times} versions"
            reason = f": {one.reason}" if one.reason else ""
            yield f"{one.verdict}{times}{reason} [{one.rule}]"


def _knowledge(decisions: Sequence[Decision]) -> str:
    counts: dict[str, int] = {}
    for one in decisions:
        counts[one.verdict] = counts.get(one.verdict, 0) + one.times
    reasons = ", ".join(dict.fromkeys(one.reason for one in decisions if one.reason))
    return counted(counts) + (f": {reasons}" if reasons else "")


def counted(verdicts: dict[str, int]) -> str:
    """Verdicts with how often they hold, if there are several."""
    return _counted(verdicts, sorted(verdicts, key=_ORDER.index))


def _counted(counts: dict[str, int], ordered: Sequence[str]) -> str:
    if len(ordered) == 1:
        return ordered[0]
    return ", ".join(f"{name} in {_versions(counts[name])}" for name in ordered)


_ORDER: Final = [*told.KNOWLEDGE, told.GENERALISED, told.KEPT, told.SPLIT]


def _versions(count: int) -> str:
    return "1 version" if count == 1 else f"{count} versions"


def _note(bar: str, place: Span, text: str, notes: Sequence[str]) -> Iterable[str]:
    """Carets, with the first note beside them if there is room."""
    column = place.column - 1
    width = max(1, min(place.end - place.start, len(text) - column))
    indent = "".join(c if c == "\t" else " " for c in text[:column])
    carets = f"{bar}{indent}{'^' * width}"
    if WIDTH - len(carets) - 1 >= LEAST:
        first, rest = notes[0], notes[1:]
        room = " " * (len(carets) - len(bar) + 1)
        lines = textwrap.wrap(first, WIDTH - len(carets) - 1, break_on_hyphens=False)
        yield f"{carets} {lines[0]}"
        yield from (f"{bar}{room}{line}" for line in lines[1:])
        notes, indent = rest, room
    else:
        yield carets[:WIDTH]
        indent = " " * 8
    for note in notes:
        for line in textwrap.wrap(note, WIDTH - len(bar) - len(indent), break_on_hyphens=False):
            yield f"{bar}{indent}{line}"


def _table(variables: Sequence[ShownVariable]) -> Iterable[str]:
    """What is known of each variable, by procedure."""
    width = max((len(one.name) for one in variables), default=0)
    procedure = None
    for one in variables:
        if one.procedure != procedure:
            procedure = one.procedure
            yield f"  {procedure}" if procedure else "  at the top level"
        yield from _wrapped(
            f"{one.name:{width}}  {counted(one.verdicts)}", "    ", " " * (width + 6)
        )


def _wrapped(text: str, first: str, others: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=others, break_on_hyphens=False,
        break_long_words=True, drop_whitespace=True,
    )  # fmt: skip
