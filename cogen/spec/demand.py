"""Demand: what is known but never asked for is made dynamic.

States that meet at a program point may differ in numbers or other data alone: in what the arms of a
conditional returned, or in what a loop counts.  A version for each is worth its code only if the
program asks for what is known: tests it, takes it apart, calls it.  So the first of two such
states is generalized *on trial*: the places where they differ get variables, and these are watched.
If one is looked at together with nothing but constants (as the known value would have been, at
once), the trial is refused, what came of it is forgotten, and there are versions after all.

    (let ((r (if c '() (list x)))) (cons y r))      one continuation: nothing looks at r
    (let ((r (if c '() (list x)))) (null? r))       two: each knows the answer
    (let loop ((i 0)) (if (< i n) … (loop (+ i 1))))    one loop: i is only counted

Computing with a number is not asking for it; the result is watched in its turn.  In a loop, and in
a recursion, a number is asked for only where it goes round: what is looked at on the way out cannot
be known once the number is not (`cogen.spec.trials`).  Where a remainder is needed, the quotient
alone is given up (seed 004: cyclic values): an address that starts at 0 stays aligned.

Trials are of data alone: symbols, constant lists and procedures steer, and are taken for it.

Law: the residual program means what the source does; a trial decides about versions only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Final, NoReturn

from cogen.lang import il
from cogen.lang.prelude import in_prelude
from cogen.lang.prims import PRIMITIVES
from cogen.spec.apart import Apart
from cogen.spec.auto import summands
from cogen.spec.domain import (
    Activation,
    Cell,
    Closure,
    Continuation,
    Cyclic,
    Dynamic,
    PartialPair,
    Ref,
    Static,
    Value,
)
from cogen.spec.embedding import Alignment, Row, State, is_leaf, is_like
from cogen.spec.freeze import Frozen, Slot, Thawed
from cogen.spec.memo import Arrival, Block, Leaf, Point, Restart, Roots
from cogen.spec.trials import Trial, is_liftable_data, place_of, route, twins
from cogen.spec.whistle import own_names

if TYPE_CHECKING:
    from cogen.spec.path import Path
    from cogen.spec.specializer import Specializer

MOST_REFUSALS: Final = 3
"""After so many refusals of one place of a program point it is taken for what steers."""

MOST_VERSIONS: Final = 64
"""Remainders of one integer that may each have a version."""

MOST_RECENT: Final = 4
"""Trials that are settled before others."""

MOST_COMPARED: Final = 8
"""Blocks that a new state is compared with."""


class Demand:
    """The trials of one specialization; `watched` are the variables that stand for known values."""

    def __init__(self, spec: Specializer) -> None:
        self.spec = spec
        self.watched: dict[str, tuple[Trial, ...]] = {}
        self.origins: dict[str, tuple[Trial, Slot]] = {}
        """Of variables that are watched: which slot they were made for, perhaps with something
        added."""
        self._refusals: Counter[Hashable] = Counter()
        self._refused: set[Hashable] = set()
        self._trials: dict[Block, list[Trial]] = {}
        """By block, the trials in which places of its state are lifted."""
        self._keys: dict[Hashable, int] = {}
        """Keys of states that were compared with others, numbered."""
        self.apart = Apart(spec.quick.states)
        self._apart: set[tuple[Block, int]] = set()
        """Blocks and keys of states that differ in more than data."""
        self._uncovered: set[tuple[Block, int]] = set()
        """The same where constants of the block's state may be anything in the other one."""
        self.recent: list[Trial] = []
        self.calls: dict[il.Function, list[tuple[State, Trial]]] = {}

    # -- variables that are watched --------------------------------------------------------------

    def watch(self, value: Any, trial: Trial) -> None:
        """A variable stands for a known value."""
        if type(value) is Dynamic:
            before = self.watched.get(value.name, ())
            if trial not in before:
                self.watched[value.name] = (*before, trial)

    def unwatched(self, path: Path, value: Dynamic) -> Dynamic:
        """A lifted value: what stands for it need not be watched, as it would not be known any more
        if it were known."""
        if value.name not in self.watched:
            return value
        return path.let("lift", (il.Var(value.name),), value.type, "x", None)

    def inherit(self, old: str, new: str) -> None:
        """A parameter stands for a variable."""
        found = self.watched.get(old)
        if found is not None:
            self.watched[new] = found
            origin = self.origins.get(old)
            if origin is not None:
                self.origins[new] = origin

    def on_trial(self, state: Frozen, positions: Iterable[int]) -> bool:
        """Whether one of the leaves of a state (by token position) stands for a known value."""
        for position in positions:
            leaf = state.occurrences.get(position)
            if leaf is not None and any(not t.refused for t in self.watched.get(leaf[0], ())):
                return True
        return False

    def hurry(self, path: Path) -> bool:
        """Whether the path is on the way round of a recent trial, which is to be settled first."""
        self.recent = [trial for trial in self.recent if not trial.refused][-MOST_RECENT:]
        return any(trial.is_on_way(path) for trial in self.recent)

    def meet(self, path: Path, block: Block, leaves: Iterable[Leaf]) -> None:
        """The current block's code goes on to a block that is there already: what is watched on
        the way is watched in it as well, so it must look again at what it does."""
        current = path.block
        watched, again = self.watched, False
        for (name, _), parameter in zip(leaves, block.raw.parameters, strict=True):
            arriving = watched.get(name)
            if arriving is None:
                continue
            known = watched.get(parameter, ())
            back = [t for t in arriving if t.begins(block) and t.was_asked(path)]
            if back and all(trial in known for trial in back):
                self._refuse(back)
            new = [trial for trial in arriving if not trial.refused and trial not in known]
            if new:
                watched[parameter] = (*(trial for trial in known if not trial.refused), *new)
                again = True
        if again and block is current:
            raise Restart(block)
        if again:
            self.spec.make_again([block])

    def operate(self, path: Path, op: str, atoms: Sequence[il.Atom], result: str) -> None:
        """An operation is left: `Restart` if it asks for a known value."""
        watched, names = self.watched, []
        for atom in atoms:
            if type(atom) is il.Var:
                if atom.name not in watched:
                    return
                names.append(atom.name)
        if not names:
            return
        row = PRIMITIVES[op]
        if row.effect != "pure" and row.effect != "read":
            return
        if op in _KEEPING:
            return
        computes = row.result in _NUMBERS
        trials = [trial for name in names for trial in watched[name] if not trial.refused]
        self._refuse([t for t in trials if not computes and t.decides(path)])
        for trial in trials:
            self.watch(Dynamic(result), trial)

    def ask(self, path: Path, value: Any) -> None:
        """What a value is decides what is done: `Restart` if it was known."""
        if type(value) is Dynamic and value.name in self.watched:
            self._refuse([trial for trial in self.watched[value.name] if trial.decides(path)])

    def divide(self, path: Path, x: Value, divisor: int) -> None:
        """A rule needs the remainder of x by the divisor: if x is on trial in a loop, only so much
        of it is to be given up that this stays known, and all is tried again."""
        if not self.origins or divisor < 2:
            return
        restarted: dict[Block, None] = {}
        for name, factor in summands(path, x, divisor, self.origins):
            trial, slot = self.origins[name]
            base = divisor // gcd(factor, divisor)
            if (
                trial.refused
                or trial.route is None
                or trial.general is not None
                or base > MOST_VERSIONS
            ):
                continue
            wanted = lcm(trial.bases.get(slot, 1), base)
            if wanted <= MOST_VERSIONS and wanted != trial.bases.get(slot, 1):
                trial.bases.update(dict.fromkeys(trial.twins[slot], wanted))
                restarted.update(dict.fromkeys(trial.sources))
        if restarted:
            self._restart(restarted)

    def _refuse(self, trials: Sequence[Trial]) -> None:
        if not trials:
            return
        restarted: dict[Block, None] = {}
        for trial in dict.fromkeys(trials):
            trial.refused = True
            for place in trial.places:
                self._refusals[place] += 1
            if trial.general is not None:
                function, state = trial.general
                self.calls[function].remove((state, trial))
            for block, slots in trial.sources.items():
                for slot in slots:
                    block.lifted_slots.pop(slot, None)
                restarted[block] = None
        self._restart(restarted)

    def _restart(self, blocks: Iterable[Block]) -> NoReturn:
        """Start blocks again."""
        first, *others = blocks
        self.spec.make_again(others)
        raise Restart(first)

    # -- memo points -----------------------------------------------------------------------------

    def covering(self, path: Path, point: Point, arrival: Arrival) -> Roots | None:
        """The roots of a state with that lifted which is on trial in one like it."""
        on_trial = path.block.procedure.on_trial.get(point)
        if not on_trial:
            return None
        number = self._number(arrival)
        for block in reversed(on_trial):
            if (block, number) in self._uncovered:
                continue
            for trial in self._trials.get(block, []):
                if trial.refused:
                    continue
                slots = trial.sources[block]
                found = self._covered(block, arrival, path, slots)
                if found is not None:
                    return self._give_up(path, arrival, found, trial)
        return None

    def _number(self, arrival: Arrival) -> int:
        """The number of a state's key."""
        return self._keys.setdefault(arrival.key, len(self._keys))

    def _covered(
        self, block: Block, arrival: Arrival, path: Path, slots: dict[Slot, None]
    ) -> Alignment | None:
        def accept(values: Sequence[Any]) -> bool:
            return self._is_given_up(values[1]) or is_liftable_data(values[1])

        old, new = State(block.roots, block.store), State(arrival.roots, path.store)
        if not is_like(old, new):
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
        new, number = State(arrival.roots, path.store), self._number(arrival)
        of_library = in_prelude(path.block.raw.span)
        for block, joins in others:
            if (block, number) in self._apart:
                continue
            old = State(block.roots, block.store)
            if not is_like(old, new) or (block, arrival.key) in self._refused:
                continue
            found = self._differing_in_data(old, new, joins)
            if found is None or (of_library and not joins and _is_its_own(found)):
                self._apart.add((block, number))
                continue
            places = frozenset((point, *place_of(row)) for row in found.differences)
            if any(self._refusals[place] >= MOST_REFUSALS for place in places):
                continue
            self._refused.add((block, arrival.key))
            trial = Trial(places, None if joins else route(path, block))
            if not joins:
                self.recent.append(trial)
            slots = dict.fromkeys(row.slots[0] for row in found.differences)
            trial.sources[block] = slots
            trial.twins = twins(found.differences)
            trial.objects = {r.slots[0] for r in found.differences if type(r.values[0]) is Ref}
            self._trials.setdefault(block, []).append(trial)
            on_trial = path.block.procedure.on_trial.setdefault(point, [])
            if block not in on_trial:
                on_trial.append(block)
            if all(self._is_parameter(block, row) for row in found.differences):
                for row in found.differences:
                    self.watch(row.values[0], trial)
            else:
                block.lifted_slots.update(slots)
                block.opened |= found.opened[0]
            raise Restart(block)

    def _is_parameter(self, block: Block, row: Row) -> bool:
        """Whether a parameter of a block, which is nothing else there, is what differs."""
        value = row.values[0]
        if type(value) is not Dynamic:
            return False
        places = self.spec.frozen(block).occurrences.values()
        return sum(leaf == (value.name, 0) for leaf in places) == 1

    def make_cyclic(self, path: Path, block: Block, copy: Thawed) -> set[Slot]:
        """Give up the quotients only of integers in slots of a block's state; the slots."""
        done: set[Slot] = set()
        quotients: dict[tuple[int, int], Dynamic] = {}
        for trial in self._trials.get(block, []):
            if trial.refused:
                continue
            for slot, base in trial.bases.items():
                if self._make_cyclic(path, copy, slot, base, trial, quotients):
                    done.add(slot)
        return done

    def _make_cyclic(
        self,
        path: Path,
        copy: Thawed,
        slot: Slot,
        base: int,
        trial: Trial,
        quotients: dict[tuple[int, int], Dynamic],
    ) -> bool:
        value = copy.get(slot)
        if type(value) is not Static or type(value.datum) is not int:
            return False
        key = value.datum, base
        if key not in quotients:
            lifted = path.dynamic(Static(value.datum // base))
            quotients[key] = Dynamic(lifted.name, "int")
            self.watch(lifted, trial)
        copy.put(slot, Cyclic(base, value.datum % base, quotients[key]))
        return True

    def forwarded(self, block: Block, copy: Thawed) -> None:
        """A block has lifted what is on trial in its state, in a copy."""
        for trial in self._trials.get(block, []):
            if not trial.refused:
                for slot in trial.sources[block]:
                    self._watch_slot(copy.get(slot), trial, slot)

    def _watch_slot(self, value: Any, trial: Trial, slot: Slot) -> None:
        if slot in trial.objects:
            return
        self.watch(value, trial)
        if type(value) is Dynamic and value.type == "int":
            self.origins[value.name] = trial, slot

    def _others(self, path: Path, point: Point) -> list[tuple[Block, bool]]:
        found: list[tuple[Block, bool]] = []
        if point[0] == "cont":
            same = path.block.procedure.at_point.get(point, [])
            found += [
                (b, True) for b in same[: -MOST_COMPARED - 1 : -1] if b.reached and not b.forwards
            ]
        else:
            ancestors = self.spec.generalizer.ancestors(path, point)[:MOST_COMPARED]
            found += [(block, False) for block in ancestors]
        return found

    def _aligned(self, states: Sequence[State], accept: Any) -> Alignment:
        spec = self.spec
        made = Alignment(states, spec.quick.states, accept, spec.barriers.__contains__)
        spec.growth.looked += made.looked
        return made

    def _differing_in_data(self, old: State, new: State, joins: bool) -> Alignment | None:
        """Two states side by side; None if they differ in more than data, or not at all.  Where
        arms of a conditional join, numbers may be what the old one knows nothing of."""
        if len(old.roots) != len(new.roots) or self.apart.are_states(old.roots, new.roots):
            return None
        if joins:
            found = self._aligned([old, new], self._is_data_of_arms)
        else:

            def accept(values: Sequence[Any]) -> bool:
                return _has_escaped(values, old, new) or self._is_data(values)

            found = self._aligned([old, new], accept)
        return found if found.differences else None

    def _is_data_of_arms(self, values: Sequence[Any]) -> bool:
        old, new = values
        if is_leaf(old) and type(new) is Static:
            return type(new.datum) in (int, float)
        return self._is_data(values)

    def _is_data(self, values: Sequence[Any]) -> bool:
        old, new = values
        if type(old) is PartialPair and type(new) is PartialPair:
            return False  # it is something in them that differs
        return is_liftable_data(old) and (is_leaf(new) or is_liftable_data(new))

    def _give_up(self, path: Path, arrival: Arrival, found: Alignment, trial: Trial) -> Roots:
        """The roots of a state with that lifted in which it differs from one on trial."""
        return self._lifted(path, arrival.roots, found, trial)

    def _lifted(self, path: Path, roots: Roots, found: Alignment, trial: Trial) -> Roots:
        """The roots with that made dynamic and watched in which they differ from what is on
        trial."""
        trial.sources.setdefault(path.block, {})
        path.settle()
        frozen = self.spec.freeze(roots, path.store, path.lifted)
        copy = Thawed(frozen, own_names(frozen), None, found.opened[1])
        quotients: dict[tuple[int, int], Dynamic] = {}
        given_up: list[tuple[Slot, Slot]] = []
        for row in found.differences:
            first, slot = row.slots
            base = trial.bases.get(first)
            if base is None or not self._make_cyclic(path, copy, slot, base, trial, quotients):
                given_up.append((first, slot))
        self.spec.whistle.lift(path, copy, [slot for _, slot in given_up])
        for first, slot in given_up:
            self._watch_slot(copy.get(slot), trial, first)
        return copy.roots

    # -- calls -------------------------------------------------------------------------------------

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
        places = frozenset((function, *place_of(row)) for row in found.differences)
        if any(self._refusals[place] >= MOST_REFUSALS for place in places):
            return
        keys = [self.spec.call_key(path, tuple(v for _, v in state.roots)) for state in states]
        pair = (function, *keys)
        if pair in self._refused:
            return
        self._refused.add(pair)
        frozen = Frozen(states[0].roots, path.store, {}, self.spec.liveness)
        copy = Thawed(frozen, own_names(frozen), None, found.opened[0])
        for row in found.differences:
            copy.put(row.slots[0], Dynamic("general"))
        trial = Trial(places, route(path, outer.block))
        self.recent.append(trial)
        general = State(copy.roots, copy.store)
        trial.general = function, general
        self.calls.setdefault(function, []).append((general, trial))
        raise Restart(outer.block)  # type: ignore[arg-type]

    def differ_in_data(self, path: Path, old: Sequence[Value], new: Sequence[Value]) -> bool:
        """Whether two calls of a procedure differ in nothing but data."""
        return self._differing_in_data(_call(old, path), _call(new, path), joins=False) is not None

    def generalized(
        self, path: Path, closure: Closure, values: list[Value], k: Continuation
    ) -> tuple[Closure, list[Value], Continuation]:
        """A call with that made dynamic which is on trial in such calls."""

        def accept(row: Sequence[Any]) -> bool:
            return is_leaf(row[0]) and is_liftable_data(row[1])

        for general, trial in self.calls[closure.function]:
            state = _call((closure, *values), path)
            found = self._aligned([general, state], accept)
            if trial.asked and trial.was_asked(path):
                self._refuse([trial])
            if found.differences:
                roots = self.spec.with_cells([*state.roots, ("", k)])
                roots = self._lifted(path, roots, found, trial)
                closure, *values, k = [value for _, value in roots[: len(values) + 2]]
        return closure, values, k


def _call(values: Sequence[Value], path: Path) -> State:
    return State([("", value) for value in values], path.store)


def _is_its_own(found: Alignment) -> bool:
    """Whether states differ in variables of a loop itself, not in what its caller assigns: those of
    the library's loops are always given up (`cogen.spec.generalize`)."""
    return all(row.slots[0].owner is None for row in found.differences)


def _has_escaped(values: Sequence[Any], old: State, new: State) -> bool:
    """Whether an object that is known in the old state is one of the residual program in the
    new."""
    before, after = values
    if type(before) is not Ref or type(after) is not Ref:
        return False
    is_known = type(old.store.get(before.number)) is Cell
    return is_known and type(new.store.get(after.number)) is not Cell


_NUMBERS: Final = frozenset({"int", "float", "number"})
_KEEPING: Final = frozenset({"lift", "values"})
"""Pure operations that look at nothing."""
