"""Lowers counted loops, and finds the sizes that their iterations keep.

A carried array has the size of its initial value throughout, if the body gives that size again
where it was given it (the size analysis that seed 003, section 10.2 misses). This is assumed; a
size for which it turns out wrong becomes a carried int, and the body is lowered again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from cogen.array.ir.graphtypes import BOOL, CERT, CHAR, INT, REAL, ScalarType
from cogen.array.ir.layout import leaves_of
from cogen.array.ir.node import Node
from cogen.array.l0 import tree
from cogen.array.l0.types import INT as INT_LAYOUT
from cogen.array.l0.types import Type
from cogen.array.lower.lowerforms import Forms
from cogen.array.lower.value import Value


class Loops(Forms):
    """The part of the lowering that makes counted loops."""

    def loop(self, e: tree.LoopExpression) -> Value:
        initial = self.expression(e.initial)
        bound = self.expression(e.bound).leaf

        def iteration(index: Node, carried: Value) -> Value:
            self.match(e.pattern, carried)
            self.bind(e.index, Value(INT_LAYOUT, (index,)))
            return self.expression(e.body)

        with self.origin("loop", e.span):
            state = self.iterate(e, bound, initial, iteration)
        self.match(e.pattern, state)
        return self.expression(e.result)

    def iterate(
        self,
        key: tree.TreeNode,
        bound: Node,
        initial: Value,
        iteration: Callable[[Node, Value], Value],
    ) -> Value:
        """The last value of a loop; `key` is the loop in the source."""
        varying = self.varying.setdefault(key, set())
        while True:
            scope = self.scope.inner()
            index = self.graph.parameter("i", INT)
            scope.learn_index(index, bound)
            names = {d: self.graph.parameter("n", INT) for d in sorted(varying)}
            sizes = [names.get(d, n) for d, n in enumerate(initial.sizes)]
            carried = self.fresh("v", initial.type, sizes)
            with self.within(scope):
                for name in names.values():
                    self.is_size(name)
                following = iteration(index, carried)
                wrong = self.changed(initial, following, varying)
            if not wrong:
                break
            varying |= wrong
        body = scope.block(
            [index, *names.values(), *carried.parameters],
            [*[following.sizes[d] for d in names], *following.leaves],
        )
        certs = self.agreement(initial, len(initial.sizes))
        start = [*[initial.sizes[d] for d in names], *initial.leaves]
        parts = self.graph.parts(self.scope.loop(bound, start, body, certs))
        last = dict(zip(names, parts, strict=False))
        for part in last.values():
            self.is_size(part)
        found = [last.get(d, n) for d, n in enumerate(initial.sizes)]
        return Value(initial.type, parts[len(names) :], tuple(found))

    def changed(self, initial: Value, following: Value, varying: Collection[int] = ()) -> set[int]:
        """The dimensions, beside those that vary, that are not known to keep their size."""
        return {
            d
            for d, (m, n) in enumerate(zip(initial.sizes, following.sizes, strict=True))
            if d not in varying and self.size(m) is not self.size(n)
        }

    def unchanged(self, initial: Value, following: Value) -> bool:
        """Whether a value is known to have the sizes of another."""
        return not self.changed(initial, following)

    def blank(self, t: Type, sizes: tuple[Node, ...]) -> Value:
        """An array of a shape with whatever elements."""
        leaves = []
        for leaf in leaves_of(t).leaves:
            node: Node = self.graph.constant(_ZEROS[leaf.scalar], leaf.scalar)
            for d in reversed(leaf.dimensions):
                node = self.graph.replicate(sizes[d], node)
            leaves.append(node)
        return Value(t, tuple(leaves), sizes)


_ZEROS: Final[dict[ScalarType, int | float | bool | str]] = {
    INT: 0,
    REAL: 0.0,
    BOOL: False,
    CHAR: "\0",
    CERT: True,
}
