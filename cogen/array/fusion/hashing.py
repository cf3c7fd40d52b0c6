"""What is found by the numbers that a loop gives to different keys is found by key.

    keys, numbers = hashed Bucket of k(i);  b = Bucket of numbers[i], f(i), for as many keys
    ->  keys, b = hashed Bucket of k(i), f(i)

So `groupBy` with a key that is any tuple of scalars, followed by reductions of its groups (which
`group-reduce` has made reductions by number), is one loop with one table (Rompf 2013, on
bucketReduce), and so are groups that are needed themselves. All reductions by the same key share
it: their accumulators are one. If numbers are needed otherwise, the table gives them as well. Keys
stay in the order in which they first occur.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from cogen.array.fusion.consumption import Consumption
from cogen.array.fusion.dependence import DataFlow
from cogen.array.fusion.legal import writes
from cogen.array.fusion.mergedgenerators import MadeGenerators, part_key, together
from cogen.array.fusion.mergeloops import Merge, live_results, owner_of
from cogen.array.fusion.mirror import Mirror
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir import generators
from cogen.array.ir import node as ir
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT, ScalarType
from cogen.array.rules.groups import is_next


class HashedBuckets(Merge):
    """The loop that numbers keys, and the one with buckets by number, as one loop."""

    def __init__(
        self,
        places: Places,
        flow: DataFlow,
        numbering: ir.Multiloop,
        y: ir.Yield,
        reducing: ir.Multiloop,
    ) -> None:
        members = [numbering, reducing]
        super().__init__(members, live_results(places, members), numbering.size)
        self.flow = flow
        self.numbering = numbering
        self.reducing = reducing
        self.first = y.first
        self.numbers = (numbering, y.first + y.gives - 1)

    def take(self) -> None:
        """From now on both are one, for others that may become one."""
        self.flow.join(*self.members)

    def needs(self) -> Iterable[ir.Node]:
        """What the loops use from outside; how many keys there are is known at the end."""
        bounds = set(_bounds(self.reducing, self.numbering, self.first))
        return [node for node in super().needs() if node not in bounds]

    def _element(self, key: tuple[ir.Multiloop, int]) -> ir.Node:
        """The number of an iteration's key stands for nothing: it is not looked at any more."""
        if key == self.numbers:
            return self._number
        return super()._element(key)

    def _add(
        self, mirror: Mirror, member: ir.Multiloop, token: ir.Parameter, index: ir.Parameter
    ) -> None:
        if member is self.reducing:
            self._number = mirror.graph.parameter("number", INT)
        super()._add(mirror, member, token, index)
        if member is self.reducing:
            self._share(mirror.graph)

    def _extras(self, mirror: Mirror, y: ir.Yield) -> list[ir.Node]:
        """Of a table, only the neutral values: how many keys there are is known at the end."""
        counts = _counts_keys(y, self.numbering, self.first)
        return list(mirror.nodes(y.neutral)) if counts else super()._extras(mirror, y)

    def _share(self, graph: Graph) -> None:
        """Make one table of all that is reduced, with the keys that the numbers were given to, and
        one of all that is collected, with which the keys come if nothing else gives them."""
        (source,) = [made for made in self._made if made.count == (self.numbering, self.first)]
        tables = [made for made in self._made if made.by == (self._number,)]
        reduced = [own for own in tables if not generators.groups(own.generator)]
        collected = [own for own in tables if generators.groups(own.generator)]
        made: list[MadeGenerators] = []
        if reduced or source.taken or self.numbers in self._live:
            made.append(self._reduced(graph, source, reduced))
        for own in collected:
            made.append(self._collected(source, own, with_keys=not made))
        self._made = [*[other for other in self._made if other not in (source, *tables)], *made]

    def _reduced(
        self, graph: Graph, source: MadeGenerators, tables: list[MadeGenerators]
    ) -> MadeGenerators:
        joined = [source, *tables]
        taken = tuple([value for own in joined for value in own.taken])
        return dataclasses.replace(
            source,
            generator=dataclasses.replace(source.generator, values=len(taken)),
            values=[*source.values[:-1], *[k for own in tables for k in own.values], self.numbers],
            extras=[extra for own in joined for extra in own.extras],
            operator=together([m.operator for m in joined if m.operator is not None], graph),
            stream=source.stream.of((*source.by, *taken)),
        )

    def _collected(
        self, source: MadeGenerators, own: MadeGenerators, with_keys: bool
    ) -> MadeGenerators:
        assert isinstance(own.generator, generators.Bucket)
        keys = source.values[: source.generator.keys]
        return dataclasses.replace(
            own,
            generator=dataclasses.replace(own.generator, keys=len(keys), hashed=True),
            count=source.count if with_keys else None,
            values=[*(keys if with_keys else []), *own.values],
            stream=own.stream.of((*source.by, *own.taken)),
        )


