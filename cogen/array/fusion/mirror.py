"""Copies nodes, with some standing for others.

    mirror = Mirror(graph); mirror.bind(x, y); mirror.node(f(x))  is  f(y)

A copy's blocks bind parameters of their own, so a block may be copied as often as one likes. An
inner mirror copies only what depends on the parameters bound in it; all else is its outer
mirror's, which for what it need not change is the node itself. There is no recursion over the
graph: one explicit stack goes through operands and blocks alike.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from cogen.array.ir.generators import (
    StreamValue,
    filled,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import Type, row
from cogen.array.ir.graphtypes import shape as type_shape
from cogen.array.ir.graphwalk import make_in_order
from cogen.array.ir.node import (
    Block,
    Function,
    Index,
    Multiloop,
    Node,
    Parameter,
    Part,
    Region,
    sized_by,
    sizes_in,
)
from cogen.lang.eachonce import each_once


class Replacement(Protocol):
    """What stands for a whole loop: the parts are made together, once."""

    def needs(self) -> Iterable[Node]:
        """The nodes that must have been copied before."""

    def build(self, mirror: Mirror) -> None:
        """Binds the loop and whatever parts of it are used."""


class Makers:
    """Which operations of the source made the results of loops, while loops become others."""

    def __init__(self, origins: Mapping[Node, frozenset[int]]) -> None:
        self._origins = origins
        self._made: dict[Node, frozenset[int]] = {}

    def of(self, node: Node) -> frozenset[int]:
        """The operations of a part of a loop, or of a view of one."""
        while node.is_another_form:
            node = node.operands[0]
        found = self._made.get(node)
        if found is None and isinstance(node, Part):
            return self._origins.get(node.operands[0], frozenset())
        return found or frozenset()

    def pass_on(self, node: Node, copy: Node) -> None:
        """Note that a node now stands for another."""
        if isinstance(copy, Part) and copy is not node and self.of(node):
            self._made[copy] = self._made.get(copy, frozenset()) | self.of(node)


class Mirror:
    """Copies of nodes; `changed` says which nodes may not stand for themselves, or, in an inner
    mirror, for what they are in the outer one."""

    def __init__(
        self,
        graph: Graph,
        outer: Mirror | None = None,
        changed: frozenset[Node] = frozenset(),
        makers: Makers | None = None,
    ) -> None:
        self.graph = graph
        self.outer = outer
        self.changed = changed
        self.makers: Makers | None = makers if outer is None else outer.makers
        self.replacements: dict[Node, Replacement] = {}
        self.elements: dict[Node, tuple[Parameter, Node]] = {}
        """Arrays that are read at one index only, with this index, and their element there."""
        self.before: dict[Node, tuple[Node, ...]] = {}
        """By an effect, what became of it beside its copy, and comes before that."""
        self._map: dict[Node, Node] = {}
        self._bound: set[Parameter] = set()
        self._rows: dict[Node, Node] = {}

    def bind(self, node: Node, copy: Node) -> None:
        """Let a node stand for another."""
        self._map[node] = copy
        if self.makers is not None:
            self.makers.pass_on(node, copy)
        if isinstance(node, Parameter):
            self._bound.add(node)

    def node(self, node: Node) -> Node:
        """The copy of a node."""
        make_in_order(node, self._is_known, self._needs, self._make)
        return self._known(node)

    def nodes(self, nodes: Iterable[Node]) -> tuple[Node, ...]:
        """The copies of some nodes."""
        return tuple([self.node(node) for node in nodes])

    def type(self, t: Type) -> Type:
        """A type with the copies of its sizes."""
        return sized_by(t, self.node)

    def like(
        self, loop: Multiloop, inputs: Sequence[Node], body: Block, certs: Iterable[Node] = ()
    ) -> Multiloop:
        """A loop with the generators of another one, over other arrays, with another body."""
        operators = [
            Mirror(self.graph, self).block(y.operator)
            for y in loop.yields()
            if y.operator is not None
        ]
        extras = [extra for y in loop.yields() for extra in self.nodes(y.extras)]
        made = self.graph.region(
            Multiloop,
            (len(inputs), loop.generators),
            [self.node(loop.size), *inputs, *extras],
            certs,
            (body, *operators),
        )
        return made

    def streams(self, streams: Sequence[StreamValue]) -> tuple[StreamValue, ...]:
        """The copies of streams."""
        return filled(streams, self.nodes([node for s in streams for node in s.leaves]))

    def block(self, block: Block) -> Block:
        """The copy of a block."""
        self._bound.update(block.binds)
        self.nodes([*block.binds, *block.effects, *block.results])
        return self._block(block)

    def function(self, function: Function) -> Function:
        """The copy of a function."""
        body = self.block(function.body)
        results = tuple([self.type(t) for t in function.results])
        effectful = bool(body.effects)
        return dataclasses.replace(function, body=body, results=results, effectful=effectful)

    def certificates(self, certs: Iterable[Node]) -> list[Node]:
        """The copies of some certificates."""
        return [self.node(cert) for cert in certs]

    def _is_known(self, node: Node) -> bool:
        if node in self._map:
            return True
        return node not in self.changed and node.free.isdisjoint(self._bound)

    def _known(self, node: Node) -> Node:
        found = self._map.get(node)
        if found is not None:
            return found
        return node if self.outer is None else self.outer.node(node)

    def _replacement(self, node: Node) -> Replacement | None:
        found = self.replacements.get(node)
        if found is None and isinstance(node, Part):
            found = self.replacements.get(node.operands[0])
        return found

    def _needs(self, node: Node) -> list[Node]:
        """What must be copied before a node."""
        replacement = self._replacement(node)
        if replacement is not None:
            return list(replacement.needs())
        if isinstance(node, Parameter):
            sizes = type_shape(node.type)
            source = self._rows.get(node)
            return [source] if source else [n for n in sizes if isinstance(n, Node)]
        if self._element(node) is not None:
            return [*node.operands[2:], *node.certs]
        needed = [*node.operands, *node.certs]
        if isinstance(node, Region):
            for block in node.blocks:
                self._bound.update(block.binds)
                needed += [*block.binds, *block.effects, *block.results]
            if isinstance(node, Multiloop):
                self._rows.update(zip(node.elements, node.inputs, strict=True))
            if node.says_results:
                needed += sizes_in(*node.results)
        return needed

    def _element(self, node: Node) -> Node | None:
        """What an Index at the one index of its array is, before further indices."""
        if not isinstance(node, Index):
            return None
        found = self.elements.get(node.array)
        if found is None or node.indices[0] is not found[0]:
            return None
        return found[1]

    def _make(self, node: Node) -> None:
        replacement = self._replacement(node)
        if replacement is not None:
            replacement.build(self)
            assert node in self._map, "a part of a merged loop is used that was thought dead"
            return
        graph = self.graph
        saved = graph.at, graph.origin
        graph.at, graph.origin = graph.spans.get(node), graph.origins.get(node, frozenset())
        copy = self._map[node] = self._copy(node)
        graph.at, graph.origin = saved
        if self.makers is not None:
            self.makers.pass_on(node, copy)

    def _copy(self, node: Node) -> Node:
        graph = self.graph
        if isinstance(node, Parameter):
            source = self._rows.get(node)
            t = self.type(node.type) if source is None else row(self._known(source).type)
            return graph.parameter(node.name, t, node.unique)
        element = self._element(node)
        if element is not None:
            rest = [self._known(operand) for operand in node.operands[2:]]
            return graph.index(element, *rest, certs=[self._known(cert) for cert in node.certs])
        results: tuple[Type, ...] = ()
        blocks: tuple[Block, ...] = ()
        if isinstance(node, Region):
            blocks = tuple([self._block(block) for block in node.blocks])
            if node.says_results:
                results = tuple([self.type(t) for t in node.results])
        operands = [self._known(operand) for operand in node.operands]
        certs = [self._known(cert) for cert in node.certs]
        return graph.remake(node, operands, certs, blocks, results)

    def _block(self, block: Block) -> Block:
        """The copy of a block whose content has been copied."""
        token = self._known(block.token)
        assert isinstance(token, Parameter)
        parameters = []
        for parameter in block.parameters:
            copy = self._known(parameter)
            assert isinstance(copy, Parameter)
            parameters.append(copy)
        effects = ordered_effects([
            copy
            for effect in block.effects
            for copy in (*self.before.get(effect, ()), self._known(effect))
        ])  # fmt: skip
        results = tuple([self._known(result) for result in block.results])
        if block.streams:
            made = filled(block.streams, results)
            return Block(token, tuple(parameters), effects, streams=made)
        return Block(token, tuple(parameters), effects, results)


def ordered_effects(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Nodes that still have an effect, each once, none before one that it depends on."""
    effects = list(dict.fromkeys([node for node in nodes if node.effectful]))
    if all(a.number < b.number for a, b in itertools.pairwise(effects)):
        return tuple(effects)
    wanted = set(effects)
    done: dict[Node, None] = {}
    seen: set[Node] = set()
    for effect in effects:
        stack: list[tuple[Node, bool]] = [(effect, False)]
        while stack:
            node, left = stack.pop()
            if left:
                done[node] = None
            elif node not in seen:
                seen.add(node)
                if node in wanted:
                    stack.append((node, True))
                stack += [(needed, False) for needed in reversed(contents(node))]
    return tuple(done)


def contents(node: Node) -> list[Node]:
    """The operands, certificates, and effects and results of the blocks of a node."""
    found = [*node.operands, *node.certs]
    for block in node.blocks:
        found += [*block.effects, *block.results]
    return found


def captured(region: Node) -> list[Node]:
    """The nodes from outside that the blocks of a node use, each once, in a fixed order."""
    bound: set[Parameter] = set()
    stack: list[Node] = []
    for block in region.blocks:
        bound.update(block.binds)
        stack += [*block.results, *block.effects]
    found: dict[Node, None] = {}
    for node in each_once(stack):
        if node.free.isdisjoint(bound):
            found[node] = None
            continue
        for block in node.blocks:
            bound.update(block.binds)
        stack += contents(node)
        stack += sizes_in(node.type)
    return sorted(found, key=lambda node: node.number)
