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

from cogen.spec.freeze import static_token
from cogen.spec.passes.flow import (
    Closures,
    Goto,
    Graph,
    Invoke,
    Node,
    Operation,
    Procedure,
    drop_parameters,
    known_callees,
    nodes_of,
    tail_atoms,
    walk,
)
from lang import il
from lang.prims import PRIMITIVES

DROPPABLE_EFFECTS = frozenset({"pure", "alloc", "read"})
OVERFLOW = frozenset({"overflow"})


def is_droppable(operation: Operation) -> bool:
    """Whether the operation may be left out if its result is not used."""
    row = PRIMITIVES[operation.op]
    if row.effect not in DROPPABLE_EFFECTS:
        return False
    return row.fails <= OVERFLOW or (operation.safe and "user" not in row.fails)


def cover_loads(node: Node) -> None:
    """A load before a store to the same word, in one node, cannot fail where the store does not:
    it may be dropped if nothing uses it."""
    stored: set[tuple[object, ...]] = set()
    for item in reversed(node.items):
        if isinstance(item, Closures):
            continue
        if item.op == "store-word!":
            stored.add(_word(item))
        elif item.op == "load-word":
            item.safe = item.safe or _word(item) in stored
        elif PRIMITIVES[item.op].effect not in DROPPABLE_EFFECTS:
            stored.clear()


def _word(operation: Operation) -> tuple[object, ...]:
    """The buffer and the index of a load or store."""
    return tuple(
        static_token(a.value) if isinstance(a, il.Const) else a for a in operation.arguments[:2]
    )


def drop_dead(graph: Graph) -> bool:
    """`((let x (+ 1 2)) tail)` -> `(tail)` where the tail does not need `x`; the same for
    parameters of continuations, of procedures all of whose calls are known, and for closures."""
    return _Marking(graph).sweep()


class _Marking:
    """`needed` holds the variables that count, `feeds` what each parameter receives,
    `made_by` the operation of each variable that may be dropped."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.known = known_callees(graph)
        self.needed: set[str] = set()
        self.pending: list[str] = []
        self.feeds: dict[str, list[il.Atom]] = {}
        self.made_by: dict[str, Operation] = {}
        self.nested: dict[str, Procedure] = {}
        self.visited: set[Procedure] = set()
        self.bodies: list[Procedure] = []
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

    def visit(self, procedure: Procedure) -> None:
        if procedure not in self.visited:
            self.visited.add(procedure)
            self.bodies.append(procedure)

    def need(self, atoms: Iterable[il.Atom]) -> None:
        for atom in atoms:
            if isinstance(atom, il.Var):
                if atom.name not in self.needed:
                    self.needed.add(atom.name)
                    self.pending.append(atom.name)
            elif isinstance(atom, il.Global) and atom.name in self.graph.procedures:
                self.visit(self.graph.procedures[atom.name])

    def roots(self, node: Node) -> None:
        """Marks what a node needs in any case, and notes what it needs on condition."""
        cover_loads(node)
        for item in node.items:
            if isinstance(item, Closures):
                for procedure in item.procedures:
                    self.nested[procedure.name] = procedure
                    if procedure.name in self.needed:
                        self.visit(procedure)
            elif is_droppable(item):
                self.made_by[item.name] = item
                if item.name in self.needed:
                    self.need(item.arguments)
            else:
                self.need(item.arguments)
        tail = node.tail
        if isinstance(tail, Goto) and tail.target is not None:
            self.feed(tail.target.parameters, tail.arguments)
        elif (
            isinstance(tail, Invoke)
            and isinstance(tail.function, il.Global)
            and tail.function.name in self.known
        ):
            self.need((tail.function,))
            callee = self.graph.procedures[tail.function.name]
            self.feed(callee.parameters, tail.arguments)
        else:
            self.need(tail_atoms(tail))

    def feed(self, parameters: list[str], atoms: tuple[il.Atom, ...]) -> None:
        for x, atom in zip(parameters, atoms, strict=True):
            self.feeds.setdefault(x, []).append(atom)
            if x in self.needed:
                self.need((atom,))

    def sweep(self) -> bool:
        """Removes what is not needed; whether there was anything."""
        changed = False
        for _, nodes in walk(self.graph):
            for node in nodes:
                kept = [item for item in node.items if self.keeps(item)]
                if len(kept) < len(node.items):
                    node.items = kept
                    changed = True
        self.graph.restructured()
        unused = {x for x in self.feeds if x not in self.needed}
        drop_parameters(self.graph, unused)
        return changed or bool(unused)

    def keeps(self, item: Operation | Closures) -> bool:
        if isinstance(item, Operation):
            return item.name in self.needed or not is_droppable(item)
        item.procedures = [p for p in item.procedures if p in self.visited]
        return bool(item.procedures)
