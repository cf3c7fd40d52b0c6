"""Orders the nodes of a place: each after what it needs, and readers before who overwrites.

Checks that need no array come as soon as they can, so that a size is known to be none below 0
before memory is taken for it. Of the others that may come next the one made first comes first:
the order is that of the source where nothing moved.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence, Set
from itertools import pairwise

from cogen.array.ir.memoryroots import MemorySharing
from cogen.array.ir.node import (
    Assert,
    Multiloop,
    Node,
    Part,
)
from cogen.array.ir.placement import NodePlace, places
from cogen.array.schedule.overwriting import Overwriting


class Order:
    """The order of the nodes in all places of a function.

    `nodes` are the nodes of each place in order; `reads` what each node uses itself and in its
    blocks, `inside` what its blocks do.
    """

    def __init__(self, top: NodePlace, sharing: MemorySharing, consuming: Overwriting) -> None:
        self.sharing = sharing
        self.consuming = consuming
        self.needs: dict[Node, set[Node]] = {}
        """For each node, those in the same place that must come before."""
        self.reads: dict[Node, set[Node]] = {}
        self.inside: dict[Node, set[Node]] = {}
        self.nodes: dict[NodePlace, list[Node]] = {}
        everything = list(places(top))
        home = {node: place for place in everything for node in place.nodes}
        for place in everything:
            for node in place.nodes:
                self.needs[node] = set()
                self.reads[node] = set()
                self.inside[node] = set()
        for place in everything:
            for used, user in place.uses:
                self._need(place, used, user, home)
        for place in everything:
            self._effects(place)
            self._running(place)
            self._overwriting(place)
            self.nodes[place] = _sorted(place.nodes, self.needs, _early(place.nodes, self.needs))

    def _need(
        self, place: NodePlace, used: Node, user: Node | None, home: dict[Node, NodePlace]
    ) -> None:
        """Note a use, for the user and all nodes around it up to the place of what is used.

        A part may stand further inside than what it is a part of: then the nodes between read it,
        with the memory that it shares.
        """
        target = home.get(used)
        part = user if isinstance(user, Part) and user.node is used else None
        where: NodePlace | None = place
        while where is not None:
            if user is not None:
                self.reads[user].add(used)
                if where is not place:
                    self.inside[user].add(used)
                    if part is not None:
                        self.reads[user].add(part)
                        self.inside[user].add(part)
                if where is target:
                    self.needs[user].add(used)
            if where is target or used in where.binds:
                return
            user = where.owner if where.condition is None else None  # guards come last anyway
            where = where.outer

    def _effects(self, place: NodePlace) -> None:
        if place.condition is None:
            effects = place.block.effects
            for first, second in pairwise(effects):
                self.needs[second].add(first)

    def _running(self, place: NodePlace) -> None:
        """What uses the accumulated values of a running scan comes after what the scan takes."""
        node = place.owner
        if not isinstance(node, Multiloop) or place.block is not node.body or place.condition:
            return
        before: list[Node] = []
        for y in node.yields():
            if y.before:
                continue
            before += [v for v in y.values if v in self.needs and v in place.nodes]
            for user in place.nodes if y.running else ():
                if not self.reads[user].isdisjoint(y.running):
                    self.needs[user].update(before)

    def _overwriting(self, place: NodePlace) -> None:
        """Whoever reads what a node overwrites comes before it, where it can."""
        writers = [node for node in place.nodes if node in self.consuming.consumed]
        if not writers:
            return
        before = _Before(place.nodes, self.needs)
        readers: dict[Node, dict[Node, None]] = {}
        for reader in sorted(place.nodes, key=_number):
            for used in self.reads[reader]:
                for root in self.sharing.roots(used):
                    readers.setdefault(root, {})[reader] = None
        for writer in sorted(writers, key=_number):
            roots = self.consuming.consumed[writer]
            found = {reader for root in roots for reader in readers.get(root, ())}
            for reader in sorted(found - {writer}, key=_number):
                if not before(writer, reader) and not before(reader, writer):
                    before.add(reader, writer)
                    self.needs[writer].add(reader)


def _number(node: Node) -> int:
    return node.number


class _Before:
    """Which nodes of a place must come before which, with all consequences, as sets of bits."""

    def __init__(self, nodes: Sequence[Node], needs: dict[Node, set[Node]]) -> None:
        self.bits: dict[Node, int] = {}
        self.earlier: dict[Node, int] = {}
        for node in _sorted(nodes, needs):
            self.bits[node] = 1 << len(self.bits)
            earlier = 0
            for needed in needs[node]:
                if needed in self.earlier:
                    earlier |= self.earlier[needed] | self.bits[needed]
            self.earlier[node] = earlier

    def __call__(self, first: Node, second: Node) -> bool:
        return bool(self.earlier[second] & self.bits[first])

    def add(self, first: Node, second: Node) -> None:
        """From now on one comes before the other."""
        news = self.earlier[first] | self.bits[first]
        bit = self.bits[second]
        self.earlier[second] |= news
        for node, earlier in self.earlier.items():
            if earlier & bit:
                self.earlier[node] = earlier | news


def _early(nodes: Sequence[Node], needs: dict[Node, set[Node]]) -> set[Node]:
    """The checks that need scalars alone, and these."""
    cheap: set[Node] = set()
    for node in _sorted(nodes, needs):
        if node.is_scalar and cheap.issuperset(needs[node]):
            cheap.add(node)
    found: set[Node] = set()
    waiting: list[Node] = [node for node in cheap if isinstance(node, Assert)]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(used for used in needs[node] if used in cheap)
    return found


def _sorted(
    nodes: Sequence[Node], needs: dict[Node, set[Node]], first: Set[Node] = frozenset()
) -> list[Node]:
    """The nodes in order of need, then those of `first` before others, and then of number."""
    users: dict[Node, list[Node]] = {node: [] for node in nodes}
    missing = {}
    for node in nodes:
        before = [n for n in needs[node] if n in users]
        missing[node] = len(before)
        for n in before:
            users[n].append(node)
    ready = [(node not in first, node.number, node) for node in nodes if not missing[node]]
    heapq.heapify(ready)
    found = []
    while ready:
        *_, node = heapq.heappop(ready)
        found.append(node)
        for user in users[node]:
            missing[user] -= 1
            if not missing[user]:
                heapq.heappush(ready, (user not in first, user.number, user))
    assert len(found) == len(nodes), "needs are acyclic"
    return found
