"""The index of errors, `docs/errors.md`: for each kind of error an example and what to do.

    index ::= sections of the page, `### CODE`: a block of messages, in which `…` stands for
              anything; a program; what is told of it; then what to do

An error has the code of the entry of which a message fits, of several the one that says most.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_PLACES: Final = (
    Path(__file__).with_name("errors.md"),
    Path(__file__).parents[1] / "docs" / "errors.md",
)
"""Where the page is: in a wheel, and in a checkout."""

_BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ErrorEntry:
    """A kind of error; `language` is scheme, l0 or python, or empty if there is no example."""

    code: str
    messages: tuple[str, ...]
    language: str
    example: str
    told: str
    remedy: str

    @property
    def text(self) -> str:
        """The entry for a terminal."""
        parts = ["\n".join(self.messages), self.remedy]
        if self.example:
            parts += [f"Example:\n\n{_indented(self.example)}", _indented(self.told)]
        return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def page() -> Path:
    """The file."""
    return next(path for path in _PLACES if path.exists())


@cache
def entries() -> dict[str, ErrorEntry]:
    """The entries by code, in the order of the page."""
    sections = re.split(r"^### ", page().read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {entry.code: entry for entry in map(_entry, sections)}


def _entry(section: str) -> ErrorEntry:
    code, _, rest = section.partition("\n")
    rest = re.split(r"^## ", rest, flags=re.MULTILINE)[0]
    blocks = _BLOCK.findall(rest)
    messages = tuple(blocks[0][1].splitlines())
    language, example = blocks[1] if len(blocks) > 1 else ("", "")
    told = blocks[2][1] if len(blocks) > 2 else ""
    return ErrorEntry(code, messages, language, example, told, _BLOCK.sub("", rest).strip())


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip("\n").split("\n"))


@cache
def _patterns() -> list[tuple[int, re.Pattern[str], str]]:
    """What messages are like, those that say most first, with their codes."""
    found = []
    for entry in entries().values():
        for message in entry.messages:
            pattern = ".*".join(map(re.escape, message.split("…")))
            size = len(message.replace("…", ""))
            found.append((size, re.compile(pattern, re.DOTALL), entry.code))
    return sorted(found, key=lambda one: -one[0])


def code_of(message: str) -> str | None:
    """The code of an error by its message; None if the index has none."""
    return next((code for _, one, code in _patterns() if one.fullmatch(message)), None)
