"""Which values an int can have, whatever the arguments are, as far as its expression tells.

    min(max(x, 0), 4095)     0 ... 4095
    a[i] of [packed "u8"]    0 ... 255
    x % 3                    0 ... 2
    if x < 0 then 0 else if x < 15 then x else 15                         0 ... 15

No condition of the program is needed for it, so nothing that relies on it has a certificate.
"""

from __future__ import annotations

from typing import Final

from cogen.array.ir.graphtypes import INT
from cogen.array.ir.node import (
    If,
    Index,
    Node,
    Operation,
    Part,
)
from cogen.array.ir.operations import table
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.storage import Samples
from cogen.interval import Interval, compare, join, refine, result
from cogen.lang.datum import INT_MIN
from cogen.lang.prims import PRIMITIVES

MOST_DEPTH: Final = 12
"""How deep expressions are looked into."""

_BRANCH: Final = 3
"""A branch counts as so many operations, since its condition is looked into, too."""


class Intervals:
    """The intervals of ints, with those of packed arrays and of what stands for their elements."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.whole = arithmetic.least, arithmetic.greatest
        self.arrays: dict[Node, Interval] = {}
        self.elements: dict[Node, Interval] = {}
        self._found: dict[Node, Interval] = {}
        """Of operations that were asked for, wherever they stand."""

    def stored(self, array: Node, samples: Samples) -> None:
        """Note that an array is stored packed."""
        limits = [samples.limits(place) for place in range(len(samples.pieces))]
        found = min([least for least, _ in limits]), max([greatest for _, greatest in limits])
        if not samples.is_real and self._is_within(found):
            self.arrays[array] = found
            self._found.clear()

    def element(self, x: Node, array: Node) -> None:
        """Note that something stands for the elements of an array."""
        if array in self.arrays:
            self.elements[x] = self.arrays[array]
            self._found.clear()

    def _is_within(self, found: Interval) -> bool:
        return self.whole[0] <= found[0] and found[1] <= self.whole[1]

    def of(self, node: Node, depth: int = MOST_DEPTH) -> Interval:
        """The least and the greatest value of an int."""
        if node.is_known and type(node.known) is int:
            return node.known, node.known
        if node in self.elements:
            return self.elements[node]
        if isinstance(node, Index):
            return self.arrays.get(node.array, self.whole)
        if node.type != INT or depth <= 0:
            return self.whole
        match node:
            case Part(node=If() as choice, index=i):
                return self._of_branches(choice, i, depth - _BRANCH)
        if not isinstance(node, Operation):
            return self.whole
        if node in self._found:
            return self._found[node]
        found = self._of_operation(node, depth)
        if depth == MOST_DEPTH:
            self._found[node] = found
        return found

    def _of_operation(self, node: Operation, depth: int) -> Interval:
        if node.name == "bool.to_int":
            return 0, 1
        parts = [self.of(operand, depth - 1) for operand in node.operands if operand.type == INT]
        found = _combined(node.name, parts) if len(parts) == len(node.operands) else None
        return found if found is not None and self._is_within(found) else self.whole

    def _of_branches(self, choice: If, index: int, depth: int) -> Interval:
        """A result of a conditional: in each branch its condition holds, or does not."""
        found: list[Interval] = []
        for block, holds in ((choice.then, True), (choice.otherwise, False)):
            known = self._where(choice.condition, holds, depth)
            if known is None:
                continue  # the branch is never taken
            before, outside = self.elements, self._found
            self.elements, self._found = before | known, {}
            found.append(self.of(block.results[index], depth))
            self.elements, self._found = before, outside
        return self.whole if not found else found[0] if len(found) == 1 else join(*found)

    def _where(self, condition: Node, holds: bool, depth: int) -> dict[Node, Interval] | None:
        """The intervals of ints where a condition holds, or does not; None if that is nowhere."""
        if condition.operation not in _COMPARISONS:
            return {}
        sign = _COMPARISONS[condition.operation]
        a, b = condition.operands
        of_a, of_b = self.of(a, depth), self.of(b, depth)
        found = refine(sign if holds else _OPPOSITES[sign], of_a, of_b)
        return None if found is None else {a: found[0], b: found[1]}

    def decided(self, node: Node) -> bool | None:
        """Whether a comparison of ints holds, if that is known."""
        if node.operation not in _COMPARISONS:
            return None
        a, b = [self.of(operand) for operand in node.operands]
        return compare(_COMPARISONS[node.operation], a, b)


_COMPARISONS: Final = {"int.lt": "<", "int.le": "<=", "int.eq": "="}

_OPPOSITES: Final = {"<": ">=", "<=": ">", "=": "!="}

_OF_OPERATORS: Final = {row.operator: name for name, row in PRIMITIVES.items() if row.operator}

SAME: Final = {
    name: _OF_OPERATORS.get(row.symbol, row.symbol)
    for name, row in table(WIDE).items()
    if {*row.operands, row.result} == {INT}
    and (row.symbol in PRIMITIVES or (row.symbol in _OF_OPERATORS and len(row.operands) == 2))
}
"""For operations of ints those of the language that give the same where they do not fail."""


def _combined(name: str, parts: list[Interval]) -> Interval | None:
    """What an operation makes of ints of some intervals; None for any, as ints wrap around."""
    match name, parts:
        case "int.neg", [a]:
            return result("word-sub", [(0, 0), a])
        case "int.shr", [a, (low, high)]:
            known = low == high and 0 <= low < 32
            return result("arithmetic-shift", [a, (-low, -low)]) if known else None
        case "int.abs", [(low, _)] if low == INT_MIN:
            return None
        case "int.div", [_, (low, _)] if low <= 0:
            return None
    same = SAME.get(name)
    return None if same is None else result(same, parts)
