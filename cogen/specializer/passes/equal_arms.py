"""Makes one of arms of conditionals that do the same, where that makes the program smaller.

A dispatch on what only a run knows leads to the same from several of its tests: each symbol that
may follow a sum ends it.  Where such arms are of different static states, they come from versions
of their own, or stand in place.  Labelled pieces of code that are equal are one already
(`passes.merge`); an arm has no label until it is shared, and a label costs something, so arms are
shared where they follow each other, as the tests are one then,

    (if a (let ((t (+ x y))) (jump k t))                 (if (or a b) (jump j) (B))
        (if b (let ((t (+ x y))) (jump k t)) (B)))  ->   with (j () (let ((t (+ x y))) (jump k t)))

and elsewhere if they are large, or many.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Final

from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import walk
from cogen.specializer.passes.flow_graph import ResidualGraph
from cogen.specializer.passes.merge import Shape, outline, pieces_alike, weaken

LABEL: Final = 4
"""What a label adds to a program's text, in pairs;"""

JUMP: Final = 2
"""and a jump to it."""

MOST: Final = 256
"""Larger arms are not looked at: as arms stand within each other, that would take long."""


def merge_arms(graph: ResidualGraph) -> bool:
    """`(if a (A) (if b (A) (B)))` -> `(if a (jump j) (if b (jump j) (B)))`, `j` labelling `(A)`."""
    changed = False
    for _, nodes in walk(graph):
        for group in _groups(graph, nodes):
            _share(graph, group)
            changed = True
    if changed:
        graph.changed(flow.EDGES)
    return changed


class _Arm:
    """An arm: the conditional that it is of, which arm, and its text."""

    __slots__ = ("branch", "node", "shape")

    def __init__(self, graph: ResidualGraph, branch: flow.Branch, node: flow.Node) -> None:
        self.branch = branch
        self.node = node
        self.shape = Shape(graph).read(node, whole=False)


def _groups(graph: ResidualGraph, nodes: Iterable[flow.Node]) -> Iterator[list[_Arm]]:
    """Arms of a procedure that are to be one; those that stand in others that are to be are left
    for another time."""
    found = [
        (tail, arm)
        for node in nodes
        if type(tail := node.tail) is flow.Branch
        for arm in (tail.then, tail.otherwise)
        if _weight(arm) >= JUMP
    ]
    alike = pieces_alike(found, lambda one: outline(one[1]))
    groups: dict[Hashable, list[_Arm]] = {}
    for branch, node in alike:
        arm = _Arm(graph, branch, node)
        groups.setdefault((*arm.shape.text, *arm.shape.blanks), []).append(arm)
    taken: set[flow.Node] = set()
    for group in groups.values():
        if any(arm.node in taken for arm in group) or not _is_of_use(group):
            continue
        for arm in group:
            taken.update(private_nodes(arm.node))
        yield group


def _is_of_use(group: list[_Arm]) -> bool:
    """Whether the program gets smaller if these arms are one."""
    count, weight = len(group), _weight(group[0].node)
    if (count - 1) * weight > LABEL + JUMP * count:
        return True
    nodes = {arm.node for arm in group}
    return count > 1 and any(_follows(arm, nodes) for arm in group)


def _follows(arm: _Arm, nodes: set[flow.Node]) -> bool:
    """Whether what is done else tests, and has one of the nodes as an arm as well."""
    branch = arm.branch
    other = branch.otherwise if arm.node is branch.then else branch.then
    tail = other.tail
    return type(tail) is flow.Branch and (tail.then in nodes or tail.otherwise in nodes)


def _share(graph: ResidualGraph, group: list[_Arm]) -> None:
    """Make the arms jumps to a node that is the first of them."""
    first = group[0].node
    for arm in group[1:]:
        weaken(graph, group[0].shape, arm.shape)
    for arm in group:
        node = arm.node
        jump = flow.Node([], flow.Goto(first, ()), base=node.base, span=node.span)
        if arm.branch.then is node:
            arm.branch.then = jump
        else:
            arm.branch.otherwise = jump


def private_nodes(node: flow.Node) -> Iterator[flow.Node]:
    """A node with those that are reached from it alone: arms, and what comes after calls."""
    work = [node]
    while work:
        node = work.pop()
        yield node
        if type(node.tail) is not flow.Goto:
            work += flow.successors(node)


def _weight(node: flow.Node) -> int:
    """About how many pairs an arm's text has, if it is more than a jump, and not large."""
    count = 0
    for one in private_nodes(node):
        if count > MOST:
            return 0
        for item in one.items:
            count += LABEL + (len(item.arguments) if type(item) is flow.Operation else 0)
        count += len(flow.tail_atoms(one.tail))
    return count if node.items or type(node.tail) is not flow.Goto else 0
