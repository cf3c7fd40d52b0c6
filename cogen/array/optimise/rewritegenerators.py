"""Rebuilds loops over arrays: the generators whose results are used, under their conditions.

A generator whose condition never holds gives what nothing gives, and one whose condition always
holds has none. Streams that are one element or none are that element under a condition:

    append { if c then [e] else [] }  ->  filter { c => e }
    append { [e] }                    ->  map { e }
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.graphtypes import rank
from cogen.array.ir.node import (
    Block,
    Collect,
    Generator,
    If,
    Iota,
    Literal,
    Multiloop,
    Node,
    Parameter,
    Part,
    Yield,
    groups,
)
from cogen.array.optimise.placefacts import PlaceFacts
from cogen.array.optimise.rebuilding import Rebuilding


@dataclass(slots=True)
class _KeptGenerators:
    """What is kept of the generators of a loop, and the results that are known without it."""

    found: list[Node | None]
    numbers: list[int] = field(default_factory=list)
    """Which results the generators that are kept give."""
    generators: list[Generator] = field(default_factory=list)
    taken: list[Node] = field(default_factory=list)
    extras: list[Node] = field(default_factory=list)
    operators: list[Block] = field(default_factory=list)


def rewrite_multiloop(
    work: Rebuilding, node: Multiloop, scope: BlockScope, certs: Sequence[Node]
) -> tuple[Node | None, ...]:
    """The results of a loop over arrays, rebuilt; None for those that nothing needs."""
    size = work.copies[node.size]
    inner = scope.inner()
    index = work.graph.parameter(node.index.name, node.index.type)
    inner.learn_index(index, size)
    arguments = [index, *[None] * (len(node.body.parameters) - 1)]
    facts = work.facts_of(node)
    work.bind(node.body, inner, arguments, inner.token, facts)
    arrays, elements = _elements(work, node, inner)
    kept = zip(node.yields(), work.live.generators(node), strict=True)
    yields = [y for y, keep in kept if keep]
    running = [_parameter(work, old) for y in yields for old in y.running]
    parameters = [index, *elements, *running]
    inner.repeat(index, size, parameters)
    if any(y.key is not None for y in yields):
        work.relied[inner] = []
    work.effects(node.body)
    found = _KeptGenerators([None] * len(node.results))
    for y in yields:
        is_kept = _keep(work, node, y, size, found)
        if is_kept and y.operator is not None:
            repeats = None if y.generator.conditional else (index, size)
            found.operators.append(_operator(work, y.operator, scope, repeats, facts))
    work.leave(node.body)
    if not found.generators and not inner.effects:
        return tuple(found.found)
    body = inner.block(parameters, found.taken)
    certs = [*certs, *scope.made(work.relied.pop(inner, ()))]
    blocks = [body, *found.operators]
    made = scope.multiloop(size, arrays, found.generators, found.extras, blocks, certs)
    for number, part in zip(found.numbers, work.results(scope, made), strict=True):
        found.found[number] = part
    return tuple(found.found)


def _elements(
    work: Rebuilding, node: Multiloop, inner: BlockScope
) -> tuple[list[Node], list[Parameter]]:
    """The arrays that a loop needs, each once, and the parameters for their elements."""
    arrays: list[Node] = []
    parameters: list[Parameter] = []
    for old, array, keep in zip(node.elements, node.inputs, work.live.inputs(node), strict=True):
        if not keep:
            continue
        source = work.copies[array]
        if source in arrays:
            work.copies[old] = parameters[arrays.index(source)]
            continue
        arrays.append(source)
        parameters.append(_parameter(work, old, source))
        _learn_element(work, inner, parameters[-1], source)
    return arrays, parameters


def _parameter(work: Rebuilding, old: Parameter, source: Node | None = None) -> Parameter:
    """A new parameter that stands for an old one."""
    made = work.parameter(old, source)
    work.copies[old] = made
    return made


def _keep(work: Rebuilding, node: Multiloop, y: Yield, size: Node, kept: _KeptGenerators) -> bool:
    """Keep a generator, unless what it gives is known; as one without a condition if that always
    holds."""
    generator = work.live.generator(node, y)
    values = _taken(work, node.body, y)
    results = _never(work, y, values)
    if results is not None:
        kept.found[y.first : y.first + len(results)] = results
        return False
    emitted = _at_most_one(work, generator, values)
    if emitted is not None:
        generator, values = Collect(len(emitted) - 1, conditional=True), emitted
    own = [generator]
    skipped = left = 0
    if generator.conditional and _is_decided(work, values[0], True):
        own, values = _unconditional(generator), values[1:]
        if generator.counts and generator.leads:
            kept.found[y.first] = size
            skipped = 1
        if groups(generator) and generator.totals and own[0].one_each:
            kept.found[y.first + generator.gives - 1] = size
            left = 1
    kept.generators += own
    kept.taken += values
    kept.numbers += range(y.first + skipped, y.first + generator.gives - left)
    kept.extras += [work.copies[extra] for extra in y.extras]
    return True


def _at_most_one(
    work: Rebuilding, generator: Generator, streams: Sequence[Node]
) -> list[Node] | None:
    """Of a generator that collects streams: a condition, and the scalars that are collected where
    it holds; None where the streams are not known to be one element or none."""
    if not isinstance(generator, Collect) or not generator.spread or "known" in work.off:
        return None
    graph = work.graph
    condition: Node = graph.boolean(True)
    arrays: Sequence[Node | None] = streams
    choice = _choice(streams)
    if choice is not None:
        condition = choice.condition
        branches = [_own_arrays(block, streams) for block in choice.blocks]
        if _are_literals(branches[0], 0):
            condition = graph.operation("bool.not", condition)
            branches.reverse()
        arrays, others = branches
        if not _are_literals(others, 0):
            return None
    if not _are_literals(arrays, 1):
        return None
    elements = [array.operands[0] for array in arrays if array is not None]
    if any(rank(element.type) for element in elements) or not work.steps.take("known"):
        return None
    return [condition, *elements]


def _choice(streams: Sequence[Node]) -> If | None:
    """The conditional that all the streams are results of."""
    owners = {node.node if isinstance(node, Part) else node for node in streams}
    owner = owners.pop()
    return owner if isinstance(owner, If) and not owners else None


def _own_arrays(block: Block, streams: Sequence[Node]) -> list[Node | None]:
    """What a branch without effects of its own gives for each of the streams, where that is known
    outside of it too; None for others."""
    results = [block.results[node.index if isinstance(node, Part) else 0] for node in streams]
    free = not block.effects
    return [node if free and node.free.isdisjoint(block.binds) else None for node in results]


def _are_literals(arrays: Sequence[Node | None], count: int) -> bool:
    """Whether all are written out, with so many elements each."""
    return all(isinstance(array, Literal) and len(array.operands) == count for array in arrays)


def _learn_element(work: Rebuilding, scope: BlockScope, x: Node, array: Node) -> None:
    """Note what is known of an element of an array: of iota, and of samples."""
    if isinstance(array, Iota):
        scope.learn_index(x, array.size)
    work.intervals.element(x, array)


def _never(work: Rebuilding, y: Yield, taken: Sequence[Node]) -> list[Node] | None:
    """The results of a generator whose condition never holds; None if that is not known."""
    graph, generator = work.graph, y.generator
    if not generator.in_any_order or not generator.conditional:
        return None
    of_rows = generator.gives_all and any(rank(value.type) for value in taken[1:])
    if of_rows or not _is_decided(work, taken[0], False):
        return None
    if generator.gives_one:
        return [work.copies[neutral] for neutral in y.extras]
    return [graph.integer(0), *[graph.literal(value.type, ()) for value in taken[1:]]]


def _is_decided(work: Rebuilding, condition: Node, value: bool) -> bool:
    """Whether a condition is a constant of that value, which may be relied on."""
    if "known" in work.off or not condition.is_known:
        return False
    return condition.known is value and work.steps.take("known")


def _taken(work: Rebuilding, body: Block, y: Yield) -> list[Node]:
    """What a generator takes; under its condition, if it has one."""
    opened = work.open[body]
    facts = opened.facts
    found: list[Node] = []
    if y.condition is not None:
        condition = work.seen(work.node(y.condition), facts)
        found.append(condition)
        if "context" not in work.off:
            facts = opened.guards.get(y.condition)
            if facts is None:
                facts = PlaceFacts(work.consequences, opened.facts).learn(condition)
                opened.guards[y.condition] = facts
    return found + [work.seen(work.node(n), facts) for n in y.taken]


def _operator(
    work: Rebuilding,
    block: Block,
    scope: BlockScope,
    repeats: tuple[Parameter, Node] | None,
    facts: PlaceFacts | None,
) -> Block:
    """An operator rebuilt; `repeats`: it runs once in each iteration of a loop."""
    inner = scope.inner()
    work.bind(block, inner, [None] * len(block.parameters), inner.token, facts)
    parameters = []
    for old in block.parameters:
        parameters.append(work.parameter(old))
        work.copies[old] = parameters[-1]
    if repeats is not None:
        inner.repeat(*repeats, parameters)
    results = work.content(block)
    work.leave(block)
    return inner.block(parameters, results)


def _unconditional(generator: Generator) -> list[Generator]:
    """What does the same as a conditional generator where its condition always holds."""
    if generator.gives_all:
        return [Collect(1)] * generator.values
    return [dataclasses.replace(generator, conditional=False)]
