"""Laws of single operations: neutral and absorbing operands, comparisons, one order of operands.

Reals obey few: x + 0.0 is not x where x is -0.0, x * 0.0 not 0.0 where x is inf or nan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from cogen.array.ir.graph import Graph, Rule
from cogen.array.ir.node import (
    Node,
    Operation,
)
from cogen.array.ir.operations import TABLE

_Law = Callable[[Graph, Node, Node], "Node | None"]


def order(graph: Graph, node: Operation) -> Node | None:
    """b + a -> a + b: constants last, else what was made first comes first.

    Sums and areas of several have an order of their own.
    """
    if not TABLE[node.name].commutative or node.name in ("int.add", "int.area"):
        return None
    first, second = node.operands
    if _rank(first) > _rank(second):
        return graph.operation(node.name, second, first, certs=node.certs)
    return None


def _rank(node: Node) -> tuple[bool, int]:
    return node.is_known, node.number


def law(graph: Graph, node: Operation) -> Node | None:
    """The law of an operation, if it has one; those that have have two operands."""
    found = _LAWS.get(node.name)
    return None if found is None else found(graph, node.operands[0], node.operands[1])


def negation(graph: Graph, node: Operation) -> Node | None:
    """Laws of the operations of one operand."""
    x = node.operands[0]
    if not isinstance(x, Operation):
        return None
    if node.name == x.name and node.name in ("bool.not", "int.neg", "real.neg"):
        return x.operands[0]  # not not x -> x
    if node.name == "bool.not" and x.name in ("int.lt", "int.le"):
        a, b = x.operands
        other = "int.le" if x.name == "int.lt" else "int.lt"
        return graph.operation(other, b, a)  # not (a < b) -> b <= a
    return None


def _is(node: Node, value: object) -> bool:
    """Whether a node is a constant of this value and type; 0.0 is not -0.0."""
    return node.is_known and repr(node.known) == repr(value)


def _divided(graph: Graph, a: Node, b: Node) -> Node | None:
    return a if _is(b, 1) else None  # a / 1 -> a


def _modulo(graph: Graph, a: Node, b: Node) -> Node | None:
    return graph.integer(0) if _is(b, 1) else None  # a % 1 -> 0


def _power(graph: Graph, a: Node, b: Node) -> Node | None:
    if _is(b, 0):
        return graph.integer(1)  # a pow 0 -> 1
    return a if _is(b, 1) else None  # a pow 1 -> a


def _bits_and(graph: Graph, a: Node, b: Node) -> Node | None:
    if a is b or _is(b, -1):
        return a  # a & a -> a, a & -1 -> a
    return b if _is(b, 0) else None  # a & 0 -> 0


def _bits_or(graph: Graph, a: Node, b: Node) -> Node | None:
    if a is b or _is(b, 0):
        return a  # a | a -> a, a | 0 -> a
    return b if _is(b, -1) else None  # a | -1 -> -1


def _bits_xor(graph: Graph, a: Node, b: Node) -> Node | None:
    if a is b:
        return graph.integer(0)  # a ^ a -> 0
    return a if _is(b, 0) else None  # a ^ 0 -> a


def _shift(graph: Graph, a: Node, b: Node) -> Node | None:
    return a if _is(b, 0) or _is(a, 0) else None  # a << 0 -> a, 0 << b -> 0


def _equal(graph: Graph, a: Node, b: Node) -> Node | None:
    return graph.boolean(True) if a is b else None  # a = a -> True


def _less(graph: Graph, a: Node, b: Node) -> Node | None:
    return graph.boolean(False) if a is b else None  # a < a -> False


def _at_most(graph: Graph, a: Node, b: Node) -> Node | None:
    if a is b:
        return graph.boolean(True)  # a <= a -> True
    if a.operation == "int.area" and _is(b, graph.arithmetic.max_elements):
        x, y = a.operands
        if _is(y, 1):
            return graph.operation("int.le", x, b)  # area(x, 1) <= limit -> x <= limit
    return None


def _and(graph: Graph, a: Node, b: Node) -> Node | None:
    if a is b or _is(b, True):
        return a  # a && a -> a, a && True -> a
    return b if _is(b, False) else None  # a && False -> False


def _or(graph: Graph, a: Node, b: Node) -> Node | None:
    if a is b or _is(b, False):
        return a  # a || a -> a, a || False -> a
    return b if _is(b, True) else None  # a || True -> True


def _area(graph: Graph, a: Node, b: Node) -> Node | None:
    """Areas of several sizes in one order, the constant last."""
    terms: list[Node] = []
    constant = 1
    waiting = [a, b]
    while waiting:
        node = waiting.pop()
        if node.is_known:
            assert isinstance(node.known, int)
            constant *= max(node.known, 1)
        elif node.operation == "int.area":
            waiting.extend(node.operands)
        else:
            terms.append(node)
    terms.sort(key=_rank)
    if constant > 1 or len(terms) < 2:
        terms.append(graph.integer(min(constant, graph.arithmetic.max_elements + 1)))
    first, *rest = terms
    for term in rest:
        first = graph.plain("int.area", first, term)
    return first


def _max(graph: Graph, a: Node, b: Node) -> Node | None:
    return a if a is b else None  # max(a, a) -> a


def _real_product(graph: Graph, a: Node, b: Node) -> Node | None:
    return a if _is(b, 1.0) else None  # a * 1.0 -> a


def _real_quotient(graph: Graph, a: Node, b: Node) -> Node | None:
    return a if _is(b, 1.0) else None  # a / 1.0 -> a


def _real_difference(graph: Graph, a: Node, b: Node) -> Node | None:
    return a if _is(b, 0.0) else None  # a - 0.0 -> a


def _real_sum(graph: Graph, a: Node, b: Node) -> Node | None:
    return a if _is(b, -0.0) else None  # a + -0.0 -> a


_LAWS: Final[dict[str, _Law]] = {
    "int.div": _divided,
    "int.mod": _modulo,
    "int.pow": _power,
    "int.and": _bits_and,
    "int.or": _bits_or,
    "int.xor": _bits_xor,
    "int.shl": _shift,
    "int.shr": _shift,
    "int.eq": _equal,
    "char.eq": _equal,
    "char.lt": _less,
    "char.le": _at_most,
    "int.lt": _less,
    "int.le": _at_most,
    "int.area": _area,
    "int.max": _max,
    "int.min": _max,
    "real.add": _real_sum,
    "real.sub": _real_difference,
    "real.mul": _real_product,
    "real.div": _real_quotient,
    "bool.and": _and,
    "bool.or": _or,
}


RULES: Final[Mapping[type[Node], Sequence[Rule]]] = {Operation: [order, law, negation]}
