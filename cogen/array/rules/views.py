"""Views of views are one view; views and copies that change nothing vanish.

transpose(transpose(a)) -> a        reshape(s, reshape(t, a)) -> reshape(s, a)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.ir.graph import Graph, Rule
from cogen.array.ir.graphtypes import rank
from cogen.array.ir.memoryroots import generator_of
from cogen.array.ir.node import (
    Call,
    Concat,
    Copy,
    Index,
    Multiloop,
    Node,
    Part,
    Rearrange,
    Replicate,
    Reshape,
    Slice,
    Update,
    shape,
)


def rearrange(graph: Graph, node: Rearrange) -> Node | None:
    """Permutations compose."""
    if node.order == tuple(range(len(node.order))):
        return node.array  # rearrange((0, 1, ...), a) -> a
    inner = node.array
    if isinstance(inner, Rearrange):
        return graph.rearrange(tuple([inner.order[k] for k in node.order]), inner.array)
    return None


def reshape(graph: Graph, node: Reshape) -> Node | None:
    """Only the last shape counts."""
    inner = node.array
    if node.sizes == shape(inner):
        return inner  # reshape(shape(a), a) -> a
    certs = (*node.certs, *inner.certs)
    if isinstance(inner, Reshape):
        return graph.reshape(inner.array, *node.sizes, certs=certs)
    if isinstance(inner, Replicate) and rank(inner.value.type) == 0:
        found: Node = inner.value
        for size in reversed(node.sizes):
            found = graph.replicate(size, found, certs)
        return found  # reshape((n, m), replicate(k, x)) -> replicate(n, replicate(m, x))
    return None


def slices(graph: Graph, node: Slice) -> Node | None:
    """All rows, rows of rows, rows that are alike."""
    array, start, length = node.operands
    if _is_zero(start) and length is shape(array)[0]:
        return array  # all rows
    certs = (*node.certs, *array.certs)
    if isinstance(array, Slice):
        first = graph.operation("int.add", array.start, start)
        return graph.slice(array.array, first, length, certs)
    if isinstance(array, Replicate):
        return graph.replicate(length, array.value, certs)
    return None


def copy(graph: Graph, node: Copy) -> Node | None:
    """copy(a) -> a where a is new memory anyway; who overwrites it sees to its other uses."""
    return node.array if _is_fresh(node.array) else None


def _is_fresh(node: Node) -> bool:
    match node:
        case Part(node=Multiloop() as loop, index=i):
            return generator_of(loop, i).generator.is_fresh
    return node.is_fresh


def concat(graph: Graph, node: Concat) -> Node | None:
    """concat(a, []) -> a."""
    left, right = node.operands
    if _is_zero(shape(right)[0]):
        return left
    return right if _is_zero(shape(left)[0]) else None


def update(graph: Graph, node: Update) -> Node | None:
    """(a with [i] <- v) with [i] <- w -> a with [i] <- w."""
    inner = node.array
    if isinstance(inner, Update) and inner.indices == node.indices:
        certs = (*node.certs, *inner.certs)
        return graph.update(inner.array, node.indices, node.value, certs)
    return None


def update_of_copy(graph: Graph, node: Update) -> Node | None:
    """copy(a) with [i] <- v -> a with [i] <- v: the schedule copies what is needed otherwise.

    Only after fusion, which does not go past what is overwritten.
    """
    inner = node.array
    if isinstance(inner, Copy):
        return graph.update(inner.array, node.indices, node.value, (*node.certs, *inner.certs))
    return None


def index_of_copy(graph: Graph, node: Index) -> Node | None:
    """copy(a)[i] -> a[i], of an element; copy(a)[i] -> copy(a[i]), of a row.

    What is only read is not copied. After fusion as well: before, reading the copy keeps a loop
    clear of what overwrites `a`.
    """
    inner = node.array
    if not isinstance(inner, Copy):
        return None
    found = graph.index(inner.array, *node.indices, certs=(*node.certs, *inner.certs))
    return found if rank(node.type) == 0 else graph.copy(found)


def inputs_of_copies(graph: Graph, node: Multiloop) -> Node | None:
    """A loop that takes elements of copies takes them of the arrays, if it overwrites nothing."""
    size, *others = node.operands
    extras = others[len(node.inputs) :]
    if any(rank(extra.type) for extra in extras):
        return None
    inputs = [x.array if isinstance(x, Copy) and rank(x.type) == 1 else x for x in node.inputs]
    if inputs == list(node.inputs):
        return None
    certs = [cert for x in node.inputs for cert in x.certs]
    return graph.remake(node, [size, *inputs, *extras], [*node.certs, *certs], node.blocks)


def copy_of_change(graph: Graph, node: Copy) -> Node | None:
    """copy(a with [i] <- v) -> a with [i] <- v, also of what a loop or a function has changed, or
    what a conditional chooses.

    After fusion only: if what was changed is overwritten once more, the schedule copies it there.
    """
    array = node.array
    return array if array.overwrites or array.maker is not None else None


def call_with_copies(graph: Graph, node: Call) -> Node | None:
    """f(copy(a)) -> f(a): the schedule copies what the function overwrites, if that is needed."""
    operands = [x.array if isinstance(x, Copy) else x for x in node.operands]
    if operands == list(node.operands):
        return None
    certs = [cert for x in node.operands if isinstance(x, Copy) for cert in x.certs]
    return graph.remake(node, operands, [*node.certs, *certs], node.blocks, node.results)


def _is_zero(node: Node) -> bool:
    return node.known == 0


RULES: Final[Mapping[type[Node], Sequence[Rule]]] = {
    Rearrange: [rearrange],
    Reshape: [reshape],
    Slice: [slices],
    Copy: [copy],
    Concat: [concat],
    Update: [update],
}


def takes_copies(node: Node) -> bool:
    """Whether late rules may say something of a node."""
    if isinstance(node, Copy):
        return True
    return type(node) in LATE_RULES and any(isinstance(x, Copy) for x in node.operands)


LATE_RULES: Final[Mapping[type[Node], Sequence[Rule]]] = {
    Update: [update_of_copy],
    Index: [index_of_copy],
    Multiloop: [inputs_of_copies],
    Copy: [copy_of_change],
    Call: [call_with_copies],
}
"""Those after fusion, in place of the others for these nodes."""
