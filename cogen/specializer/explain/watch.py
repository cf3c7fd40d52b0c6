"""A specializer that notes what it decides.

It does what any specializer does, and gives the same residual program; what is noted belongs to the
residual block that was being made (`notes.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cogen import binding_times
from cogen.lang import il
from cogen.lang.chain import in_library
from cogen.residual import ResidualProgram
from cogen.specializer.analyses.allocation_sites import Growing
from cogen.specializer.analyses.analyses import Analyses
from cogen.specializer.execution.machine import PathMachine
from cogen.specializer.explain import decisions as told
from cogen.specializer.explain.decisions import Decision
from cogen.specializer.explain.names import StateNames, text_of
from cogen.specializer.explain.notes import NotedRefusal, Notes
from cogen.specializer.explain.watchcode import WatchedMachine
from cogen.specializer.paths.context import Context
from cogen.specializer.paths.path import Path
from cogen.specializer.specialization import Specializer
from cogen.specializer.values.domain import (
    Cell,
    ObjectsDiffer,
    Ref,
)
from cogen.specializer.values.freeze import FrozenSlot
from cogen.specializer.versions.demand import Demand
from cogen.specializer.versions.effort import TooMuch
from cogen.specializer.versions.limits import Endless
from cogen.specializer.versions.memo import ResidualBlock
from cogen.specializer.versions.worklist import Worklist

if TYPE_CHECKING:
    from cogen.specializer.versions.trials import Watched


class WatchedContext(Context):
    """Leads to what is noted."""

    notes: Notes


class WatchedSpecializer(Specializer):
    """See the module's docstring."""

    context: WatchedContext
    machine: WatchedMachine

    contexts = WatchedContext

    def begin_notes(self, program: il.Program, analyses: Analyses) -> None:
        self.notes = self.context.notes = Notes(program, analyses)
        self.given_up: TooMuch | Endless | Growing | ObjectsDiffer | None = None
        """Why the attempt came to nothing."""
        self.state_names = StateNames(analyses.liveness)
        self.context.watch_demand(WatchedDemand(self.context.worklist, self.notes))

    def make_machine(self) -> PathMachine:
        return WatchedMachine(self.parts, self.notes)

    def make_path(self, block: ResidualBlock) -> Path:
        return WatchedPath(self.context, block, dict(block.store), dict(block.lifted))

    def run(self, entry: str, bts: Sequence[binding_times.BT]) -> ResidualProgram:
        try:
            return super().run(entry, bts)
        except (TooMuch, Endless, Growing, ObjectsDiffer) as reason:
            self.given_up = reason
            raise

    def _start(self, block: ResidualBlock) -> None:
        self.notes.begin(block)
        self.notes.place = block.raw.span
        super()._start(block)


class WatchedDemand(Demand):
    """Notes where a trial was refused."""

    def __init__(self, worklist: Worklist, notes: Notes) -> None:
        super().__init__(worklist)
        self._notes = notes

    def refuse(self, asked: Sequence[Watched]) -> None:
        if asked:
            notes = self._notes
            notes.refusals += [NotedRefusal(one.places, notes.place) for one in asked]
        super().refuse(asked)

    def accepted(self, block: ResidualBlock) -> dict[FrozenSlot, int | None]:
        """What of a block's state is made dynamic on trial for good: by slot, the number of which
        the remainder stays known, if it does."""
        return {
            slot: trial.bases.get(slot)
            for trial in self.trials.get(block, [])
            if not trial.refused
            for slot in trial.sources[block]
        }


class WatchedPath(Path):
    """Notes which mutable objects escape."""

    __slots__ = ()

    def _escape_object(self, ref: Ref, cell: Cell) -> None:
        context = self.context
        assert isinstance(context, WatchedContext)
        place = context.notes.place
        if place is not None and not in_library(place):
            kind = cell.kind if type(cell.kind) is str else cell.kind.name
            what = "assigned variable" if kind == "cell" else kind
            reason = f"code of the run may reach this {what} from here on"
            fact = Decision(place, "object", text_of(place), told.ESCAPED, "escape", reason)
            context.notes.add(self.block, fact)
        super()._escape_object(ref, cell)
