"""Sizes that loops compare: the checks in a block -> which sizes differ in no run that goes on.

    map(fn [int] ([int] x, [int] y) => map(op +, zip(x, y)), zip(a, b))

fails where the rows of `a` and `b` differ in size, unless there are no rows. So an operator on
matrices is one on matrices of one shape, though its checks stand in the loop over their rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cogen.array.ir.node import (
    Assert,
    Multiloop,
    Node,
)

Compared = tuple[Node, Node, tuple[Node, ...]]
"""Two sizes, and the numbers of iterations of the loops around where they are compared."""


def compared(effects: Sequence[Node]) -> Iterator[Compared]:
    """The sizes that are compared where control comes by whenever a block is run, in loops that go
    through all their iterations."""
    for effect in effects:
        if isinstance(effect, Assert):
            for condition in _parts(effect.condition):
                if condition.operation == "int.eq":
                    yield condition.operands[0], condition.operands[1], ()
        elif isinstance(effect, Multiloop):
            for first, second, around in compared(effect.body.effects):
                yield first, second, (effect.size, *around)


def _parts(condition: Node) -> Iterator[Node]:
    """The conditions that all hold where one does."""
    waiting = [condition]
    while waiting:
        found = waiting.pop()
        if found.operation == "bool.and":
            waiting += found.operands
        else:
            yield found
