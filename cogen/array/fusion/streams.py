"""Loops over what a `flatMap` gives, without the array that it gives.

    loop(n) { i => x <- each of f(i) },  loop(x.size) { j => y <- g(x[j]) }
    ->  loop(n) { i => loop(f(i).size) { j => y <- g(f(i)[j]) } }                        each

This is the vertical rule with loops as context (Rompf 2013, figure "Loop fusion"): the inner loop
gives what the generators of the outer one combine: a reduction what it is reduced to in this
iteration, all else arrays. What depends on all elements before, a scan or the position j, goes on
from what an exclusive scan of the outer loop has of earlier iterations:

    loop(n) { i => x <- each of f(i) },  loop(x.size) { j => y <- g(j, scan(+, x)[j]) }
    ->  loop(n) { i => before, sum <- f(i).size, sum(f(i)) of earlier iterations;
                       loop(f(i).size) { j => y <- g(before + j, sum + scan(+, f(i))[j]) } }
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from cogen.array.fusion.consumption import Consumption, roots
from cogen.array.fusion.dependence import DataFlow
from cogen.array.fusion.legal import writes
from cogen.array.fusion.mergedgenerators import (
    MadeGenerators,
    addition,
    applied,
    is_pure,
    may_run,
    part_key,
)
from cogen.array.fusion.mergeloops import Merge, live_results, owner_of
from cogen.array.fusion.mirror import Mirror, captured
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir import generators
from cogen.array.ir import node as ir
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT, INT, rank
from cogen.array.ir.graphwalk import reachable


class Each(Merge):
    """The loop that collects streams, with a loop over its results within; a `Replacement`."""

    def __init__(
        self, places: Places, flow: DataFlow, producer: ir.Multiloop, consumer: ir.Multiloop
    ) -> None:
        members = [producer, consumer]
        super().__init__(members, live_results(places, members), producer.size)
        self.flow = flow
        self.consumer = consumer
        self.counts = bool(places.uses.get(consumer.index))
        """Whether the consumer needs to know how many elements came before."""

    def take(self) -> None:
        """From now on both are one, for others that may go into each other."""
        self.flow.join(*self.members)

    def _add(
        self, mirror: Mirror, member: ir.Multiloop, token: ir.Parameter, index: ir.Parameter
    ) -> None:
        if member is not self.consumer:
            super()._add(mirror, member, token, index)
            return
        graph = mirror.graph
        keys = [key for key in map(part_key, member.inputs) if key is not None]
        source = self._produced[keys[0]]
        arrays = [source.taken[source.values.index(key)] for key in keys]
        inside = self._inside(graph, mirror, member, ir.shape(arrays[0])[0])
        inner = self._inner(graph, mirror, member, arrays, token, inside)
        at = 0
        for own in inside.yields:
            gives = sum([one.gives for one in own.taking])
            parts = [graph.part(inner, at + i) for i in range(gives)]
            at += gives
            if own.goes_on is not None:
                count = len(own.goes_on.running)
                own.goes_on.stream, parts = generators.Emit(tuple(parts[:count])), parts[count:]
            if own.yielded.gives:
                self._made.append(self._outside(graph, mirror, member, own.yielded, source, parts))
        if source.count in self._live and self._live.isdisjoint(source.values):
            self._made.append(_total(graph, source, ir.shape(arrays[0])[0]))
            source.count = None

    def _inside(self, graph: Graph, mirror: Mirror, member: ir.Multiloop, size: ir.Node) -> _Inside:
        """What the consumer is in the loop over one iteration's elements, `size` of them."""
        env = Mirror(graph, mirror)
        token, index = graph.parameter("here", CERT), graph.parameter(member.index.name, INT)
        elements = [
            graph.parameter(old.name, mirror.type(old.type), old.unique) for old in member.elements
        ]
        env.bind(member.body.token, token)
        env.bind(member.index, index)
        if self.counts:
            counted = self._before(graph, [graph.integer(0)], addition(graph))
            counted.stream = generators.Emit((size,))
            env.bind(member.index, graph.operation("int.add", counted.running[0], index))
        for old, new in zip(member.elements, elements, strict=True):
            env.bind(old, new)
        found = _Inside(token, [index, *elements], (), [])
        for y in member.yields():
            own = found.scan(mirror, env, y, self._before) if y.generator.gives_each else None
            found.yields.append(own or _Own(y))
        found.effects = env.nodes(member.body.effects)
        for own in found.yields:
            own.take(mirror, env)
        return found

    def _before(self, graph: Graph, neutral: list[ir.Node], operator: ir.Block) -> MadeGenerators:
        """A scan of the outer loop that has what earlier iterations came to; what it takes is to be
        said."""
        running = tuple([graph.parameter("before", node.type) for node in neutral])
        generator = generators.Scan(len(neutral), running=True, stored=False, exclusive=True)
        made = MadeGenerators(generator, None, [], neutral, operator, running, True)
        self._made.append(made)
        return made

    def _inner(
        self,
        graph: Graph,
        mirror: Mirror,
        member: ir.Multiloop,
        arrays: Sequence[ir.Node],
        token: ir.Parameter,
        inside: _Inside,
    ) -> ir.Multiloop:
        """The loop over what one iteration gives."""
        taking = [one for own in inside.yields for one in own.taking]
        streams = tuple([one.stream for one in taking])
        body = ir.Block(inside.token, tuple(inside.parameters), inside.effects, streams=streams)
        inner = graph.region(
            ir.Multiloop,
            (len(arrays), tuple([one.generator for one in taking])),
            [ir.shape(arrays[0])[0], *arrays, *[extra for one in taking for extra in one.extras]],
            [token] if body.effects else [],
            (body, *[one.operator for one in taking if one.operator is not None]),
        )
        if body.effects:
            graph.standing.add(inner)
            self._effects.append(inner)
        return inner

    def _outside(
        self,
        graph: Graph,
        mirror: Mirror,
        member: ir.Multiloop,
        y: ir.Yield,
        source: MadeGenerators,
        parts: list[ir.Node],
    ) -> MadeGenerators:
        """A generator of the outer loop that takes what those of the inner one give for `y`."""
        first = y.first + y.leads
        values = [(member, first + i) for i in range(y.arrays)]
        total = values.pop() if generators.groups(y.generator) and y.totals else None
        count = (member, y.first) if y.leads else None
        extras = [mirror.node(extra) for extra in y.extras]
        operator = None if y.operator is None else Mirror(graph, mirror).block(y.operator)
        generator: generators.Generator
        stream: generators.StreamValue
        if y.generator.gives_one:
            generator, stream = generators.Reduce(len(parts)), generators.Emit(tuple(parts))
        elif isinstance(y.generator, SPREAD):
            arrays = parts[1:] if y.condition is not None else parts
            generator, stream = y.generator, generators.Elements(tuple(arrays))
            if generators.is_numbered(generator):  # nothing needs the numbers
                generator, values = dataclasses.replace(generator, numbered=False), values[:-1]
            if (
                generators.groups(generator)
                and total is None
                and self._live.isdisjoint(source.values)
            ):
                total, source.count = source.count, None
        else:
            stream = generators.Elements(tuple(parts[y.leads :]))
            generator, extras, operator = generators.Collect(len(stream.taken)), [], None
            if y.one_each:
                count, source.count = source.count or count, None
        return MadeGenerators(
            generator, count, values, extras, operator, (), False, stream, total=total
        )


