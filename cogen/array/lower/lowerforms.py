"""Lowers the built-in forms on arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.ir.graphtypes import rank, row
from cogen.array.ir.layout import leaves_of
from cogen.array.ir.node import Node
from cogen.array.l0 import tree
from cogen.array.l0.messages import template, told_values
from cogen.array.l0.types import CERT, INT, ArrayType, Type
from cogen.array.l0.values import transposed_order
from cogen.array.lower.lowerbranches import Branches
from cogen.array.lower.lowercontext import shape_template
from cogen.array.lower.value import Value, tuple_of, unzipped, zipped
from cogen.lang.errors import Span


class Forms(Branches):
    """The part of the lowering that concerns forms without functions."""

    def form(self, e: tree.Form) -> Value:
        if e.name == "assert":
            return self.assertion(e)
        operands = [self.expression(operand) for operand in e.operands]
        with self.origin(e.name, e.span):
            return _FORMS[e.name](self, operands, e.span)

    def zip(self, operands: Sequence[Value], span: Span) -> Value:
        size, _ = self.same_size(operands, span)
        return zipped(operands, size)

    def unzip(self, operands: Sequence[Value], span: Span) -> Value:
        return unzipped(operands[0])

    def iota(self, operands: Sequence[Value], span: Span) -> Value:
        size = operands[0].leaf
        certs = self.can_be([size], 1, span)
        return Value(ArrayType(INT), (self.graph.iota(size, certs),), (size,))

    def replicate(self, operands: Sequence[Value], span: Span) -> Value:
        size, value = operands[0].leaf, operands[1]
        sizes = (size, *value.sizes)
        certs = [
            cert for shape in _whole_shapes(value) for cert in self.can_be((size, *shape), 1, span)
        ]
        leaves = [self.graph.replicate(size, leaf, certs) for leaf in value.leaves]
        return Value(ArrayType(value.type), tuple(leaves), sizes)

    def split(self, operands: Sequence[Value], span: Span) -> Value:
        graph = self.graph
        at, array = operands[0].leaf, operands[1]
        size, equal = self.known_size(array.sizes[0])
        conditions = [
            graph.operation("int.le", graph.integer(0), at),
            graph.operation("int.le", at, size),
        ]
        message = "an array of size {} cannot be split at {}"
        cert = self.require(conditions, message, (size, at), span)
        certs = [cert, *equal, *self.agreement(array, 1)]
        rest = graph.operation("int.sub", size, at)
        self.scope.learn(graph.operation("int.le", graph.integer(0), rest), cert)
        found = []
        for start, length in ((graph.integer(0), at), (at, rest)):
            leaves = [graph.slice(leaf, start, length, certs) for leaf in array.leaves]
            found.append(Value(array.type, tuple(leaves), (length, *array.sizes[1:])))
        return tuple_of(found)

    def concat(self, operands: Sequence[Value], span: Span) -> Value:
        left, right = operands
        if self._same_rows(left, right):
            return self._concat(left, right, span)
        graph = self.graph
        nothing = [
            graph.operation("int.eq", array.sizes[0], graph.integer(0)) for array in operands
        ]
        return self.choose(
            nothing[1],
            lambda: left,
            lambda: self.choose(
                nothing[0], lambda: right, lambda: self._concat(left, right, span), left.type
            ),
            left.type,
        )

    def _same_rows(self, left: Value, right: Value) -> bool:
        return all(
            self.size(m) is self.size(n)
            for m, n in zip(left.sizes[1:], right.sizes[1:], strict=True)
        )

    def _concat(self, left: Value, right: Value, span: Span) -> Value:
        assert isinstance(left.type, ArrayType)
        certs = self.same_shape(
            left.type.element,
            left.sizes[1:],
            right.sizes[1:],
            "the array would not be regular: it has rows of size {} and {}",
            span,
        )
        certs += [*self.agreement(left, len(left.sizes)), *self.agreement(right, len(left.sizes))]
        alike = self.fitted(right, (right.sizes[0], *left.sizes[1:]), certs)
        leaves = [self.graph.concat(a, b, certs) for a, b in zip(left.leaves, alike, strict=True)]
        size = self.graph.operation("int.add", left.sizes[0], right.sizes[0])
        self.scope.learn(
            self.graph.operation("int.le", self.graph.integer(0), size), self.graph.checked
        )
        rows = [self.size(n) for n in left.sizes[1:]]
        return Value(left.type, tuple(leaves), (size, *rows))

    def copy(self, operands: Sequence[Value], span: Span) -> Value:
        value = operands[0]
        leaves = [self.graph.copy(leaf) if rank(leaf.type) else leaf for leaf in value.leaves]
        return Value(value.type, tuple(leaves), value.sizes)

    def assertion(self, e: tree.Form) -> Value:
        condition, *values = [
            self.expression(operand).leaf for operand in (e.operands[0], *told_values(e.operands))
        ]
        with self.origin(e.name, e.span):
            message = template(e.operands)
            return Value(CERT, (self.require(condition, message, values, e.span),))

    def conjoin(self, operands: Sequence[Value], span: Span) -> Value:
        return Value(CERT, (self.graph.conjoin([operand.leaf for operand in operands]),))

    # Forms with syntax of their own.

    def size_form(self, e: tree.SizeExpression) -> Value:
        array = self.expression(e.array)
        return Value(INT, (self.size(array.sizes[e.dimension]),))

    def reshape(self, e: tree.ReshapeExpression) -> Value:
        sizes = [self.expression(size).leaf for size in e.shape]
        array = self.expression(e.array)
        with self.origin("reshape", e.span):
            graph = self.graph
            certs = self.can_be(sizes, len(sizes), e.span)
            count, wanted = self._product(array.shape), self._product(sizes)
            message = f"{{}} elements cannot be put into the shape {shape_template(len(sizes))}"
            condition = graph.operation("int.eq", count, wanted)
            certs.append(self.require(condition, message, (count, *sizes), e.span))
            rows = array.sizes[array.rank :]
            leaves = []
            for leaf, layout in zip(array.leaves, leaves_of(array.type).leaves, strict=True):
                inner = [array.sizes[d] for d in layout.dimensions[array.rank :]]
                leaves.append(graph.reshape(leaf, *sizes, *inner, certs=certs))
            t: Type = row_of(array)
            for _ in sizes:
                t = ArrayType(t)
            return Value(t, tuple(leaves), (*sizes, *rows))

    def _product(self, sizes: Sequence[Node]) -> Node:
        product: Node = self.graph.integer(1)
        for size in sizes:
            product = self.graph.operation("int.mul", product, size)
        return product

    def transpose(self, e: tree.Transpose) -> Value:
        array = self.expression(e.array)
        return self._rearranged(
            transposed_order(array.rank, e.dimension, e.distance), array, "transpose", e.span
        )

    def rearrange(self, e: tree.RearrangeExpression) -> Value:
        return self._rearranged(e.order, self.expression(e.array), "rearrange", e.span)

    def _rearranged(self, order: tuple[int, ...], array: Value, name: str, span: Span) -> Value:
        """Sizes of rows that are not there come to light, so the leaves must have them as well."""
        with self.origin(name, span):
            leaves = [
                self.graph.rearrange((*order, *range(len(order), rank(leaf.type))), leaf)
                for leaf in self.fitted(array, array.sizes, ())
            ]
        sizes = [array.sizes[k] for k in order]
        return Value(array.type, tuple(leaves), (*sizes, *array.sizes[array.rank :]))

    def empty(self, e: tree.Empty) -> Value:
        shape = leaves_of(ArrayType(e.element))
        zero = self.graph.integer(0)
        sizes = tuple([zero] * shape.dimensions)
        with self.origin("empty", e.span):
            leaves = [self.graph.literal(row(leaf.type(sizes)), ()) for leaf in shape.leaves]
        return Value(ArrayType(e.element), tuple(leaves), sizes)

    def array(self, e: tree.ArrayExpression) -> Value:
        elements = [self.expression(part) for part in e.elements]
        with self.origin("array", e.span):
            first = elements[0]
            certs: list[Node] = []
            message = "the array would not be regular: it has rows of size {} and {}"
            for other in elements[1:]:
                certs += self.same_shape(first.type, first.sizes, other.sizes, message, e.span)
            for value in elements:
                certs += self.agreement(value, len(value.sizes)) if value.rank else ()
            fitted = [self.fitted(value, first.sizes, certs) for value in elements]
            leaves = [
                self.graph.literal(alike[0].type, alike, certs)
                for alike in zip(*fitted, strict=True)
            ]
            rows = [self.size(n) for n in first.sizes]
            size = self.graph.integer(len(elements))
            return Value(ArrayType(first.type), tuple(leaves), (size, *rows))

    # Updates.

    def updated(
        self, array: Value, indices: Sequence[Node], new: Value, certs: Sequence[Node], span: Span
    ) -> Value:
        """The array with another element or row."""
        checks = [*certs, *self.within_bounds(array, indices, span)]
        if new.sizes:
            rest = array.sizes[len(indices) :]
            message = "a row of size {} cannot replace one of size {}"
            checks += self.same_shape(new.type, new.sizes, rest, message, span)
            leaves = self.fitted(new, rest, checks)
        else:
            leaves = list(new.leaves)
        leaves = [
            self.graph.update(leaf, indices, value, checks)
            for leaf, value in zip(array.leaves, leaves, strict=True)
        ]
        return Value(array.type, tuple(leaves), array.sizes)


def row_of(array: Value) -> Type:
    """The type of what a full index of an array gives."""
    t = array.type
    while isinstance(t, ArrayType):
        t = t.element
    return t


def _whole_shapes(value: Value) -> list[tuple[Node, ...]]:
    """The shapes of the arrays among a value's leaves; of a scalar, the empty one."""
    found = dict.fromkeys(
        [tuple([value.sizes[d] for d in leaf.dimensions]) for leaf in leaves_of(value.type).leaves]
    )
    return list(found)


_FORMS: Final[dict[str, Callable[[Forms, Sequence[Value], Span], Value]]] = {
    "zip": Forms.zip,
    "unzip": Forms.unzip,
    "iota": Forms.iota,
    "replicate": Forms.replicate,
    "split": Forms.split,
    "concat": Forms.concat,
    "copy": Forms.copy,
    "conjoin": Forms.conjoin,
}
