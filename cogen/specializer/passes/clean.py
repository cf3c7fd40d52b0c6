"""Residual post-processing: raw block graph -> small, readable IL.

    RawProgram ── flatten ── flow graph ── PASSES, until nothing changes ── nest ── IL

Each pass is a function `Graph -> bool` (whether it changed anything) that stands in a module of
this folder, where its docstring shows before and after.  None of them is needed for a correct
result: any can be switched off by its name, and `steps` bounds how many are run, so a
wrong answer can be bisected (`cogen dev`).  A pass is passed over in its turn where nothing that
it looks at has changed since it was last run (Note [What changes] in `flow`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import cycle

from cogen.lang import il
from cogen.lang.collector import collector_paused
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.algebra import simplify
from cogen.specializer.passes.bound import bound
from cogen.specializer.passes.branches import fold_branches
from cogen.specializer.passes.dead import drop_dead
from cogen.specializer.passes.decide import decide
from cogen.specializer.passes.elements import drop_elements
from cogen.specializer.passes.equal_arms import merge_arms
from cogen.specializer.passes.fields import drop_fields
from cogen.specializer.passes.flatten import flatten
from cogen.specializer.passes.flow_graph import ANYTHING, ResidualGraph
from cogen.specializer.passes.merge import merge_equal
from cogen.specializer.passes.minimise import minimise_parameters
from cogen.specializer.passes.nest import nest
from cogen.specializer.passes.number import number_values
from cogen.specializer.passes.overwritten import drop_overwritten
from cogen.specializer.passes.part_ways import part_ways
from cogen.specializer.passes.parts import take_parts
from cogen.specializer.passes.procedures import drop_wrappers, inline_procedures, make_loops
from cogen.specializer.passes.prove import prove
from cogen.specializer.passes.sink import sink
from cogen.specializer.passes.straighten import straighten
from cogen.specializer.passes.unreachable import drop_unreachable
from cogen.specializer.passes.variants import drop_variants
from cogen.specializer.versions.graph import RawProgram


@dataclass(frozen=True, slots=True)
class CleaningPass:
    """A named step; `run` changes the graph and says whether it did.  It is run again when the
    graph has changed in one of the respects `after`: other changes give it nothing new to do.  A
    `late` one is costly, and waits until the others have nothing left to do."""

    name: str
    run: Callable[[ResidualGraph], bool]
    after: int = ANYTHING
    late: bool = False


PASSES: tuple[CleaningPass, ...] = (
    CleaningPass("variants", drop_variants, flow.EDGES | flow.ATOMS),
    CleaningPass("unreachable", drop_unreachable, ANYTHING & ~flow.MARKS),
    # Twins first: later passes let pieces of code see variables that are not passed to them,
    # and twins that see different ones are no longer recognised.
    CleaningPass("merge", merge_equal, ANYTHING & ~flow.MARKS),
    CleaningPass("straighten", straighten, ANYTHING & ~flow.MARKS),
    CleaningPass("minimise", minimise_parameters, flow.EDGES | flow.ATOMS),
    CleaningPass("prove", prove, ANYTHING & ~flow.LESS),
    CleaningPass("decide", decide, ANYTHING & ~flow.LESS),
    CleaningPass("algebra", simplify, ANYTHING & ~flow.ITEMS),
    CleaningPass("number", number_values, flow.EDGES | flow.ATOMS),
    CleaningPass("parts", take_parts, flow.EDGES | flow.ITEMS | flow.ATOMS),
    CleaningPass("branches", fold_branches, ANYTHING & ~flow.MARKS),
    CleaningPass("arms", merge_arms, ANYTHING & ~flow.MARKS),
    CleaningPass("ways", part_ways, flow.EDGES | flow.ATOMS),
    CleaningPass("dead", drop_dead, ANYTHING & ~flow.LESS),
    # Wrappers only after parameters are minimal: the entry keeps all of its own, and so would
    # the recursion whose body it takes.
    CleaningPass("wrappers", drop_wrappers, ANYTHING & ~flow.MARKS),
    CleaningPass("loops", make_loops, flow.EDGES | flow.ATOMS),
    CleaningPass("inline", inline_procedures, ANYTHING & ~flow.MARKS),
    CleaningPass("fields", drop_fields, flow.LESS | flow.EDGES),
    CleaningPass("elements", drop_elements, ANYTHING & ~flow.MARKS),
    CleaningPass("overwritten", drop_overwritten, flow.LESS | flow.EDGES | flow.ITEMS | flow.ATOMS),
    CleaningPass("sink", sink),
    CleaningPass("bound", bound, late=True),
)
"""The passes of one round, in order."""

ROUNDS = 12
"""The most rounds; one that changes nothing ends the work."""


OBSERVER: ContextVar[Callable[[RawProgram], None] | None] = ContextVar("observer", default=None)
"""Is shown each raw program before it is cleaned (`cogen.dev`)."""


def clean(
    raw: RawProgram,
    off: Collection[str] = (),
    steps: int | None = None,
    check: Callable[[ResidualGraph, str], None] | None = None,
) -> il.Program:
    """Raw residual program -> the same program as small, readable IL; `raw` is left as it is.

    `off` names passes to leave out (`names` for the renaming at the end); at most `steps` passes
    are run; `check` is called with the graph and the pass's name after each that is run.
    """
    observer = OBSERVER.get()
    if observer is not None:
        observer(raw)
    passes = [p for p in PASSES if p.name not in off]
    usual = sum(not p.late for p in passes)
    left = len(passes) * ROUNDS
    runs = 0
    with collector_paused():
        graph = flatten(raw)
        news = [ANYTHING] * len(passes)
        """By pass: in what respects that concern it the graph has changed since it was run."""
        unchanged = 0
        for index, step in cycle(enumerate(passes)):
            if left <= 0 or unchanged == len(passes) or runs == steps:
                break
            if step.late != (unchanged >= usual):
                continue  # the usual ones have something left to do, or only late ones have
            left -= 1
            unchanged += 1
            if not news[index]:
                continue
            runs += 1
            news[index] = graph.changes = 0
            if step.run(graph):
                unchanged = 0
            if graph.changes:
                news = [
                    old | (p.after & graph.changes) for p, old in zip(passes, news, strict=True)
                ]
            if check is not None:
                check(graph, step.name)
        return nest(graph, rename="names" not in off)
