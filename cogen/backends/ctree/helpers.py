"""The functions of C that printed code calls: one text of each, in `arithmetic.h`.

Whoever prints code asks for those it needs by name; they come with those they call, each before
it is called.  Array programs have integers of other widths: `with_bits`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

HEADER: Final = Path(__file__).with_name("arithmetic.h")
"""The file, which native programs include as it is."""

_NAME: Final = re.compile(r"\bcogen_\w+")


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
