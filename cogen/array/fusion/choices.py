"""Loops over what a conditional gives, and over a few elements, without the arrays.

    a = if c then map(f, x) else [u, v],  loop over a
    ->  if c then loop over map(f, x) else loop over [u, v]                              choice

    reduce(op, e, map(g, [u, v]))  ->  op(op(e, g(u)), g(v))                             elements
    map(g, [u, v])  ->  [g(u), g(v)]

This is the vertical rule for streams that are If, or Emit one after the other (see
`cogen.array.ir.node`); `cogen.array.fusion.streams` has it for Each and Seq. The consumer is copied
for each branch, or element, so it must be small; nothing is computed more often than before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cogen.array.fusion.concatenated import MOST_COPIED, own_nodes
from cogen.array.fusion.consumption import Consumption, roots
from cogen.array.fusion.dependence import DataFlow
from cogen.array.fusion.inputs import expression, is_expression
from cogen.array.fusion.joinbranches import with_sizes
from cogen.array.fusion.legal import writes
from cogen.array.fusion.mergedgenerators import part_key
from cogen.array.fusion.mirror import Mirror, captured, ordered_effects
from cogen.array.fusion.nodeplaces import Places, containing
from cogen.array.ir.generators import (
    Collect,
    Reduce,
    Scan,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT, Dimension, GraphArray, Own, Type, rank
from cogen.array.ir.node import (
    Block,
    If,
    Literal,
    Multiloop,
    Node,
    Part,
    Yield,
    choice_of,
    sizes_in,
)

MOST_ELEMENTS: Final = 4
"""Of how many elements a loop over a literal is made what it does for each."""


class ChoiceLoops:
    """A loop over arrays of a conditional, in its branches; a `Replacement` for both."""

    def __init__(self, places: Places, node: If, loop: Multiloop) -> None:
        self.node = node
        self.loop = loop
        self.token = places.place[loop].token
        self.parts = places.parts(node)
        others = [part for part in self.parts if not _is_only_input(places, part, loop)]
        self.kept = with_sizes(node, [part.index for part in others])
        """The conditional's own results that stay."""
        self.made = with_sizes(loop, [part.index for part in places.parts(loop)])
        self.inside = containing(places.nodes, set(self.parts))

    def needs(self) -> Iterable[Node]:
        """What both use from outside."""
        found: list[Node] = [self.token]
        for region in (self.node, self.loop):
            found += [
                *region.operands,
                *region.certs,
                *captured(region),
                *sizes_in(*region.results),
            ]
        return [n for n in found if n not in self.inside]

    def build(self, mirror: Mirror) -> None:
        """Lets the results of the conditional stand for those of the loop."""
        graph = mirror.graph
        saved = graph.at, graph.origin
        graph.at = graph.spans.get(self.loop)
        graph.origin = frozenset().union(
            *[graph.origins.get(region, frozenset()) for region in (self.node, self.loop)]
        )
        own = {graph.part(self.node, k): Own(i) for i, k in enumerate(self.kept)}
        first = len(self.kept)
        kept = {k: Own(i) for i, k in enumerate(self.kept)}
        results = {k: Own(first + i) for i, k in enumerate(self.made)}
        types = [
            *[_type(mirror, self.node.results[k], own, kept)
              for k in self.kept],
            *[_type(mirror, self.loop.results[k], own, results) for k in self.made],
        ]  # fmt: skip
        blocks = tuple([self._block(mirror, block) for block in self.node.blocks])
        effectful = [region for region in (self.node, self.loop) if region.effectful]
        certs = mirror.certificates([*self.node.certs, *([self.token] if effectful else [])])
        operands = mirror.nodes(self.node.operands)
        made = graph.region(If, (), operands, certs, blocks, tuple(types))
        if effectful and (self.node in graph.standing or self.token not in self.node.certs):
            graph.standing.add(made)
        graph.at, graph.origin = saved
        mirror.bind(self.node, made)
        mirror.bind(self.loop, made)
        for part, number in own.items():
            mirror.bind(part, graph.part(made, number.index))
        for k, number in results.items():
            mirror.bind(graph.part(self.loop, k), graph.part(made, number.index))

    def _block(self, mirror: Mirror, block: Block) -> Block:
        """A branch, with the loop over what it gives."""
        graph = mirror.graph
        token = graph.parameter("here", CERT)
        env = Mirror(graph, mirror, self.inside)
        env.bind(block.token, token)
        effects = env.nodes(block.effects)
        found = env.nodes(block.results)
        for k, value in enumerate(found):
            env.bind(graph.part(self.node, k), value)
        loop = self._loop(env, token)
        effects = (*effects, *([loop] if loop.effectful else []))
        results = [found[k] for k in self.kept] + [graph.part(loop, k) for k in self.made]
        return Block(token, (), ordered_effects(effects), tuple(results))

    def _loop(self, env: Mirror, token: Node) -> Multiloop:
        """The loop in a branch with a token."""
        graph, loop = env.graph, self.loop
        certs = [token if cert is self.token else env.node(cert) for cert in loop.certs]
        blocks = tuple([Mirror(graph, env).block(block) for block in loop.blocks])
        made = graph.region(Multiloop, loop.attributes, env.nodes(loop.operands), certs, blocks)
        if loop in graph.standing:
            graph.standing.add(made)
        return made


