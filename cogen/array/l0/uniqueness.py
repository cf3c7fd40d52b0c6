"""Checks that what is consumed is unique and never used again (seed 003, chapter 3).

A value is consumed as the source of a let-with, as a unique argument of a function, or as the
initial value of a loop variable that the loop's body updates. The three rules:

1. neither a consumed value nor what may share its memory is used on any path after it;
2. a result declared unique shares nothing with parameters that are not;
3. so the caller of such a function has the only reference to the result.

A *sequence* is what lies between two lets, let-withs or loops; what it consumes occurs in it
once. The pass runs after `cogen.array.l0.check` and raises the first violation, which names the
variable, the consumption, and the alias that connects them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.consuming import all_leaves
from cogen.array.l0.extensionsharing import ExtensionSharing
from cogen.array.l0.facts import CheckedFacts
from cogen.array.l0.loopsharing import LoopSharing
from cogen.array.l0.sharing import (
    NOTHING,
    Occurrences,
    SharedLeaf,
    SharedOrigin,
    Sharing,
    branch,
    merge,
)
from cogen.array.l0.types import ArrayType, Type, flatten, is_unique
from cogen.lang.deep import on_deep_stack


def check_uniqueness(facts: CheckedFacts) -> None:
    """Refuse a program that breaks the rules of uniqueness."""
    on_deep_stack(_check, facts)


def _check(facts: CheckedFacts) -> None:
    for function in facts.program.functions:
        _Uniqueness(facts).function(function)


class _Uniqueness(LoopSharing, ExtensionSharing):
    """Looks at one function."""

    def function(self, function: tree.FunctionDefinition) -> None:
        self.parameters(function.parameters)
        leaves = self.visit(function.body)
        name = f"`{function.name.text}`"
        self.check_result(name, flatten(function.result), leaves, function.body)

    # Expressions.

    def visit(self, e: tree.Expression) -> Sharing:
        """What the value shares; what evaluating it does is added to `now`."""
        return _VISIT[type(e)](self, e)

    def basic(self, e: tree.LiteralExpression) -> Sharing:
        return (NOTHING,)

    def fresh(self, e: tree.Expression, reason: str) -> Sharing:
        """A value that shares nothing but is not unique."""
        leaf = SharedLeaf((), (SharedOrigin(reason, e.span),))
        return tuple([leaf if isinstance(t, ArrayType) else NOTHING for t in self.leaves_of(e)])

    def string(self, e: tree.StringLiteral) -> Sharing:
        return self.fresh(e, "a string literal is not unique")

    def empty(self, e: tree.Empty) -> Sharing:
        return self.fresh(e, "`empty` is not unique")

    def array(self, e: tree.ArrayExpression) -> Sharing:
        for element in e.elements:
            self.visit(element)
        return self.fresh(e, "an array literal is not unique")

    def variable(self, e: tree.VariableExpression) -> Sharing:
        return self.observe(e.name)

    def tuple(self, e: tree.Tuple) -> Sharing:
        return tuple([leaf for part in e.parts for leaf in self.visit(part)])

    def binary(self, e: tree.BinaryExpression) -> Sharing:
        self.visit(e.left)
        self.visit(e.right)
        return (NOTHING,)

    def unary(self, e: tree.UnaryExpression) -> Sharing:
        self.visit(e.operand)
        return (NOTHING,)

    def if_(self, e: tree.IfExpression) -> Sharing:
        _, condition = self.collect(e.condition)
        then, first = self.collect(e.then)
        otherwise, second = self.collect(e.otherwise)
        leaves = tuple([merge(pair) for pair in zip(then, otherwise, strict=True)])
        return self.finish(leaves, branch(condition, (first, second)))

    def index(self, e: tree.IndexExpression) -> Sharing:
        leaves = self.observe(e.array)
        for index in e.indices:
            self.visit(index)
        return self.rows(leaves, self.leaves_of(e))

    def rows(self, leaves: Sharing, types: Sequence[Type]) -> Sharing:
        """What rows or elements share, which are of these types."""
        return tuple(
            [
                leaf if isinstance(t, ArrayType) else NOTHING
                for leaf, t in zip(leaves, types, strict=True)
            ]
        )

    def predicated(self, e: tree.Predicated) -> Sharing:
        return self.visit(e.body)

    def let(self, e: tree.LetExpression) -> Sharing:
        value, first = self.collect(e.value)
        self.bind(e.pattern, value, self.facts.types[e.value])
        body, second = self.collect(e.body)
        return self.finish(body, first.followed_by(second))

    def let_with(self, e: tree.LetWith) -> Sharing:
        outside, self.now = self.now, Occurrences()
        for index in e.indices:
            self.visit(index)
        self.visit(e.value)
        before, self.now = self.now, Occurrences()
        source = self.observe(e.source)
        consumed, self.now = self.now, outside
        for i, leaf in enumerate(source):
            self.apart(source, i, "updated", e.source.span)
            self.consume(leaf, e.source, "an element of it is updated", consumed)
        t = self.facts.bindings[e.target].type
        self.bind(e.target, (NOTHING,) * len(source), t)
        body, after = self.collect(e.body)
        return self.finish(body, before.followed_by(consumed).followed_by(after))

    def form(self, e: tree.Form) -> Sharing:
        leaves = [self.visit(operand) for operand in e.operands]
        match e.name:
            case "zip":
                return tuple([leaf for operand in leaves for leaf in operand])
            case "unzip":
                return leaves[0]
            case "split":
                return leaves[1] + leaves[1]
            case "replicate":
                return tuple([leaf.copied for leaf in leaves[1]])
            case "concat":
                return tuple([merge(pair).copied for pair in zip(*leaves, strict=True)])
        return (NOTHING,) * len(self.leaves_of(e))

    def size(self, e: tree.SizeExpression) -> Sharing:
        self.visit(e.array)
        return (NOTHING,)

    def reshape(self, e: tree.ReshapeExpression) -> Sharing:
        for size in e.shape:
            self.visit(size)
        return self.visit(e.array)

    def reordered(self, e: tree.Transpose | tree.RearrangeExpression) -> Sharing:
        return self.visit(e.array)

    def call(self, e: tree.CallExpression) -> Sharing:
        operands = [self.operand(argument) for argument in e.arguments]
        definition = self.facts.definitions.get(e.function.text)
        if definition is None:
            self.join_all(operands)  # a built-in: trace gives its argument, others basic values
            return operands[0].leaves if e.function.text == "trace" else (NOTHING,)
        parameters, how = [], []
        for parameter in definition.parameters:
            text = f"it is passed to the unique parameter `{parameter.name.text}` of "
            for leaf in flatten(parameter.type):
                parameters.append(leaf)
                how.append(f"{text}`{e.function.text}`")
        self.consume_operands(operands, parameters, how)
        shared = merge(
            [
                leaf
                for leaf, t in zip(all_leaves(operands), parameters, strict=True)
                if not is_unique(t)
            ]
        )
        result = self.returned(flatten(definition.result), shared, e)
        occurrences = self.together(operands)
        return self.finish(result, occurrences)

    def returned(
        self, types: Sequence[Type], shared: SharedLeaf, e: tree.CallExpression
    ) -> Sharing:
        """What a call's result shares that may be made of `shared`."""
        origin = SharedOrigin(f"`{e.function.text}` does not declare its result unique", e.span)
        return tuple(
            [
                NOTHING
                if not isinstance(t, ArrayType) or t.unique
                else SharedLeaf(shared.aliases, (*shared.causes, origin))
                for t in types
            ]
        )


