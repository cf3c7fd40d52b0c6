"""Trials: places of states that are made dynamic to see whether they are asked for (`demand`).

Note [On the way round]
    A trial remembers the way from the first state to the second: the blocks, and the arms taken in
    them.  Being asked for there refuses it at once.  Elsewhere it is noted, and refuses the trial
    if a path on which it happened comes back to the start of the loop.  Blocks on the way round
    run before others, so that a trial that will be refused does not cost much.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final

from cogen.lang import il
from cogen.lang.datum import NIL, Char
from cogen.specializer.values.domain import Cyclic, Dynamic, PartialPair, PartialRecord, Static
from cogen.specializer.values.freeze import FrozenSlot, static_token
from cogen.specializer.versions.embedding import EmbeddedRow, EmbeddedState
from cogen.specializer.versions.memo import Arms, Point, ResidualBlock, Way

MOST_PARTS: Final = 1000
"""Values in a pair that is on trial."""

MOST_STEPS: Final = 256
"""Blocks on the way back that are looked at."""

Route = Mapping[Point, Sequence[Arms]]
"""The way from a state to another one: for each program point, the arms taken there."""


class Trial:
    """Places made dynamic on trial.

    `sources` are the blocks that gave a value up for it, with the slots that a forwarding one
    lifts; `general` is the call that it stands for; `route` is the way from the one state to the
    other, if that is one round of a loop or recursion, see Note [On the way round].
    """

    __slots__ = (
        "asked",
        "bases",
        "divided",
        "general",
        "objects",
        "places",
        "refused",
        "route",
        "sources",
        "twins",
    )

    def __init__(self, places: frozenset[Hashable], route: Route | None) -> None:
        self.places = places
        self.route = route
        self.refused = False
        self.sources: dict[ResidualBlock, dict[FrozenSlot, None]] = {}
        self.general: tuple[il.Function, EmbeddedState] | None = None
        self.bases: dict[FrozenSlot, int] = {}
        """By slots of integers: of what their remainders stay known."""
        self.twins: dict[FrozenSlot, list[FrozenSlot]] = {}
        """By slot: those that hold the same numbers, itself included."""
        self.objects: set[FrozenSlot] = set()
        """Those of mutable objects that the round makes objects of the residual program."""
        self.asked: dict[ResidualBlock, list[Arms]] = {}
        """Where else it was asked for: a reason if that turns out to be on the way back, too."""
        self.divided: dict[ResidualBlock, dict[tuple[Arms, FrozenSlot, int], None]] = {}
        """Where else remainders were needed: the slot, and by what it is divided."""

    def decides(self, way: Way) -> bool:
        """Whether what code asks for now is a reason to know it."""
        if self.refused:
            return False
        if self.is_on_way(way):
            return True
        self.asked.setdefault(way.block, []).append(way.arms)
        return False

    def is_on_way(self, way: Way) -> bool:
        """Whether code is on the way from the one state to the other."""
        if self.route is None:
            return True
        block: ResidualBlock | None = way.block
        taken = way.arms
        while block is not None:
            ways = self.route.get(block.point)
            if ways is not None:
                return any(arms[: len(taken)] == taken for arms in ways)
            if taken:
                return False
            taken, block = block.arms, block.parent
        return False

    def begins(self, block: ResidualBlock) -> bool:
        """Whether the loop that was generalized begins with the block."""
        return not self.refused and block.parent in self.sources

    def was_asked(self, way: Way) -> bool:
        """Whether it was asked for on the way to where code is made."""
        return any(
            arms[: len(taken)] == taken
            for block, arms in _back(way)
            for taken in self.asked.get(block, ())
        )

    def was_divided(self, way: Way) -> list[tuple[FrozenSlot, int]]:
        """The remainders that were needed on the way to where code is made."""
        if not self.divided:
            return []
        return [
            (slot, base)
            for block, arms in _back(way)
            for taken, slot, base in self.divided.get(block, ())
            if arms[: len(taken)] == taken
        ]


def _back(way: Way) -> Iterator[tuple[ResidualBlock, Arms]]:
    """The blocks on the way to where code is made, the last first, each with the arms taken."""
    block: ResidualBlock | None = way.block
    arms = way.arms
    for _ in range(MOST_STEPS):
        if block is None:
            return
        yield block, arms
        arms, block = block.arms, block.parent


def route(way: Way, first: Any) -> Route:
    """The way from a block on: for each program point, the arms taken there."""
    found: dict[Point, list[Arms]] = {}
    block: ResidualBlock | None = way.block
    arms = way.arms
    while block is not None:
        found.setdefault(block.point, []).append(arms)
        if block is first:
            break
        arms, block = block.arms, block.parent
    return found


def twins(rows: Sequence[EmbeddedRow]) -> dict[FrozenSlot, list[FrozenSlot]]:
    """The slots in which both states have the same numbers."""
    groups: dict[Hashable, list[FrozenSlot]] = {}
    for row in rows:
        numbers = tuple([static_token(v.datum) if type(v) is Static else None for v in row.values])
        key = row.slots[0] if None in numbers else numbers
        groups.setdefault(key, []).append(row.slots[0])
    return {slot: group for group in groups.values() for slot in group}


def place_of(row: EmbeddedRow) -> tuple[Hashable, ...]:
    """Where in a state a row is: the names on the way from the root."""
    return (row.slots[0].key, *(outer.slots[0].key for outer in row.around()))


def is_liftable_data(value: Any) -> bool:
    """Whether a value is known data that may be no more than that: a number, a character, a
    string, a truth value, the empty list, or a pair that the program has built of data."""
    if type(value) is Static:
        return type(value.datum) in _DATA or value.datum is NIL
    return type(value) is PartialPair and value.ground is None and _is_data(value)


def _is_data(value: Any) -> bool:
    """Whether there are no procedures and no mutable objects in a value."""
    work, looked = [value], 0
    while work:
        part = work.pop()
        kind = type(part)
        looked += 1
        if kind is PartialPair and part.ground is None:
            work += [part.car, part.cdr]
        elif kind is PartialRecord:
            work += part.fields
        elif (kind is not PartialPair and kind not in _PLAIN) or looked > MOST_PARTS:
            return False
    return True


_PLAIN: Final = frozenset({Static, Dynamic, Cyclic})
_DATA: Final = frozenset({int, float, str, bool, Char})
