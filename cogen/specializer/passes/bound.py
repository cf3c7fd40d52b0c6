"""Finds tests, minima, maxima and masks whose outcome the bounds of integers tell.

Facts: an interval for every integer variable (`cogen.interval`), the least that holds for all
values that reach it.  A node's parameters have the join of what jumps pass, a known procedure's
those of what calls pass; in an arm of a conditional the operands of its test are refined.  The walk
is repeated until nothing grows, with widening for what keeps growing, which is then taken back as
far as it went too far.

It does after specialization, over loops, what `rules.interval` does on the way there.
"""

from __future__ import annotations

from typing import Final

from cogen import interval
from cogen.interval import EVERYTHING, Interval
from cogen.lang import il
from cogen.lang.prims import CHOOSING
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import known_callees, operations, walk
from cogen.specializer.passes.flow_graph import ResidualGraph
from cogen.specializer.passes.infer import infer
from cogen.specializer.passes.rewrite import substitute
from cogen.specializer.passes.scope import TestedScope, scoped_walk

COMPARISONS: Final = frozenset(interval.NEGATED) | frozenset(interval.AGAINST_ZERO)

DECIDED: Final = COMPARISONS | frozenset(CHOOSING) | {"abs", "bitwise-and"}
"""The operations that may turn out to be needless."""


def bound(graph: ResidualGraph) -> bool:
    """`(if (< i 0) (A) (B))` -> `(B)` where `i` counts from 0 upwards; `(min x 255)` -> `x` where
    `x` was masked with 15."""
    bounds = _Bounding(graph)
    if not any(bounds.may_decide(operation) for operation in operations(graph)):
        return False
    if not bounds.settle():
        return False
    substitute(graph, bounds.decided)
    return bool(bounds.decided)


