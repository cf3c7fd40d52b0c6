"""Keys of blocks that are equal where blocks differ in nothing but the names of what they bind.

    key(fn (x) => x + n)  ==  key(fn (y) => y + n)

Nodes that depend on nothing the block binds stand for themselves in the key; the others are
written out, numbered in the order of a walk from the results. So nodes with blocks are hash-consed
as all others are. Blocks with effects have no key: they do not stand for their results alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from cogen.array.ir.graphtypes import GraphArray, Type
from cogen.array.ir.node import (
    Block,
    Node,
    Parameter,
)


def block_keys(blocks: Sequence[Block]) -> Hashable:
    """A key of some blocks without effects."""
    return tuple([_BinderNumbers().block(block) for block in blocks])


class _BinderNumbers:
    """The numbers given so far to what is bound inside, and to what depends on that."""

    def __init__(self) -> None:
        self.names: dict[Node, int] = {}
        self.bound: set[Parameter] = set()

    def block(self, block: Block) -> Hashable:
        parameters = []
        for parameter in block.binds:
            self.names[parameter] = len(self.names)
            self.bound.add(parameter)
            parameters.append(self.type(parameter.type))
        lines: list[Hashable] = []
        results = tuple([self.reference(node, lines) for node in block.results])
        forms = tuple([(s.condition is None, s.spread, len(s.taken)) for s in block.streams])
        return tuple(parameters), tuple(lines), results, forms

    def type(self, t: Type) -> Hashable:
        if not isinstance(t, GraphArray):
            return t
        sizes = [self.known(n) if isinstance(n, Node) else n for n in t.shape]
        return t.element, tuple(sizes)

    def known(self, node: Node) -> Hashable:
        """A node that depends on nothing inside, or was numbered."""
        return self.names.get(node, node)

    def reference(self, root: Node, lines: list[Hashable]) -> Hashable:
        """What stands for a node, after lines for whatever it needs from inside."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self.names or node.free.isdisjoint(self.bound):
                stack.pop()
                continue
            waiting = [
                operand
                for operand in (*node.operands, *node.certs)
                if operand not in self.names and not operand.free.isdisjoint(self.bound)
            ]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            self.line(node, lines)
        return self.known(root)

    def line(self, node: Node, lines: list[Hashable]) -> None:
        operands = tuple([self.known(operand) for operand in node.operands])
        certs = frozenset([self.known(cert) for cert in node.certs])
        blocks = tuple([self.block(block) for block in node.blocks])
        lines.append((type(node), node.attributes, operands, certs, blocks))
        self.names[node] = len(self.names)
