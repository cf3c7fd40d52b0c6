"""Reductions of columns -> one reduction of rows, where another loop goes through the rows.

    map(fn (r) => reduce(f, e, r), a), map(fn (c) => reduce(g, e, c), transpose(a))
    ->  map(fn (r) => reduce(f, e, r), a), reduce(map(g), replicate(m, e), a)

Both then are one loop, which reads the matrix once, row by row.  Each column is reduced in the
order it had: nothing is rounded differently.  What is computed of the elements first stays in the
inner loop, and may depend on the column, the row, and elements of other arrays by either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cogen.array.fusion.cost import cost
from cogen.array.fusion.inputs import moved
from cogen.array.fusion.mergedgenerators import part_key
from cogen.array.fusion.mirror import Mirror, captured
from cogen.array.fusion.nodeplaces import Places
from cogen.array.fusion.perfectnests import like, outermost
from cogen.array.ir import node as ir
from cogen.array.ir.generators import (
    Collect,
    Emit,
    StreamValue,
    emits,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT, INT, GraphArray, ScalarType, array_of, rank, row

_SWAPPED = (1, 0)


@dataclass(frozen=True, slots=True)
class OnePass:
    """A loop over columns, which only collects what a loop in it reduces them to; a `Replacement`
    of its parts."""

    loop: ir.Multiloop
    inner: ir.Multiloop
    price: float
    """What is computed of the column alone, and then for each row."""

    def needs(self) -> Iterable[ir.Node]:
        """What both loops use from outside."""
        bound = {*self.loop.body.binds}
        inner = [n for n in (*self.inner.operands, *self.inner.certs) if n.free.isdisjoint(bound)]
        return [*self.loop.operands, *self.loop.certs, *inner, *captured(self.loop)]

    def build(self, mirror: Mirror) -> None:
        """Lets the results of a reduction of rows stand for those of the loop."""
        graph, loop, inner = mirror.graph, self.loop, self.inner
        with like(graph, loop, inner):
            made = self._reduction(mirror)
        for y in loop.yields():
            (value,) = y.values
            assert isinstance(value, ir.Part)
            mirror.bind(graph.part(loop, y.first), graph.part(made, value.index))
        mirror.bind(loop, loop)

    def _reduction(self, mirror: Mirror) -> ir.Multiloop:
        graph, loop, inner = mirror.graph, self.loop, self.inner
        width = mirror.node(loop.size)
        outer = _Level(graph)
        level = _Level(graph)
        env = Mirror(graph, mirror)
        sources = dict(zip(loop.elements, loop.inputs, strict=True))
        for array, element in zip(inner.inputs, inner.elements, strict=True):
            if array in sources:
                rows = _turned(graph, mirror.node(sources[array]))
                env.bind(element, level.element(outer.element(rows)))
            else:
                env.bind(element, outer.element(mirror.node(array)))
        for element, array in sources.items():
            if element not in inner.inputs:
                env.bind(element, level.element(mirror.node(array)))
        env.bind(loop.index, level.index)
        env.bind(inner.index, outer.index)
        env.bind(loop.body.token, level.token)
        env.bind(inner.body.token, level.token)
        values = env.nodes(value for y in inner.yields() for value in y.values)
        taken = iter(level.collected(width, values))
        streams = [Emit(tuple([next(taken) for _ in y.values])) for y in inner.yields()]
        operators = [_by_element(mirror, y, width) for y in inner.yields()]
        neutral = [graph.replicate(width, mirror.node(e)) for y in inner.yields() for e in y.extras]
        certs = [c for c in inner.certs if c.free.isdisjoint(loop.body.binds)]
        made = graph.region(
            ir.Multiloop,
            (len(outer.inputs), tuple([y.generator for y in inner.yields()])),
            (mirror.node(inner.size), *outer.inputs, *neutral),
            mirror.certificates([*loop.certs, *certs]),
            (outer.block(streams), *operators),
        )
        return made


class _Level:
    """A loop in the making, with an input for each array that it is asked for an element of."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.index = graph.parameter("i", INT)
        self.token = graph.parameter("here", CERT)
        self.inputs: dict[ir.Node, ir.Parameter] = {}

    def element(self, array: ir.Node) -> ir.Parameter:
        if array not in self.inputs:
            self.inputs[array] = self.graph.parameter("x", row(array.type))
        return self.inputs[array]

    def block(self, streams: Sequence[StreamValue]) -> ir.Block:
        parameters = (self.index, *self.inputs.values())
        return ir.Block(self.token, parameters, (), streams=tuple(streams))

    def collected(self, size: ir.Node, values: Sequence[ir.Node]) -> list[ir.Node]:
        """The arrays of some values: an input, where they are its elements."""
        inputs: dict[ir.Node, ir.Node] = {element: array for array, element in self.inputs.items()}
        rest = [value for value in dict.fromkeys(values) if value not in inputs]
        found = dict(inputs)
        if rest:
            made = self.graph.region(
                ir.Multiloop,
                (len(self.inputs), (Collect(1),) * len(rest)),
                (size, *self.inputs),
                (),
                (self.block(emits(rest)),),
            )
            found.update(zip(rest, self.graph.parts(made), strict=True))
        return [found[value] for value in values]


