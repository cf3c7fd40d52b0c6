"""Computes what only branches of several conditionals need where one of them runs.

    s = reduce(f, e, a),  if c then g(s) else x,  if d then h(s) else y
    ->  s = if c || d then reduce(f, e, a) else 0,  ...

Computed in front of the conditionals it would be for nothing where neither runs; in each of them it
would be computed twice where both do (Rompf 2012, section "Code Motion", duplicates it). It is done
for loops that give scalars and for operations that cost something, where the conditions are known
before. What cheap operations make of it goes with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cogen.array.fusion.consumption import Consumption, roots
from cogen.array.fusion.dependence import DataFlow
from cogen.array.fusion.mergedgenerators import zero
from cogen.array.fusion.mirror import Mirror, captured
from cogen.array.fusion.nodeplaces import Places, User
from cogen.array.ir import node as ir
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT, ScalarType

COSTLY: Final = 20
"""An operation that costs so much is worth a test."""


class Delay:
    """A conditional around something, of which `results` are used; a `Replacement` for it."""

    def __init__(
        self, node: ir.Node, results: Sequence[ir.Node], conditions: Sequence[ir.Node]
    ) -> None:
        self.node = node
        self.results = results
        self.conditions = conditions

    def needs(self) -> Iterable[ir.Node]:
        """What is used from outside."""
        own = captured(self.node)
        return [*self.conditions, *self.node.operands, *self.node.certs, *own]

    def build(self, mirror: Mirror) -> None:
        """Lets the results of the conditional stand for those used."""
        graph = mirror.graph
        condition, *others = mirror.nodes(self.conditions)
        for other in others:
            condition = graph.operation("bool.or", condition, other)
        inner = Mirror(graph, mirror, frozenset([self.node, *self.results]))
        found = inner.nodes(self.results)
        types = tuple([result.type for result in found])
        then = ir.Block(graph.parameter("here", CERT), (), (), found)
        zeros = tuple([zero(graph, t) for t in types])
        otherwise = ir.Block(graph.parameter("here", CERT), (), (), zeros)
        made = graph.region(ir.If, (), (condition,), (), (then, otherwise), types)
        mirror.bind(self.node, made)
        for i, result in enumerate(self.results):
            mirror.bind(result, graph.part(made, i))


def delays(graph: Graph, places: Places, consumption: Consumption) -> Iterator[Delay]:
    """What may be delayed, block by block."""
    blocks: dict[ir.Block, list[ir.If]] = {}
    for node in places.nodes:
        if isinstance(node, ir.If):
            blocks.setdefault(places.place[node], []).append(node)
    for block, conditionals in blocks.items():
        if len(conditionals) > 1:
            yield from _Demands(graph, places, consumption, block).delays()


class _Demands:
    """Under which conditions what stands in a block is needed."""

    def __init__(
        self, graph: Graph, places: Places, consumption: Consumption, block: ir.Block
    ) -> None:
        self.graph = graph
        self.places = places
        self.consumption = consumption
        self.flow = DataFlow(places, block)
        self.inside = any(isinstance(owner, ir.Multiloop) for owner, _ in places.path(block))
        self.found: dict[ir.Node, frozenset[ir.Node] | None] = {}

    def delays(self) -> Iterator[Delay]:
        for node in self.flow.items():
            if not self._is_costly(node):
                continue
            results: Sequence[ir.Node] = [node]
            if isinstance(node, ir.Region):
                results = self.places.parts(node)
            if not results or not all(isinstance(r.type, ScalarType) for r in results):
                continue
            conditions = self.of(node)
            if conditions and self._are_ready(conditions, node) and not self._is_contested(node):
                ordered = sorted(conditions, key=lambda condition: condition.number)
                yield Delay(node, results, ordered)

    def _is_costly(self, node: ir.Node) -> bool:
        if node.effectful or node in self.places.type_uses:
            return False
        if node.operation:
            return not self.inside and node.cost >= COSTLY
        return node.takes_time

    def of(self, node: ir.Node) -> frozenset[ir.Node] | None:
        """The conditions of the branches of this block that need an item; None if it is needed
        whatever they are."""
        if node in self.found:
            return self.found[node]
        self.found[node] = None
        parts = self.places.parts(node) if isinstance(node, ir.Region) else [node]
        conditions: set[ir.Node] = set()
        for part in parts:
            if part in self.places.type_uses:
                return None
            for user in self.places.uses[part]:
                own = self._of_use(part, user)
                if own is None:
                    return None
                conditions |= own
        if any(self.graph.operation("bool.not", c) in conditions for c in conditions):
            return None
        self.found[node] = frozenset(conditions)
        return self.found[node]

    def _of_use(self, node: ir.Node, user: User) -> frozenset[ir.Node] | None:
        item = self.places.item(user, self.flow.block)
        if not isinstance(item, ir.Node):
            return None
        if isinstance(item, ir.If) and user is not item:
            inner = user if isinstance(user, ir.Block) else self.places.place[user]
            (block,) = [block for owner, block in self.places.path(inner) if owner is item]
            if block is item.then:
                return frozenset([item.condition])
            return frozenset([self.graph.operation("bool.not", item.condition)])
        cheap = isinstance(item, ir.Operation) and not self._is_costly(item) and not item.effectful
        return self.of(item) if cheap and item is not node else None

    def _are_ready(self, conditions: Iterable[ir.Node], node: ir.Node) -> bool:
        """Whether conditions are known before anything needs a node, and by no effect."""
        items = set(self.flow.items())
        effects = [item for item in items if item.effectful]
        for condition in conditions:
            if condition.operation == "bool.not":
                condition = condition.operands[0]
            item = condition.node if isinstance(condition, ir.Part) else condition
            if item not in items:
                if not all(operand not in items for operand in item.operands):
                    return False
                continue
            if self.flow.depends(item, node):
                return False
            if item.effectful or any(self.flow.depends(item, effect) for effect in effects):
                return False
        return True

    def _is_contested(self, node: ir.Node) -> bool:
        """Whether something overwrites what a node reads."""
        used = [*node.operands, *captured(node)]
        return any(self.consumption.consumers.get(root) for array in used for root in roots(array))
