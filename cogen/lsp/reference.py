"""A library -> what each of its names is, as the reference tells it.

The text is what editors show of a name: the rows of the primitives, and the comments of the
libraries, are where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import indent
from typing import Final

from cogen.lang.errors import Source
from cogen.lang.ownlibraries import srfis
from cogen.lsp.analysis import Meaning
from cogen.lsp.scheme import analyse

PARTS: Final = {
    "Forms": ("keyword", "macro"),
    "Primitives": ("primitive",),
    "Procedures written in the language": ("procedure", "record", "variable"),
}
"""The parts of the language itself, and the kinds of names that each has."""


def of_language() -> Sequence[Meaning]:
    """The names of the language, in the order of the alphabet."""
    candidates = analyse(Source("reference", "")).candidates(0)
    return _in_order(candidate.describe() for candidate in candidates)


def of_library(name: str) -> Sequence[Meaning]:
    """The names that a library, `(srfi 1)`, has beyond the language's, in the order of the
    alphabet."""
    return _in_order(analyse(Source("reference", f"(import {name})")).imported())


def libraries() -> Iterator[str]:
    """The libraries that come with the language."""
    yield from (f"(srfi {path.stem})" for path in srfis())
    yield "(signals)"


def markdown() -> str:
    """The reference: a heading for each part of the language and each library, a list of names."""
    language = of_language()
    texts: list[str] = []
    for heading, kinds in PARTS.items():
        texts += _section(heading, [one for one in language if one.kind in kinds])
    for library in libraries():
        texts += _section(f"`{library}`", of_library(library))
    return "\n".join(texts)


def _in_order(found: Iterable[Meaning | None]) -> Sequence[Meaning]:
    meanings = [one for one in found if one is not None and one.doc]
    return sorted(meanings, key=lambda one: one.name)


def _section(heading: str, meanings: Sequence[Meaning]) -> Iterator[str]:
    if meanings:
        yield f"## {heading}\n"
        for one in meanings:
            uses = one.signature.split("\n") if one.signature else [one.name]
            yield "\\\n".join(f"`{use}`" for use in uses)
            told, _, facts = one.doc.partition("\n\neffect: ")
            yield f": {indent(told, '  ').strip()}{f' *({facts})*' if facts else ''}\n"
