"""Removes what nothing uses: operations, closures, parameters.

What counts is found by marking.  Needed are the conditions of branches, what is returned or
passed to unknown procedures, the arguments of operations that must happen, and whatever those
are computed from; an argument for a parameter is needed only if the parameter is, so a variable
that only feeds itself around a loop or through a recursion disappears.

Which unused operations may disappear is fixed: those with no effect but allocating or reading
and no failure but overflow (an operation marked `safe` cannot fail otherwise, see `prove`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cogen.lang import il
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import all_nodes, known_callees
from cogen.specializer.passes.flow_graph import ResidualGraph, nodes_of, tail_atoms
from cogen.specializer.passes.rewrite import drop_parameters
from cogen.specializer.values.freeze import static_token

LASTING_EFFECTS: Final = frozenset(
    op for op, row in PRIMITIVES.items() if row.effect not in ("pure", "alloc", "read")
)
"""The operations that do more than give a value."""

DROPPABLE: Final = frozenset(
    op for op, row in PRIMITIVES.items() if op not in LASTING_EFFECTS and row.fails <= {"overflow"}
)
"""The operations that may be left out if their result is not used."""

DROPPABLE_IF_SAFE: Final = frozenset(
    op for op, row in PRIMITIVES.items() if op not in LASTING_EFFECTS and "user" not in row.fails
)
"""Those that may be left out where they are `safe`."""


def is_droppable(operation: flow.Operation) -> bool:
    """Whether the operation may be left out if its result is not used."""
    return operation.op in DROPPABLE or (operation.safe and operation.op in DROPPABLE_IF_SAFE)


def cover_loads(node: flow.Node) -> bool:
    """A load before a store to the same word, in one node, cannot fail where the store does not:
    it may be dropped if nothing uses it.  Whether there was such a load."""
    stored: set[tuple[object, ...]] = set()
    changed = False
    for item in reversed(node.items):
        if type(item) is not flow.Operation:
            continue
        if item.op == "store-word!":
            stored.add(_word(item))
        elif not stored:
            continue
        elif item.op == "load-word":
            if not item.safe and _word(item) in stored:
                item.safe = changed = True
        elif item.op in LASTING_EFFECTS:
            stored.clear()
    return changed


def _word(operation: flow.Operation) -> tuple[object, ...]:
    """The buffer and the index of a load or store."""
    return tuple(
        static_token(a.value) if type(a) is il.Const else a for a in operation.arguments[:2]
    )


def drop_dead(graph: ResidualGraph) -> bool:
    """`((let x (+ 1 2)) tail)` -> `(tail)` where the tail does not need `x`; the same for
    parameters of continuations, of procedures all of whose calls are known, and for closures."""
    return _Marking(graph).sweep()


class _Marking:
    """`needed` holds the variables that count, `feeds` what each parameter receives,
    `made_by` the operation of each variable that may be dropped."""

    def __init__(self, graph: ResidualGraph) -> None:
        self.graph = graph
        self.known = known_callees(graph)
        self.needed: set[str] = set()
        self.pending: list[str] = []
        self.feeds: dict[str, list[il.Atom]] = {}
        self.made_by: dict[str, flow.Operation] = {}
        self.nested: dict[str, flow.Procedure] = {}
        self.visited: set[flow.Procedure] = set()
        self.bodies: list[flow.Procedure] = []
        self.covered = False
        self.fewer_procedures = False
        self.visit(graph.procedures[graph.entry])
        self.mark()

    def mark(self) -> None:
        while self.pending or self.bodies:
            while self.bodies:
                for node in nodes_of(self.bodies.pop()):
                    self.roots(node)
            if not self.pending:
                continue
            name = self.pending.pop()
            if (operation := self.made_by.get(name)) is not None:
                self.need(operation.arguments)
            elif name in self.feeds:
                self.need(self.feeds[name])
            elif name in self.nested:
                self.visit(self.nested[name])

    def visit(self, procedure: flow.Procedure) -> None:
        if procedure not in self.visited:
            self.visited.add(procedure)
            self.bodies.append(procedure)

    def need(self, atoms: Iterable[il.Atom]) -> None:
        for atom in atoms:
            if type(atom) is il.Var:
                if atom.name not in self.needed:
                    self.needed.add(atom.name)
                    self.pending.append(atom.name)
            elif type(atom) is il.Global and atom.name in self.graph.procedures:
                self.visit(self.graph.procedures[atom.name])

    def roots(self, node: flow.Node) -> None:
        """Marks what a node needs in any case, and notes what it needs on condition."""
        if node.items:
            self.covered = cover_loads(node) or self.covered
        for item in node.items:
            if type(item) is not flow.Operation:
                self.closures(item)
            elif is_droppable(item):
                self.made_by[item.name] = item
                if item.name in self.needed:
                    self.need(item.arguments)
            else:
                self.need(item.arguments)
        tail = node.tail
        if type(tail) is flow.Goto and tail.target is not None:
            self.feed(tail.target.parameters, tail.arguments)
        elif (
            type(tail) is flow.Invoke
            and type(tail.function) is il.Global
            and tail.function.name in self.known
        ):
            self.need((tail.function,))
            callee = self.graph.procedures[tail.function.name]
            self.feed(callee.parameters, tail.arguments)
        else:
            self.need(tail_atoms(tail))

    def closures(self, closures: flow.Closures) -> None:
        for procedure in closures.procedures:
            self.nested[procedure.name] = procedure
            if procedure.name in self.needed:
                self.visit(procedure)

    def feed(self, parameters: list[str], atoms: tuple[il.Atom, ...]) -> None:
        for x, atom in zip(parameters, atoms, strict=True):
            if x in self.feeds:
                self.feeds[x].append(atom)
            else:
                self.feeds[x] = [atom]
            if x in self.needed:
                self.need((atom,))

    def sweep(self) -> bool:
        """Removes what is not needed; whether there was anything."""
        graph = self.graph
        if self.covered:
            graph.changed(flow.MARKS)
        changed = False
        for node in all_nodes(graph):
            kept = [item for item in node.items if self.keeps(item)]
            if len(kept) < len(node.items):
                node.items = kept
                changed = True
        if changed:
            graph.changed(flow.LESS)
        unused = {x for x in self.feeds if x not in self.needed}
        drop_parameters(graph, unused)
        if self.fewer_procedures or known_callees(graph) != self.known:
            graph.changed(flow.EDGES)
        return changed or bool(unused)

    def keeps(self, item: flow.Operation | flow.Closures) -> bool:
        if type(item) is flow.Operation:
            return item.name in self.needed or not is_droppable(item)
        kept = [p for p in item.procedures if p in self.visited]
        if len(kept) < len(item.procedures):
            item.procedures = kept
            self.fewer_procedures = True
        return bool(kept)
