"""What is kept with composite values of states (`values.states`): their summaries.

skeleton   all that a state's key says of a value but numbers, leaves and sharing; two values
           with the same skeleton are trees of the same form
numbers    at each place of a number or a leaf, from left to right: the number, None for a leaf
nodes      the composite values in it, itself first, as numbers that are theirs
levels     the leaves by their depth, so in the order in which `values.freeze` meets them
size       how many values are in it (`versions.embedding`), when that has been asked for
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cogen.lang import il
from cogen.specializer.values.domain import (
    Closure,
    Dynamic,
    Frame,
    PartialPair,
    PartialRecord,
    Several,
    Test,
)

Leaf = str | tuple[str, int]
"""The identity of a leaf: a name, or one and what is to be added."""

Level = tuple[tuple[Leaf, str, str], ...]
"""Leaves of one depth, each with its type and what people would call it ("": by its name)."""


PLACE: Final = "place"
"""In a skeleton: a number or a leaf."""

LIST: Final = "list"
"""How the skeleton of a list begins."""

GROUND: Final = "ground"
"""How the skeleton of a pair without dynamic parts begins."""

SELF: Final = "self"
"""In a skeleton: the procedure whose environment it is in."""


class Skeleton:
    """All that a key says of a value but numbers, leaves and sharing: what kind of value it is, and
    constants, places and skeletons in order; one object for all values of the same form."""

    __slots__ = ("_outline", "_outlines", "items")

    def __init__(self, items: tuple[Any, ...], outlines: dict[tuple[Any, ...], int]) -> None:
        self.items = items
        self._outlines = outlines
        self._outline = -1

    def outline(self) -> int:
        """A number for the continuations in it and the constants that they hold."""
        if self._outline < 0:
            items: list[Any] = []
            for item in self.items:
                if type(item) is not Skeleton:
                    items.append(item)
                else:
                    is_frame = type(item.items[0]) is il.Cont
                    items.append(item.outline() if is_frame else PLACE)
            self._outline = self._outlines.setdefault(tuple(items), len(self._outlines))
        return self._outline


@dataclass(slots=True, eq=False, repr=False)
class Summary:
    """See the module's docstring."""

    skeleton: Skeleton
    numbers: tuple[Any, ...]
    nodes: tuple[int, ...]
    levels: tuple[Level, ...]
    size: int = field(default=0, init=False)
    _inside: frozenset[int] | None = field(default=None, init=False)
    _token: tuple[Any, ...] | None = field(default=None, init=False)

    def inside(self) -> frozenset[int]:
        """The nodes, as a set."""
        if self._inside is None:
            self._inside = frozenset(self.nodes)
        return self._inside

    def token(self) -> tuple[Any, ...]:
        """What stands for the value in a key, if there are no leaves and numbers in it."""
        if self._token is None:
            shares = len(self.inside()) != len(self.nodes)
            self._token = ("whole", self.skeleton, same(self.nodes) if shares else None)
        return self._token


class DeferredSummary:
    """The summary of a copy, until it is asked for."""

    __slots__ = ("names", "summary")

    def __init__(self, summary: Summary, names: Mapping[Leaf, Dynamic]) -> None:
        self.summary = summary
        self.names = names

    def found(self) -> Summary:
        """The summary of the original over the copy's names."""
        old = self.summary
        if not old.levels:
            return old
        levels = tuple([_renamed(level, self.names) for level in old.levels])
        found = Summary(old.skeleton, old.numbers, old.nodes, levels)
        found.size = old.size
        return found


def _renamed(level: Level, names: Mapping[Leaf, Dynamic]) -> Level:
    return tuple([((new := names[leaf]).name, new.type, hint) for leaf, _, hint in level])


def split(leaf: Leaf) -> tuple[str, int]:
    """The name of a leaf, and what is to be added to it."""
    return leaf if type(leaf) is tuple else (leaf, 0)  # type: ignore[return-value]


def same(items: Sequence[Hashable]) -> tuple[int, ...]:
    """For each item the number of the first that is the same."""
    first: dict[Hashable, int] = {}
    return tuple([first.setdefault(item, len(first)) for item in items])


SUMMARIZED: Final = frozenset({PartialPair, Frame, Closure, Test, PartialRecord, Several})
"""The kinds of values that have summaries."""
