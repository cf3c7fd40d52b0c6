"""The places of a program, by number, as its diagnostics tell them.

A site is a place and the calls through which its code came there, where calls have been unfolded
(`Span.calls`); the tables are those of runtime/chain.c.  What passes put in the place of a call
keeps that call (`led`).
"""

from __future__ import annotations

from typing import Final

from cogen.backends.ctree.literals import NULL, small, string
from cogen.backends.ctree.tree import CBraces, CString, Expr
from cogen.backends.native.limits import MORE
from cogen.backends.native.vocabulary import braces
from cogen.lang import il
from cogen.lang.chain import LANGUAGE, Calls, called, extended, form, library_of
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.othernames import hint_of_call

NOWHERE: Final = 0
"""The site, and the place, of what has none in the source."""

Led = tuple[Calls, Span | None]
"""What led to a piece of code: calls, and the call that its value returns to, None for a tail
call."""

NOT_LED: Final[Led] = ((), None)


class ProgramPlaces:
    """The places and sites of one program, while it is written."""

    def __init__(self) -> None:
        self.spans: list[Span | None] = [None]
        self.place_rows = [braces(small(0))]
        self.site_rows = [braces(small(0))]
        self.calls: list[int] = [NOWHERE]
        self._places: dict[tuple[Source, int, int], int] = {}
        self._sites: dict[tuple[int, tuple[int, ...], str | None], int] = {}
        self._sources: dict[Source, int] = {}

    def site(self, span: Span | None) -> int:
        """The number of a site.  Places in the language's own text are one."""
        if span is None:
            return NOWHERE
        calls = tuple(
            number
            for site, times in span.calls or ()
            for number in (MORE if site is None else self.place(site), times)
        )
        key = self.place(span), calls, span.operation
        number = self._sites.get(key)
        if number is None:
            number = self._sites[key] = len(self.site_rows)
            start = 0
            if calls:
                start = len(self.calls)
                self.calls += (*calls, NOWHERE)
            row = braces(small(key[0]), small(start), _string(span.operation))
            self.site_rows.append(row)
        return number

    def place(self, span: Span) -> int:
        """The number of a place."""
        source = span.source
        key = source, span.start, span.end
        if source.library == LANGUAGE:
            key = source, 0, 0
        number = self._places.get(key)
        if number is None:
            number = self._places[key] = len(self.place_rows)
            self.spans.append(Span(*key, ()))
            self.place_rows.append(self._row(Span(*key)))
        return number

    def _row(self, span: Span) -> CBraces:
        source = self._sources.setdefault(span.source, len(self._sources))
        library = library_of(span)
        is_interpreted = int(span.source.is_interpreted)
        numbers = [small(number) for number in (source, span.start, span.end, is_interpreted)]
        if library == LANGUAGE:
            return braces(*[CString(b"")] * 4, *numbers)
        where, *excerpt = CogenError("", span).render().split("\n")
        texts = [where.removesuffix(": error: "), form(span), "".join(f"{x}\n" for x in excerpt)]
        hint = hint_of_call(span.source.text[span.start : span.end])
        hints = [string(hint)] if hint else []
        return braces(*[string(text) for text in texts], _string(library), *numbers, *hints)


def _string(text: str | None) -> Expr:
    return string(text) if text else NULL


def led(span: Span | None, calls: Calls) -> Span | None:
    """A place of code that takes the place of a call, to which `calls` led."""
    if span is None or not calls:
        return span
    for call in reversed(span.calls or ()):
        calls = extended(call, calls)
    return span.reached(calls)


def led_by(call: il.Call, is_tail: bool, into_library: bool) -> Led:
    """What led to code that takes the place of a call: a tail call leaves no trace, but for one
    that leads into a library."""
    span = call.span
    before = (span.calls if span is not None else None) or ()
    if span is None or ((is_tail or call.returned is not None) and not into_library):
        return before, call.returned
    return called(span, before), None if is_tail else span
