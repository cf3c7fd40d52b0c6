"""Lowers `store`: the elements of an array become what a layout holds.

    store("u8", a, "saturate")    Collect of max(0, min(255, x))
    store("u8", a, "check")       Collect of x; Reduce of the first index that does not fit, and an
                                  Assert that there is none

The loop is a map like any other, so it is fused with what makes the array, and the check stands
after it. Where the array is a result that is stored packed, the loop stores the words themselves
(`cogen.array.codegen.sinks`). What it means is said in `cogen.array.l0.fitting`.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.ir.generators import (
    Collect,
    Generator,
    Reduce,
    emits,
)
from cogen.array.ir.graphtypes import INT, REAL, element
from cogen.array.ir.node import Node
from cogen.array.l0 import tree
from cogen.array.l0.extensions import stored_as
from cogen.array.l0.fitting import NO_GROUPS, misfit
from cogen.array.l0.storage import Fit, Samples, Storage
from cogen.array.l0.types import REAL as REAL_LAYOUT
from cogen.array.l0.types import ArrayType
from cogen.array.lower.lowersoacs import SoacElements, Soacs
from cogen.array.lower.value import Value

INFINITY = float("inf")


class Stores(Soacs):
    """The part of the lowering that concerns storage."""

    def store(self, e: tree.ExtensionExpression, layout: Value, array: Value, fit: Value) -> Value:
        storage, how = stored_as(e)
        graph = self.graph
        size, certs = self.same_size([array], e.span)
        if storage.group > 1:
            group = graph.integer(storage.group)
            left = graph.operation("int.mod", size, group)
            whole = graph.operation("int.eq", left, graph.integer(0))
            certs = [*certs, self.require(whole, NO_GROUPS, (size, group), e.span)]
        elements = SoacElements(size, certs, [array])
        scope = self.scope.inner()
        with self.within(scope):
            parameters, (value,) = self._step(elements, scope)
            fitted = [
                self._fitted(samples, leaf, parameters[0], how)
                for samples, leaf in zip(storage.leaves, value.leaves, strict=True)
            ]
            values = [found for found, _ in fitted]
            wrong = {k: bad for k, (_, bad) in enumerate(fitted) if bad is not None}
            left = graph.operation("int.sub", size, parameters[0])
            misfits = [
                graph.operation("int.mul", graph.operation("bool.to_int", bad), left)
                for bad in wrong.values()
            ]
        generators: list[Generator] = [Collect(1)] * len(values)
        generators += [Reduce(1)] * len(misfits)
        operators = []
        for _ in misfits:
            a, b = graph.parameter("acc", INT), graph.parameter("x", INT)
            operators.append(self.scope.inner().block([a, b], [graph.operation("int.max", a, b)]))
        body = scope.body(parameters, emits([*values, *misfits]))
        node = self.scope.multiloop(
            size,
            elements.inputs,
            generators,
            [graph.integer(0)] * len(misfits),
            [body, *operators],
            certs,
        )
        parts = graph.parts(node)
        for number, last in zip(wrong, parts[len(values) :], strict=True):
            self._all_fit(storage, number, size, last, e)
        return Value(ArrayType(storage.element), parts[: len(values)], (size,))

    def _all_fit(
        self, storage: Storage, number: int, size: Node, last: Node, e: tree.ExtensionExpression
    ) -> None:
        """Fail where a value of a leaf did not fit: `last` is how far the first one is from the
        end, 0 if there is none."""
        graph = self.graph
        index = graph.operation("int.sub", size, last)
        none = graph.operation("int.eq", last, graph.integer(0))
        self.require(none, misfit(storage, number), (index,), e.span)

    # Values of one leaf.

    def _fitted(self, samples: Samples, x: Node, index: Node, fit: Fit) -> tuple[Node, Node | None]:
        """A value as it is stored, and whether it does not fit; None where that cannot be."""
        graph = self.graph
        kind = element(x.type).kind
        if kind == "bool":
            x, kind = graph.operation("bool.to_int", x), "int"
        if not samples.is_real:
            return self._int(samples, x, index, fit)
        if kind == "int":
            x = graph.operation("int.to_real", x)
        if samples.scale is None:
            return self._float(samples, x, fit)
        scale = graph.constant(samples.scale, REAL)
        sample = graph.operation("real.div", x, scale)
        make = self._float if samples.kind == "float" else self._scaled
        found, bad = make(samples, sample, fit)
        return graph.operation("real.mul", found, scale), bad

    def _int(self, samples: Samples, x: Node, index: Node, fit: Fit) -> tuple[Node, Node | None]:
        graph = self.graph
        bits = graph.arithmetic.int_bits
        if fit == "wrap":
            if set(samples.sizes) <= {bits}:
                return x, None
            if samples.kind == "signed":
                left = self._each(samples, [bits - size for size in samples.sizes], index)
                return graph.operation("int.shr", graph.operation("int.shl", x, left), left), None
            masks = [graph.arithmetic.wrap((1 << size) - 1) for size in samples.sizes]
            return graph.operation("int.and", x, self._each(samples, masks, index)), None
        limits = [samples.limits(place) for place in range(len(samples.pieces))]
        least, greatest = graph.arithmetic.least, graph.arithmetic.greatest
        lows = [max(low, least) for low, _ in limits]
        highs = [min(high, greatest) for _, high in limits]
        low = None if set(lows) == {least} else self._each(samples, lows, index)
        high = None if set(highs) == {greatest} else self._each(samples, highs, index)
        if fit == "saturate":
            if high is not None:
                x = graph.operation("int.min", x, high)
            return x if low is None else graph.operation("int.max", x, low), None
        tests = [] if low is None else [graph.operation("int.lt", x, low)]
        tests += [] if high is None else [graph.operation("int.lt", high, x)]
        if not tests:
            return x, None
        return x, tests[0] if len(tests) == 1 else graph.operation("bool.or", *tests)

    def _each(self, samples: Samples, values: Sequence[int], index: Node) -> Node:
        """A number for each place of the samples, for that of an index."""
        graph = self.graph
        if len(set(values)) == 1:
            return graph.integer(values[0])
        table = graph.literal(INT, [graph.integer(value) for value in values])
        place = graph.operation("int.mod", index, graph.integer(len(values)))
        return graph.index(table, place)

    def _float(self, samples: Samples, x: Node, fit: Fit) -> tuple[Node, Node | None]:
        graph = self.graph
        size = samples.size()
        if size >= graph.arithmetic.real_bits:
            return x, None
        rounded = graph.operation("real.single" if size == 32 else "real.half", x)
        if fit == "wrap":
            return rounded, None
        greatest = graph.constant(65504.0 if size == 16 else 3.4028234663852886e38, REAL)
        beyond = graph.operation("real.lt", greatest, graph.operation("real.abs", rounded))
        infinity = graph.constant(INFINITY, REAL)
        finite = graph.operation("real.lt", graph.operation("real.abs", x), infinity)
        lost = graph.operation("bool.and", beyond, finite)
        if fit == "check":
            return rounded, lost
        negative = graph.operation("real.lt", x, graph.constant(0.0, REAL))
        least = graph.operation("real.neg", greatest)
        nearest = self._either(negative, least, greatest)
        return self._either(lost, nearest, rounded), None

    def _scaled(self, samples: Samples, x: Node, fit: Fit) -> tuple[Node, Node | None]:
        graph = self.graph
        least, greatest = samples.limits()
        rounded = graph.operation("real.round", x)
        low = graph.constant(float(least), REAL)
        high = graph.constant(_below(greatest + 1), REAL)
        infinity = graph.constant(INFINITY, REAL)
        if fit == "check":
            fits = graph.operation(
                "bool.and",
                graph.operation("real.le", low, rounded),
                graph.operation("real.le", rounded, high),
            )
            return rounded, graph.operation("bool.not", fits)
        if fit == "saturate":
            number = graph.operation("real.le", rounded, infinity)
            above = graph.operation("real.lt", high, rounded)
            below = graph.operation("real.lt", rounded, low)
            found = self._either(below, low, self._either(above, high, rounded))
            return found, graph.operation("bool.not", number)
        finite = graph.operation("real.lt", graph.operation("real.abs", rounded), infinity)
        whole = graph.constant(float(1 << samples.size()), REAL)
        times = graph.operation("real.trunc", graph.operation("real.div", rounded, whole))
        found = graph.operation("real.sub", rounded, graph.operation("real.mul", times, whole))
        if samples.kind == "signed":
            upper = graph.operation("real.lt", graph.constant(float(greatest), REAL), found)
            found = self._either(upper, graph.operation("real.sub", found, whole), found)
        lower = graph.operation("real.lt", found, low)
        found = self._either(lower, graph.operation("real.add", found, whole), found)
        return found, graph.operation("bool.not", finite)

    def _either(self, condition: Node, then: Node, otherwise: Node) -> Node:
        """One of two reals."""
        return self.choose(
            condition,
            lambda: Value(REAL_LAYOUT, (then,)),
            lambda: Value(REAL_LAYOUT, (otherwise,)),
            REAL_LAYOUT,
        ).leaf


def _below(limit: int) -> float:
    """The greatest integral float below a power of two."""
    return float(limit - 1) if limit <= 1 << 53 else float(limit) * (1 - 2.0**-53)
