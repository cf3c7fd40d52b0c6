"""Results of conditionals that need no branch.

    if c then x else x -> x        if c then True else False -> c
    if a < b then a else b -> min(a, b)

The last only of ints: of reals it matters which operand is nan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.graph import Graph, Rule
from cogen.array.node import Constant, If, Node, Operation, Part
from cogen.array.types import ArrayType, Own


def result(graph: Graph, node: Part) -> Node | None:
    """A result that both branches have, or that is the condition itself."""
    region = node.node
    if not isinstance(region, If):
        return None
    t = region.results[node.index]
    if isinstance(t, ArrayType) and any(isinstance(n, Own) for n in t.shape):
        return None
    first, second = region.then.results[node.index], region.otherwise.results[node.index]
    if first is second:
        return first  # if c then x else x -> x
    if isinstance(first, Constant) and isinstance(second, Constant):
        if (first.value, second.value) == (True, False) and type(first.value) is bool:
            return region.condition  # if c then True else False -> c
        if (first.value, second.value) == (False, True) and type(first.value) is bool:
            return graph.operation("bool.not", region.condition)
    return _extreme(graph, region.condition, first, second)


def _extreme(graph: Graph, condition: Node, first: Node, second: Node) -> Node | None:
    """The less or the greater of two ints that a condition compares."""
    if not isinstance(condition, Operation) or condition.name not in ("int.lt", "int.le"):
        return None
    if condition.operands == (first, second):
        return graph.operation("int.min", first, second)  # if a < b then a else b
    if condition.operands == (second, first):
        return graph.operation("int.max", first, second)  # if b < a then a else b
    return None


RULES: Final[Mapping[type[Node], Sequence[Rule]]] = {Part: [result]}
