"""Help while a call is written: how its procedure is used, and which argument is next.

(vector-ref v |     ->  (vector-ref vector int) -> any, the second parameter
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from cogen.lsp.analysis import Analysis, Meaning
from cogen.lsp.formsaround import forms_around

_WORD: Final = re.compile(r"[^\s()]+")
_DEPTH: Final = {"(": 1, ")": -1}


@dataclass(frozen=True, slots=True)
class ProcedureUse:
    """A way in which a procedure is used: the text, where its parameters are in it, and the number
    of the one that is written; None if there is none for it."""

    text: str
    parameters: tuple[tuple[int, int], ...]
    active: int | None


def usages(analysis: Analysis, offset: int) -> tuple[Meaning, list[ProcedureUse]] | None:
    """How the procedure is used whose call is being written at an offset."""
    text = analysis.source.text
    around = forms_around(text, offset)
    if not around or not around[-1].head:
        return None
    form = around[-1]
    found = analysis.meaning_at(text.index(form.head, form.start))
    meaning = analysis.meaning_of_word(form.head) if found is None else found[0]
    if meaning is None or not meaning.signature:
        return None
    inside = text[offset - 1 : offset].strip() not in ("", ")")
    argument = len(form.items) - 1 - inside
    if argument < 0:
        return None
    return meaning, [_usage(line, argument) for line in meaning.signature.split("\n")]


def _usage(text: str, argument: int) -> ProcedureUse:
    """A line of a signature, `(f a b . rest)`."""
    inside = text[: _end(text)]
    words = [word.span() for word in _WORD.finditer(inside)][1:]
    rest = [n for n, (start, end) in enumerate(words) if text[start:end] in (".", "...")]
    parameters = tuple(word for n, word in enumerate(words) if n not in rest)
    least = rest[0] if rest else len(parameters)
    if argument >= least:
        return ProcedureUse(text, parameters, len(parameters) - 1 if rest else None)
    return ProcedureUse(text, parameters, argument)


def _end(text: str) -> int:
    """Where the first list of a text ends."""
    depth = 0
    for place, character in enumerate(text):
        depth += _DEPTH.get(character, 0)
        if depth == 0:
            return place
    return len(text)
