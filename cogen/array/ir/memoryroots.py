"""Which arrays may share memory: an array -> the *roots* whose memory it may have.

    a = Copy(x)      b = Index(a, i)      c = Update(a, j, v)      all have the root a

A root is a node that makes an array (Copy, Iota, Replicate, Literal, Concat, the part of a loop) or
a parameter. A view and an updated array have the roots of the array they come from; so has a
result of a conditional or a loop, of whatever it may be. Parameters of blocks are their own roots
inside, and seen from outside those of what is passed. This over-approximates: arrays without a
common root share nothing.  A result of a call has the roots of those operands that the function's
results may have the memory of (`results_of_calls`).
"""

from __future__ import annotations

from collections.abc import Mapping

from cogen.array.ir import node as ir
from cogen.array.ir.graphtypes import GraphArray
from cogen.lang.eachonce import each_once

Roots = frozenset[ir.Node]

_NONE: Roots = frozenset()

CallResults = Mapping[str, tuple[frozenset[int], ...]]
"""By function, and for each result, the positions of the operands whose memory it may have."""


class MemorySharing:
    """The roots of the nodes of one function, which calls others."""

    def __init__(self, calls: CallResults) -> None:
        self._calls = calls
        self._known: dict[ir.Node, Roots] = {}
        self._copied: set[tuple[ir.Node, int]] = set()

    def copy(self, node: ir.Node, position: int) -> None:
        """From now on an operand that a node overwrites is copied first: what the node gives of it
        has memory of its own."""
        self._copied.add((node, position))
        self._known.clear()

    def roots(self, node: ir.Node) -> Roots:
        """The roots of an array; none of a scalar."""
        waiting = [node]
        while waiting:
            wanted = waiting[-1]
            missing = [n for n in self._needs(wanted) if n not in self._known]
            if wanted in self._known or not missing:
                waiting.pop()
                self._known.setdefault(wanted, self._find(wanted))
            else:
                waiting.extend(missing)
        return self._known[node]

    def _needs(self, node: ir.Node) -> list[ir.Node]:
        """What the roots of a node are made of."""
        if node in self._known or not isinstance(node.type, GraphArray):
            return []
        if node.shares_first:
            return [node.operands[0]]
        if not isinstance(node, ir.Part):
            return []
        region, carried = node.node, node.node.carries(node.index)
        if carried is None:
            return list(self._shared(region, node.index))
        start = region.operands[carried.first : carried.first + len(carried.parameters)]
        values = [value for _, value in carried.given]
        return [*start, *carried.block.results, *values, *region.inputs]

    def _find(self, node: ir.Node) -> Roots:
        if not isinstance(node.type, GraphArray):
            return _NONE
        if node.shares_first:
            own = (node, 0) in self._copied
            return frozenset([node]) if own else self._known[node.operands[0]]
        if not isinstance(node, ir.Part):
            return frozenset([node])
        region, carried = node.node, node.node.carries(node.index)
        if carried is not None:
            return self._result(node, region, carried)
        own_memory = [frozenset([node])] if region.makes(node.index) else []
        shared = [self._known[n] for n in self._shared(region, node.index)]
        return _NONE.union(*own_memory, *shared)

    def _shared(self, region: ir.Region, result: int) -> tuple[ir.Node, ...]:
        """Whose memory a result of a node may have, beside what carries it."""
        if not isinstance(region, ir.Call):
            return region.shared(result)
        positions = self._calls[region.function][result]
        return tuple([region.operands[k] for k in sorted(positions)])

    def _result(self, node: ir.Part, region: ir.Region, carried: ir.Carried) -> Roots:
        """The roots of what is carried from one time to the next."""
        given = {
            p: self._passed(region, position, node)
            for position, p in enumerate(carried.parameters, carried.first)
        }
        elements: dict[ir.Parameter, Roots] = {}
        inputs = dict(zip(region.elements, region.inputs, strict=True))
        for parameter, value in carried.given:
            found: set[ir.Node] = {node}
            for root in self._known[value]:
                array = inputs.get(root) if isinstance(root, ir.Parameter) else None
                found |= {root} if array is None else self._known[array]
            elements[parameter] = frozenset(found)
        wanted = carried.parameters[node.index - carried.result]
        return self._carried(carried, given, elements, wanted)

    def _passed(self, region: ir.Region, position: int, part: ir.Node) -> Roots:
        """The roots of an operand as a loop takes it; a part stands for a copy."""
        own = (region, position) in self._copied
        return frozenset([part]) if own else self._known[region.operands[position]]

    def _carried(
        self,
        carried: ir.Carried,
        given: dict[ir.Parameter, Roots],
        elements: dict[ir.Parameter, Roots],
        wanted: ir.Parameter,
    ) -> Roots:
        """The roots of what a parameter becomes from iteration to iteration.

        `given` are the roots of the first values of the carried parameters, `elements` those of
        other parameters.
        """
        following = dict(zip(carried.parameters, carried.block.results, strict=True))
        found: set[ir.Node] = set()
        waiting = [wanted]
        for parameter in each_once(waiting):
            for root in given[parameter] | self._known[following[parameter]]:
                if root in given:
                    waiting.append(root)
                elif root in elements:
                    found |= elements[root]
                else:
                    found.add(root)
        return frozenset(found)


def results_of_calls(functions: Mapping[str, ir.Function]) -> CallResults:
    """Whose memory the results of functions may have, which call one another."""
    found = {name: (frozenset[int](),) * len(f.body.results) for name, f in functions.items()}
    while True:
        sharing = MemorySharing(found)
        more = {name: tuple([_positions(sharing.roots(result), f) for result in f.body.results])
                for name, f in functions.items()}  # fmt: skip
        if more == found:
            return found
        found = more


def _positions(roots: Roots, function: ir.Function) -> frozenset[int]:
    return frozenset([k for k, p in enumerate(function.body.parameters) if p in roots])


def generator_of(node: ir.Multiloop, result: int) -> ir.Yield:
    """The generator that a result of a loop is of."""
    for y in node.yields():
        if result < y.first + y.gives:
            return y
    raise AssertionError("a loop has as many results as its generators give")
