"""One specialization of a program: its worklist run to the end, and what comes out.

A worklist of residual blocks.  Each is a memo point's state; running it (a machine) emits its code
and finds the states it jumps to.  `Restart` puts a block back when its code has become obsolete:
because a call of it turned out recursive, because constants of its state had to be lifted, or
because a continuation escaped.  What is unreachable in the end is left out.

Binding-time polyvariant and online: binding times are those of the values that arrive
(seed 004 for cyclic values, `set-base`, late normalization and early equality).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import ClassVar, Final

from cogen import binding_times
from cogen.lang import il
from cogen.lang.errors import Warnings
from cogen.lang.governor import Exceeded, arrived
from cogen.residual import ResidualProgram
from cogen.specializer.advice.assigned import Assignable
from cogen.specializer.advice.unlooked import leaves_alone
from cogen.specializer.analyses.analyses import Analyses, analyses_of
from cogen.specializer.execution.causes import causes
from cogen.specializer.execution.entry import Entry
from cogen.specializer.execution.machine import PathMachine
from cogen.specializer.execution.parts import Parts
from cogen.specializer.execution.results import count
from cogen.specializer.execution.toplevel import TopLevel
from cogen.specializer.growth.forwarding import generalized, split
from cogen.specializer.memo.arrivals import begin
from cogen.specializer.passes.clean import clean
from cogen.specializer.passes.comeback import leave_out_points
from cogen.specializer.passes.library_closures import kept_procedures, with_kept
from cogen.specializer.passes.severalresults import with_one_result
from cogen.specializer.paths.context import Context
from cogen.specializer.paths.path import Path
from cogen.specializer.versions.effort import TooMuch, numbers_of_data
from cogen.specializer.versions.graph import AssignedKinds, RawFunction, RawProgram, unclean
from cogen.specializer.versions.limits import Endless, reached_in
from cogen.specializer.versions.memo import ResidualBlock, Restart, VersionedProcedure, Wider
from cogen.specializer.versions.options import SpecializerOptions

MOST_RESTARTS: Final = 400
"""Blocks started again while it is tried to find what grows."""


class Specializer:
    """One specialization: its `context`, the `parts` that decide, and the `machine`.  --generalize
    works by `growth.growth_detection` if the sites are enabled among the parts."""

    contexts: ClassVar[type[Context]] = Context

    def __init__(
        self,
        program: il.Program,
        options: SpecializerOptions,
        warnings: Warnings,
        analyses: Analyses | None = None,
    ) -> None:
        analyses = analyses or analyses_of(program)
        self._entry = ""
        facts = analyses.liveness, analyses.mutations
        assignable = partial(self._assignable, analyses)
        self.context = self.contexts(program, options, warnings, *facts, assignable)
        self.begin_notes(program, analyses)
        self.parts = Parts(self.context, analyses)
        self.machine = self.make_machine()
        self.parts.barriers.carry_out = self.machine.calls.carry_out
        self.parts.procedures.begin = self.machine.calls.begin
        self._restarts = 0
        self.watch: Callable[[Specializer], int] | None = None
        """Looks how far it has come (`cogen.specializer.rivals`),"""
        self._next_look = 0
        """after so many versions;"""
        self.judge: Callable[[Specializer], None] | None = None
        """at what it has come to, before that is cleaned."""

    def begin_notes(self, program: il.Program, analyses: Analyses) -> None:
        """Make ready what notes how the context is used: nothing does (`explain.watch`)."""

    def _assignable(self, analyses: Analyses) -> Assignable:
        return analyses.assignable(self._entry)

    def make_machine(self) -> PathMachine:
        """What carries out the program's code."""
        return PathMachine(self.parts)

    def make_path(self, block: ResidualBlock) -> Path:
        """What emits the code of a block."""
        return Path(self.context, block, dict(block.store), dict(block.lifted))

    def take_apart(self) -> None:
        """Nothing of the specialization is needed any more, but for what it has cost: what it has
        made is freed at once, as far as it has led to itself (`versions.cycles`)."""
        limits, self.watch, self.judge = self.context.limits, None, None
        self.context.cycles.take_apart()
        for one in (self.context, self.parts, self.machine.calls, self.machine):
            getattr(one, "__dict__", {}).clear()  # compiled ones have none
        self.context.limits = limits

    # -- the road ------------------------------------------------------------------------------

    def run(self, entry: str, bts: Sequence[binding_times.BT]) -> ResidualProgram:
        """The whole specialization (on a deep stack)."""
        try:
            return self._whole(entry, bts)
        except Endless as error:
            error.causes = causes(self.parts, error)
            raise
        except Exceeded:
            arrived()
            failure = self.context.limits.exhausted()
        finally:
            self.parts.outright.end()
        raise failure

    def _whole(self, entry: str, bts: Sequence[binding_times.BT]) -> ResidualProgram:
        self._entry = entry
        context, analyses = self.context, self.parts.analyses
        run_tests = cache(lambda: analyses.run_tests(entry, bts))
        context.demand.of_run = lambda op, place: run_tests().has(op, place)
        context.nodes = binding_times.nodes(bts)
        self.parts.growth_detection.given = numbers_of_data(bts)
        TopLevel(self.machine).evaluate()
        self.parts.sites.active = self.parts.sites.enabled
        start = Entry(self.machine, entry, bts)
        self._drain()
        if self.judge is not None:
            self.judge(self)
        raw = self._raw_program(start.procedure)
        points = context.points
        if points.failing and not leave_out_points(raw, points.tests, points.failing):
            raise TooMuch
        specialized = context.limits.seconds()
        raw = with_one_result(raw, context.variables.fresh)
        context.pairs.check(with_kept(unclean(raw), context.program), raw.entry)
        cleaned = clean(raw)
        kept = kept_procedures(cleaned, context.program)
        context.pairs.leave(kept)
        context.slots.leave(kept)
        program = with_kept(cleaned, context.program)
        program = replace(program, named=tuple(context.named_buffers()))
        found = ResidualProgram(
            program,
            start.procedure.raw.name,
            tuple(start.parameters),
            context.options.word_size,
            context.options.checked,
            self._statistics(raw, specialized),
            tuple(node.place for node in context.nodes.values()),
        )
        opening = context.families.opening()
        if opening and not leaves_alone(found, opening):
            raise TooMuch
        return found

    def _statistics(self, raw: RawProgram, specialized: float) -> dict[str, float]:
        """What people are told of the work."""
        limits = self.context.limits
        return {
            "operations emitted": limits.operations,
            "calls unfolded": limits.unfoldings,
            "residual blocks": sum(len(f.blocks) for f in raw.functions.values()),
            "residual procedures": len(raw.functions),
            "restarts": self._restarts,
            "seconds": limits.seconds(),
            "seconds cleaning": limits.seconds() - specialized,
            **self.context.auto.statistics(self.context.worklist.reach.blocks()),
            **self.parts.barriers.statistics(),
        }

    def _drain(self) -> None:
        """Run blocks until none is left."""
        self.context.worklist.drain(self._run)

    def _run(self, block: ResidualBlock) -> None:
        try:
            self._start(block)
        except Restart as restart:
            self._again(block, restart.block)
        if self.watch is not None and self.context.limits.versions >= self._next_look:
            self._next_look = self.watch(self)

    def _again(self, current: ResidualBlock, target: ResidualBlock) -> None:
        self._restarts += 1
        sites = self.parts.sites
        if sites.enabled and not sites.noting and self._restarts > MOST_RESTARTS:
            place = reached_in(target.activation, target.raw.span)
            raise Endless("too much is to be generalized", place)
        self.machine.work.clear()
        worklist = self.context.worklist
        for block in (current, target):
            worklist.give_up(block)
            worklist.enqueue(block)

    def _start(self, block: ResidualBlock) -> None:
        """Run one block's state to residual code."""
        path = self.make_path(block)
        path.certain, path.quiet = block.certain, True
        begin(path, block)
        top = path.segment
        self.context.limits.begin_block()
        self.machine.record = None
        if block.wider is not None and block.wider.is_any():
            self._forward(path, block, block.wider)
        else:
            cells = self.parts.freezing.cell_count() if block.point[0] != "top" else 0
            own = block.roots[: len(block.roots) - cells]
            block.resume(path, [value for _, value in own])
        self.machine.finish()
        block.raw.body = top.block()

    def _forward(self, path: Path, block: ResidualBlock, wider: Wider) -> None:
        """Go on to more general blocks, or to those in which remainders are known."""
        freezing, point = self.parts.freezing, self.parts.points.memo_point
        place = block.activation, block.raw.span
        if not wider.splits:
            roots = generalized(path, block, wider, freezing, self.parts.on_trial)
            point(path, block.point, roots, block.resume, *place)
            return
        for arm, roots, whole in split(path, block, wider, freezing):
            point(arm, block.point, roots, block.resume, *place, whole)

    @property
    def residual_blocks(self) -> Iterable[ResidualBlock]:
        """The blocks of the residual program, as they are before cleaning."""
        return self.context.worklist.reach.blocks()

    def _raw_program(self, entry: VersionedProcedure) -> RawProgram:
        functions: dict[str, RawFunction] = {}
        context = self.context
        for block in self.residual_blocks:
            function = block.procedure.raw
            functions[function.name] = function
            function.blocks[block.raw.label] = block.raw
            if block.procedure.result.shape is not None:
                function.results = count(block.procedure.result.shape)
        return RawProgram(
            functions,
            entry.raw.name,
            (*context.program.records, *context.families.types()),
            context.program.source,
            context.variables.types,
            context.options.word_size,
            AssignedKinds(context.pairs.may_be_assigned, frozenset(context.mutations.records)),
            context.families.types(),
        )
