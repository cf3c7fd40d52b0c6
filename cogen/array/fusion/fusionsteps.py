"""Which rules are on, how many steps may still be taken, and which were.

A wrong result can be bisected: switch rules off by name, then limit the number of steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cogen.array.fusion.mirror import Makers
from cogen.array.ir.node import (
    Multiloop,
    Node,
)


@dataclass(slots=True)
class FusionSteps:
    """The rules that are off, the steps left, and the rule last applied to each operation.

    `origins` are the source's operations of each node; `rules` has the last rule by operation,
    `taken` all of them in order, `makers` the operations that made the results of loops.
    """

    origins: Mapping[Node, frozenset[int]]
    off: frozenset[str] = frozenset()
    limit: int | None = None
    taken: list[str] = field(default_factory=list)
    rules: dict[int, str] = field(default_factory=dict)
    makers: Makers = field(init=False)
    moved: set[tuple[str, frozenset[int], int]] = field(default_factory=set)
    """The moves that were made, by rule, operations and kind of view: none is made twice."""
    splits: int = 0
    """How many conditionals may still fall apart: what joins conditionals undoes that."""

    def __post_init__(self) -> None:
        self.makers = Makers(self.origins)

    def allows(self, rule: str) -> bool:
        """Whether a rule is on, and a step left."""
        return rule not in self.off and (self.limit is None or len(self.taken) < self.limit)

    def take(self, rule: str, *loops: Multiloop) -> bool:
        """Count a step that concerns some loops; False if none is left or the rule is off."""
        if not self.allows(rule):
            return False
        self.taken.append(rule)
        for loop in loops:
            for operation in self.origins.get(loop, ()):
                self.rules[operation] = rule
        return True
