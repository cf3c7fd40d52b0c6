"""Drops top-level procedures that the entry does not need, directly or through others.

Nodes that nothing reaches need no dropping: a graph is what can be walked from its first node.
"""

from __future__ import annotations

from cogen.spec.passes.flow import Graph, node_atoms, walk_from
from lang import il


def drop_unreachable(graph: Graph) -> bool:
    """`(define f ...)` that no procedure reached from the entry mentions -> nothing."""
    needed = [graph.entry]
    seen = {graph.entry}
    for name in needed:
        for _, nodes in walk_from([graph.procedures[name]]):
            for node in nodes:
                for atom in node_atoms(node):
                    if isinstance(atom, il.Global) and atom.name not in seen:
                        seen.add(atom.name)
                        if atom.name in graph.procedures:
                            needed.append(atom.name)
    if len(needed) == len(graph.procedures):
        return False
    graph.procedures = {name: graph.procedures[name] for name in needed}
    graph.restructured()
    return True
