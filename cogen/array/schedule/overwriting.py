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
    Function,
    If,
    Loop,
    Multiloop,
    Node,
    Parameter,
    Update,
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
            if isinstance(node, If):
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
        if isinstance(node, Update):
            return [0]
        if isinstance(node, Loop):
            carried = self._closure(node.body, node.carried, inner[0])
            self.carried[node.body] = carried
            return [1 + i for i, p in enumerate(node.carried) if p in carried]
        if isinstance(node, Multiloop):
            return self._of_multiloop(node, inner)
        if isinstance(node, Call):
            callee = self.functions[node.function].body.parameters
            return [i for i, p in enumerate(callee) if p.unique]
        return []

    def _of_multiloop(self, node: Multiloop, inner: list[frozenset[Node]]) -> list[int]:
        self.carried[node.body] = inner[0] & frozenset(node.elements)
        found = [1 + i for i, p in enumerate(node.elements) if p in inner[0]]
        position = 1 + len(node.inputs)
        operator = 1
        for y in node.yields():
            count = len(y.values)
            if y.generator.overwrites:
                found.extend(range(position, position + count))
            if y.operator is not None:
                first = position + len(y.extras) - count
                accumulators = y.operator.parameters[:count]
                carried = self._closure(y.operator, accumulators, inner[operator])
                self.carried[y.operator] = carried
                found += [first + i for i, p in enumerate(accumulators) if p in carried]
                operator += 1
            position += len(y.extras)
        return found

    def _closure(
        self, body: Block, carried: tuple[Parameter, ...], consumed: frozenset[Node]
    ) -> frozenset[Node]:
        """The carried parameters whose memory is overwritten, perhaps in a later iteration."""
        following = dict(zip(carried, body.results, strict=True))
        found: set[Node] = {p for p in carried if p in consumed}
        waiting = list(found)
        while waiting:
            parameter = waiting.pop()
            assert isinstance(parameter, Parameter)
            for root in self.sharing.roots(following[parameter]):
                if root in following and root not in found:
                    found.add(root)
                    waiting.append(root)
        return frozenset(found)
