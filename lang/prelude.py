"""The prelude as a text: its files, and which places of a program are in it.

It is the part of the language that is written in the language.  What its definitions mean,
`lang.expand` finds out.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from cogen.lang.chain import LANGUAGE
from cogen.lang.datum import Symbol, symbol
from cogen.lang.errors import Source, Span
from cogen.lang.files import read_source
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


def told(forms: Iterable[Syntax]) -> list[Syntax]:
    """The prelude's forms, in which looking into a pair is a part of the procedure that people
    call: what fails in `list-ref` is told of `list-ref`."""
    return [_told(form) for form in forms]


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