class _Bounding(TestedScope):
    """`found` are the intervals of variables (one that is missing has not been reached), `here`
    narrower ones that hold where the walk is."""

    def __init__(self, graph: ResidualGraph) -> None:
        super().__init__()
        self.graph = graph
        self.types = infer(graph)
        self.known = known_callees(graph)
        self.growing = interval.GrowingIntervals()
        self.found = self.growing.found
        self.here: dict[str, Interval] = {}
        self.made_by: dict[str, flow.Operation] = {}
        self.decided: dict[str, il.Atom] = {}
        self.partial = False
        """Whether the last walk met something that no value had reached yet."""
        for procedure, _ in walk(graph):
            nested = graph.procedures.get(procedure.name) is not procedure
            if nested or procedure.name not in self.known:
                for name in procedure.parameters:
                    self.found[name] = EVERYTHING
            if procedure.rest is not None:
                self.found[procedure.rest] = EVERYTHING

    def may_decide(self, operation: flow.Operation) -> bool:
        """Whether the outcome of an operation may follow from bounds: it is one of integers."""
        return operation.op in DECIDED and all(map(self.is_int, operation.arguments))

    def settle(self) -> bool:
        """Walk until nothing grows; if something was widened, once to narrow and once more.  False
        if nothing can be decided: as intervals only grow, so it is where nothing is in the first
        walk that has met everything."""
        growing = self.growing
        while growing.changed:
            self.walk()
            if not (self.decided or self.partial or growing.widened):
                return False
        if growing.widened:
            growing.passed = {}
            self.walk()
            self.found.update(growing.passed)
            self.walk()
        return True

    def walk(self) -> None:
        """One walk; only the decisions of the last one count."""
        self.growing.changed = self.partial = False
        self.decided.clear()
        scoped_walk(self.graph, self)

    def of(self, atom: il.Atom) -> Interval | None:
        """The interval of an atom here; None if its value has not been reached."""
        if type(atom) is il.Const:
            return (atom.value, atom.value) if type(atom.value) is int else EVERYTHING
        if type(atom) is not il.Var or self.types.get(atom.name) != "int":
            return EVERYTHING
        found = self.here.get(atom.name) or self.found.get(atom.name)
        if found is None:
            self.partial = True
        return found

    def is_int(self, atom: il.Atom) -> bool:
        if type(atom) is il.Const:
            return type(atom.value) is int
        return type(atom) is il.Var and self.types.get(atom.name) == "int"

    def receive(self, name: str, atom: il.Atom) -> None:
        """A parameter receives the value of an atom; only integers count."""
        if self.types.get(name) != "int":
            return
        value = self.of(atom)
        if value is not None:
            self.growing.receive(name, value)

    # -- what happens at each step of the walk ---------------------------------------------------

    def learn(self, test: str, holds: bool) -> None:
        """Enters what follows from a test's being true or false."""
        operation = self.made_by.get(test)
        if operation is None:
            return
        if operation.op == "not" and type(subject := operation.arguments[0]) is il.Var:
            self.learn(subject.name, not holds)
            return
        comparison = self.comparison(operation)
        if comparison is None:
            return
        op, left, right = comparison
        a, b = self.of(left), self.of(right)
        if a is None or b is None:
            return
        refined = interval.refine(op if holds else interval.NEGATED[op], a, b)
        if refined is None:
            self.partial = True  # nothing gets here yet, or ever
            return
        for atom, value in zip((left, right), refined, strict=True):
            if type(atom) is il.Var and value != self.of(atom):
                self.hold(self.here, atom.name, value)

    def comparison(self, operation: flow.Operation) -> tuple[str, il.Atom, il.Atom] | None:
        """An operation as a comparison of two integers."""
        op, arguments = operation.op, operation.arguments
        if op in interval.AGAINST_ZERO:
            op, arguments = interval.AGAINST_ZERO[op], (*arguments, il.Const(0))
        if op not in interval.NEGATED or not all(map(self.is_int, arguments)):
            return None
        return op, arguments[0], arguments[1]

    def operation(self, operation: flow.Operation) -> None:
        self.made_by[operation.name] = operation
        if operation.type == "int" or self.types.get(operation.name) == "int":
            arguments = [self.of(atom) for atom in operation.arguments]
            if None in arguments:
                return
            if operation.op == "load-word":
                value = interval.word(self.graph.word_size)
            else:
                value = interval.result(operation.op, [a for a in arguments if a is not None])
            self.found[operation.name] = value
        if operation.op in DECIDED:
            outcome = self.outcome(operation)
            if outcome is not None:
                self.decided[operation.name] = outcome

    def outcome(self, operation: flow.Operation) -> il.Atom | None:
        """What an operation must give: a constant or one of its operands."""
        comparison = self.comparison(operation)
        if comparison is not None:
            op, left, right = comparison
            a, b = self.of(left), self.of(right)
            known = None if a is None or b is None else interval.compare(op, a, b)
            return None if known is None else il.Const(known)
        if operation.op in COMPARISONS or not all(map(self.is_int, operation.arguments)):
            return None
        values = [self.of(atom) for atom in operation.arguments]
        if None in values:
            return None
        return _needless(operation, [value for value in values if value is not None])

    def tail(self, node: flow.Node) -> None:
        tail = node.tail
        if type(tail) is flow.Goto:
            if tail.target is not None:
                for name, atom in zip(tail.target.parameters, tail.arguments, strict=True):
                    self.receive(name, atom)
        elif type(tail) is flow.Invoke:
            self.call(tail)

    def call(self, tail: flow.Invoke) -> None:
        function = tail.function
        if type(function) is il.Global and function.name in self.known:
            callee = self.graph.procedures[function.name]
            for name, atom in zip(callee.parameters, tail.arguments, strict=True):
                self.receive(name, atom)
        if tail.target is not None:
            for name in tail.target.parameters:
                self.found[name] = EVERYTHING


def _needless(operation: flow.Operation, values: list[Interval]) -> il.Atom | None:
    """(min x y) -> x if x <= y; (abs x) -> x if x >= 0; (bitwise-and x m) -> x if m has all bits
    of x"""
    arguments = operation.arguments
    if operation.op == "abs":
        return arguments[0] if values[0][0] >= 0 else None
    order = CHOOSING.get(operation.op)
    if order is not None:
        known = interval.compare(order, *values)
        return None if known is None else arguments[0 if known else 1]
    for x, mask in ((0, 1), (1, 0)):
        constant = arguments[mask]
        if type(constant) is il.Const and interval.bits_of(values[x]) & ~constant.value == 0:
            return arguments[x]
    return None
