"""Lowers the extensions of L0 to the one loop form.

    bucketReduce(f, e, n, keys, a)    Bucket of keys[i], a[i] with operator f, n buckets, neutral e
    bucketCollect(n, keys, a)         Bucket of keys[i], which collects a[i]
    groupBy(f, a)                     hashed Bucket of f(x), which numbers the keys; then as above
    reduceSegments(f, e, offsets, a)  a Collect of Reduces of slices
    flatMap(f, a)                     spread Collect of f(x)
    distinct(a)                       hashed Bucket of x
    scatter(a, is, vs)                Scatter of is[i], vs[i] into a
    store(layout, a, fit)             see `cogen.array.lower.stores`

A bucketReduce whose accumulators change in size is a counted loop, as a reduce would be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.generators import (
    Bucket,
    Collect,
    Elements,
    Emit,
    Scatter,
    emits,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT, REAL
from cogen.array.ir.graphtypes import GraphArray as LeafType
from cogen.array.ir.node import (
    Node,
    shape,
)
from cogen.array.l0 import tree
from cogen.array.l0.extensions import BAD_KEY, BAD_SEGMENT, NO_OFFSETS
from cogen.array.l0.facts import CheckedFacts
from cogen.array.l0.types import INT as INT_LAYOUT
from cogen.array.l0.types import ArrayType
from cogen.array.lower.callgraph import CallGraph
from cogen.array.lower.laws import Laws
from cogen.array.lower.lowerfunctions import Applied
from cogen.array.lower.lowersoacs import SoacElements
from cogen.array.lower.stores import Stores
from cogen.array.lower.value import Value, tuple_of

_IRREGULAR: Final = "a row of size {} cannot replace one of size {}"


class Extensions(Stores):
    """The part of the lowering that concerns extensions."""

    def __init__(
        self, graph: Graph, facts: CheckedFacts, scope: BlockScope, calls: CallGraph, laws: Laws
    ) -> None:
        super().__init__(graph, facts, scope, calls, laws)
        self.reductions: dict[tree.ExtensionExpression, tree.SoacExpression] = {}

    def extension(self, e: tree.ExtensionExpression) -> Value:
        functions = [self.operand(function) for function in e.functions]
        operands = [self.expression(operand) for operand in e.operands]
        with self.origin(e.name, e.span):
            return _LOWER[e.name](self, e, *functions, *operands)

    # Buckets.

    def bucket_reduce(
        self,
        e: tree.ExtensionExpression,
        f: Applied,
        initial: Value,
        count: Value,
        keys: Value,
        array: Value,
    ) -> Value:
        buckets = count.leaf
        certs = [
            cert
            for sizes in dict.fromkeys([shape(leaf) for leaf in initial.leaves])
            for cert in self.can_be((buckets, *sizes), 1, e.span)
        ]
        elements = self._keyed(e, keys, array, certs)
        scope = self.scope.inner()
        with self.within(scope):
            left = self.fresh("acc", initial.type, initial.sizes)
            right = self.fresh("x", initial.type, array.sizes[1:])
            result = f([left, right])
            steady = self.unchanged(initial, result) and self.unchanged(initial, right)
        if not steady:
            return self._bucket_loop(e, f, initial, buckets, elements)
        operator = scope.block([*left.parameters, *right.parameters], result.leaves)
        scope = self.scope.inner()
        with self.within(scope):
            parameters, (key, value) = self._step(elements, scope)
            relied = self._in_bucket(key.leaf, buckets, e)
        body = scope.body(parameters, [Emit((key.leaf, *value.leaves))])
        node = self.scope.multiloop(
            elements.size,
            elements.inputs,
            [Bucket(len(initial.leaves))],
            [buckets, *initial.leaves],
            [body, operator],
            [
                *elements.certs,
                *self.agreement(initial, len(initial.sizes)),
                *self.scope.made(relied),
            ],
        )
        return Value(ArrayType(initial.type), self.graph.parts(node), (buckets, *initial.sizes))

    def _bucket_loop(
        self,
        e: tree.ExtensionExpression,
        f: Applied,
        initial: Value,
        buckets: Node,
        elements: SoacElements,
    ) -> Value:
        """The same, one element after the other."""
        graph = self.graph
        leaves = [graph.replicate(buckets, leaf, elements.certs) for leaf in initial.leaves]
        start = Value(ArrayType(initial.type), tuple(leaves), (buckets, *initial.sizes))

        def iteration(index: Node, state: Value) -> Value:
            key, value = self._at(elements, index, [*elements.certs, self.scope.token])
            certs = self._in_bucket(key.leaf, buckets, e)
            rows = [graph.index(leaf, key.leaf, certs=certs) for leaf in state.leaves]
            old = Value(initial.type, tuple(rows), state.sizes[1:])
            return self.updated(state, [key.leaf], f([old, value]), certs, e.span)

        return self.iterate(e, elements.size, start, iteration)

    def _keyed(
        self, e: tree.ExtensionExpression, keys: Value, array: Value, certs: list[Node]
    ) -> SoacElements:
        """The keys and the elements of an array, of which there are as many."""
        size, same = self.same_size([keys, array], e.span)
        return SoacElements(size, [*certs, *same], [keys, array])

    def _in_bucket(self, key: Node, buckets: Node, e: tree.ExtensionExpression) -> list[Node]:
        """The certificates that a key is that of one of the buckets."""
        graph = self.graph
        conditions = [
            graph.operation("int.le", graph.integer(0), key),
            graph.operation("int.lt", key, buckets),
        ]
        return [self.require(conditions, BAD_KEY, (key, buckets), e.span)]

    # Groups.

    def bucket_collect(
        self, e: tree.ExtensionExpression, count: Value, keys: Value, array: Value
    ) -> Value:
        buckets = count.leaf
        certs = self.can_be([buckets], 1, e.span)
        elements = self._keyed(e, keys, array, certs)
        return tuple_of(self._collected(e, elements, buckets, proven=False))

    def group_by(self, e: tree.ExtensionExpression, f: Applied, array: Value) -> Value:
        size, certs = self.same_size([array], e.span)
        keys = self.map(e, f, SoacElements(size, certs, [array]))
        different, numbers = self._numbered(keys)
        elements = self._keyed(e, numbers, array, [])
        return tuple_of([different, *self._collected(e, elements, different.sizes[0], proven=True)])

    def _collected(
        self, e: tree.ExtensionExpression, elements: SoacElements, buckets: Node, proven: bool
    ) -> list[Value]:
        """The offsets of the groups, and the elements in the order of their keys."""
        graph = self.graph
        limits = graph.operation("int.add", buckets, graph.integer(1))
        certs = list(elements.certs)
        if not proven:
            certs += self.can_be([limits], 1, e.span)
        scope = self.scope.inner()
        with self.within(scope):
            parameters, (key, value) = self._step(elements, scope)
            relied = [] if proven else self._in_bucket(key.leaf, buckets, e)
        body = scope.body(parameters, [Emit((key.leaf, *value.leaves))])
        certs += self.scope.made(relied)
        generator = Bucket(len(value.leaves), collects=True)
        offsets, *leaves = graph.parts(
            self.scope.multiloop(
                elements.size, elements.inputs, [generator], [limits], [body], certs
            )
        )
        made = Value(ArrayType(INT_LAYOUT), (offsets,), (limits,))
        array = elements.arrays[1]
        return [made, Value(array.type, tuple(leaves), (elements.size, *array.sizes[1:]))]

    # Different values.

    def distinct(self, e: tree.ExtensionExpression, array: Value) -> Value:
        size, certs = self.same_size([array], e.span)
        return self._numbered(Value(array.type, array.leaves, (size,)), certs)[0]

    def _numbered(self, array: Value, certs: Sequence[Node] = ()) -> tuple[Value, Value]:
        """The different elements of an array of scalars or tuples, and the number of each one."""
        graph = self.graph
        size = array.sizes[0]
        scope = self.scope.inner()
        index = graph.parameter("i", INT)
        scope.learn_index(index, size)
        values = []
        for leaf in array.leaves:
            assert isinstance(leaf.type, LeafType)
            values.append(graph.parameter("x", leaf.type.element))
        parts = [self._key(value) for value in values]
        key = [part for own in parts for part in own]
        body = scope.body([index, *values], [Emit(tuple(key))])
        generator = Bucket(0, keys=len(key), hashed=True, numbered=True)
        blocks = [body, graph.nothing()]
        node = self.scope.multiloop(size, array.leaves, [generator], (), blocks, certs)
        count, *found, numbers = graph.parts(node)
        self.is_size(count)
        self.scope.learn(graph.operation("int.le", count, size), graph.checked)
        leaves = self._of_keys(values, list(map(len, parts)), found, count)
        different = Value(array.type, tuple(leaves), (count,))
        return different, Value(ArrayType(INT_LAYOUT), (numbers,), (size,))

    def _key(self, value: Node) -> list[Node]:
        """A scalar as ints that are equal where it is the same key; what is no real is one."""
        if value.type != REAL:
            return [value]
        arithmetic = self.graph.arithmetic
        names = ["real.key", "real.key_high"][: -(-arithmetic.real_bits // arithmetic.int_bits)]
        return [self.graph.operation(name, value) for name in names]

    def _of_keys(
        self, values: Sequence[Node], widths: Sequence[int], found: Sequence[Node], count: Node
    ) -> list[Node]:
        """The arrays of scalars that keys are made of, of those of their parts."""
        graph = self.graph
        parts = iter(found)
        leaves: list[Node] = []
        for value, width in zip(values, widths, strict=True):
            own = [next(parts) for _ in range(width)]
            if value.type != REAL:
                leaves += own
                continue
            scope = self.scope.inner()
            index = graph.parameter("i", INT)
            bits = [graph.parameter("key", INT) for _ in own]
            high = bits[1] if width > 1 else graph.integer(0)
            real = graph.operation("key.real", bits[0], high)
            body = scope.body([index, *bits], emits([real]))
            made = self.scope.multiloop(count, own, [Collect(1)], (), [body], ())
            leaves.append(graph.part(made, 0))
        return leaves

    # Segments.

    def reduce_segments(
        self, e: tree.ExtensionExpression, f: Applied, initial: Value, offsets: Value, array: Value
    ) -> Value:
        graph = self.graph
        limits, equal = self.known_size(offsets.sizes[0])
        size, certs = self.same_size([array], e.span)
        some = graph.operation("int.lt", graph.integer(0), limits)
        certs += [*equal, self.require(some, NO_OFFSETS, (), e.span)]
        count = graph.operation("int.sub", limits, graph.integer(1))
        self.scope.learn(graph.operation("int.le", graph.integer(0), count), certs[-1])
        reduction = self._reduction(e)
        limit = offsets.leaf

        def segment(values: Sequence[Value]) -> Value:
            index = values[0].leaf
            proof = [*certs, self.scope.token]
            following = graph.operation("int.add", index, graph.integer(1))
            low = graph.index(limit, index, certs=proof)
            high = graph.index(limit, following, certs=proof)
            conditions = [
                graph.operation("int.le", graph.integer(0), low),
                graph.operation("int.le", low, high),
                graph.operation("int.le", high, size),
            ]
            cert = self.require(conditions, BAD_SEGMENT, (low, high, size), e.span)
            length = graph.operation("int.sub", high, low)
            self.scope.learn(graph.operation("int.le", graph.integer(0), length), cert)
            inside = [*certs, cert]
            leaves = [graph.slice(leaf, low, length, inside) for leaf in array.leaves]
            part = Value(array.type, tuple(leaves), (length, *array.sizes[1:]))
            return self.fold(reduction, [f], initial, SoacElements(length, inside, [part]))

        numbers = Value(ArrayType(INT_LAYOUT), (graph.iota(count, certs),), (count,))
        return self.map(e, segment, SoacElements(count, certs, [numbers]), none=initial.sizes)

    def _reduction(self, e: tree.ExtensionExpression) -> tree.SoacExpression:
        """The reduce that a segment is given to: one for each place of the source."""
        if e not in self.reductions:
            initial, _, array = e.operands
            self.reductions[e] = tree.SoacExpression(
                e.span, "reduce", False, e.functions, initial, (array,)
            )
        return self.reductions[e]

    # Others.

    def flat_map(self, e: tree.ExtensionExpression, f: Applied, array: Value) -> Value:
        graph = self.graph
        size, certs = self.same_size([array], e.span)
        elements = SoacElements(size, certs, [array])
        scope = self.scope.inner()
        with self.within(scope):
            parameters, values = self._step(elements, scope)
            result = f(values)
            leaves = self.fitted(result, result.sizes, [scope.token])
            sizes = [self.known_size(shape(leaf)[0])[1] for leaf in leaves]
        body = scope.body(parameters, [Elements(tuple(leaves))])
        generator = Collect(len(leaves))
        certs += self.scope.made([cert for own in sizes for cert in own])
        node = self.scope.multiloop(size, elements.inputs, [generator], (), [body], certs)
        count, *found = graph.parts(node)
        self.is_size(count)
        return Value(result.type, tuple(found), (count,))

    def scatter(
        self, e: tree.ExtensionExpression, array: Value, indices: Value, values: Value
    ) -> Value:
        elements = self._keyed(e, indices, values, [])
        scope = self.scope.inner()
        with self.within(scope):
            parameters, (index, value) = self._step(elements, scope)
            relied = self.within_bounds(array, [index.leaf], e.span)
            rows = array.sizes[1:]
            certs: list[Node] = [scope.token]
            if value.sizes:
                certs += self.same_shape(value.type, value.sizes, rows, _IRREGULAR, e.span)
            leaves = self.fitted(value, rows, certs)
        body = scope.body(parameters, [Emit((index.leaf, *leaves))])
        node = self.scope.multiloop(
            elements.size,
            elements.inputs,
            [Scatter(len(leaves))],
            array.leaves,
            [body],
            [*elements.certs, *self.scope.made(relied)],
        )
        return Value(array.type, self.graph.parts(node), array.sizes)


_LOWER: Final[dict[str, Callable[..., Value]]] = {
    "bucketReduce": Extensions.bucket_reduce,
    "bucketCollect": Extensions.bucket_collect,
    "groupBy": Extensions.group_by,
    "reduceSegments": Extensions.reduce_segments,
    "flatMap": Extensions.flat_map,
    "distinct": Extensions.distinct,
    "scatter": Extensions.scatter,
    "store": Extensions.store,
}
