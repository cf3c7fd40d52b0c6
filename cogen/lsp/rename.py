"""An occurrence and a new name -> the changes that give what it means that name.

Afterwards every name must mean what it meant: that is looked at in the analysis of the changed
text.  Comments that say divisions name it anew, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Final

from cogen.lang.errors import CogenError, Source, Span
from cogen.lsp.analysis import Analysis, Occurrence
from cogen.lsp.divisions import named_in_divisions

_IS_NAME: Final = re.compile(r"""[^\s()\[\]{}"';`,|#]+""")
"""What can be written as a name."""

Again = Callable[[Source], Analysis]
"""The analysis of a changed text."""


def renamable(analysis: Analysis, offset: int) -> Occurrence | None:
    """The name at an offset if it is defined in the text."""
    occurrence = analysis.at(offset)
    if occurrence is None:
        return None
    places = [one for one in analysis.same(occurrence) if one.defines]
    if not places or any(one.place.source is not analysis.source for one in places):
        return None
    return occurrence


def rename(analysis: Analysis, offset: int, new: str, again: Again) -> list[Span]:
    """The places of the text at which `new` must be written.

    CogenError if the name is not defined in the text, `new` is no name, the text has mistakes in
    which the name may be hidden, or something would mean something else afterwards.
    """
    occurrence = renamable(analysis, offset)
    if occurrence is None:
        raise CogenError("only what is defined in this file can be renamed")
    old = analysis.source.text[occurrence.place.start : occurrence.place.end]
    if _IS_NAME.fullmatch(new) is None:
        raise CogenError(f"`{new}` is no name")
    if analysis.hides(old):
        raise CogenError(f"mend the errors of the file first: `{old}` may be hidden in them")
    places = [one.place for one in analysis.same(occurrence)]
    if any(place.source is not analysis.source for place in places):
        raise CogenError(f"`{old}` is used in other files, too")
    places = sorted([*places, *_divisions(analysis, old, places)], key=lambda place: place.start)
    changed = again(Source(analysis.source.name, replaced(analysis.source.text, places, new)))
    is_same = _sense(analysis, places, new) == _sense(changed, [], new)
    if not is_same or len(changed.errors) > len(analysis.errors):
        raise CogenError(f"something else would be meant if `{old}` were called `{new}`")
    return places


def _divisions(analysis: Analysis, old: str, places: Sequence[Span]) -> list[Span]:
    """Where comments name it to say a division, if it is defined at the top level."""
    if not any(item.place in places for item in analysis.symbols()):
        return []
    return named_in_divisions(analysis.source, old)


def replaced(text: str, places: Sequence[Span], new: str) -> str:
    """The text with something else at places, which are in order."""
    parts: list[str] = []
    start = 0
    for place in places:
        parts += [text[start : place.start], new]
        start = place.end
    return "".join([*parts, text[start:]])


def _sense(analysis: Analysis, changed: Sequence[Span], new: str) -> dict[int, Hashable]:
    """For each name of the text, by where it will be, where what it means will be defined."""
    moved = _Moved(changed, len(new))
    path = analysis.source.path
    sense: dict[int, Hashable] = {}
    for one in analysis.occurrences:
        if one.place.source is not analysis.source:
            continue
        key = one.key
        if isinstance(key, tuple) and key[0] == path:
            key = (path, moved.of(key[1]))
        sense[moved.of(one.place.start)] = key if not isinstance(key, int) else None
    return sense


class _Moved:
    """Where offsets are after changes."""

    def __init__(self, places: Sequence[Span], length: int) -> None:
        self.places = places
        self.length = length

    def of(self, offset: int) -> int:
        before = [place for place in self.places if place.start < offset]
        return offset + sum(self.length - (place.end - place.start) for place in before)
