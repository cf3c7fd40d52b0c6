"""Elements of arrays that need no memory: iota, replicate, and views of these.

iota(n)[i] -> i          replicate(n, x)[i] -> x
"""

from __future__ import annotations

from cogen.array.ir.graph import Graph
from cogen.array.ir.node import (
    Copy,
    Node,
    Rearrange,
    Replicate,
)


def expression(graph: Graph, array: Node, index: Node) -> Node | None:
    """The element or row of an array at an index, if that can be had without the array."""
    if array.is_formula:
        return array.element_at(index)
    if isinstance(array, Copy) and is_expression(array.array):  # copy(a)[i] -> a[i]
        return expression(graph, array.array, index)
    if isinstance(array, Rearrange) and is_expression(array):
        return _rearranged(graph, array, index)
    return None


def is_expression(array: Node) -> bool:
    """Whether `expression` has an answer."""
    while isinstance(array, (Copy, Rearrange)):
        if isinstance(array, Rearrange) and array.order[0] != 0:
            # Dimension 0 of the result is one of the replicated value's.
            return isinstance(array.array, Replicate)
        array = array.array
    return array.is_formula


def _rearranged(graph: Graph, array: Rearrange, index: Node) -> Node | None:
    first, rest = array.order[0], array.order[1:]
    if first == 0:  # rearrange((0, k, ...), a)[i] -> rearrange((k-1, ...), a[i])
        inner = expression(graph, array.array, index)
        return None if inner is None else moved(graph, tuple([k - 1 for k in rest]), inner)
    replicated = array.array
    if not isinstance(replicated, Replicate):
        return None
    # rearrange((k, ..., 0, ...), replicate(n, x))[i] ->
    #     rearrange(..., replicate(n, x[.., i, ..])), dimension k-1 of x being indexed
    value = replicated.value
    front = (first - 1, *[k for k in range(len(array.order) - 1) if k != first - 1])
    picked = graph.index(moved(graph, front, value), index)
    whole = graph.replicate(replicated.size, picked, replicated.certs)
    # Dimensions of `whole`: 0, then those of x but the one indexed, in order.
    left = [0, *[k for k in range(1, len(array.order)) if k != first]]
    return moved(graph, tuple([left.index(k) for k in rest]), whole)


def moved(graph: Graph, order: tuple[int, ...], array: Node) -> Node:
    """The array with its dimensions in another order; itself if that is no other."""
    if order == tuple(range(len(order))):
        return array
    if isinstance(array, Rearrange):
        order = tuple([array.order[k] for k in order])
        return moved(graph, order, array.array)
    return graph.rearrange(order, array)
