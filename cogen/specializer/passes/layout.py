"""How a procedure's nodes nest, and the order in which their text stands.

A node's text holds what it dominates: the arms of its conditional and the rest after its call
stand in its tail, every other node that it immediately dominates becomes a continuation bound
just before the tail, the latest point from which all its uses can be reached.  Such
continuations are bound in groups, a group before those that jump to it; only a real cycle makes
a group of several.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cogen.lang import il
from cogen.lang.components import components
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.dominators import Dominators, dominator_trees
from cogen.specializer.passes.flow_graph import ResidualGraph, successors


@dataclass(slots=True, eq=False)
class NodeLayout:
    """`groups`: by node, the continuations bound before its tail; `owner`: by node, the
    procedure; `text`: every procedure (before its nodes) and node in the order of the text."""

    groups: dict[flow.Node, list[list[flow.Node]]] = field(default_factory=dict)
    owner: dict[flow.Node, flow.Procedure] = field(default_factory=dict)
    text: list[flow.Procedure | flow.Node] = field(default_factory=list)

    def forwards(self, node: flow.Node) -> flow.Node | None:
        """Where the rest after a call just passes the value on to, if that is all it does."""
        tail = node.tail
        if node.items or node in self.groups or type(tail) is not flow.Goto:
            return None
        if len(tail.arguments) != 1 or len(node.parameters) != 1:
            return None
        passed = tail.arguments[0]
        same = type(passed) is il.Var and passed.name == node.parameters[0]
        return tail.target if same else None


def layout(graph: ResidualGraph, procedures: Iterable[flow.Procedure]) -> NodeLayout:
    """The layout of these top-level procedures of the graph and of those nested in them."""
    result = NodeLayout()
    trees = dominator_trees(graph)
    for procedure in procedures:
        _lay_out(procedure, trees, result)
    return result


def _lay_out(
    top: flow.Procedure, trees: dict[flow.Procedure, Dominators], result: NodeLayout
) -> None:
    """Enters the procedure, its nodes and the procedures nested in them."""
    stack: list[tuple[flow.Node | None, int, flow.Procedure]] = [(None, 0, top)]
    while stack:
        node, done, procedure = stack.pop()
        if node is None:
            result.text.append(procedure)
            _group(trees[procedure], result.groups)
            stack.append((procedure.start, 0, procedure))
            continue
        if done == 0:
            result.text.append(node)
            result.owner[node] = procedure
        for i in range(done, len(node.items)):
            item = node.items[i]
            if type(item) is flow.Closures:
                stack.append((node, i + 1, procedure))
                stack.extend((None, 0, p) for p in reversed(item.procedures))
                break
        else:
            below = [n for group in result.groups.get(node, ()) for n in group]
            below.extend(_in_tail(node, result))
            stack.extend((n, 0, procedure) for n in reversed(below))


def _in_tail(node: flow.Node, result: NodeLayout) -> tuple[flow.Node, ...]:
    """The nodes whose text stands in the tail."""
    tail = node.tail
    if type(tail) is flow.Branch:
        return (tail.then, tail.otherwise)
    target = tail.target
    if type(tail) is flow.Invoke and target is not None and result.forwards(target) is None:
        return (target,)
    return ()


def _group(tree: Dominators, groups: dict[flow.Node, list[list[flow.Node]]]) -> None:
    """Enters the groups of continuations of each node into `groups`."""
    bound: dict[int, list[int]] = {}
    for i, node in enumerate(tree.nodes):
        private = () if type(node.tail) is flow.Goto else successors(node)
        found = [c for c in tree.children[i] if tree.nodes[c] not in private]
        if found:
            bound[i] = found
    mentions = _mentions(tree, {i: found for i, found in bound.items() if len(found) > 1})
    for i, found in bound.items():
        ordered = components(found, mentions.__getitem__) if len(found) > 1 else [found]
        groups[tree.nodes[i]] = [[tree.nodes[c] for c in group] for group in ordered]


def _mentions(tree: Dominators, crowded: dict[int, list[int]]) -> dict[int, list[int]]:
    """For each child of a crowded node: the continuations among its siblings to which code below
    it jumps; `crowded` has the continuations that each such node binds."""
    found: dict[int, list[int]] = {c: [] for i in crowded for c in tree.children[i]}
    if not crowded:
        return found
    bound = {c for cs in crowded.values() for c in cs}
    depth = [0] * len(tree.nodes)
    path: list[int] = []
    stack = [0]
    while stack:
        i = stack.pop()
        depth[i] = level = depth[tree.parent[i]] + 1 if i else 0
        del path[level:]
        path.append(i)
        for target in successors(tree.nodes[i]):
            above = tree.parent[target.index]
            if target.index in bound and depth[above] < level:
                found[path[depth[above] + 1]].append(target.index)
        stack.extend(reversed(tree.children[i]))
    return found
