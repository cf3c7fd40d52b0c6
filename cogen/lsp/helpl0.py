"""Help while a call is written in L0: how the function is used, and which argument is next.

reduce(op +, |     ->  reduce(F, e, a), the second parameter
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cogen.lsp.analysis import Meaning
from cogen.lsp.help import ProcedureUse
from cogen.lsp.l0 import L0Analysis, without_comments

_OPENED: Final = "([{"
_CLOSED: Final = ")]}"
_CALLED: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_']*)\s*$")
_OF_TYPES: Final = re.compile(r"^\w+: (.+?) -> ")
"""How a function of the language is told: `exp: real -> real`."""


def usages_in_l0(analysis: L0Analysis, offset: int) -> tuple[Meaning, list[ProcedureUse]] | None:
    """How the function is used whose call is being written at an offset."""
    before = without_comments(analysis.source.text[:offset])
    if before is None:
        return None
    found = _call_around(before)
    if found is None:
        return None
    word, argument = found
    meaning = analysis.meaning_of_word(word)
    if meaning is None:
        return None
    lines = [_usage(word, line, argument) for line in _signatures(meaning)]
    known = [one for one in lines if one is not None]
    return (meaning, known) if known else None


def _call_around(text: str) -> tuple[str, int] | None:
    """The word before the innermost list of arguments that has not ended, and the number of the
    argument that a text ends in."""
    inner = argument = 0
    for place in range(len(text) - 1, -1, -1):
        character = text[place]
        if character in _CLOSED:
            inner += 1
        elif character in _OPENED and inner:
            inner -= 1
        elif character in _OPENED:
            word = _CALLED.search(text, 0, place) if character == "(" else None
            return None if word is None else (word[1], argument)
        elif character == "," and not inner:
            argument += 1
    return None


def _signatures(meaning: Meaning) -> list[str]:
    """The lines that say how a function is used; of a word of the language, what its text begins
    with."""
    return meaning.signature.split("\n") if meaning.signature else [meaning.doc]


def _usage(word: str, line: str, argument: int) -> ProcedureUse | None:
    """A use as `f(t a, t b)`, or `f: t -> t`; None for what is no call."""
    of_types = _OF_TYPES.match(line)
    if of_types is not None:
        return ProcedureUse(line, (of_types.span(1),), 0 if argument == 0 else None)
    start = line.find(f"{word}(")
    if start < 0:
        return None
    places = list(_parameters(line, start + len(word) + 1))
    named = [place for place in places if line[slice(*place)] != "..."]
    if argument < len(named):
        return ProcedureUse(line, tuple(named), argument)
    return ProcedureUse(line, tuple(named), len(named) - 1 if len(named) < len(places) else None)


def _parameters(line: str, start: int) -> Iterator[tuple[int, int]]:
    """Where the parts of a list are that begins behind an opening parenthesis."""
    depth = 0
    for place in range(start, len(line)):
        character = line[place]
        ends = depth == 0 and character in ",)"
        if ends and line[start:place].strip():
            yield place - len(line[start:place].lstrip()), place
        if ends and character == ")":
            return
        if ends:
            start = place + 1
        depth += (character in _OPENED) - (character in _CLOSED)
