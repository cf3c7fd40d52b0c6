"""What statements overwrite: places -> the roots (`cogen.array.ir.memoryroots`) that each node
consumes.

An Update consumes the roots of its array, a Scatter those of its targets. A loop consumes the
initial value of what its body consumes, and of what that becomes in later iterations; a call, what
the callee's parameters say. A conditional consumes what its branches do. What a loop's body would
overwrite in each iteration although it is bound outside is no consumption: it must be copied.
"""

from __future__ import annotations

from collections.abc import Mapping

from cogen.array.ir.memoryroots import MemorySharing
from cogen.array.ir.node import (
    Block,
    Call,
    Carried,
    Function,
    Node,
    Region,
)
from cogen.array.ir.placement import NodePlace


class Overwriting:
    """The consumption of the nodes of one function, whose places are given."""

    def __init__(
        self, top: NodePlace, sharing: MemorySharing, functions: Mapping[str, Function]
    ) -> None:
        self.sharing = sharing
        self.functions = functions
        self.positions: dict[Node, tuple[int, ...]] = {}
        """Of nodes that overwrite operands, the positions of these."""
        self.carried: dict[Block, frozenset[Node]] = {}
        """Of bodies of loops and operators, the parameters that are overwritten."""
        self.consumed: dict[Node, frozenset[Node]] = {}
        """Of every node that overwrites something, the roots of that."""
        self._block(top)

    def _block(self, place: NodePlace) -> frozenset[Node]:
        """The roots that the nodes in a place and within overwrite."""
        found: set[Node] = set()
        for node in place.nodes:
            inner = [self._block(p) for p in place.inner.get(node, [])]
            positions = self._positions(node, inner)
            roots: set[Node] = set()
            for position in positions:
                roots |= self.sharing.roots(node.operands[position])
            if not node.is_loop:
                roots = roots.union(*inner)
            if positions:
                self.positions[node] = tuple(positions)
            if roots:
                self.consumed[node] = frozenset(roots)
                found |= roots
        for guard in place.guards():
            found |= self._block(guard)
        return frozenset(found)

    def _positions(self, node: Node, inner: list[frozenset[Node]]) -> list[int]:
        """The positions of the operands that a node overwrites."""
        found = list(node.overwritten)
        if isinstance(node, Region):
            found += self._by_blocks(node, inner)
        if isinstance(node, Call):
            callee = self.functions[node.function].body.parameters
            found += [i for i, p in enumerate(callee) if p.unique]
        return sorted(found)

    def _by_blocks(self, node: Region, inner: list[frozenset[Node]]) -> list[int]:
        """Those that its blocks overwrite: elements of its inputs, and what it carries."""
        found: list[int] = []
        if node.elements:
            self.carried[node.blocks[0]] = inner[0] & frozenset(node.elements)
            found += [i for i, p in enumerate(node.elements, 1) if p in inner[0]]
        for own in node.carrying:
            carried = self._closure(own, inner[node.blocks.index(own.block)])
            self.carried[own.block] = carried
            found += [i for i, p in enumerate(own.parameters, own.first) if p in carried]
        return found

    def _closure(self, own: Carried, consumed: frozenset[Node]) -> frozenset[Node]:
        """The carried parameters whose memory is overwritten, perhaps in a later iteration."""
        following: dict[Node, Node] = dict(zip(own.parameters, own.block.results, strict=True))
        found: set[Node] = {p for p in own.parameters if p in consumed}
        waiting = list(found)
        while waiting:
            parameter = waiting.pop()
            for root in self.sharing.roots(following[parameter]):
                if root in following and root not in found:
                    found.add(root)
                    waiting.append(root)
        return frozenset(found)
