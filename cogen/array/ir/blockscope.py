"""A block while it is made: its effects so far, and what is known where it stands.

    scope = BlockScope(graph)                     the body of a function
    body = scope.inner()                     a block within
    cert = body.require(i < n, "...")        an effect, unless it is known to hold
    block = body.block((i, x), (result,))

What is known are conditions: of the branches around, 0 <= i < n of the loops around, and whatever
was asserted before. Each comes with the certificate that whoever relies on it must have: an
Assert, or the token of the block where it holds. Two sizes that were asserted to be equal are one
size from there on (`size`), the one that was there first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from cogen.array.ir.generators import StreamValue
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import CERT, Type
from cogen.array.ir.node import (
    Assert,
    Attribute,
    Block,
    If,
    Loop,
    Multiloop,
    Node,
    Operation,
    Parameter,
    Region,
    Trace,
)
from cogen.array.l0.types import Type as Layout
from cogen.lang.errors import Span

Prover = Callable[["BlockScope", Node], "Iterable[Node] | None"]
"""Gives the certificates by which a condition holds in a scope, or None if it is not known."""


class BlockScope:
    """A block that is being made, within others.

    `prove` decides conditions that are not known word for word
    (`cogen.array.optimise.indexranges`).
    """

    def __init__(
        self, graph: Graph, outer: BlockScope | None = None, prove: Prover | None = None
    ) -> None:
        self.graph = graph
        self.outer = outer
        self.prove: Prover | None = prove
        if prove is None and outer is not None:
            self.prove = outer.prove
        self.token: Parameter = graph.parameter("here", CERT)
        self.depth: int = 0 if outer is None else outer.depth + 1
        self.repeats: tuple[Parameter, Node] | None = None
        """Of the body of a loop, its index and the number of iterations."""
        self.binds: set[Parameter] = {self.token}
        """The token, and of the body of a loop the parameters."""
        self.effects: list[Node] = []
        self._executed: set[Node] = set()
        self.known: dict[Node, Node] = {}
        """Conditions that hold here, with their certificate."""
        self.equal: dict[Node, tuple[Node, Node]] = {}
        """Sizes that are equal to an earlier one here, with their certificate."""

    def inner(self) -> BlockScope:
        """The scope of a block within this one."""
        return BlockScope(self.graph, self)

    def chain(self) -> Iterator[BlockScope]:
        """This scope, and those around it."""
        scope: BlockScope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def block(self, parameters: Sequence[Parameter], results: Sequence[Node]) -> Block:
        """The block, when it is complete."""
        return Block(self.token, tuple(parameters), tuple(self.effects), tuple(results))

    def body(self, parameters: Sequence[Parameter], streams: Sequence[StreamValue]) -> Block:
        """The body of a Multiloop, when it is complete."""
        effects = tuple(self.effects)
        return Block(self.token, tuple(parameters), effects, streams=tuple(streams))

    # What is known.

    def learn(self, condition: Node, certificate: Node | None = None) -> None:
        """From here on a condition holds; by the block's token where no certificate is given."""
        certificate = self.token if certificate is None else certificate
        waiting = [condition]
        while waiting:
            fact = waiting.pop()
            self.known.setdefault(fact, certificate)
            waiting.extend(_consequences(self.graph, fact))

    def learn_index(self, index: Node, size: Node) -> None:
        """An int is the index of a loop of so many iterations: at least 0 and below that.

        It is also below a number of iterations that no loop makes in a year: what would happen in
        later ones never does.
        """
        graph = self.graph
        limit = graph.integer(graph.arithmetic.max_iterations)
        self.learn(graph.operation("int.lt", index, limit), graph.checked)
        self.learn(graph.operation("int.le", graph.integer(0), index))
        self.learn(graph.operation("int.lt", index, size))

    def repeat(self, index: Parameter, size: Node, parameters: Sequence[Parameter]) -> None:
        """The block is the body of a loop of so many iterations, and binds parameters."""
        self.repeats = (index, size)
        self.binds.update((index, *parameters))

    def certificate(self, condition: Node) -> Node | None:
        """The certificate that a condition holds, if it is known word for word."""
        if condition.is_known:
            return self.graph.checked if condition.known else None
        for scope in self.chain():
            found = scope.known.get(condition)
            if found is not None:
                return found
        return None

    def holds(self, condition: Node) -> Node | None:
        """The certificate that a condition holds, if that can be known."""
        found = self.certificate(condition)
        if found is not None or self.prove is None or condition.is_known:
            return found
        proof = self.prove(self, condition)
        return None if proof is None else self.graph.conjoin(proof)

    # Effects.

    def require(
        self,
        conditions: Node | Sequence[Node],
        message: str,
        arguments: Sequence[Node] = (),
        span: Span | None = None,
    ) -> Node:
        """The certificate that conditions hold: one Assert of those that are not known to."""
        left: list[Node] = []
        certs: list[Node] = []
        for condition in [conditions] if isinstance(conditions, Node) else conditions:
            proof = self.holds(condition)
            if proof is None:
                left.append(condition)
            else:
                certs.append(proof)
        if left:
            whole = left[0]
            for condition in left[1:]:
                whole = self.graph.operation("bool.and", whole, condition)
            span = span or self.graph.at
            certs.append(self.effect(Assert, (message, span), (whole, *arguments)))
            for condition in left:
                self.learn(condition, certs[-1])
        return self.graph.conjoin(certs)

    def effect(
        self,
        kind: type[Node],
        attributes: tuple[Attribute, ...],
        operands: Sequence[Node],
        certs: Iterable[Node] = (),
    ) -> Node:
        """An Assert or a Trace, executed next in this block."""
        node = self.graph.make(kind, attributes, operands, [*certs, self.token])
        if node not in self._executed:
            self._executed.add(node)
            self.effects.append(node)
        return node

    def made(self, certs: Iterable[Node]) -> list[Node]:
        """Of certificates, the checks that this block or one around it has made so far: what a loop
        of this block must come after, whose body relies on them without using them."""
        found = self.graph.certificates(certs)
        return [c for c in found if any(c in scope._executed for scope in self.chain())]

    def trace(self, layout: Layout, leaves: Sequence[Node]) -> Node:
        """Write a value to standard error."""
        node = self.graph.make(Trace, (layout, len(self.effects)), leaves, [self.token])
        self.effects.append(node)
        return node

    def region(
        self,
        kind: type[Region],
        attributes: tuple[Attribute, ...],
        operands: Sequence[Node],
        certs: Iterable[Node] = (),
        blocks: Sequence[Block] = (),
        results: tuple[Type, ...] = (),
        effectful: bool = False,
    ) -> Region:
        """A node with several results; an effect of this block if its blocks (or, of a call,
        `effectful`) have some."""
        effectful = effectful or any(block.effects for block in blocks)
        certs = self.graph.certificates(certs)
        own = [self.token] if effectful else []
        node = self.graph.region(kind, attributes, operands, [*certs, *own], tuple(blocks), results)
        if effectful:
            self.effects.append(node)
            if self.token not in certs:
                self.graph.standing.add(node)
        return node

    def if_(
        self,
        condition: Node,
        then: Block,
        otherwise: Block,
        results: tuple[Type, ...],
        certs: Iterable[Node] = (),
    ) -> Region:
        """A conditional; `results` are the types of its results."""
        return self.region(If, (), (condition,), certs, (then, otherwise), results)

    def loop(
        self, bound: Node, initial: Sequence[Node], body: Block, certs: Iterable[Node] = ()
    ) -> Region:
        """A counted loop."""
        return self.region(Loop, (), (bound, *initial), certs, (body,))

    def multiloop(
        self,
        size: Node,
        inputs: Sequence[Node],
        generators: Sequence[Attribute],
        extras: Sequence[Node],
        blocks: Sequence[Block],
        certs: Iterable[Node] = (),
    ) -> Region:
        """The loop over arrays: body and operators are `blocks`, `extras` those of the
        generators in order."""
        attributes = (len(inputs), tuple(generators))
        return self.region(Multiloop, attributes, (size, *inputs, *extras), certs, blocks)

    # Sizes.

    def size(self, n: Node) -> Node:
        """The first of the sizes that are known to be equal to one."""
        while True:
            found = self._equal(n)
            if found is None:
                return n
            n = found[0]

    def _equal(self, n: Node) -> tuple[Node, Node] | None:
        for scope in self.chain():
            found = scope.equal.get(n)
            if found is not None:
                return found
        return None

    def equality(self, m: Node, n: Node) -> list[Node] | None:
        """The certificates that two sizes are equal, if that is known."""
        if m is n:
            return []
        if self.size(m) is not self.size(n):
            return None
        return [*self._certificates(m), *self._certificates(n)]

    def _certificates(self, n: Node) -> list[Node]:
        """The certificates that a size equals what `size` gives."""
        certs: list[Node] = []
        while (found := self._equal(n)) is not None:
            n, certificate = found
            certs.append(certificate)
        return certs

    def equate(self, m: Node, n: Node, certificate: Node) -> None:
        """From here on two sizes are equal, by a certificate."""
        first, second = sorted([self.size(m), self.size(n)], key=_precedence)
        if first is not second:
            certs = [certificate, *self._certificates(m), *self._certificates(n)]
            self.equal[second] = (first, self.graph.conjoin(certs))

    def same(
        self, m: Node, n: Node, message: str, arguments: Sequence[Node], span: Span | None
    ) -> list[Node]:
        """The certificates that two sizes are equal, which are one from here on."""
        known = self.equality(m, n)
        if known is not None:
            return known
        condition = self.graph.operation("int.eq", m, n)
        certificate = self.require(condition, message, arguments, span)
        self.equate(m, n, certificate)
        return [certificate]


def _precedence(size: Node) -> tuple[bool, int]:
    return not size.is_known, size.number


def _consequences(graph: Graph, fact: Node) -> list[Node]:
    """What a condition says in other words."""
    if not isinstance(fact, Operation):
        return []
    if fact.name == "bool.and":
        return list(fact.operands)
    if fact.name == "bool.not":
        return _negated(graph, fact.operands[0])
    return []


def _negated(graph: Graph, fact: Node) -> list[Node]:
    """What follows where a condition does not hold."""
    if not isinstance(fact, Operation):
        return []
    if fact.name == "bool.or":
        return [graph.operation("bool.not", operand) for operand in fact.operands]
    if fact.name == "int.lt":  # not (a < b) -> b <= a
        return [graph.operation("int.le", fact.operands[1], fact.operands[0])]
    if fact.name == "int.le":  # not (a <= b) -> b < a
        return [graph.operation("int.lt", fact.operands[1], fact.operands[0])]
    if fact.name == "bool.not":
        return [fact.operands[0]]
    return []
