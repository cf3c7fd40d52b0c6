"""The dominator tree of a procedure (Lengauer and Tarjan 1979, with path compression).

Used to nest nodes (`nest`) and by passes whose facts hold in what a node dominates.
"""

from __future__ import annotations

from dataclasses import dataclass

from cogen.spec.passes.facts import walk
from cogen.spec.passes.flow import EDGES, Graph, Node, Procedure, fact, successors


@dataclass(slots=True, eq=False)
class Dominators:
    """`nodes` in depth-first order, each knowing its position as `index`; `parent` the
    immediate dominator's position (the first node's own: 0); `children` in depth-first order."""

    nodes: list[Node]
    parent: list[int]
    children: list[list[int]]


@fact(EDGES)
def dominator_trees(graph: Graph) -> dict[Procedure, Dominators]:
    """The dominator tree of every procedure."""
    return {procedure: _tree(nodes) for procedure, nodes in walk(graph)}


def _tree(nodes: list[Node]) -> Dominators:
    """The dominator tree of nodes in depth-first order."""
    for i, node in enumerate(nodes):
        node.index = i
    tree, entering = _search_tree(nodes)
    parent = _immediate(tree, entering)
    children: list[list[int]] = [[] for _ in nodes]
    for i in range(1, len(nodes)):
        children[parent[i]].append(i)
    return Dominators(nodes, parent, children)


def _search_tree(nodes: list[Node]) -> tuple[list[int], list[list[int]]]:
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


def _immediate(tree: list[int], entering: list[list[int]]) -> list[int]:
    """The immediate dominators; the names are those of the paper."""
    size = len(tree)
    semi = list(range(size))
    best = list(range(size))
    ancestor = [-1] * size
    result = [0] * size
    bucket: list[list[int]] = [[] for _ in range(size)]

    def evaluate(v: int) -> int:
        if ancestor[v] < 0:
            return v
        path = []
        u = v
        while ancestor[ancestor[u]] >= 0:
            path.append(u)
            u = ancestor[u]
        for u in reversed(path):
            above = ancestor[u]
            if semi[best[above]] < semi[best[u]]:
                best[u] = best[above]
            ancestor[u] = ancestor[above]
        return best[v]

    for w in range(size - 1, 0, -1):
        above = tree[w]
        if len(entering[w]) == 1:
            semi[w] = result[w] = above  # entered from its parent only
        else:
            for v in entering[w]:
                u = evaluate(v)
                if semi[u] < semi[w]:
                    semi[w] = semi[u]
            bucket[semi[w]].append(w)
        ancestor[w] = above
        if bucket[above]:
            for v in bucket[above]:
                u = evaluate(v)
                result[v] = u if semi[u] < semi[v] else above
            bucket[above].clear()
    for w in range(1, size):
        if result[w] != semi[w]:
            result[w] = result[result[w]]
    return result