def _type(mirror: Mirror, t: Type, own: dict[Node, Own], results: dict[int, Own]) -> Type:
    """A type of a result, as one of the new conditional's."""
    if not isinstance(t, GraphArray):
        return t
    sizes: list[Dimension] = []
    for size in t.shape:
        if isinstance(size, Own):
            sizes.append(size.of(results[size.index]))
        else:
            assert isinstance(size, Node)
            sizes.append(own[size] if size in own else mirror.node(size))
    return GraphArray(t.element, tuple(sizes))


def choices(places: Places, consumption: Consumption) -> Iterator[ChoiceLoops]:
    """The loops over what conditionals give that may go into their branches."""
    for loop in places.multiloops:
        if writes(loop):
            continue
        found = {choice for choice in map(choice_of, loop.inputs) if choice is not None}
        if len(found) != 1:
            continue
        (node,) = found
        if _may_choose(places, consumption, node, loop):
            yield ChoiceLoops(places, node, loop)


def _may_choose(places: Places, consumption: Consumption, node: If, loop: Multiloop) -> bool:
    block = places.place[node]
    if places.place[loop] is not block or writes(node) or own_nodes(loop) > MOST_COPIED:
        return False
    arrays = [part for part in places.parts(node) if part in loop.inputs]
    if not any(_is_made(places, branch, array) for branch in node.blocks for array in arrays):
        return False
    used = [*captured(node), *captured(loop), *loop.operands]
    if any(consumption.consumers.get(root) for array in used for root in roots(array)):
        return False
    inside = containing(places.nodes, set(places.parts(node)))
    if any(n in inside and not _is_of(n, node) for n in sizes_in(*loop.results)):
        return False
    return DataFlow(places, block).obstacle(node, loop) is None


def _is_of(n: Node, node: If) -> bool:
    return n.maker is node


def _is_only_input(places: Places, part: Part, loop: Multiloop) -> bool:
    """Whether a result is only there for a loop to go through."""
    return part in loop.inputs and list(places.uses[part]) == [loop]


def _is_made(places: Places, branch: Block, array: Part) -> bool:
    """Whether a branch makes an array that need not be made if the loop is there, itself or by a
    conditional within."""
    value = branch.results[array.index]
    inner = choice_of(value)
    if inner is not None and isinstance(value, Part) and places.place[inner] is branch:
        return any(_is_made(places, block, value) for block in inner.blocks)
    key = part_key(value)
    if key is not None:
        return places.place[key[0]] is branch
    return (value.is_fresh and value.is_movable) or is_expression(value)


