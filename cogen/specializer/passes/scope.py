"""A walk down the dominator trees, for facts that hold in what a node dominates.

A nested procedure is walked where its Closures stand: what is known there holds inside.
"""

from __future__ import annotations

from typing import TypeVar

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.dominators import dominator_trees
from cogen.specializer.passes.flow_graph import ResidualGraph, fact

K = TypeVar("K")
V = TypeVar("V")


class WalkScope:
    """What happens at each step of a `scoped_walk`, and facts that end with the node at which
    they were entered."""

    def __init__(self) -> None:
        self.log: list[tuple[object, object, object, bool]] = []

    def hold(self, facts: dict[K, V], key: K, value: V) -> None:
        """Enters a fact until the walk leaves what the current node dominates."""
        self.log.append((facts, key, facts.get(key), key in facts))
        facts[key] = value

    def undo(self, mark: int) -> None:
        """Takes back the facts entered since the log had that length."""
        log = self.log
        while len(log) > mark:
            facts, key, old, was = log.pop()
            assert isinstance(facts, dict)
            if was:
                facts[key] = old
            else:
                del facts[key]

    def enter(self, node: flow.Node, above: flow.Node | None) -> None:
        """Before a node's items; `above` immediately dominates it (None: a first node)."""

    def operation(self, operation: flow.Operation) -> None:
        """At an operation."""

    def tail(self, node: flow.Node) -> None:
        """After a node's items, before what it dominates."""


class TestedScope(WalkScope):
    """A scope in which the tests of conditionals tell something in their arms."""

    def enter(self, node: flow.Node, above: flow.Node | None) -> None:
        if above is None or type(above.tail) is not flow.Branch:
            return
        branch = above.tail
        if type(branch.test) is il.Var and (node is branch.then or node is branch.otherwise):
            self.learn(branch.test.name, node is branch.then)

    def learn(self, test: str, holds: bool) -> None:
        """Enters what follows from a test's being true or false."""


def scoped_walk(graph: ResidualGraph, scope: WalkScope) -> None:
    """Visits every node, those that dominate it first."""
    marks: list[int] = []
    """By depth, how long the log was before the node that is being visited there."""
    for depth, node, above, items, first, last in _steps(graph):
        left = depth if first else depth + 1
        if len(marks) > left:
            scope.undo(marks[left])
            del marks[left:]
        if first:
            marks.append(len(scope.log))
            scope.enter(node, above)
        for item in items:
            scope.operation(item)
        if last:
            scope.tail(node)
    scope.undo(0)


_Step = tuple[int, flow.Node, flow.Node | None, list[flow.Operation], bool, bool]
"""The depth of a node, the node, what dominates it, a stretch of its operations, and whether that
is the first and the last of its stretches: a stretch ends with each Closures."""


@fact(flow.EDGES | flow.ITEMS | flow.LESS)
def _steps(graph: ResidualGraph) -> list[_Step]:
    """The way that `scoped_walk` goes."""
    trees = dominator_trees(graph)
    steps: list[_Step] = []
    for top in graph.procedures.values():
        stack = [(trees[top], top.start, 0, 0)]
        """Nodes to go on with: the tree, the node, its depth, how many items are done."""
        while stack:
            tree, node, depth, done = stack.pop()
            i = node.index
            above = tree.nodes[tree.parent[i]] if i else None
            stretch: list[flow.Operation] = []
            nested: flow.Closures | None = None
            for item in node.items[done:] if done else node.items:
                if type(item) is not flow.Operation:
                    nested = item
                    break
                stretch.append(item)
            steps.append((depth, node, above, stretch, done == 0, nested is None))
            if nested is not None:
                stack.append((tree, node, depth, done + len(stretch) + 1))
                stack.extend((trees[p], p.start, depth + 1, 0) for p in reversed(nested.procedures))
                continue
            for c in reversed(tree.children[i]):
                stack.append((tree, tree.nodes[c], depth + 1, 0))
    return steps
