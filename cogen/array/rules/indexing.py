"""Indexing into arrays whose elements are known (seed 003, section 6.1).

    iota(n)[i] -> i        replicate(n, v)[i] -> v        transpose(a)[i, j] -> a[j, i]

So arrays that are only indexed need not be made. What an update changed is found only at the same
indices: the old array may have been overwritten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.ir.graph import Graph, Rule
from cogen.array.ir.graphtypes import rank
from cogen.array.ir.node import (
    Index,
    Iota,
    Literal,
    Node,
    Rearrange,
    Replicate,
    Reshape,
    Slice,
    Update,
)


def index(graph: Graph, node: Index) -> Node | None:
    """The element or row of an array that was made in a known way."""
    array, indices = node.array, node.indices
    certs = (*node.certs, *array.certs)
    match array:
        case Iota():
            return indices[0]  # iota(n)[i] -> i
        case Replicate():
            return graph.index(array.value, *indices[1:], certs=certs)  # replicate(n, v)[i] -> v
        case Index():
            return graph.index(
                array.array, *array.indices, *indices, certs=certs
            )  # a[i][j] -> a[i, j]
        case Slice():
            first = graph.operation("int.add", array.start, indices[0])
            return graph.index(array.array, first, *indices[1:], certs=certs)  # the row start+i
        case Rearrange():
            return _rearranged(graph, array, indices, certs)
        case Reshape():
            return _reshaped(graph, array, indices, certs)
        case Literal():
            return _literal(graph, array, indices, certs)
        case Update():
            return _updated(graph, array, indices, certs)
    return None


def _rearranged(
    graph: Graph, array: Rearrange, indices: Sequence[Node], certs: Sequence[Node]
) -> Node | None:
    """rearrange(order, a)[i ...] -> a[...], where the indices are those of the first dimensions."""
    count = len(indices)
    order = array.order
    if sorted(order[:count]) != list(range(count)):
        return None
    source: list[Node] = list(indices)
    for k, i in zip(order[:count], indices, strict=True):
        source[k] = i
    row = graph.index(array.array, *source, certs=certs)
    if count == len(order):
        return row
    return graph.rearrange(tuple([k - count for k in order[count:]]), row)


def _reshaped(
    graph: Graph, array: Reshape, indices: Sequence[Node], certs: Sequence[Node]
) -> Node | None:
    """reshape((n, m), a)[i, j] -> a[i * m + j], of a flat array."""
    if len(indices) != len(array.sizes) or rank(array.array.type) != 1:
        return None
    flat = indices[0]
    for size, i in zip(array.sizes[1:], indices[1:], strict=True):
        flat = graph.operation("int.add", graph.operation("int.mul", flat, size), i)
    return graph.index(array.array, flat, certs=certs)


def _literal(
    graph: Graph, array: Literal, indices: Sequence[Node], certs: Sequence[Node]
) -> Node | None:
    """[a, b][1] -> b, [a][i] -> a."""
    first = indices[0]
    if len(array.operands) == 1:
        return graph.index(array.operands[0], *indices[1:], certs=certs)
    if not isinstance(first.known, int):
        return None
    if not 0 <= first.known < len(array.operands):
        return None
    return graph.index(array.operands[first.known], *indices[1:], certs=certs)


def _updated(
    graph: Graph, array: Update, indices: Sequence[Node], certs: Sequence[Node]
) -> Node | None:
    """(a with [i] <- v)[i, ...] -> v[...]."""
    count = len(array.indices)
    if len(indices) < count or any(
        i is not j for i, j in zip(array.indices, indices[:count], strict=True)
    ):
        return None
    return graph.index(array.value, *indices[count:], certs=certs)


RULES: Final[Mapping[type[Node], Sequence[Rule]]] = {Index: [index]}
