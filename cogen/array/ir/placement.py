"""Places the nodes of a graph in its blocks: block -> `NodePlace`s that know their nodes.

A node may stand in any block between the innermost one that binds something it depends on and the
innermost one around all its uses. Of these it gets the one within the fewest loops, and among those
the innermost: so code leaves loops, and goes into the branches that alone need it (Rompf 2012,
section 4.3; seed 003, section 6.2). What has an effect stays in its block. What only a conditional
generator takes is placed in a guard, as if the body had a branch for it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from cogen.array.ir.graphwalk import used_by
from cogen.array.ir.node import (
    Block,
    Multiloop,
    Node,
    Parameter,
    shape,
)


class NodePlace:
    """A block, or a guard in one, where nodes are placed.

    `owner` is the node that the block belongs to, `loops` the number of loops around; `binds` are
    the block's parameters and token. `uses` are the pairs (node, user) of what is needed here; the
    user is None for results.
    """

    __slots__ = (
        "binds", "block", "condition", "depth", "inner", "loops", "nodes", "outer", "owner", "uses",
    )  # fmt: skip

    def __init__(
        self,
        block: Block,
        outer: NodePlace | None,
        owner: Node | None,
        loop: bool,
        condition: Node | None = None,
    ) -> None:
        self.block = block
        self.outer = outer
        self.owner = owner
        self.condition = condition
        self.depth: int = 0 if outer is None else outer.depth + 1
        self.loops: int = loop if outer is None else outer.loops + loop
        self.binds = frozenset() if condition is not None else frozenset(block.binds)
        self.nodes: list[Node] = []
        self.uses: list[tuple[Node, Node | None]] = []
        self.inner: dict[Node, list[NodePlace]] = {}
        """The places of the blocks of nodes placed here, in the order of their blocks."""

    def guards(self) -> list[NodePlace]:
        """The guards of this block, which is the body of a Multiloop."""
        return self.inner.get(self.owner, []) if self.owner is not None else []


def place(root: Block) -> NodePlace:
    """The place of a function's body, with all nodes that it needs placed in it or within."""
    return _Placing(root).run()


class _Placing:
    """Nodes are placed from the last to the first: users before what they use."""

    def __init__(self, root: Block) -> None:
        self.top = NodePlace(root, None, None, loop=False)
        self.pinned: dict[Node, NodePlace] = {}
        self.sites: dict[Node, NodePlace] = {}
        """The innermost place around all uses found so far."""
        self.heap: list[tuple[int, Node]] = []

    def run(self) -> NodePlace:
        self.open(self.top)
        while self.heap:
            node = heapq.heappop(self.heap)[1]
            place = self.pinned.get(node) or self.best(node)
            self.sites[node] = place
            place.nodes.append(node)
            for used in used_by(node):
                self.use(used, node, place)
            self.enter(node, place)
        return self.top

    def open(self, place: NodePlace) -> None:
        """Note what a block needs in any case."""
        for effect in place.block.effects:
            self.pinned[effect] = place
            self.use(effect, None, place)
        for node in place.block.results:
            self.use(node, None, place)

    def enter(self, node: Node, place: NodePlace) -> None:
        """Open the blocks of a node that was placed."""
        if not node.blocks:
            return
        inner = place.inner[node] = []
        for block in node.blocks:
            found = NodePlace(block, place, node, loop=node.is_loop)
            inner.append(found)
            for parameter in block.parameters:
                for size in shape(parameter):
                    if not size.free & found.binds:
                        self.use(size, node, place)
            if isinstance(node, Multiloop) and block is node.body:
                self.open_body(node, found)
            else:
                self.open(found)

    def open_body(self, node: Multiloop, place: NodePlace) -> None:
        """The body of a loop: what conditional generators take is needed in their guards."""
        for effect in place.block.effects:
            self.pinned[effect] = place
            self.use(effect, None, place)
        guards: dict[Node, NodePlace] = {}
        for y in node.yields():
            where = place
            if y.condition is not None:
                self.use(y.condition, None, place)
                if y.condition not in guards:
                    guards[y.condition] = NodePlace(place.block, place, node, False, y.condition)
                where = guards[y.condition]
            for value in y.taken:
                self.use(value, None, where)
        place.inner[node] = list(guards.values())

    def use(self, node: Node, user: Node | None, place: NodePlace) -> None:
        """A node is needed at a place."""
        if node.is_known:
            return
        place.uses.append((node, user))
        if isinstance(node, Parameter):
            return
        known = self.sites.get(node)
        if known is None:
            self.sites[node] = place
            heapq.heappush(self.heap, (-node.number, node))
        else:
            self.sites[node] = common(known, place)

    def best(self, node: Node) -> NodePlace:
        """The place for a node all of whose uses are known."""
        best = place = self.sites[node]
        while place.outer is not None and place.binds.isdisjoint(node.free):
            place = place.outer
            if place.loops < best.loops:
                best = place
        return best


def common(a: NodePlace, b: NodePlace) -> NodePlace:
    """The innermost place around two."""
    while a is not b:
        if a.depth >= b.depth:
            assert a.outer is not None
            a = a.outer
        else:
            assert b.outer is not None
            b = b.outer
    return a


def places(top: NodePlace) -> Iterable[NodePlace]:
    """A place and all within, outer ones first."""
    waiting = [top]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend([p for inner in found.inner.values() for p in inner])
