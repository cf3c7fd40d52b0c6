"""The data of the language as Python values.

    datum ::= int | float | bool | str | Char | Symbol | NIL | Pair
            | list            (a vector)
            | bytearray       (a bytevector; anything with the buffer protocol may stand for one)
            | MutableString   (a string that a program changes)
            | Record | UNSPECIFIED | EOF | DEFAULT

A `str` is constant.  Integers lie in [-2^63, 2^63).  `True` and `1` are different
data although Python thinks them equal: compare with `eqv`, never with `==`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Final

INT_MIN: Final = -(1 << 63)
INT_MAX: Final = (1 << 63) - 1

Datum = Any
"""A value of the language; the union above is open (procedures, ports, environments)."""


class Symbol:
    """An interned symbol; make one with `symbol(name)`; compare with `is`."""

    __slots__ = ("name",)
    name: str
    table: ClassVar[dict[str, Symbol]] = {}

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"symbol({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return symbol, (self.name,)


def symbol(name: str) -> Symbol:
    """The symbol of that name, always the same object."""
    found = Symbol.table.get(name)
    if found is None:
        found = Symbol.table.setdefault(name, Symbol(name))
    return found


class Char:
    """A character; compare `value` (a string of length one)."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Char) and other.value == self.value

    def __hash__(self) -> int:
        return hash((Char, self.value))

    def __repr__(self) -> str:
        return f"Char({self.value!r})"


class MutableString:
    """A string that can be changed, compared by identity: a list of one-letter strings."""

    __slots__ = ("_text", "characters")

    def __init__(self, text: str) -> None:
        self.characters = list(text)
        self._text: str | None = text

    def content(self) -> str:
        """The characters that it has now."""
        if self._text is None:
            self._text = "".join(self.characters)
        return self._text

    def change(self, start: int, end: int, text: str) -> None:
        """Put as many other characters in the place of those from `start` up to `end`."""
        self.characters[start:end] = text
        self._text = None

    def __repr__(self) -> str:
        return f"<mutable string {self.content()!r}>"


class Singleton:
    """A value that is only itself: the empty list, the unspecified value, end of file."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return _singleton, (self.text,)


def _singleton(text: str) -> Singleton:
    """The value that is shown so: that of this process, where it was pickled in another."""
    return next(one for one in (NIL, UNSPECIFIED, EOF, DEFAULT, UNDEFINED) if one.text == text)


NIL: Final = Singleton("()")
UNSPECIFIED: Final = Singleton("#<unspecified>")
EOF: Final = Singleton("#<eof>")
DEFAULT: Final = Singleton("#<default>")
UNDEFINED: Final = Singleton("#<undefined>")
"""What a cell holds before its variable's definition; `cell-ref/check` refuses it."""


class Pair:
    """A mutable pair."""

    __slots__ = ("car", "cdr")

    def __init__(self, car: Datum, cdr: Datum) -> None:
        self.car = car
        self.cdr = cdr

    def __repr__(self) -> str:
        shown: list[str] = []
        rest: Datum = self
        while isinstance(rest, Pair) and len(shown) < 4:
            shown.append("(...)" if isinstance(rest.car, Pair) else repr(rest.car))
            rest = rest.cdr
        if isinstance(rest, Pair):
            shown.append("...")
        elif rest is not NIL:
            shown += [".", repr(rest)]
        return f"<pair ({' '.join(shown)})>"


class RecordType:
    """A record type: its name and its field names, compared by identity.

    Without slots: a compiled class (`cogen.specializer.versions.families.Family`) cannot
    be one of a class that has some and is not compiled."""

    def __init__(self, name: str, fields: tuple[str, ...]) -> None:
        self.name = name
        self.fields = fields

    def __repr__(self) -> str:
        return f"#<record-type {self.name}>"


class Record:
    """An instance of a record type; `values` in the order of the type's fields."""

    __slots__ = ("type", "values")

    def __init__(self, type: RecordType, values: list[Datum]) -> None:
        self.type = type
        self.values = values


def from_iterable(items: Iterable[Datum], tail: Datum = NIL) -> Datum:
    """A list of the items, ending in `tail`."""
    result = tail
    for item in reversed(list(items)):
        result = Pair(item, result)
    return result


def iterate(datum: Datum) -> Iterator[Datum]:
    """The items of a proper list; ValueError if it ends in anything but the empty list."""
    while isinstance(datum, Pair):
        yield datum.car
        datum = datum.cdr
    if datum is not NIL:
        raise ValueError("not a proper list")


def eqv(a: Datum, b: Datum) -> bool:
    """`eqv?`: identity, but numbers of one type, chars and constant strings by value.

    0.0 and -0.0 differ; a NaN equals itself.
    """
    if a is b:
        return True
    kind = type(a)
    if kind not in _BY_VALUE or kind is not type(b):
        return False
    if kind is float:
        return (a == b and str(a) == str(b)) or (a != a and b != b)
    return bool(a == b)


_BY_VALUE: Final = frozenset({int, float, bool, str, Char})
