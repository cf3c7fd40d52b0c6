"""The whistle: what --generalize makes dynamic, wherever in a state it is.

States of one program point that follow each other are laid side by side (`cogen.spec.embedding`).
If a young one has grown from two older ones, in some places and nowhere else different, it will
not end: these places, in frames, closures, mutable objects, pairs and records, get variables, from
the oldest such state on.  What does not grow stays known: the names in an environment while its
values are collected, the tape of a machine but for the cells that count.

If it is known which places of the program build what grows, they are lifted instead, and everything
begins again (`cogen.spec.sites`).  A constant that has become a variable further on, in a state
that is the same otherwise, is made dynamic too.

The same for calls that are carried out inside of calls of the same procedure (`calls`).

This is tried first, with a part of the limits; a program for which it leads nowhere is specialized
again by `cogen.spec.generalize` alone, which makes whole variables dynamic.

Law: the residual program means what the source does, as without --generalize.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from cogen.lang import il
from cogen.spec.domain import (
    Closure,
    Continuation,
    Cyclic,
    Dynamic,
    Static,
    Test,
    Value,
)
from cogen.spec.embedding import Alignment, State, grows, is_leaf, is_like
from cogen.spec.freeze import Frozen, Leaf, Slot, Thawed, static_token
from cogen.spec.generalize import GENERALIZE_AFTER, MAX_ANCESTORS
from cogen.spec.memo import Arrival, Block, Point, Restart, Roots
from cogen.spec.path import Path
from cogen.spec.sites import Growing

if TYPE_CHECKING:
    from cogen.spec.specializer import Specializer

COUNT_AFTER: Final = 8
"""Visits before numbers that count are made dynamic, and structures without dynamic parts: a
program may well count so far."""


COUNT_STEPS: Final = 5
"""So many times constants must have grown one from another: a program may well nest so deep."""


class Whistle:
    """Finds for a specializer what grows, and makes it dynamic."""

    def __init__(self, spec: Specializer) -> None:
        self.spec = spec
        self.calls: dict[il.Function, list[State]] = {}
        """Calls in which something is made dynamic: where they have a variable, all calls of the
        procedure that are like them otherwise get one."""

    # -- memo points ---------------------------------------------------------------------------

    def covering(
        self, path: Path, point: Point, roots: Sequence[tuple[str, Any]], whole: Roots
    ) -> Roots | None:
        """The roots, with values made dynamic where those of a generalized ancestor are; None if
        there is no such ancestor.  `whole` are the roots with the cells that belong to them."""
        state = State(whole, path.store)
        for ancestor in self.spec.generalizer.ancestors(path, point):
            if ancestor.parent is not None and ancestor.parent.forwards:
                found = self._covered(_state(ancestor), state)
                if found.differences:
                    return self._lifted(path, whole, found)[: len(roots)]
        return None

    def generalize(self, path: Path, point: Point, arrival: Arrival) -> None:
        """Restart the first ancestor from which on something grows, with that lifted."""
        ancestors = self.spec.generalizer.ancestors(path, point)
        self._meet(ancestors, State(arrival.roots, path.store))
        if len(ancestors) < GENERALIZE_AFTER:
            return
        states = [State(arrival.roots, path.store), *map(_state, ancestors)]
        grown = self._grown(states, len(ancestors) >= COUNT_AFTER)
        if grown is not None:
            number, found = grown
            self._blame(found)
            _restart(ancestors[number - 1], found)

    def _meet(self, ancestors: Sequence[Block], state: State) -> None:
        """Restart the first ancestor that is the state but for what has become dynamic in it, with
        that lifted."""

        def accept(values: Sequence[Any]) -> bool:
            return is_leaf(values[1]) and self._is_liftable(values[0])

        for ancestor in reversed(ancestors):
            old = _state(ancestor)
            if is_like(old, state):
                found = self._alignment([old, state], accept)
                if found.differences:
                    _restart(ancestor, found)

    def lift(self, path: Path, copy: Thawed, slots: Iterable[Slot]) -> None:
        """Make what is in slots of a state dynamic in its copy, which the path goes on with: equal
        numbers as one variable, delayed tests in their operands; a variable is one of its own."""
        path.store, path.lifted = copy.store, copy.lifted
        numbers: dict[Hashable, Dynamic] = {}
        for slot in slots:
            value = copy.get(slot)
            if type(value) is Dynamic:
                copy.put(slot, path.let("lift", (il.Var(value.name),), value.type, "x", None))
            elif value is not None:
                copy.put(slot, lift(path, value, numbers))

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
        frozen = Frozen(states[number].roots, path.store, {}, self.spec.liveness)
        copy = Thawed(frozen, own_names(frozen), None, found.opened[0])
        for row in found.differences:
            copy.put(row.slots[0], Dynamic("general"))
        closure = calls[0][0]
        assert type(closure) is Closure
        self.calls.setdefault(closure.function, []).append(State(copy.roots, copy.store))
        return True

    def generalized(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation
    ) -> tuple[Closure, list[Value], Continuation]:
        """A call with that made dynamic which grows in such calls."""
        for general in self.calls[closure.function]:
            state = _call([closure, *values], path)
            found = self._covered(general, state)
            if found.differences:
                roots = self._lifted(path, self.spec.with_cells([*state.roots, ("", k)]), found)
                closure, *values, k = [value for _, value in roots[: len(values) + 2]]
        return closure, values, k

    def _blame(self, found: Alignment) -> None:
        """`Growing`, if it is known what builds that which grows."""
        stores = [state.store for state in found.states[-3:]]
        sites = self.spec.sites
        assert sites is not None
        blamed = [(sites.blamed(row.values[-3:], stores), row) for row in found.differences]
        known = {site: row for site, row in blamed if site is not None}
        if known:
            is_built = any(type(row.values[-1]) is not Static for row in known.values())
            raise Growing(frozenset(known), is_built)

    def has_grown(self, old: Block, young: Block) -> bool:
        """Whether two states differ in nothing but what has grown, continuations too; numbers must
        be the same."""
        states = [_state(old), _state(young)]
        stores, liveness = [state.store for state in states], self.spec.liveness

        def accept(values: Sequence[Any]) -> bool:
            return grows(values, stores, liveness, numbers=False, constants=True)

        return bool(self._alignment(states, accept).differences)

    def has_counted(self, old: Block, young: Block) -> bool:
        """Whether two states differ in nothing but numbers."""

        def accept(values: Sequence[Any]) -> bool:
            return all(type(v) is Static and type(v.datum) in (int, float) for v in values)

        return bool(self._alignment([_state(old), _state(young)], accept).differences)

    # -- states side by side -------------------------------------------------------------------

    def _grown(self, states: Sequence[State], counts: bool) -> tuple[int, Alignment] | None:
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

    def _goes_on(self, alike: Sequence[State], young: State) -> bool:
        """Whether so many of the states, youngest first, have grown one from another that what is
        constant will not end either; what has dynamic parts will not anyway."""
        steps, last = 0, young
        for state in alike:
            if self._growing([state, last], False).differences:
                return True
            if self._growing([state, last], True).differences:
                steps, last = steps + 1, state
        return steps >= COUNT_STEPS

    def _growing(self, states: Sequence[State], counts: bool) -> Alignment:
        """Side by side, if the last three (or two) grow wherever any of them differ; constants only
        if they count."""
        stores, liveness = [state.store for state in states[-3:]], self.spec.liveness

        def accept(values: Sequence[Any]) -> bool:
            if not all(map(self._is_liftable, values)):
                return False
            return grows(values[-3:], stores, liveness, numbers=counts, constants=counts)

        return self._alignment(states, accept)

    def _covered(self, general: State, state: State) -> Alignment:
        """Where the first has something dynamic that the second has not; what else differs must
        have grown, or be another number."""
        stores, liveness = [general.store, state.store], self.spec.liveness

        def accept(values: Sequence[Any]) -> bool | None:
            if is_leaf(values[0]):
                return self._is_liftable(values[1])
            return None if grows(values, stores, liveness, numbers=True, constants=True) else False

        return self._alignment([general, state], accept)

    def _alignment(
        self, states: Sequence[State], accept: Callable[[Sequence[Any]], bool | None]
    ) -> Alignment:
        made = Alignment(states, self.spec.quick.states, accept, self.spec.barriers.__contains__)
        self.spec.growth.looked += made.looked
        return made

    def _is_liftable(self, value: Any) -> bool:
        return not is_leaf(value) and self.spec.generalizer.is_liftable(value)

    def _lifted(self, path: Path, roots: Roots, found: Alignment) -> Roots:
        """The roots with that made dynamic in which they differ from a more general state."""
        slots = [row.slots[1] for row in found.differences]
        if all(slot.owner is None for slot in slots):
            roots = list(roots)
            for _, key in slots:
                roots[key] = (roots[key][0], path.dynamic(roots[key][1]))
            return roots
        path.settle()
        frozen = self.spec.freeze(roots, path.store, path.lifted)
        copy = Thawed(frozen, own_names(frozen), None, found.opened[1])
        self.lift(path, copy, slots)
        return copy.roots


def lift(path: Path, value: Value, numbers: dict[Hashable, Dynamic]) -> Value:
    """A value made dynamic: equal numbers as one variable, a delayed test in its operands."""
    if type(value) is Test:
        operands = [lift(path, part, numbers) for part in value.arguments]
        return Test(value.op, tuple(operands), value.fails, value.span)
    if type(value) is not Static or type(value.datum) not in (int, float):
        return path.dynamic(value)
    key = static_token(value.datum)
    if key not in numbers:
        numbers[key] = path.dynamic(value)
    return numbers[key]


def _restart(block: Block, found: Alignment) -> NoReturn:
    """Start a block again with that lifted in which its state, the first, differs from others."""
    block.lifted_slots.update(dict.fromkeys(row.slots[0] for row in found.differences))
    block.opened |= found.opened[0]
    raise Restart(block)


def _state(block: Block) -> State:
    return State(block.roots, block.store)


def _call(values: Sequence[Value], path: Path) -> State:
    return State([("", value) for value in values], path.store)


def own_names(frozen: Frozen) -> dict[tuple[str, int], Dynamic | Cyclic]:
    """The leaves of a state as what they are."""
    return {(leaf.name, leaf.offset): _own(leaf) for leaf in frozen.leaves}


def _own(leaf: Leaf) -> Dynamic | Cyclic:
    if leaf.offset:
        return Cyclic(1, leaf.offset, Dynamic(leaf.name, "int"))
    return Dynamic(leaf.name, leaf.type)
