"""Loops over what a `flatMap` or a `concat` gives, without the array that it gives.

    loop(n) { i => x <- each of f(i) },  loop(x.size) { j => y <- g(x[j]) }
    ->  loop(n) { i => loop(f(i).size) { j => y <- g(f(i)[j]) } }                        each

    loop(m + n) { i => y <- g(concat(a, b)[i]) }
    ->  loop(m) { i => y <- g(a[i]) }; loop(n) { i => y <- g(b[i]) }                     concat

The first is the vertical rule with loops as context (Rompf 2013, figure "Loop fusion"): the inner
loop gives what the generators of the outer one combine: a reduction what it is reduced to in this
iteration, all else arrays. A consumer of `concat` is copied for each part, so it must be small.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cogen.array.fusion.consumption import Consumption, roots
from cogen.array.fusion.dependence import DataFlow
from cogen.array.fusion.inputs import is_expression
from cogen.array.fusion.legal import writes
from cogen.array.fusion.mergedgenerators import Made, addition, part_key
from cogen.array.fusion.mergeloops import Merge, live_results, owner_of
from cogen.array.fusion.mirror import Mirror, captured
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT, INT, rank
from cogen.array.ir.graphwalk import reachable
from cogen.array.ir.node import (
    Block,
    Bucket,
    Collect,
    Concat,
    Generator,
    Multiloop,
    Node,
    Parameter,
    Part,
    Reduce,
    Scatter,
    Yield,
    grows,
    is_numbered,
    shape,
)

MOST_COPIED: Final = 60
"""The most nodes in the body of a loop that is copied for each part of a concat."""


# flatMap


class Each(Merge):
    """The loop that collects streams, with a loop over its results within; a `Replacement`."""

    def __init__(self, places: Places, producer: Multiloop, consumer: Multiloop) -> None:
        members = [producer, consumer]
        super().__init__(members, live_results(places, members), producer.size)
        self.consumer = consumer

    def _add(self, mirror: Mirror, member: Multiloop, token: Parameter, index: Parameter) -> None:
        if member is not self.consumer:
            super()._add(mirror, member, token, index)
            return
        graph = mirror.graph
        keys = [key for key in map(part_key, member.inputs) if key is not None]
        source = self._produced[keys[0]]
        arrays = [source.taken[source.values.index(key)] for key in keys]
        inner = self._inner(graph, mirror, member, arrays, token)
        at = 0
        for y in member.yields():
            gives = sum([generator.gives for generator in _inner_generators(y)])
            parts = [graph.part(inner, at + i) for i in range(gives)]
            at += len(parts)
            made = self._made_of(graph, mirror, member, y, parts)
            made.condition = source.condition
            conditional = source.condition is not None
            made.generator = dataclasses.replace(made.generator, conditional=conditional)
            if isinstance(y.generator, Collect) and y.generator.one_each:
                made.count, source.count = source.count or made.count, None
            self._made.append(made)
        if source.count in self._live and self._live.isdisjoint(source.values):
            self._made.append(_total(graph, source, shape(arrays[0])[0]))
            source.count = None

    def _inner(
        self,
        graph: Graph,
        mirror: Mirror,
        member: Multiloop,
        arrays: Sequence[Node],
        token: Parameter,
    ) -> Multiloop:
        """The loop over what one iteration gives."""
        body = Mirror(graph, mirror).block(member.body)
        yields = member.yields()
        kept = [y for y in yields if not isinstance(y.generator, SPREAD)]
        operators = [
            Mirror(graph, mirror).block(y.operator) for y in kept if y.operator is not None
        ]
        extras = [mirror.node(extra) for y in kept for extra in y.extras]
        inner = graph.make(
            Multiloop,
            (len(arrays), tuple([g for y in yields for g in _inner_generators(y)])),
            [shape(arrays[0])[0], *arrays, *extras],
            [token] if body.effects else [],
            (body, *operators),
        )
        assert isinstance(inner, Multiloop)
        if body.effects:
            graph.standing.add(inner)
            self._effects.append(inner)
        return inner

    def _made_of(
        self, graph: Graph, mirror: Mirror, member: Multiloop, y: Yield, parts: list[Node]
    ) -> Made:
        """A generator of the outer loop that takes what the inner one gives."""
        first = y.first + y.generator.leads
        values = [(member, first + i) for i in range(y.generator.arrays)]
        count = (member, y.first) if y.generator.leads else None
        if isinstance(y.generator, Reduce):
            assert y.operator is not None
            extras = [mirror.node(extra) for extra in y.extras]
            operator = Mirror(graph, mirror).block(y.operator)
            generator: Generator = Reduce(len(parts))
            return Made(generator, None, values, extras, operator, (), False, taken=tuple(parts))
        if isinstance(y.generator, SPREAD):
            return self._spread(graph, mirror, y, count, values, parts)
        arrays = tuple(parts[y.generator.leads :])
        return Made(
            Collect(len(arrays), spread=True), count, values, [], None, (), False, taken=arrays
        )

    def _spread(
        self,
        graph: Graph,
        mirror: Mirror,
        y: Yield,
        count: tuple[Multiloop, int] | None,
        values: list[tuple[Multiloop, int]],
        parts: list[Node],
    ) -> Made:
        """A generator by key that takes the arrays of keys and values of the inner loop."""
        arrays = parts[1:] if y.condition is not None else parts
        assert isinstance(y.generator, SPREAD)
        generator: Generator = dataclasses.replace(y.generator, spread=True)
        if is_numbered(generator):  # nothing needs the numbers
            generator, values = dataclasses.replace(generator, numbered=False), values[:-1]
        return Made(
            generator, count, values,
            [mirror.node(extra) for extra in y.extras],
            None if y.operator is None else Mirror(graph, mirror).block(y.operator),
            (), False, by=tuple(arrays[: generator.keys]), taken=tuple(arrays[generator.keys :]),
        )  # fmt: skip


SPREAD: Final = (Bucket, Scatter)
"""Generators by key: in the inner loop their keys and values are collected."""


def _inner_generators(y: Yield) -> list[Generator]:
    """What a generator is in the loop over what one iteration gives."""
    if not isinstance(y.generator, SPREAD):
        return [y.generator]
    count = y.generator.keys + y.generator.values
    if y.condition is not None:
        return [Collect(count, conditional=True)]
    return [Collect(1)] * count


def _total(graph: Graph, source: Made, size: Node) -> Made:
    """How many elements a spread Collect gives, without it."""
    assert source.count is not None
    condition = source.condition
    return Made(
        Reduce(1, conditional=condition is not None), None, [source.count], [graph.integer(0)],
        addition(graph), (), False, condition, taken=(size,),
    )  # fmt: skip


def eaches(places: Places, consumption: Consumption) -> Iterator[Each]:
    """The loops over what a flatMap gives that may go into its loop."""
    flows: dict[Block, DataFlow] = {}
    for consumer in places.nodes:
        if not isinstance(consumer, Multiloop) or not consumer.inputs:
            continue
        keys = [part_key(array) for array in consumer.inputs]
        key = keys[0]
        if key is None or any(other is None or other[0] is not key[0] for other in keys):
            continue
        producer = key[0]
        block = places.place[consumer]
        if places.place[producer] is not block:
            continue
        flow = flows.get(block) or flows.setdefault(block, DataFlow(places, block))
        if _may_go_into(places, consumption, flow, producer, consumer):
            yield Each(places, producer, consumer)


def _may_go_into(
    places: Places,
    consumption: Consumption,
    flow: DataFlow,
    producer: Multiloop,
    consumer: Multiloop,
) -> bool:
    keys = [key for key in map(part_key, consumer.inputs) if key is not None]
    y = owner_of(producer, keys[0][1])
    if not grows(y.generator) or any(owner_of(*key).first != y.first for key in keys):
        return False
    if places.uses.get(consumer.index) or writes(producer) or writes(consumer):
        return False
    if y.condition is not None and consumer.effectful:
        return False
    if not all(_may_be_inside(places, producer, consumer, other) for other in consumer.yields()):
        return False
    if any(rank(n.type) for other in consumer.yields() for n in _collected(other)):
        return False
    if not _only_elements(places, producer, y, consumer):
        return False
    if flow.obstacle(producer, consumer) is not None:
        return False
    return consumption.between([producer], [consumer], flow) is None


def _collected(y: Yield) -> Sequence[Node]:
    """What becomes elements of arrays."""
    return y.taken if isinstance(y.generator, (Collect, *SPREAD)) else ()


def _may_be_inside(places: Places, producer: Multiloop, consumer: Multiloop, y: Yield) -> bool:
    """Whether a generator of the consumer can take what one iteration of the producer gives."""
    match y.generator:
        case Collect() | Reduce():
            return True
        case Bucket(spread=False, collects=False, numbered=False):
            return True
        case Scatter(spread=False):
            targets = {root for target in y.extras for root in roots(target)}
            read = [*captured(producer), *producer.operands]
            return all(targets.isdisjoint(roots(n)) for n in read if rank(n.type))
        case Bucket(spread=False, collects=False):
            numbers = y.first + y.generator.gives - 1
            return all(part.index != numbers for part in places.parts(consumer))
    return False


def _only_elements(places: Places, producer: Multiloop, y: Yield, consumer: Multiloop) -> bool:
    """Whether a loop uses collected streams as its inputs and its size only."""
    for part in places.parts(producer):
        users = [user for user in places.uses[part] if _within(places, user, consumer)]
        if not users:
            continue
        if not y.first <= part.index < y.first + y.generator.gives:
            return False
        if any(user is not consumer for user in users):
            return False
        others = consumer.operands[1 + len(consumer.inputs) :]
        if part in others or part in consumer.certs:
            return False
    return True


def _within(places: Places, user: Node | Block, loop: Multiloop) -> bool:
    block = user if isinstance(user, Block) else places.place[user]
    return user is loop or any(owner is loop for owner, _ in places.path(block))


# concat


class Apart:
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
            left[y.first : y.first + len(y.extras)] if isinstance(y.generator, Scatter) else own
            for y, own in zip(loop.yields(), extras, strict=True)
        ]
        second = self._loop(mirror, 1, sizes[0], sizes[1], targets)
        right = graph.parts(second)
        for y in loop.yields():
            places = range(y.first, y.first + y.generator.gives)
            a, b = [left[i] for i in places], [right[i] for i in places]
            made = dict(zip(places, self._together(mirror, y, a, b), strict=True))
            for part in self.parts:
                if part.index in made:
                    mirror.bind(part, made[part.index])
        mirror.bind(loop, second)
        mirror.before[loop] = (first,)
        graph.at, graph.origin = saved

    def _loop(
        self,
        mirror: Mirror,
        side: int,
        start: Node,
        size: Node,
        extras: Sequence[Sequence[Node]],
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
        effects, results = env.nodes(loop.body.effects), env.nodes(loop.body.results)
        body = Block(token, (index, *elements), effects, results)
        operators = [
            Mirror(graph, mirror).block(y.operator) for y in loop.yields() if y.operator is not None
        ]
        made = graph.make(
            Multiloop,
            (len(arrays), loop.generators),
            [size, *arrays, *[extra for own in extras for extra in own]],
            mirror.certificates(loop.certs),
            (body, *operators),
        )
        assert isinstance(made, Multiloop)
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
        if isinstance(y.generator, Scatter):
            return b
        if isinstance(y.generator, Reduce):
            assert y.operator is not None
            env = Mirror(graph, mirror)
            for old, new in zip(y.operator.parameters, (*a, *b), strict=True):
                env.bind(old, new)
            env.bind(y.operator.token, graph.checked)
            return env.nodes(y.operator.results)
        if not y.generator.leads:
            return [graph.concat(*pair) for pair in zip(a, b, strict=True)]
        count = graph.operation("int.add", a[0], b[0])
        return [count, *[graph.concat(*pair) for pair in zip(a[1:], b[1:], strict=True)]]


def aparts(places: Places) -> Iterator[Apart]:
    """The loops over concatenated arrays that may become two."""
    for loop in places.nodes:
        if not isinstance(loop, Multiloop) or writes(loop):
            continue
        concats = [array for array in loop.inputs if isinstance(array, Concat)]
        if concats and _may_fall_apart(places, loop, concats):
            yield Apart(loop, concats[0], places.parts(loop))


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
    gains = all(isinstance(g, (Reduce, Scatter)) for g in loop.generators) or any(
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
    if isinstance(y.generator, Reduce):
        assert y.operator is not None
        results = y.operator.results
        return not y.operator.effects and all(y.operator.token not in r.free for r in results)
    return isinstance(y.generator, (Collect, Scatter)) and not y.running
