"""What is known at a place by the branches and guards around it, and what values are there.

    if c then (if c then a else b) else d     ->   if c then a else d
    if c && d then f(c, d) else e             ->   if c && d then f(True, True) else e
    if n = 3 then n * x else x                ->   if n = 3 then 3 * x else x

Facts are of a place in the tree of blocks, not of a node: what is used elsewhere too stays as it is
there (Rompf 2012, on context-sensitive transformations). What a value is under a fact
needs no certificate, since the value is used only there; where a check is proven by a fact, it is
a `cogen.array.ir.blockscope.Scope` that knows the certificate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import BOOL, INT, GraphArray
from cogen.array.ir.node import (
    If,
    Node,
    Operation,
    Part,
)

MAX_DEPTH: Final = 6
"""How deeply conditions are taken apart."""


Decided = tuple[Node, bool]
"""A condition, and whether it holds."""


class Consequences:
    """What conditions decide, each of which is looked at once: a chain of them is learnt of each of
    its members."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._found: dict[Decided, tuple[Decided, ...]] = {}

    def of(self, node: Node, value: bool) -> tuple[Decided, ...]:
        """What is decided where a condition is."""
        key = node, value
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = tuple(_consequences(self.graph, node, value))
        return found


class PlaceFacts:
    """The conditions that are decided at a place, and the ints that are constants there."""

    __slots__ = ("alternatives", "consequences", "equal", "graph", "known", "outer")

    def __init__(self, consequences: Consequences, outer: PlaceFacts | None) -> None:
        self.consequences = consequences
        self.graph = consequences.graph
        self.outer = outer
        self.known: dict[Node, bool] = {}
        self.equal: dict[Node, Node] = {}
        self.alternatives: list[Operation] = []
        """The conjunctions that do not hold, and the disjunctions that do."""

    def learn(self, condition: Node, holds: bool = True) -> PlaceFacts:
        """From here on a condition holds, or does not; the facts themselves."""
        waiting = [(condition, holds)]
        while waiting:
            node, value = waiting.pop()
            if node.is_known or node in self.known:
                continue
            self.known[node] = value
            waiting += self.consequences.of(node, value)
            if isinstance(node, Operation):
                if value and node.operation == "int.eq":
                    self._equate(*node.operands)
                if node.operation == ("bool.or" if value else "bool.and"):
                    self.alternatives.append(node)
            if not waiting:
                waiting = list(self._excluded())
        return self

    def _excluded(self) -> Iterator[Decided]:
        """What is decided because a conjunction does not hold, but one of its operands does; or
        because a disjunction holds."""
        facts: PlaceFacts | None = self
        while facts is not None:
            for node in facts.alternatives:
                value = node.operation == "bool.or"
                a, b = [self.value(operand) for operand in node.operands]
                if a is not None and b is None and a is not value:
                    yield node.operands[1], value
                elif b is not None and a is None and b is not value:
                    yield node.operands[0], value
            facts = facts.outer

    def _equate(self, a: Node, b: Node) -> None:
        if b.is_known and not a.is_known:
            self.equal[a] = b
        elif a.is_known and not b.is_known:
            self.equal[b] = a

    def value(self, condition: Node) -> bool | None:
        """Whether a condition holds here; None if that is not known."""
        facts: PlaceFacts | None = self
        while facts is not None:
            found = facts.known.get(condition)
            if found is not None:
                return found
            facts = facts.outer
        return None

    def seen(self, node: Node, depth: int = MAX_DEPTH) -> Node:
        """What a scalar is here, if that can be had for nothing; else the node itself."""
        if node.is_known or depth == 0:
            return node
        if node.type == BOOL:
            value = self.value(node)
            if value is not None:
                return self.graph.boolean(value)
        if node.type == INT:
            facts: PlaceFacts | None = self
            while facts is not None:
                if node in facts.equal:
                    return facts.equal[node]
                facts = facts.outer
        if isinstance(node, Part):
            return self._chosen(node, depth)
        if node.operation in ("bool.and", "bool.or", "bool.not"):
            return self._simpler(node, depth)
        return node

    def _chosen(self, node: Part, depth: int) -> Node:
        """Of a conditional that is decided here, the result of its branch, if that is at hand."""
        region = node.node
        if not isinstance(region, If) or isinstance(node.type, GraphArray):
            return node
        value = self.value(region.condition)
        if value is None:
            return node
        found = (region.then if value else region.otherwise).results[node.index]
        return self.seen(found, depth - 1) if found.is_atom else node

    def _simpler(self, node: Node, depth: int) -> Node:
        """A conjunction, disjunction or negation of which an operand is decided."""
        operands = [self.seen(operand, depth - 1) for operand in node.operands]
        if operands == list(node.operands):
            return node
        found = self.graph.operation(node.operation, *operands, certs=node.certs)
        return found if found.is_known or found in operands else node


def _consequences(graph: Graph, node: Node, value: bool) -> Iterator[Decided]:
    """What is decided where a condition is."""
    if node.operation == "bool.not":
        yield node.operands[0], not value
    else:
        yield graph.operation("bool.not", node), not value
    match node:
        case Part(node=If() as choice, index=i):
            yield from _of_conditional(choice, i, value)
    if not isinstance(node, Operation):
        return
    if (node.operation == "bool.and" and value) or (node.operation == "bool.or" and not value):
        yield from [(operand, value) for operand in node.operands]
    if node.operation == "int.lt" and value:  # a < b  ->  a <= b, not a = b
        yield graph.operation("int.le", *node.operands), True
        yield graph.operation("int.eq", *node.operands), False


def _of_conditional(region: If, index: int, value: bool) -> Iterator[Decided]:
    """if c then d else False holds  ->  c and d hold; and the other ways about."""
    for block, other, condition in (
        (region.then, region.otherwise, True),
        (region.otherwise, region.then, False),
    ):
        excluded = other.results[index]
        if excluded.is_known and excluded.known is not value:
            yield region.condition, condition
            yield block.results[index], value