_VISIT: Final[dict[type, Callable[..., Sharing]]] = {
    tree.LiteralExpression: _Uniqueness.basic,
    tree.StringLiteral: _Uniqueness.string,
    tree.VariableExpression: _Uniqueness.variable,
    tree.Tuple: _Uniqueness.tuple,
    tree.ArrayExpression: _Uniqueness.array,
    tree.BinaryExpression: _Uniqueness.binary,
    tree.UnaryExpression: _Uniqueness.unary,
    tree.IfExpression: _Uniqueness.if_,
    tree.CallExpression: _Uniqueness.call,
    tree.IndexExpression: _Uniqueness.index,
    tree.LetExpression: _Uniqueness.let,
    tree.LetWith: _Uniqueness.let_with,
    tree.LoopExpression: _Uniqueness.loop,
    tree.Form: _Uniqueness.form,
    tree.SizeExpression: _Uniqueness.size,
    tree.ReshapeExpression: _Uniqueness.reshape,
    tree.Transpose: _Uniqueness.reordered,
    tree.RearrangeExpression: _Uniqueness.reordered,
    tree.Empty: _Uniqueness.empty,
    tree.Predicated: _Uniqueness.predicated,
    tree.SoacExpression: _Uniqueness.soac,
    tree.ExtensionExpression: _Uniqueness.extension,
}