@dataclasses.dataclass(slots=True)
class _Taking(generators.TakesStream):
    """A generator of the inner loop."""

    generator: generators.Generator
    stream: generators.StreamValue
    extras: Sequence[ir.Node] = ()
    operator: ir.Block | None = None


@dataclasses.dataclass(slots=True)
class _Own:
    """What a generator of the consumer is in the inner loop."""

    yielded: ir.Yield
    scanned: Sequence[ir.Node] = ()
    """Of a scan: what it has accumulated, of earlier iterations of the outer loop too."""
    goes_on: MadeGenerators | None = None
    """Of a scan: the one of the outer loop, which takes what the inner one comes to."""
    taking: list[_Taking] = dataclasses.field(default_factory=list)

    def take(self, mirror: Mirror, env: Mirror) -> None:
        """The generators of the inner loop; what they take is copied by `env`."""
        y = self.yielded
        (stream,) = env.streams([y.stream])
        if isinstance(y.generator, SPREAD):  # their keys and values are collected
            if y.conditional:
                self.taking = [_Taking(generators.Collect(len(stream.taken)), stream)]
            else:
                self.taking = [
                    _Taking(generators.Collect(1), own) for own in generators.emits(stream.taken)
                ]
            return
        extras = [mirror.node(extra) for extra in y.extras]

        def operator() -> ir.Block | None:
            return None if y.operator is None else Mirror(mirror.graph, mirror).block(y.operator)

        if not isinstance(y.generator, generators.Scan):
            self.taking = [_Taking(y.generator, stream, extras, operator())]
            return
        run = dataclasses.replace(y.generator, running=True, stored=False)
        self.taking = [
            _Taking(run, stream, extras, operator()),
            _Taking(generators.Reduce(len(stream.taken)), stream, extras, operator()),
        ]
        if y.generator.stored:
            self.taking += [
                _Taking(generators.Collect(1), own) for own in generators.emits(self.scanned)
            ]


@dataclasses.dataclass(slots=True)
class _Inside:
    """The body of the inner loop, and what the consumer's generators are in it."""

    token: ir.Parameter
    parameters: list[ir.Parameter]
    effects: tuple[ir.Node, ...]
    yields: list[_Own]

    def scan(
        self,
        mirror: Mirror,
        env: Mirror,
        y: ir.Yield,
        before: Callable[[Graph, list[ir.Node], ir.Block], MadeGenerators],
    ) -> _Own:
        """A scan, which goes on from one of the outer loop."""
        graph = mirror.graph
        assert y.operator is not None
        neutral = [mirror.node(extra) for extra in y.extras]
        goes_on = before(graph, neutral, Mirror(graph, mirror).block(y.operator))
        running = [graph.parameter("so_far", node.type) for node in neutral]
        self.parameters += running
        scanned = applied(mirror, y.operator, (*goes_on.running, *running))
        for old, new in zip(y.running, scanned, strict=False):
            env.bind(old, new)
        return _Own(y, scanned, goes_on)


