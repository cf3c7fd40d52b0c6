"""What all of the lowering shares: the graph, the current block, the variables; and checks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.graph import Graph
from cogen.array.ir.layout import leaves_of, shapes_of
from cogen.array.ir.node import (
    Node,
    shape,
)
from cogen.array.l0 import tree
from cogen.array.l0.facts import Binding, CheckedFacts
from cogen.array.l0.types import Type
from cogen.array.lower.value import Value, parts_of
from cogen.lang.errors import Span


class LoweringContext(ABC):
    """Lowers expressions into the block of `scope`, with the variables of `variables`."""

    def __init__(self, graph: Graph, facts: CheckedFacts, scope: BlockScope) -> None:
        self.graph = graph
        self.facts = facts
        self.scope = scope
        self.variables: dict[Binding, Value] = {}
        self.varying: dict[tree.TreeNode, set[int]] = {}
        """The dimensions of what loops carry that are known to change."""
        self.quiet = False
        """Nothing is traced: the code is there a second time, to learn sizes."""

    @abstractmethod
    def expression(self, e: tree.Expression) -> Value:
        """The value of an expression; what it does is done in the current block."""

    @contextmanager
    def within(self, scope: BlockScope) -> Iterator[BlockScope]:
        """Lower into the block of a scope."""
        outer, self.scope = self.scope, scope
        try:
            yield scope
        finally:
            self.scope = outer

    @contextmanager
    def origin(self, name: str, span: Span) -> Iterator[None]:
        """What is made comes from an operation of the source."""
        graph = self.graph
        before = graph.at, graph.origin
        graph.at = span
        graph.origin = frozenset([graph.source(name, span)])
        try:
            yield
        finally:
            graph.at, graph.origin = before

    def bind(self, name: tree.Name, value: Value) -> None:
        self.variables[self.facts.bindings[name]] = value

    def variable(self, name: tree.Name) -> Value:
        return self.variables[self.facts.bindings[name]]

    def match(self, pattern: tree.Pattern, value: Value) -> None:
        """Bind what a pattern names."""
        match pattern:
            case tree.Name():
                self.bind(pattern, value)
            case tree.TuplePattern(_, parts):
                for part, element in zip(parts, parts_of(value), strict=True):
                    self.match(part, element)

    # Values.

    def fresh(self, name: str, t: Type, sizes: Sequence[Node], unique: bool = False) -> Value:
        """A value of parameters, of which `sizes` are the sizes."""
        return Value(
            t,
            tuple(
                [
                    self.graph.parameter(name, leaf.type(tuple(sizes)), unique)
                    for leaf in leaves_of(t).leaves
                ]
            ),
            tuple(sizes),
        )

    def size(self, n: Node) -> Node:
        """A size as it is known here."""
        return self.scope.size(n)

    def known_size(self, n: Node) -> tuple[Node, list[Node]]:
        """A size as it is known here, and the certificates that it is that."""
        size = self.size(n)
        return size, self.scope.equality(n, size) or []

    def is_size(self, n: Node) -> None:
        """Note that an int is the size of an array."""
        graph = self.graph
        self.scope.learn(graph.operation("int.le", graph.integer(0), n), graph.checked)
        limit = graph.integer(graph.arithmetic.max_elements)
        self.scope.learn(graph.operation("int.le", n, limit), graph.checked)

    def can_be_there(self, value: Value) -> None:
        """Note that a value's arrays are no larger than arrays can be."""
        for leaf in value.leaves:
            area: Node = self.graph.integer(1)
            for size in shape(leaf):
                area = self.graph.operation("int.area", area, size)
            limit = self.graph.integer(self.graph.arithmetic.max_elements)
            self.scope.learn(self.graph.operation("int.le", area, limit), self.graph.checked)

    def agreement(self, value: Value, dimensions: int) -> list[Node]:
        """The certificates that the leaves have the sizes of the value's first dimensions, where
        there are elements."""
        certs: list[Node] = []
        for leaf, layout in zip(value.leaves, leaves_of(value.type).leaves, strict=True):
            for place, dimension in enumerate(layout.dimensions):
                own, size = shape(leaf)[place], value.sizes[dimension]
                if dimension < dimensions and own is not size:
                    certs += self._agreed(own, size, shape(leaf)[:place])
        return certs

    def _agreed(self, own: Node, size: Node, outer: Sequence[Node]) -> list[Node]:
        """The certificates that two sizes are equal, unless a size further out is 0."""
        message = "the sizes {} and {} differ"
        known = self.scope.equality(own, size)
        if known is not None or not outer:
            return known or self.scope.same(own, size, message, (own, size), self.graph.at)
        graph = self.graph
        condition = graph.operation("int.eq", own, size)
        for n in outer:
            empty = graph.operation("int.eq", n, graph.integer(0))
            condition = graph.operation("bool.or", empty, condition)
        return [self.scope.require(condition, message, (own, size), graph.at)]

    # Checks.

    def require(
        self, conditions: Node | Sequence[Node], message: str, arguments: Sequence[Node], span: Span
    ) -> Node:
        return self.scope.require(conditions, message, arguments, span)

    def same_size(self, arrays: Sequence[Value], span: Span) -> tuple[Node, list[Node]]:
        """The size of some arrays, and the certificates that all have it."""
        first = arrays[0].sizes[0]
        certs: list[Node] = []
        for array in arrays[1:]:
            size = array.sizes[0]
            message = "the arrays have different sizes: {} and {}"
            certs += self.scope.same(first, size, message, (first, size), span)
        size = self.size(first)
        for array in arrays:
            for leaf in array.leaves:
                certs += self._is_size(shape(leaf)[0], size)
        return size, certs

    def _is_size(self, own: Node, size: Node) -> list[Node]:
        if own is size:
            return []
        message = "the arrays have different sizes: {} and {}"
        return self.scope.same(own, size, message, (size, own), self.graph.at)

    def can_be(
        self, sizes: Sequence[Node], outer: int, span: Span, unless: Node | None = None
    ) -> list[Node]:
        """The certificates that there can be an array of a shape, whose first sizes are new.

        `unless` is a condition on which that is not asked.
        """
        graph = self.graph

        def wanted(condition: Node) -> Node:
            if unless is None or self.scope.holds(condition) is not None:
                return condition
            return graph.operation("bool.or", unless, condition)

        zero = graph.integer(0)
        certs = []
        for size in sizes[:outer]:
            condition = graph.operation("int.le", zero, size)
            certs.append(self.require(wanted(condition), "the size {} is negative", (size,), span))
        area: Node = graph.integer(1)
        for size in sizes:
            area = graph.operation("int.area", area, size)
        limit = graph.operation("int.le", area, graph.integer(graph.arithmetic.max_elements))
        message = f"an array of size {shape_template(len(sizes))} is too large"
        certs.append(self.require(wanted(limit), message, sizes, span))
        return certs

    def same_shape(
        self, t: Type, first: Sequence[Node], other: Sequence[Node], message: str, span: Span
    ) -> list[Node]:
        """The certificates that two values of a type agree in shape, for an array to be regular.

        Sizes below one that is 0 are not compared. `message` has two `{}` for the shapes.
        """
        certs: list[Node] = []
        a: list[Node]
        b: list[Node]
        for dimensions in shapes_of(t):
            a, b = [], []
            for d in dimensions:
                for sizes, found in ((first, a), (other, b)):
                    size, equal = self.known_size(sizes[d])
                    found.append(size)
                    certs += equal
            condition = self._agree(a, b)
            shown = shape_template(len(a))
            text = message.format(shown, shown)
            cert = self.require(condition, text, [*a, *b], span)
            if a[0] is not b[0]:
                self.scope.equate(a[0], b[0], cert)
            certs.append(cert)
        return certs

    def fitted(
        self,
        value: Value,
        sizes: Sequence[Node],
        certs: Sequence[Node],
        bound: Collection[Node] = (),
    ) -> list[Node]:
        """The leaves of a value, which has the shape of `sizes` by `certs`, with sizes like these.

        A leaf whose type names a size that is not known to be equal (they may differ below a
        dimension of size 0), or that is `bound`, is given them by a reshape, which costs nothing.
        """
        found = []
        for leaf, layout in zip(value.leaves, leaves_of(value.type).leaves, strict=True):
            wanted = [sizes[d] for d in layout.dimensions]
            known = [
                self.scope.equality(own, size)
                for own, size in zip(shape(leaf), wanted, strict=True)
            ]
            inside = any(not n.free.isdisjoint(bound) for n in shape(leaf))
            if inside or any(equal is None for equal in known):
                equal = [cert for certs_of in known for cert in certs_of or ()]
                leaf = self.graph.reshape(leaf, *wanted, certs=[*certs, *equal])
            found.append(leaf)
        return found

    def _agree(self, a: Sequence[Node], b: Sequence[Node]) -> Node:
        graph = self.graph
        whole: Node = graph.boolean(True)
        for m, n in zip(reversed(a), reversed(b), strict=True):
            if whole is not graph.boolean(True):
                empty = graph.operation("int.eq", m, graph.integer(0))
                whole = graph.operation("bool.or", empty, whole)
            if m is not n:
                same = graph.operation("int.eq", m, n)
                whole = graph.operation("bool.and", same, whole)
        return whole

    def within_bounds(self, array: Value, indices: Sequence[Node], span: Span) -> list[Node]:
        """The certificates that indices are within the bounds of an array."""
        graph = self.graph
        conditions = []
        certs = self.agreement(array, len(indices))
        for index, n in zip(indices, array.sizes, strict=False):
            size, equal = self.known_size(n)
            conditions.append(graph.operation("int.le", graph.integer(0), index))
            conditions.append(graph.operation("int.lt", index, size))
            certs += equal
        shown = ", ".join(["{}"] * len(indices))
        message = (
            f"the index [{shown}] is out of bounds of an array of size {shape_template(array.rank)}"
        )
        certs.append(self.require(conditions, message, [*indices, *array.shape], span))
        return certs


def shape_template(dimensions: int) -> str:
    """How a shape is shown in messages."""
    return "x".join(["{}"] * dimensions)
