"""Patterns: an expression, and the functions that matcher.scm becomes when it is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import cogen
from cogen.boundary import public
from cogen.lang.errors import CogenError
from cogen.regex import arrowtext
from cogen.regex.automaton import Automaton, determinise
from cogen.regex.machine import Windows, machine, windows
from cogen.regex.parse import parse
from cogen.regex.tree import Regex, looks, nullable, reverse

PROGRAM: Final = Path(__file__).with_name("matcher.scm")

MATCH_BYTES: Final = 16
"""What a match takes in the buffer that native code writes to: two ints."""

AT_ONCE: Final = 1 << 14
"""The matches that are looked for at once."""

SHORT_BITS: Final = 31
SHORT: Final = (1 << SHORT_BITS) - 1
"""The size of texts of which two positions fit in an int."""

Span = tuple[int, int]
"""Where a match starts and ends, in bytes."""


@public
def compile(pattern: str | bytes, flags: int = 0) -> Pattern:
    """A pattern in the syntax of `re`, with its flags; what it does is compiled when it is first
    used.

    A pattern of bytes is of bytes; one of characters is of UTF-8, with \\d, \\w, \\s and case those
    of ASCII.  CogenError for wrong syntax and for what is not regular.
    """
    if not isinstance(pattern, str | bytes):
        raise CogenError(f"a pattern is a str or bytes, not {type(pattern).__name__}")
    return Pattern(pattern, flags, parse(pattern, flags))


class Pattern:
    """A regular expression over bytes, or over characters in UTF-8.

    Texts are bytes, memory maps and anything else with the buffer protocol; `pos` is where the
    search starts, as in `re`.
    """

    def __init__(self, pattern: str | bytes, flags: int, regex: Regex) -> None:
        self.pattern = pattern
        self.flags = flags
        self._regex = regex

    def __repr__(self) -> str:
        return f"cogen.regex.compile({self.pattern!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return compile, (self.pattern, self.flags)

    def fullmatch(self, text: Any) -> bool:
        """Whether all of a text matches."""
        size = len(text) if type(text) is bytes else _size(text)
        return self._full_match(text, 0, size)  # type: ignore[no-any-return]  # of C

    def contains(self, text: Any) -> bool:
        """Whether the pattern matches anywhere in a text; stops where that is certain."""
        size = len(text) if type(text) is bytes else _size(text)
        return self._contains(text, 0, size)  # type: ignore[no-any-return]  # of C

    def search(self, text: Any, pos: int = 0) -> Span | None:
        """Where the first match starts and ends; None if there is none."""
        size = len(text) if type(text) is bytes else _size(text)
        pos = min(max(pos, 0), size)
        if size <= SHORT:
            found = self._find_first(text, 0, pos, size)
            if found < 0:
                return None
            start = found >> SHORT_BITS
            return start, start + (found & SHORT)
        out = np.empty(2, np.int64)
        if not self._find_all(text, 0, pos, size, False, out):
            return None
        start, end = out.tolist()
        return start, end

    def finditer(self, text: Any) -> Iterator[Span]:
        """The starts and ends of all matches, found some thousands at a time."""
        for found in self._chunks(text):
            yield from map(tuple, found.tolist())

    def spans(self, text: Any) -> NDArray[np.int64]:
        """The starts and ends of all matches: one row a match."""
        return np.concatenate([np.empty((0, 2), np.int64), *self._chunks(text)])

    def findall(self, text: Any) -> list[bytes]:
        """All matches."""
        view = memoryview(text).cast("B")
        return [bytes(view[start:end]) for start, end in self.finditer(text)]

    def count(self, text: Any) -> int:
        """How many matches there are."""
        return self._count_all(text, 0, _size(text))  # type: ignore[no-any-return]  # of C

    def _chunks(self, text: Any) -> Iterator[NDArray[np.int64]]:
        size, pos, again = _size(text), 0, False
        room = 64
        while True:
            out = np.empty((room, 2), np.int64)
            found = self._find_all(text, 0, pos, size, again, out)
            yield out[:found]
            if found < room:
                return
            start, pos = out[-1].tolist()
            again = start == pos
            room = AT_ONCE

    # Strings of Arrow

    def fullmatch_each(self, strings: Any) -> NDArray[np.bool_]:
        """Of each of Arrow's strings, whether all of it matches; False where there is none."""
        return self._each(self._full_match_each, strings, np.dtype(np.bool_))

    def contains_each(self, strings: Any) -> NDArray[np.bool_]:
        """Of each of Arrow's strings, whether the pattern matches anywhere; False where there is
        none."""
        return self._each(self._contains_each, strings, np.dtype(np.bool_))

    def count_each(self, strings: Any) -> NDArray[np.int64]:
        """Of each of Arrow's strings, how many matches it has; 0 where there is none."""
        return self._each(self._count_each, strings, np.dtype(np.int64))

    def _each(
        self, entry: Callable[[bool], Callable[..., Any]], strings: Any, kind: np.dtype[Any]
    ) -> NDArray[Any]:
        parts = []
        for chunk in arrowtext.chunks(strings):
            out = np.zeros(chunk.count, kind)
            if chunk.count:
                entry(chunk.wide)(chunk.data, chunk.offsets, chunk.first, out.view(np.uint8))
                if chunk.missing is not None:
                    out[chunk.missing] = 0
            parts.append(out)
        return np.concatenate(parts) if parts else np.zeros(0, kind)

    # What is compiled

    @cached_property
    def _whole(self) -> Automaton:
        return determinise(self._regex, "whole")

    @cached_property
    def _windows(self) -> Windows:
        return [] if looks(self._regex) else windows(self._whole)

    @cached_property
    def _deciding(self) -> list[Any]:
        return machine(self._whole, self._whole.settled)

    @cached_property
    def _forward(self) -> list[Any]:
        first = determinise(self._regex, "first")
        return machine(first, first.matched, self._windows)

    @cached_property
    def _backward(self) -> list[Any]:
        back = determinise(reverse(self._regex), "backward")
        return machine(back, back.matched)

    @cached_property
    def _searching(self) -> tuple[Any, ...]:
        """What searches for matches are specialized to."""
        return self._forward, self._backward, nullable(self._regex)

    def residual(self, operation: str) -> cogen.Residual:
        """The specialized matcher of an operation: fullmatch, contains, search, spans or
        count."""
        made = {
            "fullmatch": lambda: _residual("full-match", (self._deciding,), 1, 2),
            "contains": lambda: _residual("contains?", (self._forward,), 1, 2),
            "search": lambda: _residual("find-first", self._searching[:2], 1, 3),
            "spans": lambda: self._searcher,
            "count": lambda: _residual("count-all", self._searching, 1, 2),
        }
        if operation not in made:
            raise CogenError(f"no operation: {operation}", hint=f"there are {', '.join(made)}")
        return made[operation]()

    @property
    def _searcher(self) -> cogen.Residual:
        memory, number, flag = map(cogen.dynamic, ("memory", "int", "bool"))
        known = map(cogen.static, self._searching)
        unknown = (memory, number, number, number, flag, memory)
        return cogen.specialize(_program(), "find-all", *known, *unknown, word_size=8)

    @cached_property
    def _full_match(self) -> Callable[..., Any]:
        return _quick(self.residual("fullmatch"))

    @cached_property
    def _contains(self) -> Callable[..., Any]:
        return _quick(self.residual("contains"))

    @cached_property
    def _find_first(self) -> Callable[..., Any]:
        return _quick(self.residual("search"))

    @cached_property
    def _find_all(self) -> Callable[..., Any]:
        return self.residual("spans").compile()

    @cached_property
    def _count_all(self) -> Callable[..., Any]:
        return _quick(self.residual("count"))

    def _full_match_each(self, wide: bool) -> Callable[..., Any]:
        return self._over_strings("full-match-each", wide, lambda: (self._deciding,))

    def _contains_each(self, wide: bool) -> Callable[..., Any]:
        return self._over_strings("contains-each", wide, lambda: (self._forward,))

    def _count_each(self, wide: bool) -> Callable[..., Any]:
        return self._over_strings("count-each", wide, lambda: self._searching)

    @cached_property
    def _strings(self) -> dict[tuple[str, bool], Callable[..., Any]]:
        return {}

    def _over_strings(
        self, entry: str, wide: bool, known: Callable[[], tuple[Any, ...]]
    ) -> Callable[..., Any]:
        made = self._strings.get((entry, wide))
        if made is None:
            memory, number = cogen.dynamic("memory"), cogen.dynamic("int")
            statics = map(cogen.static, (*known(), wide))
            unknown = (memory, memory, number, memory)
            residual = cogen.specialize(_program(), entry, *statics, *unknown, word_size=8)
            made = self._strings[entry, wide] = residual.compile()
        return made


@cache
def _program() -> Any:
    return cogen.load(PROGRAM)


def _residual(entry: str, known: tuple[Any, ...], buffers: int, numbers: int) -> cogen.Residual:
    unknown = [cogen.dynamic("memory")] * buffers + [cogen.dynamic("int")] * numbers
    return cogen.specialize(_program(), entry, *map(cogen.static, known), *unknown, word_size=8)


def _quick(residual: cogen.Residual) -> Callable[..., Any]:
    compiled: Any = residual.compile()
    return getattr(compiled, "quick", compiled)  # type: ignore[no-any-return]  # of either


def _size(text: Any) -> int:
    """The bytes of a text."""
    if type(text) is bytes:
        return len(text)
    if isinstance(text, str):
        raise CogenError("a text is bytes, not a str", hint="text.encode() gives its UTF-8")
    try:
        return memoryview(text).nbytes
    except (TypeError, ValueError, BufferError):
        return 0  # the call says what is wrong with it
