"""Diagnostics: sources, spans, and the three families of errors.

Every mistake a user can make ends in a `CogenError` that carries the span of the
innermost source form that failed.  A diagnostic reads

    file:line:column: error: message
       line | source text
            | ^^^^^^^^^^^
      called from file:line:column: the call
    hint: what to do about it

Lines and columns count from 1, columns in characters.  What fails within a library of the product
is told at the call that led into it, with a line for the library's place (`lang.chain`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain as joined
from pathlib import PurePath
from typing import Any, ClassVar, Final
from weakref import WeakValueDictionary

from cogen.lang.chain import (
    LANGUAGE,
    Call,
    Calls,
    Chain,
    calls_of_nodes,
    in_language,
    in_library,
    node_of,
    sites,
    within,
)


class Source:
    """A text and the name diagnostics give it (a path, or `<string>`).

    `path` is the file, where the name does not say where that is: for installed libraries, which
    are called after their place among the packages (`signals/cache.scm`).  `library` is the library
    of the product that the text belongs to, empty for what people write themselves.
    `is_interpreted` tells that it is a program for an interpreter that people have written, in a
    language of theirs (`cogen.origins`)."""

    def __init__(
        self,
        name: str,
        text: str,
        path: str | None = None,
        library: str = "",
        is_interpreted: bool = False,
    ) -> None:
        self.name = name
        self.text = text
        self.path = name if path is None else path
        self.library = library
        self.is_interpreted = is_interpreted
        self.is_typed = False
        """Whether it is what people have typed, one thing after the other."""
        self._line_starts: list[int] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        told = (self.name, self.text, self.path, self.library, self.is_interpreted)
        return _shared, (*told, self.is_typed)

    @property
    def file_name(self) -> str:
        """The name without the folder, but for a file that is called by a number (`srfi/1.scm`)."""
        path = PurePath(self.name)
        return "/".join(path.parts[-2:]) if path.stem.isdecimal() else path.name

    @property
    def line_starts(self) -> list[int]:
        """The offsets at which lines begin; the first is 0."""
        if self._line_starts is None:
            self._line_starts = [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]
        return self._line_starts

    def extend(self, text: str) -> None:
        """Add to the end: what people type line by line."""
        self.text += text
        self.is_typed = True
        self._line_starts = None

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


_sources: Final[WeakValueDictionary[tuple[object, ...], Source]] = WeakValueDictionary()
"""Those that came from another process: places compare sources by identity."""


def _shared(
    name: str, text: str, path: str, library: str, is_interpreted: bool, is_typed: bool
) -> Source:
    """The source of that name and text, the same object for all that is unpickled."""
    key = (name, text, path, library, is_interpreted, is_typed)
    found = _sources.get(key)
    if found is None:
        found = _sources[key] = Source(name, text, path, library, is_interpreted)
        found.is_typed = is_typed
    return found


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters [start, end) of a source.

    `calls` are those through which the specializer came to it, None where that is not known;
    `operation` is the program's operation where what stands there is only a part of it, as the
    load is of a `store-bits!`.  They are no part of the place's identity."""

    source: Source
    start: int
    end: int
    calls: Calls | None = field(default=None, compare=False, repr=False)
    operation: str | None = field(default=None, compare=False, repr=False)

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    def encloses(self, other: Span) -> bool:
        """Whether another place is in this one."""
        return self.source is other.source and self.start <= other.start and other.end <= self.end

    def reached(self, calls: Calls) -> Span:
        """The place, come to through these calls; one in the language's own text is that of the
        call that led there."""
        site, times = calls[0] if calls else (None, 0)
        if self.source.library == LANGUAGE and site is not None:
            others = ((site, times - 1), *calls[1:]) if times > 1 else calls[1:]
            return Span(site.source, site.start, site.end, others, self.operation)
        return Span(self.source, self.start, self.end, calls, self.operation)

    def part_of(self, operation: str) -> Span:
        """The place of a part of an operation."""
        return Span(self.source, self.start, self.end, self.calls, operation)

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

    `hint` says what to do; `notes` are further places (an earlier definition); `chain` are the
    calls that led there: those that `span` has, then `calls`.  Where it failed within a library,
    `span` is the innermost of them that is not, and `inner` the library's place; likewise where it
    failed in an interpreter, for a place of the program that it interprets.  `others` are further
    errors of the same text, which do not follow from this one.
    """

    family: ClassVar[str] = "error"

    def __init__(
        self,
        message: str,
        span: Span | None = None,
        hint: str | None = None,
        notes: Iterable[Note] = (),
        calls: Iterable[Call] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.notes = tuple(notes)
        self.others: tuple[CogenError, ...] = ()
        self.reached(span, calls)

    def reached(self, span: Span | None, calls: Iterable[Call]) -> None:
        """Say where it is, and through which calls a run came there."""
        self.span = span
        self.inner: Span | None = None
        after: Iterator[Call]
        own = (span.calls if span is not None else None) or ()
        after = joined(own, calls)
        node = node_of(own)
        if node is not None:
            self.span = Span(node.source, node.start, node.end, ())
            self.inner = next((one for one in (span, *sites(own)) if not in_language(one)), None)
            self.chain = Chain(calls_of_nodes(after))
            return
        if span is not None and in_library(span):
            inner = span
            passed: list[Call] = []
            for site, times in after:
                passed.append((site, times))
                if site is not None and in_library(site) and inner.source.library == LANGUAGE:
                    inner = site
                if site is not None and not in_library(site):
                    self.span = Span(site.source, site.start, site.end, ())
                    self.inner = None if inner.source.library == LANGUAGE else inner
                    after = joined([(site, times - 1)] if times > 1 else [], after)
                    break
            else:
                after = iter(passed)
        self.chain = Chain(after)

    def through(self, calls: Calls) -> None:
        """Say through which calls a place was come to, if that is not known."""
        if self.span is not None and self.span.calls is None:
            self.reached(self.span.reached(calls), ())

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        """The whole diagnostic as text, with those of the others, without a final line break."""
        return "\n".join([self.render_alone(), *[other.render_alone() for other in self.others]])

    def _repr_html_(self) -> str:
        """The diagnostic, for notebooks."""
        from html import escape

        head, line, rest = self.render().partition("\n")
        return f"<pre><b>{escape(head)}</b>{line}{escape(rest)}</pre>"

    def render_alone(self) -> str:
        """The diagnostic without those of the others."""
        lines = [_headline(self.span, self.family, self.message)]
        lines.extend(_excerpt(self.span))
        if self.inner is not None:
            lines.append(within(self.inner))
        lines.extend(self.chain.lines())
        for note in self.notes:
            lines.append(_headline(note.span, "note", note.message))
            lines.extend(_excerpt(note.span))
        if self.hint is not None:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


def together(errors: Sequence[CogenError]) -> CogenError:
    """Independent errors as one: the first by its place, if all have one in the same text, with the
    others."""
    ordered = [each for error in errors for each in (error, *error.others)]
    spans = [error.span for error in ordered]
    if len({span and span.source for span in spans}) == 1 and None not in spans:
        ordered.sort(key=lambda error: error.span.start if error.span else 0)
    first, *others = ordered
    for other in others:
        other.others = ()
    first.others = tuple(others)
    return first


class LimitationError(CogenError):
    """Something the program cannot do (yet); the message says so and what to do instead."""

    family: ClassVar[str] = "limitation"


class InternalError(CogenError):
    """A bug of ours: an invariant was broken.  Asks for a report."""

    family: ClassVar[str] = "internal error"


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
