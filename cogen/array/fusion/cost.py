"""What a computation costs, in units of an addition, by the table of operations."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Final

from cogen.array.ir.graphwalk import dependents
from cogen.array.ir.node import (
    Multiloop,
    Node,
    Parameter,
)

DUPLICATION_LIMIT: Final = 64
"""What may be computed once more for each element rather than put into memory and read again: two
calls of exp and a score of additions are about the price of a miss of the cache."""


def cost(values: Iterable[Node], bound: Collection[Parameter]) -> float:
    """The cost of what some values depend on and that depends on what a body binds.

    Infinite where it is not constant: reductions, scans, loops, calls. A loop that only collects
    counts as its body, for each element of what it makes.
    """
    total: float = 0
    for node in dependents(values, bound):
        total += _own(node)
        if total == math.inf:
            break
    return total


def _own(node: Node) -> float:
    """The cost of a node without what it depends on."""
    if node.cost:
        return node.cost
    if node.effectful:
        return math.inf
    if isinstance(node, Multiloop):
        plain = all(y.generator.gives_all and y.one_each for y in node.yields())
        return 0 if plain else math.inf
    return math.inf if node.takes_time else 0


def has_loops(values: Iterable[Node], bound: Collection[Parameter]) -> bool:
    """Whether some values depend on loops that depend on what a body binds."""
    return any(node.is_loop for node in dependents(values, bound))
