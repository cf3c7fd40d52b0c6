"""Leaves out tests of which each jump that leads there tells the outcome.

    (jump k '1 a)  (jump k '0 b)            (jump k.1 a)  (jump k.2 b)
    (k (t x) (if (= t 0) (A x) (B x)))      (k.1 (x.1) (B x.1))  (k.2 (x.2) (A x.2))

A machine whose comparisons give 1 or 0, and whose jumps test that, leaves such conditionals where
the number has become data of the run.  The arms become code that is jumped to, each with parameters
of its own for what it uses; so nothing is made twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.branches import decided_test
from cogen.specializer.passes.dominators import Dominators, dominator_trees
from cogen.specializer.passes.facts import uses, walk_from
from cogen.specializer.passes.flow_graph import ResidualGraph, node_atoms
from cogen.specializer.passes.rewrite import replacer, rewrite_tail


def part_ways(graph: ResidualGraph) -> bool:
    """`(jump k '#t a)` and `(jump k '#f b)` with `(k (t x) (if t (A x) (B x)))` ->
    `(jump k.1 a)` and `(jump k.2 b)`.

    Precondition: all that leads to `k` are such jumps, and what comes after both arms uses none of
    the parameters of `k`.
    """
    crossings = list(_crossings(graph))
    for crossing in crossings:  # each has nodes and names of its own to change
        _part(graph, crossing)
    if crossings:
        graph.changed(flow.EDGES | flow.ATOMS | flow.LESS)
    return bool(crossings)


class _Crossing(NamedTuple):
    """A node whose test is decided by all the nodes that jump there: to which arm each goes; and
    what each arm dominates."""

    node: flow.Node
    taken: list[tuple[flow.Node, flow.Node]]
    regions: dict[flow.Node, list[flow.Node]]


def _crossings(graph: ResidualGraph) -> Iterator[_Crossing]:
    counts = uses(graph)
    for procedure, tree in dominator_trees(graph).items():
        leading: dict[flow.Node, list[flow.Node]] = {}
        others = {procedure.start}
        for node in tree.nodes:
            if type(node.tail) is flow.Goto and node.tail.target is not None:
                leading.setdefault(node.tail.target, []).append(node)
            elif type(node.tail) is flow.Invoke and node.tail.target is not None:
                others.add(node.tail.target)
        for node, jumping in leading.items():
            if node not in others and type(node.tail) is flow.Branch:
                found = _crossing(node, node.tail, jumping, tree, counts)
                if found is not None:
                    yield found


def _crossing(
    node: flow.Node,
    branch: flow.Branch,
    jumping: list[flow.Node],
    tree: Dominators,
    counts: dict[str, int],
) -> _Crossing | None:
    """The node with what leads there, if its test can be left out."""
    test = branch.test
    if len(node.items) > 1 or type(test) is not il.Var or branch.then is branch.otherwise:
        return None
    if node.items and counts.get(test.name, 0) != 1:
        return None
    taken: list[tuple[flow.Node, flow.Node]] = []
    for one in jumping:
        jump = one.tail
        value = decided_test(jump, node, test.name) if type(jump) is flow.Goto else None
        if value is None:
            return None
        taken.append((one, branch.otherwise if value.value is False else branch.then))
    regions = {arm: list(_dominated(tree, arm)) for arm in (branch.then, branch.otherwise)}
    inside = {node, *(one for region in regions.values() for one in region)}
    after = [one for one in _dominated(tree, node) if one not in inside]
    if not _used(after).isdisjoint(node.parameters):
        return None
    return _Crossing(node, taken, regions)


def _dominated(tree: Dominators, root: flow.Node) -> Iterator[flow.Node]:
    """A node and all that it dominates."""
    work = [root.index]
    while work:
        index = work.pop()
        yield tree.nodes[index]
        work += tree.children[index]


def _with_nested(nodes: Iterable[flow.Node]) -> Iterator[flow.Node]:
    """Nodes, and those of the procedures that are nested in them."""
    for node in nodes:
        yield node
        for item in node.items:
            if type(item) is flow.Closures:
                for _, inner in walk_from(item.procedures):
                    yield from inner


def _used(nodes: Iterable[flow.Node]) -> set[str]:
    """The variables that nodes use."""
    return {
        atom.name
        for node in _with_nested(nodes)
        for atom in node_atoms(node)
        if type(atom) is il.Var
    }


def _part(graph: ResidualGraph, crossing: _Crossing) -> None:
    node = crossing.node
    kept: dict[flow.Node, list[int]] = {}
    for arm, region in crossing.regions.items():
        used = _used(region)
        kept[arm] = [i for i, name in enumerate(node.parameters) if name in used]
        names = {node.parameters[i]: graph.fresh(node.parameters[i]) for i in kept[arm]}
        for name, new in names.items():
            if name in graph.types:
                graph.types[new] = graph.types[name]
        _rename(region, {name: il.Var(new) for name, new in names.items()})
        arm.parameters = list(names.values())
    for one, arm in crossing.taken:
        jump = one.tail
        assert type(jump) is flow.Goto
        arguments = tuple([jump.arguments[i] for i in kept[arm]])
        one.tail = flow.Goto(arm, arguments, jump.span)


def _rename(nodes: Iterable[flow.Node], names: dict[str, il.Atom]) -> None:
    """Call variables otherwise in nodes."""
    replace = replacer(names)
    for node in _with_nested(nodes):
        for item in node.items:
            if type(item) is flow.Operation:
                item.arguments = tuple([replace(atom) for atom in item.arguments])
        rewrite_tail(node.tail, replace)
