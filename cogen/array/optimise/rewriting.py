"""Rebuilds a function, block by block, with what is known at each place: function -> function.

Nodes are placed first (`cogen.array.ir.placement`). Then every node is made again of its rebuilt
operands, where it is placed, so that the rules of the graph see what has changed since, and what is
known at this place; what nothing needs is not rebuilt. On the way

    known   an If whose condition holds, or does not, becomes its branch; a Loop without
            iterations its initial values, one of a single iteration its body
    context conditions decided by a branch, or by the condition of a generator, are constants in it
            (`cogen.array.optimise.placefacts`)
    steady  a value that a Loop carries and never changes is its initial one (`rewriteloops.py`)
    dead    results of loops that nothing uses are left out, and what a loop carries for them
    ranges  an Assert that is known to hold becomes the certificates that say so
    hoist   an Assert in a loop becomes one before the loop (`cogen.array.optimise.hoist`)

The graph may be rebuilt as often as one likes; once nothing changes it is the same again up to the
names of parameters.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from cogen.array.ir import node as ir
from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import GraphArray, Own, Type
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import shape
from cogen.array.ir.packedboundary import sources
from cogen.array.ir.placement import place, places
from cogen.array.optimise.live import Live
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.rebuilding import Rebuilding
from cogen.array.optimise.rewritegenerators import rewrite_multiloop
from cogen.array.optimise.rewriteloops import rewrite_loop
from cogen.array.optimise.steplimit import Steps
from cogen.array.optimise.wraps import wrapped
from cogen.lang.deep import on_deep_stack


def rewrite(
    graph: Graph,
    module: ir.Module,
    options: Options,
    steps: Steps,
    early: bool = False,
    last: bool = False,
) -> ir.Module:
    """The module with its functions rebuilt, but those that are not called any more; `early`: its
    loops are not fused yet; `last`: nothing comes after this that proves indices to be in range."""
    return on_deep_stack(_rewrite, graph, module, options, steps, early, last)


def _rewrite(
    graph: Graph, module: ir.Module, options: Options, steps: Steps, early: bool, last: bool
) -> ir.Module:
    entry = Rewriter(graph, options, steps, early, last).function(module.entry)
    functions: dict[str, ir.Function] = {}
    waiting = [entry]
    while waiting:
        for node in all_nodes(waiting.pop(0).body):
            if isinstance(node, ir.Call) and node.function not in functions:
                rewriter = Rewriter(graph, options, steps, early, last)
                found = rewriter.function(module.functions[node.function])
                functions[node.function] = found
                waiting.append(found)
    return ir.Module(entry, functions)


class Rewriter(Rebuilding):
    """Rebuilds one function."""

    def function(self, function: ir.Function) -> ir.Function:
        """The function rebuilt; its parameters stay."""
        body = function.body
        self.placed = {node: found for found in places(place(body)) for node in found.nodes}
        everything = "dead" in self.off or self.steps.left == 0
        self.live = Live([body], everything, function.results)
        scope = self.top
        for parameter in body.parameters:
            self.copies[parameter] = parameter
        for size in body.parameters[: function.sizes]:
            self.is_size(scope, size)
        for array, stored in zip(function.parameters, sources(function), strict=True):
            self.can_be(scope, shape(array))
            if stored is not None:
                self.intervals.stored(array, stored.samples)
        results = self.enter(body, scope, body.parameters, None)
        rebuilt = scope.block(body.parameters, results)
        types = tuple([self.type(t) for t in function.results])
        return dataclasses.replace(
            function, body=rebuilt, results=types, effectful=bool(rebuilt.effects)
        )

    def _rebuilt(self, node: ir.Node) -> ir.Node:
        certs = [self.copies[cert] for cert in node.certs]
        match node:
            case ir.Constant():
                return node
            case ir.Part():
                return self.part(node)
            case ir.Assert():
                return self.check(node)
            case ir.Trace():
                leaves = [self.copies[operand] for operand in node.operands]
                return self.home(node).trace(node.layout, leaves)
            case ir.Region():
                self.several[node] = self.region(node, self.home(node))
                return self.graph.checked  # never used: all uses are parts
        operands = [self.copies[o] for o in node.operands]
        if isinstance(node, (ir.Operation, ir.Index)):
            facts = self.facts_of(node)
            operands = [self.seen(o, facts) for o in operands]
        made = self.graph.remake(node, operands, certs)
        if node.operation in ("int.min", "int.max"):
            return self.extreme(made, self.home(node))
        if self.last and made.operation == "int.mod":
            return self.remainder(made, self.home(node))
        return self.decided(made)

    def remainder(self, node: ir.Node, scope: BlockScope) -> ir.Node:
        """A remainder, without a division where it is one of a moved index."""
        if self.prove is None or "wraps" in self.off or self.steps.left == 0:
            return node
        found = wrapped(self.graph, self.prove, scope, node)
        return node if found is None or not self.steps.take("wraps") else found

    def decided(self, node: ir.Node) -> ir.Node:
        """A comparison that always has one answer, as that."""
        if self.prove is None:
            return node
        found = self.intervals.decided(node)
        if found is None or not self.steps.take("ranges"):
            return node
        return self.graph.boolean(found)

    def extreme(self, node: ir.Node, scope: BlockScope) -> ir.Node:
        """The greater or the less of two ints of which that is known without any condition."""
        if node.operation not in ("int.min", "int.max"):
            return node
        if self.prove is None:
            return node
        a, b = node.operands
        for low, high in ((a, b), (b, a)):
            proof = self.prove(scope, self.graph.operation("int.le", low, high))
            if proof is not None and all(cert is self.graph.checked for cert in proof):
                return low if node.operation == "int.min" else high
        return node

    def part(self, node: ir.Part) -> ir.Node:
        found = self.several[node.node][node.index]
        assert found is not None, "a result is used that was thought dead"
        return found

    def check(self, node: ir.Assert) -> ir.Node:
        scope = self.home(node)
        conditions = _conjuncts(self.copies[node.condition])
        arguments = [self.copies[argument] for argument in node.arguments]
        certs = []
        left = []
        for condition in conditions:
            known = scope.holds(condition)
            if known is None and self.hoisting is not None:
                known = self.hoisting(scope, condition, node.message, arguments, node.span)
            if known is None:
                left.append(condition)
            else:
                certs.append(known)
        for around in scope.chain():
            if around in self.relied:
                self.relied[around] += certs
        if left:
            certs.append(scope.require(left, node.message, arguments, node.span))
        return self.graph.conjoin(certs)

    # Nodes with several results.

    def region(self, node: ir.Region, scope: BlockScope) -> tuple[ir.Node | None, ...]:
        certs = [
            self.copies[cert]
            for cert in node.certs
            if not (isinstance(cert, ir.Parameter) and node in self.graph.standing)
            or self.copies[cert] is not scope.token
        ]
        match node:
            case ir.If():
                return self.if_(node, scope, certs)
            case ir.Loop():
                return rewrite_loop(self, node, scope, certs)
            case ir.Multiloop():
                return rewrite_multiloop(self, node, scope, certs)
            case ir.Call():
                return self.call(node, scope, certs)
        raise AssertionError("there are no other nodes with several results")

    def call(
        self, node: ir.Call, scope: BlockScope, certs: Sequence[ir.Node]
    ) -> tuple[ir.Node, ...]:
        operands = [self.copies[operand] for operand in node.operands]
        results = tuple([self.type(t) for t in node.results])
        effectful = bool(node.attributes[1])
        made = scope.region(ir.Call, node.attributes, operands, certs, (), results, effectful)
        return self.results(scope, made)

    def if_(
        self, node: ir.If, scope: BlockScope, certs: Sequence[ir.Node]
    ) -> tuple[ir.Node | None, ...]:
        condition = self.copies[node.condition]
        chosen = self.live.chosen(node)
        if _stands_alone(node.then, chosen) and _stands_alone(node.otherwise, chosen):
            condition = self.seen(condition, self.facts_of(node))
        negated = self.graph.operation("bool.not", condition)
        found: list[ir.Node | None] = [None] * len(node.results)
        taken = self.branch(node, condition, negated, scope, certs, chosen)
        if taken is not None:
            for i, result in zip(chosen, taken, strict=True):
                found[i] = result
            return tuple(found)
        blocks = []
        for fact, holds, block in (
            (condition, True, node.then),
            (negated, False, node.otherwise),
        ):
            inner = scope.inner()
            inner.learn(fact)
            self.bind(block, inner, (), inner.token, self.facts_in(node, condition, holds))
            self.effects(block)
            blocks.append(inner.block((), self.results_of(block, chosen)))
            self.leave(block)
        if not chosen and not any(block.effects for block in blocks):
            return tuple(found)
        own = {old: Own(new) for new, old in enumerate(chosen)}
        results = tuple([self.type(_renumbered(node.results[i], own)) for i in chosen])
        made = scope.if_(condition, blocks[0], blocks[1], results, certs)
        for i, part in zip(chosen, self.results(scope, made), strict=True):
            found[i] = part
        return tuple(found)

    def branch(
        self,
        node: ir.If,
        condition: ir.Node,
        negated: ir.Node,
        scope: BlockScope,
        certs: Sequence[ir.Node],
        chosen: Sequence[int],
    ) -> list[ir.Node] | None:
        """The chosen results of the branch that is taken, if that is known."""
        if "known" in self.off:
            return None
        facts = self.facts_of(node)
        for fact, block in ((condition, node.then), (negated, node.otherwise)):
            known = scope.holds(fact)
            if known is None:
                guarded = facts is not None and facts.value(fact)
                if not guarded or not _stands_alone(block, chosen):
                    continue
                known = self.graph.checked
            if not self.steps.take("known"):
                continue
            token = self.graph.conjoin([known, scope.token, *certs])
            self.bind(block, scope, (), token, facts, self.around(node))
            self.effects(block)
            return self.results_of(block, chosen)
        return None


def _stands_alone(block: ir.Block, chosen: Iterable[int]) -> bool:
    """Whether results of a branch need no certificate that it was taken."""
    return not block.effects and all(block.token not in block.results[i].free for i in chosen)


def _renumbered(t: Type, own: dict[int, Own]) -> Type:
    """A type of a result, where other results have other numbers."""
    if not isinstance(t, GraphArray):
        return t
    sizes = [n.of(own[n.index]) if isinstance(n, Own) else n for n in t.shape]
    return GraphArray(t.element, tuple(sizes))


def _conjuncts(condition: ir.Node) -> list[ir.Node]:
    """The conditions of which one is the conjunction, in order."""
    found = []
    waiting = [condition]
    while waiting:
        node = waiting.pop()
        if node.operation == "bool.and":
            waiting.extend(reversed(node.operands))
        else:
            found.append(node)
    return found
