"""Moves checks out of loops: a condition in a loop's body -> one before the loop.

    for i < n:  assert i + k < m        ->      assert n <= 0 or n - 1 + k < m

A condition that does not depend on the loop is checked once. One that is linear in the loop's
index is checked for the iteration in which it is nearest to failing, the first or the last. What
fails then would have failed in some iteration, as the checks in a body are made in each; but it
may fail before what the loop does first. The message is that of the first iteration that fails.

Inside the loop the check remains as its certificate together with the body's token: where the
loop has no iteration nothing was checked (seed 003, sections 5.2 and 6.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.graph import Graph
from cogen.array.ir.node import (
    Node,
    Operation,
    Parameter,
    loop_of,
)
from cogen.array.optimise.indexranges import Ranges
from cogen.array.optimise.steplimit import Steps
from cogen.lang.errors import Span


@dataclass(slots=True, eq=False, repr=False)
class Hoisting:
    """Moves checks as far out as they can go."""

    graph: Graph
    ranges: Ranges
    steps: Steps
    early: bool
    """Loops are not fused yet: what would be needed before a loop over what another one gives,
    of a size that it finds out, would keep them apart."""

    def __call__(
        self,
        scope: BlockScope,
        condition: Node,
        message: str,
        arguments: Sequence[Node],
        span: Span | None,
    ) -> Node | None:
        """The certificate of a check that was moved before the loop whose body a scope is.

        None if the scope is no such body, or the check must stay.
        """
        if scope.repeats is None or scope.outer is None:
            return None
        if self.early and _is_found_out(scope.repeats[1]):
            return None
        moved = self._moved(scope, condition, arguments)
        if moved is None or not self.steps.take("hoist"):
            return None
        graph, outer = self.graph, scope.outer
        conditions, shown = moved
        _, size = scope.repeats
        some = outer.holds(graph.operation("int.lt", graph.integer(0), size))
        certs = [scope.token if some is None else some]
        none = graph.operation("int.le", size, graph.integer(0))
        bounded = graph.operation("int.le", size, graph.integer(graph.arithmetic.max_iterations))
        for outside in conditions:
            if some is None and outside is not bounded:
                outside = graph.operation("bool.or", none, outside)
            found = outer.holds(outside) or self(outer, outside, message, shown, span)
            certs.append(found or outer.require(outside, message, shown, span))
        certificate = graph.conjoin(certs)
        scope.learn(condition, certificate)
        return certificate

    def _moved(
        self, scope: BlockScope, condition: Node, arguments: Sequence[Node]
    ) -> tuple[list[Node], list[Node]] | None:
        """Conditions without the loop's index that say as much, and the message's arguments."""
        assert scope.repeats is not None
        index, size = scope.repeats
        graph = self.graph
        zero = graph.integer(0)
        if condition.free.isdisjoint(scope.binds):
            shown = self._replaced(arguments, index, zero, scope)
            return None if shown is None else ([condition], shown)
        varying, assumed = self._varying(condition, scope)
        slope = None if varying is None else self._slope(assumed, varying, index)
        if varying is None or slope is None or slope == 0:
            return None
        last = graph.operation("int.sub", size, graph.integer(1))
        nearest = self._replaced([condition], index, zero if slope > 0 else last, scope)
        first = zero if slope > 0 else self._first_failure(varying, index, -slope, scope)
        if nearest is None or first is None:
            return None
        shown = self._replaced(arguments, index, first, scope)
        if shown is None:
            return None
        if slope < 0:
            # With more iterations than there can be the last one's sums might wrap around.
            bounded = graph.operation(
                "int.le", size, graph.integer(graph.arithmetic.max_iterations)
            )
            nearest.insert(0, bounded)
        return nearest, shown

    def _varying(self, condition: Node, scope: BlockScope) -> tuple[Operation | None, BlockScope]:
        """The comparison that a condition, or the one alternative of it that varies, is; and a
        scope in which the other alternatives do not hold."""
        while condition.operation == "bool.or":
            varying = [n for n in condition.operands if not n.free.isdisjoint(scope.binds)]
            others = [n for n in condition.operands if n.free.isdisjoint(scope.binds)]
            if len(varying) != 1:
                return None, scope
            scope = _within(scope)
            for other in others:
                scope.learn(self.graph.operation("bool.not", other))
            condition = varying[0]
        return (condition if isinstance(condition, Operation) else None), scope

    def _slope(self, scope: BlockScope, condition: Operation, index: Parameter) -> int | None:
        """The factor of the index in b - a, of a condition a <= b or a < b."""
        if condition.name not in ("int.le", "int.lt"):
            return None
        a, b = [self.ranges.linear(scope, operand) for operand in condition.operands]
        difference = b.form.plus(a.form, -1)
        for atom in difference.factors:
            if atom is not index and not atom.free.isdisjoint(scope.binds):
                return None
        return difference.factors.get(index, 0)

    def _first_failure(
        self, condition: Operation, index: Parameter, slope: int, scope: BlockScope
    ) -> Node | None:
        """The first iteration in which a condition fails that holds until then."""
        graph = self.graph
        zero = graph.integer(0)
        found = self._replaced(condition.operands, index, zero, scope)
        if found is None:
            return None
        distance = graph.operation("int.sub", found[1], found[0])
        if condition.name == "int.lt":
            distance = graph.operation("int.sub", distance, graph.integer(1))
        if slope > 1:
            distance = graph.operation("int.div", distance, graph.integer(slope))
        after = graph.operation("int.add", distance, graph.integer(1))
        return graph.operation("int.max", after, zero)

    def _replaced(
        self, nodes: Sequence[Node], index: Parameter, value: Node, scope: BlockScope
    ) -> list[Node] | None:
        """Ints and conditions with a value in place of the index; None if they depend on more."""
        done: dict[Node, Node] = {index: value}
        stack = list(nodes)
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
            elif node.free.isdisjoint(scope.binds):
                done[stack.pop()] = node
            elif not isinstance(node, Operation) or node.certs:
                return None
            else:
                waiting = [operand for operand in node.operands if operand not in done]
                if waiting:
                    stack.extend(waiting)
                    continue
                operands = [done[operand] for operand in node.operands]
                done[stack.pop()] = self.graph.operation(node.name, *operands)
        return [done[node] for node in nodes]


def _is_found_out(size: Node) -> bool:
    """Whether a size is known only after a loop, if only that of a side of a concat."""
    while size.operation == "int.add":
        if _is_found_out(size.operands[1]):
            return True
        size = size.operands[0]
    return loop_of(size) is not None


def _within(scope: BlockScope) -> BlockScope:
    """A scope within another that binds the same."""
    inner = scope.inner()
    inner.binds = scope.binds
    return inner
