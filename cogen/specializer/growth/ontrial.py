"""States that differ in data alone -> one, with that made dynamic on trial (`versions.demand`).

Of two states at a program point, or of two calls of a procedure of which one encloses the other,
the first is laid beside the second (`versions.embedding`).  Where they differ in nothing but data
there are variables in it from then on, which are watched; and states and calls that come later give
up the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Final, NoReturn

from cogen.lang.prelude import in_prelude
from cogen.specializer.paths.lifting import lift_slots, own_names
from cogen.specializer.paths.path import Path
from cogen.specializer.values.apart import SkeletonsApart
from cogen.specializer.values.arguments import Arguments
from cogen.specializer.values.domain import (
    Activation,
    Cell,
    Closure,
    Cyclic,
    Dynamic,
    PartialPair,
    PartialRecord,
    Ref,
    Several,
    Static,
    Value,
)
from cogen.specializer.values.freeze import Frozen, FrozenSlot
from cogen.specializer.values.kindred import Kindred
from cogen.specializer.values.thaw import Thawed
from cogen.specializer.versions.demand import MOST_REFUSALS, Demand, Joining
from cogen.specializer.versions.embedding import (
    Alignment,
    EmbeddedRow,
    EmbeddedState,
    is_leaf,
    is_like,
)
from cogen.specializer.versions.freezing import Freezing
from cogen.specializer.versions.limits import Limits
from cogen.specializer.versions.memo import Arrival, Point, ResidualBlock, Restart, Roots, ancestors
from cogen.specializer.versions.trials import (
    Place,
    Trial,
    Watched,
    are_apart_at,
    is_given_data,
    is_liftable_data,
    place_of,
    route,
    twins,
)

MOST_COMPARED: Final = 8
"""Blocks that a new state is compared with."""

Quotients = dict[tuple[FrozenSlot, int], Dynamic]
"""By the first of slots that hold the same numbers, and by number: what stands for its quotient."""


class OnTrial:
    """What of the states and calls of one specialization is on trial, and is to be."""

    def __init__(self, demand: Demand, freezing: Freezing, limits: Limits) -> None:
        self._demand = demand
        self._freezing = freezing
        self._limits = limits
        self._alike = SkeletonsApart(freezing.states)
        self._refused: set[Hashable] = set()
        """Blocks and states, and calls, that were made one once."""
        self._keys: dict[Hashable, int] = {}
        """Keys of states that were compared with others, numbered."""
        self._apart: set[tuple[ResidualBlock, int]] = set()
        """Blocks and keys of states that differ in more than data."""
        self._parted: set[int] = set()
        """Keys of states that differ from others in what arms give, whatever data that is."""
        self._uncovered: set[tuple[ResidualBlock, int]] = set()
        """The same where constants of the block's state may be anything in the other one."""

    def covering(self, path: Path, point: Point, arrival: Arrival) -> Roots | None:
        """The roots of a state with that lifted which is on trial in one like it."""
        on_trial = path.block.procedure.on_trial.get(point)
        if on_trial is None:
            return None
        number, steering = self._number(arrival), self._demand.steering.get(point, ())
        for block in on_trial.like(arrival.roots):
            if (block, number) in self._uncovered:
                continue
            if steering and self._are_apart(block, arrival, path, steering):
                self._uncovered.add((block, number))
                continue
            for trial in self._demand.trials.get(block, []):
                if trial.refused:
                    continue
                found = self._covered(block, arrival, path, trial)
                if found is not None:
                    return self._give_up(path, arrival, found, trial)
        return None

    def _are_apart(
        self, block: ResidualBlock, arrival: Arrival, path: Path, steering: Iterable[Place]
    ) -> bool:
        """Whether a state differs from a block's in what is taken for what steers."""
        old, new = EmbeddedState(block.roots, block.store), EmbeddedState(arrival.roots, path.store)
        return any(are_apart_at(place, old, new) for place in steering)

    def _number(self, arrival: Arrival) -> int:
        """The number of a state's key."""
        return self._keys.setdefault(arrival.key, len(self._keys))

    def _covered(
        self, block: ResidualBlock, arrival: Arrival, path: Path, trial: Trial
    ) -> Alignment | None:
        slots, may_be = trial.sources[block], is_given_data if trial.is_given else is_liftable_data

        def accept(values: Sequence[Any]) -> bool:
            return self._is_given_up(values[1]) or may_be(values[1])

        old, new = EmbeddedState(block.roots, block.store), EmbeddedState(arrival.roots, path.store)
        if not trial.is_given and not is_like(old, new):
            return None
        found = self._aligned([old, new], accept)
        if not found.differences:
            self._uncovered.add((block, self._number(arrival)))
            return None
        if any(row.slots[0] not in slots for row in found.differences):
            return None
        found.differences = [r for r in found.differences if not self._is_given_up(r.values[1])]
        return found if found.differences else None

    def _is_given_up(self, value: Any) -> bool:
        """Whether nothing more of a value is to be given up to be as one on trial."""
        return is_leaf(value) or type(value) is Cyclic

    def generalize(self, path: Path, point: Point, arrival: Arrival) -> None:
        """Restart a block that a state differs from in data alone, with these on trial."""
        others = self._others(path, point)
        if not others:
            return
        new, number = EmbeddedState(arrival.roots, path.store), self._number(arrival)
        of_library, steering = in_prelude(path.block.raw.span), self._demand.steering.get(point, ())
        for block, joins in others:
            if (block, number) in self._apart:
                continue
            old = EmbeddedState(block.roots, block.store)
            like = is_like(old, new)
            if not (like or joins) or (block, arrival.key) in self._refused:
                continue
            if steering and self._are_apart(block, arrival, path, steering):
                self._apart.add((block, number))
                continue
            found = self._differing_in_data(old, new, joins) if like else None
            if found is None and joins:
                found = self._differing_in_what_is_given(old, new, number)
            if found is None or (of_library and not joins and _is_its_own(found)):
                self._apart.add((block, number))
                continue
            places = {(point, *place_of(row)) for row in found.differences}
            if any(self._demand.refusals[place] >= MOST_REFUSALS for place in places):
                continue
            self._refused.add((block, arrival.key))
            way = None if joins else route(path, block)
            trial = Trial(point, found.differences, way)
            trial.is_given = joins and self._demand.joins >= Joining.DATA
            self._begin(path, point, block, found, trial)

    def _begin(
        self, path: Path, point: Point, block: ResidualBlock, found: Alignment, trial: Trial
    ) -> NoReturn:
        """Restart a block with that on trial in which a state differs from it."""
        if trial.route is not None:
            self._demand.recent.append(trial)
        slots = dict.fromkeys(row.slots[0] for row in found.differences)
        trial.sources[block] = slots
        trial.twins = twins(found.differences)
        self._demand.trials.setdefault(block, []).append(trial)
        on_trial = path.block.procedure.on_trial.setdefault(point, Kindred())
        given = {_root(row) for row in found.differences} if trial.is_given else ()
        on_trial.add(block, block.roots, given)
        if all(self._is_parameter(block, row) for row in found.differences):
            for row in found.differences:
                self._demand.watch(row.values[0], trial, trial.at[row.slots[0]])
        else:
            wider = block.widening()
            wider.slots.update(slots)
            wider.opened |= found.opened[0]
        raise Restart(block)

    def _is_parameter(self, block: ResidualBlock, row: EmbeddedRow) -> bool:
        """Whether a parameter of a block, which is nothing else there, is what differs."""
        value = row.values[0]
        if type(value) is not Dynamic:
            return False
        places = self._freezing.frozen(block).occurrences.values()
        return sum(leaf == (value.name, 0) for leaf in places) == 1

    def make_cyclic(self, path: Path, block: ResidualBlock, copy: Thawed) -> set[FrozenSlot]:
        """Give up the quotients only of integers in slots of a block's state; the slots."""
        done: set[FrozenSlot] = set()
        quotients: Quotients = {}
        for trial in self._demand.trials.get(block, []):
            if trial.refused:
                continue
            for slot in trial.bases:
                if self._make_cyclic(path, copy, slot, slot, trial, quotients):
                    done.add(slot)
        return done

    def _make_cyclic(
        self,
        path: Path,
        copy: Thawed,
        slot: FrozenSlot,
        first: FrozenSlot,
        trial: Trial,
        quotients: Quotients,
    ) -> bool:
        """Whether the integer in a slot keeps its remainder, as that in the `first` state's slot
        does.  Those that hold the same numbers round by round have one quotient; others that are
        equal once, as addresses that start at 0 and move by 16 and by 8, have their own."""
        value, base = copy.get(slot), trial.bases.get(first)
        if base is None or type(value) is not Static or type(value.datum) is not int:
            return False
        key = trial.twins[first][0], value.datum
        if key not in quotients:
            lifted = path.dynamic(Static(value.datum // base))
            quotients[key] = Dynamic(lifted.name, "int")
            self._demand.watch(lifted, trial, trial.at.get(first, trial.places))
        path.context.cyclic = True
        copy.put(slot, Cyclic(base, value.datum % base, quotients[key]))
        return True

    def forwarded(self, block: ResidualBlock, copy: Thawed) -> None:
        """A block has lifted what is on trial in its state, in a copy."""
        for trial in self._demand.trials.get(block, []):
            if not trial.refused:
                for slot in trial.sources[block]:
                    self._watch_slot(copy.get(slot), trial, slot, trial.at[slot])

    def _watch_slot(
        self, value: Any, trial: Trial, slot: FrozenSlot, places: frozenset[Place]
    ) -> None:
        if slot in trial.objects:
            return
        self._demand.watch(value, trial, places)
        if type(value) is Dynamic and value.type == "int":
            self._demand.origins[value.name] = trial, slot

    def _others(self, path: Path, point: Point) -> list[tuple[ResidualBlock, bool]]:
        found: list[tuple[ResidualBlock, bool]] = []
        if point[0] == "cont":
            same = path.block.procedure.at_point.get(point, [])
            found += [
                (b, True) for b in same[: -MOST_COMPARED - 1 : -1] if b.reached and not b.forwards
            ]
        else:
            older = ancestors(path, point)[:MOST_COMPARED]
            found += [(block, False) for block in older]
        return found

    def _aligned(self, states: Sequence[EmbeddedState], accept: Any) -> Alignment:
        made = Alignment(states, self._freezing.states, accept, self._freezing.barriers.holds)
        self._limits.looked += made.looked
        return made

    def _differing_in_data(
        self, old: EmbeddedState, new: EmbeddedState, joins: bool
    ) -> Alignment | None:
        """Two states side by side; None if they differ in more than data, or not at all.  Where
        arms of a conditional join, numbers may be what the old one knows nothing of."""
        if len(old.roots) != len(new.roots) or self._alike.are_states(old.roots, new.roots):
            return None
        if joins:
            found = self._aligned([old, new], self._is_data_of_arms)
        else:

            def accept(values: Sequence[Any]) -> bool:
                return _has_escaped(values, old, new) or self._is_data(values)

            found = self._aligned([old, new], accept)
        return found if found.differences else None

    def _differing_in_what_is_given(
        self, old: EmbeddedState, new: EmbeddedState, number: int
    ) -> Alignment | None:
        """Two states side by side where arms of a conditional join, if they differ in nothing but
        what the arms give, whatever data that is; None unless this is asked for."""
        is_asked = self._demand.joins >= Joining.DATA
        if not is_asked and number in self._parted:
            return None
        if not _gives_other(old, new) or self._alike.are_states(old.roots[:1], new.roots[:1]):
            return None
        found = self._aligned([old, new], self._is_whatever_data)
        if not found.differences or any(_root(row) == 0 for row in found.differences):
            return None
        if is_asked:
            return found
        self._parted.add(number)
        self._demand.parted = len(self._parted)
        return None

    def _is_whatever_data(self, values: Sequence[Any]) -> bool:
        """Whether two values are data of any kind; pairs that differ are compared by parts."""
        old, new = values
        if type(old) is PartialPair and type(new) is PartialPair:
            return False
        return all(self._is_given_up(value) or is_given_data(value) for value in values)

    def _is_data_of_arms(self, values: Sequence[Any]) -> bool:
        old, new = values
        if is_leaf(old) and type(new) is Static:
            return type(new.datum) in (int, float)
        return self._is_data(values)

    def _is_data(self, values: Sequence[Any]) -> bool:
        old, new = values
        if type(old) is PartialPair and type(new) is PartialPair:
            return False  # it is something in them that differs
        # a constant and something cyclic: what is divided of it keeps its remainder (`make_cyclic`)
        return is_liftable_data(old) and (self._is_given_up(new) or is_liftable_data(new))

    def _give_up(self, path: Path, arrival: Arrival, found: Alignment, trial: Trial) -> Roots:
        """The roots of a state with that lifted in which it differs from one on trial."""
        return self._lifted(path, arrival.roots, found, trial)

    def _lifted(self, path: Path, roots: Roots, found: Alignment, trial: Trial) -> Roots:
        """The roots with that made dynamic and watched in which they differ from what is on
        trial."""
        trial.sources.setdefault(path.block, {})
        path.settle()
        frozen = self._freezing.freeze(roots, path.store, path.lifted)
        copy = Thawed(frozen, own_names(frozen), None, found.opened[1])
        quotients: Quotients = {}
        given_up: list[EmbeddedRow] = []
        for row in found.differences:
            first, slot = row.slots
            if not self._make_cyclic(path, copy, slot, first, trial, quotients):
                given_up.append(row)
        lift_slots(path, copy, [row.slots[1] for row in given_up])
        for row in given_up:
            first, slot = row.slots
            self._watch_slot(copy.get(slot), trial, first, trial.places_of(row))
        return copy.roots

    # -- calls -------------------------------------------------------------------------------------

    def may_generalize(
        self, path: Path, closure: Closure | None, values: Sequence[Value], outer: Activation
    ) -> bool:
        """Whether `generalize_call` may do anything for a call; a first look, if the closure is not
        at hand."""
        own: tuple[Value, ...] = () if closure is None else (closure,)
        before = _call(outer.values[1 - len(own) :], path)
        now = _call((*own, *values), path)
        if not is_like(before, now):
            return False
        return closure is None or self._differing_in_data(before, now, joins=False) is not None

    def generalize_call(
        self, path: Path, closure: Closure, values: Sequence[Value], outer: Activation
    ) -> None:
        """Restart the block of a call that encloses another one of the same procedure, if they
        differ in data alone, with these on trial."""
        function = closure.function
        states = [_call(outer.values, path), _call((closure, *values), path)]
        if not is_like(states[0], states[1]):
            return
        found = self._differing_in_data(states[0], states[1], joins=False)
        if found is None:
            return
        places = {(function, *place_of(row)) for row in found.differences}
        if any(self._demand.refusals[place] >= MOST_REFUSALS for place in places):
            return
        keys = [
            self._freezing.call_key(path.store, tuple(v for _, v in state.roots))
            for state in states
        ]
        pair = (function, *keys)
        if pair in self._refused:
            return
        self._refused.add(pair)
        frozen = Frozen(states[0].roots, path.store, {}, self._freezing.liveness)
        copy = Thawed(frozen, own_names(frozen), None, found.opened[0])
        for row in found.differences:
            copy.put(row.slots[0], Dynamic("general"))
        trial = Trial(function, found.differences, route(path, outer.block))
        self._demand.recent.append(trial)
        general = EmbeddedState(copy.roots, copy.store)
        trial.general = function, general
        self._demand.calls.setdefault(function, []).append((general, trial))
        raise Restart(outer.block)  # type: ignore[arg-type]

    def differ_in_data(self, path: Path, old: Sequence[Value], new: Sequence[Value]) -> bool:
        """Whether two calls of a procedure differ in nothing but data."""
        return self._differing_in_data(_call(old, path), _call(new, path), joins=False) is not None

    def concerns(self, path: Path, closure: Closure, values: Sequence[Value]) -> bool:
        """Whether `generalized` may do anything with a call."""
        state = _call((closure, *values), path)
        return any(
            (trial.asked and bool(trial.was_asked(path)))
            or self._aligned([general, state], _is_data_for_leaf).differences
            for general, trial in self._demand.calls.get(closure.function, ())
        )

    def generalized(
        self, path: Path, closure: Closure, arguments: Arguments
    ) -> tuple[Closure, Arguments]:
        """A call with that made dynamic which is on trial in such calls."""
        values = arguments.values
        for general, trial in self._demand.calls[closure.function]:
            state = _call((closure, *values), path)
            found = self._aligned([general, state], _is_data_for_leaf)
            if trial.asked and (asked := trial.was_asked(path)):
                self._demand.refuse([Watched(trial, asked)])
            if found.differences:
                roots = self._freezing.with_cells([*state.roots, ("", arguments.continuation)])
                roots = self._lifted(path, roots, found, trial)
                closure, *values, k = [value for _, value in roots[: len(values) + 2]]
                arguments = arguments.of(values, k)
        return closure, arguments


def _gives_other(old: EmbeddedState, new: EmbeddedState) -> bool:
    """Whether other data is given to the same continuation, at a quick look."""
    given = zip(old.roots[1:], new.roots[1:], strict=False)
    return any(a is not b and _DATA & {type(a), type(b)} for (_, a), (_, b) in given)


_DATA: Final = frozenset({Static, PartialPair, PartialRecord, Several})


def _root(row: EmbeddedRow) -> int:
    """The number of the root that a row is in; that of the continuation is 0."""
    number: int = [row, *row.around()][-1].key
    return number


def _is_data_for_leaf(row: Sequence[Any]) -> bool:
    """Whether states have a variable and data that may become one in the same place."""
    return is_leaf(row[0]) and is_liftable_data(row[1])


def _call(values: Sequence[Value], path: Path) -> EmbeddedState:
    return EmbeddedState([("", value) for value in values], path.store)


def _is_its_own(found: Alignment) -> bool:
    """Whether states differ in variables of a loop itself, not in what its caller assigns: those of
    the library's loops are always given up (`memo.generalize`)."""
    return all(row.slots[0].owner is None for row in found.differences)


def _has_escaped(values: Sequence[Any], old: EmbeddedState, new: EmbeddedState) -> bool:
    """Whether an object that is known in the old state is one of the residual program in the
    new."""
    before, after = values
    if type(before) is not Ref or type(after) is not Ref:
        return False
    is_known = type(old.store.get(before.number)) is Cell
    return is_known and type(new.store.get(after.number)) is not Cell
