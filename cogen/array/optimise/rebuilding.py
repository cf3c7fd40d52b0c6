"""What a function's nodes become while it is rebuilt, block by block: the state of `Rewriter`.

A node is rebuilt when it is first needed, for the block where it is placed; what it became is
forgotten when that block is complete, since it may be so there only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cogen.array.ir import node as ir
from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import GraphArray, Own, Type
from cogen.array.ir.graphtypes import shape as type_shape
from cogen.array.ir.graphwalk import make_in_order
from cogen.array.ir.node import (
    shape,
    sized_by,
)
from cogen.array.ir.placement import NodePlace
from cogen.array.optimise.hoist import Hoisting
from cogen.array.optimise.indexranges import Ranges
from cogen.array.optimise.live import Live
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.placefacts import Consequences, PlaceFacts
from cogen.array.optimise.steplimit import Steps


@dataclass(slots=True)
class Opened:
    """An old block that is being rebuilt: where, what is known in it, and which nodes were rebuilt
    for it; `guards` is what is known besides where conditions of generators hold."""

    scope: BlockScope
    facts: PlaceFacts | None
    made: list[ir.Node]
    guards: dict[ir.Node, PlaceFacts] = field(default_factory=dict)


class Rebuilding:
    """A function that is being rebuilt: its blocks, and what its nodes have become."""

    def __init__(
        self, graph: Graph, options: Options, steps: Steps, early: bool, last: bool = False
    ) -> None:
        self.graph = graph
        self.consequences = Consequences(graph)
        self.off = options.off
        self.last = last
        self.steps = steps
        ranges = Ranges(graph, steps)
        self.prove = None if "ranges" in options.off else ranges
        self.hoisting = None if "hoist" in options.off else Hoisting(graph, ranges, steps, early)
        self.copies: dict[ir.Node, ir.Node] = {}
        self.several: dict[ir.Region, tuple[ir.Node | None, ...]] = {}
        """The results of nodes with several; None for those that are not needed."""
        self.relied: dict[BlockScope, list[ir.Node]] = {}
        """By the body of a loop whose keys are indices: the certificates of its checks that are
        made elsewhere.  A key that is a constant does not hold on to its own."""
        self.homes: dict[ir.Parameter, BlockScope] = {}
        """Where the blocks that bind the old parameters are being rebuilt."""
        self.placed: dict[ir.Node, NodePlace] = {}
        """Where the old nodes are."""
        self.open: dict[ir.Block, Opened] = {}
        """The old blocks that are being rebuilt."""
        self.live = Live(())
        self.intervals = ranges.intervals
        self.top: BlockScope = BlockScope(graph, prove=self.prove)
        self.trials = 0
        """How many trials of loops are in each other."""

    # Blocks.

    def enter(
        self,
        block: ir.Block,
        scope: BlockScope,
        arguments: Sequence[ir.Node],
        facts: PlaceFacts | None,
    ) -> list[ir.Node]:
        """Rebuild the content of a block into a scope; the results of the block."""
        self.bind(block, scope, arguments, scope.token, facts)
        return self.content(block)

    def bind(
        self,
        block: ir.Block,
        scope: BlockScope,
        arguments: Iterable[ir.Node | None],
        token: ir.Node,
        facts: PlaceFacts | None,
        within: ir.Block | None = None,
    ) -> None:
        """Let arguments stand for a block's parameters, and a certificate for its token.

        `within`: the block becomes part of another one, which is open.
        """
        self.copies[block.token] = token
        made = [] if within is None else self.open[within].made
        self.open[block] = Opened(scope, facts, made)
        for parameter in block.binds:
            self.homes[parameter] = scope
        for parameter, argument in zip(block.parameters, arguments, strict=True):
            if argument is not None:
                self.copies[parameter] = argument

    def leave(self, block: ir.Block) -> None:
        """Forget what nodes are in a block that is complete: it need not be so outside."""
        made = self.open[block].made
        while block in self.open:  # with those that became part of it, or of one around it
            self.open.popitem()
        for node in made:
            self.copies.pop(node, None)
            if isinstance(node, ir.Region):
                self.several.pop(node, None)

    def content(self, block: ir.Block) -> list[ir.Node]:
        self.effects(block)
        return self.results_of(block, range(len(block.results)))

    def results_of(self, block: ir.Block, chosen: Iterable[int]) -> list[ir.Node]:
        """Some results of a block, as they are seen in it."""
        return [self.seen(self.node(block.results[i]), self.open[block].facts) for i in chosen]

    def effects(self, block: ir.Block) -> None:
        for effect in block.effects:
            self.node(effect)

    def seen(self, node: ir.Node, facts: PlaceFacts | None) -> ir.Node:
        """What a rebuilt node is where some facts hold."""
        if facts is None or node.is_known:
            return node
        found = facts.seen(node)
        return found if found is node or self.steps.take("context") else node

    def around(self, node: ir.Node) -> ir.Block:
        """The open block that an old node is rebuilt for: where it is placed.

        What is found in types only has no place, and is good in the innermost block.
        """
        found = self.placed.get(node)
        if found is not None and found.block in self.open:
            return found.block
        return next(reversed(self.open))

    def facts_of(self, node: ir.Node) -> PlaceFacts | None:
        """What is known where an old node is."""
        found = self.placed.get(node)
        opened = None if found is None else self.open.get(found.block)
        if found is None or opened is None:
            return None
        return opened.facts if found.condition is None else opened.guards.get(found.condition)

    def facts_in(self, node: ir.If, condition: ir.Node, holds: bool) -> PlaceFacts | None:
        """What is known in a branch of a conditional."""
        outer = self.facts_of(node)
        if "context" in self.off:
            return outer
        return PlaceFacts(self.consequences, outer).learn(condition, holds)

    def home(self, node: ir.Node) -> BlockScope:
        """The scope of the place of an old node; of one that is found in types only, the innermost
        scope that binds something it depends on."""
        found = self.placed.get(node)
        opened = None if found is None else self.open.get(found.block)
        if opened is not None:
            return opened.scope
        home = self.top
        for parameter in node.free:
            scope = self.homes[parameter]
            if scope.depth > home.depth:
                home = scope
        return home

    def parameter(self, old: ir.Parameter, source: ir.Node | None = None) -> ir.Parameter:
        """A new parameter for an old one; with the type of a row of `source` if that is given."""
        t = self.type(old.type)
        if source is not None and isinstance(t, GraphArray):
            t = GraphArray(t.element, shape(source)[1:])
        return self.graph.parameter(old.name, t, old.unique)

    def type(self, t: Type) -> Type:
        return sized_by(t, self.node)

    def is_size(self, scope: BlockScope, n: ir.Node) -> None:
        """Note that an int is the size of an array."""
        graph = self.graph
        scope.learn(graph.operation("int.le", graph.integer(0), n), graph.checked)
        limit = graph.integer(graph.arithmetic.max_elements)
        scope.learn(graph.operation("int.le", n, limit), graph.checked)

    def can_be(self, scope: BlockScope, sizes: Sequence[ir.Node]) -> None:
        """Note that there is an array of a shape."""
        if len(sizes) > 1:
            area = sizes[0]
            for size in sizes[1:]:
                area = self.graph.operation("int.area", area, size)
            limit = self.graph.integer(self.graph.arithmetic.max_elements)
            fact = self.graph.operation("int.le", area, limit)
            scope.learn(fact, self.graph.checked)

    def results(self, scope: BlockScope, node: ir.Region) -> tuple[ir.Node, ...]:
        """The parts of a rebuilt node, of which some are sizes."""
        parts = self.graph.parts(node)
        for t in node.results:
            for size in type_shape(t):
                if isinstance(size, Own):
                    self.is_size(scope, parts[size.index])
        return parts

    # Nodes.

    def node(self, root: ir.Node) -> ir.Node:
        """The rebuilt node."""
        make_in_order(root, lambda n: n in self.copies, self.needs, self._make)
        return self.copies[root]

    def _make(self, node: ir.Node) -> None:
        self.copies[node] = self.rebuilt(node)
        self.open[self.around(node)].made.append(node)

    def needs(self, node: ir.Node) -> Iterable[ir.Node]:
        """What is rebuilt before a node: of a loop, what it needs for its live results."""
        if node.is_atom:
            return ()
        if isinstance(node, (ir.Loop, ir.Multiloop)):
            return [*self.live.operands(node), *node.certs]
        return [*node.operands, *node.certs]

    def rebuilt(self, node: ir.Node) -> ir.Node:
        graph = self.graph
        saved = graph.at, graph.origin
        graph.at = graph.spans.get(node)
        graph.origin = graph.origins.get(node, frozenset())
        try:
            return self._rebuilt(node)
        finally:
            graph.at, graph.origin = saved

    def _rebuilt(self, node: ir.Node) -> ir.Node:
        """A node whose operands have been rebuilt; of a part of a node, all of it has."""
        raise NotImplementedError
