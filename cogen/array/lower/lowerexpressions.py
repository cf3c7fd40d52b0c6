"""Lowers expressions: a checked function of L0 -> a function of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cogen.array.ir.graphtypes import CHAR, Own
from cogen.array.ir.graphtypes import INT as SIZE
from cogen.array.ir.layout import leaves_of
from cogen.array.ir.node import (
    Function,
    Parameter,
)
from cogen.array.l0 import tree
from cogen.array.l0.types import STRING, Type, is_unique, without_uniqueness
from cogen.array.l0.types import flatten as flatten_type
from cogen.array.lower.lowerextensions import Extensions
from cogen.array.lower.value import Value, tuple_of


class Lowering(Extensions):
    """Lowers one function of the program."""

    def function(self, definition: tree.FunctionDefinition, called: bool) -> Function:
        """The function, complete; `called`: it is called by others, and returns sizes."""
        sizes: list[Parameter] = []
        parameters: list[Parameter] = []
        for parameter in definition.parameters:
            t = without_uniqueness(parameter.type)
            name = parameter.name.text
            own_sizes = [
                self.graph.parameter(f"{name}_size", SIZE) for _ in range(leaves_of(t).dimensions)
            ]
            for size in own_sizes:
                self.is_size(size)
            value = self.fresh(name, t, own_sizes, unique=_is_unique(parameter.type))
            self.can_be_there(value)
            self.bind(parameter.name, value)
            sizes.extend(own_sizes)
            parameters.extend(value.parameters)
        result = self.expression(definition.body)
        returned = result.sizes if called else ()
        types = [leaf.type for leaf in result.leaves]
        if called:
            own = tuple([Own(i) for i in range(len(result.sizes))])
            types = [leaf.type(own) for leaf in leaves_of(result.type).leaves]
        body = self.scope.block([*sizes, *parameters], [*returned, *result.leaves])
        return Function(
            name=definition.name.text,
            body=body,
            sizes=len(sizes),
            result_sizes=len(returned),
            results=(*[SIZE for _ in returned], *types),
            parameter_names=tuple([p.name.text for p in definition.parameters]),
            parameter_layouts=tuple(
                [without_uniqueness(p.declared) for p in definition.parameters]
            ),
            result_layout=without_uniqueness(definition.declared),
            span=definition.span,
            effectful=bool(body.effects),
        )

    def expression(self, e: tree.Expression) -> Value:
        return _LOWER[type(e)](self, e)

    def string(self, e: tree.StringLiteral) -> Value:
        with self.origin("string", e.span):
            chars = [self.graph.constant(c, CHAR) for c in e.value]
            return Value(
                STRING, (self.graph.literal(CHAR, chars),), (self.graph.integer(len(chars)),)
            )

    def variable_expression(self, e: tree.VariableExpression) -> Value:
        return self.variable(e.name)

    def tuple_(self, e: tree.Tuple) -> Value:
        if not e.parts:
            return Value(self.facts.types[e], (self.graph.checked,))
        return tuple_of([self.expression(part) for part in e.parts])

    def binary_expression(self, e: tree.BinaryExpression) -> Value:
        left, right = self.expression(e.left), self.expression(e.right)
        self.graph.at = e.span
        return self.binary(e.operator, left, right, e.span)

    def unary_expression(self, e: tree.UnaryExpression) -> Value:
        return self.unary(e.operator, self.expression(e.operand))

    def if_(self, e: tree.IfExpression) -> Value:
        condition = self.expression(e.condition).leaf
        return self.choose(
            condition,
            lambda: self.expression(e.then),
            lambda: self.expression(e.otherwise),
            without_uniqueness(self.facts.types[e]),
        )

    def index(self, e: tree.IndexExpression) -> Value:
        array = self.variable(e.array)
        indices = [self.expression(index).leaf for index in e.indices]
        certs = [self.variable(name).leaf for name in e.certificates]
        with self.origin("index", e.span):
            certs += self.within_bounds(array, indices, e.span)
            leaves = [self.graph.index(leaf, *indices, certs=certs) for leaf in array.leaves]
        return Value(self.facts.types[e], tuple(leaves), array.sizes[len(indices) :])

    def let(self, e: tree.LetExpression) -> Value:
        self.match(e.pattern, self.expression(e.value))
        return self.expression(e.body)

    def let_with(self, e: tree.LetWith) -> Value:
        array = self.variable(e.source)
        indices = [self.expression(index).leaf for index in e.indices]
        new = self.expression(e.value)
        certs = [self.variable(name).leaf for name in e.certificates]
        with self.origin("with", e.source.span):
            self.bind(e.target, self.updated(array, indices, new, certs, e.source.span))
        return self.expression(e.body)

    def predicated(self, e: tree.Predicated) -> Value:
        return self.expression(e.body)


def _is_unique(t: Type) -> bool:
    return any(is_unique(leaf) for leaf in flatten_type(t))


_LOWER: Final[dict[type, Callable[..., Value]]] = {
    tree.LiteralExpression: Lowering.literal,
    tree.StringLiteral: Lowering.string,
    tree.VariableExpression: Lowering.variable_expression,
    tree.Tuple: Lowering.tuple_,
    tree.ArrayExpression: Lowering.array,
    tree.BinaryExpression: Lowering.binary_expression,
    tree.UnaryExpression: Lowering.unary_expression,
    tree.IfExpression: Lowering.if_,
    tree.CallExpression: Lowering.call,
    tree.IndexExpression: Lowering.index,
    tree.LetExpression: Lowering.let,
    tree.LetWith: Lowering.let_with,
    tree.LoopExpression: Lowering.loop,
    tree.Form: Lowering.form,
    tree.SizeExpression: Lowering.size_form,
    tree.ReshapeExpression: Lowering.reshape,
    tree.Transpose: Lowering.transpose,
    tree.RearrangeExpression: Lowering.rearrange,
    tree.Empty: Lowering.empty,
    tree.Predicated: Lowering.predicated,
    tree.SoacExpression: Lowering.soac,
    tree.ExtensionExpression: Lowering.extension,
}
