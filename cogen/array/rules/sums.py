"""Integer sums in one normal form: sums of products (seed 003, section 6.3).

    (a + b) - a -> b        2*i + 1 + i -> 3*i + 1        n - (n - i) -> i

Ints are a ring modulo 2^64 or 2^32, so every integer expression of + - * and constants is a sum of
products of other nodes with constant factors. The products stand in the order in which their first
factors were made, the constant last, and each sum is built from the left. Equal sums are thus one
node. Products of sums are not multiplied out: that might duplicate work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.ir.graph import Graph, Rule
from cogen.array.ir.node import (
    Node,
    Operation,
)
from cogen.array.l0.arithmetic import Arithmetic

MAX_TERMS: Final = 12
"""Longer sums are left as they are."""

Sum = dict[Node, int]
"""Terms and their factors; what is multiplied by nothing has no entry."""

_RING = ("int.add", "int.sub", "int.neg", "int.mul", "int.shl")


def sum_of(a: Arithmetic, node: Node, depth: int = 2 * MAX_TERMS) -> tuple[Sum, int]:
    """An int as a sum: terms with factors, and a constant.

    What is nested deeper than `depth` is a term.
    """
    if node.is_known:
        return {}, _value(node)
    if node.operation not in _RING or node.certs:
        return {node: 1}, 0
    if depth == 0:
        return {node: 1}, 0
    depth -= 1
    if node.operation == "int.neg":
        return _scaled(a, sum_of(a, node.operands[0], depth), -1)
    x, y = node.operands
    if node.operation == "int.add":
        return _added(a, sum_of(a, x, depth), sum_of(a, y, depth))
    if node.operation == "int.sub":
        return _added(a, sum_of(a, x, depth), _scaled(a, sum_of(a, y, depth), -1))
    if node.operation == "int.mul" and y.is_known:
        return _scaled(a, sum_of(a, x, depth), _value(y))
    if node.operation == "int.mul" and x.is_known:
        return _scaled(a, sum_of(a, y, depth), _value(x))
    if node.operation == "int.shl" and y.is_known:
        return _scaled(a, sum_of(a, x, depth), 1 << (_value(y) & (a.int_bits - 1)))
    return {node: 1}, 0


def _value(node: Node) -> int:
    assert isinstance(node.known, int)
    return node.known


def _added(a: Arithmetic, x: tuple[Sum, int], y: tuple[Sum, int]) -> tuple[Sum, int]:
    terms = dict(x[0])
    for term, factor in y[0].items():
        total = a.wrap(terms.get(term, 0) + factor)
        if total:
            terms[term] = total
        else:
            terms.pop(term, None)
    return terms, a.wrap(x[1] + y[1])


def _scaled(a: Arithmetic, x: tuple[Sum, int], by: int) -> tuple[Sum, int]:
    scaled = {term: a.wrap(factor * by) for term, factor in x[0].items()}
    return {term: factor for term, factor in scaled.items() if factor}, a.wrap(x[1] * by)


def normal(graph: Graph, node: Operation) -> Node | None:
    """The node that a sum has in normal form."""
    if node.name not in _RING or node.certs:
        return None
    terms, constant = sum_of(graph.arithmetic, node)
    if len(terms) > MAX_TERMS or graph.arithmetic.least in terms.values():
        return None
    return _built(graph, terms, constant)


def _built(graph: Graph, terms: Sum, constant: int) -> Node:
    """The normal form of a sum, without asking the rules again: it is what they would give."""
    found: Node | None = None
    for term in sorted(terms, key=lambda t: (terms[t] < 0, t.number)):
        factor = terms[term]
        size = (
            graph.plain("int.mul", term, graph.integer(abs(factor))) if abs(factor) != 1 else term
        )
        if found is None:
            found = size if factor > 0 else graph.plain("int.neg", size)
        else:
            found = graph.plain("int.add" if factor > 0 else "int.sub", found, size)
    if found is None:
        return graph.integer(constant)
    if constant == 0:
        return found
    return graph.plain("int.add", found, graph.integer(constant))


def compared(graph: Graph, node: Operation) -> Node | None:
    """i + 1 = i -> False; a + 2 = b + 2 -> a = b."""
    if node.name != "int.eq":
        return None
    a = graph.arithmetic
    first, second = [sum_of(a, operand) for operand in node.operands]
    terms, constant = _added(a, first, _scaled(a, second, -1))
    if not terms:
        return graph.boolean(constant == 0)
    return None


RULES: Final[Mapping[type[Node], Sequence[Rule]]] = {Operation: [normal, compared]}
