"""Sequential loops that write each element of an array once become maps.

    loop(n, v) { i, v => v with v[i] = f(i, v[i]) }   ->   map(fn i => f(i, v[i]), iota(n))

where `v` has n elements (or rows) and is made for this loop: copied, replicated, or given by
another loop. An iteration looks at the element that it writes only, as no other has written it
then; so iterations depend on each other no more, nothing is filled or copied first, and loops like
these fuse. What belongs to somebody else stays where it is, and is overwritten there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.node import (
    Collect,
    Copy,
    Index,
    Loop,
    Node,
    Update,
    emits,
    loop_of,
    shape,
    sizes_in,
)
from cogen.array.optimise.rebuilding import Rebuilding
from cogen.lang.eachonce import each_once


def rewrite_elementwise(
    work: Rebuilding,
    node: Loop,
    scope: BlockScope,
    certs: Sequence[Node],
    initial: Sequence[Node | None],
    moving: Sequence[bool],
) -> tuple[Node, ...] | None:
    """What the values that change in a loop are in the end, by a map; None if it is none."""
    chosen = [i for i, move in enumerate(moving) if move]
    values = _written(node, chosen)
    if values is None or node.effectful:
        return None
    starts = [_made(initial[i]) for i in chosen]
    given = [start for start in starts if start is not None]
    if len(given) < len(starts) or not work.steps.take("elementwise"):
        return None
    inner = scope.inner()
    index = work.graph.parameter(node.index.name, node.index.type)
    bound = work.copies[node.bound]
    inner.learn_index(index, bound)
    arguments: list[Node | None] = [index, *initial]
    for i, start in zip(chosen, given, strict=True):
        arguments[1 + i] = start
    work.bind(node.body, inner, arguments, inner.token, work.facts_of(node))
    inner.repeat(index, bound, [index])
    facts = work.open[node.body].facts
    found = [work.seen(work.node(value), facts) for value in values]
    work.leave(node.body)
    body = inner.body([index], emits(found))
    made = scope.multiloop(bound, (), [Collect(1)] * len(found), (), [body], certs)
    return work.results(scope, made)


def _written(node: Loop, chosen: Sequence[int]) -> list[Node] | None:
    """The elements that a loop writes into the arrays it carries, at its index; None if it does
    more, or some depend on elements of other iterations."""
    carried = frozenset([node.carried[i] for i in chosen])
    found: list[Node] = []
    for i in chosen:
        array, following = node.carried[i], node.body.results[i]
        if not isinstance(following, Update):
            return None
        target = following.array
        if (target.array if isinstance(target, Copy) else target) is not array:
            return None
        if following.indices != (node.index,) or shape(array)[0] is not node.bound:
            return None
        found.append(following.value)
    return found if found and not _depends(node, found, carried) else None


def _depends(node: Loop, values: Sequence[Node], carried: Collection[Node]) -> bool:
    """Whether values depend on more of carried arrays than the element at the loop's index."""
    stack = list(values)
    for found in each_once(stack):
        if found in carried:
            return True
        if found.free.isdisjoint(carried):
            continue
        parts = [*found.operands, *found.certs, *sizes_in(found.type)]
        if isinstance(found, Index) and found.array in carried and found.indices[0] is node.index:
            parts.remove(found.array)
        for block in found.blocks:
            parts += [*block.results, *block.effects, *block.parameters]
        stack += parts
    return False


def _made(array: Node | None) -> Node | None:
    """An array that is made for who takes it, or what it is a copy of; None for others."""
    if isinstance(array, Copy):
        return array.array
    if array is None or not (array.is_fresh or loop_of(array) is not None):
        return None
    return array
