"""Pieces of Python text that remember which calls in them came from where in the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cogen.lang.errors import Span


@dataclass(frozen=True, slots=True)
class LinePiece:
    """A piece of a line; `marks` are the offsets of calls in it and their places."""

    text: str
    marks: tuple[tuple[int, Span], ...] = ()


def join(*pieces: str | LinePiece) -> LinePiece:
    text = ""
    marks: list[tuple[int, Span]] = []
    for piece in pieces:
        if isinstance(piece, LinePiece):
            marks += [(len(text) + offset, span) for offset, span in piece.marks]
            text += piece.text
        else:
            text += piece
    return LinePiece(text, tuple(marks))


def bare(code: LinePiece) -> LinePiece:
    """The code without the parentheses around it."""
    return LinePiece(code.text[1:-1], tuple((offset - 1, span) for offset, span in code.marks))


def listed(codes: Sequence[LinePiece]) -> LinePiece:
    """The pieces with commas between them."""
    pieces: list[str | LinePiece] = []
    for code in codes:
        pieces += [", ", code] if pieces else [code]
    return join(*pieces)
