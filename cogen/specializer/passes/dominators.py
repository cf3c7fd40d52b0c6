"""The dominator tree of a procedure.

Used to nest nodes (`nest`) and by passes whose facts hold in what a node dominates.
"""

from __future__ import annotations

from dataclasses import dataclass

from cogen.dominance import immediate
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import walk
from cogen.specializer.passes.flow_graph import ResidualGraph, fact, successors


@dataclass(slots=True, eq=False)
class Dominators:
    """`nodes` in depth-first order, each knowing its position as `index`; `parent` the
    immediate dominator's position (the first node's own: 0); `children` in depth-first order."""

    nodes: list[flow.Node]
    parent: list[int]
    children: list[list[int]]


@fact(flow.EDGES)
def dominator_trees(graph: ResidualGraph) -> dict[flow.Procedure, Dominators]:
    """The dominator tree of every procedure."""
    return {procedure: _tree(nodes) for procedure, nodes in walk(graph)}


def _tree(nodes: list[flow.Node]) -> Dominators:
    """The dominator tree of nodes in depth-first order."""
    for i, node in enumerate(nodes):
        node.index = i
    tree, entering = _search_tree(nodes)
    parent = immediate(tree, entering)
    children: list[list[int]] = [[] for _ in nodes]
    for i in range(1, len(nodes)):
        children[parent[i]].append(i)
    return Dominators(nodes, parent, children)


def _search_tree(nodes: list[flow.Node]) -> tuple[list[int], list[list[int]]]:
    """Each node's parent in the depth-first search, which is the last before it of those from
    which it is entered, and all from which it is entered."""
    tree = [0] * len(nodes)
    entering: list[list[int]] = [[] for _ in nodes]
    for i, node in enumerate(nodes):
        for target in successors(node):
            j = target.index
            entering[j].append(i)
            if j > i:
                tree[j] = i
    return tree, entering
