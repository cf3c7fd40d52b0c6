"""Where the nodes of a function are computed, and what uses them.

A pure node belongs to no block. Here it is given one: the innermost block that has all its uses
within, but outside of loops as far as its parameters allow. Two loops can be made one only where
they stand in the same block, or one in a branch of the other's block.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TypeAlias

from cogen.array.fusion.mirror import contents
from cogen.array.ir.node import (
    Block,
    Function,
    Multiloop,
    Node,
    Parameter,
    Part,
    Region,
    sizes_in,
)
from cogen.lang.eachonce import each_once

User: TypeAlias = Node | Block
"""What uses a node: a node, or a block that has it as result."""


class Places:
    """The nodes of a function in ascending order, their users, and their blocks."""

    def __init__(self, function: Function) -> None:
        self.body = function.body
        self.binder: dict[Parameter, Block] = {}
        self.owner: dict[Block, Region] = {}
        self.uses: dict[Node, list[User]] = defaultdict(list)
        self.type_uses: set[Node] = set()
        """The nodes that are sizes in types which are written down: of parameters, of results."""
        self.nodes: list[Node] = []
        """All nodes, ascending: operands before users, contents of blocks before their owner."""
        self.place: dict[Node, Block] = {}
        self._depth: dict[Block, int] = {}
        self._fixed: dict[Node, Block] = {}
        self._standing: dict[Block, list[Node]] | None = None
        self._collect(function)
        self._settle()

    def _collect(self, function: Function) -> None:
        stack = self._enter(function.body)
        stack += sizes_in(*function.results)
        self.type_uses.update(sizes_in(*function.results))
        for node in each_once(stack):
            self.nodes.append(node)
            for operand in dict.fromkeys([*node.operands, *node.certs]):
                self.uses[operand].append(node)
            if node.is_bound:
                self.type_uses.update(sizes_in(node.type))
                stack += sizes_in(node.type)
            if isinstance(node, Region):
                for block in node.blocks:
                    self.owner[block] = node
                    stack += self._enter(block)
                sizes = sizes_in(*node.results)
                stack += sizes
                if node.says_results:
                    self.type_uses.update(sizes)
            stack += [*node.operands, *node.certs]
        self.nodes.sort(key=lambda node: node.number)

    def _enter(self, block: Block) -> list[Node]:
        for parameter in block.binds:
            self.binder[parameter] = block
        for effect in block.effects:
            self._fixed[effect] = block
        for result in dict.fromkeys(block.results):
            self.uses[result].append(block)
        return [*block.binds, *block.effects, *block.results]

    def _settle(self) -> None:
        self._depth[self.body] = 0
        for node in reversed(self.nodes):
            block = self._block_of(node)
            self.place[node] = block
            for inner in node.blocks:
                self._depth[inner] = self._depth[block] + 1

    def _block_of(self, node: Node) -> Block:
        if node in self._fixed:
            return self._fixed[node]
        if isinstance(node, Parameter):
            return self.binder.get(node, self.body)
        highest = self.body
        for parameter in node.free:
            binder = self.binder[parameter]
            if self._depth.get(binder, 0) > self._depth[highest]:
                highest = binder
        common: Block | None = None
        for user in self.uses.get(node, ()):
            block = user if isinstance(user, Block) else self.place[user]
            common = block if common is None else self.common(common, block)
        if common is None:  # used in types only
            return highest
        best = at = common
        while at is not highest:
            owner = self.owner[at]
            at = self.place[owner]
            if owner.is_loop:
                best = at
        return best

    def standing(self, block: Block) -> list[Node]:
        """The nodes that stand in a block itself, ascending."""
        if self._standing is None:
            self._standing = defaultdict(list)
            for node in self.nodes:
                self._standing[self.place[node]].append(node)
        return self._standing.get(block, [])

    def parent(self, block: Block) -> Block | None:
        """The block around a block."""
        owner = self.owner.get(block)
        return None if owner is None else self.place[owner]

    def common(self, a: Block, b: Block) -> Block:
        """The innermost block around both."""
        while a is not b:
            if self._depth[a] >= self._depth[b]:
                a = self.place[self.owner[a]]
            else:
                b = self.place[self.owner[b]]
        return a

    def item(self, user: User, block: Block) -> User | None:
        """What, standing in `block` itself, a user is or is part of; None where it is elsewhere.

        The block itself stands for its results.
        """
        if user is block:
            return block
        at = user if isinstance(user, Block) else self.place[user]
        found: User = user
        while at is not block:
            if at is self.body:
                return None
            found = self.owner[at]
            at = self.place[found]
        return found

    def path(self, block: Block) -> list[tuple[Region, Block]]:
        """The nodes around a block with their blocks that lead there, outermost first."""
        found = []
        while block is not self.body:
            owner = self.owner[block]
            found.append((owner, block))
            block = self.place[owner]
        return found[::-1]

    @property
    def multiloops(self) -> Iterator[Multiloop]:
        """The loops, ascending."""
        return (node for node in self.nodes if isinstance(node, Multiloop))

    def readers(self, array: Node) -> list[Multiloop]:
        """The loops that go through an array."""
        users = self.uses.get(array, ())
        return [user for user in users if isinstance(user, Multiloop) and array in user.inputs]

    def loops(self) -> dict[Block, list[Multiloop]]:
        """The loops that stand in each block, ascending; outer blocks first."""
        found: dict[Block, list[Multiloop]] = defaultdict(list)
        for node in self.multiloops:
            found[self.place[node]].append(node)
        return dict(sorted(found.items(), key=lambda entry: self._depth[entry[0]]))

    def parts(self, region: Region) -> list[Part]:
        """The parts of a node that are used, ascending."""
        found = [user for user in self.uses.get(region, ()) if isinstance(user, Part)]
        return sorted(found, key=lambda part: part.number)


def containing(nodes: list[Node], seeds: set[Node]) -> frozenset[Node]:
    """Which of the nodes, ascending, depend on one of the seeds, or have one in their blocks."""
    found = set(seeds)
    for node in nodes:
        if node in found:
            continue
        parts = contents(node)
        for block in node.blocks:
            parts += block.binds
        parts += sizes_in(*([node.type] if node.is_bound else ()), *node.results)
        if not found.isdisjoint(parts):
            found.add(node)
    return frozenset(found)
