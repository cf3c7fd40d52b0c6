"""Lowers the combinators to the one loop form: map, filter, reduce, redomap, scan.

    map(f, a)         Collect of f(x)
    filter(p, a)      Collect of x where p(x)
    reduce(f, e, a)   Reduce of x with operator f and neutral e
    scan(f, e, a)     Scan of x with operator f and neutral e

Two things keep a combinator from this. Accumulators whose size changes from one step to the next
(`reduce(concat, ...)`) or is not that of the elements, and the step of a redomap that is not
recognised as its operator applied to the accumulator and something else, make a counted loop of
it, which is exact and sequential.

Rows that a map gives must be alike. Their size may be known though there be none (`l0.rowsizes`).
Otherwise it is 0 if there are none, and may be known only when one is there: then the function is
applied to the first element once more, for the sizes alone, and the others are compared with these.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.generators import (
    Collect,
    Emit,
    Reduce,
    Scan,
    When,
    emits,
)
from cogen.array.ir.graphtypes import INT, row
from cogen.array.ir.layout import leaves_of
from cogen.array.ir.node import (
    Block,
    Iota,
    Node,
    Parameter,
    shape,
)
from cogen.array.l0 import rowsizes, tree
from cogen.array.l0.types import INT as INT_LAYOUT
from cogen.array.l0.types import ArrayType, TupleType, Type, without_uniqueness
from cogen.array.lower.comparedsizes import compared
from cogen.array.lower.divide import divide_step
from cogen.array.lower.lowerfunctions import BINARY, Applied, Functions
from cogen.array.lower.value import Value, parts_of, tuple_of, unzipped
from cogen.lang.errors import Span

_IRREGULAR = "the array would not be regular: it has rows of size {} and {}"


class SoacElements:
    """The arrays that a combinator walks: their size and what a step sees of them."""

    def __init__(self, size: Node, certs: list[Node], arrays: Sequence[Value]) -> None:
        self.size = size
        self.certs = certs
        self.arrays = arrays

    @property
    def inputs(self) -> list[Node]:
        return [leaf for array in self.arrays for leaf in array.leaves]


class Soacs(Functions):
    """The part of the lowering that concerns combinators."""

    def soac(self, e: tree.SoacExpression) -> Value:
        functions = [self.operand(function) for function in e.functions]
        initial = None if e.initial is None else self.expression(e.initial)
        arrays = [self.expression(array) for array in e.arrays]
        with self.origin(e.name, e.span):
            size, certs = self.same_size(arrays, e.span)
            elements = SoacElements(size, certs, arrays)
            if e.kind == "map":
                return self.mapped(e, functions[0], elements)
            if e.kind == "filter":
                return self.filter(e, functions[0], elements)
            assert initial is not None
            return self.fold(e, functions, initial, elements)

    # What a step sees.

    def _step(
        self, elements: SoacElements, scope: BlockScope
    ) -> tuple[list[Parameter], list[Value]]:
        """Parameters for an iteration, and the elements they are."""
        graph = self.graph
        index = graph.parameter("i", INT)
        scope.learn_index(index, elements.size)
        parameters: list[Parameter] = [index]
        values = []
        for array in elements.arrays:
            leaves = [graph.parameter("x", row(leaf.type)) for leaf in array.leaves]
            for leaf, x in zip(array.leaves, leaves, strict=True):
                if isinstance(leaf, Iota):
                    scope.learn_index(x, leaf.size)
            parameters.extend(leaves)
            values.append(_element(array, leaves))
        return parameters, values

    def _at(self, elements: SoacElements, index: Node, certs: Sequence[Node]) -> list[Value]:
        """The elements at an index."""
        return [
            _element(array, [self.graph.index(leaf, index, certs=certs) for leaf in array.leaves])
            for array in elements.arrays
        ]

    # Maps and filters.

    def mapped(self, e: tree.SoacExpression, function: Applied, elements: SoacElements) -> Value:
        """The combinator."""
        known: list[Node | None] = []
        if leaves_of(self.facts.types[e]).dimensions > len(elements.arrays):
            symbols = rowsizes.row_sizes(self.facts, e)
            known = [None if s is None else self._symbol(s, elements) for s in symbols]
        array = self.map(e, function, elements, known)
        return unzipped(array) if e.tupleless else array

    def map(
        self,
        e: tree.SoacExpression | tree.ExtensionExpression,
        function: Applied,
        elements: SoacElements,
        known: Sequence[Node | None] = (),
        none: Sequence[Node] = (),
    ) -> Value:
        """The array of what a function gives.

        `known` are the sizes that its rows have in any case, by dimension, as far as they are
        known; `none` what the others are where there are no rows, 0 if nothing is said.
        """
        scope = self.scope.inner()
        with self.within(scope):
            parameters, values = self._step(elements, scope)
            result = function(values)
        bound = {*parameters, scope.token}
        count = len(result.sizes)
        known = known or [None] * count
        self._can_be_rows(result.type, known, elements.size, e.span)
        sizes = self._row_sizes(
            function, elements, result, known, none or [self.graph.integer(0)] * count, scope, bound
        )
        with self.within(scope):
            certs: list[Node] = []
            if sizes != result.sizes:
                certs = self.same_shape(result.type, sizes, result.sizes, _IRREGULAR, e.span)
            leaves = self.fitted(result, sizes, certs, bound)
        body = scope.body(parameters, emits(leaves))
        node = self.scope.multiloop(
            elements.size,
            elements.inputs,
            [Collect(1)] * len(leaves),
            (),
            [body],
            elements.certs,
        )
        return Value(ArrayType(result.type), self.graph.parts(node), (elements.size, *sizes))

    def _symbol(self, symbol: rowsizes.Symbol, elements: SoacElements) -> Node:
        """The size that a symbol stands for."""
        graph = self.graph
        match symbol:
            case rowsizes.SizeNumber(value):
                return graph.integer(graph.arithmetic.literal(value))
            case rowsizes.Outer(variable, parts):
                found = self.variables[variable]
                for part in parts:
                    found = parts_of(found)[part]
                return found.leaf
            case rowsizes.OuterSize(variable, dimension):
                return self.variables[variable].sizes[dimension]
            case rowsizes.RowSize(array, dimension):
                return elements.arrays[array].sizes[dimension + 1]
            case rowsizes.Computed(operator, left, right):
                a, b = self._symbol(left, elements), self._symbol(right, elements)
                return graph.operation(BINARY[operator, INT_LAYOUT], a, b)

    def _can_be_rows(self, t: Type, known: Sequence[Node | None], count: Node, span: Span) -> None:
        """Fail where there are no rows if there can be none of such sizes.

        Where there are rows, what makes them has failed.
        """
        some = self.graph.operation("int.lt", self.graph.integer(0), count)
        for leaf in dict.fromkeys([leaf.dimensions for leaf in leaves_of(t).leaves]):
            sizes = [size for size in [known[d] for d in leaf] if size is not None]
            if sizes:
                self.can_be(sizes, len(sizes), span, unless=some)

    def _row_sizes(
        self,
        function: Applied,
        elements: SoacElements,
        row: Value,
        known: Sequence[Node | None],
        none: Sequence[Node],
        scope: BlockScope,
        bound: set[Parameter],
    ) -> tuple[Node, ...]:
        """The sizes of the rows of a map, whose function gives `row` in its body, `scope`."""
        graph = self.graph
        some = graph.operation("int.lt", graph.integer(0), elements.size)
        sizes: list[Node] = []
        first: Sequence[Node] = ()
        for d, (own, size) in enumerate(zip(row.sizes, known, strict=True)):
            inside = not own.free.isdisjoint(bound)
            if size is not None:
                same = not inside and self.size(own) is self.size(size)
                sizes.append(own if same else size)
            elif inside:
                first = first or self._first_sizes(function, elements, row.type, none)
                sizes.append(first[d])
            elif own is none[d] or self.scope.holds(some) is not None:
                sizes.append(own)
            else:
                sizes.append(self._either_size(some, own, none[d]))
                scope.equate(sizes[-1], own, scope.token)
        return tuple(sizes)

    def _either_size(self, condition: Node, then: Node, otherwise: Node) -> Node:
        """One of two sizes."""
        size = self.choose(
            condition,
            lambda: Value(INT_LAYOUT, (then,)),
            lambda: Value(INT_LAYOUT, (otherwise,)),
            INT_LAYOUT,
        ).leaf
        self.is_size(size)
        return size

    def _first_sizes(
        self, function: Applied, elements: SoacElements, t: Type, none: Sequence[Node]
    ) -> tuple[Node, ...]:
        """The sizes of what the function gives for the first element; `none` if there is none."""
        graph = self.graph
        count = leaves_of(t).dimensions
        ints = TupleType(tuple([INT_LAYOUT] * count))

        def sizes() -> Value:
            values = self._at(elements, graph.integer(0), [*elements.certs, self.scope.token])
            quiet, self.quiet = self.quiet, True
            found = function(values).sizes
            self.quiet = quiet
            return Value(ints, found)

        some = graph.operation("int.lt", graph.integer(0), elements.size)
        others = Value(ints, tuple(none))
        leaves = self.choose(some, sizes, lambda: others, ints).leaves
        for leaf in leaves:
            self.is_size(leaf)
        return leaves

    def filter(self, e: tree.SoacExpression, function: Applied, elements: SoacElements) -> Value:
        scope = self.scope.inner()
        with self.within(scope):
            parameters, values = self._step(elements, scope)
            keep = function(values).leaf
        leaves = [leaf for value in values for leaf in value.leaves]
        body = scope.body(parameters, [When(keep, Emit(tuple(leaves)))])
        generator = Collect(len(leaves))
        node = self.scope.multiloop(
            elements.size, elements.inputs, [generator], (), [body], elements.certs
        )
        count, *parts = self.graph.parts(node)
        self.is_size(count)
        self.scope.learn(self.graph.operation("int.le", count, elements.size), self.graph.checked)
        found = []
        for array in elements.arrays:
            own, parts = parts[: len(array.leaves)], parts[len(array.leaves) :]
            found.append(Value(array.type, tuple(own), (count, *array.sizes[1:])))
        return tuple_of(found) if e.tupleless else found[0]

    # Folds.

    def fold(
        self,
        e: tree.SoacExpression,
        functions: Sequence[Applied],
        initial: Value,
        elements: SoacElements,
    ) -> Value:
        scope = self.scope.inner()
        with self.within(scope):
            left = self.fresh("acc", initial.type, initial.sizes)
            rows = [n for array in elements.arrays for n in array.sizes[1:]]
            right = self.fresh("x", initial.type, left.sizes if e.kind == "redomap" else rows)
            both = [*parts_of(left), *parts_of(right)] if e.tupleless else [left, right]
            result = functions[0](both)
            steady = self.unchanged(initial, result) and self._fits(initial, right)
        if not steady:
            return self.sequential(e, functions[-1], initial, elements)
        operator = scope.block([*left.parameters, *right.parameters], result.leaves)
        body = self._folded(e, functions, left, operator, elements)
        if body is None:
            return self.sequential(e, functions[-1], initial, elements)
        count = len(initial.leaves)
        node = self.scope.multiloop(
            elements.size,
            elements.inputs,
            [Scan(count) if e.kind == "scan" else Reduce(count)],
            initial.leaves,
            [body, operator],
            [*elements.certs, *self.agreement(initial, len(initial.sizes))],
        )
        parts = self.graph.parts(node)
        if e.kind != "scan":
            return Value(initial.type, parts, initial.sizes)
        array = Value(ArrayType(initial.type), parts, (elements.size, *initial.sizes))
        return unzipped(array) if e.tupleless else array

    def _fits(self, initial: Value, element: Value) -> bool:
        """Whether elements have the sizes of accumulators, or an operator in whose block control is
        fails: where they have rows."""
        wrong = self.changed(initial, element)
        found = [
            ({self.size(first), self.size(second)}, {self.size(size) for size in around})
            for first, second, around in (compared(self.scope.effects) if wrong else ())
        ]
        for leaf in leaves_of(initial.type).leaves:
            before: set[Node] = set()
            for d in leaf.dimensions:
                pair = {self.size(initial.sizes[d]), self.size(element.sizes[d])}
                if d in wrong and not any(pair == two and own <= before for two, own in found):
                    return False
                before |= pair
        return True

    def _folded(
        self,
        e: tree.SoacExpression,
        functions: Sequence[Applied],
        accumulator: Value,
        operator: Block,
        elements: SoacElements,
    ) -> Block | None:
        """The body that gives what the operator combines, if a redomap's step is such."""
        scope = self.scope.inner()
        with self.within(scope):
            parameters, values = self._step(elements, scope)
            if e.kind != "redomap":
                leaves = tuple([leaf for v in values for leaf in v.leaves])
                return scope.body(parameters, [Emit(leaves)])
            step = functions[1](_arguments(e, accumulator, values))
            found = divide_step(self.graph, operator, step.leaves)
            if found is None or not self._alike(found, accumulator):
                return None
        bound = set(operator.parameters)
        if any(not effect.free.isdisjoint(bound) for effect in scope.effects):
            return None
        return scope.body(parameters, [Emit(tuple(found))])

    def _alike(self, leaves: Sequence[Node], value: Value) -> bool:
        """Whether leaves are known to have the sizes of a value's."""
        return all(
            self.size(own) is self.size(size)
            for leaf, other in zip(leaves, value.leaves, strict=True)
            for own, size in zip(shape(leaf), shape(other), strict=True)
        )

    def sequential(
        self, e: tree.SoacExpression, step: Applied, initial: Value, elements: SoacElements
    ) -> Value:
        """A fold as a counted loop."""
        if e.kind == "scan":
            return self._sequential_scan(e, step, initial, elements)

        def iteration(index: Node, accumulator: Value) -> Value:
            values = self._at(elements, index, [*elements.certs, self.scope.token])
            return step(_arguments(e, accumulator, values))

        return self.iterate(e, elements.size, initial, iteration)

    def _sequential_scan(
        self, e: tree.SoacExpression, step: Applied, initial: Value, elements: SoacElements
    ) -> Value:
        def first(values: Sequence[Value]) -> Value:
            return step(_arguments(e, initial, values))

        sizes = self._first_sizes(first, elements, initial.type, initial.sizes)
        array = self.blank(ArrayType(initial.type), (elements.size, *sizes))

        def iteration(index: Node, state: Value) -> Value:
            accumulator, found = parts_of(state)
            values = self._at(elements, index, [*elements.certs, self.scope.token])
            result = step(_arguments(e, accumulator, values))
            self.same_shape(initial.type, sizes, result.sizes, _IRREGULAR, e.span)
            return tuple_of([result, self.updated(found, [index], result, (), e.span)])

        state = self.iterate(e, elements.size, tuple_of([initial, array]), iteration)
        found = parts_of(state)[1]
        return unzipped(found) if e.tupleless else found


def _element(array: Value, leaves: Sequence[Node]) -> Value:
    """The element of an array that some leaves are."""
    assert isinstance(array.type, ArrayType)
    return Value(without_uniqueness(array.type.element), tuple(leaves), array.sizes[1:])


def _arguments(e: tree.SoacExpression, accumulator: Value, values: Sequence[Value]) -> list[Value]:
    """What a fold passes to its function."""
    if not e.tupleless:
        return [accumulator, *values]
    if e.kind != "redomap" and len(values) == 1 and values[0].type == accumulator.type:
        return [*parts_of(accumulator), *parts_of(values[0])]  # the operator's element
    return [*parts_of(accumulator), *values]
