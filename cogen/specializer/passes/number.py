"""Value numbering: computes equal things once.

Only pure operations with a scalar result take part, and those that read what nothing assigns: a
field of a record, if the program assigns none of that type; the half of a pair, if it assigns none
and calls no procedure that may be another program's; a word of a buffer that nothing is stored to.
The later one disappears only where the
earlier one has certainly been computed, so nothing is computed that was not before, and if the
operation fails it still fails at the first place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from cogen.lang import il
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import all_nodes, operations, walk
from cogen.specializer.passes.flow_graph import AtomKey, ResidualGraph, atom_key
from cogen.specializer.passes.rewrite import replacer, substitute
from cogen.specializer.passes.scope import WalkScope, scoped_walk

SCALARS: Final = frozenset({"int", "float", "number", "bool", "char", "symbol"})
"""Result types without an identity of their own."""

COMMUTATIVE: Final = frozenset(op for op, row in PRIMITIVES.items() if row.commutes)
"""Operations whose two arguments may be exchanged."""

NUMBERED: Final = frozenset(
    op for op, row in PRIMITIVES.items() if row.effect == "pure" and row.result in SCALARS
)
"""The operations that take part."""


def number_values(graph: ResidualGraph) -> bool:
    """`(let x (+ a b)) ... (let y (+ b a))` -> `(let x (+ a b)) ...` with `x` for `y`."""
    takes_part = _taking_part(graph)
    if not _has_equal(operations(graph), takes_part):
        return False
    scope = _Numbering(takes_part)
    scoped_walk(graph, scope)
    same = scope.same
    if not same:
        return False
    for node in all_nodes(graph):
        node.items = [i for i in node.items if type(i) is not flow.Operation or i.name not in same]
    graph.changed(flow.LESS)
    substitute(graph, same)
    return True


def _taking_part(graph: ResidualGraph) -> Callable[[flow.Operation], bool]:
    """Which operations give the same whenever they are done with the same arguments."""
    records = graph.assigned.records
    calls_others = _calls_others(graph)
    pairs_last = not graph.assigned.pairs and not calls_others
    stored = None if calls_others else _stored_buffers(graph)

    def takes_part(operation: flow.Operation) -> bool:
        op = operation.op
        if op in ("car", "cdr"):
            return pairs_last
        if op == "record-ref" and records is not None:
            kind = operation.arguments[0]
            return type(kind) is il.Const and id(kind.value) not in records
        if op == "load-word":
            return stored is not None and _lasts(graph, operation.arguments[0], stored)
        return op in NUMBERED

    return takes_part


WRITERS: Final = frozenset(
    {"bytevector-u8-set!", "bytevector-copy!", "bytevector-fill!", "read-bytevector!"}
)
"""The operations that write to bytes, and are no stores of words."""


def _stored_buffers(graph: ResidualGraph) -> set[str] | None:
    """The buffers to which words are stored, all of them parameters of the entry, which do not
    overlap; None if there is another, or something else writes to bytes."""
    entry = graph.procedures[graph.entry]
    if any(type(f) is il.Global and f.name == graph.entry for f in _invoked(graph)):
        return None  # whose parameters are other buffers then
    found: set[str] = set()
    for operation in operations(graph):
        if operation.op in WRITERS:
            return None
        if operation.op in ("store-word!", "store-bits!"):
            buffer = operation.arguments[0]
            if type(buffer) is not il.Var or buffer.name not in entry.parameters:
                return None
            found.add(buffer.name)
    return found


def _lasts(graph: ResidualGraph, buffer: il.Atom, stored: set[str]) -> bool:
    """Whether the words of a buffer stay as they are."""
    if not stored:
        return True
    parameters = graph.procedures[graph.entry].parameters
    return type(buffer) is il.Var and buffer.name in parameters and buffer.name not in stored


def _invoked(graph: ResidualGraph) -> Iterable[il.Atom]:
    """What is called."""
    return (n.tail.function for n in all_nodes(graph) if type(n.tail) is flow.Invoke)


def _calls_others(graph: ResidualGraph) -> bool:
    """Whether a procedure is called that may be none of the program's."""
    own = {procedure.name for procedure, _ in walk(graph)}
    for node in all_nodes(graph):
        if type(node.tail) is flow.Invoke:
            function = node.tail.function
            if type(function) is il.Prim or (type(function) is il.Var and function.name not in own):
                return True
    return False


def _has_equal(
    found: Iterable[flow.Operation], takes_part: Callable[[flow.Operation], bool]
) -> bool:
    """Whether two of the operations are alike, wherever they stand."""
    seen: set[AtomKey] = set()
    for operation in found:
        if takes_part(operation):
            key = _key(operation.op, [atom_key(a) for a in operation.arguments])
            if key in seen:
                return True
            seen.add(key)
    return False


def _key(op: str, arguments: list[AtomKey]) -> AtomKey:
    """Equal keys: equal values."""
    return (op, frozenset(arguments) if op in COMMUTATIVE else tuple(arguments))


class _Numbering(WalkScope):
    """`values`: the variable that holds each computed value; `same`: what is replaced."""

    def __init__(self, takes_part: Callable[[flow.Operation], bool]) -> None:
        super().__init__()
        self.takes_part = takes_part
        self.values: dict[AtomKey, il.Atom] = {}
        self.same: dict[str, il.Atom] = {}
        self.resolve = replacer(self.same)

    def operation(self, operation: flow.Operation) -> None:
        if not self.takes_part(operation):
            return
        key = _key(operation.op, [atom_key(self.resolve(a)) for a in operation.arguments])
        found = self.values.get(key)
        if found is None:
            self.hold(self.values, key, il.Var(operation.name))
        else:
            self.same[operation.name] = found
