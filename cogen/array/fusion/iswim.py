"""Interchanges a scan with the maps that are its operator (seed 003, section 8.3, figure 36).

    scan(fn (x, y) => map(f, x, y), e, a)
    ->  transpose(map(fn (e, x) => scan(f, e, x), e, transpose(a)))

and, for an operator of n maps in each other, all n of them. It opens the scan to fusion with a nest
that makes `a` or consumes the result; otherwise rows are scanned as they lie in memory.

Where the rows of `e` and of `a` have sizes that only a check says to be one, they are one if there
are any rows: `a` then is taken in the shape that `e` says, which has as many elements, if only 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cogen.array.fusion.inputs import moved
from cogen.array.fusion.mirror import Mirror, captured, contents
from cogen.array.fusion.moveviews import inverse
from cogen.array.fusion.perfectnests import Nest, NestBuilder, find, like
from cogen.array.ir.generators import (
    Emit,
    Scan,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT, INT, row, shape
from cogen.array.ir.node import (
    Block,
    Index,
    Iota,
    Multiloop,
    Node,
    Part,
    Rearrange,
    sizes_in,
)
from cogen.lang.eachonce import each_once


class Interchange:
    """A scan whose operator is a nest; a `Replacement` of the scan."""

    def __init__(self, loop: Multiloop, nest: Nest, sizes: tuple[Node, ...]) -> None:
        self.loop = loop
        self.nest = nest
        self.sizes = sizes
        """Of the nest's levels: those of the neutral rows, as of the results."""

    def retypes(self) -> bool:
        """Whether the rows that are scanned have their sizes from elsewhere than the results."""
        depth = len(self.sizes)
        rows = [shape(array.type)[1 : depth + 1] for array in self.loop.inputs]
        return any(tuple(found) != self.sizes for found in rows)

    def needs(self) -> Iterable[Node]:
        """What the scan uses from outside."""
        return [*self.loop.operands, *self.loop.certs, *self.sizes, *captured(self.loop)]

    def build(self, mirror: Mirror) -> None:
        """Lets the results of the nest of scans, transposed back, stand for those of the scan."""
        graph, loop, nest = mirror.graph, self.loop, self.nest
        depth = len(nest.levels)
        sizes = mirror.nodes(self.sizes)
        builder = NestBuilder(graph, sizes, nest.levels, loop)
        (y,) = loop.yields()
        assert y.operator is not None
        neutral = [builder.element(mirror.node(extra), range(depth)) for extra in y.extras]
        arrays = []
        for value in y.values:
            array = mirror.node(loop.inputs[loop.elements.index(value)])
            array = self._retyped(mirror, array, sizes)
            rest = range(depth + 1, len(shape(array.type)))
            front = moved(graph, (*range(1, depth + 1), 0, *rest), array)
            arrays.append(builder.element(front, range(depth)))
        scan = self._scan(mirror, builder, neutral, arrays)
        results = builder.build(graph.parts(scan), mirror.certificates(loop.certs))
        for index, result in enumerate(results):
            part = graph.part(loop, index)
            rest = range(depth + 1, len(shape(part.type)))
            order = inverse((*range(1, depth + 1), 0, *rest))
            mirror.bind(part, moved(graph, order, result))
        mirror.bind(loop, loop)

    def _retyped(self, mirror: Mirror, array: Node, sizes: tuple[Node, ...]) -> Node:
        """An array of rows as one of rows of the sizes of the nest's levels."""
        found = sizes_in(array.type)
        wanted = (found[0], *sizes, *found[len(sizes) + 1 :])
        certs = [*self.loop.certs, *self._outside()]
        return retyped(mirror.graph, array, wanted, mirror.certificates(certs))

    def _has_other_sizes(self, source: Node, levels: Sequence[int]) -> bool:
        """Whether an array that the operator reads is as large as the nest only by a check: then it
        is read where that holds, in an iteration of the scan."""
        found = shape(source.type)[: len(levels)]
        return tuple(found) != tuple([self.sizes[k] for k in levels])

    def _outside(self) -> list[Node]:
        """The certificates of the nest that are not those of the operator."""
        (y,) = self.loop.yields()
        assert y.operator is not None
        return [cert for cert in self.nest.certs if cert is not y.operator.token]

    def _scan(
        self, mirror: Mirror, builder: NestBuilder, neutral: list[Node], arrays: list[Node]
    ) -> Multiloop:
        """The innermost scan."""
        graph, nest = mirror.graph, self.nest
        (y,) = self.loop.yields()
        assert y.operator is not None
        count = len(arrays)
        token = graph.parameter("here", CERT)
        left = [graph.parameter("acc", extra.type) for extra in neutral]
        right = [graph.parameter("x", row(array.type)) for array in arrays]
        pairs = zip(y.operator.parameters, [*left, *right], strict=True)
        stands: dict[Node, Node] = dict(pairs)
        env = Mirror(graph, mirror)
        env.bind(y.operator.token, token)
        for k, level in enumerate(nest.levels):
            env.bind(level.index, builder.indices[k])
            env.bind(level.body.token, builder.tokens[k])
        for parameter in nest.used:
            source, levels = nest.sources[parameter]
            if source in stands:
                env.bind(parameter, stands[source])
            elif self._has_other_sizes(source, levels):
                indices = [builder.indices[k] for k in levels]
                env.bind(parameter, graph.index(mirror.node(source), *indices, certs=[token]))
            else:
                env.bind(parameter, builder.element(mirror.node(source), levels))
        for read, source in (_reads(nest, y.operator) or {}).items():
            env.bind(read, stands[source])
        operator = Block(token, (*left, *right), (), env.nodes(nest.values.values()))
        elements = [graph.parameter("x", row(array.type)) for array in arrays]
        index = graph.parameter("i", INT)
        here = graph.parameter("here", CERT)
        body = Block(here, (index, *elements), (), streams=(Emit(tuple(elements)),))
        with like(graph, self.loop):
            scan = graph.region(
                Multiloop,
                (count, (Scan(count),)),
                (mirror.node(self.loop.size), *arrays, *neutral),
                (),
                (body, operator),
            )
        return scan