def _by_element(mirror: Mirror, y: ir.Yield, width: ir.Node) -> ir.Block:
    """The operator of a reduction, of arrays element by element."""
    graph = mirror.graph
    assert y.operator is not None
    level = _Level(graph)
    rows = [graph.parameter(p.name, array_of(p.type, width)) for p in y.operator.parameters]
    env = Mirror(graph, mirror)
    env.bind(y.operator.token, level.token)
    for parameter, whole in zip(y.operator.parameters, rows, strict=True):
        env.bind(parameter, level.element(whole))
    results = level.collected(width, env.nodes(y.operator.results))
    return ir.Block(graph.parameter("here", CERT), tuple(rows), (), tuple(results))


def _turned(graph: Graph, array: ir.Node) -> ir.Node:
    """The array with its first two dimensions in the other order."""
    return moved(graph, (*_SWAPPED, *range(2, rank(array.type))), array)


def columns(places: Places, loop: ir.Multiloop) -> OnePass | None:
    """How a loop over columns, beside one over rows, is a reduction of rows; None if it is not."""
    if loop.effectful or not loop.generators:
        return None
    inner = _inner(loop)
    if inner is None or not _is_plain(loop, inner):
        return None
    values = [value for y in inner.yields() for value in y.values]
    alone = [n for n in outermost(values, {*inner.body.binds}) if not n.is_bound]
    price = cost(alone, loop.body.binds)
    for array, element in zip(loop.inputs, loop.elements, strict=True):
        if element in inner.inputs and _has_reader(places, loop, inner, array):
            return OnePass(loop, inner, price)
    return None


def _has_reader(places: Places, loop: ir.Multiloop, inner: ir.Multiloop, array: ir.Node) -> bool:
    """Whether an array is a matrix transposed, whose rows another loop makes, or goes through, that
    stands beside a loop."""
    if not isinstance(array, ir.Rearrange) or array.order[:2] != _SWAPPED:
        return False
    matrix = array.array
    others = places.readers(matrix)
    key = part_key(matrix)
    others += [] if key is None else [key[0]]
    return any(
        other is not loop and other.size is inner.size and places.place[other] is places.place[loop]
        for other in others
    )


def _inner(loop: ir.Multiloop) -> ir.Multiloop | None:
    """The loop of whose results each is what a loop collects, in whatever order."""
    found: ir.Multiloop | None = None
    for y in loop.yields():
        if not y.generator.gives_all or not y.one_each:
            return None
        (value,) = y.values
        inner = ir.loop_of(value)
        if inner is None or (found is not None and inner is not found):
            return None
        found = inner
    return found


def _is_plain(loop: ir.Multiloop, inner: ir.Multiloop) -> bool:
    """Whether the inner loop only reduces scalars, and the outer computes nothing but that."""
    bound = {*loop.body.binds}
    if inner.effectful or loop.running or not inner.size.free.isdisjoint(bound):
        return False
    for y in inner.yields():
        if not y.generator.gives_one or y.conditional or y.operator is None:
            return False
        free = y.operator.free.union(*[extra.free for extra in y.extras])
        scalars = all(isinstance(extra.type, ScalarType) for extra in y.extras)
        if not scalars or not free.isdisjoint(bound):
            return False
    rows = [array for array in inner.inputs if not array.free.isdisjoint(bound)]
    if any(array not in loop.elements for array in rows):
        return False
    values = [value for y in inner.yields() for value in y.values]
    used = frozenset().union(*[value.free for value in values])
    whole = [e for e in loop.elements if e in used and isinstance(e.type, GraphArray)]
    return not whole and used.isdisjoint(rows)
