"""Where data come from: the places of an interpreted program in its own text.

An interpreter works on data that a parser has made of a text.  An `Origin` names that text, and
says how places are told in the data; with it, what is left of the interpreter, its errors and its
pages speak of the interpreted program:

    cogen.static(parse(text), origin=cogen.Origin("gcd.calc", text))

    gcd.calc:2:6: error: division by zero
     2 | b := 1 / a;
       |      ^^^^^
      in the interpreter: interpreter.scm:62:22: (fail "division by zero")

A *node* is a list that is such a part of the program.  What a procedure of the interpreter does
that is called with a node is done for the node (`lang.chain.at_node`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cogen.expected import shown
from cogen.lang.chain import ChainNode
from cogen.lang.datum import Datum, Pair, Symbol
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.reader import read
from cogen.lang.syntax import Syntax, SyntaxList

LINE_AND_COLUMN: Final = (1, 2)

_WORD: Final = re.compile(r"\w+|\S|$")
"""What is marked of a node that has no parts."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The text that data are made of.

    name    what errors call it: the path of a file
    text    the whole of it
    at      which elements of a node are its line and column, both from 1, or these and the line and
            the column of its end, which is exclusive; None if the data are what the text writes, in
            the language's own syntax: then each list that begins with a symbol is a node
    """

    name: str
    text: str
    at: tuple[int, ...] | None = LINE_AND_COLUMN

    def __post_init__(self) -> None:
        for value, what in ((self.name, "name"), (self.text, "text")):
            if not isinstance(value, str):
                raise CogenError(f"the {what} of an origin must be a string, not {shown(value)}")
        at = self.at
        if at is None:
            return
        given = isinstance(at, tuple | list)
        if not given or len(at) not in (2, 4) or not all(type(i) is int and i >= 0 for i in at):
            raise CogenError(
                f"an origin tells places by two or four positions in a list, not {shown(at)}",
                hint="at=(1, 2) if nodes are like (operator LINE COLUMN part ...)",
            )
        object.__setattr__(self, "at", tuple(at))


def nodes(datum: Datum, origin: Origin) -> dict[int, ChainNode]:
    """The nodes in a datum, by the identities of their first pairs."""
    source = Source(origin.name, origin.text, is_interpreted=True)
    if origin.at is None:
        return dict(_written(datum, source))
    return _told(datum, source, origin.at)


def _written(datum: Datum, source: Source) -> Iterator[tuple[int, ChainNode]]:
    """The lists in a text that writes the datum."""
    found = read(source)
    work: list[tuple[Datum, Syntax, Span | None]] = []
    if len(found) == 1:
        work.append((datum, found[0], None))
    while work:
        value, syntax, around = work.pop()
        if not isinstance(syntax.value, SyntaxList) or type(value) is not Pair:
            continue
        if isinstance(value.car, Symbol):
            yield id(value), ChainNode(syntax.span, around)
            around = syntax.span
        rest: Datum = value
        for item in syntax.value.items:
            if type(rest) is not Pair:  # other data than the text writes
                break
            work.append((rest.car, item, around))
            rest = rest.cdr


def _told(datum: Datum, source: Source, at: tuple[int, ...]) -> dict[int, ChainNode]:
    """The nodes that tell their places.  One without an end is as long as its parts, or a word."""
    found: list[tuple[Pair, int, int | None, int]] = []  # the last: the number of the one around
    work: list[tuple[Datum, int]] = [(datum, -1)]
    seen: set[int] = set()
    while work:
        value, around = work.pop()
        if type(value) is list:
            work += [(item, around) for item in value]
        if type(value) is not Pair or id(value) in seen:
            continue
        items: list[Datum] = []
        rest: Datum = value
        while type(rest) is Pair and id(rest) not in seen:
            seen.add(id(rest))
            items.append(rest.car)
            rest = rest.cdr
        offsets = _offsets(items, source, at)
        if offsets is not None:
            found.append((value, *offsets, around))
            around = len(found) - 1
        work += [(item, around) for item in items]
    ends = [0] * len(found)
    for number in reversed(range(len(found))):
        _, start, end, around = found[number]
        word = _WORD.match(source.text, start)
        last = word.end() if word is not None else start
        ends[number] = max(last, ends[number]) if end is None else end
        if around >= 0:
            ends[around] = max(ends[around], ends[number])
    spans = [Span(source, one[1], end) for one, end in zip(found, ends, strict=True)]
    return {
        id(node): ChainNode(span, spans[around] if around >= 0 else None)
        for (node, _, _, around), span in zip(found, spans, strict=True)
    }


def _offsets(
    items: list[Datum], source: Source, at: tuple[int, ...]
) -> tuple[int, int | None] | None:
    """Where a list says that it begins and ends in the text; None if it is no node."""
    if len(items) <= max(at):
        return None
    numbers = [items[i] for i in at]
    if not all(type(number) is int for number in numbers):
        return None
    found = [_offset(source, *numbers[i : i + 2]) for i in range(0, len(numbers), 2)]
    if found[0] is None:
        return None
    return found[0], (found[1] if len(found) > 1 else None)


def _offset(source: Source, line: int, column: int) -> int | None:
    """The offset of a line and a column; None if there is no such place."""
    starts = source.line_starts
    if not 1 <= line <= len(starts) or column < 1:
        return None
    offset = starts[line - 1] + column - 1
    end = starts[line] if line < len(starts) else len(source.text) + 1
    return offset if offset < end else None
