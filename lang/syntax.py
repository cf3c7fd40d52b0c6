"""Syntax: what the reader gives and the expander takes; data with spans.

syntax ::= Syntax(value, span)
value  ::= atom                      int float bool str Char Symbol bytearray
         | SyntaxList(items, tail)   (a b c)  or  (a b . tail);  () is SyntaxList((), None)
         | SyntaxVector(items)       #(a b c)
         | Labelled(label, datum)    #0=datum
         | Reference(label)          #0#, the datum of the label, which may be around it
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cogen.lang.datum import NIL, Datum, Pair, from_iterable
from cogen.lang.errors import CogenError, Span
from cogen.lang.node import node


@node
class Syntax:
    """A piece of source text: its value and its place."""

    value: Any
    span: Span


@node
class SyntaxList:
    """A list; `tail` is what follows the dot of an improper one, else None."""

    items: tuple[Syntax, ...]
    tail: Syntax | None = None


@node
class SyntaxVector:
    """A vector literal."""

    items: tuple[Syntax, ...]


@node
class Label:
    """A label of a datum, compared by identity: what it is called in the text, and where."""

    number: int
    start: int


@node
class Labelled:
    """A datum that has a label."""

    label: Label
    datum: Syntax


@node
class Reference:
    """The datum that has the label."""

    label: Label


def to_datum(root: Syntax, atom: Callable[[Any], Datum] | None = None) -> Datum:
    """The plain datum of a piece of syntax, spans forgotten; deep nesting does not recurse.

    `atom`, if given, makes the datum of each atom.  What a label stands for is one object,
    wherever it is referred to.  CogenError if a label is outside of the piece.
    """
    return tied_datum(root, atom)[0]


def tied_datum(root: Syntax, atom: Callable[[Any], Datum] | None = None) -> tuple[Datum, bool]:
    """The same, and whether it contains itself."""
    results: list[Datum] = []
    labelled: dict[Label, Datum] = {}
    early: list[Syntax] = []
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
        elif isinstance(value, Labelled):
            if ready:
                labelled[value.label] = results[-1]
            else:
                work += [(syntax, True), (value.datum, False)]
        elif isinstance(value, Reference):
            if value.label not in labelled:
                early.append(syntax)
            results.append(labelled.get(value.label, value))
        else:
            results.append(value if atom is None else atom(value))
    for syntax in early:
        if syntax.value.label not in labelled:
            message = f"the datum of `#{syntax.value.label.number}#` is not within this one"
            raise CogenError(message, syntax.span, "datum labels stand in quoted data")
    if early:
        _tie(results[0], labelled)
    return results.pop(), bool(early)


def _tie(root: Datum, labelled: dict[Label, Datum]) -> None:
    """Put what labels stand for in the place of references to them."""

    def meant(part: Datum) -> Datum:
        while isinstance(part, Reference):
            part = labelled[part.label]
        return part

    seen = set()
    work = [root]
    while work:
        node = work.pop()
        if type(node) not in (Pair, list) or id(node) in seen:
            continue
        seen.add(id(node))
        if type(node) is Pair:
            node.car, node.cdr = meant(node.car), meant(node.cdr)
            work += (node.cdr, node.car)
        else:
            node[:] = map(meant, node)
            work += node
