"""Finds what a redomap's step gives its operator: step = operator(accumulator, something).

    operator: acc + x      step: acc + u * v      gives u * v

Then redomap(operator, step, e, a) is reduce(operator, e, map(something, a)) (seed 003, section
3.3). The step is compared with the operator's results: where the operator has its element, the
step must have something that does not depend on the accumulator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.ir.graph import Graph
from cogen.array.ir.node import (
    Block,
    If,
    Node,
    Operation,
    Parameter,
)
from cogen.array.ir.operations import TABLE

MAX_TRIALS: Final = 1000
"""How many orders of operands are compared."""


def divide_step(graph: Graph, operator: Block, step: Sequence[Node]) -> list[Node] | None:
    """What the operator's elements are in the step, or None if it is no such step.

    `step` depends on the operator's own accumulators, the first half of its parameters.
    """
    count = len(operator.results)
    accumulators = frozenset(operator.parameters[:count])
    elements = operator.parameters[count:]
    if operator.effects:
        return None
    match = _Match(frozenset(elements), {})
    for wanted, given in zip(operator.results, step, strict=True):
        difference = _difference(graph, wanted, given)
        if difference is not None and difference[0] not in match.found:
            match.found[difference[0]] = difference[1]
        elif not match.one(wanted, given):
            return None
    found = match.found
    if any(element not in found for element in elements):
        return None
    if any(not node.free.isdisjoint(accumulators) for node in found.values()):
        return None
    return [found[element] for element in elements]


def _difference(graph: Graph, wanted: Node, given: Node) -> tuple[Node, Node] | None:
    """Of an operator that adds ints, its element and the step less the accumulator."""
    if wanted.operation != "int.add":
        return None
    accumulator, element = sorted(wanted.operands, key=lambda node: node.number)
    if not (isinstance(accumulator, Parameter) and isinstance(element, Parameter)):
        return None
    return element, graph.operation("int.sub", given, accumulator)


class _Match:
    """Compares an operator's results with a step's; `found` are the operator's elements so far.

    Operands of commutative operations are tried in both orders; after `MAX_TRIALS` no more are.
    """

    def __init__(self, elements: frozenset[Node], found: dict[Node, Node]) -> None:
        self.elements = elements
        self.found = found
        self.trials = 0

    def one(self, wanted: Node, given: Node) -> bool:
        """Whether the operator's result is the step's."""
        if wanted in self.elements:
            return self.found.setdefault(wanted, given) is given
        if wanted is given:
            return True
        if wanted.free.isdisjoint(self.elements) or wanted.certs:
            return False
        if type(wanted) is not type(given) or wanted.attributes != given.attributes:
            return False
        if wanted.blocks:
            return self._if(wanted, given)
        orders = [given.operands]
        if isinstance(wanted, Operation) and TABLE[wanted.name].commutative:
            orders.append(given.operands[::-1])
        return any(self._order(wanted, order) for order in orders)

    def _order(self, wanted: Node, operands: Sequence[Node]) -> bool:
        self.trials += 1
        before = dict(self.found)
        if self.trials <= MAX_TRIALS and self._all(wanted.operands, operands):
            return True
        self.found = before
        return False

    def _all(self, wanted: Sequence[Node], given: Sequence[Node]) -> bool:
        if len(wanted) != len(given):
            return False
        return all(self.one(a, b) for a, b in zip(wanted, given, strict=True))

    def _if(self, wanted: Node, given: Node) -> bool:
        if not isinstance(wanted, If) or wanted.effectful or given.effectful:
            return False
        pairs = [(wanted.operands, given.operands)]
        pairs += [(a.results, b.results) for a, b in zip(wanted.blocks, given.blocks, strict=True)]
        return all(self._all(a, b) for a, b in pairs)
