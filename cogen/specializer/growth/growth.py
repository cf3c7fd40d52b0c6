"""Growth: a state that gets larger from version to version, while the program goes in circles.

Versions of one program point that follow each other without end differ in something.  If it is a
number that counts, only the number of versions can tell (`versions.limits`).  If it is a
structure with dynamic parts (a list that a loop puts values on), each version costs more than the
one before, and long before there are too many it can be seen: nothing else is new.  If they cost
much, it is seen before they are many, and of constant structures too.

Where there is something else to try, a few versions that grow one from another are enough to give
an attempt up: what they cost is what most attempts would cost that come to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from cogen.lang.errors import Note, Span
from cogen.lang.ilutil import base_name
from cogen.specializer.growth.growth_detection import ASSIGNED, GROWS, GrowthDetection
from cogen.specializer.growth.ontrial import OnTrial
from cogen.specializer.memo.fast_memo import Quick
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import (
    Activation,
    Closure,
    Frame,
    PartialPair,
    PartialRecord,
    Ref,
    Several,
    Value,
)
from cogen.specializer.versions.effort import RoundsCounted, VersionsGrown
from cogen.specializer.versions.embedding import EmbeddedState, parts_of
from cogen.specializer.versions.freezing import Freezing
from cogen.specializer.versions.limits import STATES, Endless, Limits, reached_in, state_of_call
from cogen.specializer.versions.memo import ResidualBlock
from cogen.specializer.versions.options import SpecializerOptions

SHARE: Final = 8
"""The part of --max-variants that versions may follow each other and only grow."""

ROUND: Final = 4
"""The static parts of so many versions in a row must come back, on the average."""

COUNTED: Final = 64
"""So many versions that follow each other and differ in numbers only count without end: nothing
but `growth.growth_detection` will stop them."""

EARLY: Final = 16
"""So many versions may follow each other before they are looked at, if they cost much."""

GROWN: Final = 6
"""So many versions that have grown one from another, of those looked at, will be followed by others
like them; a program may well nest less deep."""

ROUNDS: Final = 16
"""So many in which numbers count that are kept in a structure (a store, a stack, an environment)
are as good as that, if there is something else to try: a residual program with a copy of a loop for
each of so many rounds would give way to a smaller one anyway."""

FIRST_ROUNDS: Final = GROWN
"""So many are enough while there is advice to try, and the program as it is may be begun again;"""

FIRST_ASSIGNED: Final = 10
"""so many of what is assigned to objects, as calls within each other that count there become a
residual recursion after eight (`execution.recursion`)."""

LOOKED: Final = 6 * GROWN
"""So many that follow each other are looked at for that, each time that there are `GROWN` more."""

EFFORT: Final = 64
"""Versions cost much when so many times as many calls were unfolded for them, or values laid down
in them, as a point may have versions: more for a larger interpreted program."""


@dataclass(slots=True, eq=False, repr=False)
class Growth:
    """Watches the blocks at one point that led to each other."""

    _options: SpecializerOptions
    _limits: Limits
    _freezing: Freezing
    _quick: Quick
    _growth_detection: GrowthDetection
    _on_trial: OnTrial
    _generation: dict[ResidualBlock, int] = field(default_factory=dict, init=False)
    _due: dict[ResidualBlock, int] = field(default_factory=dict, init=False)
    """By block: the generation in which so many may have grown one from another at the soonest."""
    hurries: bool = field(default=False, init=False)
    """Whether versions are looked at soon, whatever they cost."""
    gives_up: bool = field(default=False, init=False)
    """Whether there is something else to try."""
    is_patient: bool = field(default=False, init=False)
    """Whether the advice that there is has come to nothing."""

    def check(self, block: ResidualBlock) -> None:
        """`Endless`, which names what grows, if nothing else changes from version to version."""
        previous = block.previous()
        if previous is None:
            return
        number = self._generation[block] = self._generation.get(previous, 0) + 1
        if self.gives_up:
            self._look(block, previous, number)
        variants = self._options.max_variants
        if number % (2 * COUNTED) == 0 and not self._options.generalize:
            self._check_counting(_versions(block, 2 * COUNTED))
        step = max(8, variants // SHARE)
        if number % step:
            effort = self._limits.laid_down + self._limits.unfoldings
            much = EFFORT * self._limits.most_variants
            if number % EARLY == 0 and (self.hurries or effort > much):
                self._check_chain(_versions(block, step))
            return
        versions = _versions(block, step)
        numbers = {self._quick.numbers(version) for version in versions}
        if len(numbers) * ROUND > len(versions):
            return  # cheaper to see than that the static parts, of which they are some, do not
        sizes = [self._freezing.frozen(version).size for version in versions]
        if not sizes[-1] < sizes[len(sizes) // 2] < sizes[0]:
            return
        states = [self._freezing.opened(version) for version in versions]
        known = {frozenset(filter(_is_known, state.tokens)) for state in states}
        if len(known) * ROUND <= len(states):
            self._refuse(versions)

    def _look(self, block: ResidualBlock, previous: ResidualBlock, number: int) -> None:
        """Look whether enough versions have grown one from another, or count, each time that they
        may be enough: each further one is one more at most."""
        due = self._due.get(previous, GROWN)
        if number >= due:
            states = [EmbeddedState(v.roots, v.store) for v in _versions(block, LOOKED)]
            due = number + self._give_up(states)
        self._due[block] = due

    def _give_up(self, states: list[EmbeddedState]) -> int:
        """`VersionsGrown`, if states, newest first, have grown one from another; `RoundsCounted`,
        if numbers in structures count from one to another, and have not come to an end.  How many
        are missing to that, if neither is so."""
        grown, counted, assigned = 1, 1, False
        newest = last = states[0]
        for state in states[1:]:
            how = self._growth_detection.step(state, newest)
            if how == GROWS:
                grown, newest = grown + 1, state
            how = how if last is newest else self._growth_detection.step(state, last)
            if how is not None:
                counted, last = counted + 1, state
                assigned = assigned or how == ASSIGNED
        if grown >= GROWN:
            raise VersionsGrown
        rounds = ROUNDS if self.is_patient else FIRST_ASSIGNED if assigned else FIRST_ROUNDS
        if counted >= rounds:
            raise RoundsCounted
        return min(GROWN - grown, rounds - counted)

    def _check_counting(self, versions: list[ResidualBlock]) -> None:
        """`Endless`, if all of the versions, newest first, differ in numbers only."""
        for index in range(0, len(versions) - 1, 8):
            if not self._growth_detection.has_counted(versions[index + 1], versions[index]):
                return
        self._refuse(versions)

    def check_calls(
        self, path: Path, call: tuple[Value, ...], around: Sequence[Activation]
    ) -> None:
        """`Endless`, if a call and those of the same procedure around it, the innermost first,
        differ in data only; where there is something else to try, a few that have grown one from
        another are as good as that."""
        if self.gives_up and len(around) % GROWN == 0:
            states = [state_of_call(one, path.store) for one in around[:LOOKED]]
            roots = [(name, value) for (name, _), value in zip(states[0].roots, call, strict=False)]
            self._give_up([EmbeddedState(roots, path.store), *states])
        if len(around) < COUNTED or len(around) % COUNTED:
            return
        calls = [call, *(activation.values for activation in around[: COUNTED - 1])]
        if all(self._on_trial.differ_in_data(path, old, new) for new, old in pairwise(calls)):
            function = around[0].function
            name = function.label or base_name(function.name)
            raise Endless(
                f"specialization does not seem to end: {name} calls itself with other data each "
                "time, and only a run can tell how often",
                reached_in(around[0], function.span),
                hint=self._limits.remedy("what is different", "max-variants"),
                states=[state_of_call(one) for one in reversed(around[:STATES])],
                whence=f"from call to call of {name}",
            )

    def _check_chain(self, versions: list[ResidualBlock]) -> None:
        """`Endless`, if many of the versions, newest first, differ only in what has grown."""
        chain = [versions[0]]
        for version in versions[1:]:
            if self._growth_detection.has_grown(version, chain[-1]):
                chain.append(version)
        if len(chain) >= EARLY // 2 and len(chain) * ROUND > len(versions):
            self._refuse(chain)

    def _refuse(self, versions: list[ResidualBlock]) -> None:
        newest, middle, oldest = versions[0], versions[len(versions) // 2], versions[-1]
        now, then = self._parts(newest), self._parts(oldest)
        growth = {name: size - then.get(name, 0) for name, size in now.items()}
        name = max(growth, key=lambda name: growth[name], default="")
        hint = base_name(newest.raw.hint) or "one program point"
        what = name if name and growth[name] > 0 else "what is to be done afterwards"
        half = self._parts(middle).get(name, 0)
        place = self._definition(newest, name)
        place = place or reached_in(newest.activation, newest.raw.span)
        whence = f"from version to version of {hint}"
        raise Endless(
            f"specialization does not seem to end: {what} grows {whence}",
            place,
            hint=self._limits.remedy("it", "max-variants"),
            notes=[
                Note(
                    f"in {len(versions)} versions from {then.get(name, 0)} parts to {half} to "
                    f"{now.get(name, 0)}, with the same static values again and again",
                    newest.raw.span,
                )
            ],
            states=[EmbeddedState(one.roots, one.store) for one in reversed(versions[:STATES])],
            whence=whence,
        )

    def _definition(self, block: ResidualBlock, name: str) -> Span | None:
        """The place of the procedure that has the variable as a parameter, with the calls that
        led into it."""
        activation = block.activation
        while activation is not None:
            if name in map(base_name, activation.function.parameters):
                return reached_in(activation, activation.function.span)
            k = activation.continuation
            activation = k.activation if type(k) is Frame else None
        return None

    def _parts(self, block: ResidualBlock) -> dict[str, int]:
        """How many composite values there are in those of each variable, in all frames."""
        sizes: dict[str, int] = {}
        seen: set[tuple[bool, int]] = set()
        work: list[tuple[str, Any]] = [*block.roots]
        while work:
            name, value = work.pop()
            kind = type(value)
            identity = value.number if kind is Ref else id(value)
            if kind not in _COMPOSITE or (kind is Ref, identity) in seen:
                continue
            seen.add((kind is Ref, identity))
            if kind is Frame or kind is Closure:
                live = self._freezing.liveness
                names = (
                    live.of_cont(value.cont) if kind is Frame else live.of_function(value.function)
                )
                work.extend((base_name(n), value.environment[n]) for n in names)
                if kind is Frame:
                    continue
            sizes[name] = sizes.get(name, 0) + 1
            if kind is not Closure:
                parts = parts_of(value, block.store, self._freezing.liveness)
                work.extend((name, part) for part in parts)
        return sizes


def _versions(block: ResidualBlock, step: int) -> list[ResidualBlock]:
    """A block and so many that led to it at its point, the newest first."""
    versions = [block]
    while len(versions) <= step and (older := versions[-1].previous()) is not None:
        versions.append(older)
    return versions


def _is_known(token: Any) -> bool:
    """Whether a token of a state is a constant."""
    return type(token) is not tuple or token[0] in ("i", "f", "s", "b", "o")


_COMPOSITE: Final = frozenset({PartialPair, PartialRecord, Several, Closure, Frame, Ref})
