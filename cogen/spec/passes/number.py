"""Value numbering: computes equal things once.

Only pure operations with a scalar result take part.  The later one disappears only where the
earlier one has certainly been computed, so nothing is computed that was not before, and if the
operation fails it still fails at the first place.
"""

from __future__ import annotations

from typing import Final

from cogen.spec.passes.flow import (
    AtomKey,
    Closures,
    Graph,
    Operation,
    atom_key,
    replacer,
    substitute,
    walk,
)
from cogen.spec.passes.scope import Scope, scoped_walk
from lang import il
from lang.prims import PRIMITIVES

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


def number_values(graph: Graph) -> bool:
    """`(let x (+ a b)) ... (let y (+ b a))` -> `(let x (+ a b)) ...` with `x` for `y`."""
    scope = _Numbering()
    scoped_walk(graph, scope)
    if not scope.same:
        return False
    for _, nodes in walk(graph):
        for node in nodes:
            node.items = [
                i for i in node.items if isinstance(i, Closures) or i.name not in scope.same
            ]
    substitute(graph, scope.same)
    return True


class _Numbering(Scope):
    """`values`: the variable that holds each computed value; `same`: what is replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[AtomKey, il.Atom] = {}
        self.same: dict[str, il.Atom] = {}
        self.resolve = replacer(self.same)

    def operation(self, operation: Operation) -> None:
        row = PRIMITIVES[operation.op]
        if row.effect != "pure" or row.result not in SCALARS:
            return
        arguments = tuple([atom_key(self.resolve(a)) for a in operation.arguments])
        commutes = operation.op in COMMUTATIVE
        key = (operation.op, frozenset(arguments) if commutes else arguments)
        found = self.values.get(key)
        if found is None:
            self.hold(self.values, key, il.Var(operation.name))
        else:
            self.same[operation.name] = found
