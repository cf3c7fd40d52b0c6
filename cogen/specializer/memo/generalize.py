"""Generalization: when a residual block is made for more than the state it was met with.

Always for numbers that become dynamic and for variables that stop being the same on the way round
a loop (see Note [Generalizing constants to dynamic] and Note [Joins] in `versions.memo`).  In the
prelude, and with --generalize where `growth.growth_detection` leads nowhere, also for what
changes from visit to visit.  The block from which on that holds is started again: it then only
lifts, and goes on to the more general block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from cogen.lang.errors import Span
from cogen.lang.prelude import in_arrays, in_prelude
from cogen.specializer.memo.fast_memo import Quick
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Dynamic, Frame, Ref, Return, Several, Stop
from cogen.specializer.values.freeze import Frozen
from cogen.specializer.versions.cells import BarrierCells
from cogen.specializer.versions.demand import Demand
from cogen.specializer.versions.freezing import Freezing
from cogen.specializer.versions.memo import (
    MAX_ANCESTORS,
    Arrival,
    Candidate,
    Point,
    ResidualBlock,
    Restart,
    Roots,
    Way,
    ancestors,
    generalization,
    growing_numbers,
    leaf_type,
)
from cogen.specializer.versions.options import SpecializerOptions

GENERALIZE_AFTER: Final = 3
"""Visits of one point, with other static values each time, before --generalize acts."""


@dataclass(slots=True, eq=False, repr=False)
class Generalizer:
    """Decides in one specialization which states a block is to serve."""

    _options: SpecializerOptions
    _freezing: Freezing
    _quick: Quick
    _demand: Demand

    def others(self, way: Way, point: Point, whole: bool) -> list[Candidate]:
        """The blocks that a state at a point, `whole` or not, is compared with; see Note
        [Generalizing constants to dynamic]."""
        found = [(block, False) for block in ancestors(way, point)]
        if point[0] == "cont":
            same = way.block.procedure.at_point.get(point, [])
            found += [(b, True) for b in same[:-MAX_ANCESTORS:-1] if not b.forwards]
        return [candidate for candidate in found if candidate[0].whole is whole]

    def serving(self, candidates: list[Candidate], frozen: Frozen) -> ResidualBlock | None:
        """The first of the blocks that serves for the state; or a restart of one that must be
        generalized."""
        for other, join in candidates:
            old = self._freezing.tokens(other)
            difference = generalization(old, frozen.tokens, join)
            if difference is None:
                continue
            lift, widen = difference
            widen = {p for p in widen if not _is_wider(old[p][1], leaf_type(frozen.tokens, p))}
            if not lift and not widen:
                return other
            if self._demand.on_trial(frozen, lift):
                continue
            wider = other.widening()
            wider.positions.update(lift)
            wider.types |= widen
            raise Restart(other)
        return None

    def applies(self, span: Span | None) -> bool:
        """Whether what grows is made dynamic at a point: if asked for, and in the prelude.  Its
        loops count and collect; so `length` of a dynamic list becomes a loop.  Those of operations
        on arrays end: they are carried out only for known sizes."""
        if in_arrays(span):
            return False
        return self._options.generalize or in_prelude(span)

    def covering(
        self, path: Path, point: Point, roots: Sequence[tuple[str, Any]], whole: Roots
    ) -> Roots | None:
        """The roots, some made dynamic, for which a generalized ancestor serves; None if none
        does.  `whole` are the roots with the cells that belong to them."""
        keys, barriers = None, self._freezing.barriers
        for ancestor in ancestors(path, point):
            if ancestor.parent is None or not ancestor.parent.forwards:
                continue
            keys = keys or [self._freezing.root_key(root, path.store) for root in whole]
            old = self._freezing.root_keys(ancestor)
            differ = {i for i, key in enumerate(keys) if key != old[i]}
            if differ and all(
                type(ancestor.roots[i][1]) is Dynamic and is_liftable(whole[i][1], barriers)
                for i in differ
            ):
                return [
                    (hint, path.dynamic(value)) if index in differ else (hint, value)
                    for index, (hint, value) in enumerate(roots)
                ]
        return None

    def generalize(self, path: Path, point: Point, arrival: Arrival) -> None:
        """Restart the first ancestor with that lifted which changes from visit to visit."""
        older = ancestors(path, point)
        if len(older) < GENERALIZE_AFTER:
            return
        first, last = older[-1], older[0]
        roots, barriers = arrival.roots, self._freezing.barriers
        if self._quick.may_count(older, arrival):
            old, previous = self._freezing.tokens(first), self._freezing.tokens(last)
            numbers = growing_numbers(old, previous, arrival.frozen)
            if numbers is not None:
                first.widening().positions.update(numbers)
                raise Restart(first)
        keys = [self._freezing.root_key(root, path.store) for root in roots]
        growing = set()
        for index, history in enumerate(
            zip(
                keys,
                self._freezing.root_keys(last),
                self._freezing.root_keys(older[1]),
                strict=True,
            )
        ):
            if len(set(history)) == 1:
                continue
            values = roots[index][1], first.roots[index][1]
            if len(set(history)) < len(history):
                return
            if not all(is_liftable(value, barriers) for value in values):
                return
            growing.add(index)
        if growing:
            first.widening().roots.update(growing)
            raise Restart(first)


def is_liftable(value: Any, barriers: BarrierCells) -> bool:
    """Whether a value can be made dynamic: not dynamic already, no barrier cell, not multiple
    values, which are none."""
    if type(value) is Ref:
        return not barriers.holds(value.number)
    return type(value) not in (Frame, Return, Stop, Dynamic, Several)


def _is_wider(type: str, other: str) -> bool:
    """Whether a leaf of the one type may stand for one of the other."""
    return type == "any" or (type == "memory" and other.startswith("memory"))
