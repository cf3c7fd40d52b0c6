"""Remainders of an index that was moved by some places: one of two sums, as the index tells.

    i + c % n,  0 <= i < n    ->    if i < d then i + s else i - d,    s = c % n, d = n - s

Nothing is divided in the loop of i, and all but the end of it reads neighbours: a loop that asks
where it is becomes one before that place and one behind it (`cogen.array.loops.split_sides`). This
comes after all that proves indices to be in range, which a remainder is and a conditional hides.
"""

from __future__ import annotations

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT
from cogen.array.ir.linear import Linear
from cogen.array.ir.node import Node, Parameter
from cogen.array.optimise.indexranges import Ranges


def wrapped(graph: Graph, ranges: Ranges, scope: BlockScope, node: Node) -> Node | None:
    """What stands for a remainder in a scope, if it is one of an index that was moved."""
    if node.operation != "int.mod":
        return None
    moved, size = node.operands
    form = ranges.linear(scope, moved).form
    index = _index(form)
    if index is None or index in size.free or not _is_below(graph, ranges, scope, index, size):
        return None
    distance = Linear(form.factors, form.constant).plus(Linear({index: 1}, 0), -1)
    by = _sum(graph, distance)
    if ranges.linear(scope, by).form != distance:  # it may leave the range of int
        return None
    if by.is_known and by.known == 0:
        return index
    start = _offset(graph, ranges, scope, by, size)
    end = graph.operation("int.sub", size, start)
    near = scope.inner().block((), (graph.operation("int.add", index, start),))
    far = scope.inner().block((), (graph.operation("int.sub", index, end),))
    chosen = scope.if_(graph.operation("int.lt", index, end), near, far, (INT,))
    return graph.part(chosen, 0)


def _index(form: Linear) -> Parameter | None:
    """The innermost variable of a sum, if that has it once, beside what does not depend on it."""
    latest = max(form.factors, key=lambda atom: atom.number, default=None)
    if not isinstance(latest, Parameter) or form.factors[latest] != 1:
        return None
    others = [atom for atom in form.factors if atom is not latest]
    if any(latest in atom.free for atom in others):
        return None
    return latest


def _is_below(graph: Graph, ranges: Ranges, scope: BlockScope, index: Node, size: Node) -> bool:
    """Whether 0 <= index < size."""
    conditions = (
        graph.operation("int.le", graph.integer(0), index),
        graph.operation("int.lt", index, size),
    )
    return all(ranges(scope, condition) is not None for condition in conditions)


def _sum(graph: Graph, form: Linear) -> Node:
    """A form as a sum."""
    found: Node = graph.integer(form.constant)
    for atom, factor in form.factors.items():
        term = graph.operation("int.mul", atom, graph.integer(factor))
        found = graph.operation("int.add", found, term)
    return found


def _offset(graph: Graph, ranges: Ranges, scope: BlockScope, by: Node, size: Node) -> Node:
    """by % size, or the size, where there is an iteration, so that the size is at least 1."""
    after = graph.operation("int.add", size, graph.integer(1))
    if _is_below(graph, ranges, scope, by, after):
        return by
    return graph.operation("int.mod", by, graph.operation("int.max", size, graph.integer(1)))
