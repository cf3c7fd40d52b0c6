"""A loop that is left -> what a round of it does: arrays read and written, operations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from cogen.array.ir.graphtypes import GraphArray
from cogen.array.ir.graphwalk import dependents
from cogen.array.ir.node import Index, Multiloop, Node
from cogen.array.ir.operations import LOAD


@dataclass(frozen=True, slots=True)
class LoopWork:
    """How many arrays a loop reads and writes, and what a round costs in units of an addition;
    infinite if there are loops within it whose rounds are not counted."""

    reads: int
    writes: int
    additions: float

    @property
    def short(self) -> str:
        """As it stands in the loop's box."""
        work = "" if self.additions == math.inf else f", ≈ {self.additions:.0f} additions"
        return f"reads {self.reads}, writes {self.writes}{work}"

    @property
    def told(self) -> str:
        """In a sentence."""
        told = f"it reads {self.reads} array{'s' * (self.reads != 1)} and writes {self.writes}"
        if self.additions == math.inf:
            return f"{told}; a round has loops within"
        return f"{told}; a round costs about {self.additions:.0f} additions"


def work_of(loop: Multiloop) -> LoopWork:
    """What a loop does."""
    read: dict[Node, None] = {}
    for node in (*loop.inputs, *_indexed(loop)):
        if isinstance(node.type, GraphArray) and not node.is_formula:
            read[node] = None
    written = sum(isinstance(one, GraphArray) for one in loop.results)
    loads = sum(isinstance(node.type, GraphArray) for node in loop.inputs)
    return LoopWork(len(read), written, LOAD * loads + sum(map(_additions, _computed(loop))))


def _additions(node: Node) -> float:
    return node.cost or (math.inf if node.takes_time else 1 if node.effectful else 0)


def _computed(loop: Multiloop) -> Iterator[Node]:
    """What a round computes, with what puts its values together."""
    yield from dependents((*loop.body.results, *loop.body.effects), loop.body.binds)
    for y in loop.yields():
        if y.operator is not None:
            yield from dependents(y.operator.results, y.operator.binds)


def _indexed(loop: Multiloop) -> list[Node]:
    """The arrays from outside of which a round takes elements by index."""
    arrays = (node.operands[0] for node in _computed(loop) if isinstance(node, Index))
    return [array for array in arrays if array.free.isdisjoint(loop.body.binds)]
