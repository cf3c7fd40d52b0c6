"""Syntax: what the reader gives and the expander takes; data with spans.

syntax ::= Syntax(value, span)
value  ::= atom                      int float bool str Char Symbol bytearray
         | SyntaxList(items, tail)   (a b c)  or  (a b . tail);  () is SyntaxList((), None)
         | SyntaxVector(items)       #(a b c)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cogen.lang.datum import NIL, Datum, from_iterable
from cogen.lang.errors import Span


@dataclass(frozen=True, slots=True, eq=False)
class Syntax:
    """A piece of source text: its value and its place."""

    value: Any
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class SyntaxList:
    """A list; `tail` is what follows the dot of an improper one, else None."""

    items: tuple[Syntax, ...]
    tail: Syntax | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SyntaxVector:
    """A vector literal."""

    items: tuple[Syntax, ...]


def to_datum(root: Syntax, atom: Callable[[Any], Datum] | None = None) -> Datum:
    """The plain datum of a piece of syntax, spans forgotten; deep nesting does not recurse.

    `atom`, if given, makes the datum of each atom.
    """
    results: list[Datum] = []
    work: list[tuple[Syntax, bool]] = [(root, False)]
    while work:
        syntax, ready = work.pop()
        value = syntax.value
        if isinstance(value, SyntaxList):
            parts = value.items if value.tail is None else (*value.items, value.tail)
            if not ready:
                work.append((syntax, True))
                work.extend((part, False) for part in reversed(parts))
                continue
            count = len(parts)
            made = results[len(results) - count :] if count else []
            del results[len(results) - count :]
            tail = made.pop() if value.tail is not None else NIL
            results.append(from_iterable(made, tail))
        elif isinstance(value, SyntaxVector):
            if not ready:
                work.append((syntax, True))
                work.extend((part, False) for part in reversed(value.items))
                continue
            count = len(value.items)
            made = results[len(results) - count :] if count else []
            del results[len(results) - count :]
            results.append(made)
        else:
            results.append(value if atom is None else atom(value))
    return results.pop()
