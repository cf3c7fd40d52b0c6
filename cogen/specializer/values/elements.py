"""The elements of residual vectors, and fields of residual records, that a path knows: what it has
put there, or read.

An index is what it is counted from, and a number: `sp`, `sp + 1` and `sp - 2` are different
elements whatever `sp` is.  A store forgets what may be the same element: those of the vector that
are counted from something else, and those of all other vectors; of a field, those of all other
records of the type.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cogen.lang.datum import NIL, Char, Symbol
from cogen.specializer.values.domain import Cyclic, Dynamic, Static, Value

_ATOMS: Final = (int, bool, float, Char, Symbol, type(NIL))


class VectorElement(NamedTuple):
    """A vector's name, what the index is counted from (None for a number), and the rest of it."""

    vector: str
    base: str | None
    offset: int


class KnownSums:
    """Which variables are others and a number; those that an element was found with are integers,
    so what is the same sum of one is the same variable."""

    __slots__ = ("_integers", "_known", "_named")

    def __init__(self, other: KnownSums | None = None) -> None:
        self._known: dict[str, tuple[str, int]] = {} if other is None else dict(other._known)
        self._named: dict[tuple[str, int], Dynamic] = {} if other is None else dict(other._named)
        self._integers: set[str] = set() if other is None else set(other._integers)

    def of(self, name: str) -> tuple[str, int]:
        """What a variable is counted from, and the rest of it."""
        return self._known.get(name, (name, 0))

    def note(self, made: Dynamic, value: Dynamic, number: int) -> None:
        """A variable is another one and a number."""
        base, offset = self.of(value.name)
        self._known[made.name] = base, offset + number
        self._named.setdefault((base, offset), value)
        self._named.setdefault((base, offset + number), made)

    def same(self, value: Dynamic, number: int) -> Dynamic | None:
        """The variable that is known to be another one and a number."""
        base, offset = self.of(value.name)
        return self._named.get((base, offset + number)) if base in self._integers else None

    def index(self, place: VectorElement | None) -> VectorElement | None:
        """The same place: an element was found there."""
        if place is not None and place.base is not None:
            self._integers.add(place.base)
        return place


def element(vector: str, index: Value, sums: KnownSums) -> VectorElement | None:
    """Where an index leads to; None if it is no sum of a variable and a number.  An index is an
    integer, so what it is computed from is one."""
    kind = type(index)
    if kind is Static and type(index.datum) is int:  # type: ignore[union-attr]
        return VectorElement(vector, None, index.datum)  # type: ignore[union-attr]
    if kind is Dynamic:
        return VectorElement(vector, *sums.of(index.name))  # type: ignore[union-attr]
    if kind is Cyclic and index.base == 1:  # type: ignore[union-attr]
        return VectorElement(vector, index.quotient.name, index.remainder)  # type: ignore[union-attr]
    return None


class KnownElements:
    """Elements that are known; it does not change, but that what is read may be noted."""

    __slots__ = ("_known",)

    def __init__(self, known: dict[VectorElement, Value] | None = None) -> None:
        self._known = known or {}

    def get(self, place: VectorElement | None) -> Value | None:
        """What an element is, if that is known."""
        return None if place is None else self._known.get(place)

    def read(self, place: VectorElement | None, value: Value) -> KnownElements:
        """The same after an element was read."""
        return self if place is None else KnownElements({**self._known, place: value})

    def put(self, place: VectorElement | None, value: Value) -> KnownElements:
        """The same after an element was assigned; None: any."""
        if place is None:
            return KnownElements()
        kept = {p: v for p, v in self._known.items() if p[:2] == place[:2] and p != place}
        if _is_atom(value):
            kept[place] = value
        return KnownElements(kept)


class RecordField(NamedTuple):
    """A record's name, its type by id, and the number of the field."""

    record: str
    type: int
    number: int


class KnownFields:
    """Fields that are known; it does not change."""

    __slots__ = ("_known",)

    def __init__(self, known: dict[RecordField, Value] | None = None) -> None:
        self._known = known or {}

    def get(self, place: RecordField | None) -> Value | None:
        """What a field holds, if that is known."""
        return None if place is None else self._known.get(place)

    def read(self, place: RecordField | None, value: Value) -> KnownFields:
        """The same after a field was read."""
        return self if place is None else KnownFields({**self._known, place: value})

    def put(self, place: RecordField | None, kind: int, index: int, value: Value) -> KnownFields:
        """The same after a field of that number of a record of the kind was assigned; `place` is
        None if it is not known which record's."""
        kept = {p: v for p, v in self._known.items() if p[1:] != (kind, index)}
        if place is not None and _is_atom(value):
            kept[place] = value
        return KnownFields(kept)


def _is_atom(value: Value) -> bool:
    """Whether a value is no structure: of those more and more would be known, if they grow."""
    kind = type(value)
    return kind in (Dynamic, Cyclic) or (kind is Static and type(value.datum) in _ATOMS)  # type: ignore[union-attr]
