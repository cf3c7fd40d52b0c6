"""What is known of an operator of a reduction: `op +`, a minimum, ...

A part of an operator that is one commutative operation of C has an identity, can start each thread
and each lane of a vector from it, and be written down directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cogen.array.node import Block, If, Node, Operation, Part
from cogen.array.types import rank


@dataclass(frozen=True, slots=True)
class Known:
    """An operation: the sign that OpenMP knows it by, its identity (None: whatever it starts with,
    as for a minimum), and the new accumulator from the old one and an element."""

    sign: str
    identity: str | None
    form: str


_OPERATIONS: Final = {
    "int.add": Known("+", "0", "{0} + {1}"),
    "int.mul": Known("*", "1", "{0} * {1}"),
    "int.and": Known("&", "-1", "{0} & {1}"),
    "int.or": Known("|", "0", "{0} | {1}"),
    "int.xor": Known("^", "0", "{0} ^ {1}"),
    "int.max": Known("max", None, "{0} < {1} ? {1} : {0}"),
    "int.min": Known("min", None, "{1} < {0} ? {1} : {0}"),
    "real.add": Known("+", "-0.0", "{0} + {1}"),
    "real.mul": Known("*", "1.0", "{0} * {1}"),
    "bool.and": Known("&", "true", "{0} & {1}"),
    "bool.or": Known("|", "false", "{0} | {1}"),
}

_COMPARISONS: Final = {"int.lt": "<", "int.le": "<=", "real.lt": "<", "real.le": "<="}


def known_operators(operator: Block) -> list[Known | None]:
    """For each accumulator of an operator, what it is, if that is known."""
    count = len(operator.results)
    accumulators, elements = operator.parameters[:count], operator.parameters[count:]
    return [
        _known(result, accumulator, value)
        for result, accumulator, value in zip(operator.results, accumulators, elements, strict=True)
    ]


def _known(result: Node, accumulator: Node, value: Node) -> Known | None:
    if rank(accumulator.type):
        return None
    if isinstance(result, Operation) and set(result.operands) == {accumulator, value}:
        return _OPERATIONS.get(result.name)
    if isinstance(result, Part) and isinstance(result.node, If):
        return _extreme(result.node, result.index, accumulator, value)
    return None


def _extreme(node: If, index: int, accumulator: Node, value: Node) -> Known | None:
    """A minimum or maximum that is written with a comparison."""
    test = node.condition
    if not isinstance(test, Operation) or test.name not in _COMPARISONS:
        return None
    pair = {accumulator, value}
    chosen = (node.then.results[index], node.otherwise.results[index])
    if set(test.operands) != pair or set(chosen) != pair:
        return None
    texts = {accumulator: "{0}", value: "{1}"}
    left, right = (texts[operand] for operand in test.operands)
    first, second = (texts[result] for result in chosen)
    sign = "min" if chosen[0] is test.operands[0] else "max"
    form = f"{left} {_COMPARISONS[test.name]} {right} ? {first} : {second}"
    return Known(sign, None, form)


def all_known(operators: Sequence[Known | None]) -> bool:
    """Whether all parts of an operator are known."""
    return all(known is not None for known in operators)
