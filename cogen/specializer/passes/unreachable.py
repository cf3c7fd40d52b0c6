"""Drops top-level procedures that the entry does not need, directly or through others.

Nodes that nothing reaches need no dropping: a graph is what can be walked from its first node.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import walk_from
from cogen.specializer.passes.flow_graph import ResidualGraph, node_atoms


def drop_unreachable(graph: ResidualGraph) -> bool:
    """`(define f ...)` that no procedure reached from the entry mentions -> nothing."""
    if len(graph.procedures) == 1:
        return False
    needed = in_call_order(graph)
    if len(needed) == len(graph.procedures):
        return False
    graph.procedures = {procedure.name: procedure for procedure in needed}
    graph.changed(flow.EDGES)
    return True


def in_call_order(graph: ResidualGraph) -> list[flow.Procedure]:
    """The top-level procedures that the entry needs, in the order in which it comes to them."""
    order = [graph.procedures[graph.entry]]
    if len(graph.procedures) == 1:
        return order
    seen = {graph.entry}
    for procedure in order:
        for _, nodes in walk_from([procedure]):
            for node in nodes:
                for atom in node_atoms(node):
                    if type(atom) is il.Global and atom.name not in seen:
                        seen.add(atom.name)
                        if atom.name in graph.procedures:
                            order.append(graph.procedures[atom.name])
    return order
