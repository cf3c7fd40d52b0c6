"""Optimises a module: lowered -> rewritten, fused, rewritten again.

The passes are listed in `PASSES`. Rewriting once more uses what the checks that it hoisted have
made known: they stand before the loops in whose bodies others are proven by them. The rewriting
after fusion finds what fusion brought together; then copies go that are only updated or read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from cogen.array.fusion import fuse as fusion
from cogen.array.fusion.rulenames import RULES
from cogen.array.ir.checkgraph import check
from cogen.array.ir.graph import Graph
from cogen.array.ir.node import (
    Function,
    Module,
)
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.facts import CheckedFacts
from cogen.array.lower.buildgraph import build
from cogen.array.optimise.indexranges import Ranges
from cogen.array.optimise.optimisations import Options, combine, combine_late
from cogen.array.optimise.rewriting import rewrite
from cogen.array.optimise.steplimit import Steps
from cogen.array.rules import views
from cogen.lang.collector import collector_paused

Pass = Callable[[Graph, Module, Options, Steps], Module]


def fuse(graph: Graph, module: Module, options: Options, steps: Steps) -> Module:
    """The module with the loops of all functions fused."""
    if "fuse" in options.off:
        return module

    def fused(function: Function) -> Function:
        chosen = fusion.FusionOptions(off=options.off & frozenset(RULES), limit=steps.left)
        found = fusion.fuse(graph, function, chosen, module.functions)
        steps.names += found.steps.taken
        return found.function

    functions = {name: fused(function) for name, function in module.functions.items()}
    return Module(fused(module.entry), functions)


def copies(graph: Graph, module: Module, options: Options, steps: Steps) -> Module:
    """The module without the copies that are only made to be updated, or to be read, and with what
    is said of places in another form when all is proven of them."""
    if "copies" in options.off:
        return rewrite(graph, module, options, steps, last=True)
    rules, graph.rules = graph.rules, combine_late(graph.rules, steps)
    graph.forget(views.takes_copies)
    try:
        return rewrite(graph, module, options, steps, last=True)
    finally:
        graph.rules = rules


PASSES: Final[tuple[tuple[str, Pass], ...]] = (
    ("rewrite", partial(rewrite, early=True)),
    ("hoisted", partial(rewrite, early=True)),
    ("fuse", fuse),
    ("fused", rewrite),
    ("again", rewrite),
    ("copies", copies),
)
"""The passes by name, in order."""


def optimise(
    facts: CheckedFacts,
    entry: str,
    options: Options | None = None,
    verify: bool = False,
    until: str | None = None,
    arithmetic: Arithmetic = WIDE,
    steps: Steps | None = None,
    after: Callable[[str], None] | None = None,
) -> tuple[Graph, Module]:
    """The optimised module that runs a function of a checked program, and its graph.

    `verify`: the module is checked after each pass; an InternalError names the pass. `until`: the
    name of the first pass that is not done any more. `steps` counts the steps, and bounds their
    number; `after` is called with the name of each pass that was done.
    """
    options = options or Options()
    steps = Steps(options.limit) if steps is None else steps
    graph = Graph(combine(options.off, steps), arithmetic)
    prove = None if "ranges" in options.off else Ranges(graph, steps)
    law = None if "laws" in options.off else partial(steps.take, "laws")
    with collector_paused():
        module = build(facts, entry, graph, "inline" not in options.off, prove, law)
        _done("build", module, verify, after)
        for name, run in PASSES:
            if name == until:
                break
            module = run(graph, module, options, steps)
            _done(name, module, verify, after)
    return graph, module


def _done(name: str, module: Module, verify: bool, after: Callable[[str], None] | None) -> None:
    """What is done after each pass."""
    if verify:
        check(module, name)
    if after is not None:
        after(name)
