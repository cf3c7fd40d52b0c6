"""Operations on constants are computed: constant folding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.ir.graph import Graph, Rule
from cogen.array.ir.node import (
    Node,
    Operation,
)
from cogen.array.l0.operators import Fault


def fold(graph: Graph, node: Operation) -> Node | None:
    """2 + 3 -> 5; what has no result stays."""
    values = []
    for operand in node.operands:
        if not operand.is_known:
            return None
        values.append(operand.known)
    row = graph.operations[node.name]
    try:
        return graph.constant(row.meaning(*values), row.result)
    except Fault:
        return None


RULES: Final[Mapping[type[Node], Sequence[Rule]]] = {Operation: [fold]}
