"""Text and ranges of it -> lines of HTML, in which the ranges are nested elements.

A range that goes over several lines is one element on each; where two ranges overlap, the later one
ends where the earlier does.
"""

from __future__ import annotations

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


def lines(text: str, ranges: Iterable[Range], first: int = 1, new: Container[int] = ()) -> str:
    """The lines as HTML, numbered from `first` on; `new` are the numbers, from 0, of lines to be
    marked as new."""
    made = _lines(text, sorted(ranges, key=lambda one: (one.start, -one.end)))
    if text.endswith("\n"):
        made.pop()
    parts: list[str] = []
    for start in range(0, len(made), CHUNK):
        chunk = made[start : start + CHUNK]
        numbered = [
            f'<span class="{_class(first + start + number - 1, new)}" '
            f'data-n="{first + start + number}">{line}\n</span>'
            for number, line in enumerate(chunk)
        ]
        parts.append(f'<div class="chunk" style="--lines:{len(chunk)}">{"".join(numbered)}</div>')
    return "".join(parts)


def _class(number: int, new: Container[int]) -> str:
    return "l new" if number in new else "l"


def _lines(text: str, ranges: list[Range]) -> list[str]:
    done: list[str] = []
    line: list[str] = []
    around: list[Range] = []
    position = 0
    ranges = [one for one in ranges if one.start < one.end]
    for number in range(len(ranges) + 1):
        following = ranges[number] if number < len(ranges) else None
        until = len(text) if following is None else following.start
        while around and around[-1].end <= until:
            position = _text(text, position, around[-1].end, around, line, done)
            around.pop()
            line.append("</span>")
        position = _text(text, position, until, around, line, done)
        if following is not None:
            end = min(following.end, around[-1].end) if around else following.end
            if end <= position:
                continue
            around.append(following._replace(end=end))
            line.append(f"<span {following.attributes}>")
    done.append("".join(line))
    return done


def _text(
    text: str, start: int, end: int, around: list[Range], line: list[str], done: list[str]
) -> int:
    """Write characters; at a line's end the elements end and begin again on the next one."""
    if start >= end:
        return start
    pieces = text[start:end].split("\n")
    line.append(escape(pieces[0]))
    for piece in pieces[1:]:
        line.append("</span>" * len(around))
        done.append("".join(line))
        indent = len(piece) - len(piece.lstrip())
        line.clear()
        line.append(escape(piece[:indent]))
        line.extend(f"<span {one.attributes}>" for one in around)
        line.append(escape(piece[indent:]))
    return end
