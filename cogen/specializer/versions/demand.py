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
be known once the number is not (`versions.trials`).  Where a remainder is needed, the quotient
alone is given up (seed 004: cyclic values): an address that starts at 0 stays aligned.

Trials are of data alone: symbols, constant lists and procedures steer, and are taken for it.  But
where many versions are for nothing but such data that arms of conditionals gave, as the names of
signs in a row, attempts follow in which that is on trial, too (`Joining`).

Law: the residual program means what the source does; a trial decides about versions only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import IntEnum
from math import gcd, lcm
from typing import Any, Final, NoReturn

from cogen.among import COMPARISONS
from cogen.lang import il
from cogen.lang.errors import Span
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.values.domain import Dynamic, Value, is_true
from cogen.specializer.values.freeze import Frozen, FrozenSlot
from cogen.specializer.versions.embedding import EmbeddedState
from cogen.specializer.versions.memo import Leaf, ResidualBlock, Restart, Way
from cogen.specializer.versions.summands import summands
from cogen.specializer.versions.trials import Place, Trial, Watched
from cogen.specializer.versions.worklist import Worklist

MOST_VERSIONS: Final = 64
"""Remainders of one integer that may each have a version."""

MOST_REFUSALS: Final = 3
"""After so many refusals of one place of a program point it is taken for what steers."""

CONDITIONAL: Final = "if"
"""What stands for a conditional among the operations."""

MOST_RECENT: Final = 4
"""Trials that are settled before others."""


class Joining(IntEnum):
    """What of what arms of conditionals give is one variable on trial, and for whom."""

    AS_IT_IS = 0
    """Numbers, characters, strings, truth values, pairs of these: where nothing asks for them."""
    OF_RUN = 1
    """For tests that look at data of the run in other cases, too."""
    DATA = 2
    """Whatever data it is, symbols and constant lists too, wherever no test asks which it is; that
    of the form of a list does not."""
    TESTED = 3
    """Symbols and other data without parts for tests as well."""