def retyped(graph: Graph, array: Node, sizes: tuple[Node, ...], certs: Sequence[Node]) -> Node:
    """An array with other sizes, dimension by dimension, of as many elements."""
    if tuple(shape(array.type)) == tuple(sizes):
        return array
    if isinstance(array, Rearrange):
        before = tuple([sizes[k] for k in inverse(array.order)])
        return moved(graph, array.order, retyped(graph, array.array, before, certs))
    return graph.reshape(array, *sizes, certs=certs)


def interchange(loop: Multiloop) -> Interchange | None:
    """How a scan of rows, alone in its loop, is a nest of scans; None if it is not."""
    if loop.effectful or len(loop.generators) != 1:
        return None
    (y,) = loop.yields()
    generator = y.generator
    if not generator.gives_each or y.conditional or generator.runs:
        return None
    if y.operator is None or any(value not in loop.elements for value in y.values):
        return None
    nest = _operator_nest(y.operator)
    if nest is None:
        return None
    depth = len(nest.levels)
    first, *others = [tuple(shape(extra.type)[:depth]) for extra in y.extras]
    if any(other != first for other in others):
        return None
    found = tuple([size for size in first if isinstance(size, Node)])
    return Interchange(loop, nest, found) if len(found) == depth else None


def _operator_nest(operator: Block) -> Nest | None:
    """The deepest nest that gives all results of an operator and looks at rows only by element."""
    first = operator.results[0]
    if not isinstance(first, Part) or not isinstance(first.operands[0], Multiloop):
        return None
    inner = first.operands[0]
    keys = []
    for result in operator.results:
        if not isinstance(result, Part) or result.node is not inner:
            return None
        keys.append((inner, result.index))
    if len(set(keys)) < len(keys) or operator.effects:
        return None
    best: Nest | None = None
    for depth in range(1, len(shape(first.type)) + 1):
        nest = find(inner, keys, depth)
        if nest is None:
            break
        if _is_elementwise(nest, operator):
            best = nest
    return best


def _is_elementwise(nest: Nest, operator: Block) -> bool:
    every = tuple(range(len(nest.levels)))
    bound = set(operator.binds)
    for parameter in nest.used:
        source, levels = nest.sources[parameter]
        if source in operator.parameters:
            if levels != every:
                return False
        elif not source.free.isdisjoint(bound):
            return False
    sizes = [level.size for level in nest.levels]
    outside = [*sizes, *[cert for cert in nest.certs if cert is not operator.token]]
    if any(not node.free.isdisjoint(bound) for node in outside):
        return False
    return _reads(nest, operator) is not None


def _reads(nest: Nest, operator: Block) -> dict[Index, Node] | None:
    """The elements that an operator reads by the indices of its maps, with the rows that they are
    of; None if it looks at rows otherwise.

        map(fn i => x[i] + y[i], iota(n))  is  map(+, x, y)
    """
    rows: set[Node] = {*operator.parameters}
    levels: dict[Node, int] = {level.index: k for k, level in enumerate(nest.levels)}
    for parameter, (source, place) in nest.sources.items():
        if isinstance(source, Iota):
            levels[parameter] = place[-1]
    every = [*range(len(nest.levels))]
    found: dict[Index, Node] = {}
    stack = [*nest.values.values()]
    for node in each_once(stack):
        if node in rows:
            return None
        own = isinstance(node, Index) and [levels.get(i) for i in node.indices] == every
        if isinstance(node, Index) and own and node.array in rows:
            found[node] = node.array
        elif not rows.isdisjoint(node.free):
            stack += contents(node)
    return found
