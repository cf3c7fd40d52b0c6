"""Constants of residual programs: equal ones are one object, and pairs without dynamic parts are
known by numbers."""

from __future__ import annotations

from collections.abc import Hashable

from cogen.lang.datum import Datum
from cogen.spec.domain import PartialPair
from cogen.spec.freeze import static_token
from cogen.spec.known import datum_of


class Constants:
    """The constants of one specialization."""

    def __init__(self) -> None:
        self._ground: dict[Hashable, int] = {}
        self._ground_data: dict[int, tuple[PartialPair, Datum]] = {}
        self._vectors: dict[Hashable, Datum] = {}

    def ground_number(self, parts: Hashable) -> int:
        """The number of all pairs with these ground parts."""
        return self._ground.setdefault(parts, len(self._ground))

    def ground_datum(self, pair: PartialPair) -> Datum:
        """The constant that a ground pair becomes, the same at each call."""
        found = self._ground_data.get(id(pair))
        if found is None:
            found = self._ground_data[id(pair)] = (pair, datum_of(pair))
        return found[1]

    def vector(self, items: list[Datum]) -> Datum:
        """The constant vector with these items, the same object for equal ones."""
        key = tuple([static_token(item) for item in items])
        return self._vectors.setdefault(key, items)