class FewElements:
    """What a loop over a few elements gives; a `Replacement` for the loop."""

    def __init__(self, places: Places, loop: Multiloop) -> None:
        self.loop = loop
        self.token = places.place[loop].token
        self.parts = places.parts(loop)

    def needs(self) -> Iterable[Node]:
        """What the loop uses from outside."""
        found = [self.token, *self.loop.operands, *self.loop.certs, *captured(self.loop)]
        return [*found, *[n for array in self.loop.inputs for n in array.operands]]

    def build(self, mirror: Mirror) -> None:
        """Lets what is computed of each element stand for the loop's results."""
        loop = self.loop
        count = next(len(array.operands) for array in loop.inputs if isinstance(array, Literal))
        rounds = [self._round(mirror, j) for j in range(count)]
        for y in loop.yields():
            found = self._given(mirror, y, rounds)
            for part in self.parts:
                if y.first <= part.index < y.first + len(found):
                    mirror.bind(part, found[part.index - y.first])
        effects = [effect for env in rounds for effect in env.nodes(loop.body.effects)]
        mirror.bind(loop, effects[-1] if effects else loop)
        mirror.before[loop] = tuple(effects[:-1])

    def _round(self, mirror: Mirror, number: int) -> Mirror:
        """Where the values of an iteration are."""
        graph, loop = mirror.graph, self.loop
        index = graph.integer(number)
        env = Mirror(graph, mirror)
        env.bind(loop.body.token, mirror.node(self.token))
        env.bind(loop.index, index)
        for array, element in zip(loop.inputs, loop.elements, strict=True):
            env.bind(element, _element(graph, mirror, array, number, index))
        return env

    def _given(self, mirror: Mirror, y: Yield, rounds: Sequence[Mirror]) -> Sequence[Node]:
        """What a generator gives: the running values of a scan are known in each iteration then."""
        graph = mirror.graph
        accumulated: Sequence[Node] = mirror.nodes(y.extras)
        rows: list[Sequence[Node]] = []
        for env in rounds:
            for old, new in zip(y.before, accumulated, strict=False):
                env.bind(old, new)
            values: Sequence[Node] = env.nodes(y.values)
            if y.operator is not None:
                values = accumulated = self._combined(mirror, y.operator, accumulated, values)
                for old, new in zip(() if y.before else y.running, accumulated, strict=False):
                    env.bind(old, new)
            rows.append(values)
        if y.generator.gives_one:
            return accumulated
        if not y.gives:
            return ()
        arrays = [
            graph.literal(value.type, [row[i] for row in rows]) for i, value in enumerate(y.values)
        ]
        return [graph.integer(0), *arrays] if y.leads else arrays

    def _combined(
        self, mirror: Mirror, operator: Block, accumulated: Sequence[Node], values: Sequence[Node]
    ) -> Sequence[Node]:
        env = Mirror(mirror.graph, mirror)
        env.bind(operator.token, mirror.node(self.token))
        for old, new in zip(operator.parameters, (*accumulated, *values), strict=True):
            env.bind(old, new)
        return env.nodes(operator.results)


def _element(graph: Graph, mirror: Mirror, array: Node, number: int, index: Node) -> Node:
    if isinstance(array, Literal):
        return mirror.node(array.operands[number])
    found = expression(graph, mirror.node(array), index)
    assert found is not None
    return found


def elements(places: Places) -> Iterator[FewElements]:
    """The loops over a few elements, which may check something of each."""
    for loop in places.multiloops:
        if _has_few(loop):
            yield FewElements(places, loop)


def _has_few(loop: Multiloop) -> bool:
    literals = [array for array in loop.inputs if isinstance(array, Literal)]
    if not literals or not all(effect.only_checks for effect in loop.body.effects):
        return False
    if any(y.operator is not None and y.operator.effects for y in loop.yields()):
        return False
    if not all(isinstance(array, Literal) or is_expression(array) for array in loop.inputs):
        return False
    count = len(literals[0].operands)
    if count > MOST_ELEMENTS or any(len(array.operands) != count for array in literals):
        return False
    if loop.effectful and not count:
        return False
    written_out = [_is_written_out(y, count) for y in loop.yields()]
    return all(written_out) and own_nodes(loop) * count <= MOST_COPIED


def _is_written_out(y: Yield, count: int) -> bool:
    """Whether what a generator gives of so few values can be said without a loop."""
    if not isinstance(y.generator, (Collect, Reduce, Scan)) or y.spread:
        return False
    if y.condition is not None and count:
        return False
    return y.generator.gives_one or not any(rank(value.type) for value in y.values)
