"""Rebuilds a function, block by block, with what is known at each place: function -> function.

Nodes are placed first (`cogen.array.ir.placement`). Then every node is made again of its rebuilt
operands, where it is placed, so that the rules of the graph see what has changed since, and what is
known at this place; what nothing needs is not rebuilt. On the way

    known   an If whose condition holds, or does not, becomes its branch; a Loop without
            iterations its initial values, one of a single iteration its body
    context conditions decided by a branch, or by the condition of a generator, are constants in it
            (`cogen.array.optimise.placefacts`)
    steady  a value that a Loop carries and never changes is its initial one (`loop_body`)
    dead    results of loops that nothing uses are left out, and what a loop carries for them
    ranges  an Assert that is known to hold becomes the certificates that say so
    hoist   an Assert in a loop becomes one before the loop (`cogen.array.optimise.hoist`)

The graph may be rebuilt as often as one likes; once nothing changes it is the same again up to the
names of parameters.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Final

from cogen.array.ir.blockscope import Scope
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import ArrayType, Own, Type, rank
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import (
    Assert,
    Block,
    Call,
    Collect,
    Constant,
    Function,
    Generator,
    If,
    Index,
    Iota,
    Loop,
    Module,
    Multiloop,
    Node,
    Operation,
    Parameter,
    Part,
    Reduce,
    Region,
    Trace,
    Yield,
    shape,
)
from cogen.array.ir.packedboundary import sources
from cogen.array.ir.placement import place, places
from cogen.array.optimise.live import Live
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.placefacts import Facts
from cogen.array.optimise.rebuilding import Rebuilding
from cogen.array.optimise.steplimit import Steps
from cogen.lang.deep import on_deep_stack

MAX_TRIALS: Final = 3
"""In how many loops around each other it is tried what stays as it is."""


def rewrite(
    graph: Graph, module: Module, options: Options, steps: Steps, early: bool = False
) -> Module:
    """The module with its functions rebuilt, but those that are not called any more; `early`: its
    loops are not fused yet."""
    return on_deep_stack(_rewrite, graph, module, options, steps, early)


def _rewrite(graph: Graph, module: Module, options: Options, steps: Steps, early: bool) -> Module:
    entry = Rewriter(graph, options, steps, early).function(module.entry)
    functions: dict[str, Function] = {}
    waiting = [entry]
    while waiting:
        for node in all_nodes(waiting.pop(0).body):
            if isinstance(node, Call) and node.function not in functions:
                rewriter = Rewriter(graph, options, steps, early)
                found = rewriter.function(module.functions[node.function])
                functions[node.function] = found
                waiting.append(found)
    return Module(entry, functions)


class Rewriter(Rebuilding):
    """Rebuilds one function."""

    def function(self, function: Function) -> Function:
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

    def learn_element(self, scope: Scope, x: Node, array: Node) -> None:
        """Note what is known of an element of an array: of iota, and of samples."""
        if isinstance(array, Iota):
            scope.learn_index(x, array.size)
        self.intervals.element(x, array)

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
        operands = [self.copies[o] for o in node.operands]
        if isinstance(node, (Operation, Index)):
            facts = self.facts_of(node)
            operands = [self.seen(o, facts) for o in operands]
        made = self.graph.remake(node, operands, certs)
        if isinstance(node, Operation) and node.name in ("int.min", "int.max"):
            return self.extreme(made, self.home(node))
        return self.decided(made)

    def decided(self, node: Node) -> Node:
        """A comparison that always has one answer, as that."""
        if self.prove is None:
            return node
        found = self.intervals.decided(node)
        if found is None or not self.steps.take("ranges"):
            return node
        return self.graph.boolean(found)

    def extreme(self, node: Node, scope: Scope) -> Node:
        """The greater or the less of two ints of which that is known without any condition."""
        if not isinstance(node, Operation) or node.name not in ("int.min", "int.max"):
            return node
        if self.prove is None:
            return node
        a, b = node.operands
        for low, high in ((a, b), (b, a)):
            proof = self.prove(scope, self.graph.operation("int.le", low, high))
            if proof is not None and all(cert is self.graph.checked for cert in proof):
                return low if node.name == "int.min" else high
        return node

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
        chosen = self.live.chosen(node)
        if _stands_alone(node.then, chosen) and _stands_alone(node.otherwise, chosen):
            condition = self.seen(condition, self.facts_of(node))
        negated = self.graph.operation("bool.not", condition)
        found: list[Node | None] = [None] * len(node.results)
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
        node: If,
        condition: Node,
        negated: Node,
        scope: Scope,
        certs: Sequence[Node],
        chosen: Sequence[int],
    ) -> list[Node] | None:
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
        steady = self.steady(node, scope, certs, initial)
        moving = [keep and not same for keep, same in zip(kept, steady, strict=True)]
        inner, parameters = self.loop_body(node, scope, certs, initial, steady)
        following = self.results_of(node.body, [i for i, move in enumerate(moving) if move])
        self.leave(node.body)
        first = [s for s, move in zip(initial, moving, strict=True) if move and s is not None]
        if not following and not inner.effects:
            return tuple(initial)
        body = inner.block(parameters, following)
        parts = list(self.results(scope, scope.loop(bound, first, body, certs)))
        return tuple([parts.pop(0) if move else s for move, s in zip(moving, initial, strict=True)])

    def loop_body(
        self,
        node: Loop,
        scope: Scope,
        certs: Sequence[Node],
        initial: Sequence[Node | None],
        steady: Sequence[bool],
    ) -> tuple[Scope, list[Parameter]]:
        """Open the body of a loop and rebuild its effects; its scope and parameters.

        Values that are steady stand for their parameters.
        """
        bound = self.copies[node.bound]
        inner = scope.inner()
        index = self.graph.parameter(node.index.name, node.index.type)
        inner.learn_index(index, bound)
        arguments = [index, *[None] * len(initial)]
        self.bind(node.body, inner, arguments, inner.token, self.facts_of(node))
        parameters: list[Parameter] = []
        for old, start, same in zip(node.carried, initial, steady, strict=True):
            if same and start is not None:
                self.copies[old] = self.passed(old, start, certs)
            elif start is not None:
                parameters.append(self.parameter(old))
                self.copies[old] = parameters[-1]
        for old in node.carried:
            for size in shape(old):
                if size in node.carried and size in self.copies:
                    self.is_size(inner, self.copies[size])
        inner.repeat(index, bound, parameters)
        self.effects(node.body)
        return inner, [index, *parameters]

    def steady(
        self, node: Loop, scope: Scope, certs: Sequence[Node], initial: Sequence[Node | None]
    ) -> list[bool]:
        """Which carried values are their initial ones in every iteration.

        Those that may be are supposed to be, the body is rebuilt on that supposition, and whoever
        then gets another value is left out, until none does (speculative rewriting; Rompf 2013,
        section 3.2, after Lerner, Grove and Chambers 2002).
        """
        if "known" in self.off:
            return [False] * len(initial)
        own = [
            start is not None and result is parameter
            for start, result, parameter in zip(
                initial, node.body.results, node.carried, strict=True
            )
        ]
        if "context" in self.off or self.trials == MAX_TRIALS:
            return own
        found = [
            start is not None and (same or _may_stay(node, i))
            for i, (start, same) in enumerate(zip(initial, own, strict=True))
        ]
        while found != own:
            changed = self.changing(node, scope, certs, initial, found)
            if not changed:
                return found if self.steps.take("steady") else own
            found = [same and i not in changed for i, same in enumerate(found)]
        return own

    def changing(
        self,
        node: Loop,
        scope: Scope,
        certs: Sequence[Node],
        initial: Sequence[Node | None],
        supposed: Sequence[bool],
    ) -> list[int]:
        """Which carried values change, if some are supposed not to; nothing of the trial stays."""
        saved = dict(self.copies), dict(self.several), dict(self.open), self.hoisting
        relied = {around: list(certs) for around, certs in self.relied.items()}
        made = {block: list(opened.made) for block, opened in self.open.items()}
        self.hoisting = None
        self.trials += 1
        self.loop_body(node, scope, certs, initial, supposed)
        chosen = [i for i, same in enumerate(supposed) if same]
        results = self.results_of(node.body, chosen)
        stay = [self.copies[node.carried[i]] for i in chosen]
        self.copies, self.several, self.open, self.hoisting = saved
        self.relied = relied
        self.trials -= 1
        for block, nodes in made.items():
            self.open[block].made[:] = nodes
        return [i for i, new, old in zip(chosen, results, stay, strict=True) if new is not old]

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
        arguments = [graph.integer(0), *[None] * len(initial)]
        self.bind(node.body, scope, arguments, token, self.facts_of(node), self.around(node))
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
        arguments = [index, *[None] * (len(node.body.parameters) - 1)]
        facts = self.facts_of(node)
        self.bind(node.body, inner, arguments, inner.token, facts)
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
            self.learn_element(inner, parameters[-1], source)
        yields = [y for y, keep in zip(node.yields(), kept, strict=True) if keep]
        for y in yields:
            for old in y.running:
                parameters.append(self.parameter(old))
                self.copies[old] = parameters[-1]
        inner.repeat(index, size, parameters)
        if any(y.key is not None for y in yields):
            self.relied[inner] = []
        self.effects(node.body)
        found: list[Node | None] = [None] * len(node.results)
        numbers: list[int] = []
        generators: list[Generator] = []
        results: list[Node] = []
        extras: list[Node] = []
        operators: list[Block] = []
        for y in yields:
            generator = self.live.generator(node, y)
            taken = self.taken(node.body, y)
            never = self.never(y, taken)
            if never is not None:
                found[y.first : y.first + len(never)] = never
                continue
            own = [generator]
            skipped = 0
            if generator.conditional and self.is_decided(taken[0], True):
                own, taken = _unconditional(generator), taken[1:]
                if generator.counts and generator.leads:
                    found[y.first] = size
                    skipped = 1
            generators += own
            results += taken
            numbers += range(y.first + skipped, y.first + generator.gives)
            extras += [self.copies[extra] for extra in y.extras]
            if y.operator is not None:
                repeats = None if y.generator.conditional else (index, size)
                operators.append(self.operator(y.operator, scope, repeats, facts))
        self.leave(node.body)
        if not generators and not inner.effects:
            return tuple(found)
        body = inner.block(parameters, results)
        certs = [*certs, *scope.made(self.relied.pop(inner, ()))]
        made = scope.multiloop(size, arrays, generators, extras, [body, *operators], certs)
        for number, part in zip(numbers, self.results(scope, made), strict=True):
            found[number] = part
        return tuple(found)

    def never(self, y: Yield, taken: Sequence[Node]) -> list[Node] | None:
        """The results of a generator whose condition never holds; None if that is not known."""
        graph, generator = self.graph, y.generator
        if not isinstance(generator, (Collect, Reduce)) or not generator.conditional:
            return None
        of_rows = isinstance(generator, Collect) and any(rank(value.type) for value in taken[1:])
        if of_rows or not self.is_decided(taken[0], False):
            return None
        if isinstance(generator, Reduce):
            return [self.copies[neutral] for neutral in y.extras]
        return [graph.integer(0), *[graph.literal(value.type, ()) for value in taken[1:]]]

    def is_decided(self, condition: Node, value: bool) -> bool:
        """Whether a condition is a constant of that value, which may be relied on."""
        if "known" in self.off or not isinstance(condition, Constant):
            return False
        return condition.value is value and self.steps.take("known")

    def taken(self, body: Block, y: Yield) -> list[Node]:
        """What a generator takes; under its condition, if it has one."""
        opened = self.open[body]
        facts = opened.facts
        found: list[Node] = []
        if y.condition is not None:
            condition = self.seen(self.node(y.condition), facts)
            found.append(condition)
            if "context" not in self.off:
                facts = opened.guards.get(y.condition)
                if facts is None:
                    facts = Facts(self.graph, opened.facts).learn(condition)
                    opened.guards[y.condition] = facts
        key = () if y.key is None else (y.key,)
        return found + [self.seen(self.node(n), facts) for n in (*key, *y.values)]

    def operator(
        self,
        block: Block,
        scope: Scope,
        repeats: tuple[Parameter, Node] | None,
        facts: Facts | None,
    ) -> Block:
        """An operator rebuilt; `repeats`: it runs once in each iteration of a loop."""
        inner = scope.inner()
        self.bind(block, inner, [None] * len(block.parameters), inner.token, facts)
        parameters = []
        for old in block.parameters:
            parameters.append(self.parameter(old))
            self.copies[old] = parameters[-1]
        if repeats is not None:
            inner.repeat(*repeats, parameters)
        results = self.content(block)
        self.leave(block)
        return inner.block(parameters, results)


def _unconditional(generator: Generator) -> list[Generator]:
    """What does the same as a conditional generator where its condition always holds."""
    if isinstance(generator, Collect):
        return [Collect(1)] * generator.values
    return [dataclasses.replace(generator, conditional=False)]


def _stands_alone(block: Block, chosen: Iterable[int]) -> bool:
    """Whether results of a branch need no certificate that it was taken."""
    return not block.effects and all(block.token not in block.results[i].free for i in chosen)


def _may_stay(node: Loop, index: int) -> bool:
    """Whether the next value of what a loop carries may be the initial one: it is a carried value,
    or the initial one, or a conditional of which a branch gives that, or a loop that starts so."""
    waiting = [node.body.results[index]]
    seen: set[Node] = set()
    while waiting:
        found = waiting.pop()
        if found in seen:
            continue
        seen.add(found)
        if found in node.carried or found is node.initial[index]:
            return True
        if isinstance(found, Part) and isinstance(found.node, If):
            waiting += [block.results[found.index] for block in found.node.blocks]
        if isinstance(found, Part) and isinstance(found.node, Loop):
            inner = found.node
            waiting += (inner.initial[found.index], inner.body.results[found.index])
    return False


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
