"""Text that remembers where its parts come from: what printers give beside the text.

    marked ::= Marked(text, marks)
    mark   ::= TextMark(start, end, places, procedure)     the characters [start, end) of the text

`places` are those of the source that the part was made of: several where one expression says
several operations, as `(+ a b c)` does; `NOWHERE` for an operation that has none of its own.

Laws: marks are noted while the text is written, never looked for in it afterwards; no mark is
empty; two of one text nest or are apart; the text is what it would be without them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from cogen.lang.errors import Source, Span

Places = tuple[Span, ...]
"""Places of the source."""

NOWHERE: Final = Span(Source("<generated>", ""), 0, 0)
"""The place of code that comes from nowhere in a source."""


class TextMark(NamedTuple):
    """A part of a text, and where it comes from; `procedure` is the residual procedure it is in,
    empty where that is told by a mark around it."""

    start: int
    end: int
    places: Places
    procedure: str = ""

    def moved(self, distance: int) -> TextMark:
        """The mark in a text that has so many characters more before it."""
        return TextMark(self.start + distance, self.end + distance, self.places, self.procedure)


class Marked(NamedTuple):
    """A text and its marks."""

    text: str
    marks: tuple[TextMark, ...] = ()


def joined(separator: str, parts: Iterable[Marked]) -> Marked:
    """Texts one after the other, with a separator between them."""
    texts: list[str] = []
    marks: list[TextMark] = []
    offset = 0
    for part in parts:
        marks += [mark.moved(offset) for mark in part.marks] if offset else part.marks
        texts.append(part.text)
        offset += len(part.text) + len(separator)
    return Marked(separator.join(texts), tuple(marks))


def places_of(*spans: Span | None) -> Places:
    """Those of the places that are known, each once."""
    return tuple(dict.fromkeys(span for span in spans if span is not None))


def place_of(span: Span | None) -> Places:
    """The place of an operation."""
    return (NOWHERE if span is None else span,)
