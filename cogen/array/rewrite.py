"""Rebuilds a function, block by block, with what is known at each place: function -> function.

Every node is made again of its rebuilt operands, so that the rules of the graph see what has
changed since; what nothing needs is not rebuilt. On the way

    known   an If whose condition holds, or does not, becomes its branch; a Loop without
            iterations its initial values, one of a single iteration its body
    dead    results of loops that nothing uses are left out, and what a loop carries for them
    ranges  an Assert that is known to hold becomes the certificates that say so
    hoist   an Assert in a loop becomes one before the loop (`cogen.array.hoist`)

The graph may be rebuilt as often as one likes; once nothing changes it is the same again up to the
names of parameters.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from cogen.array.graph import Graph
from cogen.array.hoist import Hoisting
from cogen.array.live import Live
from cogen.array.node import (
    Assert,
    Block,
    Call,
    Constant,
    Function,
    Generator,
    If,
    Loop,
    Module,
    Multiloop,
    Node,
    Operation,
    Parameter,
    Part,
    Region,
    Trace,
    shape,
)
from cogen.array.optimisations import Options
from cogen.array.ranges import Ranges
from cogen.array.scope import Scope
from cogen.array.steps import Steps
from cogen.array.types import ArrayType, Dimension, Own, Type
from cogen.array.walk import all_nodes
from cogen.lang.deep import on_deep_stack


def rewrite(graph: Graph, module: Module, options: Options, steps: Steps) -> Module:
    """The module with its functions rebuilt, but those that are not called any more."""
    return on_deep_stack(_rewrite, graph, module, options, steps)


def _rewrite(graph: Graph, module: Module, options: Options, steps: Steps) -> Module:
    entry = Rewriter(graph, options, steps).function(module.entry)
    functions: dict[str, Function] = {}
    waiting = [entry]
    while waiting:
        for node in all_nodes(waiting.pop(0).body):
            if isinstance(node, Call) and node.function not in functions:
                rewriter = Rewriter(graph, options, steps)
                found = rewriter.function(module.functions[node.function])
                functions[node.function] = found
                waiting.append(found)
    return Module(entry, functions)


class Rewriter:
    """Rebuilds one function."""

    def __init__(self, graph: Graph, options: Options, steps: Steps) -> None:
        self.graph = graph
        self.off = options.off
        self.steps = steps
        ranges = Ranges(graph, steps)
        self.prove = None if "ranges" in options.off else ranges
        self.hoisting = None if "hoist" in options.off else Hoisting(graph, ranges, steps)
        self.copies: dict[Node, Node] = {}
        self.several: dict[Region, tuple[Node | None, ...]] = {}
        """The results of nodes with several; None for those that are not needed."""
        self.relied: dict[Scope, list[Node]] = {}
        """By the body of a loop whose keys are indices: the certificates of its checks that are
        made elsewhere.  A key that is a constant does not hold on to its own."""
        self.homes: dict[Parameter, Scope] = {}
        """Where the blocks that bind the old parameters are being rebuilt."""
        self.live = Live(())
        self.top: Scope = Scope(graph, prove=self.prove)

    def function(self, function: Function) -> Function:
        """The function rebuilt; its parameters stay."""
        body = function.body
        everything = "dead" in self.off or self.steps.left == 0
        self.live = Live([body], everything, function.results)
        scope = self.top
        for parameter in body.parameters:
            self.copies[parameter] = parameter
        for size in body.parameters[: function.sizes]:
            self.is_size(scope, size)
        for array in function.parameters:
            self.can_be(scope, shape(array))
        results = self.enter(body, scope, body.parameters)
        rebuilt = scope.block(body.parameters, results)
        types = tuple([self.type(t) for t in function.results])
        return dataclasses.replace(
            function, body=rebuilt, results=types, effectful=bool(rebuilt.effects)
        )

    # Blocks.

    def enter(self, block: Block, scope: Scope, arguments: Sequence[Node]) -> list[Node]:
        """Rebuild the content of a block into a scope; the results of the block."""
        self.bind(block, scope, arguments, scope.token)
        return self.content(block)

    def bind(
        self, block: Block, scope: Scope, arguments: Iterable[Node | None], token: Node
    ) -> None:
        """Let arguments stand for a block's parameters, and a certificate for its token."""
        self.copies[block.token] = token
        for parameter in block.binds:
            self.homes[parameter] = scope
        for parameter, argument in zip(block.parameters, arguments, strict=True):
            if argument is not None:
                self.copies[parameter] = argument

    def content(self, block: Block) -> list[Node]:
        self.effects(block)
        return [self.node(node) for node in block.results]

    def effects(self, block: Block) -> None:
        for effect in block.effects:
            self.node(effect)

    def home(self, node: Node) -> Scope:
        """The innermost scope that binds something an old node depends on."""
        home = self.top
        for parameter in node.free:
            scope = self.homes[parameter]
            if scope.depth > home.depth:
                home = scope
        return home

    def parameter(self, old: Parameter, source: Node | None = None) -> Parameter:
        """A new parameter for an old one; with the type of a row of `source` if that is given."""
        t = self.type(old.type)
        if source is not None and isinstance(t, ArrayType):
            t = ArrayType(t.element, shape(source)[1:])
        return self.graph.parameter(old.name, t, old.unique)

    def type(self, t: Type) -> Type:
        if not isinstance(t, ArrayType):
            return t
        sizes: list[Dimension] = [self.node(n) if isinstance(n, Node) else n for n in t.shape]
        return ArrayType(t.element, tuple(sizes))

    def is_size(self, scope: Scope, n: Node) -> None:
        """Note that an int is the size of an array."""
        graph = self.graph
        scope.learn(graph.operation("int.le", graph.integer(0), n), graph.checked)
        limit = graph.integer(graph.arithmetic.max_elements)
        scope.learn(graph.operation("int.le", n, limit), graph.checked)

    def can_be(self, scope: Scope, sizes: Sequence[Node]) -> None:
        """Note that there is an array of a shape."""
        if len(sizes) > 1:
            area = sizes[0]
            for size in sizes[1:]:
                area = self.graph.operation("int.area", area, size)
            limit = self.graph.integer(self.graph.arithmetic.max_elements)
            fact = self.graph.operation("int.le", area, limit)
            scope.learn(fact, self.graph.checked)

    # Nodes.

    def node(self, root: Node) -> Node:
        """The rebuilt node."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self.copies:
                stack.pop()
                continue
            waiting = [n for n in self.needs(node) if n not in self.copies]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            self.copies[node] = self.rebuilt(node)
        return self.copies[root]

    def needs(self, node: Node) -> Iterable[Node]:
        """What is rebuilt before a node: of a loop, what it needs for its live results."""
        if isinstance(node, (Constant, Parameter)):
            return ()
        if isinstance(node, (Loop, Multiloop)):
            return [*self.live.operands(node), *node.certs]
        return [*node.operands, *node.certs]

    def rebuilt(self, node: Node) -> Node:
        graph = self.graph
        saved = graph.at, graph.origin
        graph.at = graph.spans.get(node)
        graph.origin = graph.origins.get(node, frozenset())
        try:
            return self._rebuilt(node)
        finally:
            graph.at, graph.origin = saved

    def _rebuilt(self, node: Node) -> Node:
        certs = [self.copies[cert] for cert in node.certs]
        match node:
            case Constant():
                return node
            case Part():
                return self.part(node)
            case Assert():
                return self.check(node)
            case Trace():
                leaves = [self.copies[operand] for operand in node.operands]
                return self.home(node).trace(node.layout, leaves)
            case Region():
                self.several[node] = self.region(node, self.home(node))
                return self.graph.checked  # never used: all uses are parts
        return self.graph.remake(node, [self.copies[o] for o in node.operands], certs)

    def part(self, node: Part) -> Node:
        found = self.several[node.node][node.index]
        assert found is not None, "a result is used that was thought dead"
        return found

    def check(self, node: Assert) -> Node:
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

    def region(self, node: Region, scope: Scope) -> tuple[Node | None, ...]:
        certs = [
            self.copies[cert]
            for cert in node.certs
            if not (isinstance(cert, Parameter) and node in self.graph.standing)
            or self.copies[cert] is not scope.token
        ]
        match node:
            case If():
                return self.if_(node, scope, certs)
            case Loop():
                return self.loop(node, scope, certs)
            case Multiloop():
                return self.multiloop(node, scope, certs)
            case Call():
                return self.call(node, scope, certs)
        raise AssertionError("there are no other nodes with several results")

    def results(self, scope: Scope, node: Region) -> tuple[Node, ...]:
        """The parts of a rebuilt node, of which some are sizes."""
        parts = self.graph.parts(node)
        for t in node.results:
            for size in t.shape if isinstance(t, ArrayType) else ():
                if isinstance(size, Own):
                    self.is_size(scope, parts[size.index])
        return parts

    def call(self, node: Call, scope: Scope, certs: Sequence[Node]) -> tuple[Node, ...]:
        operands = [self.copies[operand] for operand in node.operands]
        results = tuple([self.type(t) for t in node.results])
        effectful = bool(node.attributes[1])
        made = scope.region(Call, node.attributes, operands, certs, (), results, effectful)
        return self.results(scope, made)

    def if_(self, node: If, scope: Scope, certs: Sequence[Node]) -> tuple[Node | None, ...]:
        condition = self.copies[node.condition]
        negated = self.graph.operation("bool.not", condition)
        chosen = self.live.chosen(node)
        found: list[Node | None] = [None] * len(node.results)
        if "known" not in self.off:
            for fact, block in ((condition, node.then), (negated, node.otherwise)):
                known = scope.holds(fact)
                if known is not None and self.steps.take("known"):
                    token = self.graph.conjoin([known, scope.token, *certs])
                    self.bind(block, scope, (), token)
                    self.effects(block)
                    for i in chosen:
                        found[i] = self.node(block.results[i])
                    return tuple(found)
        blocks = []
        for fact, block in ((condition, node.then), (negated, node.otherwise)):
            inner = scope.inner()
            inner.learn(fact)
            self.bind(block, inner, (), inner.token)
            self.effects(block)
            blocks.append(inner.block((), [self.node(block.results[i]) for i in chosen]))
        if not chosen and not any(block.effects for block in blocks):
            return tuple(found)
        own = {old: Own(new) for new, old in enumerate(chosen)}
        results = tuple([self.type(_renumbered(node.results[i], own)) for i in chosen])
        made = scope.if_(condition, blocks[0], blocks[1], results, certs)
        for i, part in zip(chosen, self.results(scope, made), strict=True):
            found[i] = part
        return tuple(found)

    def loop(self, node: Loop, scope: Scope, certs: Sequence[Node]) -> tuple[Node | None, ...]:
        bound = self.copies[node.bound]
        kept = self.live.carried(node)
        initial = [
            self.copies[start] if keep else None
            for start, keep in zip(node.initial, kept, strict=True)
        ]
        if "known" not in self.off:
            found = self.unrolled(node, scope, certs, initial, kept)
            if found is not None:
                return found
        inner = scope.inner()
        index = self.graph.parameter(node.index.name, node.index.type)
        inner.learn_index(index, bound)
        self.bind(node.body, inner, [index, *[None] * len(kept)], inner.token)
        steady = [
            keep and result is parameter and "known" not in self.off
            for keep, result, parameter in zip(kept, node.body.results, node.carried, strict=True)
        ]
        parameters: list[Parameter] = []
        for old, start, keep, same in zip(node.carried, initial, kept, steady, strict=True):
            if same and start is not None:
                self.copies[old] = self.passed(old, start, certs)
            elif keep:
                parameters.append(self.parameter(old))
                self.copies[old] = parameters[-1]
        for old in node.carried:
            for size in shape(old):
                if size in node.carried and size in self.copies:
                    self.is_size(inner, self.copies[size])
        inner.repeat(index, bound, parameters)
        self.effects(node.body)
        moving = [keep and not same for keep, same in zip(kept, steady, strict=True)]
        following = [
            self.node(result)
            for result, move in zip(node.body.results, moving, strict=True)
            if move
        ]
        first = [s for s, move in zip(initial, moving, strict=True) if move and s is not None]
        if not following and not inner.effects:
            return tuple(initial)
        body = inner.block([index, *parameters], following)
        parts = list(self.results(scope, scope.loop(bound, first, body, certs)))
        return tuple([parts.pop(0) if move else s for move, s in zip(moving, initial, strict=True)])

    def unrolled(
        self,
        node: Loop,
        scope: Scope,
        certs: Sequence[Node],
        initial: Sequence[Node | None],
        kept: Sequence[bool],
    ) -> tuple[Node | None, ...] | None:
        """The results of a loop that has no iteration, or one."""
        graph = self.graph
        bound = self.copies[node.bound]
        if scope.holds(graph.operation("int.le", bound, graph.integer(0))) is not None:
            return tuple(initial) if self.steps.take("known") else None
        if bound is not graph.integer(1) or not self.steps.take("known"):
            return None
        token = graph.conjoin([scope.token, *certs])
        self.bind(node.body, scope, [graph.integer(0), *[None] * len(initial)], token)
        for parameter, start in zip(node.carried, initial, strict=True):
            if start is not None:
                self.copies[parameter] = self.passed(parameter, start, certs)
        self.effects(node.body)
        return tuple(
            [
                self.node(result) if keep else None
                for result, keep in zip(node.body.results, kept, strict=True)
            ]
        )

    def passed(self, parameter: Parameter, start: Node, certs: Sequence[Node]) -> Node:
        """What stands for a carried value that is its initial one.

        That may have the sizes the loop knows it by only by the loop's certificates.
        """
        t = self.type(parameter.type)
        if not certs or not isinstance(t, ArrayType) or t == start.type:
            return start
        sizes = [n for n in t.shape if isinstance(n, Node)]
        return self.graph.reshape(start, *sizes, certs=certs)

    def multiloop(
        self, node: Multiloop, scope: Scope, certs: Sequence[Node]
    ) -> tuple[Node | None, ...]:
        size = self.copies[node.size]
        kept = self.live.generators(node)
        inputs = self.live.inputs(node)
        inner = scope.inner()
        index = self.graph.parameter(node.index.name, node.index.type)
        inner.learn_index(index, size)
        self.bind(node.body, inner, [index, *[None] * (len(node.body.parameters) - 1)], inner.token)
        parameters: list[Parameter] = [index]
        arrays: list[Node] = []
        for old, array, keep in zip(node.elements, node.inputs, inputs, strict=True):
            if not keep:
                continue
            source = self.copies[array]
            if source in arrays:
                self.copies[old] = parameters[1 + arrays.index(source)]
                continue
            arrays.append(source)
            parameters.append(self.parameter(old, source))
            self.copies[old] = parameters[-1]
        yields = [y for y, keep in zip(node.yields(), kept, strict=True) if keep]
        for y in yields:
            for old in y.running:
                parameters.append(self.parameter(old))
                self.copies[old] = parameters[-1]
        inner.repeat(index, size, parameters)
        if any(y.key is not None for y in yields):
            self.relied[inner] = []
        self.effects(node.body)
        generators: list[Generator] = []
        results: list[Node] = []
        extras: list[Node] = []
        operators: list[Block] = []
        for y in yields:
            generators.append(self.live.generator(node, y))
            taken = [n for n in (y.condition, y.key) if n is not None]
            results += [self.node(n) for n in (*taken, *y.values)]
            extras += [self.copies[extra] for extra in y.extras]
            if y.operator is not None:
                repeats = None if y.generator.conditional else (index, size)
                operators.append(self.operator(y.operator, scope, repeats))
        nothing: tuple[Node | None, ...] = (None,) * len(node.results)
        if not generators and not inner.effects:
            return nothing
        body = inner.block(parameters, results)
        certs = [*certs, *scope.made(self.relied.pop(inner, ()))]
        made = scope.multiloop(size, arrays, generators, extras, [body, *operators], certs)
        parts = list(self.results(scope, made))
        found = list(nothing)
        for y, generator in zip(yields, generators, strict=True):
            for i in range(generator.gives):
                found[y.first + i] = parts.pop(0)
        return tuple(found)

    def operator(self, block: Block, scope: Scope, repeats: tuple[Parameter, Node] | None) -> Block:
        """An operator rebuilt; `repeats`: it runs once in each iteration of a loop."""
        inner = scope.inner()
        self.bind(block, inner, [None] * len(block.parameters), inner.token)
        parameters = []
        for old in block.parameters:
            parameters.append(self.parameter(old))
            self.copies[old] = parameters[-1]
        if repeats is not None:
            inner.repeat(*repeats, parameters)
        return inner.block(parameters, self.content(block))


def _renumbered(t: Type, own: dict[int, Own]) -> Type:
    """A type of a result, where other results have other numbers."""
    if not isinstance(t, ArrayType):
        return t
    return ArrayType(t.element, tuple([own[n.index] if isinstance(n, Own) else n for n in t.shape]))


def _conjuncts(condition: Node) -> list[Node]:
    """The conditions of which one is the conjunction, in order."""
    found = []
    waiting = [condition]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Operation) and node.name == "bool.and":
            waiting.extend(reversed(node.operands))
        else:
            found.append(node)
    return found
