"""The place of a name in its definition -> how it is used, and the comment above.

;; The square of x.
(define (square x) (* x x))          ->  signature (square x), doc "The square of x."

Where there is no comment, a definition of one line speaks for itself, and so does a record type.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Final, NamedTuple

from cogen.lang.datum import Symbol
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.files import read_source
from cogen.lang.prelude import PRELUDE, PRELUDE_PARTS
from cogen.lang.readnext import read_next
from cogen.lang.syntax import Syntax, SyntaxList

_FORMALS: Final = re.compile(r"\(\s*define\S*\s*\(\s*$")
_NAMED: Final = re.compile(r"\(\s*define\s+$")
_LOOP: Final = re.compile(r"\(\s*let\s+$")
_BEGINNING: Final = re.compile(r"[\s(]*(?:define\S*[\s(]+)?")
_ONE_LINE: Final = re.compile(r"\s*\(define[\s(]+")
_RECORD: Final = re.compile(r"^[ \t]*\(define-record-type\b", re.MULTILINE)
_COMMENT: Final = re.compile(r"^\s*;+ ?(.*)$")
DIVISION: Final = re.compile(r"^\s*;+\s*cogen:")
"""A comment that is for the language server and not for people (`cogen.lsp.divisions`)."""

MOST_BEFORE: Final = 200
"""Characters in front of a name that are looked at."""

MOST_OF_RECORD: Final = 1000
"""Characters of the definition of a record type that are shown."""


class NameUsage(NamedTuple):
    """How a name is used, a line for each way, empty if it is no procedure; what its comment
    says."""

    signature: str
    doc: str


def definition(place: Span) -> NameUsage:
    """What the text tells of the name that is defined at a place."""
    try:
        signature = "\n".join(_signatures(place))
    except CogenError:
        signature = ""
    comment = comment_above(place) if _begins_its_line(place) else ""
    return NameUsage(signature, comment or _as_written(place))


def _as_written(place: Span) -> str:
    """The definition itself, as Markdown: one in a line, or the record type that a name is of."""
    source = place.source
    form = _record_around(place)
    if form is None and _ONE_LINE.fullmatch(source.line_text(place.line), 0, place.column - 1):
        opening = source.text.rindex("(define", 0, place.start)
        form = _form_from(source, opening)
        if form is not None and "\n" in form:
            return ""
    return "" if form is None else f"```scheme\n{form}\n```"


def _record_around(place: Span) -> str | None:
    """The text of the definition of a record type that a place is in; None if it is in none."""
    text = place.source.text
    first = max(0, place.start - MOST_OF_RECORD)
    for found in _RECORD.finditer(text, first, place.start):
        opening = text.index("(", found.start())
        form = _form_from(place.source, opening)
        if form is not None and opening + len(form) > place.start:
            return dedent(" " * (opening - found.start()) + form)
    return None


def _form_from(source: Source, opening: int) -> str | None:
    """The text of the form that begins at an offset; None if it has no end."""
    try:
        return source.text[opening : read_next(source, opening)[1]]
    except CogenError:
        return None


def _begins_its_line(place: Span) -> bool:
    """Whether nothing but the beginning of a definition stands in its line before a name: what the
    comment above says is of the procedure, not of its parameters."""
    line = place.source.line_text(place.line)
    return _BEGINNING.fullmatch(line, 0, place.column - 1) is not None


def _signatures(place: Span) -> list[str]:
    source = place.source
    name = source.text[place.start : place.end]
    before = source.text[max(0, place.start - MOST_BEFORE) : place.start]
    if _FORMALS.search(before):
        opening = source.text.rindex("(", 0, place.start)
        _, end = read_next(source, opening)
        return [_in_one_line(source.text[opening:end])]
    if _LOOP.search(before):
        bindings, _ = read_next(source, place.end)
        names = [_text(_items(one)[0]) for one in _items(bindings) if _items(one)]
        return [_call(name, " ".join(names))]
    if _NAMED.search(before) or before.rstrip()[-1:] == "(":
        value, _ = read_next(source, place.end)
        return [_call(name, formals) for formals in _formals(value)]
    return []


def _formals(value: Syntax | None) -> list[str]:
    """The texts of the parameters of a procedure, one for each case."""
    items = _items(value)
    head = items[0].value if items else None
    if not isinstance(head, Symbol) or len(items) < 2:
        return []
    if head.name == "lambda":
        return [_parameters(items[1])]
    if head.name == "case-lambda":
        return [_parameters(_items(clause)[0]) for clause in items[1:] if _items(clause)]
    return []


def _parameters(formals: Syntax) -> str:
    text = _in_one_line(_text(formals))
    return text[1:-1] if isinstance(formals.value, SyntaxList) else f". {text}"


def _call(name: str, parameters: str) -> str:
    return f"({name} {parameters})" if parameters else f"({name})"


def _items(syntax: Syntax | None) -> tuple[Syntax, ...]:
    value = None if syntax is None else syntax.value
    return value.items if isinstance(value, SyntaxList) else ()


def _text(syntax: Syntax) -> str:
    return syntax.span.source.text[syntax.span.start : syntax.span.end]


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def comment_above(place: Span) -> str:
    """The lines of comment that end above the line of a place."""
    source = place.source
    lines: list[str] = []
    for number in range(place.line - 1, 0, -1):
        text = source.line_text(number)
        found = _COMMENT.match(text)
        if found is None:
            break
        if not DIVISION.match(text):
            lines.append(found[1].rstrip())
    return "\n".join(reversed(lines)).strip()


def in_file(place: Span) -> Span:
    """The place in a file of its own, where the text it is in was put together from several; the
    source is called after the file."""
    source = place.source
    if source.name != PRELUDE:
        return place
    start = 0
    for part in map(_prelude_part, PRELUDE_PARTS):
        if place.start < start + len(part.text):
            return Span(part, place.start - start, place.end - start)
        start += len(part.text) + 1
    return place


@cache
def _prelude_part(path: Path) -> Source:
    return read_source(path)
