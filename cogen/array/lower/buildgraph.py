"""Builds the graph of a program: facts about L0's tree -> `Module`."""

from __future__ import annotations

from collections.abc import Callable

from cogen.array.ir.blockscope import BlockScope, Prover
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import (
    Call,
    Function,
    Module,
)
from cogen.array.l0.facts import CheckedFacts
from cogen.array.lower.callgraph import CallGraph
from cogen.array.lower.laws import Laws
from cogen.array.lower.lowerexpressions import Lowering
from cogen.lang.deep import on_deep_stack


def build(
    facts: CheckedFacts,
    entry: str,
    graph: Graph,
    inline: bool = True,
    prove: Prover | None = None,
    law: Callable[[], bool] | None = None,
) -> Module:
    """The module that runs a function of a checked program.

    `inline`: functions become part of their callers, except recursive ones. `prove` decides
    checks that are superfluous (`cogen.array.ir.blockscope`). `law` is asked before a law is
    applied; none is without it.
    """
    return on_deep_stack(_build, facts, entry, graph, inline, prove, law)


def _build(
    facts: CheckedFacts,
    entry: str,
    graph: Graph,
    inline: bool,
    prove: Prover | None,
    law: Callable[[], bool] | None,
) -> Module:
    calls, laws = CallGraph(facts, inline), Laws(facts, law)

    def lower(name: str, called: bool) -> Function:
        lowering = Lowering(graph, facts, BlockScope(graph, prove=prove), calls, laws)
        return lowering.function(facts.definitions[name], called)

    main = lower(entry, called=False)
    functions: dict[str, Function] = {}
    waiting = [main]
    while waiting:
        function = waiting.pop(0)
        for node in all_nodes(function.body):
            if isinstance(node, Call) and node.function not in functions:
                functions[node.function] = lower(node.function, called=True)
                waiting.append(functions[node.function])
    return Module(main, functions)
