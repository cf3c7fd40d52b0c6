"""What scheduled blocks and statements use, by keys that stand for nodes."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

from cogen.array.ir.node import (
    Node,
    Part,
)
from cogen.array.schedule.schedule import Scheduled, Statement


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
