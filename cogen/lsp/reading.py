"""Text with mistakes -> the forms that can be read.

After a mistake reading goes on at the next line that begins with a parenthesis: there, as people
write, a definition begins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.lexical import DELIMITERS
from cogen.lang.reader import read
from cogen.lang.readnext import read_next
from cogen.lang.syntax import Syntax

_BEGINNING: Final = re.compile(r"^\(", re.MULTILINE)
_SPACE: Final = re.compile(r"(?:\s|;[^\n]*)*")
_NAME: Final = re.compile(rf"[^{DELIMITERS}\#'`,]+")


@dataclass(slots=True)
class ReadForms:
    """The forms of a text, what is wrong with the rest, and where that rest is."""

    forms: list[Syntax] = field(default_factory=list)
    errors: list[CogenError] = field(default_factory=list)
    skipped: list[Span] = field(default_factory=list)


def read_forms(source: Source) -> ReadForms:
    """The forms of a text."""
    made = ReadForms()
    try:
        made.forms = read(source)
        return made
    except CogenError:  # then form by form
        start = 0
    while start < len(source.text):
        try:
            form, end = read_next(source, start)
        except CogenError as error:
            if error.span not in [one.span for one in made.errors]:
                made.errors.append(error)
            end = _resumption(source.text, start)
            made.skipped.append(Span(source, start, end))
        else:
            if form is None:
                break
            made.forms.append(form)
        start = end
    return made


def _resumption(text: str, start: int) -> int:
    """Where to go on after a form that begins at `start`, or behind space there."""
    space = _SPACE.match(text, start)
    assert space is not None
    found = _BEGINNING.search(text, space.end() + 1)
    return len(text) if found is None else found.start()


def names_in(span: Span) -> set[str]:
    """The words of a part of a text that may be names."""
    return set(_NAME.findall(span.source.text[span.start : span.end]))
