"""Who holds which block of memory while code is made for a block of the graph.

A `MemoryFrame` belongs to a scheduled block. It holds handles: blocks of memory with one reference
that this code gives up at its end, unless that moves into a result. Whether it can be given up
earlier is found on loops (`cogen.array.loops.release`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache

from cogen.array.codegen.representations import Handle
from cogen.array.ir.node import Node, Part
from cogen.array.schedule.schedule import Guarded, Scheduled, Statement


def key(node: Node) -> Hashable:
    """What stands for a node: results of one node are the same whichever `Part` names them."""
    return (node.node, node.index) if isinstance(node, Part) else node


@lru_cache(maxsize=8192)
def inner(statement: Statement) -> frozenset[Hashable]:
    """What the blocks of a statement use."""
    found: set[Hashable] = set()
    for block in statement.blocks:
        found |= used(block)
    return frozenset(found)


@lru_cache(maxsize=8192)
def used(block: Scheduled) -> frozenset[Hashable]:
    """All that a block and those within it use."""
    found: set[Hashable] = {key(node) for node in block.block.results}
    statements = [*block.statements]
    for guarded in block.guarded:
        statements += guarded.statements
        found.add(key(guarded.condition))
    for statement in statements:
        found.update([key(node) for node in statement.node.operands])
        found |= inner(statement)
    return frozenset(found)


class MemoryFrame:
    """The memory held by the code of one block, and what that uses."""

    def __init__(
        self,
        statements: Sequence[Statement],
        results: Iterable[Node] = (),
        later: Iterable[Guarded] = (),
    ) -> None:
        self.handles: dict[Handle, None] = {}
        """In the order in which they were held."""
        self._used: set[Hashable] = set(map(key, results))
        self._repeated: set[Hashable] = set()
        for statement in statements:
            if statement.node.is_loop:
                self._repeated |= inner(statement)
        for guarded in later:
            self._used.add(key(guarded.condition))
            statements = [*statements, *guarded.statements]
        for statement in statements:
            self._used.update(inner(statement), map(key, statement.node.operands))

    def is_repeated(self, value: Hashable) -> bool:
        """Whether loops of this block use a value within, in every iteration."""
        return value in self._repeated

    def uses(self, value: Hashable) -> bool:
        """Whether a statement or a result of this block needs a value."""
        return value in self._used

    def hold(self, handle: Handle) -> None:
        """This code has a reference."""
        self.handles[handle] = None

    def release(self, handle: Handle) -> None:
        """The reference has gone elsewhere."""
        del self.handles[handle]
