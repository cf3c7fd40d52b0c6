"""Leaves out what is put into vectors and never read.

An object that is a vector may hold its class, which is known wherever it is looked at
(`values.fixed`), so nothing reads it in the residual program.  What is looked at are vectors
that stay in sight: made by `vector`, passed on, read and assigned at constant indices, and nothing
else.  Their sizes stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import all_nodes, known_callees, operations, received, uses
from cogen.specializer.passes.flow_graph import ResidualGraph

_NOTHING: Final = il.Const(False)


def drop_elements(graph: ResidualGraph) -> bool:
    """`(let v (vector a b)) … (vector-ref v 1)` -> `(let v (vector #f b)) …`"""
    vectors = [operation for operation in operations(graph) if operation.op == "vector"]
    if not vectors:
        return False
    groups = _Groups(graph, {vector.name for vector in vectors})
    changed = False
    for vector in vectors:
        kept = groups.read(vector.name)
        if kept is not None:
            arguments = tuple(a if k in kept else _NOTHING for k, a in enumerate(vector.arguments))
            changed = changed or arguments != vector.arguments
            vector.arguments = arguments
    for node in all_nodes(graph):
        items = [item for item in node.items if not _is_dropped(graph, groups, item)]
        changed = changed or len(items) < len(node.items)
        node.items = items
    if changed:
        graph.changed(flow.ATOMS | flow.LESS)
    return changed


def _is_dropped(graph: ResidualGraph, groups: _Groups, item: object) -> bool:
    """Whether an operation assigns an element that nothing reads."""
    if type(item) is not flow.Operation or item.op != "vector-set!" or uses(graph).get(item.name):
        return False
    vector, index = item.arguments[:2]
    if type(vector) is not il.Var or type(index) is not il.Const:
        return False
    kept = groups.read(vector.name)
    return kept is not None and index.value not in kept


class _Groups:
    """Variables that may hold the same vectors, and what is done with these."""

    def __init__(self, graph: ResidualGraph, vectors: set[str]) -> None:
        self._leader: dict[str, str] = {}
        passed = received(graph)
        for name, atoms in passed.items():
            for atom in atoms:
                if type(atom) is il.Var:
                    self._unite(name, atom.name)
        self._read: dict[str, set[int]] = {}
        self._sizes: dict[str, int] = {}
        for operation in operations(graph):
            if operation.op == "vector":
                leader = self._find(operation.name)
                size = len(operation.arguments)
                self._sizes[leader] = min(size, self._sizes.get(leader, size))
        self._out = {self._find(name) for name in self._leaving(graph, passed, vectors)}

    def read(self, name: str) -> set[int] | None:
        """The indices that are read of what a variable holds; None if that is not known."""
        leader = self._find(name)
        if leader in self._out or leader not in self._sizes:
            return None
        return self._read.get(leader, set())

    def _find(self, name: str) -> str:
        leader = self._leader
        while (next_ := leader.get(name, name)) != name:
            leader[name] = leader.get(next_, next_)
            name = next_
        return name

    def _unite(self, a: str, b: str) -> None:
        self._leader[self._find(a)] = self._find(b)

    def _leaving(
        self, graph: ResidualGraph, passed: dict[str, list[il.Atom]], vectors: set[str]
    ) -> Iterator[str]:
        """The variables that may hold anything else, or of which something else is done."""
        for name, atoms in passed.items():
            if any(type(atom) is not il.Var for atom in atoms):
                yield name
        known = known_callees(graph)
        for node in all_nodes(graph):
            for item in node.items:
                if type(item) is flow.Operation:
                    if item.name not in vectors:
                        yield item.name
                    yield from self._used(item)
            yield from _used_at_end(node, known)
        sources = vectors | passed.keys()
        yield from (name for name in [*self._leader] if name not in sources)

    def _used(self, operation: flow.Operation) -> Iterator[str]:
        """What an operation does anything with but read, or assign, one element of a vector."""
        arguments = operation.arguments
        looks = operation.op in ("vector-ref", "vector-set!") and type(arguments[0]) is il.Var
        if looks and type(arguments[1]) is il.Const and type(arguments[1].value) is int:
            vector, index = arguments[0].name, arguments[1].value  # type: ignore[union-attr]
            leader = self._find(vector)
            if operation.op == "vector-ref":
                self._read.setdefault(leader, set()).add(index)
            if not 0 <= index < self._sizes.get(leader, 0):
                yield vector
            arguments = arguments[2:]
        elif operation.op == "vector-length":
            return
        for atom in arguments:
            if type(atom) is il.Var:
                yield atom.name


def _used_at_end(node: flow.Node, known: set[str]) -> Iterator[str]:
    """What the end of a node passes to where it is not followed."""
    tail = node.tail
    if type(tail) is flow.Branch:
        return
    if type(tail) is flow.Goto:
        followed = tail.target is not None
    else:
        function = tail.function
        followed = type(function) is il.Global and function.name in known
        if type(function) is il.Var:
            yield function.name
    if not followed:
        yield from (atom.name for atom in tail.arguments if type(atom) is il.Var)
