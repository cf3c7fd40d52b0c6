"""Who holds which block of memory while code is made for a block of the graph.

A `MemoryFrame` belongs to a scheduled block. It holds handles: blocks of memory with one reference
that this code gives up at its end, unless that moves into a result. Whether it can be given up
earlier is found on loops (`cogen.array.loops.release`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from cogen.array.codegen.representations import Handle
from cogen.array.ir.node import Node
from cogen.array.schedule.schedule import Guarded, Statement
from cogen.array.schedule.usage import inner, key


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
        for guarded in later:
            self._used.add(key(guarded.condition))
            statements = [*statements, *guarded.statements]
        for statement in statements:
            self._used.update(inner(statement), map(key, statement.node.operands))

    def uses(self, value: Hashable) -> bool:
        """Whether a statement or a result of this block needs a value."""
        return value in self._used

    def hold(self, handle: Handle) -> None:
        """This code has a reference."""
        self.handles[handle] = None

    def release(self, handle: Handle) -> None:
        """The reference has gone elsewhere."""
        del self.handles[handle]
