"""Text and ranges of it -> lines of HTML, in which the ranges are nested elements.

A range that goes over several lines is one element on each; where two ranges overlap, the later one
ends where the earlier does.  Of many ranges around a line only the innermost are elements there,
else a text whose nesting is as deep as it is long would have elements by the square of its length;
the line says in `data-q` to which others it belongs.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from html import escape
from typing import NamedTuple


class Range(NamedTuple):
    """The characters [start, end) of a text, and the attributes of their element."""

    start: int
    end: int
    attributes: str


CHUNK = 40
"""Lines that are laid out together, once they are to be seen."""

NEAR = 12
"""Ranges from lines before that are elements of a line."""

_PLACES = re.compile(r'data-p="([^"]*)"')


def lines(text: str, ranges: Iterable[Range], first: int = 1, new: Container[int] = ()) -> str:
    """The lines as HTML, numbered from `first` on; `new` are the numbers, from 0, of lines to be
    marked as new."""
    made = _Lines(text).of(sorted(ranges, key=lambda one: (one.start, -one.end)))
    if text.endswith("\n"):
        made.pop()
    parts: list[str] = []
    for start in range(0, len(made), CHUNK):
        chunk = made[start : start + CHUNK]
        numbered = [
            f'<span class="{_class(first + start + number - 1, new)}" '
            f'data-n="{first + start + number}"{around}>{line}\n</span>'
            for number, (line, around) in enumerate(chunk)
        ]
        parts.append(f'<div class="chunk" style="--lines:{len(chunk)}">{"".join(numbered)}</div>')
    return "".join(parts)


def _class(number: int, new: Container[int]) -> str:
    return "l new" if number in new else "l"


class _Lines:
    """The lines of a text while they are written."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.done: list[tuple[str, str]] = []
        """The lines, each with the attribute that tells to which ranges it belongs."""
        self.line: list[str] = []
        self.around: list[Range] = []
        """The ranges around the position, outermost first."""
        self.hidden = 0
        """How many of these, the outermost, are no elements of the line."""
        self.belongs = ""
        self.position = 0

    def of(self, ranges: list[Range]) -> list[tuple[str, str]]:
        """The lines with the ranges, in order of their starts, outer ones first."""
        for one in ranges:
            if one.start < one.end:
                self.go(one.start)
                self.begin(one)
        self.go(len(self.text))
        self.end_line()
        return self.done

    def go(self, until: int) -> None:
        """Write up to a position, and end the ranges that end before it or there."""
        while self.around and self.around[-1].end <= until:
            self.write(self.around[-1].end)
            self.around.pop()
            if self.hidden > len(self.around):
                self.hidden -= 1
            else:
                self.line.append("</span>")
        self.write(until)

    def begin(self, one: Range) -> None:
        end = min(one.end, self.around[-1].end) if self.around else one.end
        if end > self.position:
            self.around.append(one._replace(end=end))
            self.line.append(f"<span {one.attributes}>")

    def write(self, end: int) -> None:
        """Write characters; at a line's end the elements end and begin again on the next one."""
        if self.position >= end:
            return
        pieces = self.text[self.position : end].split("\n")
        self.line.append(escape(pieces[0]))
        for piece in pieces[1:]:
            self.end_line()
            indent = len(piece) - len(piece.lstrip())
            self.line.append(escape(piece[:indent]))
            self.line.extend(f"<span {one.attributes}>" for one in self.around[self.hidden :])
            self.line.append(escape(piece[indent:]))
        self.position = end

    def end_line(self) -> None:
        self.line.append("</span>" * (len(self.around) - self.hidden))
        self.done.append(("".join(self.line), self.belongs))
        self.line.clear()
        self.hidden = max(0, len(self.around) - NEAR)
        found = [_PLACES.search(one.attributes) for one in self.around[: self.hidden]]
        places = " ".join(one[1] for one in found if one is not None)
        self.belongs = f' data-q="{places}"' if places else ""
