"""Loops over arrays that make what is there already, or can be had without a loop.

    map(fn x => x, a) -> a        map(fn x => c, a) -> replicate(size(a), c)
    reduce(max, c, map(fn x => c, a)) -> c

The result of a map is new memory, and what stands for it here may not be: who overwrites it sees
to its other uses (`cogen.array.schedule.copies`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.ir.graph import Graph, Rule
from cogen.array.ir.memoryroots import generator_of
from cogen.array.ir.node import (
    Loop,
    Multiloop,
    Node,
    Operation,
    Part,
    shape,
)


def collected(graph: Graph, node: Part) -> Node | None:
    """The array of elements of an input, of the index, or of one value."""
    loop = node.node
    if not isinstance(loop, Multiloop):
        return None
    y = generator_of(loop, node.index)
    if not y.generator.gives_all or not y.one_each:
        return None
    (value,) = y.values
    if value is loop.index:
        return graph.iota(loop.size, loop.certs)  # map(i) -> iota(n)
    if value in loop.elements:
        array = loop.inputs[loop.elements.index(value)]
        return array if shape(array) == shape(node) else None  # map(x) -> a
    if value.free.isdisjoint(loop.body.binds):
        return graph.replicate(loop.size, value, loop.certs)  # map(c) -> replicate(n, c)
    return None


def reduced(graph: Graph, node: Part) -> Node | None:
    """What is combined of nothing but the initial value, by an operation that leaves that."""
    loop = node.node
    if not isinstance(loop, Multiloop):
        return None
    y = generator_of(loop, node.index)
    if not y.generator.gives_one or y.operator is None or len(y.values) != 1:
        return None
    (value,), (neutral,), (result,) = y.values, y.neutral, y.operator.results
    if not value.is_known or value is not neutral or y.operator.effects:
        return None
    if not isinstance(result, Operation) or result.operands != y.operator.parameters:
        return None
    found = graph.operation(result.name, value, value)
    return neutral if found is neutral else None  # reduce(max, 0, map(fn x => 0, a)) -> 0


def rounds(graph: Graph, node: Loop) -> Node | None:
    """loop for i < max(n, 0) -> loop for i < n: a negative number of rounds is none."""
    bound = node.bound
    if node.effectful or bound.operation != "int.max":
        return None
    rest = [n for n in bound.operands if not isinstance(n.known, int) or n.known > 0]
    if len(rest) != 1:
        return None
    return graph.remake(node, [rest[0], *node.initial], node.certs, node.blocks)


RULES: Final[Mapping[type[Node], Sequence[Rule]]] = {Part: [collected, reduced], Loop: [rounds]}
