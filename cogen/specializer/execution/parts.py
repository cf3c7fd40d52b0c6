"""The parts of one specialization, put together: each is given those that it needs."""

from __future__ import annotations

from cogen.lang import il
from cogen.specializer.analyses.allocation_sites import Sites
from cogen.specializer.analyses.analyses import Analyses
from cogen.specializer.analyses.outright import Outright
from cogen.specializer.analyses.searching import Search
from cogen.specializer.execution.memopoints import MemoPoints
from cogen.specializer.execution.procedures import Procedures
from cogen.specializer.execution.recursion import Recursion
from cogen.specializer.execution.shared import SharedCalls
from cogen.specializer.growth.growth import Growth
from cogen.specializer.growth.growth_detection import GrowthDetection
from cogen.specializer.growth.ontrial import OnTrial
from cogen.specializer.memo.barriers import Barriers
from cogen.specializer.memo.fast_memo import Quick
from cogen.specializer.memo.generalize import Generalizer
from cogen.specializer.paths.context import Context
from cogen.specializer.paths.heldobjects import HeldObjects
from cogen.specializer.rules import opening, rule_of
from cogen.specializer.versions.freezing import Freezing


class Parts:
    """What decides for the machine; all that is found out about a program is in `analyses`."""

    def __init__(self, context: Context, analyses: Analyses) -> None:
        options, limits = context.options, context.limits
        self.context = context
        self.analyses = analyses
        self.sites = Sites(context.liveness)
        self.freezing = Freezing(context.liveness, context.globals, context.barriers)
        self.barriers = Barriers(context, self.freezing)
        quick = Quick(context, self.freezing)
        generalizer = Generalizer(options, self.freezing, quick, context.demand)
        self.growth_detection = GrowthDetection(self.freezing, limits, self.sites)
        self.on_trial = OnTrial(context.demand, self.freezing, limits)
        self.growth = Growth(
            options, limits, self.freezing, quick, self.growth_detection, self.on_trial
        )
        self.recursion = Recursion(
            context,
            analyses.naming,
            self.freezing,
            self.growth,
            self.growth_detection,
            self.on_trial,
            self.sites,
        )
        self.shared = SharedCalls(analyses.rounds, self.recursion, analyses.called)
        self.points = MemoPoints(
            context,
            self.freezing,
            quick,
            self.barriers,
            generalizer,
            self.growth_detection,
            self.on_trial,
            self.growth,
            self.sites,
        )
        self.procedures = Procedures(context, analyses.naming, self.freezing, self.points)
        self.outright = Outright(
            analyses.computing,
            context.constants,
            options.word_size,
            context.globals.value,
            makes_pairs=not context.mutations.pairs,
        )
        self.search = Search(
            analyses.searching,
            analyses.looking,
            self.outright,
            analyses.library,
            analyses.rounds,
            context.constants,
            context.cycles.environments,
            self._is_watched,
            makes_pairs=not context.mutations.pairs,
        )
        context.rule = opening if analyses.opens else rule_of
        context.held = HeldObjects()
        context.lift_closure = self.procedures.lift_closure

    def _is_watched(self, function: il.Function) -> bool:
        """Whether it was found out of calls of a procedure that they recur, begin a loop, or are
        to be made more general."""
        recursion = self.recursion
        return (
            function in recursion.recursive
            or function in recursion.loops
            or function in recursion.lifted
            or function in self.context.demand.calls
            or function in self.growth_detection.calls
        )
