"""A concat of what loops make becomes one loop.

    concat(loop(m) { i => if (c(i)) x <- f(i) }, loop(n) { j => y <- g(j) })
    ->  loop(m + n) { i => if (if i < m then c(i) else True)
                             z <- if i < m then f(i) else g(i - m) }

    concat(loop(m) { i => x <- each of f(i) }, loop(n) { j => y <- g(j) })
    ->  loop(m + n) { i => z <- each of (if i < m then f(i) else [g(i - m)]) }

So whatever goes through the concat joins this loop, and nothing is stored: the loop's stream is
that of one side, and then that of the other. The consumer is the join point of the sides: it is
there once, however many sides there are, and an iteration is of one side, so nothing is computed
twice.
Code for processors goes through one side after the other, with one accumulator and without a test
in the iterations (`cogen.array.loops.split_sides`). Where the sides are arrays of rows, which no
conditional chooses without a copy, there is a loop for each (`cogen.array.fusion.concatenated`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from cogen.array.fusion.concatenated import MOST_COPIED, own_nodes
from cogen.array.fusion.consumption import Consumption
from cogen.array.fusion.dependence import DataFlow
from cogen.array.fusion.inputs import expression, is_expression
from cogen.array.fusion.legal import writes
from cogen.array.fusion.mergedgenerators import part_key, streams_where
from cogen.array.fusion.mergeloops import owner_of
from cogen.array.fusion.mirror import Mirror, captured, ordered_effects
from cogen.array.fusion.nodeplaces import Places, User
from cogen.array.ir.generators import (
    Collect,
    Elements,
    Emit,
    StreamValue,
    When,
    emits,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import BOOL, CERT, INT, Own, Type, array_of, element, rank
from cogen.array.ir.node import (
    Block,
    Concat,
    If,
    Multiloop,
    Node,
    shape,
)


@dataclass(frozen=True, slots=True)
class Side:
    """A part of some concats that stand side by side: an array of each. `producer` is the loop that
    makes them, and is gone afterwards; what it does not make is read by index."""

    arrays: tuple[Node, ...]
    producer: Multiloop | None

    @property
    def size(self) -> Node:
        """In how many iterations the elements are made."""
        return shape(self.arrays[0])[0] if self.producer is None else self.producer.size

    @property
    def condition(self) -> Node | None:
        """What must hold in an iteration that gives an element."""
        return None if self.producer is None else self.producer.yields()[0].condition

    @property
    def spread(self) -> bool:
        """Whether an iteration gives any number of elements."""
        return self.producer is not None and self.producer.body.streams[0].spread

    def value(self, array: Node) -> Node | None:
        """What the producer's body gives for an array; None if it is not the producer's."""
        key = part_key(array)
        if key is None or key[0] is not self.producer:
            return None
        y = owner_of(*key)
        return y.values[key[1] - y.first - y.leads]


class Chained:
    """The loop that makes some concats; a `Replacement` for them, for the loops that make their
    sides and, where it is not known before how many elements there are, for their size."""

    def __init__(self, concats: Sequence[Concat], sides: Sequence[Side]) -> None:
        self.concats = concats
        self.sides = sides
        self.producers = [side.producer for side in sides if side.producer is not None]
        self.spread = any(side.spread for side in sides)
        self.conditional = any(side.condition is not None for side in sides) and not self.spread
        self.counts = self.conditional or self.spread
        """Whether it is known only afterwards how many elements there are."""
        self.size = shape(concats[0])[0]

    @property
    def rule(self) -> str:
        """The name that switches it off."""
        return "chain-streams" if self.spread else "chain"

    def replaces(self) -> list[Node]:
        """The nodes that the loop stands for."""
        return [*self.producers, *self.concats, *([self.size] if self.counts else [])]

    def needs(self) -> Iterable[Node]:
        """What the sides use from outside."""
        found: list[Node] = [side.size for side in self.sides]
        for side in self.sides:
            found += [array for array in side.arrays if side.value(array) is None]
            if side.producer is not None:
                found += [*side.producer.operands, *side.producer.certs, *captured(side.producer)]
        return [*found, *[cert for concat in self.concats for cert in concat.certs]]

    def build(self, mirror: Mirror) -> None:
        """Lets the loop and its arrays stand for the concats."""
        graph = mirror.graph
        saved = graph.at, graph.origin
        graph.at = graph.spans.get(self.concats[0])
        made = [graph.origins.get(node, frozenset()) for node in (*self.producers, *self.concats)]
        graph.origin = frozenset().union(*made)
        loop = self._loop(mirror)
        graph.at, graph.origin = saved
        for producer in self.producers:
            mirror.bind(producer, loop)
        for number, concat in enumerate(self.concats):
            mirror.bind(concat, graph.part(loop, number + self.counts))
        if self.counts:
            mirror.bind(self.size, graph.part(loop, 0))

    def _loop(self, mirror: Mirror) -> Multiloop:
        graph = mirror.graph
        token, index = graph.parameter("here", CERT), graph.parameter("i", INT)
        sizes = mirror.nodes([side.size for side in self.sides])
        total = sizes[0]
        for size in sizes[1:]:
            total = graph.operation("int.add", total, size)
        effects, taken = self._chosen(
            mirror, list(zip(self.sides, sizes, strict=True)), token, index
        )
        streams: tuple[StreamValue, ...] = emits(taken)
        if self.conditional:
            streams = (When(taken[0], Emit(taken[1:])),)
        elif self.spread:
            streams = (Elements(taken[1:]),)
        certs = [cert for node in (*self.concats, *self.producers) for cert in node.certs]
        generators = tuple([Collect(len(stream.taken)) for stream in streams])
        loop = graph.region(
            Multiloop,
            (0, generators),
            [total],
            mirror.certificates(certs),
            (Block(token, (index,), ordered_effects(effects), streams=streams),),
        )
        return loop

    def _chosen(
        self, mirror: Mirror, sides: list[tuple[Side, Node]], token: Node, at: Node
    ) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The effects and values of the iteration `at` of sides, in a block with a token."""
        (side, size), *rest = sides
        if not rest:
            return self._elements(mirror, side, token, at)
        graph = mirror.graph
        inside, beyond = graph.parameter("here", CERT), graph.parameter("here", CERT)
        then = Block(inside, (), *self._elements(mirror, side, inside, at))
        later = graph.operation("int.sub", at, size)
        otherwise = Block(beyond, (), *self._chosen(mirror, rest, beyond, later))
        effectful = bool(then.effects or otherwise.effects)
        test = graph.operation("int.lt", at, size)
        certs = [token] if effectful else []
        region = graph.region(If, (), (test,), certs, (then, otherwise), self._types())
        return ((region,) if effectful else ()), tuple(graph.parts(region))

    def _types(self) -> tuple[Type, ...]:
        own: list[Type] = [element(concat.type) for concat in self.concats]
        if self.spread:
            return (INT, *[array_of(t, Own(0)) for t in own])
        return tuple([BOOL, *own] if self.conditional else own)

    def _elements(
        self, mirror: Mirror, side: Side, token: Node, at: Node
    ) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The effects and values of an iteration of one side; of streams how many there are, and
        arrays of values."""
        graph, producer, env = mirror.graph, side.producer, Mirror(mirror.graph, mirror)
        effects: tuple[Node, ...] = ()
        if producer is not None:
            env.bind(producer.body.token, token)
            env.bind(producer.index, at)
            for array, own in zip(producer.inputs, producer.elements, strict=True):
                env.bind(own, _read(graph, mirror.node(array), token, at))
            effects = env.nodes(producer.body.effects)
        condition = graph.boolean(True) if side.condition is None else env.node(side.condition)
        found: list[Node] = []
        for array in side.arrays:
            value = side.value(array)
            read = _read(graph, mirror.node(array), token, at) if value is None else env.node(value)
            found.append(read)
        if not self.spread:
            return effects, (*([condition] if self.conditional else []), *found)
        if side.spread:
            return effects, (shape(found[0])[0], *found)
        return effects, self._stream(graph, side, condition, found)

    def _stream(
        self, graph: Graph, side: Side, condition: Node, values: Sequence[Node]
    ) -> tuple[Node, ...]:
        """Values, or none where a condition does not hold, as arrays, and how many there are."""
        one = (graph.integer(1), *[graph.literal(v.type, (v,)) for v in values])
        if side.condition is None:
            return one
        return streams_where(graph, condition, one[1:])


def _read(graph: Graph, array: Node, token: Node, at: Node) -> Node:
    """The element of an array at an index that is within bounds where control is."""
    found = expression(graph, array, at)
    return graph.index(array, at, certs=[token]) if found is None else found


def chaineds(places: Places, consumption: Consumption) -> Iterator[Chained]:
    """The concats that may be made by one loop: those that loops go through, and others that loops
    make a side of."""
    flows: dict[Block, DataFlow] = {}
    for loop in places.multiloops:
        if writes(loop):
            continue
        concats = [array for array in dict.fromkeys(loop.inputs) if isinstance(array, Concat)]
        for own in (concats, *[[concat] for concat in concats]):
            found = _chained(places, own) if own else None
            if found is None or not _is_gain(places, consumption, found, loop):
                continue
            block = places.place[loop]
            flow = flows.get(block) or flows.setdefault(block, DataFlow(places, block))
            if consumption.between(found.producers, [loop], flow) is None:
                yield found
                break
    for concat in places.nodes:
        if isinstance(concat, Concat) and not _is_part(places, concat):
            found = _chained(places, [concat])
            if found is not None and _is_made(places, consumption, found):
                yield found


def _is_made(places: Places, consumption: Consumption, found: Chained) -> bool:
    """Whether loops make sides of a concat where it stands, and nothing that they read is
    overwritten."""
    if not found.producers or any(map(consumption.is_contested, found.producers)):
        return False
    block = places.place[found.concats[0]]
    return _are_in(places, found, block) and _may_count(places, consumption, found)


def _is_gain(places: Places, consumption: Consumption, found: Chained, loop: Multiloop) -> bool:
    """Whether a side is made in the loop's own block, or needs no memory, and is not used up by
    what stands between; or the loop makes no arrays, so that there is none with this one."""
    if not _are_in(places, found, places.place[loop]) or not _may_count(places, consumption, found):
        return False
    if found.producers or all(not g.is_fresh for g in loop.generators):
        return True
    return any(is_expression(array) for side in found.sides for array in side.arrays)


def _may_count(places: Places, consumption: Consumption, found: Chained) -> bool:
    """Whether a loop that gives streams is as good for who goes through them: these go into the
    branches that say which side an iteration is of (`cogen.array.fusion.choices`)."""
    if not found.spread:
        return True
    users = [user for concat in found.concats for user in places.uses[concat]]
    loops = [user for user in users if isinstance(user, Multiloop)]
    small = all(own_nodes(loop) <= MOST_COPIED for loop in loops)
    return small and not any(map(consumption.is_contested, [*loops, *found.producers]))


def _are_in(places: Places, found: Chained, block: Block) -> bool:
    """Whether all that a loop stands for is in one block."""
    nodes: list[Node] = [*found.producers, *found.concats]
    return all(places.place[node] is block for node in nodes)


def _chained(places: Places, concats: Sequence[Concat]) -> Chained | None:
    """The loop for concats whose sides are of the same sizes."""
    rows = [_sides(places, concat) for concat in concats]
    first = rows[0]
    if any(rank(concat.type) != 1 for concat in concats):
        return None
    if any(len(row) != len(first) for row in rows):
        return None
    columns = list(zip(*rows, strict=True))
    if any(shape(a)[0] is not shape(column[0])[0] for column in columns for a in column):
        return None
    chain = [node for concat in concats for node in _chain(places, concat)]
    sides = [Side(column, _producer(places, column, chain)) for column in columns]
    producers = [side.producer for side in sides if side.producer is not None]
    if len(set(producers)) < len(producers):
        return None
    found = Chained(concats, sides)
    if found.counts and len({shape(concat)[0] for concat in concats}) > 1:
        return None
    return found


def sides_of(places: Places) -> dict[Node, set[Concat]]:
    """The loops that make sides of concats, and of which.

    Side by side they would be one loop that stores both; so they wait for what becomes of the
    concat.
    """
    found: dict[Node, set[Concat]] = {}
    for concat in places.nodes:
        if not isinstance(concat, Concat) or rank(concat.type) != 1:
            continue
        if _is_part(places, concat):
            continue
        chain = _chain(places, concat)
        for array in _sides(places, concat):
            producer = _producer(places, [array], chain)
            if producer is not None:
                found.setdefault(producer, set()).add(concat)
    return found


def _is_part(places: Places, concat: Concat) -> bool:
    """Whether a concat is there for another one only, or not at all."""
    users = places.uses[concat]
    return not users or (len(users) == 1 and isinstance(users[0], Concat))


def _chain(places: Places, concat: Concat) -> list[Concat]:
    """A concat and those that are there for it only."""
    found = [concat]
    for part in concat.operands:
        if isinstance(part, Concat) and list(places.uses[part]) == [concat]:
            found += _chain(places, part)
    return found


def _sides(places: Places, concat: Concat) -> list[Node]:
    """The arrays that a concat is made of, of those in it as well."""
    chain = set(_chain(places, concat))
    found: list[Node] = []
    stack: list[Node] = [concat]
    while stack:
        node = stack.pop()
        if node in chain:
            stack += reversed(node.operands)
        else:
            found.append(node)
    return found


def _producer(
    places: Places, arrays: Sequence[Node], chain: Collection[Concat]
) -> Multiloop | None:
    """The loop that makes arrays for concats, and nothing else."""
    loops = {key[0]: None for key in map(part_key, arrays) if key is not None}
    if len(loops) != 1:
        return None
    (loop,) = loops
    yields = loop.yields()
    counts = yields[0].leads
    if counts and not all(map(part_key, arrays)):
        return None
    if writes(loop) or len({y.condition for y in yields}) > 1:
        return None
    if not all(y.generator.gives_all for y in yields):
        return None
    if len(yields) > 1 and any(y.spread for y in yields):
        return None
    sizes = {shape(concat)[0] for concat in chain}
    inner = {
        shape(concat)[0] for concat in chain if places.uses[concat] and _is_inner(concat, chain)
    }
    for part in places.parts(loop):
        y = owner_of(loop, part.index)
        is_count = y.leads and part.index == y.first
        users = places.uses[part]
        if not all(_is_of(places, u, sizes) if is_count else u in chain for u in users):
            return None
    if counts and not all(_is_of(places, u, sizes) for size in inner for u in places.uses[size]):
        return None
    return loop


def _is_of(places: Places, user: User, sizes: Collection[Node]) -> bool:
    """Whether what uses a number is one of some sizes, or a sum that is there for these only."""
    if user in sizes:
        return True
    if isinstance(user, Block) or user.operation != "int.add" or user in places.type_uses:
        return False
    users = places.uses[user]
    return bool(users) and all(_is_of(places, other, sizes) for other in users)


def _is_inner(concat: Concat, chain: Collection[Concat]) -> bool:
    return any(concat in other.operands for other in chain)
