"""What depends on what in one block, while some of its loops become one.

An item is what stands in the block itself; it depends on whatever it, or anything in its blocks,
uses. Loops that are to be one are a group. Two groups may join unless a path leads from one to the
other through something else: the loop would wait for itself (the T2 reduction of seed 003,
section 7.4, on a graph in which joined nodes are one).
"""

from __future__ import annotations

from collections.abc import Iterable

from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir.node import (
    Block,
    Multiloop,
    Node,
    Part,
)


class DataFlow:
    """The items of a block, and groups of them.

    An item has a bit; of each group the bits of its items are known, and those of what it depends
    on, directly or not.
    """

    def __init__(self, places: Places, block: Block) -> None:
        self.block = block
        self._direct: dict[Node, set[Node]] = {}
        for node in places.standing(block):
            this = _whole(places, node)
            self._direct.setdefault(this, set())
            for user in places.uses.get(node, ()):
                item = places.item(user, block)
                if isinstance(item, Node) and _whole(places, item) is not this:
                    self._direct.setdefault(_whole(places, item), set()).add(this)
        owner = places.owner.get(block)
        if isinstance(owner, Multiloop) and block is owner.body:
            self._let_scans_run(places, owner)
        self._group: dict[Node, Node] = {item: item for item in self._direct}
        self._members: dict[Node, list[Multiloop]] = {}
        self._mask: dict[Node, int] = {item: 1 << k for k, item in enumerate(self._direct)}
        self._below: dict[Node, int] = {}
        self._settle()

    def _let_scans_run(self, places: Places, loop: Multiloop) -> None:
        """In the body of a loop, a scan's running values depend on what it takes, and on what the
        running scans before it take."""
        taken: set[Node] = set()
        for y in loop.yields():
            if y.before:
                continue
            if y.running:
                taken |= {_whole(places, value) for value in y.values} & self._direct.keys()
            for parameter in y.running:
                self._direct.setdefault(parameter, set()).update(taken)

    def _settle(self) -> None:
        """What each item depends on."""
        for root in self._direct:
            stack = [root]
            while stack:
                item = stack[-1]
                waiting = [below for below in self._direct[item] if below not in self._below]
                if item in self._below or not waiting:
                    stack.pop()
                    found = 0
                    for below in self._direct[item]:
                        found |= self._mask[below] | self._below[below]
                    self._below[item] = found
                else:
                    stack += waiting

    def group(self, item: Node) -> Node:
        """What stands for an item's group."""
        return self._group[item]

    def members(self, loop: Node) -> list[Multiloop]:
        """The loops of a loop's group, ascending."""
        head = self._group[loop]
        assert isinstance(head, Multiloop)
        return self._members.get(head, [head])

    def items(self) -> list[Node]:
        """What stands in the block; parts of a node are the node."""
        return list(self._direct)

    def depends(self, item: Node, on: Node) -> bool:
        """Whether an item, or its group, depends on another."""
        return bool(self._below[self._group[item]] & self._mask[self._group[on]])

    def obstacle(self, a: Node, b: Node, gone: Iterable[Node] = ()) -> Node | None:
        """Something else through which one of two groups depends on the other, but for what will be
        gone."""
        pair = {self._group[a], self._group[b]}
        mask = 0
        for head in pair:
            mask |= self._mask[head]
        outside = {self._group[item] for head in pair for item in self._direct[head]}
        outside -= {*pair, *gone}
        for item in sorted(outside, key=lambda node: node.number):
            if self._below[item] & mask:
                return item
        return None

    def join(self, a: Node, b: Node) -> None:
        """Make two groups of loops one."""
        members = sorted({*self.members(a), *self.members(b)}, key=lambda node: node.number)
        first, second = self._group[a], self._group[b]
        for item, head in self._group.items():
            if head is second:
                self._group[item] = first
        self._direct[first] |= self._direct[second]
        self._members[first] = members
        mask = self._mask[first] = self._mask[first] | self._mask[second]
        below = self._below[first] = (self._below[first] | self._below[second]) & ~mask
        for item in set(self._group.values()):
            if self._below[item] & mask:
                self._below[item] |= mask | below

    def groups(self) -> list[list[Multiloop]]:
        """The groups of several loops."""
        return [members for head, members in self._members.items() if self._group[head] is head]


def _whole(places: Places, item: Node) -> Node:
    """A part stands for what it is a part of, if this stands in the same block."""
    if isinstance(item, Part) and places.place[item.node] is places.place[item]:
        return item.node
    return item
