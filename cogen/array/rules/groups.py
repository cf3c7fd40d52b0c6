"""Where groups begin: what is known of the offsets that a Bucket gives which collects.

    0 <= o[k]    o[k] <= n    o[k] <= o[k + 1]    for o the offsets of groups of n elements

so parts of the elements that these bound need no checks, and are no longer than they seem:

    min(n, o[k]) -> o[k]    max(o[k + 1] - o[k], 0) -> o[k + 1] - o[k]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.ir.generators import (
    Bucket,
    groups,
)
from cogen.array.ir.graph import Graph, Rule
from cogen.array.ir.node import (
    Index,
    Multiloop,
    Node,
    Operation,
    Part,
    Yield,
)

Group = tuple[Multiloop, Yield]
"""A loop, and the generator of it that makes groups."""


def bounded(graph: Graph, node: Operation) -> Node | None:
    """A comparison or an extreme of offsets, as far as it is known."""
    if node.name not in ("int.le", "int.min", "int.max"):
        return None
    a, b = node.operands
    if node.name == "int.le":
        return graph.boolean(True) if _is_at_most(a, b) else None
    if _is_at_most(a, b):
        return a if node.name == "int.min" else b
    if _is_at_most(b, a):
        return b if node.name == "int.min" else a
    return None


def _is_at_most(a: Node, b: Node) -> bool:
    if _is_zero(a):  # 0 <= o[k], 0 <= o[k + 1] - o[k]
        return _offset(b) is not None or length_of(b) is not None
    group = _offset(a)
    if group is not None and _is_total(group, b):  # o[k] <= n
        return True
    length, rest = length_of(a), _difference(b)  # o[k + 1] - o[k] <= n - o[k]
    return (
        length is not None
        and rest is not None
        and _is_total(length[0], rest[0])
        and rest[1] is length[1]
    )


def _is_total(group: Group, node: Node) -> bool:
    """Whether a number is that of all elements of groups."""
    loop, y = group
    assert isinstance(y.generator, Bucket)
    if not y.totals:
        return loop.size is node
    last = y.first + y.gives - 1
    return isinstance(node, Part) and node.node is loop and node.index == last


def _is_zero(node: Node) -> bool:
    return node.known == 0


def _offset(node: Node) -> Group | None:
    """What makes groups, of an offset."""
    if not isinstance(node, Index) or len(node.indices) != 1 or not isinstance(node.array, Part):
        return None
    loop, number = node.array.node, node.array.index
    if not isinstance(loop, Multiloop):
        return None
    for y in loop.yields():
        if groups(y.generator) and y.first + y.generator.inside == number:
            return loop, y
    return None


def _difference(node: Node) -> tuple[Node, Node] | None:
    if node.operation == "int.sub":
        return node.operands[0], node.operands[1]
    return None


def length_of(node: Node) -> tuple[Group, Node] | None:
    """What makes groups, and the offset of one, of the number of its elements."""
    found = _difference(node)
    if found is None:
        return None
    end, start = found
    group = _offset(start)
    if group is None:
        return None
    return (group, start) if _follows(end, start) else None


def _follows(end: Node, start: Node) -> bool:
    """Whether one offset is the one after the other."""
    return (
        isinstance(end, Index)
        and isinstance(start, Index)
        and end.array is start.array
        and is_next(end.indices[0], start.indices[0])
    )


def is_next(following: Node, number: Node) -> bool:
    """Whether one is the other plus 1."""
    if isinstance(number.known, int) and following.is_known:
        return following.known == number.known + 1
    if following.operation != "int.add":
        return False
    one = [n for n in following.operands if n is not number]
    return len(one) == 1 and one[0].known == 1


RULES: Final[Mapping[type[Node], Sequence[Rule]]] = {Operation: [bounded]}
