"""Scalars, tuples, conditionals, calls and bindings -> functions of frames, for the interpreter."""

from __future__ import annotations

from typing import Any, Final

from cogen.array.l0 import tree
from cogen.array.l0 import values as v
from cogen.array.l0.functioncode import Code, Frame, FunctionCode, Rules, element_type
from cogen.array.l0.operators import Fault
from cogen.array.l0.runerrors import too_deep
from cogen.array.l0.while_loops import WHILE, is_settled
from cogen.lang.errors import CogenError


def _literal(code: FunctionCode, e: tree.LiteralExpression) -> Code:
    value = code.arithmetic.literal(e.value)

    def constant(frame: Frame) -> Any:
        return value

    return constant


def _string(code: FunctionCode, e: tree.StringLiteral) -> Code:
    value = v.build(list(e.value), element_type(code.facts.types[e]))

    def constant(frame: Frame) -> Any:
        return value

    return constant


def _empty(code: FunctionCode, e: tree.Empty) -> Code:
    value = v.build((), e.element)

    def constant(frame: Frame) -> Any:
        return value

    return constant


def _variable(code: FunctionCode, e: tree.VariableExpression) -> Code:
    slot = code.slot(e.name)

    def load(frame: Frame) -> Any:
        return frame[slot]

    return load


def _tuple(code: FunctionCode, e: tree.Tuple) -> Code:
    evaluate = code.expressions(e.parts)

    def make(frame: Frame) -> Any:
        return tuple(evaluate(frame))

    return make


def _array(code: FunctionCode, e: tree.ArrayExpression) -> Code:
    evaluate = code.expressions(e.elements)
    element = element_type(code.facts.types[e])

    def make(frame: Frame) -> Any:
        elements = evaluate(frame)
        try:
            return v.build(elements, element)
        except Fault as fault:
            raise CogenError(str(fault), e.span) from None

    return make


def _binary(code: FunctionCode, e: tree.BinaryExpression) -> Code:
    left, right = code.expression(e.left), code.expression(e.right)
    meaning = code.arithmetic.binary[e.operator, code.facts.types[e.left]]

    def run(frame: Frame) -> Any:
        a = left(frame)
        b = right(frame)
        try:
            return meaning(a, b)
        except Fault as fault:
            raise CogenError(str(fault), e.span) from None

    return run


def _unary(code: FunctionCode, e: tree.UnaryExpression) -> Code:
    operand = code.expression(e.operand)
    meaning = code.arithmetic.unary[e.operator, code.facts.types[e.operand]]

    def run(frame: Frame) -> Any:
        return meaning(operand(frame))

    return run


def _if(code: FunctionCode, e: tree.IfExpression) -> Code:
    condition = code.expression(e.condition)
    then, otherwise = code.expression(e.then), code.expression(e.otherwise)

    def choose(frame: Frame) -> Any:
        return then(frame) if condition(frame) else otherwise(frame)

    return choose


def _predicated(code: FunctionCode, e: tree.Predicated) -> Code:
    return code.expression(e.body)


def _call(code: FunctionCode, e: tree.CallExpression) -> Code:
    name = e.function.text
    if name not in code.facts.definitions:
        types = [code.facts.types[argument] for argument in e.arguments]
        return code.operation(e.arguments, code.builtin(name, types[0]), e.span)
    evaluate = code.expressions(e.arguments)
    owner = code.owner

    def run(frame: Frame) -> Any:
        arguments = evaluate(frame)
        try:
            return owner.function(name).run(arguments)
        except RecursionError:
            raise too_deep(e.span) from None

    return run


def _let(code: FunctionCode, e: tree.LetExpression) -> Code:
    value = code.expression(e.value)
    if isinstance(e.pattern, tree.Name):
        slot = code.slot(e.pattern)
        body = code.expression(e.body)

        def bind(frame: Frame) -> Any:
            frame[slot] = value(frame)
            return body(frame)

        return bind
    store = code.pattern(e.pattern)
    body = code.expression(e.body)

    def bind_parts(frame: Frame) -> Any:
        store(frame, value(frame))
        return body(frame)

    return bind_parts


def _let_with(code: FunctionCode, e: tree.LetWith) -> Code:
    source, indices = code.slot(e.source), code.expressions(e.indices)
    value = code.expression(e.value)
    target = code.slot(e.target)
    body = code.expression(e.body)

    def bind(frame: Frame) -> Any:
        array = frame[source]
        index = tuple(indices(frame))
        new = value(frame)
        try:
            v.check_index(array, index)
            frame[target] = v.updated(array, index, new)
        except Fault as fault:
            raise CogenError(str(fault), e.source.span) from None
        return body(frame)

    return bind


def _loop(code: FunctionCode, e: tree.LoopExpression) -> Code:
    initial, bound = code.expression(e.initial), code.expression(e.bound)
    store = code.pattern(e.pattern)
    counter = code.slot(e.index)
    body, result = code.expression(e.body), code.expression(e.result)

    def run(frame: Frame) -> Any:
        found = initial(frame)
        store(frame, found)
        rounds = bound(frame)
        for i in range(rounds):
            frame[counter] = i
            before, found = found, body(frame)
            store(frame, found)
            if rounds == WHILE and is_settled(before, found):
                break
        return result(frame)

    return run


SCALARS: Final[Rules] = {
    tree.LiteralExpression: _literal,
    tree.StringLiteral: _string,
    tree.VariableExpression: _variable,
    tree.Tuple: _tuple,
    tree.ArrayExpression: _array,
    tree.BinaryExpression: _binary,
    tree.UnaryExpression: _unary,
    tree.IfExpression: _if,
    tree.CallExpression: _call,
    tree.LetExpression: _let,
    tree.LetWith: _let_with,
    tree.LoopExpression: _loop,
    tree.Empty: _empty,
    tree.Predicated: _predicated,
}
"""What makes the code of other expressions, by their class."""