def hashings(places: Places, consumption: Consumption, collecting: bool) -> Iterator[HashedBuckets]:
    """What is reduced by number, or, if that is wanted, collected, that may be by key."""
    flows: dict[ir.Block, DataFlow] = {}
    for reducing in places.multiloops:
        if not reducing.generators:
            continue
        block = places.place[reducing]
        for array, element in zip(reducing.inputs, reducing.elements, strict=True):
            key = part_key(array)
            if key is None or places.place[key[0]] is not block:
                continue
            y = owner_of(*key)
            last = y.first + y.gives - 1
            if not generators.is_numbered(y.generator) or key[1] != last:
                continue
            if _is_by_number(places, reducing, element, key[0], y, collecting):
                flow = flows.get(block) or flows.setdefault(block, DataFlow(places, block))
                bounds = _bounds(reducing, key[0], y.first)
                if flow.obstacle(key[0], reducing, bounds) is None and not (
                    consumption.between([key[0]], [reducing], flow)
                ):
                    yield HashedBuckets(places, flow, key[0], y, reducing)


def _counts_keys(y: ir.Yield, numbering: ir.Multiloop, first: int) -> bool:
    """Whether a generator has as many buckets as there are keys."""
    if not y.generator.by_key or generators.is_hashed(y.generator):
        return False
    keys = [y.bound]
    if generators.groups(y.generator):
        keys = [node for node in y.bound.operands if is_next(y.bound, node)]
    return any(part_key(node) == (numbering, first) for node in keys)


def _bounds(loop: ir.Multiloop, numbering: ir.Multiloop, first: int) -> list[ir.Node]:
    """The bounds of Buckets that say that there are as many as there are keys."""
    return [y.bound for y in loop.yields() if _counts_keys(y, numbering, first)]


def _is_of(node: ir.Node, loop: ir.Multiloop) -> bool:
    key = part_key(node)
    return key is not None and key[0] is loop


def _is_by_number(
    places: Places,
    loop: ir.Multiloop,
    number: ir.Parameter,
    numbering: ir.Multiloop,
    y: ir.Yield,
    collecting: bool,
) -> bool:
    """Whether a loop reduces scalars by the numbers of keys, as many as there are, unconditionally,
    or collects by them, and all else that it does is done without these numbers."""
    tables = [
        own
        for own in loop.yields()
        if _counts_keys(own, numbering, y.first)
        and (collecting or not generators.groups(own.generator))
    ]
    others = [own for own in loop.yields() if own not in tables]
    taken = [node for own in others for node in (own.condition, *own.taken) if node is not None]
    if not tables or any(number in node.free for node in (*taken, *loop.body.effects)):
        return False
    if any(_is_of(extra, numbering) for own in others for extra in own.extras):
        return False
    if not all(_may_be_by_key(own, number, numbering) for own in tables):
        return False
    if not all(_is_by_iteration(array, numbering) for array in loop.inputs):
        return False
    block = places.place[loop]
    users = [user for part in places.parts(numbering) for user in places.uses[part]]
    if any(user is not loop and places.item(user, block) is loop for user in users):
        return False
    return not writes(loop) and not writes(numbering)


def _is_by_iteration(array: ir.Node, numbering: ir.Multiloop) -> bool:
    """Whether an array, if it is a result of the loop that numbers keys, has in each iteration what
    that gives: not what it has put into order by key."""
    key = part_key(array)
    if key is None or key[0] is not numbering:
        return True
    y = owner_of(*key)
    numbers = generators.is_numbered(y.generator) and key[1] == y.first + y.gives - 1
    return numbers or (y.generator.by_iteration and y.one_each)


def _may_be_by_key(y: ir.Yield, number: ir.Parameter, numbering: ir.Multiloop) -> bool:
    """Whether a generator by number may be one by key."""
    if not y.one_each:
        return False
    if y.key is not number or number in [used for v in y.values for used in v.free]:
        return False
    if generators.groups(y.generator):
        return True
    if y.operator is None or y.operator.effects:
        return False
    if any(_is_of(node, numbering) for node in y.neutral):
        return False
    if any(y.operator.token in result.free for result in y.operator.results):
        return False
    return all(isinstance(n.type, ScalarType) for n in y.neutral)
