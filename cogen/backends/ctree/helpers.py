"""The functions of C that printed code calls: one text of each, in files of C.

Whoever prints code asks for those it needs by name; they come with those they call, each before
it is called.  What is about numbers is in `arithmetic.h`, a paragraph each.  Array programs have
integers of other widths: `with_bits`.  Other files have parts with names (`parts`):

    /* ---- cogen_deep ---- */
    static inline bool cogen_deep(uintptr_t stack_limit) ...

What stands before the first part is for people and for compilers that are given the file as it is,
as the tests do: it says what the words are that stand for what differs from program to program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

HEADER: Final = Path(__file__).with_name("arithmetic.h")
"""The file, which native programs include as it is."""

_NAME: Final = re.compile(r"\bcogen_\w+")
_PART: Final = re.compile(r"^/\* ---- (\w+) ---- \*/\n", re.MULTILINE)
_WORD: Final = re.compile(r"\b[A-Za-z]\w*")


@cache
def header() -> str:
    """The text of the file."""
    return HEADER.read_text(encoding="utf-8")


@cache
def arithmetic() -> Mapping[str, str]:
    """The text of each function by its name, in the order of the file."""
    found: dict[str, str] = {}
    for paragraph in header().split("\n\n"):
        name = _NAME.search(re.sub(r"/\*.*?\*/", "", paragraph, flags=re.DOTALL))
        if name is not None:
            found[name[0]] = paragraph.rstrip("\n") + "\n"
    return found


def parts(file: Path, words: Mapping[str, object] = MappingProxyType({})) -> dict[str, str]:
    """The parts of a file of C by their names, in order, with others in the place of words."""
    return dict(_parts(file, tuple(words.items())))


@cache
def _parts(file: Path, words: tuple[tuple[str, object], ...]) -> Mapping[str, str]:
    given = {word: str(value) for word, value in words}
    _, *found = _PART.split(file.read_text(encoding="utf-8"))
    return {
        name: _WORD.sub(lambda word: given.get(word[0], word[0]), text.rstrip("\n") + "\n")
        for name, text in zip(found[::2], found[1::2], strict=True)
    }


def closed(names: Iterable[str], texts: Mapping[str, str]) -> list[str]:
    """The functions of these names and those that they call, in the order of the texts."""
    wanted: set[str] = set()
    waiting = [name for name in names if name in texts]
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting += [other for other in _NAME.findall(texts[name]) if other in texts]
    return [name for name in texts if name in wanted]


def with_bits(name: str, bits: int) -> str:
    """The text of a function of integers of so many bits."""
    return arithmetic()[name].replace("int64_t", f"int{bits}_t")
