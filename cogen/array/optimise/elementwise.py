"""Sequential loops that write each element of an array once become maps.

    loop(n, v) { i, v => v with v[i] = f(i, v[i]) }   ->   map(fn i => f(i, v[i]), iota(n))

where `v` has n elements (or rows) and is made for this loop: copied, replicated, or given by
another loop. An iteration looks at what it writes only, as no other has written it then; so
iterations depend on each other no more, nothing is filled or copied first, and loops like these
fuse. An element may be written under a condition, or by a loop over the row that it is, which
becomes a map as well. What else a loop carries goes on in a loop without the array, if neither
depends on the other. What belongs to somebody else stays where it is, and is overwritten there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.generators import (
    Collect,
    emits,
)
from cogen.array.ir.node import (
    Block,
    Copy,
    If,
    Index,
    Loop,
    Node,
    Parameter,
    Part,
    Update,
    loop_of,
    shape,
    sizes_in,
)
from cogen.array.optimise.rebuilding import Rebuilding
from cogen.lang.eachonce import each_once

Writes = Mapping[Parameter, tuple[Node, ...]]
"""Arrays that loops carry, and at which indices their bodies write them."""


def rewrite_elementwise(
    work: Rebuilding,
    node: Loop,
    scope: BlockScope,
    certs: Sequence[Node],
    initial: Sequence[Node | None],
    moving: Sequence[bool],
) -> dict[int, Node]:
    """What some of the values that change in a loop are in the end, by a map, with their numbers;
    none if there are none."""
    starts: dict[int, Node] = {}
    for i, move in enumerate(moving):
        start = _made(work, node.initial[i], initial[i]) if move else None
        if start is not None and _is_written(node, i):
            starts[i] = start
    others = [i for i, move in enumerate(moving) if move and i not in starts]
    if not starts or node.effectful or not _are_apart(node, [*starts], others):
        return {}
    if not work.steps.take("elementwise"):
        return {}
    inner = scope.inner()
    index = work.graph.parameter(node.index.name, node.index.type)
    bound = work.copies[node.bound]
    inner.learn_index(index, bound)
    arguments = [index, *[starts.get(i, start) for i, start in enumerate(initial)]]
    work.bind(node.body, inner, arguments, inner.token, work.facts_of(node))
    inner.repeat(index, bound, [index])
    values = [
        _element(work, inner, node.body, node.body.results[i], start, (index,))
        for i, start in starts.items()
    ]
    work.leave(node.body)
    body = inner.body([index], emits(values))
    made = scope.multiloop(bound, (), [Collect(1)] * len(values), (), [body], certs)
    return dict(zip(starts, work.results(scope, made), strict=True))


# What is asked of a loop.


def _made(work: Rebuilding, old: Node, array: Node | None) -> Node | None:
    """An array that is made for who takes it, or what it is or will be a copy of; None for
    others."""
    if isinstance(array, Copy):
        return array.array
    if isinstance(old, Parameter) and work.homes.get(old) is work.top and not old.unique:
        return array
    return array if array and (array.is_fresh or loop_of(array) is not None) else None


def _is_written(node: Loop, number: int) -> bool:
    """Whether each iteration of a loop writes what is at its index of an array that it carries."""
    array = node.carried[number]
    sizes = shape(array)
    if not sizes or sizes[0] is not node.bound:
        return False
    return _writes(node.body.results[number], array, (node.index,), sizes)


def _writes(
    following: Node, array: Parameter, indices: tuple[Node, ...], sizes: Sequence[Node]
) -> bool:
    """Whether an array has become one with another element or row at some indices, or is itself."""
    found = following.original
    if found is array:
        return True
    if isinstance(found, Update):
        target = found.array.original
        # without iterations, rows have the sizes that they have in the array
        alike = shape(found.value) == tuple(sizes[len(indices) :])
        return target is array and found.indices == indices and alike
    if not isinstance(found, Part) or found.node.effectful:
        return False
    if found.ways:
        return all(_writes(way, array, indices, sizes) for way in found.ways)
    inner = _inner(found, array)
    if inner is None or len(sizes) == len(indices) or inner.bound is not sizes[len(indices)]:
        return False
    (own,) = inner.carried
    return _writes(inner.body.results[0], own, (*indices, inner.index), sizes)


def _inner(found: Part, array: Parameter) -> Loop | None:
    """The loop over a row of an array that carries nothing else."""
    inner = found.node
    if not isinstance(inner, Loop) or len(inner.carried) != 1:
        return None
    start = inner.initial[0]
    return inner if start.original is array else None


def _are_apart(node: Loop, numbers: Sequence[int], others: Sequence[int]) -> bool:
    """Whether iterations look at what they write only, of arrays with such numbers, and neither
    depends on what else the loop carries, nor that on them."""
    writes: dict[Parameter, tuple[Node, ...]] = {}
    forbidden = {node.carried[i] for i in others}
    values: list[Node] = []
    for i in numbers:
        array = node.carried[i]
        writes[array] = (node.index,)
        values += _values(node.body.results[i], array, (node.index,), writes)
    if _depends(values, writes, forbidden):
        return False
    return not _depends([node.body.results[i] for i in others], {}, {*writes})


def _values(
    following: Node,
    array: Parameter,
    indices: tuple[Node, ...],
    writes: dict[Parameter, tuple[Node, ...]],
) -> list[Node]:
    """What is written, and what decides that; notes arrays of loops within."""
    found = following.original
    if isinstance(found, Update):
        return [found.value, *found.certs]
    if not isinstance(found, Part):
        return []
    if isinstance(found.node, If):
        own = [found.node.condition, *found.node.certs]
        return own + [n for way in found.ways for n in _values(way, array, indices, writes)]
    inner = _inner(found, array)
    assert inner is not None
    (carried,) = inner.carried
    writes[carried] = (*indices, inner.index)
    return [*inner.certs, *_values(inner.body.results[0], carried, writes[carried], writes)]


def _depends(values: Sequence[Node], writes: Writes, forbidden: set[Parameter]) -> bool:
    """Whether values depend on more of arrays than what is at the indices at which they are
    written, or on values that are forbidden."""
    carried = forbidden | {*writes}
    stack = list(values)
    for found in each_once(stack):
        if found in carried:
            return True
        if found.free.isdisjoint(carried):
            continue
        parts = [*found.operands, *found.certs, *sizes_in(found.type, *found.results)]
        if isinstance(found, Index) and isinstance(found.array, Parameter):
            own = writes.get(found.array)
            if own is not None and found.indices[: len(own)] == own:
                parts.remove(found.array)
        for block in found.blocks:
            parts += [*block.results, *block.effects, *block.parameters]
        stack += parts
    return False


# What becomes of it.


def _element(
    work: Rebuilding,
    scope: BlockScope,
    block: Block,
    following: Node,
    start: Node,
    indices: tuple[Node, ...],
) -> Node:
    """What is at some indices of an array that a block has made of one, in a scope: `start` is what
    it was first."""
    found = following.original
    if isinstance(found, Update):
        return work.seen(work.node(found.value), work.open[block].facts)
    if not isinstance(found, Part):
        return work.graph.index(start, *indices, certs=[scope.token])
    if isinstance(found.node, If):
        return _chosen(work, scope, found, start, indices)
    inner = found.node
    assert isinstance(inner, Loop)
    own = scope.inner()
    index = work.graph.parameter(inner.index.name, inner.index.type)
    bound = work.node(inner.bound)
    own.learn_index(index, bound)
    work.bind(inner.body, own, [index, start], own.token, work.open[block].facts)
    own.repeat(index, bound, [index])
    value = _element(work, own, inner.body, inner.body.results[0], start, (*indices, index))
    work.leave(inner.body)
    certs = [work.node(cert) for cert in inner.certs]
    body = own.body([index], emits([value]))
    return work.graph.part(scope.multiloop(bound, (), [Collect(1)], (), [body], certs), 0)


def _chosen(
    work: Rebuilding, scope: BlockScope, found: Part, start: Node, indices: tuple[Node, ...]
) -> Node:
    """The same of an array that a conditional gives."""
    choice = found.node
    assert isinstance(choice, If)
    condition = work.node(choice.condition)
    negated = work.graph.operation("bool.not", condition)
    branches = []
    for block, way, fact, holds in (
        (choice.then, found.ways[0], condition, True),
        (choice.otherwise, found.ways[1], negated, False),
    ):
        inner = scope.inner()
        inner.learn(fact)
        work.bind(block, inner, (), inner.token, work.facts_in(choice, condition, holds))
        branches.append(inner.block((), [_element(work, inner, block, way, start, indices)]))
        work.leave(block)
    certs = [work.node(cert) for cert in choice.certs]
    types = (branches[0].results[0].type,)
    return work.graph.part(scope.if_(condition, branches[0], branches[1], types, certs), 0)
