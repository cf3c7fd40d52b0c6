"""Perfect nests: loops that do nothing but collect what the loops in them collect.

    map(fn (r) => map(f, r), a)      is the nest over i, j of f(a[i, j])

The order of its levels may be changed, or their number, without changing what `f` sees (seed 003,
chapter 8). `find` takes a nest apart into sizes, sources and values; a `NestBuilder` makes one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from cogen.array.fusion.cost import cost
from cogen.array.fusion.inputs import moved
from cogen.array.fusion.mergedgenerators import Key
from cogen.array.fusion.mergeloops import owner_of
from cogen.array.fusion.mirror import contents
from cogen.array.ir.generators import (
    Collect,
    Generator,
    emits,
)
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT, INT, ScalarType, rank, row
from cogen.array.ir.node import (
    Block,
    Multiloop,
    Node,
    Parameter,
    Part,
)
from cogen.lang.eachonce import each_once

KEPT: Final = 10
"""What costs so much is computed as often as before: a root, a logarithm, a few divisions."""


@dataclass(slots=True)
class Nest:
    """A nest taken apart.

    `levels` are its loops, outermost first. `sources` has for each element parameter an array from
    outside and the levels by whose indices, in order, it is an element of it. `values` are what
    the innermost loop collects for each result of the outermost.
    """

    levels: list[Multiloop]
    sources: dict[Parameter, tuple[Node, tuple[int, ...]]]
    values: dict[Key, Node]
    certs: list[Node] = field(default_factory=list)

    @property
    def bound(self) -> set[Parameter]:
        """All that the loops' bodies bind."""
        return {parameter for loop in self.levels for parameter in loop.body.binds}

    @property
    def used(self) -> list[Parameter]:
        """The element parameters that the values depend on, in a fixed order."""
        free = {parameter for value in self.values.values() for parameter in value.free}
        return [parameter for parameter in self.sources if parameter in free]

    def uses_index(self) -> bool:
        """Whether the values depend on an index of the nest."""
        indices = {loop.index for loop in self.levels}
        return any(not indices.isdisjoint(value.free) for value in self.values.values())


def find(loop: Multiloop, keys: Iterable[Key], depth: int) -> Nest | None:
    """The nest of so many levels that gives some results of a loop; None if it is none."""
    values = {}
    for key in keys:
        value = _collected(loop, key[1])
        if value is None:
            return None
        values[key] = value
    nest = Nest([loop], {}, values, list(loop.certs))
    for array, element in zip(loop.inputs, loop.elements, strict=True):
        nest.sources[element] = (array, (0,))
    for level in range(1, depth):
        if not _descend(nest, level):
            return None
    return None if any(level.effectful for level in nest.levels) else nest


def _collected(loop: Multiloop, index: int) -> Node | None:
    """The value that an unconditional Collect takes for a result, if it needs no scan's value."""
    y = owner_of(loop, index)
    if not y.generator.gives_all or not y.one_each:
        return None
    return y.values[0] if y.values[0].free.isdisjoint(loop.running) else None


def _descend(nest: Nest, level: int) -> bool:
    """Go into the one loop that makes all the values."""
    bound = nest.bound
    inner: Multiloop | None = None
    values = {}
    for key, value in nest.values.items():
        if not isinstance(value, Part) or not isinstance(value.operands[0], Multiloop):
            return False
        if inner is not None and inner is not value.operands[0]:
            return False
        inner = value.operands[0]
        collected = _collected(inner, value.index)
        if collected is None:
            return False
        values[key] = collected
    if inner is None or not inner.size.free.isdisjoint(bound):
        return False
    for array, element in zip(inner.inputs, inner.elements, strict=True):
        if array in nest.sources:
            source, levels = nest.sources[array]
            nest.sources[element] = (source, (*levels, level))
        elif array.free.isdisjoint(bound):
            nest.sources[element] = (array, (level,))
        else:
            return False
    for cert in inner.certs:
        if cert.free.isdisjoint(bound):
            nest.certs.append(cert)
        elif cert not in bound:  # a block's token says nothing that the nest does not
            return False
    nest.levels.append(inner)
    nest.values = values
    return True


def kept(nest: Nest) -> list[tuple[Node, int]]:
    """What outer levels compute that costs something, and how many levels it is within: it is put
    into an array where the order of levels changes, else it would be computed for each iteration
    of an inner level, and the order of growth would change."""
    inner = nest.levels[-1]
    bound = {p for loop in nest.levels[:-1] for p in loop.body.binds}
    found: list[tuple[Node, int]] = []
    for node in outermost(nest.values.values(), set(inner.body.binds)):
        if not isinstance(node.type, ScalarType) or cost([node], bound) < KEPT:
            continue
        levels = enumerate(nest.levels)
        within = [k for k, loop in levels if not node.free.isdisjoint(loop.body.binds)]
        found.append((node, max(within) + 1))
    return found


def outermost(values: Iterable[Node], bound: set[Parameter]) -> list[Node]:
    """What some values use that does not depend on what is bound."""
    found: list[Node] = []
    bound = set(bound)
    stack = list(values)
    for node in each_once(stack):
        if node.free.isdisjoint(bound):
            found.append(node)
            continue
        for block in node.blocks:
            bound.update(block.binds)
        stack += contents(node)
    return found


@contextmanager
def like(graph: Graph, *loops: Multiloop) -> Iterator[None]:
    """What is made comes from the operations of some loops, and stands where the first does."""
    saved = graph.at, graph.origin
    graph.at = graph.spans.get(loops[0])
    graph.origin = frozenset().union(*[graph.origins.get(loop, frozenset()) for loop in loops])
    yield
    graph.at, graph.origin = saved


class NestBuilder:
    """A nest that is being made, of levels of given sizes, outermost first.

    `likes` are loops whose operations and places in the source the levels have; the outermost has
    those of the loop `whole` too, which the nest stands for.
    """

    def __init__(
        self, graph: Graph, sizes: Sequence[Node], likes: Sequence[Multiloop], whole: Multiloop
    ) -> None:
        self.graph = graph
        self.likes = [(likes[0], whole), *[(loop,) for loop in likes[1:]]]
        self.sizes = list(sizes)
        self.indices = [graph.parameter("i", INT) for _ in sizes]
        self.tokens = [graph.parameter("here", CERT) for _ in sizes]
        self._inputs: list[dict[Node, Parameter]] = [{} for _ in sizes]

    def element(self, array: Node, levels: Sequence[int]) -> Node:
        """The element of an array whose leading dimensions are indexed at some levels."""
        graph = self.graph
        order = sorted(range(len(levels)), key=lambda k: levels[k])
        whole = (*order, *range(len(levels), rank(array.type)))
        found = moved(graph, tuple(whole), array)
        for k in order:
            inputs = self._inputs[levels[k]]
            if found not in inputs:
                inputs[found] = graph.parameter("x", row(found.type))
            found = inputs[found]
        return found

    def build(self, results: Sequence[Node], certs: Sequence[Node]) -> tuple[Node, ...]:
        """The results of the outermost loop, when the innermost collects these."""
        generators: tuple[Generator, ...] = (Collect(1),) * len(results)
        found = tuple(results)
        for level in reversed(range(len(self.sizes))):
            inputs = self._inputs[level]
            parameters = (self.indices[level], *inputs.values())
            body = Block(self.tokens[level], parameters, (), streams=emits(found))
            with like(self.graph, *self.likes[level]):
                loop = self.graph.region(
                    Multiloop,
                    (len(inputs), generators),
                    (self.sizes[level], *inputs),
                    certs if level == 0 else (),
                    (body,),
                )
            found = self.graph.parts(loop)
        return found
