"""Moves an operation into the arm of a conditional that alone needs its result.

Only pure operations that could be dropped move, and only down arms (never into a loop or past a
join), so each is computed at most as often as before and on fewer paths.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.dead import is_droppable
from cogen.specializer.passes.dominators import dominator_trees
from cogen.specializer.passes.facts import all_nodes, uses
from cogen.specializer.passes.flow_graph import ResidualGraph, node_atoms

MOST_STEPS = 32
"""How many loops and joins are looked past to see that a use lies below an arm."""


def sink(graph: ResidualGraph) -> bool:
    """`((let x (* a b)) (if t ((jump k x)) ((jump k '0))))` ->
    `((if t ((let x (* a b)) (jump k x)) ((jump k '0))))`.

    Precondition: all uses of `x` stand in one node, or below it.
    """
    counts = uses(graph)
    if not any(_used_elsewhere_only(node, counts) for node in all_nodes(graph)):
        return False  # and the first to be moved is such
    work = _Sinking(graph)
    for node in reversed(work.order):
        work.node(node)
    for node, moved in work.moved.items():
        node.items = [*reversed(moved), *node.items]
    if work.moved:
        graph.changed(flow.ITEMS)
    return bool(work.moved)


def _used_elsewhere_only(node: flow.Node, counts: dict[str, int]) -> bool:
    """Whether an operation of a node that ends in a conditional could be moved into an arm."""
    if not node.items or type(node.tail) is not flow.Branch:
        return False
    could = {item.name for item in node.items if type(item) is flow.Operation and _may_move(item)}
    if could:
        for atom in node_atoms(node):
            if type(atom) is il.Var:
                could.discard(atom.name)
    return any(name in counts for name in could)


def _may_move(operation: flow.Operation) -> bool:
    return PRIMITIVES[operation.op].effect == "pure" and is_droppable(operation)


class _Sinking:
    """`order`: all nodes, after those that dominate them; `above`: the immediate dominator;
    `top`: the node from which only arms lead to the node; `uses`: where each operation's result
    is used, and how often; `moved`: what goes to the head of each node, last first."""

    def __init__(self, graph: ResidualGraph) -> None:
        self.order: list[flow.Node] = []
        self.above: dict[flow.Node, flow.Node] = {}
        self.top: dict[flow.Node, flow.Node] = {}
        self.uses: dict[str, dict[flow.Node, int]] = {}
        self.moved: dict[flow.Node, list[flow.Operation | flow.Closures]] = {}
        for tree in dominator_trees(graph).values():
            for i, node in enumerate(tree.nodes):
                self.order.append(node)
                above = tree.nodes[tree.parent[i]]
                branch = above.tail
                self.top[node] = node
                if i:
                    self.above[node] = above
                    if type(branch) is flow.Branch and (
                        node is branch.then or node is branch.otherwise
                    ):
                        self.top[node] = self.top[above]
            for node in tree.nodes:
                for item in node.items:
                    if type(item) is flow.Operation:
                        self.uses[item.name] = {}
        for node in self.order:
            for atom in node_atoms(node):
                if type(atom) is il.Var and (found := self.uses.get(atom.name)) is not None:
                    found[node] = found.get(node, 0) + 1

    def node(self, node: flow.Node) -> None:
        """Moves what can be moved out of a node; those below it have been done."""
        if type(node.tail) is not flow.Branch:
            return
        kept: list[flow.Operation | flow.Closures] = []
        for item in reversed(node.items):
            place = self.place(item, node) if type(item) is flow.Operation else None
            if place is None or type(item) is not flow.Operation:
                kept.append(item)
                continue
            self.moved.setdefault(place, []).append(item)
            for atom in item.arguments:
                if type(atom) is il.Var and atom.name in self.uses:
                    self.move_use(self.uses[atom.name], node, place)
        node.items = kept[::-1]

    def place(self, operation: flow.Operation, node: flow.Node) -> flow.Node | None:
        """The lowest arm below the node that all uses of the result lie in."""
        found = self.uses[operation.name]
        if len(found) != 1 or not _may_move(operation):
            return None
        (place,) = found
        for _ in range(MOST_STEPS):
            top = self.top[place]
            if top is self.top[node]:
                return None if place is node else place
            if top not in self.above:
                return None
            place = self.above[top]
        return None

    @staticmethod
    def move_use(found: dict[flow.Node, int], origin: flow.Node, place: flow.Node) -> None:
        found[origin] -= 1
        if found[origin] == 0:
            del found[origin]
        found[place] = found.get(place, 0) + 1
