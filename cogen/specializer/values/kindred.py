"""States by the names and pieces of the program in their roots: which of many a state is like.

Of the versions of a program point most are for other parts of the interpreted program.  Those that
are not are found here without a look at each (`versions.embedding.is_like` says what is alike).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, Final, Generic, TypeVar

from cogen.lang.datum import Pair, Symbol
from cogen.specializer.values.domain import Static

FIXED: Final = (Symbol, Pair)
"""Constants that are names or pieces of the program."""

T = TypeVar("T")

Places = tuple[int, ...]
Roots = Sequence[tuple[str, Any]]


class Kindred(Generic[T]):
    """What was added, each with the roots of a state."""

    def __init__(self) -> None:
        self._known: set[tuple[T, Places]] = set()
        self._groups: dict[tuple[int, Places], dict[Places, list[tuple[int, T]]]] = {}
        """By the number of roots, and which of them are fixed: by these, what was added."""

    def add(self, one: T, roots: Roots, free: Container[int] = ()) -> None:
        """Add one, if it is not there; the roots that are `free` may be anything in those that it
        is like."""
        places = tuple(
            [n for n, (_, value) in enumerate(roots) if n not in free and _is_fixed(value)]
        )
        if (one, places) in self._known:
            return
        key = tuple([id(roots[place][1].datum) for place in places])
        group = self._groups.setdefault((len(roots), places), {})
        group.setdefault(key, []).append((len(self._known), one))
        self._known.add((one, places))

    def like(self, roots: Roots) -> list[T]:
        """Those with whose roots these may be alike, the last first."""
        found: list[tuple[int, T]] = []
        for (count, places), group in self._groups.items():
            if count != len(roots):
                continue
            values = [roots[place][1] for place in places]
            if all(type(value) is Static for value in values):
                found += group.get(tuple([id(value.datum) for value in values]), ())
                continue
            for key, members in group.items():
                sides = zip(key, values, strict=True)
                if all(type(v) is not Static or id(v.datum) == one for one, v in sides):
                    found += members
        found.sort(key=lambda member: -member[0])
        return list(dict.fromkeys(one for _, one in found))


def _is_fixed(value: Any) -> bool:
    return type(value) is Static and type(value.datum) in FIXED
