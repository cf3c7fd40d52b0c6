"""Trials: places of states that are made dynamic to see whether they are asked for (`demand`).

Note [On the way round]
    A trial remembers the way from the first state to the second: the blocks, and the arms taken in
    them.  Being asked for there refuses it at once.  Elsewhere it is noted, and refuses the trial
    if a path on which it happened comes back to the start of the loop.  Blocks on the way round
    run before others, so that a trial that will be refused does not cost much.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from cogen.lang import il
from cogen.lang.datum import NIL, Char, Pair
from cogen.specializer.values.domain import (
    Cell,
    Closure,
    Cyclic,
    Dynamic,
    Frame,
    PartialPair,
    PartialRecord,
    Ref,
    Static,
)
from cogen.specializer.values.freeze import FrozenSlot, static_token
from cogen.specializer.versions.embedding import EmbeddedRow, EmbeddedState
from cogen.specializer.versions.memo import Arms, Point, ResidualBlock, Way

MOST_PARTS: Final = 1000
"""Values in a pair that is on trial."""

MOST_STEPS: Final = 256
"""Blocks on the way back that are looked at."""

Route = Mapping[Point, Sequence[Arms]]
"""The way from a state to another one: for each program point, the arms taken there."""

Place = tuple[Hashable, ...]
"""A place of a program point's states, or of calls of a procedure: the point or procedure, and what
the value is called in what it is in, what that is called, and so on; of a root its number."""


class Trial:
    """Places made dynamic on trial.

    `places` are where the states differ in `rows`, at the program point or in calls of the
    procedure that is its `head`, and `at` tells them by the first state's slots; `sources` are the
    blocks that gave a value up for it, with the slots that a forwarding one lifts; `general` is the
    call that it stands for; `route` is the way from the one state to the other, if that is one
    round of a loop or recursion, see Note [On the way round].
    """

    __slots__ = (
        "asked",
        "at",
        "bases",
        "divided",
        "general",
        "head",
        "is_given",
        "is_of_atoms",
        "objects",
        "places",
        "refused",
        "route",
        "sources",
        "twins",
    )

    def __init__(self, head: Hashable, rows: Sequence[EmbeddedRow], route: Route | None) -> None:
        self.head = head
        self.at = {row.slots[0]: self.places_of(row) for row in rows}
        self.places: frozenset[Place] = frozenset().union(*self.at.values())
        self.route = route
        self.refused = False
        self.is_given = False
        """Whether it is whatever data arms of a conditional give (`versions.demand`);"""
        self.is_of_atoms = not any(
            type(value) is PartialPair or (type(value) is Static and type(value.datum) is Pair)
            for row in rows
            for value in row.values
        )
        """whether there is no list among that."""
        self.sources: dict[ResidualBlock, dict[FrozenSlot, None]] = {}
        self.general: tuple[il.Function, EmbeddedState] | None = None
        self.bases: dict[FrozenSlot, int] = {}
        """By slots of integers: of what their remainders stay known."""
        self.twins: dict[FrozenSlot, list[FrozenSlot]] = {}
        """By slot: those that hold the same numbers, itself included."""
        self.objects = {row.slots[0] for row in rows if type(row.values[0]) is Ref}
        """Those of mutable objects that the round makes objects of the residual program."""
        self.asked: dict[ResidualBlock, list[tuple[Arms, frozenset[Place]]]] = {}
        """Where else it was asked for, with its places: a reason if that turns out to be on the way
        back, too."""
        self.divided: dict[ResidualBlock, dict[tuple[Arms, FrozenSlot, int], None]] = {}
        """Where else remainders were needed: the slot, and by what it is divided."""

    def places_of(self, row: EmbeddedRow) -> frozenset[Place]:
        """The place where states are like those on trial, in a row of theirs."""
        return frozenset([(self.head, *place_of(row))])

    def is_decided_by(self, way: Way) -> bool:
        """Whether what code asks for now is a reason to know it."""
        return not self.refused and self.is_on_way(way)

    def note_asked(self, way: Way, places: frozenset[Place]) -> None:
        """Code that stays asks for what some places hold, which is no reason to know it yet."""
        if not self.refused:
            self.asked.setdefault(way.block, []).append((way.arms, places))

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

    def was_asked(self, way: Way) -> frozenset[Place]:
        """The places that were asked for on the way to where code is made."""
        return frozenset(
            place
            for block, arms in _back(way)
            for taken, places in self.asked.get(block, ())
            if arms[: len(taken)] == taken
            for place in places
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


class Watched(NamedTuple):
    """A trial that a variable is watched for, at which of its places it stands for what was known,
    or is computed of that, and whether that is certainly true to a conditional, as a number is."""

    trial: Trial
    places: frozenset[Place]
    is_true: bool = False


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


def place_of(row: EmbeddedRow) -> Place:
    """Where in a state a row is: the names on the way to the root."""
    return (row.slots[0].key, *(outer.slots[0].key for outer in row.around()))


def are_apart_at(place: Place, old: EmbeddedState, new: EmbeddedState) -> bool:
    """Whether states of a program point hold different constants at a place."""
    a, b = _value_at(place, old), _value_at(place, new)
    return (
        type(a) is Static and type(b) is Static and static_token(a.datum) != static_token(b.datum)
    )


def _value_at(place: Place, state: EmbeddedState) -> Any:
    """What a state holds at a place; None if there is no such place."""
    names: list[Any] = list(place[:0:-1])
    value: Any = state.roots[names[0]][1]
    for name in names[1:]:
        kind = type(value)
        if kind is Frame or kind is Closure:
            value = value.environment.get(name)
        elif kind is PartialPair:
            value = value.car if name == "car" else value.cdr
        elif kind is Ref:
            cell = state.store.get(value.number)
            items = cell.items if type(cell) is Cell else []
            value = items[name] if name < len(items) else None
        else:
            return None
    return value


def is_liftable_data(value: Any) -> bool:
    """Whether a value is known data that may be no more than that: a number, a character, a
    string, a truth value, the empty list, or a pair that the program has built of data."""
    if type(value) is Static:
        return type(value.datum) in _DATA or value.datum is NIL
    return type(value) is PartialPair and value.ground is None and _is_data(value)


def is_given_data(value: Any) -> bool:
    """Whether a value is known data, of whatever kind: no procedure, no mutable object."""
    kind = type(value)
    return kind is Static or (kind is PartialPair and _is_data(value, opens=True))


def _is_data(value: Any, *, opens: bool = False) -> bool:
    """Whether there are no procedures and no mutable objects in a value; constant pairs of the
    program steer, unless it `opens` them."""
    work, looked = [value], 0
    while work:
        part = work.pop()
        kind = type(part)
        looked += 1
        if kind is PartialPair and (opens or part.ground is None):
            work += [part.car, part.cdr]
        elif kind is PartialRecord:
            work += part.fields
        elif (kind is not PartialPair and kind not in _PLAIN) or looked > MOST_PARTS:
            return False
    return True


_PLAIN: Final = frozenset({Static, Dynamic, Cyclic})
_DATA: Final = frozenset({int, float, str, bool, Char})
