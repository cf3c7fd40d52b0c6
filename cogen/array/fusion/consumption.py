"""Which arrays are overwritten, and by what (seed 003, section 7.1.2).

An Update or a Scatter of an array, a loop whose body updates what it carries, a call: each consumes
arrays, of which it is enough to know the *roots*: what a chain of views and conditionals starts
from. A loop that reads an array must not be moved past its consumption: it would need a copy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from cogen.array.fusion.dependence import DataFlow
from cogen.array.fusion.mirror import captured
from cogen.array.fusion.nodeplaces import Places
from cogen.array.ir import node as ir
from cogen.array.ir.graphtypes import GraphArray
from cogen.lang.errors import Span


def roots(array: ir.Node) -> set[ir.Node]:
    """The arrays whose memory an array may share, at the end of chains of views."""
    found: set[ir.Node] = set()
    seen: set[ir.Node] = set()
    stack = [array]
    while stack:
        node = stack.pop()
        if node in seen or not isinstance(node.type, GraphArray):
            continue
        seen.add(node)
        if node.ways:
            stack += node.ways
        elif node.is_view:
            stack.append(node.operands[0])
        else:
            found.add(node)
    return found


class Consumption:
    """What a function's nodes consume."""

    def __init__(
        self,
        places: Places,
        spans: Mapping[ir.Node, Span],
        functions: Mapping[str, ir.Function] | None = None,
    ) -> None:
        self.places = places
        self.spans = spans
        self.functions = functions or {}
        self.consumers: dict[ir.Node, list[ir.Node]] = defaultdict(list)
        """For each root the nodes that consume it, ascending; a loop if it does so inside."""
        self._reads: dict[ir.Multiloop, set[ir.Node]] = {}
        for node in places.nodes:
            for array in self._consumed(node):
                for root in roots(array):
                    if node not in self.consumers[root]:
                        self.consumers[root].append(node)

    def _consumed(self, node: ir.Node) -> Iterable[ir.Node]:
        """The arrays that a node consumes; what its blocks consume is known before."""
        if isinstance(node, ir.Update):
            return [node.array]
        if isinstance(node, ir.Call):
            callee = self.functions.get(node.function)
            if callee is None:  # it may consume them all
                return node.operands
            pairs = zip(callee.body.parameters, node.operands, strict=True)
            return [operand for parameter, operand in pairs if parameter.unique]
        if isinstance(node, ir.Loop):
            consumed = self._carried(node)
            pairs = zip(node.carried, node.initial, strict=True)
            return [initial for carried, initial in pairs if carried in consumed]
        if isinstance(node, ir.Multiloop):
            return self._consumed_by_loop(node)
        return ()

    def _carried(self, loop: ir.Loop) -> set[ir.Parameter]:
        """The carried values that some iteration of a loop consumes: also what becomes one."""
        found = {parameter for parameter in loop.carried if self._is_consumed(parameter)}
        while True:
            more: set[ir.Parameter] = set()
            for parameter, value in zip(loop.carried, loop.body.results, strict=True):
                if parameter in found:
                    more.update(p for p in loop.carried if p in roots(value))
            if more <= found:
                return found
            found |= more

    def _consumed_by_loop(self, loop: ir.Multiloop) -> list[ir.Node]:
        found = [
            array
            for array, element in zip(loop.inputs, loop.elements, strict=True)
            if self._is_consumed(element)
        ]
        for y in loop.yields():
            if y.generator.overwrites:
                found += y.extras
            if y.generator.accumulates and y.operator is not None:
                accumulators = y.operator.parameters[: y.generator.values]
                pairs = zip(accumulators, y.extras, strict=True)
                found += [neutral for a, neutral in pairs if self._is_consumed(a)]
        return found

    def _is_consumed(self, parameter: ir.Parameter) -> bool:
        return bool(self.consumers.get(parameter))

    def reads(self, loop: ir.Multiloop) -> set[ir.Node]:
        """The roots of the arrays that a loop uses."""
        if loop not in self._reads:
            found: set[ir.Node] = set()
            for node in (*loop.operands, *captured(loop)):
                found |= roots(node)
            self._reads[loop] = found
        return self._reads[loop]

    def between(
        self, left: Collection[ir.Multiloop], right: Collection[ir.Multiloop], flow: DataFlow
    ) -> ir.Node | None:
        """What overwrites an array that a loop of two groups reads, before one of the other group,
        or in it; they stand in the block that `flow` is of."""
        for loops, others in ((left, right), (right, left)):
            for loop in loops:
                if not self.is_contested(loop):
                    continue
                for other in others:
                    found = self.crosses(loop, other, flow)
                    if found is not None:
                        return found
        return None

    def is_contested(self, loop: ir.Multiloop) -> bool:
        """Whether something that a loop reads is overwritten anywhere."""
        return any(self.consumers.get(root) for root in self.reads(loop))

    def crosses(self, loop: ir.Multiloop, item: ir.Node, flow: DataFlow) -> ir.Node | None:
        """What overwrites an array that a loop reads, before another item, or in it."""
        for root in sorted(self.reads(loop), key=lambda node: node.number):
            for consumer in self.consumers.get(root, ()):
                at = self.places.item(consumer, flow.block)
                if not isinstance(at, ir.Node) or at is loop:
                    continue
                if at is item or flow.depends(item, at) or self._is_between(loop, at, item):
                    return consumer
        return None

    def _is_between(self, loop: ir.Node, item: ir.Node, other: ir.Node) -> bool:
        """Whether the source has a node between two others."""
        first, middle, last = (self.spans.get(node) for node in (loop, item, other))
        if first is None or middle is None or last is None:
            return False
        if not first.source is middle.source is last.source:
            return False
        return first.start < middle.start < last.start
