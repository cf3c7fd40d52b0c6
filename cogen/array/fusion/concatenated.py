"""Loops over what a `concat` gives, without the array that it gives.

    loop(m + n) { i => y <- g(concat(a, b)[i]) }
    ->  loop(m) { i => y <- g(a[i]) }; loop(n) { i => y <- g(b[i]) }                     concat

The consumer is copied for each part, so it must be small. This is for what
`cogen.array.fusion.chained` does not make one loop: arrays of rows, and arrays in pieces on several
machines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cogen.array.fusion.inputs import is_expression
from cogen.array.fusion.legal import writes
from cogen.array.fusion.mergedgenerators import applied, is_pure, part_key
from cogen.array.fusion.mirror import Mirror, captured
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir.generators import (
    Collect,
    Scatter,
)
from cogen.array.ir.graphtypes import CERT, INT
from cogen.array.ir.graphwalk import reachable
from cogen.array.ir.node import (
    Block,
    Concat,
    Multiloop,
    Node,
    Part,
    Yield,
    shape,
)

MOST_COPIED: Final = 60
"""The most nodes in the body of a loop that is copied for each part of a concat."""


class LoopsApart:
    """Two loops in place of one over concatenated arrays; a `Replacement` for it."""

    def __init__(self, loop: Multiloop, first: Concat, parts: Sequence[Part]) -> None:
        self.loop = loop
        self.concat = first
        self.parts = parts

    def needs(self) -> Iterable[Node]:
        """What the loop uses, with the parts of its inputs."""
        found = [*self.loop.operands, *self.loop.certs, *captured(self.loop)]
        for array in self.loop.inputs:
            found += [*array.operands, *array.certs]
        return found

    def build(self, mirror: Mirror) -> None:
        """Lets the results of both loops, put together, stand for those of the one."""
        graph, loop = mirror.graph, self.loop
        saved = graph.at, graph.origin
        graph.at, graph.origin = graph.spans.get(loop), graph.origins.get(loop, frozenset())
        zero = graph.integer(0)
        sizes = [shape(mirror.node(part))[0] for part in (self.concat.left, self.concat.right)]
        extras = [mirror.nodes(y.extras) for y in loop.yields()]
        first = self._loop(mirror, 0, zero, sizes[0], extras)
        left = graph.parts(first)
        targets = [
            left[y.first : y.first + len(y.extras)] if y.generator.overwrites else own
            for y, own in zip(loop.yields(), extras, strict=True)
        ]
        second = self._loop(mirror, 1, sizes[0], sizes[1], targets)
        right = graph.parts(second)
        for y in loop.yields():
            places = range(y.first, y.first + y.gives)
            a, b = [left[i] for i in places], [right[i] for i in places]
            made = dict(zip(places, self._together(mirror, y, a, b), strict=True))
            for part in self.parts:
                if part.index in made:
                    mirror.bind(part, made[part.index])
        mirror.bind(loop, second)
        mirror.before[loop] = (first,)
        graph.at, graph.origin = saved

    def _loop(
        self, mirror: Mirror, side: int, start: Node, size: Node, extras: Sequence[Sequence[Node]]
    ) -> Multiloop:
        """The loop over one side."""
        graph, loop = mirror.graph, self.loop
        arrays = [self._side(mirror, array, side, start, size) for array in loop.inputs]
        env = Mirror(graph, mirror)
        token, index = graph.parameter("here", CERT), graph.parameter("i", INT)
        elements = [
            graph.parameter(old.name, mirror.type(old.type), old.unique) for old in loop.elements
        ]
        env.bind(loop.body.token, token)
        env.bind(loop.index, graph.operation("int.add", index, start))
        for old, new in zip(loop.elements, elements, strict=True):
            env.bind(old, new)
        effects, streams = env.nodes(loop.body.effects), env.streams(loop.body.streams)
        body = Block(token, (index, *elements), effects, streams=streams)
        operators = [
            Mirror(graph, mirror).block(y.operator) for y in loop.yields() if y.operator is not None
        ]
        made = graph.region(
            Multiloop,
            (len(arrays), loop.generators),
            [size, *arrays, *[extra for own in extras for extra in own]],
            mirror.certificates(loop.certs),
            (body, *operators),
        )
        if loop in graph.standing:
            graph.standing.add(made)
        return made

    def _side(self, mirror: Mirror, array: Node, side: int, start: Node, size: Node) -> Node:
        """One side of an input."""
        if isinstance(array, Concat):
            return mirror.node(array.operands[side])
        return mirror.graph.slice(
            mirror.node(array), start, size, mirror.certificates(self.concat.certs)
        )

    def _together(
        self, mirror: Mirror, y: Yield, a: Sequence[Node], b: Sequence[Node]
    ) -> Sequence[Node]:
        """The results of a generator from those of both loops."""
        graph = mirror.graph
        if y.generator.overwrites:
            return b
        if y.generator.gives_one:
            assert y.operator is not None
            return applied(mirror, y.operator, (*a, *b))
        if not y.leads:
            return [graph.concat(*pair) for pair in zip(a, b, strict=True)]
        count = graph.operation("int.add", a[0], b[0])
        return [count, *[graph.concat(*pair) for pair in zip(a[1:], b[1:], strict=True)]]


def aparts(places: Places) -> Iterator[LoopsApart]:
    """The loops over concatenated arrays that may become two."""
    for loop in places.multiloops:
        if writes(loop):
            continue
        concats = [array for array in loop.inputs if isinstance(array, Concat)]
        if concats and _may_fall_apart(places, loop, concats):
            yield LoopsApart(loop, concats[0], places.parts(loop))


def _may_fall_apart(places: Places, loop: Multiloop, concats: Sequence[Concat]) -> bool:
    first = concats[0]
    if any(shape(concat.left)[0] is not shape(first.left)[0] for concat in concats):
        return False
    if any(list(places.uses[concat]) != [loop] or concat in places.type_uses for concat in concats):
        return False
    if any(part_key(array) is not None for array in loop.inputs):
        return False
    if not all(_is_divisible(y) for y in loop.yields()):
        return False
    gains = all(not g.is_fresh for g in loop.generators) or any(
        part_key(part) is not None or is_expression(part)
        for concat in concats
        for part in concat.operands
    )
    return gains and own_nodes(loop) <= MOST_COPIED


def own_nodes(loop: Multiloop) -> int:
    """How many nodes an iteration of a loop computes."""
    inside = reachable([*loop.body.results, *loop.body.effects])
    return sum([not node.free.isdisjoint(loop.body.binds) for node in inside])


def _is_divisible(y: Yield) -> bool:
    if y.generator.gives_one:
        assert y.operator is not None
        return is_pure(y.operator)
    return isinstance(y.generator, (Collect, Scatter)) and not y.running