MOST_NESTED: Final = 5
"""How deeply loops are nested that come of streams of streams: nests are built again and again."""

SPREAD: Final = (generators.Bucket, generators.Scatter)
"""Generators by key: in the inner loop their keys and values are collected."""


def _total(graph: Graph, source: MadeGenerators, size: ir.Node) -> MadeGenerators:
    """How many elements a Collect of streams gives, without it."""
    assert source.count is not None
    return MadeGenerators(
        generators.Reduce(1), None, [source.count], [graph.integer(0)], addition(graph), (), False,
        generators.Emit((size,)),
    )  # fmt: skip


def eaches(places: Places, consumption: Consumption) -> Iterator[Each]:
    """The loops over what a flatMap gives that may go into its loop."""
    flows: dict[ir.Block, DataFlow] = {}
    for consumer in reversed([*places.multiloops]):  # what is nested is not gone into once more
        if not consumer.inputs:
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
            yield Each(places, flow, producer, consumer)


def _may_go_into(
    places: Places,
    consumption: Consumption,
    flow: DataFlow,
    producer: ir.Multiloop,
    consumer: ir.Multiloop,
) -> bool:
    keys = [key for key in map(part_key, consumer.inputs) if key is not None]
    y = owner_of(producer, keys[0][1])
    if not generators.grows(y) or any(owner_of(*key).first != y.first for key in keys):
        return False
    if writes(producer) or writes(consumer):
        return False
    if not all(_may_be_inside(places, producer, consumer, other) for other in consumer.yields()):
        return False
    if any(rank(n.type) for other in consumer.yields() for n in _collected(other)):
        return False
    if not _only_elements(places, producer, y, consumer):
        return False
    if _depth(producer) + _depth(consumer) > MOST_NESTED:
        return False
    if flow.obstacle(producer, consumer) is not None:
        return False
    return consumption.between([producer], [consumer], flow) is None


def _depth(loop: ir.Multiloop) -> int:
    """How deeply loops are nested, at least one."""
    found = 0
    waiting: list[tuple[ir.Node, int]] = [(loop, 1)]
    seen: set[tuple[ir.Node, int]] = set()
    while waiting and found <= MOST_NESTED:
        node, depth = waiting.pop()
        if (node, depth) in seen:
            continue
        seen.add((node, depth))
        found = max(found, depth if isinstance(node, ir.Multiloop) else 0)
        for block in node.blocks:
            waiting += [
                (inner, depth + isinstance(inner, ir.Multiloop))
                for inner in reachable([*block.results, *block.effects])
                if inner.blocks and not inner.free.isdisjoint(block.binds)
            ]
    return found


def _collected(y: ir.Yield) -> Sequence[ir.Node]:
    """What becomes elements of arrays."""
    return (
        y.taken
        if isinstance(y.generator, (generators.Collect, *SPREAD)) and not generators.grows(y)
        else ()
    )


def _may_be_inside(
    places: Places, producer: ir.Multiloop, consumer: ir.Multiloop, y: ir.Yield
) -> bool:
    """Whether a generator of the consumer can take what one iteration of the producer gives."""
    match y.generator:
        case generators.Collect() | generators.Reduce():
            return True
        case generators.Scan():
            return y.condition is None and may_run(y) and _is_pure(y)
        case generators.Bucket(numbered=False) if not y.spread:
            return True
        case generators.Scatter() if not y.spread:
            targets = {root for target in y.extras for root in roots(target)}
            read = [*captured(producer), *producer.operands]
            return all(targets.isdisjoint(roots(n)) for n in read if rank(n.type))
        case generators.Bucket(collects=False) if not y.spread:
            numbers = y.first + y.gives - 1
            return all(part.index != numbers for part in places.parts(consumer))
    return False


def _is_pure(y: ir.Yield) -> bool:
    return y.operator is not None and is_pure(y.operator)


def _only_elements(
    places: Places, producer: ir.Multiloop, y: ir.Yield, consumer: ir.Multiloop
) -> bool:
    """Whether a loop uses collected streams as its inputs and its size only."""
    for part in places.parts(producer):
        users = [user for user in places.uses[part] if _within(places, user, consumer)]
        if not users:
            continue
        if not y.first <= part.index < y.first + y.gives:
            return False
        if any(user is not consumer for user in users):
            return False
        others = consumer.operands[1 + len(consumer.inputs) :]
        if part in others or part in consumer.certs:
            return False
    return True


def _within(places: Places, user: ir.Node | ir.Block, loop: ir.Multiloop) -> bool:
    block = user if isinstance(user, ir.Block) else places.place[user]
    return user is loop or any(owner is loop for owner, _ in places.path(block))
