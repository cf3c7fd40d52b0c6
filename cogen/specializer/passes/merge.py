"""Makes one of what is equal up to the names of what it binds.

Procedures and labelled pieces of code are sorted into classes: first by their shape, in which
what they jump to or call is left blank, then again and again by the classes of what stands in
the blanks, until no class splits any more.  Two in one class do the same, also when they are
loops or recursions (this is the minimisation of automata by refining a partition).

Specialization leaves such twins when static values that differ turn out not to matter.  It is
done first of all, while labelled pieces still have all they use as parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from cogen.lang import il
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import known_callees, walk
from cogen.specializer.passes.flow_graph import ResidualGraph, datum_key
from cogen.specializer.passes.rewrite import rewrite_atoms
from cogen.specializer.passes.types import join

P = TypeVar("P")


def merge_equal(graph: ResidualGraph) -> bool:
    """`(conts (j (x) (A x))) (conts (k (y) (A y)))` -> `j` for `k`; the same for procedures all
    of whose calls are known, and for one that does what the entry does."""
    changed = _merge_nodes(graph)
    return _merge_procedures(graph) or changed


def _merge_nodes(graph: ResidualGraph) -> bool:
    changed = False
    for _, nodes in walk(graph):
        heads = {n.tail.target for n in nodes if type(n.tail) is flow.Goto}
        alike = pieces_alike([n for n in nodes if n in heads], outline)
        shapes: dict[Hashable, Shape] = {n: Shape(graph).read(n, whole=False) for n in alike}
        same = _twins(graph, shapes)
        if not same:
            continue
        changed = True
        for node in nodes:
            if type(node.tail) is flow.Goto and node.tail.target in same:
                target = same[node.tail.target]
                assert isinstance(target, flow.Node)
                node.tail.target = target
    if changed:
        graph.changed(flow.EDGES)
    return changed


def _merge_procedures(graph: ResidualGraph) -> bool:
    procedures = graph.procedures
    known = known_callees(graph)
    candidates = [
        name
        for name in (graph.entry, *[name for name in procedures if name in known])
        if procedures[name].rest is None
    ]
    alike = pieces_alike(
        candidates,
        lambda name: (len(procedures[name].parameters), outline(procedures[name].start)),
    )
    shapes: dict[Hashable, Shape] = {
        name: Shape(graph, procedures[name].parameters).read(procedures[name].start, whole=True)
        for name in alike
    }
    same = _twins(graph, shapes)
    if not same:
        return False

    def replace(atom: il.Atom) -> il.Atom:
        if type(atom) is il.Global and atom.name in same:
            return il.Global(str(same[atom.name]))
        return atom

    for name in same:
        del procedures[str(name)]
    graph.changed(flow.EDGES)
    rewrite_atoms(graph, replace)
    return True


def pieces_alike(pieces: list[P], key: Callable[[P], Hashable]) -> list[P]:
    """The pieces, in order, without those whose key no other has."""
    keys = [key(piece) for piece in pieces]
    count: dict[Hashable, int] = {}
    for one in keys:
        count[one] = count.get(one, 0) + 1
    if len(count) == len(pieces):
        return []
    return [piece for piece, one in zip(pieces, keys, strict=True) if count[one] > 1]


def outline(node: flow.Node) -> Hashable:
    """What is seen of a shape at a glance: equal shapes have equal outlines."""
    tail = node.tail
    ops = [item.op if type(item) is flow.Operation else None for item in node.items]
    if type(tail) is flow.Branch:
        then, otherwise = tail.then, tail.otherwise
        arms = (type(then.tail), len(then.items), type(otherwise.tail), len(otherwise.items))
        return (len(node.parameters), *ops, *arms)
    return (len(node.parameters), *ops, type(tail), len(tail.arguments))


class Shape:
    """The text of a piece of code with what it binds replaced by numbers; `blanks` are the
    pieces it goes on to, in order, `operations` its operations."""

    def __init__(self, graph: ResidualGraph, parameters: Iterable[str] = ()) -> None:
        self.procedures = graph.procedures
        self.text: list[Hashable] = []
        self.blanks: list[Hashable] = []
        self.operations: list[flow.Operation] = []
        self.numbers: dict[str, int] = {}
        self.bind(parameters)

    def bind(self, names: Iterable[str]) -> None:
        numbers = self.numbers
        before = len(numbers)
        for name in names:
            numbers[name] = len(numbers)
        self.text.append(len(numbers) - before)

    def read(self, head: flow.Node, whole: bool) -> Shape:
        """Reads a node with its private ones or, if `whole`, all that can be reached."""
        numbered = {head: 0}
        stack = [head]
        while stack:
            node = stack.pop()
            self.bind(node.parameters)
            self.text.append(len(node.items))
            for item in node.items:
                if type(item) is flow.Operation:
                    self.operations.append(item)
                    self.text.append(item.op)
                    self.atoms(item.arguments)
                    self.bind((item.name,))
                else:
                    self.closures(item, stack)
                    if not whole:
                        self.text.append(head)  # equal to itself only
            tail = node.tail
            if type(tail) is flow.Branch:
                self.text.append(flow.Branch)
                self.atoms((tail.test,))
                stack += (tail.otherwise, tail.then)
                continue
            self.atoms(tail.arguments)
            target = tail.target
            if type(tail) is flow.Invoke:
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
                self.text.append(flow.Goto)
                self.blanks.append(target)
        return self

    def closures(self, closures: flow.Closures, stack: list[flow.Node]) -> None:
        self.bind(p.name for p in closures.procedures)
        for procedure in closures.procedures:
            self.bind(procedure.parameters)
            self.bind(() if procedure.rest is None else (procedure.rest,))
            stack.append(procedure.start)

    def atoms(self, atoms: flow.Atoms) -> None:
        text = self.text
        text.append(len(atoms))
        for atom in atoms:
            if type(atom) is il.Var:
                text.append(self.numbers.get(atom.name, atom.name))
            elif type(atom) is il.Const:
                self.text.append(datum_key(atom.value))
            elif type(atom) is il.Global and atom.name in self.procedures:
                self.text.append(il.Global)
                self.blanks.append(atom.name)
            else:
                self.text.append(atom)


def _twins(graph: ResidualGraph, shapes: dict[Hashable, Shape]) -> dict[Hashable, Hashable]:
    """For each piece that has an equal one before it: the first such; what is known of the
    first is weakened to what is true of all."""
    alike = pieces_alike(list(shapes), lambda piece: tuple(shapes[piece].text))
    if not alike:
        return {}
    shapes = {piece: shapes[piece] for piece in alike}
    first: dict[int, Hashable] = {}
    same: dict[Hashable, Hashable] = {}
    for piece, number in _classes(shapes).items():
        kept = first.setdefault(number, piece)
        if kept is not piece:
            same[piece] = kept
            weaken(graph, shapes[kept], shapes[piece])
    return same


def _classes(shapes: dict[Hashable, Shape]) -> dict[Hashable, int]:
    """The class of each piece.

    Note [Splitting classes]
        The members of a class agree on the classes of their blanks, but for those that are
        `dirty`: a piece in one of their blanks has got another class since.  Of the parts of
        a class the largest keeps the number, so a piece is moved only into a class of at most
        half the size, and the work is that of Hopcroft's minimisation, n log n.
    """
    table: dict[Hashable, int] = {}
    number = {p: table.setdefault(tuple(s.text), len(table)) for p, s in shapes.items()}
    members: list[dict[Hashable, None]] = [{} for _ in table]
    users: dict[Hashable, list[Hashable]] = {}
    for piece, shape in shapes.items():
        members[number[piece]][piece] = None
        for blank in shape.blanks:
            users.setdefault(blank, []).append(piece)

    def key(piece: Hashable) -> Hashable:
        return tuple([number.get(b, b) for b in shapes[piece].blanks])

    dirty = dict.fromkeys(shapes)
    while dirty:
        split: dict[int, dict[Hashable, list[Hashable]]] = {}
        for piece in dirty:
            split.setdefault(number[piece], {}).setdefault(key(piece), []).append(piece)
        for old, parts in split.items():
            clean = next((p for p in members[old] if p not in dirty), None)
            if clean is not None:
                parts.pop(key(clean), None)
        count = len(members)
        for old, parts in split.items():
            for part in _all_but_largest(members[old], list(parts.values())):
                members.append(dict.fromkeys(part))
                for piece in part:
                    del members[old][piece]
        for new in range(count, len(members)):
            number.update(dict.fromkeys(members[new], new))
        dirty = {user: None for part in members[count:] for p in part for user in users.get(p, ())}
    return number


def _all_but_largest(
    members: dict[Hashable, None], parts: list[list[Hashable]]
) -> list[list[Hashable]]:
    """The parts of a class, and what is in none of them, without the largest of all these."""
    largest = max(parts, key=len, default=[])
    left = len(members) - sum(map(len, parts))
    if len(largest) <= left:
        return parts
    smaller = [part for part in parts if part is not largest]
    if left:
        inside = {piece for part in parts for piece in part}
        smaller.append([piece for piece in members if piece not in inside])
    return smaller


def weaken(graph: ResidualGraph, kept: Shape, other: Shape) -> None:
    for a, b in zip(kept.operations, other.operations, strict=True):
        a.safe = a.safe and b.safe
        a.type = join(a.type, b.type)
    for x, y in zip(kept.numbers, other.numbers, strict=True):
        if x in graph.types:
            graph.types[x] = join(graph.types[x], graph.types.get(y, "any"))
