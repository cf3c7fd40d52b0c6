"""The dominator tree of a procedure (Lengauer and Tarjan 1979, with path compression).

Used to nest nodes (`nest`) and by passes whose facts hold in what a node dominates.
"""

from __future__ import annotations

from dataclasses import dataclass

from cogen.spec.passes.flow import Node, Procedure, successors


@dataclass(slots=True, eq=False)
class Dominators:
    """`nodes` in depth-first order, each knowing its position as `index`; `parent` the
    immediate dominator's position (the first node's own: 0); `children` in depth-first order."""

    nodes: list[Node]
    parent: list[int]
    children: list[list[int]]


def dominators(procedure: Procedure) -> Dominators:
    """The dominator tree of the procedure's reachable nodes."""
    nodes, tree, entering = _depth_first(procedure.start)
    parent = _immediate(tree, entering)
    children: list[list[int]] = [[] for _ in nodes]
    for i in range(1, len(nodes)):
        children[parent[i]].append(i)
    return Dominators(nodes, parent, children)


def _depth_first(start: Node) -> tuple[list[Node], list[int], list[list[int]]]:
    """The nodes, each one's parent in the search, and the nodes from which it is entered."""
    nodes: list[Node] = []
    tree: list[int] = []
    entering: list[list[int]] = []
    seen: set[Node] = set()
    edges: list[tuple[int, Node]] = []
    stack: list[tuple[Node, int]] = [(start, 0)]
    while stack:
        node, origin = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        node.index = i = len(nodes)
        nodes.append(node)
        tree.append(origin)
        entering.append([])
        for target in reversed(successors(node)):
            edges.append((i, target))
            if target not in seen:
                stack.append((target, i))
    for origin, target in edges:
        entering[target.index].append(origin)
    return nodes, tree, entering


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
        for v in entering[w]:
            u = evaluate(v)
            if semi[u] < semi[w]:
                semi[w] = semi[u]
        bucket[semi[w]].append(w)
        above = tree[w]
        ancestor[w] = above
        for v in bucket[above]:
            u = evaluate(v)
            result[v] = u if semi[u] < semi[v] else above
        bucket[above].clear()
    for w in range(1, size):
        if result[w] != semi[w]:
            result[w] = result[result[w]]
    return result
