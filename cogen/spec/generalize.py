"""Generalization: when a residual block is made for more than the state it was met with.

Always for numbers that become dynamic and for variables that stop being the same on the way round
a loop (see Note [Generalizing constants to dynamic] and Note [Joins] in `cogen.spec.memo`).  In the
prelude, and with --generalize where `cogen.spec.whistle` leads nowhere, also for what changes from
visit to visit.  The block from which on that holds is started again: it then only lifts, and goes
on to the more general block.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final

from cogen.lang.errors import Span
from cogen.lang.prelude import in_arrays, in_prelude
from cogen.spec.domain import Dynamic, Frame, Ref, Return, Several, Stop
from cogen.spec.freeze import Frozen, Slot, Thawed
from cogen.spec.known import type_of
from cogen.spec.memo import (
    Arrival,
    Block,
    Point,
    Restart,
    Roots,
    generalization,
    growing_numbers,
    identity_names,
    leaf_type,
)
from cogen.spec.path import Path

if TYPE_CHECKING:
    from cogen.spec.specializer import Specializer

GENERALIZE_AFTER: Final = 3
"""Visits of one point, with other static values each time, before --generalize acts."""

MAX_ANCESTORS: Final = 32
"""Blocks at the same point that a new state is compared with."""

Candidate = tuple[Block, bool]
"""A block that may serve for a state, and whether it is where arms of a conditional meet."""


class Generalizer:
    """Decides for a specializer which states a block is to serve."""

    def __init__(self, spec: Specializer) -> None:
        self.spec = spec

    def forward(self, path: Path, block: Block) -> None:
        """Generalize the block's state and go on to the more general block."""
        frozen = self.spec.frozen(block)
        replaced: dict[int, Dynamic] = {}
        for position, leader in sorted(block.lifted_positions.items()):
            if leader in replaced:
                replaced[position] = replaced[leader]
                continue
            value = frozen.places[position]
            atom = path.atom(value)
            replaced[position] = path.let("lift", (atom,), type_of(value), "x", None)
        names = identity_names(frozen, block.widened)
        copy = Thawed(frozen, names, replaced, block.opened)
        slots = [Slot(None, index) for index in sorted(block.lifted_roots)]
        cyclic = self.spec.demand.make_cyclic(path, block, copy)
        slots += [slot for slot in block.lifted_slots if slot not in cyclic]
        self.spec.whistle.lift(path, copy, slots)
        self.spec.demand.forwarded(block, copy)
        roots = copy.roots[: len(copy.roots) - self.spec.cell_count()]
        self.spec.memo_point(
            path, block.point, roots, block.resume, block.activation, block.raw.span
        )

    def others(self, path: Path, point: Point, whole: bool) -> list[Candidate]:
        """The blocks that a state at a point, `whole` or not, is compared with; see Note
        [Generalizing constants to dynamic]."""
        found = [(block, False) for block in self.ancestors(path, point)]
        if point[0] == "cont":
            same = path.block.procedure.at_point.get(point, [])
            found += [(b, True) for b in same[:-MAX_ANCESTORS:-1] if not b.forwards]
        return [candidate for candidate in found if candidate[0].whole is whole]

    def serving(self, candidates: list[Candidate], frozen: Frozen) -> Block | None:
        """The first of the blocks that serves for the state; or a restart of one that must be
        generalized."""
        for other, join in candidates:
            old = self.spec.frozen(other)
            difference = generalization(old.tokens, frozen.tokens, join)
            if difference is None:
                continue
            lift, widen = difference
            widen = {
                p for p in widen if not _is_wider(old.tokens[p][1], leaf_type(frozen.tokens, p))
            }
            if not lift and not widen:
                return other
            if self.spec.demand.on_trial(frozen, lift):
                continue
            other.lifted_positions.update(lift)
            other.widened |= widen
            raise Restart(other)
        return None

    def ancestors(self, path: Path, point: Point) -> list[Block]:
        """The blocks at the same point that led to the path, the nearest first."""
        found: list[Block] = []
        ancestor = path.block.nearest.get(point)
        while ancestor is not None and len(found) < MAX_ANCESTORS:
            if not ancestor.forwards:
                found.append(ancestor)
            ancestor = ancestor.previous()
        return found

    def applies(self, span: Span | None) -> bool:
        """Whether what grows is made dynamic at a point: if asked for, and in the prelude.  Its
        loops count and collect; so `length` of a dynamic list becomes a loop.  Those of operations
        on arrays end: they are carried out only for known sizes."""
        if in_arrays(span):
            return False
        return self.spec.options.generalize or in_prelude(span)

    def _root_keys(self, block: Block) -> list[Hashable]:
        if block.root_keys is None:
            block.root_keys = [self._root_key(root, block.store) for root in block.roots]
        return block.root_keys

    def _root_key(self, root: tuple[str, Any], store: dict[int, Any]) -> Hashable:
        state = self.spec.quick.states.state([root])
        if state is not None:
            return state.key
        return Frozen([root], store, {}, self.spec.liveness).key

    def is_liftable(self, value: Any) -> bool:
        """Whether a value can be made dynamic: not dynamic already, no barrier cell, not multiple
        values, which are none."""
        if type(value) is Ref:
            return value.number not in self.spec.barriers
        return type(value) not in (Frame, Return, Stop, Dynamic, Several)

    def covering(
        self, path: Path, point: Point, roots: Sequence[tuple[str, Any]], whole: Roots
    ) -> Roots | None:
        """The roots, some made dynamic, for which a generalized ancestor serves; None if none
        does.  `whole` are the roots with the cells that belong to them."""
        keys = None
        for ancestor in self.ancestors(path, point):
            if ancestor.parent is None or not ancestor.parent.forwards:
                continue
            keys = keys or [self._root_key(root, path.store) for root in whole]
            old = self._root_keys(ancestor)
            differ = {i for i, key in enumerate(keys) if key != old[i]}
            if differ and all(
                type(ancestor.roots[i][1]) is Dynamic and self.is_liftable(whole[i][1])
                for i in differ
            ):
                return [
                    (hint, path.dynamic(value)) if index in differ else (hint, value)
                    for index, (hint, value) in enumerate(roots)
                ]
        return None

    def generalize(self, path: Path, point: Point, arrival: Arrival) -> None:
        """Restart the first ancestor with that lifted which changes from visit to visit."""
        ancestors = self.ancestors(path, point)
        if len(ancestors) < GENERALIZE_AFTER:
            return
        first, last = ancestors[-1], ancestors[0]
        roots = arrival.roots
        if self.spec.quick.may_count(ancestors, arrival):
            old, previous = self.spec.frozen(first).tokens, self.spec.frozen(last).tokens
            numbers = growing_numbers(old, previous, arrival.frozen)
            if numbers is not None:
                first.lifted_positions.update(numbers)
                raise Restart(first)
        keys = [self._root_key(root, path.store) for root in roots]
        growing = set()
        for index, history in enumerate(
            zip(keys, self._root_keys(last), self._root_keys(ancestors[1]), strict=True)
        ):
            if len(set(history)) == 1:
                continue
            values = roots[index][1], first.roots[index][1]
            if len(set(history)) < len(history) or not all(map(self.is_liftable, values)):
                return
            growing.add(index)
        if growing:
            first.lifted_roots |= growing
            raise Restart(first)


def _is_wider(type: str, other: str) -> bool:
    """Whether a leaf of the one type may stand for one of the other."""
    return type == "any" or (type == "memory" and other.startswith("memory"))
