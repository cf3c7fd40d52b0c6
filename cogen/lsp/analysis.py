"""What is found out about a text: its mistakes, and which name means what where.

    Occurrence ::= (place, key, defines, meant)    a name in the text
    Meaning    ::= (name, kind, place, signature, doc, origin)    for people
    Symbol     ::= (name, kind, whole, place, symbols)    a definition in the outline
    Candidate  ::= (name, kind, describe)    a name that may be written at a place

Occurrences with the same key mean the same thing.  The two languages have their analyses in
`cogen.lsp.scheme` and `cogen.lsp.l0`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from cogen.lang.errors import CogenError, Source, Span

MOST_ERRORS: Final = 100
"""Errors of a text that are told."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name means, as people are told.

    `kind` is procedure, variable, macro, keyword, primitive, record or function; `place` is where
    it is defined, if that is in a text; `signature` how it is used, in the language `language`;
    `origin` says whose it is.
    """

    name: str
    kind: str
    place: Span | None = None
    signature: str = ""
    doc: str = ""
    origin: str = ""
    language: str = "scheme"


@dataclass(frozen=True, slots=True, eq=False)
class Occurrence:
    """A name in a text; `meant` is for the analysis that made it."""

    place: Span
    key: Hashable
    defines: bool
    meant: Any


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """A definition, with those within it: the whole form, and the place of its name."""

    name: str
    kind: str
    whole: Span
    place: Span
    symbols: tuple[OutlineItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name that may be written at a place; `describe` finds out more."""

    name: str
    kind: str
    describe: Callable[[], Meaning | None]


class Analysis(ABC):
    """What was found out about the text of `source`.

    `errors` are in order of their places, those without one first; `occurrences` in the order in
    which they were found, also of other texts that belong to the program.
    """

    def __init__(
        self, source: Source, errors: Iterable[CogenError], occurrences: Iterable[Occurrence]
    ) -> None:
        self.source = source
        ordered = sorted(errors, key=lambda error: error.span.start if error.span else -1)
        self.errors: tuple[CogenError, ...] = tuple(ordered[:MOST_ERRORS])
        self.occurrences: tuple[Occurrence, ...] = tuple(occurrences)

    @abstractmethod
    def meaning(self, occurrence: Occurrence) -> Meaning | None:
        """What a name means; None if there is nothing to say."""

    @abstractmethod
    def symbols(self) -> Sequence[OutlineItem]:
        """The definitions of the text."""

    @abstractmethod
    def candidates(self, offset: int) -> Iterable[Candidate]:
        """The names that may be written at an offset, those that are nearest first."""

    @abstractmethod
    def word(self, offset: int) -> tuple[str, Span] | None:
        """The word of the language at an offset."""

    @abstractmethod
    def meaning_of_word(self, word: str) -> Meaning | None:
        """What a word means that no occurrence tells: a keyword, or a name in a broken form."""

    @abstractmethod
    def doubtful(self) -> Sequence[Span]:
        """The parts of the text that have mistakes: names in them may not have been found."""

    @cached_property
    def _here(self) -> list[Occurrence]:
        """The occurrences in the text itself, in order."""
        here = [one for one in self.occurrences if one.place.source is self.source]
        return sorted(here, key=lambda one: (one.place.start, one.place.end))

    @cached_property
    def _starts(self) -> list[int]:
        return [one.place.start for one in self._here]

    def hides(self, name: str) -> bool:
        """Whether a name stands somewhere in a part with mistakes, and what it means there was not
        found out."""
        noted = {*self._starts}
        for part in self.doubtful():
            start = self.source.text.find(name, part.start, part.end)
            while start >= 0:
                word = self.word(start)
                if word is not None and word[0] == name and start not in noted:
                    return True
                start = self.source.text.find(name, start + 1, part.end)
        return False

    def at(self, offset: int) -> Occurrence | None:
        """The name at an offset, or that ends there."""
        index = bisect_right(self._starts, offset)
        for one in reversed(self._here[:index]):
            if one.place.end >= offset:
                return one
            if one.place.end < offset:
                return None
        return None

    @cached_property
    def _homes(self) -> dict[Hashable, Span]:
        """Where what names mean is defined in the text itself."""
        found: dict[Hashable, Span] = {}
        for one in self.occurrences:
            if one.defines and one.place.source is self.source:
                found.setdefault(one.key, one.place)
        return found

    def home(self, occurrence: Occurrence) -> Span | None:
        """Where in the text it is defined what a name means; None if elsewhere."""
        return self._homes.get(occurrence.key)

    def same(self, occurrence: Occurrence) -> list[Occurrence]:
        """All occurrences of what a name means, each place once, in order."""
        found: dict[tuple[str, int], Occurrence] = {}
        for one in self.occurrences:
            if one.key == occurrence.key:
                place = (one.place.source.path, one.place.start)
                if place not in found or one.defines:
                    found[place] = one
        return [found[place] for place in sorted(found)]

    def meaning_at(self, offset: int) -> tuple[Meaning, Span] | None:
        """What the name at an offset means, and where it stands."""
        occurrence = self.at(offset)
        if occurrence is not None:
            meaning = self.meaning(occurrence)
            return None if meaning is None else (meaning, occurrence.place)
        word = self.word(offset)
        meaning = None if word is None else self.meaning_of_word(word[0])
        return None if word is None or meaning is None else (meaning, word[1])
