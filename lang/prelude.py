"""The prelude as a text: its files, and which places of a program are in it.

It is the part of the language that is written in the language.  What its definitions mean,
`lang.expand` finds out.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from cogen.lang.chain import LANGUAGE
from cogen.lang.errors import Source, Span
from cogen.lang.files import read_source

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
