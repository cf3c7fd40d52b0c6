"""Diagnostics: sources, spans, and the three families of errors.

Every mistake a user can make ends in a `CogenError` that carries the span of the
innermost source form that failed.  A diagnostic reads

    file:line:column: error: message
       line | source text
            | ^^^^^^^^^^^
    hint: what to do about it

Lines and columns count from 1, columns in characters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property


class Source:
    """A text and the name diagnostics give it (a path, or `<string>`).

    `path` is the file, where the name does not say where that is: for installed libraries, which
    are called after their place among the packages (`signals/cache.scm`)."""

    def __init__(self, name: str, text: str, path: str | None = None) -> None:
        self.name = name
        self.text = text
        self.path = name if path is None else path

    @cached_property
    def line_starts(self) -> list[int]:
        """The offsets at which lines begin; the first is 0."""
        starts = [0]
        starts.extend(i + 1 for i, c in enumerate(self.text) if c == "\n")
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a line (from 1), without its line break."""
        start = self.line_starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]

    def __repr__(self) -> str:
        return f"Source({self.name!r})"


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters [start, end) of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    def __str__(self) -> str:
        line, column = self.source.position(self.start)
        return f"{self.source.name}:{line}:{column}"


@dataclass(frozen=True, slots=True)
class Note:
    """A further remark of a diagnostic, with the place it speaks of if there is one."""

    message: str
    span: Span | None = None


class CogenError(Exception):
    """Any error that a user can cause; `.span` is where, or None.

    `hint` says what to do; `notes` are further places (a call chain, an earlier definition).
    """

    family = "error"

    def __init__(
        self,
        message: str,
        span: Span | None = None,
        hint: str | None = None,
        notes: Iterable[Note] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint
        self.notes = tuple(notes)

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        """The whole diagnostic as text, without a final line break."""
        lines = [_headline(self.span, self.family, self.message)]
        lines.extend(_excerpt(self.span))
        for note in self.notes:
            lines.append(_headline(note.span, "note", note.message))
            lines.extend(_excerpt(note.span))
        if self.hint is not None:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


class LimitationError(CogenError):
    """Something the program cannot do (yet); the message says so and what to do instead."""

    family = "limitation"


class InternalError(CogenError):
    """A bug of ours: an invariant was broken.  Asks for a report."""

    family = "internal error"


class CogenWarning(RuntimeWarning):
    """Something that is done in another way than usual, which the user can mend.  By Python's
    `warnings`; the command line prints it as it prints other warnings."""


@dataclass(slots=True)
class Warnings:
    """Collects warnings; the command line prints them to standard error."""

    messages: list[Note] = field(default_factory=list)

    def warn(self, message: str, span: Span | None = None) -> None:
        self.messages.append(Note(message, span))

    def render(self) -> str:
        lines: list[str] = []
        for note in self.messages:
            lines.append(_headline(note.span, "warning", note.message))
            lines.extend(_excerpt(note.span))
        return "\n".join(lines)


def _headline(span: Span | None, family: str, message: str) -> str:
    return f"{family}: {message}" if span is None else f"{span}: {family}: {message}"


MAX_EXCERPT = 160
"""Longest piece of a source line shown; a longer line is cut around the carets."""


def _excerpt(span: Span | None) -> list[str]:
    """The source line and a line of carets under the span's part of it."""
    if span is None:
        return []
    line, column = span.source.position(span.start)
    text = span.source.line_text(line)
    width = max(1, min(span.end - span.start, len(text) - column + 1))
    if len(text) > MAX_EXCERPT:
        cut = max(0, min(column - 1 - MAX_EXCERPT // 3, len(text) - MAX_EXCERPT))
        text = text[cut : cut + MAX_EXCERPT]
        column -= cut
        width = max(1, min(width, len(text) - column + 1))
    margin = " " * len(str(line))
    pad = "".join("\t" if c == "\t" else " " for c in text[: column - 1])
    return [f" {line} | {text}", f" {margin} | {pad}{'^' * width}"]
