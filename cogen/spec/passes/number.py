"""Value numbering: computes equal things once.

Only pure operations with a scalar result take part.  The later one disappears only where the
earlier one has certainly been computed, so nothing is computed that was not before, and if the
operation fails it still fails at the first place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cogen.lang import il
from cogen.lang.prims import PRIMITIVES
from cogen.spec.passes.facts import all_nodes, operations
from cogen.spec.passes.flow import LESS, AtomKey, Graph, Operation, atom_key
from cogen.spec.passes.rewrite import replacer, substitute
from cogen.spec.passes.scope import Scope, scoped_walk

SCALARS: Final = frozenset({"int", "float", "number", "bool", "char", "symbol"})
"""Result types without an identity of their own."""

COMMUTATIVE: Final = frozenset(
    (
        "+", "*", "=", "gcd", "lcm", "bitwise-and", "bitwise-ior", "bitwise-xor", "word-add",
        "word-mul", "eq?", "eqv?",
    )
)  # fmt: skip
"""Operations whose two arguments may be exchanged (not `max`: of 0.0 and -0.0 it gives the
first)."""


NUMBERED: Final = frozenset(
    op for op, row in PRIMITIVES.items() if row.effect == "pure" and row.result in SCALARS
)
"""The operations that take part."""


def number_values(graph: Graph) -> bool:
    """`(let x (+ a b)) ... (let y (+ b a))` -> `(let x (+ a b)) ...` with `x` for `y`."""
    if not _has_equal(operations(graph)):
        return False
    scope = _Numbering()
    scoped_walk(graph, scope)
    same = scope.same
    if not same:
        return False
    for node in all_nodes(graph):
        node.items = [i for i in node.items if type(i) is not Operation or i.name not in same]
    graph.changed(LESS)
    substitute(graph, same)
    return True


def _has_equal(found: Iterable[Operation]) -> bool:
    """Whether two of the operations are alike, wherever they stand."""
    seen: set[AtomKey] = set()
    for operation in found:
        if operation.op in NUMBERED:
            key = _key(operation.op, [atom_key(a) for a in operation.arguments])
            if key in seen:
                return True
            seen.add(key)
    return False


def _key(op: str, arguments: list[AtomKey]) -> AtomKey:
    """Equal keys: equal values."""
    return (op, frozenset(arguments) if op in COMMUTATIVE else tuple(arguments))


class _Numbering(Scope):
    """`values`: the variable that holds each computed value; `same`: what is replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[AtomKey, il.Atom] = {}
        self.same: dict[str, il.Atom] = {}
        self.resolve = replacer(self.same)

    def operation(self, operation: Operation) -> None:
        if operation.op not in NUMBERED:
            return
        key = _key(operation.op, [atom_key(self.resolve(a)) for a in operation.arguments])
        found = self.values.get(key)
        if found is None:
            self.hold(self.values, key, il.Var(operation.name))
        else:
            self.same[operation.name] = found
