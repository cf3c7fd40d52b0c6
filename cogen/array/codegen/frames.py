"""Who holds which block of memory while code is made for a block of the graph.

A `Frame` belongs to a scheduled block. It holds handles: blocks of memory with one reference that
this code must give up. A handle is dropped after the last statement that uses one of the values
that lie in it, unless it moves: into a result, or into a statement that is its last use.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Final

from cogen.array.codegen.representations import Handle
from cogen.array.ir.node import Loop, Multiloop, Node, Part
from cogen.array.schedule.schedule import Guarded, Scheduled, Statement

NEVER: Final = -1
ALWAYS: Final = 1 << 60


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


class Frame:
    """The memory held by the code of one block; `at` is the number of the present statement."""

    def __init__(
        self,
        statements: Sequence[Statement],
        results: Iterable[Node] = (),
        later: Iterable[Guarded] = (),
    ) -> None:
        self.at = NEVER
        self.handles: dict[Handle, set[Hashable]] = {}
        self._last: dict[Hashable, int] = {}
        self._inner: dict[int, frozenset[Hashable]] = {}
        self._repeated: set[Hashable] = set()
        for number, statement in enumerate(statements):
            self._inner[number] = inner(statement)
            if isinstance(statement.node, (Multiloop, Loop)):
                self._repeated |= self._inner[number]
            for found in (*[key(o) for o in statement.node.operands], *self._inner[number]):
                self._last[found] = number
        for result in results:
            self._last[key(result)] = ALWAYS
        for guarded in later:
            self._last[key(guarded.condition)] = ALWAYS
            for statement in guarded.statements:
                self._last.update(dict.fromkeys(inner(statement), ALWAYS))
                self._last.update(dict.fromkeys(map(key, statement.node.operands), ALWAYS))

    def is_repeated(self, value: Hashable) -> bool:
        """Whether loops of this block use a value within, in every iteration."""
        return value in self._repeated

    def uses(self, value: Hashable) -> bool:
        """Whether a statement or a result of this block needs a value."""
        return value in self._last

    def hold(self, handle: Handle, value: Hashable | None = None) -> None:
        """This code has a reference, in which a value lies."""
        values = self.handles.setdefault(handle, set())
        if value is not None:
            values.add(value)

    def attach(self, handle: Handle | None, value: Hashable) -> None:
        """A value lies in a block that is held here, if it is."""
        if handle in self.handles:
            assert handle is not None
            self.handles[handle].add(value)

    def finished(self) -> list[Handle]:
        """The handles that nothing after the present statement uses; they are held no more."""
        found = [h for h, values in self.handles.items() if self._done(values)]
        for handle in found:
            del self.handles[handle]
        return found

    def _done(self, values: set[Hashable]) -> bool:
        return all(self._last.get(value, NEVER) <= self.at for value in values)

    def moves(self, handle: Handle) -> bool:
        """Whether the present statement may have the reference: nothing else uses the block."""
        values = self.handles.get(handle)
        if values is None or not self._done(values):
            return False
        return not values & self._inner.get(self.at, frozenset())

    def release(self, handle: Handle) -> None:
        """The reference has gone elsewhere."""
        del self.handles[handle]
