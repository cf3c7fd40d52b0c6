"""schedule -> schedule: views that each iteration of a loop walks through are put in order first.

    t = rearrange(1, 0) a                   t = rearrange(1, 0) turned a
    m = multiloop n                   ->    m = multiloop n
        ... reduces t[i] ...                    ... reduces t[i] ...

So neighbours, which the iterations ask for over and over, lie side by side: the code stores the
array in memory if they do not already. Kernels of devices have no memory to do that in.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from cogen.array.ir.node import Rearrange
from cogen.array.schedule.schedule import Scheduled, Statement
from cogen.array.schedule.usage import inner, key


def turn(block: Scheduled) -> Scheduled:
    """A block in which views that loops walk through again and again are marked."""
    return replace(
        block,
        statements=_turned(block.statements),
        guarded=tuple([replace(g, statements=_turned(g.statements)) for g in block.guarded]),
    )


def _turned(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    repeated: set[Hashable] = set()
    for statement in statements:
        if statement.node.is_loop:
            repeated |= inner(statement)
    return tuple([
        replace(
            statement,
            blocks=tuple(map(turn, statement.blocks)),
            turned=isinstance(statement.node, Rearrange) and key(statement.node) in repeated,
        )
        for statement in statements
    ])  # fmt: skip
