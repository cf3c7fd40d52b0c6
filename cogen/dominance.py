"""Immediate dominators of a graph (Lengauer and Tarjan 1979, with path compression)."""

from __future__ import annotations

from collections.abc import Sequence


def immediate(tree: Sequence[int], entering: Sequence[Sequence[int]]) -> list[int]:
    """The immediate dominator of each node (the first's own: 0).

    Nodes are numbers in the order of a depth-first search: `tree` is each one's parent in it, and
    `entering` those from which it is entered.  The names are those of the paper.
    """
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
