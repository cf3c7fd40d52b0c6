"""Rebuilds loops over arrays: the generators whose results are used, under their conditions.

A generator whose condition never holds gives what nothing gives, and one whose condition always
holds has none. Streams that are one element or none are that element under a condition:

    append { if c then [e] else [] }  ->  filter { c => e }
    append { [e] }                    ->  map { e }
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.generators import (
    Collect,
    Elements,
    Emit,
    Generator,
    StreamValue,
    When,
    emits,
)
from cogen.array.ir.graphtypes import rank
from cogen.array.ir.node import (
    Block,
    If,
    Iota,
    Literal,
    Multiloop,
    Node,
    Parameter,
    Yield,
    choice_of,
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
    streams: list[StreamValue] = field(default_factory=list)
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
    if any(y.key is not None or (y.spread and len(y.taken) > 1) for y in yields):
        work.relied[inner] = []  # bounds of keys, and that arrays have one size
    work.effects(node.body)
    found = _KeptGenerators([None] * len(node.results))
    for y in yields:
        is_kept = _keep(work, node, y, size, found)
        if is_kept and y.operator is not None:
            repeats = None if y.conditional else (index, size)
            found.operators.append(_operator(work, y.operator, scope, repeats, facts))
    work.leave(node.body)
    if not found.generators and not inner.effects:
        return tuple(found.found)
    body = inner.body(parameters, found.streams)
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
    stream = _taken(work, node.body, y)
    results = _never(work, y, stream)
    if results is not None:
        kept.found[y.first : y.first + len(results)] = results
        return False
    emitted = _at_most_one(work, generator, stream)
    if emitted is not None:
        generator, stream = Collect(len(emitted.taken)), emitted
    gives, own, streams = generator.gives(stream), [generator], [stream]
    skipped = left = 0
    if isinstance(stream, When) and _is_decided(work, stream.condition, True):
        own, streams = _unconditional(generator, stream.stream)
        if generator.counts(stream) and generator.leads(stream):
            kept.found[y.first] = size
            skipped = 1
        if generator.totals(stream) and streams[0].one_each:
            kept.found[y.first + gives - 1] = size
            left = 1
    kept.generators += own
    kept.streams += streams
    kept.numbers += range(y.first + skipped, y.first + gives - left)
    kept.extras += [work.copies[extra] for extra in y.extras]
    return True


def _at_most_one(work: Rebuilding, generator: Generator, stream: StreamValue) -> When | None:
    """Of a generator that collects the elements of arrays: a condition, and the scalars that are
    collected where it holds; None where the arrays are not known to have one element or none."""
    if not generator.gives_all or not stream.spread or "known" in work.off:
        return None
    graph = work.graph
    condition: Node = graph.boolean(True)
    arrays: Sequence[Node | None] = stream.taken
    choices = [choice_of(node) for node in stream.taken]
    conditions = {None if choice is None else choice.condition for choice in choices}
    if conditions != {None}:
        chosen = conditions.pop()
        if chosen is None or conditions:
            return None
        condition = chosen
        branches = [_own_arrays(stream.taken, choices, which) for which in (0, 1)]
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
    return When(condition, Emit(tuple(elements)))


def _own_arrays(
    streams: Sequence[Node], choices: Sequence[If | None], which: int
) -> list[Node | None]:
    """What a branch without effects of its own gives for each of the streams, where that is known
    outside of it too; None for others."""
    found: list[Node | None] = []
    for node, choice in zip(streams, choices, strict=True):
        assert choice is not None
        block, own = choice.blocks[which], node.ways[which]
        free = not block.effects and own.free.isdisjoint(block.binds)
        found.append(own if free else None)
    return found


def _are_literals(arrays: Sequence[Node | None], count: int) -> bool:
    """Whether all are written out, with so many elements each."""
    return all(isinstance(array, Literal) and len(array.operands) == count for array in arrays)


def _learn_element(work: Rebuilding, scope: BlockScope, x: Node, array: Node) -> None:
    """Note what is known of an element of an array: of iota, and of samples."""
    if isinstance(array, Iota):
        scope.learn_index(x, array.size)
    work.intervals.element(x, array)


def _never(work: Rebuilding, y: Yield, stream: StreamValue) -> list[Node] | None:
    """The results of a generator whose condition never holds; None if that is not known."""
    graph, generator = work.graph, y.generator
    if not generator.in_any_order or stream.condition is None:
        return None
    of_rows = generator.gives_all and any(rank(value.type) for value in stream.taken)
    if of_rows or not _is_decided(work, stream.condition, False):
        return None
    if generator.gives_one:
        return [work.copies[neutral] for neutral in y.extras]
    return [graph.integer(0), *[graph.literal(value.type, ()) for value in stream.taken]]


def _is_decided(work: Rebuilding, condition: Node, value: bool) -> bool:
    """Whether a condition is a constant of that value, which may be relied on."""
    if "known" in work.off or not condition.is_known:
        return False
    return condition.known is value and work.steps.take("known")


def _taken(work: Rebuilding, body: Block, y: Yield) -> StreamValue:
    """What a generator takes; under its condition, if it has one."""
    opened = work.open[body]
    facts = opened.facts
    if not isinstance(y.stream, When):
        return y.stream.of([work.seen(work.node(n), facts) for n in y.taken])
    condition = work.seen(work.node(y.stream.condition), facts)
    if "context" not in work.off:
        facts = opened.guards.get(y.stream.condition)
        if facts is None:
            facts = PlaceFacts(work.consequences, opened.facts).learn(condition)
            opened.guards[y.stream.condition] = facts
    rows = y.stream.stream.of([work.seen(work.node(n), facts) for n in y.taken])
    return When(condition, rows)


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


def _unconditional(
    generator: Generator, stream: Emit | Elements
) -> tuple[list[Generator], list[StreamValue]]:
    """What does the same as a generator under a condition that always holds."""
    if generator.gives_all:
        return [Collect(1)] * generator.values, [*emits(stream.taken)]
    return [generator], [stream]
