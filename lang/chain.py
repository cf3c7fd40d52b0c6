"""The calls through which a run, or the specializer, came to a place, as a diagnostic tells them.

    file.scm:5:14: error: load-word: word index 1 is not in 0 to 0
     5 |    (+ a (signal-get s))
       |         ^^^^^^^^^^^^^^
      in the library (signals): signals/cache.scm:79:11: (load-word buffer index)
      called from file.scm:7:3: (loop (signal-next s) a), 12 times
      called from file.scm:9:1: (sum buf 9)

What an interpreter does for a part of the program that it interprets, a node, is told of that: the
nodes in which the interpreter was stand among its calls (`at_node`), and only they are told.

A call that a tail call has replaced is not in it: it leaves no trace.  Calls within a library of
the product are one line, those within the language's own text none.  A run's calls are found when
it fails (`lang.interp`; in compiled programs cogen/backends/native/runtime/chain.c); those that the
specializer unfolded stand in the places of what it left (`Span.calls`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cogen.lang.errors import Span

LANGUAGE: Final = "the language"
"""The library whose calls are not told: the language's own text."""

FIRST: Final = 6
"""Calls that are told from the innermost on."""

LAST: Final = 2
"""Calls that are told up to the outermost, if there are more."""

WIDTH: Final = 60
"""Characters of a call that are shown, at most."""

KEPT: Final = 10
"""Parts of a chain that a place keeps: of more, it is noted how many calls are left out."""

Call = tuple["Span | None", int]
"""The place of a call, and how often it comes in a row; None for as many that are left out."""

Calls = tuple[Call, ...]
"""Calls, the innermost first."""


def in_library(span: Span | None) -> bool:
    """Whether a place is in the language's own text or in a library of the product."""
    return library_of(span) != ""


def library_of(span: Span | None) -> str:
    """The library of the product that a place is in, empty for none."""
    return "" if span is None else span.source.library


def users_place(span: Span | None, calls: Calls | None) -> Span | None:
    """A place in the user's program, or that of the user's call that led to it."""
    for place in (span, *(site for site, _ in calls or ())):
        if place is not None and not in_library(place):
            return place
    return None


def called(site: Span, calls: Calls) -> Calls:
    """The calls that lead into what is called at `site`, in code that `calls` led into."""
    library = site.source.library
    if library:
        first = calls[0][0] if calls else None
        if library == LANGUAGE or (first is not None and first.source.library == library):
            return calls
    return extended((site, 1), calls)


def remembered(site: Span, calls: Calls) -> Calls:
    """The same for a tail call of which a run keeps the place, instead of an earlier one's."""
    return calls if calls and calls[0][0] == site else called(site, calls)


@dataclass(frozen=True, slots=True)
class ChainNode:
    """A part of a program that is interpreted, and the one around it, if there is one."""

    place: Span
    around: Span | None


def at_node(node: ChainNode, calls: Calls) -> Calls:
    """The calls that lead into what an interpreter does for a node, in code that `calls` led into.

    It comes to the parts of a node, from one to the next and back to the node in the end of what it
    does for them: then it is in another node than before.  Else one node has called the other.
    """
    outer = tuple(call for call in calls if call[0] is None or is_node(call[0]))
    before = outer[0][0] if outer else None
    if before is not None:
        is_tail = len(outer) == len(calls)
        if before != node.place and node.place.encloses(before):
            goes_on = is_tail
        else:
            around = node.around
            goes_on = before.encloses(node.place) or (
                around is not None and around.encloses(before)
            )
        if goes_on:
            times = outer[0][1]
            outer = ((before, times - 1), *outer[1:]) if times > 1 else outer[1:]
    return extended((node.place, 1), outer)


def is_node(span: Span | None) -> bool:
    """Whether a place is one of a program that is interpreted."""
    return span is not None and span.source.is_interpreted


def node_of(calls: Calls) -> Span | None:
    """The innermost node among calls."""
    return next((site for site, _ in calls if is_node(site)), None)


def calls_of_nodes(calls: Iterable[Call]) -> Iterator[Call]:
    """Of the calls those between nodes, without the innermost node."""
    first = True
    for site, times in calls:
        if not is_node(site):
            continue
        if times > 1 or not first:
            yield site, times - first
        first = False


def sites(calls: Iterable[Call]) -> Iterator[Span]:
    """The places of calls."""
    return (site for site, _ in calls if site is not None)


def in_language(span: Span | None) -> bool:
    """Whether a place is in the language's own text, or there is none."""
    return span is None or span.source.library == LANGUAGE


def extended(call: Call, calls: Calls) -> Calls:
    """The calls, and one that they led to, or several that are left out."""
    if calls and calls[0][0] == call[0]:
        return ((call[0], calls[0][1] + call[1]), *calls[1:])
    if len(calls) < KEPT:
        return (call, *calls)
    first = KEPT - LAST - 2
    return (call, *calls[:first], (None, count_of(calls[first:-LAST])), *calls[-LAST:])


def count_of(calls: Iterable[Call]) -> int:
    """How many calls these are, without those within libraries."""
    return sum(times for span, times in calls if not in_library(span))


@dataclass(slots=True)
class _ChainLine:
    """A call, and how often it comes in a row; a library, if there is one."""

    span: Span
    library: str = ""
    times: int = 1

    def text(self) -> str:
        if self.library:
            return f"  … in the library ({self.library})"
        times = f", {self.times:,} times" if self.times > 1 else ""
        return f"  called from {self.span}: {form(self.span)}{times}"


class Chain:
    """Calls, shortened; takes time in proportion to their number, but keeps few."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self._first: list[_ChainLine] = []
        self._last: deque[_ChainLine] = deque()
        self._left_out = 0
        for span, times in calls:
            self._add(span, times)

    def _add(self, span: Span | None, times: int) -> None:
        if span is None:
            self._left_out += times + sum(line.times for line in self._last if not line.library)
            self._last.clear()
            return
        library = span.source.library
        if library == LANGUAGE:
            return
        lines = self._last if self._last or self._left_out else self._first
        if lines and lines[-1].library == library and (library or lines[-1].span == span):
            lines[-1].times += times
        elif len(self._first) < FIRST and not self._left_out:
            self._first.append(_ChainLine(span, library, times))
        else:
            self._last.append(_ChainLine(span, library, times))
            if len(self._last) > LAST:
                line = self._last.popleft()
                self._left_out += 0 if line.library else line.times

    def __iter__(self) -> Iterator[Span]:
        """The places that are told."""
        return iter([line.span for line in (*self._first, *self._last) if not line.library])

    def lines(self) -> list[str]:
        """What a diagnostic says."""
        gap = []
        if self._left_out:
            gap = [f"  … {self._left_out:,} more call{'' if self._left_out == 1 else 's'}"]
        first, last = ([line.text() for line in part] for part in (self._first, self._last))
        return [*first, *gap, *last]


def within(span: Span) -> str:
    """The line that tells where in a library it was, or in an interpreter."""
    library = span.source.library
    where = f"library ({library})" if library else "interpreter"
    return f"  in the {where}: {span}: {form(span)}"


def form(span: Span) -> str:
    """The text of a form on one line, shortened."""
    text = " ".join(span.source.text[span.start : min(span.end, span.start + 8 * WIDTH)].split())
    whole = span.end - span.start <= 8 * WIDTH and len(text) <= WIDTH
    return text if whole else text[: WIDTH - 1] + "…"
