"""Joins nodes that always follow each other and leaves out nodes that do nothing.

A node entered from one place only by a jump continues that place.  A node without items that
only jumps on is gone past; so a return shared by many places becomes a return at each, and a
call whose value is just returned becomes a tail call.
"""

from __future__ import annotations

from cogen.spec.passes.flow import (
    Goto,
    Graph,
    Invoke,
    Node,
    count_uses,
    substitute,
    successors,
    walk,
)
from lang import il


def straighten(graph: Graph) -> bool:
    """`(conts (k (x) ((let y (car x)) ...)))` with one `(jump k a)` -> `((let y (car a)) ...)`
    there; `(conts (k (x) ((jump j x b))))` and `(jump k a)` -> `(jump j a b)`."""
    nodes = [node for _, found in walk(graph) for node in found]
    changed = _skip_forwarders(graph, nodes)
    return _merge_chains(graph) or changed


def _skip_forwarders(graph: Graph, nodes: list[Node]) -> bool:
    uses = count_uses(graph)
    passing = {node: jump for node in nodes if (jump := _only_passes_on(node, uses)) is not None}
    if not passing:
        return False
    final = _followed(passing)
    changed = False
    for node in nodes:
        tail = node.tail
        if isinstance(tail, Goto) and (target := tail.target) in final and target is not None:
            node.tail = _passed_on(tail, target, final[target])
            changed = True
        elif isinstance(tail, Invoke) and tail.target is not None and tail.target in passing:
            changed = _tail_call(tail, tail.target) or changed
    graph.restructured()
    return changed


def _followed(passing: dict[Node, Goto]) -> dict[Node, Goto]:
    """The jumps of nodes that only pass on, with further such nodes left out."""
    final: dict[Node, Goto] = {}
    for start in passing:
        path: dict[Node, None] = {}
        node: Node | None = start
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


def _only_passes_on(node: Node, uses: dict[str, int]) -> Goto | None:
    """The jump of a node that does nothing else and whose parameters nothing else uses."""
    tail = node.tail
    if node.items or not isinstance(tail, Goto) or tail.target is node:
        return None
    here: dict[str, int] = {}
    for atom in tail.arguments:
        if isinstance(atom, il.Var):
            here[atom.name] = here.get(atom.name, 0) + 1
    if any(uses.get(x, 0) != here.get(x, 0) for x in node.parameters):
        return None
    return tail


def _passed_on(tail: Goto, node: Node, further: Goto) -> Goto:
    """The jump that leaves `node` out."""
    values = dict(zip(node.parameters, tail.arguments, strict=True))
    arguments = [values.get(a.name, a) if isinstance(a, il.Var) else a for a in further.arguments]
    return Goto(further.target, tuple(arguments), tail.span)


def _tail_call(tail: Invoke, rest: Node) -> bool:
    """Makes the call a tail call if the rest after it only returns its value."""
    jump = rest.tail
    if not isinstance(jump, Goto) or jump.target is not None or len(rest.parameters) != 1:
        return False
    passed = jump.arguments
    if len(passed) != 1 or passed[0] != il.Var(rest.parameters[0]):
        return False
    tail.target = None
    return True


def _merge_chains(graph: Graph) -> bool:
    everything = walk(graph)
    entering: dict[Node, int] = {}
    for _, nodes in everything:
        for node in nodes:
            for target in successors(node):
                entering[target] = entering.get(target, 0) + 1
    values: dict[str, il.Atom] = {}
    merged: set[Node] = set()
    for _, nodes in everything:
        for node in nodes:
            if node in merged:
                continue
            while isinstance(tail := node.tail, Goto):
                follower = tail.target
                if follower is None or follower is node or entering[follower] != 1:
                    break
                values.update(zip(follower.parameters, tail.arguments, strict=True))
                node.items.extend(follower.items)
                node.tail = follower.tail
                merged.add(follower)
    graph.restructured()
    substitute(graph, values)
    return bool(merged)
