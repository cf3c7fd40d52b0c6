"""Constants of residual programs: equal ones are one object, and pairs without dynamic parts are
known by numbers."""

from __future__ import annotations

from collections.abc import Hashable

from cogen.lang.datum import Datum, Pair
from cogen.specializer.values.domain import PartialPair, Static, Value
from cogen.specializer.values.freeze import Token, static_token


class Constants:
    """The constants of one specialization."""

    def __init__(self) -> None:
        self._ground: dict[Hashable, int] = {}
        self._data: dict[int, tuple[Value, Datum]] = {}
        """By identity: ground pairs, and the constants that they are."""
        self._values: dict[int, tuple[Datum, Value]] = {}
        """By identity: constants, and the values that they are of."""
        self._vectors: dict[Hashable, Datum] = {}

    def pair(self, car: Value, cdr: Value) -> PartialPair:
        """An immutable pair where nothing assigns any; if its parts are constants, it is ground."""
        left, right = _ground_token(car), _ground_token(cdr)
        if left is None or right is None:
            return PartialPair(car, cdr)
        key = (left, right)
        return PartialPair(car, cdr, self._ground.setdefault(key, len(self._ground)))

    def datum(self, value: Value) -> Datum:
        """The constant that a ground pair becomes, the same at each call; or a constant itself."""
        work = [value]
        while work:
            pair = work[-1]
            if type(pair) is not PartialPair or id(pair) in self._data:
                work.pop()
                continue
            parts = [p for p in (pair.car, pair.cdr) if type(p) is PartialPair]
            missing = [part for part in parts if id(part) not in self._data]
            if not missing:
                self.note(pair, Pair(self._part(pair.car), self._part(pair.cdr)))
            work += missing
        return self._part(value)

    def _part(self, value: Value) -> Datum:
        return value.datum if type(value) is Static else self._data[id(value)][1]

    def note(self, value: Value, datum: Datum) -> None:
        """A value, and the constant that it is."""
        self._data[id(value)] = value, datum
        self._values[id(datum)] = datum, value

    def value(self, datum: Datum) -> Value | None:
        """The value that a constant with parts was noted for."""
        found = self._values.get(id(datum))
        return None if found is None else found[1]

    def vector(self, items: list[Datum]) -> Datum:
        """The constant vector with these items, the same object for equal ones."""
        key = tuple([static_token(item) for item in items])
        return self._vectors.setdefault(key, items)


def _ground_token(value: Value) -> Token:
    if type(value) is Static:
        return static_token(value.datum)
    if type(value) is PartialPair and value.ground is not None:
        return ("ground", value.ground)
    return None