class Demand:
    """The trials of one specialization; `watched` are the variables that stand for known values."""

    def __init__(self, worklist: Worklist) -> None:
        self.worklist = worklist
        self.watched: dict[str, tuple[Watched, ...]] = {}
        self.origins: dict[str, tuple[Trial, FrozenSlot]] = {}
        """Of variables that are watched: which slot they were made for, perhaps with something
        added."""
        self.refusals: Counter[Place] = Counter()
        """How often a place of a program point had to be known."""
        self.steering: dict[Hashable, list[Place]] = {}
        """By program point, the places that had to be known so often that nothing is on trial
        there any more."""
        self.tested: set[tuple[str, Span | None]] = set()
        """The comparisons, by operation and place, and conditionals for which what arms of a
        conditional give had to be known."""
        self.parted = 0
        """How many versions there are for nothing but other data that arms of conditionals gave."""
        self.joins = Joining.AS_IT_IS
        self.of_run: Callable[[str, Span | None], bool] | None = None
        """What tells which tests look at data of the run, by operation and place."""
        self.trials: dict[ResidualBlock, list[Trial]] = {}
        """By block, the trials in which places of its state are lifted."""
        self.recent: list[Trial] = []
        self.calls: dict[il.Function, list[tuple[EmbeddedState, Trial]]] = {}
        """By procedure, the calls in which something is on trial, with that dynamic."""

    # -- variables that are watched --------------------------------------------------------------

    def watch(self, value: Any, trial: Trial, places: frozenset[Place]) -> None:
        """A variable stands for a known value, at some places of a trial, or for what is computed
        of these."""
        if type(value) is Dynamic:
            self._watch_also(value.name, Watched(trial, places, bool(is_true(value))))

    def _watch_also(self, name: str, new: Watched) -> None:
        before = self.watched.get(name, ())
        known = next((one for one in before if one.trial is new.trial), None)
        if known is not None:
            is_true = known.is_true and new.is_true
            new = Watched(new.trial, known.places | new.places, is_true)
            before = tuple([one for one in before if one is not known])
        if new != known:
            self.watched[name] = (*before, new)

    def inherit(self, old: str, new: str) -> None:
        """A parameter stands for a variable."""
        found = self.watched.get(old)
        if found is not None:
            self.watched[new] = found
            origin = self.origins.get(old)
            if origin is not None:
                self.origins[new] = origin

    def stands_for_known(self, name: str) -> bool:
        """Whether a variable stands for a known value on trial."""
        return any(not one.trial.refused for one in self.watched.get(name, ()))

    def on_trial(self, state: Frozen, positions: Iterable[int]) -> bool:
        """Whether one of the leaves of a state (by token position) stands for a known value."""
        for position in positions:
            leaf = state.occurrences.get(position)
            if leaf is not None and self.stands_for_known(leaf[0]):
                return True
        return False

    def hurry(self, way: Way) -> bool:
        """Whether code is on the way round of a recent trial, which is to be settled first."""
        self.recent = [trial for trial in self.recent if not trial.refused][-MOST_RECENT:]
        return any(trial.is_on_way(way) for trial in self.recent)

    def meet(self, way: Way, block: ResidualBlock, leaves: Iterable[Leaf]) -> None:
        """The current block's code goes on to a block that is there already: what is watched on
        the way is watched in it as well, so it must look again at what it does."""
        current = way.block
        watched, again = self.watched, False
        for (name, _), parameter in zip(leaves, block.raw.parameters, strict=True):
            arriving = watched.get(name)
            if arriving is None:
                continue
            known = [one for one in watched.get(parameter, ()) if not one.trial.refused]
            trials = {one.trial for one in known}
            back = [
                Watched(one.trial, asked)
                for one in arriving
                if one.trial.begins(block) and (asked := one.trial.was_asked(way))
            ]
            if back and all(one.trial in trials for one in back):
                self.refuse(back)
            for trial in dict.fromkeys(one.trial for one in arriving):
                if trial.begins(block):
                    self._keep_remainders((trial, *found) for found in trial.was_divided(way))
            new = [o for o in arriving if not o.trial.refused and o.trial not in trials]
            if new:
                watched[parameter] = (*known, *new)
                again = True
        if again and block is current:
            raise Restart(block)
        if again:
            self.worklist.make_again([block])

    def operate(
        self, way: Way, op: str, atoms: Sequence[il.Atom], result: str, place: Span | None
    ) -> None:
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
        computes = row.result in _COMPUTED
        found = [one for name in names for one in watched[name] if not one.trial.refused]
        if not computes:
            self._asked(way, found, op, place)
        for one in found:
            self._watch_also(result, one._replace(is_true=computes))

    def compute(self, atoms: Iterable[il.Atom], results: Iterable[str]) -> None:
        """Results are computed from values: they are watched as these are."""
        for atom in atoms:
            for one in self.watched.get(atom.name, ()) if type(atom) is il.Var else ():
                if not one.trial.refused:
                    for result in results:
                        self._watch_also(result, one._replace(is_true=False))

    def ask(self, way: Way, value: Any) -> None:
        """What a value is decides what is done: `Restart` if it was known."""
        if type(value) is Dynamic and value.name in self.watched:
            self._asked(way, self.watched[value.name], CONDITIONAL, None)

    def ask_truth(self, way: Way, value: Any, place: Span | None) -> None:
        """A conditional decides by a value: `Restart` if it was known.  A number is true to it,
        known or not."""
        if type(value) is Dynamic and value.name in self.watched:
            found = [one for one in self.watched[value.name] if not one.is_true]
            self._asked(way, found, CONDITIONAL, place)

    def _asked(self, way: Way, found: Sequence[Watched], op: str, place: Span | None) -> None:
        """An operation or a conditional asks for what is watched: `Restart` where that is a reason
        to know it."""
        meeting = [one for one in found if one.trial.route is None and not one.trial.refused]
        if meeting and (op == CONDITIONAL or op in COMPARISONS):
            self.tested.add((op, place))
            if self.joins and self.of_run is not None and self.of_run(op, place):
                found = [one for one in found if one.trial.route is not None]
        if self.joins >= Joining.DATA:
            found = [one for one in found if not self._is_let_go(one.trial, op)]
        self.refuse([one for one in found if one.trial.is_decided_by(way)])
        for one in found:
            one.trial.note_asked(way, one.places)

    def _is_let_go(self, trial: Trial, op: str) -> bool:
        """Whether it is no reason to know what arms give that an operation asks for it."""
        if not trial.is_given or op == CONDITIONAL:
            return False
        is_test = PRIMITIVES[op].result == "bool" and op not in _OF_FORM
        return not is_test or (trial.is_of_atoms and self.joins is Joining.TESTED)

    def divide(self, way: Way, x: Value, divisor: int) -> None:
        """A rule needs the remainder of x by the divisor: if x is on trial in a loop, and this is
        on the way round, only so much of it is to be given up that this stays known, and all is
        tried again."""
        if not self.origins or divisor < 2:
            return
        needed: list[tuple[Trial, FrozenSlot, int]] = []
        for name, factor in summands(way, x, divisor, self.origins):
            trial, slot = self.origins[name]
            base = divisor // gcd(factor, divisor)
            if trial.refused or trial.route is None or trial.general is not None:
                continue
            if trial.is_on_way(way):
                needed.append((trial, slot, base))
            else:
                trial.divided.setdefault(way.block, {})[way.arms, slot, base] = None
        self._keep_remainders(needed)

    def _keep_remainders(self, needed: Iterable[tuple[Trial, FrozenSlot, int]]) -> None:
        """Remainders of numbers on trial are needed on the way round: `Restart` with them known,
        if there are not too many of them."""
        restarted: dict[ResidualBlock, None] = {}
        for trial, slot, base in needed:
            wanted = lcm(trial.bases.get(slot, 1), base)
            if wanted <= MOST_VERSIONS and wanted != trial.bases.get(slot, 1):
                trial.bases.update(dict.fromkeys(trial.twins[slot], wanted))
                restarted.update(dict.fromkeys(trial.sources))
        if restarted:
            self.restart(restarted)

    def refuse(self, asked: Sequence[Watched]) -> None:
        """What is on trial has to be known, at the places that were asked for: `Restart`, and
        there are versions after all."""
        if not asked:
            return
        restarted: dict[ResidualBlock, None] = {}
        for trial in dict.fromkeys(one.trial for one in asked):
            trial.refused = True
            for place in {p for one in asked if one.trial is trial for p in one.places}:
                self.refusals[place] += 1
                if self.refusals[place] == MOST_REFUSALS:
                    self.steering.setdefault(trial.head, []).append(place)
            if trial.general is not None:
                function, state = trial.general
                self.calls[function].remove((state, trial))
            for block, slots in trial.sources.items():
                for slot in slots:
                    block.widening().slots.pop(slot, None)
                restarted[block] = None
        self.restart(restarted)

    def restart(self, blocks: Iterable[ResidualBlock]) -> NoReturn:
        """Start blocks again."""
        first, *others = blocks
        self.worklist.make_again(others)
        raise Restart(first)


_COMPUTED: Final = frozenset({"int", "float", "number", "string", "char"})
"""What is computed, where a predicate decides and a list is taken apart."""
_OF_FORM: Final = frozenset({"null?", "pair?", "list?"})
"""Tests of the form of a list."""
_KEEPING: Final = frozenset({"lift", "values"})
"""Pure operations that look at nothing."""
