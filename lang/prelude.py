"""The prelude as a text: its files, and which places of a program are in it.

It is the part of the language that is written in the language.  What its definitions mean,
`lang.expand` finds out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from cogen.lang.chain import LANGUAGE
from cogen.lang.datum import Symbol, symbol
from cogen.lang.errors import Source, Span
from cogen.lang.files import read_source
from cogen.lang.reader import read_part
from cogen.lang.syntax import Syntax, SyntaxList

_MAIN = Path(__file__).with_name("prelude.scm")

PRELUDE: Final = str(_MAIN)
"""What diagnostics call the text."""

PRELUDE_PARTS: Final = (
    _MAIN,
    *[Path(__file__).with_name(name) for name in ("arrays.scm", "packed.scm")],
)
"""The files of the prelude, which is one text that diagnostics call after the first."""


@cache
def prelude_source() -> Source:
    """The text of the prelude."""
    text = "\n".join(read_source(part).text for part in PRELUDE_PARTS)
    return Source(PRELUDE, text, library=LANGUAGE)


@cache
def _arrays_start() -> int:
    """Where the part of the prelude begins that `arrays.scm` is."""
    return len(read_source(_MAIN).text) + 1


def somewhere_in_prelude() -> Span:
    """A place in the prelude, for what is made of a form but is to fail at the call around it."""
    return Span(prelude_source(), 0, 0)


def in_prelude(span: Span | None) -> bool:
    """Whether a place is in the prelude."""
    return span is not None and span.source.name == PRELUDE


def in_arrays(span: Span | None) -> bool:
    """Whether a place is in the prelude's operations on arrays."""
    return span is not None and span.source.name == PRELUDE and span.start >= _arrays_start()


_PARTS: Final = frozenset(map(symbol, ("car", "cdr", "set-car!", "set-cdr!")))
"""Operations that definitions of the prelude do on what they are given, before they look at it."""


@dataclass(frozen=True, slots=True)
class PreludePart:
    """A form of the prelude at its place, which is read when it is asked for; `name` is what it
    defines, if it is `(define (name . parameters) body ...)`."""

    span: Span
    name: Syntax | None

    def form(self) -> Syntax:
        """What stands there.  Looking into a pair is a part of the procedure that people call: what
        fails in `list-ref` is told of `list-ref`."""
        return _form_at(self.span.start, self.span.end)


_FORM: Final = re.compile(r"^\((?:define \(([^\s()]+))?", re.MULTILINE)
"""How a form of the prelude begins: in the first column, where nothing else opens a list."""


@cache
def prelude_parts() -> tuple[PreludePart, ...]:
    """The forms of the prelude, in order; a program needs few of them."""
    source = prelude_source()
    begun = list(_FORM.finditer(source.text))
    starts = [found.start() for found in begun]
    parts = []
    for found, end in zip(begun, [*starts[1:], len(source.text)], strict=True):
        name = Syntax(symbol(found[1]), Span(source, *found.span(1))) if found[1] else None
        span = Span(source, found.start(), _end_of(source.text, found.start(), end))
        parts.append(PreludePart(span, name))
    return tuple(parts)


def _end_of(text: str, start: int, end: int) -> int:
    """Where a form ends that begins at `start`, with only comments from there to `end`."""
    lines = text[start:end].rstrip().split("\n")
    while not lines[-1] or lines[-1].lstrip().startswith(";"):
        del lines[-1]
    return start + len("\n".join(lines).rstrip())


@cache
def _form_at(start: int, end: int) -> Syntax:
    (form,) = read_part(prelude_source(), start, end)
    return _told(form)


def _told(form: Syntax) -> Syntax:
    """(define (name . parameters) body ...) with its places."""
    if not (isinstance(form.value, SyntaxList) and len(form.value.items) > 1):
        return form
    signature = form.value.items[1].value
    if not (isinstance(signature, SyntaxList) and signature.items):
        return form
    name = signature.items[0].value
    return _within(form, name.name.removeprefix("%")) if isinstance(name, Symbol) else form


def _within(form: Syntax, name: str) -> Syntax:
    """A form of the procedure of that name."""
    value = form.value
    if not isinstance(value, SyntaxList):
        return form
    items = tuple(_within(item, name) for item in value.items)
    tail = None if value.tail is None else _within(value.tail, name)
    is_part = bool(items) and items[0].value in _PARTS
    span = form.span.part_of(name) if is_part else form.span
    return Syntax(SyntaxList(items, tail), span)
