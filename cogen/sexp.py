"""The objects of the package sexpdata <-> data of the language.

Symbol              symbol
String, str         string
Quoted(x)           (quote x)
list, Parens        list; with `Symbol(".")` before the last item, one that ends in it
Brackets            vector
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import sexpdata

from cogen.lang.datum import NIL, UNSPECIFIED, Datum, Pair, Symbol, from_iterable, symbol
from cogen.lang.errors import CogenError

QUOTE: Final = symbol("quote")

DOT: Final = sexpdata.Symbol(".")

_Apart = tuple[Sequence[Any], Callable[[list[Any]], Any]]


def take_apart(value: Any) -> _Apart:
    """The parts of an object of sexpdata, and how to make its datum of theirs."""
    kind = type(value)
    if kind is sexpdata.Symbol:
        if value == DOT:
            raise CogenError("a dot may only stand before the last item of a list")
        name = str.__str__(value)
        return (), lambda _: symbol(checked(name))
    if kind is sexpdata.String:
        text = str.__str__(value)
        return (), lambda _: checked(text)
    if kind is sexpdata.Quoted:
        return [value.x], lambda parts: from_iterable([QUOTE, *parts])
    if kind is sexpdata.Parens:
        return [list(value.I)], lambda parts: parts[0]
    if kind is sexpdata.Brackets:
        return list(value.I), list
    raise CogenError(f"an object of the class sexpdata.{kind.__name__} is no datum")


def checked(text: str) -> str:
    """A string of the language."""
    if any("\ud800" <= c < "\ue000" for c in text):
        raise CogenError("a string with a lone surrogate is no datum")
    return text


def take_datum(value: Datum) -> _Apart:
    """The parts of a datum, and how to make the object of sexpdata of theirs."""
    if isinstance(value, Pair):
        return _list(value)
    if type(value) is list:
        return value, sexpdata.Brackets
    if type(value) in (int, float, bool, str):
        return (), lambda _: value
    if value is NIL:
        return (), lambda _: []
    if value is UNSPECIFIED:
        return (), lambda _: None
    if isinstance(value, Symbol) and value.name != ".":
        return (), lambda _: sexpdata.Symbol(value.name)
    what = "the symbol |.|" if isinstance(value, Symbol) else f"a {type(value).__name__.lower()}"
    raise CogenError(f"sexpdata has no objects for {what}")


def _list(value: Pair) -> _Apart:
    rest: Datum = value
    items: list[Datum] = []
    while isinstance(rest, Pair):
        items.append(rest.car)
        rest = rest.cdr
    if rest is not NIL:
        return [*items, rest], lambda parts: [*parts[:-1], DOT, parts[-1]]
    if len(items) == 2 and items[0] is QUOTE:
        return items[1:], lambda parts: sexpdata.Quoted(parts[0])
    return items, list
