"""Bytevectors and strings that programs make -> operations on arrays.

    (make-bytevector n 7)            (array-replicate n 7)
    (bytevector-copy b 2 5)          a part, as an array of its own
    (string-append s t), (string c)  (array-concat s t), (array c)

A bytevector is an array of ints from 0 to 255, a string one of characters. What changes them is in
`cogen.array.scheme.assigning`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from cogen.array.l0.types import CHAR
from cogen.array.scheme.assigning import byte, copied, operate
from cogen.array.scheme.symbolicvalues import SymbolicNumber, Value, constant
from cogen.array.scheme.translation import Translation
from cogen.lang.errors import Span

Making = Callable[[Translation, str, Sequence[Value], Span], Value]


def make(body: Translation, op: str, values: Sequence[Value], span: Span) -> Value:
    """What one of `MAKING` gives."""
    return MAKING[op](body, op, values, span)


def _bytes(body: Translation, op: str, values: Sequence[Value], span: Span) -> Value:
    """`(bytevector x ...)`."""
    if not values:
        return operate(body, "array-replicate", [constant(0), constant(0)], span)
    return operate(body, "array", [byte(body, op, value, span) for value in values], span)


def _made_bytes(body: Translation, op: str, values: Sequence[Value], span: Span) -> Value:
    size, *fill = values
    element = byte(body, op, fill[0], span) if fill else constant(0)
    return operate(body, "array-replicate", [size, element], span)


def _characters(body: Translation, op: str, values: Sequence[Value], span: Span) -> Value:
    """`(string c ...)`."""
    return operate(body, "array" if values else "string-append", values, span)


def _made_text(body: Translation, op: str, values: Sequence[Value], span: Span) -> Value:
    size, *fill = values
    element = fill[0] if fill else SymbolicNumber(" ", CHAR)
    return operate(body, "array-replicate", [size, element], span)


def _part(body: Translation, op: str, values: Sequence[Value], span: Span) -> Value:
    return copied(body, values[0], values[1:], span)


def _joined(body: Translation, op: str, values: Sequence[Value], span: Span) -> Value:
    if not values:
        return _bytes(body, op, values, span)
    found = values[0]
    for value in values[1:]:
        found = operate(body, "array-concat", [found, value], span)
    return found if len(values) > 1 else copied(body, found, (), span)


def _content(body: Translation, op: str, values: Sequence[Value], span: Span) -> Value:
    """The string as it is now, for the operation that reads it next."""
    return body.current(values[1], span)


MAKING: Final[Mapping[str, Making]] = {
    "bytevector": _bytes,
    "make-bytevector": _made_bytes,
    "bytevector-copy": _part,
    "bytevector-append": _joined,
    "string": _characters,
    "make-string": _made_text,
    "string-copy": _part,
    "substring": _part,
    "%fresh-string": _part,
    "%string-content": _content,
}
"""Primitives that make bytevectors and strings."""
