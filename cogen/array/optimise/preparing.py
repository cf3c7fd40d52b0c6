"""From a checked program to what a back end takes: optimised (`cogen.array.optimise.optimise`),
then scheduled, function by function (`cogen.array.schedule.passes`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cogen.array.ir.graph import Graph
from cogen.array.ir.node import (
    Module,
    Node,
)
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.facts import CheckedFacts
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.optimise import optimise
from cogen.array.schedule.passes import in_order
from cogen.array.schedule.schedule import Scheduled
from cogen.lang.errors import Span


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A module, the schedules of its entry and of the functions it calls, and places of nodes."""

    module: Module
    entry: Scheduled
    functions: Mapping[str, Scheduled]
    spans: Mapping[Node, Span]
    arithmetic: Arithmetic = WIDE


def prepare(
    facts: CheckedFacts, entry: str, options: Options | None = None, arithmetic: Arithmetic = WIDE
) -> Prepared:
    """A function of a checked program, ready for a back end."""
    graph, module = optimise(facts, entry, options, arithmetic=arithmetic)
    return scheduled(module, graph, options)


def scheduled(module: Module, graph: Graph, options: Options | None = None) -> Prepared:
    """An optimised module of a graph, with the schedules of its functions."""
    off: frozenset[str] = frozenset() if options is None else options.off
    functions = {
        name: in_order(own, module.functions, off) for name, own in module.functions.items()
    }
    entry = in_order(module.entry, module.functions, off)
    return Prepared(module, entry, functions, graph.spans, graph.arithmetic)
