"""Makes one of what is equal up to the names of what it binds.

Procedures and labelled pieces of code are sorted into classes: first by their shape, in which
what they jump to or call is left blank, then again and again by the classes of what stands in
the blanks, until no class splits any more.  Two in one class do the same, also when they are
loops or recursions (this is the minimisation of automata by refining a partition).

Specialization leaves such twins when static values that differ turn out not to matter.  It is
done first of all, while labelled pieces still have all they use as parameters.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final

from cogen.spec.passes.flow import (
    Atoms,
    Branch,
    Closures,
    Goto,
    Graph,
    Node,
    Operation,
    datum_key,
    known_callees,
    rewrite_atoms,
    walk,
)
from cogen.spec.passes.types import join
from lang import il

MOST_SPLITS: Final = 100
"""How often classes are split; what has not settled by then is left alone."""


def merge_equal(graph: Graph) -> bool:
    """`(conts (j (x) (A x))) (conts (k (y) (A y)))` -> `j` for `k`; the same for procedures all
    of whose calls are known, and for one that does what the entry does."""
    changed = _merge_nodes(graph)
    return _merge_procedures(graph) or changed


def _merge_nodes(graph: Graph) -> bool:
    changed = False
    for _, nodes in walk(graph):
        heads = {n.tail.target for n in nodes if isinstance(n.tail, Goto)}
        shapes: dict[Hashable, _Shape] = {
            n: _Shape(graph).read(n, whole=False) for n in nodes if n in heads
        }
        same = _twins(graph, shapes)
        if not same:
            continue
        changed = True
        for node in nodes:
            if isinstance(node.tail, Goto) and node.tail.target in same:
                target = same[node.tail.target]
                assert isinstance(target, Node)
                node.tail.target = target
    graph.restructured()
    return changed


def _merge_procedures(graph: Graph) -> bool:
    known = known_callees(graph)
    candidates = [graph.entry, *(name for name in graph.procedures if name in known)]
    shapes: dict[Hashable, _Shape] = {
        name: _Shape(graph, graph.procedures[name].parameters).read(
            graph.procedures[name].start, whole=True
        )
        for name in candidates
        if graph.procedures[name].rest is None
    }
    same = _twins(graph, shapes)
    if not same:
        return False

    def replace(atom: il.Atom) -> il.Atom:
        if isinstance(atom, il.Global) and atom.name in same:
            return il.Global(str(same[atom.name]))
        return atom

    for name in same:
        del graph.procedures[str(name)]
    graph.restructured()
    rewrite_atoms(graph, replace)
    return True


class _Shape:
    """The text of a piece of code with what it binds replaced by numbers; `blanks` are the
    pieces it goes on to, in order, `operations` its operations."""

    def __init__(self, graph: Graph, parameters: Iterable[str] = ()) -> None:
        self.procedures = graph.procedures
        self.text: list[Hashable] = []
        self.blanks: list[Hashable] = []
        self.operations: list[Operation] = []
        self.numbers: dict[str, int] = {}
        self.bind(parameters)

    def bind(self, names: Iterable[str]) -> None:
        before = len(self.numbers)
        for name in names:
            self.numbers[name] = len(self.numbers)
        self.text.append(len(self.numbers) - before)

    def read(self, head: Node, whole: bool) -> _Shape:
        """Reads a node with its private ones or, if `whole`, all that can be reached."""
        numbered = {head: 0}
        stack = [head]
        while stack:
            node = stack.pop()
            self.bind(node.parameters)
            self.text.append(len(node.items))
            for item in node.items:
                if isinstance(item, Operation):
                    self.operations.append(item)
                    self.text.append(item.op)
                    self.atoms(item.arguments)
                    self.bind((item.name,))
                else:
                    self.closures(item, stack)
                    if not whole:
                        self.text.append(head)  # equal to itself only
            tail = node.tail
            if isinstance(tail, Branch):
                self.text.append(Branch)
                self.atoms((tail.test,))
                stack += (tail.otherwise, tail.then)
                continue
            self.atoms(tail.arguments)
            target = tail.target
            if not isinstance(tail, Goto):
                self.atoms((tail.function,))
                self.text.append(target is None)
                if target is not None:
                    stack.append(target)
            elif target is None:
                self.text.append(None)
            elif whole:
                if target not in numbered:
                    numbered[target] = len(numbered)
                    stack.append(target)
                self.text.append(numbered[target])
            else:
                self.text.append(Goto)
                self.blanks.append(target)
        return self

    def closures(self, closures: Closures, stack: list[Node]) -> None:
        self.bind(p.name for p in closures.procedures)
        for procedure in closures.procedures:
            self.bind(procedure.parameters)
            self.bind(() if procedure.rest is None else (procedure.rest,))
            stack.append(procedure.start)

    def atoms(self, atoms: Atoms) -> None:
        self.text.append(len(atoms))
        for atom in atoms:
            if isinstance(atom, il.Var):
                self.text.append(self.numbers.get(atom.name, atom.name))
            elif isinstance(atom, il.Const):
                self.text.append(datum_key(atom.value))
            elif isinstance(atom, il.Global) and atom.name in self.procedures:
                self.text.append(il.Global)
                self.blanks.append(atom.name)
            else:
                self.text.append(atom)


def _twins(graph: Graph, shapes: dict[Hashable, _Shape]) -> dict[Hashable, Hashable]:
    """For each piece that has an equal one before it: the first such; what is known of the
    first is weakened to what is true of all."""
    first: dict[int, Hashable] = {}
    same: dict[Hashable, Hashable] = {}
    for piece, number in _classes(shapes).items():
        kept = first.setdefault(number, piece)
        if kept is not piece:
            same[piece] = kept
            _weaken(graph, shapes[kept], shapes[piece])
    return same


def _classes(shapes: dict[Hashable, _Shape]) -> dict[Hashable, int]:
    """The class of each piece; none if they do not settle soon."""
    numbers: dict[Hashable, int] = {}
    keys: dict[Hashable, Hashable] = {p: tuple(s.text) for p, s in shapes.items()}
    count = 0
    for _ in range(MOST_SPLITS):
        table: dict[Hashable, int] = {}
        numbers = {p: table.setdefault(key, len(table)) for p, key in keys.items()}
        if len(table) == count:
            return numbers
        count = len(table)
        if count == len(shapes):
            return {}
        keys = {
            p: (numbers[p], *[numbers.get(b, b) for b in shape.blanks])
            for p, shape in shapes.items()
        }
    return {}


def _weaken(graph: Graph, kept: _Shape, other: _Shape) -> None:
    for a, b in zip(kept.operations, other.operations, strict=True):
        a.safe = a.safe and b.safe
        a.type = join(a.type, b.type)
    for x, y in zip(kept.numbers, other.numbers, strict=True):
        if x in graph.types:
            graph.types[x] = join(graph.types[x], graph.types.get(y, "any"))
