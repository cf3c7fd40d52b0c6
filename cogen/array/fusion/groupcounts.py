"""How many elements groups have, without groups.

    offsets of a Bucket of k(i),  map over the groups of h(offsets[g + 1] - offsets[g], a[g])
    ->  counts = Bucket of k(i), 1 with +, 0;  map of h over counts and a

where what the Bucket collects is needed for nothing else.  Reductions of groups become reductions
by key before (`cogen.array.fusion.groupbuckets`), so that no group is left of `groupBy` with sums,
counts and averages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cogen.array.fusion.groupbuckets import (
    GroupSource,
    KeyedIteration,
    goes_through_all,
    group_of,
    may_be_taken_again,
)
from cogen.array.fusion.mergedgenerators import addition
from cogen.array.fusion.mirror import Mirror, captured, contents, ordered_effects
from cogen.array.fusion.nodeplaces import Places, User
from cogen.array.ir import node as ir
from cogen.array.ir.generators import Bucket
from cogen.array.ir.graphtypes import CERT, INT, row
from cogen.array.rules.groups import length_of
from cogen.lang.eachonce import each_once


@dataclass(slots=True)
class GroupCounts:
    """A loop that looks at the lengths of groups; a `Replacement` for it and its results."""

    loop: ir.Multiloop
    group: ir.Multiloop
    key: ir.Yield
    lengths: tuple[ir.Node, ...]
    """The nodes that say how long the group of an iteration is."""

    @property
    def makers(self) -> list[ir.Multiloop]:
        """Further loops that go: none."""
        return []

    @property
    def sources(self) -> Sequence[GroupSource]:
        """What is read of the groups: nothing."""
        return ()

    def needs(self) -> Iterable[ir.Node]:
        """What the loops use from outside."""
        found: list[ir.Node] = []
        for loop in (self.loop, self.group):
            found += [*loop.operands, *loop.certs, *captured(loop)]
        return [n for n in found if n.maker not in (self.loop, self.group)]

    def build(self, mirror: Mirror) -> None:
        """Lets counts by key stand for the lengths."""
        graph, loop = mirror.graph, self.loop
        saved = graph.at, graph.origin
        graph.at = graph.spans.get(loop)
        graph.origin = frozenset().union(
            *[graph.origins.get(n, frozenset()) for n in (loop, self.group)]
        )
        made = self._over(mirror, self._counts(mirror))
        graph.at, graph.origin = saved
        mirror.bind(loop, made)
        for index in range(len(loop.results)):
            mirror.bind(graph.part(loop, index), graph.part(made, index))

    def _counts(self, mirror: Mirror) -> ir.Node:
        """The array of how many elements there are by key."""
        graph = mirror.graph
        again = KeyedIteration(mirror, self.group, self.key)
        made = graph.region(
            ir.Multiloop,
            (len(again.inputs), (Bucket(1),)),
            [mirror.node(self.group.size), *again.inputs, mirror.node(self.loop.size),
             graph.integer(0)],
            mirror.certificates(self.group.certs),
            (again.block([(graph.integer(1),)]), addition(graph)),
        )  # fmt: skip
        return graph.part(made, 0)

    def _over(self, mirror: Mirror, counts: ir.Node) -> ir.Multiloop:
        """The loop, over the counts, too."""
        graph, body = mirror.graph, self.loop.body
        token, index = graph.parameter("here", CERT), graph.parameter("i", INT)
        arrays = [*mirror.nodes(self.loop.inputs), counts]
        elements = [graph.parameter("x", row(array.type)) for array in arrays]
        env = Mirror(graph, mirror)
        env.bind(body.token, token)
        for old, new in zip(
            (self.loop.index, *self.loop.elements), (index, *elements), strict=False
        ):
            env.bind(old, new)
        for length in self.lengths:
            env.bind(length, elements[-1])
        effects = ordered_effects(env.nodes(body.effects))
        block = ir.Block(token, (index, *elements), effects, streams=env.streams(body.streams))
        return mirror.like(self.loop, arrays, block, mirror.certificates(self.loop.certs))


def find_counts(loop: ir.Multiloop, places: Places) -> GroupCounts | None:
    """What a loop asks of groups, if that is how long they are, and nobody asks for more."""
    lengths = [] if loop.running else _lengths(loop)
    if not lengths:
        return None
    found = {length: group_of(loop, length) for length in lengths}
    group = found[lengths[0]]
    if group is None or any(other != group for other in found.values()):
        return None
    if not goes_through_all(loop, group[1]) or not _only_lengths(*group, places):
        return None
    made = GroupCounts(loop, *group, tuple(lengths))
    return made if may_be_taken_again(loop, *group, places) else None


def _lengths(loop: ir.Multiloop) -> list[ir.Node]:
    """The nodes in a loop that say how long the group of its iteration is."""
    inside = {*loop.body.binds}
    numbers = [p for a, p in zip(loop.inputs, loop.elements, strict=True) if isinstance(a, ir.Iota)]
    found = []
    stack: list[ir.Node] = [*loop.body.results, *loop.body.effects]
    for node in each_once(stack):
        if node.free.isdisjoint(inside):
            continue
        if node.operation == "int.sub" and group_of(loop, node) is not None:
            start = node.operands[1]
            assert isinstance(start, ir.Index)
            if start.indices[0] in (loop.index, *numbers):
                found.append(node)
                continue
        stack += [n for block in node.blocks for n in (*block.results, *block.effects)]
        stack += contents(node)
    return found


def _only_lengths(group: ir.Multiloop, y: ir.Yield, places: Places) -> bool:
    """Whether of what a Bucket collects nothing is used but how long each group is."""
    for part in places.parts(group):
        if not y.first <= part.index < y.first + y.gives:
            continue
        if part.index != y.first or part in places.type_uses:
            return False
        if not all(_is_in_length(read, places) for read in places.uses[part]):
            return False
    return True


def _is_in_length(read: User, places: Places) -> bool:
    """Whether what reads an offset does so to find out how long a group is."""
    return isinstance(read, ir.Index) and all(
        isinstance(user, ir.Operation) and length_of(user) is not None for user in places.uses[read]
    )
