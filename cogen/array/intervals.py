"""Which values an int can have, whatever the arguments are, as far as its expression tells.

    min(max(x, 0), 4095)     0 ... 4095
    a[i] of [packed "u8"]    0 ... 255
    x % 3                    0 ... 2

No condition of the program is needed for it, so nothing that relies on it has a certificate.
"""

from __future__ import annotations

from typing import Final

from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.node import Constant, Index, Node, Operation
from cogen.array.storage import Samples
from cogen.array.types import INT

MOST_DEPTH: Final = 12
"""How deep expressions are looked into."""

Interval = tuple[int, int]


class Intervals:
    """The intervals of ints, with those of packed arrays and of what stands for their elements."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.whole = arithmetic.least, arithmetic.greatest
        self.arrays: dict[Node, Interval] = {}
        self.elements: dict[Node, Interval] = {}

    def stored(self, array: Node, samples: Samples) -> None:
        """Note that an array is stored packed."""
        limits = [samples.limits(place) for place in range(len(samples.pieces))]
        found = min([least for least, _ in limits]), max([greatest for _, greatest in limits])
        if not samples.is_real and self._is_within(found):
            self.arrays[array] = found

    def element(self, x: Node, array: Node) -> None:
        """Note that something stands for the elements of an array."""
        if array in self.arrays:
            self.elements[x] = self.arrays[array]

    def _is_within(self, found: Interval) -> bool:
        return self.whole[0] <= found[0] and found[1] <= self.whole[1]

    def of(self, node: Node, depth: int = MOST_DEPTH) -> Interval:
        """The least and the greatest value of an int."""
        if isinstance(node, Constant) and type(node.value) is int:
            return node.value, node.value
        if node in self.elements:
            return self.elements[node]
        if isinstance(node, Index):
            return self.arrays.get(node.array, self.whole)
        if not isinstance(node, Operation) or node.type != INT or depth == 0:
            return self.whole
        if node.name == "bool.to_int":
            return 0, 1
        parts = [self.of(operand, depth - 1) for operand in node.operands if operand.type == INT]
        found = _combined(node.name, parts) if len(parts) == len(node.operands) else None
        return found if found is not None and self._is_within(found) else self.whole

    def decided(self, node: Node) -> bool | None:
        """Whether a comparison of ints holds, if that is known."""
        if not isinstance(node, Operation) or node.name not in ("int.lt", "int.le", "int.eq"):
            return None
        a, b = [self.of(operand) for operand in node.operands]
        if node.name == "int.eq":
            return False if a[1] < b[0] or b[1] < a[0] else None
        if a[1] < b[0] or (node.name == "int.le" and a[1] == b[0]):
            return True
        return False if b[1] < a[0] or (node.name == "int.lt" and b[1] == a[0]) else None


def _combined(name: str, parts: list[Interval]) -> Interval | None:
    """What an operation makes of ints of some intervals; None for any."""
    match name, parts:
        case "int.min", [a, b]:
            return min(a[0], b[0]), min(a[1], b[1])
        case "int.max", [a, b]:
            return max(a[0], b[0]), max(a[1], b[1])
        case "int.add", [a, b]:
            return a[0] + b[0], a[1] + b[1]
        case "int.sub", [a, b]:
            return a[0] - b[1], a[1] - b[0]
        case "int.neg", [a]:
            return -a[1], -a[0]
        case "int.mul", [a, b]:
            ends = [x * y for x in a for y in b]
            return min(ends), max(ends)
        case "int.mod", [_, (low, high)] if low > 0:
            return 0, high - 1
        case "int.div", [a, (low, high)] if low == high > 0:
            return a[0] // low, a[1] // low
        case "int.shr", [a, (low, high)] if low == high and 0 <= low < 32:
            return a[0] >> low, a[1] >> low
        case "int.and", [a, b] if a[0] >= 0 or b[0] >= 0:
            return 0, min([x[1] for x in (a, b) if x[0] >= 0])
    return None
