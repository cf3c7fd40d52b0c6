"""A walk down the dominator trees, for facts that hold in what a node dominates.

A nested procedure is walked where its Closures stand: what is known there holds inside.
"""

from __future__ import annotations

from typing import TypeVar

from cogen.spec.passes.dominators import Dominators, dominators
from cogen.spec.passes.flow import Closures, Graph, Node, Operation, Procedure

K = TypeVar("K")
V = TypeVar("V")


class Scope:
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
        while len(self.log) > mark:
            facts, key, old, was = self.log.pop()
            assert isinstance(facts, dict)
            if was:
                facts[key] = old
            else:
                del facts[key]

    def enter(self, node: Node, above: Node | None) -> None:
        """Before a node's items; `above` immediately dominates it (None: a first node)."""

    def operation(self, operation: Operation) -> None:
        """At an operation."""

    def closures(self, closures: Closures) -> None:
        """At nested procedures, before they are walked."""

    def tail(self, node: Node) -> None:
        """After a node's items, before what it dominates."""


def scoped_walk(graph: Graph, scope: Scope) -> None:
    """Visits every node, those that dominate it first."""
    for procedure in graph.procedures.values():
        _Walk(scope).run(procedure)


class _Walk:
    """`stack` holds what is still to be done: walk a procedure, take facts back to a mark, or go
    on with a node (its tree, and how many of its items are done)."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.stack: list[Procedure | int | tuple[Dominators, Node, int]] = []

    def run(self, procedure: Procedure) -> None:
        stack = self.stack
        stack.append(procedure)
        while stack:
            todo = stack.pop()
            if isinstance(todo, int):
                self.scope.undo(todo)
            elif isinstance(todo, Procedure):
                stack.append((dominators(todo), todo.start, 0))
            else:
                self.node(*todo)

    def node(self, tree: Dominators, node: Node, done: int) -> None:
        scope = self.scope
        i = node.index
        if done == 0:
            self.stack.append(len(scope.log))
            scope.enter(node, tree.nodes[tree.parent[i]] if i else None)
        for j in range(done, len(node.items)):
            item = node.items[j]
            if isinstance(item, Operation):
                scope.operation(item)
                continue
            scope.closures(item)
            self.stack.append((tree, node, j + 1))
            self.stack.extend(reversed(item.procedures))
            return
        scope.tail(node)
        self.stack.extend((tree, tree.nodes[c], 0) for c in reversed(tree.children[i]))
