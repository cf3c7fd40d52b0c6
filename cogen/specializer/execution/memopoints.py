"""Memo points: a state that a path comes to -> a jump to the residual block for it.

A state that is known jumps to the block that it made, and so does one that a block serves which was
made for a more general one; a new one makes a block.  See `versions.memo` for what a block is,
and for which states are generalized.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cogen.lang import il
from cogen.lang.errors import Span
from cogen.lang.ilutil import base_name
from cogen.lang.prelude import in_arrays, in_prelude
from cogen.specializer.analyses.allocation_sites import Sites
from cogen.specializer.growth.growth import Growth
from cogen.specializer.growth.growth_detection import GrowthDetection
from cogen.specializer.growth.ontrial import OnTrial
from cogen.specializer.memo.arrivals import arrive, begin_known
from cogen.specializer.memo.barriers import Barriers
from cogen.specializer.memo.fast_memo import Quick, QuickArrival
from cogen.specializer.memo.generalize import Generalizer
from cogen.specializer.paths.context import Context
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Activation, Dynamic
from cogen.specializer.values.freeze import Frozen
from cogen.specializer.values.thaw import thaw
from cogen.specializer.versions.freezing import Freezing
from cogen.specializer.versions.graph import RawBlock
from cogen.specializer.versions.memo import (
    Arrival,
    Candidate,
    Leaf,
    Point,
    ResidualBlock,
    Resume,
    Roots,
    VersionedProcedure,
)


@dataclass(slots=True, eq=False, repr=False)
class MemoPoints:
    """The memo points of one specialization."""

    _context: Context
    _freezing: Freezing
    _quick: Quick
    _barriers: Barriers
    _generalizer: Generalizer
    _growth_detection: GrowthDetection
    _on_trial: OnTrial
    _growth: Growth
    _sites: Sites

    def memo_point(
        self,
        path: Path,
        point: Point,
        roots: Roots,
        resume: Resume,
        activation: Activation | None,
        span: Span | None,
        whole: bool = False,
    ) -> None:
        """End the path with a jump to the block of its state, made if the state is new; nothing
        is split from there on if `whole` (`versions.auto`)."""
        self._barriers.refuse(span)
        whole = whole or path.block.whole
        arrival = self._arrival(path, point, roots, whole, span)
        if arrival is None:
            return
        key = (point, arrival.key, whole)
        own = path.block.procedure.blocks.get(key)
        block = self._serving(path, point, arrival, own, whole)
        if block is None:
            lifted = self._lifted(path, point, roots, arrival, span)
            if lifted is not None:
                self.memo_point(path, point, lifted, resume, activation, span, whole)
                return
            block = self._block_at(path, point, resume, activation, span)
            block.whole = whole
            path.block.procedure.blocks[key] = block
            self._begin(path, block, arrival)
            leaves = self._leaves_for(block, arrival, True)
        else:
            leaves = self._leaves_for(block, arrival, block is own)
            if self._context.demand.watched:
                self._context.demand.meet(path, block, leaves)
            if block.intervals or block.kinds or block.parts or block.variants:
                arrive(path, block, leaves)
        if block.raw.body is None and not block.queued:
            self._context.worklist.enqueue(block)
        self._context.worklist.reach.lead(path.block, block)
        atoms = leaf_atoms(path, leaves, block.raw.parameters)
        path.segment.tail = il.Jump(block.raw.label, atoms, span)

    def _arrival(
        self, path: Path, point: Point, roots: Roots, whole: bool, span: Span | None
    ) -> Arrival | None:
        """The state that a memo point is met with, None if the path ended there."""
        quick = self._quick.arrival(path, roots)
        if quick is not None:
            return quick
        frozen = self._barriers.state(path, point, roots, whole, span)
        return None if frozen is None else Arrival(frozen.key, frozen.roots, frozen)

    # -- the block for a state -----------------------------------------------------------------

    def _serving(
        self, path: Path, point: Point, arrival: Arrival, own: ResidualBlock | None, whole: bool
    ) -> ResidualBlock | None:
        """The block that there is for a state: its `own`, or one that serves for it too."""
        if own is not None and path.block.nearest.get(point, own) is own:
            return own
        others = self._candidates(path, point, arrival, own, whole)
        if not others:
            return own
        return self._generalizer.serving(others, arrival.frozen) or own

    def _candidates(
        self, path: Path, point: Point, arrival: Arrival, own: ResidualBlock | None, whole: bool
    ) -> list[Candidate]:
        """The blocks that are worth a look whether they serve for a state."""
        others = self._generalizer.others(path, point, whole)
        if type(arrival) is QuickArrival:
            return self._quick.candidates(others, arrival.state, own)
        return others

    def _lifted(
        self, path: Path, point: Point, roots: Roots, arrival: Arrival, span: Span | None
    ) -> Roots | None:
        """The roots of a new state, some made dynamic as in a block that serves for it then; None
        if none does.  A block that led here starts again if it has to be more general."""
        if not in_arrays(span):
            lifted = self._on_trial.covering(path, point, arrival)
            if lifted is not None:
                return lifted[: len(roots)]
            self._on_trial.generalize(path, point, arrival)
        if not self._generalizer.applies(span) or point not in path.block.nearest:
            return None
        precise = self._sites.enabled and not in_prelude(span)
        rule = self._growth_detection if precise else self._generalizer
        lifted = rule.covering(path, point, roots, arrival.roots)
        if lifted is None:
            rule.generalize(path, point, arrival)
        return lifted

    def _block_at(
        self,
        path: Path,
        point: Point,
        resume: Resume,
        activation: Activation | None,
        span: Span | None,
    ) -> ResidualBlock:
        """A new block for the state at a memo point that the path has come to."""
        hint = "join"
        if activation is not None:
            aside = in_prelude(activation.function.span)
            hint = activation.hint if aside else activation.function.label.lstrip("%")
        certain = path.certain and path.quiet
        procedure = path.block.procedure
        block = self.new_block(
            procedure, hint, point, [], resume, activation, path.block, certain, span
        )
        block.arms = path.arms
        block.first = self._context.demand.hurry(path)
        return block

    def new_block(
        self,
        procedure: VersionedProcedure,
        hint: str,
        point: Point,
        parameters: list[str],
        resume: Resume,
        activation: Activation | None = None,
        parent: ResidualBlock | None = None,
        certain: bool = False,
        span: Span | None = None,
    ) -> ResidualBlock:
        """A residual block, and what it is to start from; its roots are set by who makes it."""
        hint = hint or "loop"
        raw = RawBlock(self._context.variables.fresh(hint), parameters, None, hint, span)
        block = ResidualBlock(
            procedure, raw, point, ([], {}, {}), resume, activation, parent, certain
        )
        block.nearest[point] = block
        self._context.cycles.blocks.append(block)
        return block

    def _begin(self, path: Path, block: ResidualBlock, arrival: Arrival) -> None:
        """Give a new block the state that it starts from, over its own parameters, and see whether
        versions of its point go on without end."""
        if type(arrival) is QuickArrival:
            self._quick.begin(path, block, arrival)
        else:
            self._begin_frozen(path, block, arrival.frozen)
        procedure, point = block.procedure, block.point
        procedure.at_point.setdefault(point, []).append(block)
        if not self._context.barriers.are_clean(path.store):
            version = (point, arrival.frozen.key[: arrival.frozen.split], block.whole)
            procedure.versions[version] = procedure.versions.get(version, 0) + 1
        self._context.limits.count_variant(block)
        self._context.limits.check_values()
        if self._context.limits.usual is not None:
            self._context.limits.check_waiting(self._context.worklist.waiting)
        self._growth.check(block)

    def _begin_frozen(self, path: Path, block: ResidualBlock, frozen: Frozen) -> None:
        names = self.parameters_for(frozen, block.raw.parameters)
        block.roots, block.store, block.lifted = thaw(frozen, names)
        block.tokens = frozen.key  # the tuple by which it is found, too
        self._context.limits.laid_down += frozen.size
        self._context.auto.note(block, frozen)
        if path.facts.any_known():
            for leaf in frozen.leaves:
                place = (leaf.name, leaf.offset)
                begin_known(path, block, place, names[place])

    def _leaves_for(self, block: ResidualBlock, arrival: Arrival, own: bool) -> list[Leaf]:
        """What of a state the parameters of a block stand for, which serves for it; whether it is
        the state's `own`."""
        if own and type(arrival) is QuickArrival:
            return self._quick.leaves(block, arrival.state)
        frozen = arrival.frozen
        if own:  # the block's state is a copy of one with the same tokens
            return [(leaf.name, leaf.offset) for leaf in frozen.leaves]
        served = self._freezing.frozen(block)
        return [
            frozen.occurrences[served.leaf_at[(leaf.name, leaf.offset)]] for leaf in served.leaves
        ]

    def parameters_for(
        self, frozen: Frozen, parameters: list[str]
    ) -> dict[tuple[str, int], Dynamic]:
        """New parameters for the leaves of a state."""
        context = self._context
        names: dict[tuple[str, int], Dynamic] = {}
        for leaf in frozen.leaves:
            name = context.variables.fresh(leaf.hint)
            parameters.append(name)
            names[(leaf.name, leaf.offset)] = context.variables.typed(name, leaf.type)
            context.demand.inherit(leaf.name, name)
        return names


def leaf_atoms(
    path: Path, leaves: Iterable[Leaf], parameters: Iterable[str]
) -> tuple[il.Atom, ...]:
    """Leaves as arguments of a jump or call: normalized (late normalization, seed 004)."""
    atoms: list[il.Atom] = []
    for (name, offset), parameter in zip(leaves, parameters, strict=True):
        if offset:
            name = path.shifted(Dynamic(name, "int"), offset, base_name(parameter)).name
        atoms.append(il.Var(name))
    return tuple(atoms)
