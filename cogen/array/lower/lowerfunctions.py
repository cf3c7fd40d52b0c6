"""Lowers operators and functions; functions that are not recursive become part of their callers.

A function that is recursive, or whose inlining would make the program too large, stays a function
of the module and is called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT as SIZE
from cogen.array.ir.graphtypes import Own, element
from cogen.array.ir.layout import SCALARS, leaves_of
from cogen.array.ir.node import (
    Call,
    Node,
)
from cogen.array.ir.operations import REAL_FUNCTIONS
from cogen.array.l0 import tree
from cogen.array.l0.facts import CheckedFacts
from cogen.array.l0.primitives import OPERATIONS
from cogen.array.l0.types import BOOL, CHAR, INT, REAL, Type, without_uniqueness
from cogen.array.lower.callgraph import CallGraph
from cogen.array.lower.laws import Laws
from cogen.array.lower.lowerloops import Loops
from cogen.array.lower.value import Value, parts_of
from cogen.lang.errors import Span

Applied = Callable[[Sequence[Value]], Value]
"""A function operand with its curried arguments."""

BINARY: Final[dict[tuple[str, Type], str]] = {
    ("+", INT): "int.add", ("-", INT): "int.sub", ("*", INT): "int.mul", ("/", INT): "int.div",
    ("%", INT): "int.mod", ("pow", INT): "int.pow", ("&", INT): "int.and", ("|", INT): "int.or",
    ("^", INT): "int.xor", ("<<", INT): "int.shl", (">>", INT): "int.shr", ("=", INT): "int.eq",
    ("<", INT): "int.lt", ("<=", INT): "int.le",
    ("+", REAL): "real.add", ("-", REAL): "real.sub", ("*", REAL): "real.mul",
    ("/", REAL): "real.div", ("%", REAL): "real.mod", ("pow", REAL): "real.pow",
    ("atan2", REAL): "real.atan2",
    ("=", REAL): "real.eq", ("<", REAL): "real.lt", ("<=", REAL): "real.le",
    ("=", CHAR): "char.eq", ("<", CHAR): "char.lt", ("<=", CHAR): "char.le",
    ("&&", BOOL): "bool.and", ("||", BOOL): "bool.or",
}  # fmt: skip
"""The scalar operations that binary operators are."""

_UNARY: Final[dict[tuple[str, Type], str]] = {
    ("-", INT): "int.neg", ("~", INT): "int.neg", ("-", REAL): "real.neg", ("~", REAL): "real.neg",
    ("not", BOOL): "bool.not",
}  # fmt: skip

_BUILTIN: Final[dict[tuple[str, Type], str]] = {
    ("toReal", INT): "int.to_real", ("trunc", REAL): "real.trunc", ("bits", REAL): "real.key",
    ("sqrt", REAL): "real.sqrt",
    ("log", REAL): "real.log", ("exp", REAL): "real.exp", ("abs", INT): "int.abs",
    ("abs", REAL): "real.abs", ("ord", CHAR): "char.ord", ("chr", INT): "char.chr",
    **{(name, REAL): f"real.{name}" for name in REAL_FUNCTIONS}, **OPERATIONS,
}  # fmt: skip

_RESULTS: Final[dict[str, Type]] = {"bool": BOOL, "int": INT, "real": REAL, "char": CHAR}


class Functions(Loops):
    """The part of the lowering that concerns what is applied."""

    def __init__(
        self, graph: Graph, facts: CheckedFacts, scope: BlockScope, calls: CallGraph, laws: Laws
    ) -> None:
        super().__init__(graph, facts, scope)
        self.calls = calls
        self.laws = laws

    # Operators.

    def binary(self, operator: str, left: Value, right: Value, span: Span) -> Value:
        graph = self.graph
        name = BINARY[operator, left.type]
        a, b = left.leaf, right.leaf
        certs = []
        zero = graph.integer(0)
        if name in ("int.div", "int.mod"):
            nonzero = graph.operation("bool.not", graph.operation("int.eq", b, zero))
            certs.append(self.require(nonzero, "division by zero", (), span))
        if name == "int.pow":
            base = graph.operation("bool.not", graph.operation("int.eq", a, zero))
            defined = graph.operation("bool.or", base, graph.operation("int.le", zero, b))
            message = "0 to a negative power is a division by zero"
            certs.append(self.require(defined, message, (), span))
        return self.scalar(graph.operation(name, a, b, certs=certs))

    def unary(self, operator: str, operand: Value) -> Value:
        return self.scalar(self.graph.operation(_UNARY[operator, operand.type], operand.leaf))

    def scalar(self, node: Node) -> Value:
        """The value of a scalar node of type int, real or bool."""
        return Value(_RESULTS[element(node.type).kind], (node,))

    def literal(self, e: tree.LiteralExpression) -> Value:
        value = self.graph.arithmetic.literal(e.value)
        return Value(e.type, (self.graph.constant(value, SCALARS[e.type]),))

    # Functions.

    def call(self, e: tree.CallExpression) -> Value:
        arguments = [self.expression(argument) for argument in e.arguments]
        return self.apply_named(e.function.text, arguments, e.span)

    def apply_named(self, name: str, arguments: Sequence[Value], span: Span) -> Value:
        """The result of a function of the program, or a built-in one."""
        definition = self.facts.definitions.get(name)
        if definition is None:
            return self._builtin(name, arguments[0])
        found = self.laws.matching(name, arguments)
        if found is not None:
            return self._by_law(*found)
        made = self._applied_to(definition, arguments, span)
        self.laws.remember(name, arguments, made)
        return made

    def _by_law(self, law: tree.Law, variables: Sequence[tuple[tree.Name, Value]]) -> Value:
        """The right side of a law, which may come to be within itself."""
        saved = dict(self.variables)
        for name, value in variables:
            self.bind(name, value)
        self.laws.depth += 1
        made = self.expression(law.body)
        self.laws.depth -= 1
        self.variables = saved
        return made

    def _applied_to(
        self, definition: tree.FunctionDefinition, arguments: Sequence[Value], span: Span
    ) -> Value:
        name = definition.name.text
        if not self.calls.inlines(name):
            return self._called(definition, arguments, span)
        for parameter, argument in zip(definition.parameters, arguments, strict=True):
            self.bind(parameter.name, argument)
        return self.expression(definition.body)

    def _builtin(self, name: str, argument: Value) -> Value:
        if name != "trace":
            return self.scalar(self.graph.operation(_BUILTIN[name, argument.type], argument.leaf))
        if not self.quiet:
            self.scope.trace(argument.type, argument.leaves)
        return argument

    def _called(
        self, definition: tree.FunctionDefinition, arguments: Sequence[Value], span: Span
    ) -> Value:
        """A call; the callee's sizes are passed and returned (see `node.Function`)."""
        name = definition.name.text
        result = without_uniqueness(definition.result)
        layout = leaves_of(result)
        own = tuple([Own(i) for i in range(layout.dimensions)])
        results = (*[SIZE] * layout.dimensions, *[leaf.type(own) for leaf in layout.leaves])
        certs = [cert for a in arguments for cert in self.agreement(a, len(a.sizes))]
        operands = [n for a in arguments for n in a.sizes]
        operands += [leaf for a in arguments for leaf in a.leaves]
        effectful = self.calls.effectful(name)
        with self.origin(name, span):
            node = self.scope.region(
                Call, (name, effectful), operands, certs, (), results, effectful
            )
        parts = self.graph.parts(node)
        sizes = parts[: layout.dimensions]
        for size in sizes:
            self.is_size(size)
        return Value(result, parts[layout.dimensions :], sizes)

    # Function operands of combinators.

    def operand(self, function: tree.Function) -> Applied:
        """A function operand; its curried arguments are evaluated here, once."""
        applied = self.facts.applied[function]
        apply = self._applied(function)
        if not applied.unpacks:
            return apply
        return lambda arguments: apply(parts_of(arguments[0]))

    def _applied(self, function: tree.Function) -> Applied:
        if isinstance(function, tree.LambdaExpression):
            return self._lambda(function)
        first = [self.expression(argument) for argument in function.arguments]
        if isinstance(function, tree.Named):
            name = function.name.text
            return lambda rest: self.apply_named(name, [*first, *rest], function.span)
        operator = function.operator

        def section(rest: Sequence[Value]) -> Value:
            operands = [*first, *rest]
            if len(operands) == 1:
                return self.unary(operator, operands[0])
            return self.binary(operator, operands[0], operands[1], function.span)

        return section

    def _lambda(self, function: tree.LambdaExpression) -> Applied:
        def apply(arguments: Sequence[Value]) -> Value:
            for parameter, argument in zip(function.parameters, arguments, strict=True):
                self.bind(parameter.name, argument)
            return self.expression(function.body)

        return apply
