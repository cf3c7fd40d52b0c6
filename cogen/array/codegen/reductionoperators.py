"""What is known of an operator of a reduction: `op +`, a minimum, ...

A part of an operator that is one commutative operation of C has an identity, can start each thread
and each lane of a vector from it, and be written down directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.ir.graphtypes import rank
from cogen.array.ir.node import (
    Block,
    If,
    Node,
    Operation,
    Part,
)
from cogen.array.loops.tree import Combination

_OPERATIONS: Final = {
    "int.add": Combination("+", 0, "int.add"),
    "int.mul": Combination("*", 1, "int.mul"),
    "int.and": Combination("&", -1, "int.and"),
    "int.or": Combination("|", 0, "int.or"),
    "int.xor": Combination("^", 0, "int.xor"),
    "int.max": Combination("max", None, "int.lt"),
    "int.min": Combination("min", None, "int.lt", swapped=True),
    "real.add": Combination("+", -0.0, "real.add"),
    "real.mul": Combination("*", 1.0, "real.mul"),
    "bool.and": Combination("&", True, "bool.and"),
    "bool.or": Combination("|", False, "bool.or"),
}

_COMPARISONS: Final = frozenset(["int.lt", "int.le", "real.lt", "real.le"])


def known_operators(operator: Block) -> list[Combination | None]:
    """For each accumulator of an operator, what it is, if that is known."""
    count = len(operator.results)
    accumulators, elements = operator.parameters[:count], operator.parameters[count:]
    return [
        _known(result, accumulator, value)
        for result, accumulator, value in zip(operator.results, accumulators, elements, strict=True)
    ]


def _known(result: Node, accumulator: Node, value: Node) -> Combination | None:
    if rank(accumulator.type):
        return None
    match result:
        case Operation(name=name, operands=operands) if set(operands) == {accumulator, value}:
            return _OPERATIONS.get(name)
        case Part(node=If() as choice, index=i):
            return _extreme(choice, i, accumulator, value)
    return None


def _extreme(node: If, index: int, accumulator: Node, value: Node) -> Combination | None:
    """A minimum or maximum that is written with a comparison."""
    test = node.condition
    if test.operation not in _COMPARISONS:
        return None
    pair = {accumulator, value}
    chosen = (node.then.results[index], node.otherwise.results[index])
    if set(test.operands) != pair or set(chosen) != pair:
        return None
    sign = "min" if chosen[0] is test.operands[0] else "max"
    swapped, keeps = test.operands[0] is value, chosen[0] is accumulator
    return Combination(sign, None, test.operation, swapped, keeps)


def all_known(operators: Sequence[Combination | None]) -> bool:
    """Whether all parts of an operator are known."""
    return all(known is not None for known in operators)
