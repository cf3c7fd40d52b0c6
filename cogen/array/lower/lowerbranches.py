"""Lowers conditionals: two branches, and the sizes that their values have in common."""

from __future__ import annotations

from collections.abc import Callable

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.graphtypes import INT, Dimension, Own
from cogen.array.ir.layout import leaves_of
from cogen.array.ir.node import Node
from cogen.array.l0.types import Type
from cogen.array.lower.lowercontext import LoweringContext
from cogen.array.lower.value import Value


class Branches(LoweringContext):
    """The part of the lowering that makes conditionals."""

    def choose(
        self, condition: Node, then: Callable[[], Value], otherwise: Callable[[], Value], t: Type
    ) -> Value:
        """The value, of a type, of one of two branches."""
        if condition.is_known:
            return then() if condition.known else otherwise()
        first, first_scope = self._branch(condition, then)
        second, second_scope = self._branch(self.graph.operation("bool.not", condition), otherwise)
        sizes: list[Dimension] = []
        extra: list[tuple[Node, Node]] = []
        for m, n in zip(first.sizes, second.sizes, strict=True):
            common = _common(m, n, first_scope, second_scope)
            sizes.append(common or Own(len(extra)))
            if common is None:
                extra.append((m, n))
        results = [leaf.type(tuple(sizes)) for leaf in leaves_of(t).leaves]
        node = self.scope.if_(
            condition,
            first_scope.block((), [*[m for m, _ in extra], *first.leaves]),
            second_scope.block((), [*[n for _, n in extra], *second.leaves]),
            (*[INT for _ in extra], *results),
        )
        parts = self.graph.parts(node)
        known = parts[: len(extra)]
        for part in known:
            self.is_size(part)
        found = [known[n.index] if isinstance(n, Own) else n for n in sizes]
        return Value(t, parts[len(extra) :], tuple(found))  # type: ignore[arg-type]  # atoms are nodes

    def _branch(self, known: Node, make: Callable[[], Value]) -> tuple[Value, BlockScope]:
        with self.within(self.scope.inner()) as scope:
            scope.learn(known)
            return make(), scope


def _common(m: Node, n: Node, first: BlockScope, second: BlockScope) -> Node | None:
    """The size that both branches give, if it is known outside."""
    for a, b in ((m, n), (first.size(m), second.size(n))):
        if a is b and first.token not in a.free and second.token not in a.free:
            return a
    return None
