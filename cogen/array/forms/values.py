"""What variables of the IL stand for while a program is translated to L0.

value ::= Name(x, t) | Number(k, t)        an L0 expression without effect, and its type
        | Parts(value ...)                 a tuple (a list of the language), taken apart
        | Procedure(function)              a lambda, translated where it is applied
        | Known(global or primitive)       a procedure by its name
        | Constant(datum)                  a constant that is not translated yet: an array, text
        | Untyped(x)                       a parameter whose type is not known (yet)
"""

from __future__ import annotations

from dataclasses import dataclass

from cogen.array.l0.types import BOOL, CHAR, INT, REAL, Type
from cogen.lang import il
from cogen.lang.datum import NIL, Char, Datum, Pair
from cogen.lang.errors import Span


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    text: str
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A constant of a basic type; a char is a text of one character."""

    value: int | float | bool | str
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Procedure:
    function: il.Function


@dataclass(frozen=True, slots=True)
class Known:
    name: str
    primitive: bool


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    datum: Datum


@dataclass(frozen=True, slots=True, eq=False)
class Untyped:
    name: str
    span: Span | None


Value = Name | Number | Parts | Procedure | Known | Constant | Untyped


def constant(datum: Datum) -> Value:
    """What a constant of the IL stands for."""
    kind = type(datum)
    if kind is bool:
        return Number(datum, BOOL)
    if kind is int:
        return Number(datum, INT)
    if kind is float:
        return Number(datum, REAL)
    if isinstance(datum, Char):
        return Number(datum.value, CHAR)
    parts = []
    rest = datum
    while isinstance(rest, Pair):
        parts.append(constant(rest.car))
        rest = rest.cdr
    return Parts(tuple(parts)) if rest is NIL else Constant(datum)
