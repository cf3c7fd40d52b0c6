"""Detection of growth (the whistle of supercompilation): what --generalize makes
dynamic, wherever in a state it is.

States of one program point that follow each other are laid side by side (`versions.embedding`).
If a young one has grown from two older ones, in some places and nowhere else different, it will
not end: these places, in frames, closures, mutable objects, pairs and records, get variables, from
the oldest such state on.  What does not grow stays known: the names in an environment while its
values are collected, the tape of a machine but for the cells that count.

If it is known which places of the program build what grows, they are lifted instead, and everything
begins again (`analyses.allocation_sites`).  A constant that has become a variable further on, in
a state that is the same otherwise, is made dynamic too.

The same for calls that are carried out inside of calls of the same procedure (`calls`).

This is tried first, with a part of the limits; a program for which it leads nowhere is specialized
again by `memo.generalize` alone, which makes whole variables dynamic.

Law: the residual program means what the source does, as without --generalize.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from cogen.lang import il
from cogen.specializer.analyses.allocation_sites import Growing, Sites
from cogen.specializer.memo.generalize import GENERALIZE_AFTER, is_liftable
from cogen.specializer.paths.lifting import lift_slots, own_names
from cogen.specializer.paths.path import Path
from cogen.specializer.values.arguments import Arguments
from cogen.specializer.values.domain import (
    Cell,
    Closure,
    Dynamic,
    Frame,
    PartialPair,
    PartialRecord,
    Ref,
    Return,
    Static,
    Stop,
    Test,
    Value,
)
from cogen.specializer.values.freeze import Frozen, Store
from cogen.specializer.values.thaw import Thawed
from cogen.specializer.versions.embedding import (
    Alignment,
    ConstantSizes,
    EmbeddedRow,
    EmbeddedState,
    grows,
    is_leaf,
    is_like,
)
from cogen.specializer.versions.freezing import Freezing
from cogen.specializer.versions.limits import Limits
from cogen.specializer.versions.memo import (
    MAX_ANCESTORS,
    Arrival,
    Point,
    ResidualBlock,
    Restart,
    Roots,
    ancestors,
)

COUNT_AFTER: Final = 8
"""Visits before numbers that count are made dynamic, and structures without dynamic parts: a
program may well count so far."""


COUNT_STEPS: Final = 5
"""So many times constants must have grown one from another: a program may well nest so deep."""

GROWS: Final = "grows"
COUNTS: Final = "counts"
ASSIGNED: Final = "assigned"
"""How a state has come from another one; numbers that count in objects are assigned to these."""

_SETTLED: Final = frozenset({Static, Frame, Return, Stop})
"""The kinds of values that are what is to be done afterwards, or have no parts."""


class GrowthDetection:
    """Finds in one specialization what grows, and makes it dynamic."""

    def __init__(self, freezing: Freezing, limits: Limits, sites: Sites) -> None:
        self._freezing = freezing
        self._limits = limits
        self._sites = sites
        self._constants = ConstantSizes()
        self.given: frozenset[object] = frozenset()
        """The numbers in what is static: a program that takes them from there does not count."""
        self.calls: dict[il.Function, list[EmbeddedState]] = {}
        """Calls in which something is made dynamic: where they have a variable, all calls of the
        procedure that are like them otherwise get one."""

    # -- memo points ---------------------------------------------------------------------------

    def covering(
        self, path: Path, point: Point, roots: Sequence[tuple[str, Any]], whole: Roots
    ) -> Roots | None:
        """The roots, with values made dynamic where those of a generalized ancestor are; None if
        there is no such ancestor.  `whole` are the roots with the cells that belong to them."""
        state = EmbeddedState(whole, path.store)
        for ancestor in ancestors(path, point):
            if ancestor.parent is not None and ancestor.parent.forwards:
                found = self._covered(_state(ancestor), state)
                if found.differences:
                    return self._lifted(path, whole, found)[: len(roots)]
        return None

    def generalize(self, path: Path, point: Point, arrival: Arrival) -> None:
        """Restart the first ancestor from which on something grows, with that lifted."""
        older = ancestors(path, point)
        self._meet(older, EmbeddedState(arrival.roots, path.store))
        if len(older) < GENERALIZE_AFTER:
            return
        states = [EmbeddedState(arrival.roots, path.store), *map(_state, older)]
        grown = self._grown(states, len(older) >= COUNT_AFTER)
        if grown is not None:
            number, found = grown
            self._blame(found)
            _restart(older[number - 1], found)

    def _meet(self, older: Sequence[ResidualBlock], state: EmbeddedState) -> None:
        """Restart the first ancestor that is the state but for what has become dynamic in it, with
        that lifted."""

        def accept(values: Sequence[Any]) -> bool:
            return is_leaf(values[1]) and self._is_liftable(values[0])

        for ancestor in reversed(older):
            old = _state(ancestor)
            if is_like(old, state):
                found = self._alignment([old, state], accept)
                if found.differences:
                    _restart(ancestor, found)

    # -- calls ---------------------------------------------------------------------------------

    def generalize_calls(self, path: Path, calls: Sequence[Sequence[Value]]) -> bool:
        """Whether something grows from call to call (youngest first; the procedure before its
        arguments); it will be made dynamic in them."""
        states = [_call(call, path) for call in calls[: MAX_ANCESTORS + 1]]
        grown = self._grown(states, len(calls) > COUNT_AFTER)
        if grown is None:
            return False
        number, found = grown
        self._blame(found)
        frozen = Frozen(states[number].roots, path.store, {}, self._freezing.liveness)
        copy = Thawed(frozen, own_names(frozen), None, found.opened[0])
        for row in found.differences:
            copy.put(row.slots[0], Dynamic("general"))
        closure = calls[0][0]
        assert type(closure) is Closure
        self.calls.setdefault(closure.function, []).append(EmbeddedState(copy.roots, copy.store))
        return True

    def generalized(
        self, path: Path, closure: Closure, arguments: Arguments
    ) -> tuple[Closure, Arguments]:
        """A call with that made dynamic which grows in such calls."""
        values = arguments.values
        for general in self.calls[closure.function]:
            state = _call([closure, *values], path)
            found = self._covered(general, state)
            if found.differences:
                roots = self._lifted(
                    path,
                    self._freezing.with_cells([*state.roots, ("", arguments.continuation)]),
                    found,
                )
                closure, *values, k = [value for _, value in roots[: len(values) + 2]]
                arguments = arguments.of(values, k)
        return closure, arguments

    def _blame(self, found: Alignment) -> None:
        """`Growing`, if it is known what builds that which grows."""
        stores = [state.store for state in found.states[-3:]]
        blamed = [(self._sites.blamed(row.values[-3:], stores), row) for row in found.differences]
        known = {site: row for site, row in blamed if site is not None}
        if known:
            is_built = any(type(row.values[-1]) is not Static for row in known.values())
            raise Growing(frozenset(known), is_built)

    def has_grown(self, old: ResidualBlock, young: ResidualBlock) -> bool:
        """Whether two states differ in nothing but what has grown, continuations too; numbers must
        be the same."""
        states = [_state(old), _state(young)]
        if not is_like(*states) or self._has_shrunk(*states):
            return False
        stores, liveness = [state.store for state in states], self._freezing.liveness

        def accept(values: Sequence[Any]) -> bool:
            return grows(values, stores, liveness, numbers=False, constants=True)

        return bool(self._alignment(states, accept).differences)

    def step(self, old: EmbeddedState, young: EmbeddedState) -> str | None:
        """How a state has come from an older one: it differs only in what has grown, not only in
        what is to be done afterwards, which recursion settles (`execution.recursion`); or in
        numbers in structures; None if it differs in anything else, or not at all.  What that costs
        is no effort."""
        states = [old, young]
        if not is_like(old, young) or self._has_shrunk(old, young):
            return None
        stores, liveness = [state.store for state in states], self._freezing.liveness

        def accept(values: Sequence[Any]) -> bool:
            known = self._constants
            return grows(values, stores, liveness, numbers=True, constants=True, known=known)

        is_opaque = self._freezing.barriers.holds
        found = Alignment(states, self._freezing.states, accept, is_opaque).differences
        numbers = [
            row
            for row in found
            if type(row.values[0]) is type(row.values[-1]) is Static and not _is_tested(row)
        ]
        if any(not _is_stored(row, young.store) for row in numbers):
            return None
        if numbers and all(self._is_taken(row) for row in numbers):
            return None
        if numbers:
            return ASSIGNED if any(map(_is_in_object, numbers)) else COUNTS
        kinds = {type(value) for row in found for value in row.values}
        return GROWS if kinds - _SETTLED else None

    def _is_taken(self, row: EmbeddedRow) -> bool:
        """Whether a number is likely to be taken from what is static: it is there, and not the one
        next to the one before."""
        old, young = row.values[0].datum, row.values[-1].datum
        if type(old) not in (int, float) or type(young) not in (int, float):
            return False
        return young in self.given and abs(young - old) != 1

    def _has_shrunk(self, old: EmbeddedState, young: EmbeddedState) -> bool:
        """Whether a constant among the roots is another one, and no larger; a quick look."""
        size = self._constants.size
        for (_, a), (_, b) in zip(old.roots, young.roots, strict=True):
            if type(a) is type(b) is PartialPair and None not in (a.ground, b.ground):
                shrinks = a.ground != b.ground and size(a) > size(b)
                if shrinks:
                    return True
        return False

    def has_counted(self, old: ResidualBlock, young: ResidualBlock) -> bool:
        """Whether two states differ in nothing but numbers."""

        def accept(values: Sequence[Any]) -> bool:
            return all(type(v) is Static and type(v.datum) in (int, float) for v in values)

        return bool(self._alignment([_state(old), _state(young)], accept).differences)

    # -- states side by side -------------------------------------------------------------------

    def _grown(self, states: Sequence[EmbeddedState], counts: bool) -> tuple[int, Alignment] | None:
        """Whether something grows without end: the number of the oldest of the states (they come
        youngest first) from which on it does, and that state side by side with later ones."""
        young = states[0]
        alike = [n for n in range(1, len(states)) if is_like(states[n], young)]
        for place, middle in enumerate(alike):
            pair = [states[middle], young]
            if not self._growing(pair, counts).differences:
                continue
            for old in alike[place + 1 :]:
                found = self._growing([states[old], *pair], counts)
                if not found.differences:
                    continue
                if counts and not self._goes_on([states[n] for n in alike], young):
                    return None
                for first in reversed(alike):
                    if first == old:
                        break
                    further = self._growing([states[first], states[old], *pair], counts)
                    if further.differences:
                        return first, further
                return old, found
        return None

    def _goes_on(self, alike: Sequence[EmbeddedState], young: EmbeddedState) -> bool:
        """Whether so many of the states, youngest first, have grown one from another that what is
        constant will not end either; what has dynamic parts will not anyway."""
        steps, last = 0, young
        for state in alike:
            if self._growing([state, last], False).differences:
                return True
            if self._growing([state, last], True).differences:
                steps, last = steps + 1, state
        return steps >= COUNT_STEPS

    def _growing(self, states: Sequence[EmbeddedState], counts: bool) -> Alignment:
        """Side by side, if the last three (or two) grow wherever any of them differ; constants only
        if they count."""
        stores, liveness = [state.store for state in states[-3:]], self._freezing.liveness

        def accept(values: Sequence[Any]) -> bool:
            if not all(map(self._is_liftable, values)):
                return False
            return grows(values[-3:], stores, liveness, numbers=counts, constants=counts)

        return self._alignment(states, accept)

    def _covered(self, general: EmbeddedState, state: EmbeddedState) -> Alignment:
        """Where the first has something dynamic that the second has not; what else differs must
        have grown, or be another number."""
        stores, liveness = [general.store, state.store], self._freezing.liveness

        def accept(values: Sequence[Any]) -> bool | None:
            if is_leaf(values[0]):
                return self._is_liftable(values[1])
            return None if grows(values, stores, liveness, numbers=True, constants=True) else False

        return self._alignment([general, state], accept)

    def _alignment(
        self, states: Sequence[EmbeddedState], accept: Callable[[Sequence[Any]], bool | None]
    ) -> Alignment:
        made = Alignment(states, self._freezing.states, accept, self._freezing.barriers.holds)
        self._limits.looked += made.looked
        return made

    def _is_liftable(self, value: Any) -> bool:
        return not is_leaf(value) and is_liftable(value, self._freezing.barriers)

    def _lifted(self, path: Path, roots: Roots, found: Alignment) -> Roots:
        """The roots with that made dynamic in which they differ from a more general state."""
        slots = [row.slots[1] for row in found.differences]
        if all(slot.owner is None for slot in slots):
            roots = list(roots)
            for _, key in slots:
                roots[key] = (roots[key][0], path.dynamic(roots[key][1]))
            return roots
        path.settle()
        frozen = self._freezing.freeze(roots, path.store, path.lifted)
        copy = Thawed(frozen, own_names(frozen), None, found.opened[1])
        lift_slots(path, copy, slots)
        return copy.roots


def _restart(block: ResidualBlock, found: Alignment) -> NoReturn:
    """Start a block again with that lifted in which its state, the first, differs from others."""
    wider = block.widening()
    wider.slots.update(dict.fromkeys(row.slots[0] for row in found.differences))
    wider.opened |= found.opened[0]
    raise Restart(block)


def _state(block: ResidualBlock) -> EmbeddedState:
    return EmbeddedState(block.roots, block.store)


def _call(values: Sequence[Value], path: Path) -> EmbeddedState:
    return EmbeddedState([("", value) for value in values], path.store)


def _is_tested(row: EmbeddedRow) -> bool:
    """Whether values are operands of a test that is still to be made: what they are read from
    tells more."""
    return row.inside is not None and type(row.inside.values[-1]) is Test


def _is_in_object(row: EmbeddedRow) -> bool:
    """Whether values are what a mutable object holds."""
    return row.inside is not None and type(row.inside.values[-1]) is Ref


def _is_stored(row: EmbeddedRow, store: Store) -> bool:
    """Whether values are kept in a structure, not in a variable of the program."""
    if row.inside is None:
        return False
    owner = row.inside.values[-1]
    if type(owner) is Ref:
        cell = store.get(owner.number)
        return type(cell) is Cell and cell.kind != "cell"
    return type(owner) in (PartialPair, PartialRecord)
