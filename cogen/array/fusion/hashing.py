"""Reductions by numbers that a loop gives to different keys become one table by key.

    keys, numbers = HashBucket of k(i);  b = Bucket of numbers[i], f(i), as many as there are keys
    ->  keys, b = HashBucket of k(i), f(i)

So `groupBy` with a key that is any tuple of scalars, followed by reductions of its groups (which
`group-reduce` has made reductions by number), is one loop with one table (Rompf 2013, on
bucketReduce). All reductions by the same key share it: their accumulators are one. If numbers are
needed otherwise, the table gives them as well. Keys stay in the order in which they first occur.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from cogen.array.fusion.consumption import Consumption
from cogen.array.fusion.dependence import Flow
from cogen.array.fusion.legal import writes
from cogen.array.fusion.mergedgenerators import Made, part_key, together
from cogen.array.fusion.mergeloops import Merge, live_results, owner_of
from cogen.array.fusion.mirror import Mirror
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT, Scalar
from cogen.array.ir.node import (
    Bucket,
    HashBucket,
    Multiloop,
    Node,
    Parameter,
    Yield,
    is_numbered,
)


class Hashed(Merge):
    """The loop that numbers keys, and the one that reduces by number, as one loop."""

    def __init__(self, places: Places, numbering: Multiloop, y: Yield, reducing: Multiloop) -> None:
        members = [numbering, reducing]
        super().__init__(members, live_results(places, members), numbering.size)
        self.numbering = numbering
        self.reducing = reducing
        self.first = y.first
        self.numbers = (numbering, y.first + y.generator.gives - 1)

    def _element(self, key: tuple[Multiloop, int]) -> Node:
        """The number of an iteration's key stands for nothing: it is not looked at any more."""
        if key == self.numbers:
            return self._number
        return super()._element(key)

    def _add(self, mirror: Mirror, member: Multiloop, token: Parameter, index: Parameter) -> None:
        if member is self.reducing:
            self._number = mirror.graph.parameter("number", INT)
        super()._add(mirror, member, token, index)
        if member is self.reducing:
            self._share(mirror.graph)

    def _extras(self, mirror: Mirror, y: Yield) -> list[Node]:
        """Of a table, only the neutral values: how many keys there are is known at the end."""
        counts = _counts_keys(y, self.numbering, self.first)
        return list(mirror.nodes(y.neutral)) if counts else super()._extras(mirror, y)

    def _share(self, graph: Graph) -> None:
        """Make one table of all that is reduced, with the keys that the numbers were given to."""
        (source,) = [made for made in self._made if made.count == (self.numbering, self.first)]
        tables = [made for made in self._made if made.key is self._number]
        assert isinstance(source.generator, HashBucket)
        joined = [source, *tables]
        taken = [value for table in joined for value in table.taken]
        made = Made(
            dataclasses.replace(source.generator, values=len(taken)),
            source.count,
            [*source.values[:-1], *[key for own in tables for key in own.values], self.numbers],
            [extra for table in joined for extra in table.extras],
            together([own.operator for own in joined if own.operator is not None], graph),
            (),
            False,
            taken=tuple(taken),
        )
        self._made = [*[other for other in self._made if other not in joined], made]


def hashings(places: Places, consumption: Consumption) -> Iterator[Hashed]:
    """The reductions by number that may become tables by key."""
    for reducing in places.nodes:
        if not isinstance(reducing, Multiloop) or not reducing.generators:
            continue
        for array, element in zip(reducing.inputs, reducing.elements, strict=True):
            key = part_key(array)
            if key is None or places.place[key[0]] is not places.place[reducing]:
                continue
            y = owner_of(*key)
            last = y.first + y.generator.gives - 1
            if not is_numbered(y.generator) or key[1] != last:
                continue
            if _is_by_number(places, reducing, element, key[0], y):
                flow = Flow(places, places.place[reducing])
                if flow.obstacle(key[0], reducing) is None and not (
                    consumption.between([key[0]], [reducing], flow)
                ):
                    yield Hashed(places, key[0], y, reducing)


def _counts_keys(y: Yield, numbering: Multiloop, first: int) -> bool:
    """Whether a generator has as many buckets as there are keys."""
    return isinstance(y.generator, Bucket) and part_key(y.extras[0]) == (numbering, first)


def _is_of(node: Node, loop: Multiloop) -> bool:
    key = part_key(node)
    return key is not None and key[0] is loop


def _taken(y: Yield) -> list[Node]:
    return [node for node in (y.condition, y.key, *y.values) if node is not None]


def _is_by_number(
    places: Places, loop: Multiloop, number: Parameter, numbering: Multiloop, y: Yield
) -> bool:
    """Whether a loop reduces scalars by the numbers of keys, as many as there are, unconditionally,
    and all else that it does is done without these numbers."""
    tables = [own for own in loop.yields() if _counts_keys(own, numbering, y.first)]
    others = [own for own in loop.yields() if own not in tables]
    taken = [node for own in others for node in _taken(own)]
    if not tables or any(number in node.free for node in (*taken, *loop.body.effects)):
        return False
    if any(_is_of(extra, numbering) for own in others for extra in own.extras):
        return False
    for own in tables:
        if own.condition is not None:
            return False
        if own.key is not number or number in [used for v in own.values for used in v.free]:
            return False
        if own.operator is None or own.operator.effects:
            return False
        if any(_is_of(node, numbering) for node in own.neutral):
            return False
        if any(own.operator.token in result.free for result in own.operator.results):
            return False
        if not all(isinstance(n.type, Scalar) for n in own.neutral):
            return False
    block = places.place[loop]
    users = [user for part in places.parts(numbering) for user in places.uses[part]]
    if any(user is not loop and places.item(user, block) is loop for user in users):
        return False
    return not writes(loop) and not writes(numbering)
