"""Results of conditionals that need no branch.

    if c then x else x -> x        if c then True else False -> c
    if a < b then a else b -> min(a, b)
    (if c then 1 else 0) = 0 -> not c          any test of chosen constants
    (if c then 1 else 0) = (if c then 1 else 0) -> True

The minimum only of ints: of reals it matters which operand is nan.  The test is that of a union's
case, where the value was made in branches (seed 002: conditionals over records).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.ir.graph import Graph, Rule
from cogen.array.ir.graphtypes import BOOL, Own
from cogen.array.ir.graphtypes import shape as type_shape
from cogen.array.ir.node import (
    Constant,
    If,
    Node,
    Operation,
    Part,
    choice_of,
)
from cogen.array.l0.operators import Fault


def result(graph: Graph, node: Part) -> Node | None:
    """A result that both branches have, or that is the condition itself."""
    region = node.node
    if not isinstance(region, If):
        return None
    t = region.results[node.index]
    if any(isinstance(n, Own) for n in type_shape(t)):
        return None
    first, second = region.then.results[node.index], region.otherwise.results[node.index]
    if first is second:
        return first  # if c then x else x -> x
    if first.is_known and second.is_known:
        if (first.known, second.known) == (True, False) and type(first.known) is bool:
            return region.condition  # if c then True else False -> c
        if (first.known, second.known) == (False, True) and type(first.known) is bool:
            return graph.operation("bool.not", region.condition)
    return _extreme(graph, region.condition, first, second)


def _extreme(graph: Graph, condition: Node, first: Node, second: Node) -> Node | None:
    """The less or the greater of two ints that a condition compares."""
    if condition.operation not in ("int.lt", "int.le"):
        return None
    if condition.operands == (first, second):
        return graph.operation("int.min", first, second)  # if a < b then a else b
    if condition.operands == (second, first):
        return graph.operation("int.max", first, second)  # if b < a then a else b
    return None


def chosen_constant(graph: Graph, node: Operation) -> Node | None:
    """A test of a constant and of what branches choose among constants."""
    row = graph.operations[node.name]
    chosen = [k for k, operand in enumerate(node.operands) if not operand.is_known]
    if row.result != BOOL or len(chosen) != 1:
        return _alike(graph, node) if row.result == BOOL and len(chosen) == 2 else None
    values = [n.known if n.is_known else None for n in node.operands]

    def tested(choice: Node) -> Node | None:
        match choice:
            case Constant(value=value):
                values[chosen[0]] = value
                try:
                    return graph.constant(row.meaning(*values), BOOL)
                except Fault:
                    return None
            case Part(node=If() as region, index=i):
                first = tested(region.then.results[i])
                second = None if first is None else tested(region.otherwise.results[i])
                if first is not None and second is not None:
                    return _choice(graph, region, first, second)
        return None

    return tested(node.operands[chosen[0]])


def _alike(graph: Graph, node: Operation) -> Node | None:
    """A test of two choices among constants by one condition."""
    choices = [choice_of(operand) for operand in node.operands]
    region, other = choices if len(choices) == 2 else (None, None)
    if region is None or other is None or region.condition is not other.condition:
        return None
    found: list[Node] = []
    for pair in zip(*[operand.ways for operand in node.operands], strict=True):
        values = [value.known for value in pair if value.is_known]
        if len(values) < len(pair):
            return None
        try:
            found.append(graph.constant(graph.operations[node.name].meaning(*values), BOOL))
        except Fault:
            return None
    return _choice(graph, region, *found)


def _choice(graph: Graph, region: If, first: Node, second: Node) -> Node | None:
    """One of two truths by a condition, if one is constant and none depends on the branches."""
    c = region.condition
    if first is second:
        return first
    if {region.then.token, region.otherwise.token} & (first.free | second.free):
        return None
    match first, second:
        case Constant(value=True), _:
            return graph.operation("bool.or", c, second)
        case Constant(value=False), _:
            return graph.operation("bool.and", graph.operation("bool.not", c), second)
        case _, Constant(value=True):
            return graph.operation("bool.or", graph.operation("bool.not", c), first)
        case _, Constant(value=False):
            return graph.operation("bool.and", c, first)
    return None


RULES: Final[Mapping[type[Node], Sequence[Rule]]] = {
    Part: [result],
    Operation: [chosen_constant],
}
