"""Joins nodes that always follow each other and leaves out nodes that do nothing.

A node entered from one place only by a jump continues that place.  A node without items that
only jumps on is gone past; so a return shared by many places becomes a return at each, and a
call whose value is just returned becomes a tail call.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import all_nodes, entering, uses
from cogen.specializer.passes.flow_graph import ResidualGraph
from cogen.specializer.passes.rewrite import substitute


def straighten(graph: ResidualGraph) -> bool:
    """`(conts (k (x) ((let y (car x)) ...)))` with one `(jump k a)` -> `((let y (car a)) ...)`
    there; `(conts (k (x) ((jump j x b))))` and `(jump k a)` -> `(jump j a b)`."""
    changed = _skip_forwarders(graph)
    return _merge_chains(graph) or changed


def _skip_forwarders(graph: ResidualGraph) -> bool:
    nodes = all_nodes(graph)
    passing: dict[flow.Node, flow.Goto] = {}
    for node in nodes:
        tail = node.tail
        if not node.items and type(tail) is flow.Goto and _only_passes_on(node, tail, uses(graph)):
            passing[node] = tail
    if not passing:
        return False
    final = _followed(passing)
    changed = False
    for node in nodes:
        tail = node.tail
        if type(tail) is flow.Goto and (target := tail.target) in final and target is not None:
            node.tail = _passed_on(tail, target, final[target])
            changed = True
        elif type(tail) is flow.Invoke and tail.target is not None and tail.target in passing:
            changed = _tail_call(tail, tail.target) or changed
    if changed:
        graph.changed(flow.EDGES)
    return changed


def _followed(passing: dict[flow.Node, flow.Goto]) -> dict[flow.Node, flow.Goto]:
    """The jumps of nodes that only pass on, with further such nodes left out."""
    final: dict[flow.Node, flow.Goto] = {}
    for start in passing:
        path: dict[flow.Node, None] = {}
        node: flow.Node | None = start
        while node is not None and node in passing and node not in final and node not in path:
            path[node] = None
            node = passing[node].target
        for one in reversed(path):
            jump = passing[one]
            if jump.target is not None and jump.target in final:
                jump = _passed_on(jump, jump.target, final[jump.target])
            if jump.target is not one:
                final[one] = jump
    return final


def _only_passes_on(node: flow.Node, jump: flow.Goto, counts: dict[str, int]) -> bool:
    """Whether nothing but the jump of a node uses its parameters."""
    if jump.target is node:
        return False
    here: dict[str, int] = {}
    for atom in jump.arguments:
        if type(atom) is il.Var:
            here[atom.name] = here.get(atom.name, 0) + 1
    return all(counts.get(x, 0) == here.get(x, 0) for x in node.parameters)


def _passed_on(tail: flow.Goto, node: flow.Node, further: flow.Goto) -> flow.Goto:
    """The jump that leaves `node` out."""
    values = dict(zip(node.parameters, tail.arguments, strict=True))
    arguments = [values.get(a.name, a) if isinstance(a, il.Var) else a for a in further.arguments]
    return flow.Goto(further.target, tuple(arguments), tail.span)


def _tail_call(tail: flow.Invoke, rest: flow.Node) -> bool:
    """Makes the call a tail call if the rest after it only returns its value."""
    jump = rest.tail
    if type(jump) is not flow.Goto or jump.target is not None or len(rest.parameters) != 1:
        return False
    passed = jump.arguments
    if len(passed) != 1 or not _is_variable(passed[0], rest.parameters[0]):
        return False
    tail.target = None
    return True


def _is_variable(atom: il.Atom, name: str) -> bool:
    return type(atom) is il.Var and atom.name == name


def _merge_chains(graph: ResidualGraph) -> bool:
    edges = entering(graph)
    values: dict[str, il.Atom] = {}
    merged: set[flow.Node] = set()
    for node in all_nodes(graph):
        if node in merged:
            continue
        while type(tail := node.tail) is flow.Goto:
            follower = tail.target
            if follower is None or follower is node or edges[follower] != 1:
                break
            values.update(zip(follower.parameters, tail.arguments, strict=True))
            node.items.extend(follower.items)
            node.tail = follower.tail
            merged.add(follower)
    if not merged:
        return False
    graph.changed(flow.EDGES)
    substitute(graph, values)
    return True
