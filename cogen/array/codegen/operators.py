"""What is known of an operator of a reduction: `op +`, a minimum, ...

A part of an operator that is one commutative operation of C has an identity, can start each thread
and each lane of a vector from it, and be written down directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cogen.array.loops.tree import BOOL, Choose, Const, Expr, Operate
from cogen.array.node import Block, If, Node, Operation, Part
from cogen.array.types import rank


@dataclass(frozen=True, slots=True)
class Known:
    """An operation: the sign that OpenMP knows it by, its identity (None: whatever it starts with,
    as for a minimum), and the row of `cogen.array.operations` that it is or, of a minimum or
    maximum, that compares. There `swapped` says that an element is compared with the accumulator,
    not the other way round, and `keeps` that the accumulator is kept where the comparison holds."""

    sign: str
    identity: int | float | bool | None
    row: str
    swapped: bool = False
    keeps: bool = False

    @property
    def is_choice(self) -> bool:
        """Whether it is a minimum or maximum."""
        return self.identity is None

    def combine(self, accumulator: Expr, value: Expr) -> Expr:
        """The new accumulator from the old one and an element."""
        if not self.is_choice:
            return Operate(self.row, (accumulator, value), accumulator.type)
        pair = (value, accumulator) if self.swapped else (accumulator, value)
        chosen = (accumulator, value) if self.keeps else (value, accumulator)
        return Choose(Operate(self.row, pair, BOOL), *chosen)

    def start(self, e: Expr) -> Expr:
        """The identity as a constant of the type of an expression; itself if there is none."""
        return e if self.identity is None else Const(self.identity, e.type)


_OPERATIONS: Final = {
    "int.add": Known("+", 0, "int.add"),
    "int.mul": Known("*", 1, "int.mul"),
    "int.and": Known("&", -1, "int.and"),
    "int.or": Known("|", 0, "int.or"),
    "int.xor": Known("^", 0, "int.xor"),
    "int.max": Known("max", None, "int.lt"),
    "int.min": Known("min", None, "int.lt", swapped=True),
    "real.add": Known("+", -0.0, "real.add"),
    "real.mul": Known("*", 1.0, "real.mul"),
    "bool.and": Known("&", True, "bool.and"),
    "bool.or": Known("|", False, "bool.or"),
}

_COMPARISONS: Final = frozenset(["int.lt", "int.le", "real.lt", "real.le"])


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
    sign = "min" if chosen[0] is test.operands[0] else "max"
    swapped, keeps = test.operands[0] is value, chosen[0] is accumulator
    return Known(sign, None, test.name, swapped, keeps)


def all_known(operators: Sequence[Known | None]) -> bool:
    """Whether all parts of an operator are known."""
    return all(known is not None for known in operators)
