"""Moves an operation into the arm of a conditional that alone needs its result.

Only pure operations that could be dropped move, and only down arms (never into a loop or past a
join), so each is computed at most as often as before and on fewer paths.
"""

from __future__ import annotations

from cogen.spec.passes.dead import is_droppable
from cogen.spec.passes.dominators import dominators
from cogen.spec.passes.flow import (
    Branch,
    Closures,
    Graph,
    Node,
    Operation,
    node_atoms,
    successors,
    walk,
)
from lang import il
from lang.prims import PRIMITIVES

MOST_STEPS = 32
"""How many loops and joins are looked past to see that a use lies below an arm."""


def sink(graph: Graph) -> bool:
    """`((let x (* a b)) (if t ((jump k x)) ((jump k '0))))` ->
    `((if t ((let x (* a b)) (jump k x)) ((jump k '0))))`.

    Precondition: all uses of `x` stand in one node, or below it.
    """
    work = _Sinking(graph)
    for node in reversed(work.order):
        work.node(node)
    for node, moved in work.moved.items():
        node.items = [*reversed(moved), *node.items]
    return bool(work.moved)


class _Sinking:
    """`order`: all nodes, after those that dominate them; `above`: the immediate dominator;
    `top`: the node from which only arms lead to the node; `uses`: where each operation's result
    is used, and how often; `moved`: what goes to the head of each node, last first."""

    def __init__(self, graph: Graph) -> None:
        self.order: list[Node] = []
        self.above: dict[Node, Node] = {}
        self.top: dict[Node, Node] = {}
        self.uses: dict[str, dict[Node, int]] = {}
        self.moved: dict[Node, list[Operation | Closures]] = {}
        for procedure, nodes in walk(graph):
            tree = dominators(procedure)
            for i, node in enumerate(tree.nodes):
                self.order.append(node)
                above = tree.nodes[tree.parent[i]]
                if i:
                    self.above[node] = above
                is_arm = isinstance(above.tail, Branch) and node in successors(above)
                self.top[node] = self.top[above] if is_arm and i else node
            for node in nodes:
                for item in node.items:
                    if isinstance(item, Operation):
                        self.uses.setdefault(item.name, {})
        for node in self.order:
            for atom in node_atoms(node):
                if isinstance(atom, il.Var) and (found := self.uses.get(atom.name)) is not None:
                    found[node] = found.get(node, 0) + 1

    def node(self, node: Node) -> None:
        """Moves what can be moved out of a node; those below it have been done."""
        if not isinstance(node.tail, Branch):
            return
        kept: list[Operation | Closures] = []
        for item in reversed(node.items):
            place = self.place(item, node) if isinstance(item, Operation) else None
            if place is None or not isinstance(item, Operation):
                kept.append(item)
                continue
            self.moved.setdefault(place, []).append(item)
            for atom in item.arguments:
                if isinstance(atom, il.Var) and atom.name in self.uses:
                    self.move_use(self.uses[atom.name], node, place)
        node.items = kept[::-1]

    def place(self, operation: Operation, node: Node) -> Node | None:
        """The lowest arm below the node that all uses of the result lie in."""
        uses = self.uses[operation.name]
        if len(uses) != 1 or PRIMITIVES[operation.op].effect != "pure":
            return None
        if not is_droppable(operation):
            return None
        (place,) = uses
        for _ in range(MOST_STEPS):
            top = self.top[place]
            if top is self.top[node]:
                return None if place is node else place
            if top not in self.above:
                return None
            place = self.above[top]
        return None

    @staticmethod
    def move_use(uses: dict[Node, int], origin: Node, place: Node) -> None:
        uses[origin] -= 1
        if uses[origin] == 0:
            del uses[origin]
        uses[place] = uses.get(place, 0) + 1
