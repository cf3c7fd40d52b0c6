"""Arrays, combinators and their functions -> Python functions of frames, for the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from cogen.array.l0 import tree
from cogen.array.l0 import values as v
from cogen.array.l0.extensions import EXTENSIONS
from cogen.array.l0.functioncode import Code, Frame, FunctionCode, Rules, element_type
from cogen.array.l0.messages import template, told_values
from cogen.array.l0.operators import Fault
from cogen.array.l0.rowsizes import (
    Computed,
    Outer,
    OuterSize,
    RowSize,
    SizeNumber,
    Symbol,
    row_sizes,
)
from cogen.array.l0.runerrors import out_of_memory, too_deep
from cogen.array.l0.semantics import FORMS, SOACS, Applied, assertion, replicate, reshape
from cogen.array.l0.types import INT, ArrayType, TupleType, Type, without_uniqueness
from cogen.lang.errors import CogenError, Span


def _index(code: FunctionCode, e: tree.IndexExpression) -> Code:
    slot, indices = code.slot(e.array), code.expressions(e.indices)

    def run(frame: Frame) -> Any:
        array = frame[slot]
        index = tuple(indices(frame))
        try:
            v.check_index(array, index)
        except Fault as fault:
            raise CogenError(str(fault), e.span) from None
        return v.element(array, index)

    return run


def _form(code: FunctionCode, e: tree.Form) -> Code:
    most = code.arithmetic.max_elements
    meaning: Callable[..., Any]
    if e.name == "replicate":
        meaning = partial(replicate, most, code.facts.types[e.operands[1]])
    elif e.name == "iota":
        meaning = partial(v.iota, most=most)
    elif e.name == "assert":
        operands = (e.operands[0], *told_values(e.operands))
        return code.operation(operands, partial(assertion, template(e.operands)), e.span)
    else:
        meaning = FORMS[e.name]
    return code.operation(e.operands, meaning, e.span)


def _size(code: FunctionCode, e: tree.SizeExpression) -> Code:
    array = code.expression(e.array)

    def run(frame: Frame) -> Any:
        return array(frame).shape[e.dimension]

    return run


def _reshape(code: FunctionCode, e: tree.ReshapeExpression) -> Code:
    return code.operation(
        [*e.shape, e.array], partial(reshape, code.arithmetic.max_elements), e.span
    )


def _transpose(code: FunctionCode, e: tree.Transpose) -> Code:
    array = code.expression(e.array)

    def run(frame: Frame) -> Any:
        value = array(frame)
        return v.rearrange(v.transposed_order(len(value.shape), e.dimension, e.distance), value)

    return run


def _rearrange(code: FunctionCode, e: tree.RearrangeExpression) -> Code:
    array = code.expression(e.array)

    def run(frame: Frame) -> Any:
        return v.rearrange(e.order, array(frame))

    return run


def _soac(code: FunctionCode, e: tree.SoacExpression) -> Code:
    """A combinator; a tupleless one works on the zipped arrays, with unpacked arguments."""
    functions = [_operand(code, function) for function in e.functions]
    initial = None if e.initial is None else code.expression(e.initial)
    arrays = code.expressions(e.arrays)
    run = SOACS[e.kind]
    result = code.facts.types[e]
    element = (
        TupleType(tuple([element_type(part) for part in result.parts]))
        if e.tupleless and isinstance(result, TupleType) and e.kind in ("map", "scan")
        else element_type(result)
    )
    sized = _sized(code, e) if e.kind == "map" and _has_sizes(element) else None

    def combine(frame: Frame) -> Any:
        applied = [function(frame) for function in functions]
        start = None if initial is None else initial(frame)
        operands = arrays(frame)
        try:
            array = v.zip_arrays(operands) if e.tupleless else operands[0]
            found = run(applied, start, array, element, e.tupleless)
            return found if sized is None else sized(frame, operands, found)
        except Fault as fault:
            raise CogenError(str(fault), e.span) from None

    return combine


def _sized(code: FunctionCode, e: tree.SoacExpression) -> Callable[[Frame, list[Any], Any], Any]:
    """Gives the rows of a map, where there are none, the sizes that are known without any."""
    most = code.arithmetic.max_elements
    symbols: list[Symbol | None] | None = None

    def sized(frame: Frame, operands: list[Any], found: Any) -> Any:
        nonlocal symbols
        array = v.zip_arrays(found) if e.tupleless else found
        if not v.lacks_elements(array):
            return found
        if symbols is None:
            symbols = row_sizes(code.facts, e)
        known = [None if s is None else _symbol(code, s, frame, operands) for s in symbols]
        array = v.with_row_sizes(array, known, most)
        return v.unzip(array) if e.tupleless else array

    return sized


def _symbol(code: FunctionCode, symbol: Symbol, frame: Frame, arrays: Sequence[Any]) -> int:
    """The value of a size; `arrays` are those that are mapped."""
    match symbol:
        case SizeNumber():
            return code.arithmetic.literal(symbol.value)  # type: ignore[no-any-return]  # an int
        case Outer():
            value = frame[code.slots[symbol.variable]]
            for part in symbol.parts:
                value = value[part]
            return value  # type: ignore[no-any-return]  # an int
        case OuterSize():
            return v.sizes(frame[code.slots[symbol.variable]])[symbol.dimension]
        case RowSize():
            return v.sizes(arrays[symbol.array])[symbol.dimension + 1]
        case Computed():
            meaning = code.arithmetic.binary[symbol.operator, INT]
            a = _symbol(code, symbol.left, frame, arrays)
            return meaning(a, _symbol(code, symbol.right, frame, arrays))  # type: ignore[no-any-return]  # an int


def _extension(code: FunctionCode, e: tree.ExtensionExpression) -> Code:
    """An operation that is an extension; its meaning is told the types of operands and
    result."""
    functions = [_operand(code, function) for function in e.functions]
    operands = code.expressions(e.operands)
    meaning = EXTENSIONS[e.name].meaning
    most = code.arithmetic.max_elements
    types = [code.facts.types[operand] for operand in e.operands]
    result = code.facts.types[e]

    def run(frame: Frame) -> Any:
        applied = [function(frame) for function in functions]
        values = operands(frame)
        try:
            return meaning(most, types, result, *applied, *values)
        except Fault as fault:
            raise CogenError(str(fault), e.span) from None
        except MemoryError:
            raise out_of_memory(e.span) from None

    return run


def _operand(code: FunctionCode, function: tree.Function) -> Callable[[Frame], Applied]:
    """A function operand; in a frame, its curried arguments are evaluated once."""
    applied = code.facts.applied[function]
    match function:
        case tree.LambdaExpression():
            make = _lambda(code, function)
        case tree.Named():
            make = _named(code, function, applied.parameters)
        case tree.Section():
            make = _section(code, function, applied.parameters)
    if not applied.unpacks:
        return make

    def unpacking(frame: Frame) -> Applied:
        apply = make(frame)
        return lambda parts: apply(*parts)

    return unpacking


def _lambda(code: FunctionCode, function: tree.LambdaExpression) -> Callable[[Frame], Applied]:
    slots = [code.slot(parameter.name) for parameter in function.parameters]
    body = code.expression(function.body)

    def make(frame: Frame) -> Applied:
        def apply(*arguments: Any) -> Any:
            for slot, argument in zip(slots, arguments, strict=True):
                frame[slot] = argument
            return body(frame)

        return apply

    return make


def _named(
    code: FunctionCode, function: tree.Named, left: Sequence[Type]
) -> Callable[[Frame], Applied]:
    name = function.name.text
    evaluate = code.expressions(function.arguments)
    if name not in code.facts.definitions:
        types = [code.facts.types[a] for a in function.arguments] or list(left)
        meaning = code.builtin(name, without_uniqueness(types[0]))
        return lambda frame: _at(function.span, partial(meaning, *evaluate(frame)))
    owner = code.owner

    def make(frame: Frame) -> Applied:
        first = evaluate(frame)

        def apply(*arguments: Any) -> Any:
            try:
                return owner.function(name).run([*first, *arguments])
            except RecursionError:
                raise too_deep(function.span) from None

        return apply

    return make


def _section(
    code: FunctionCode, function: tree.Section, left: Sequence[Type]
) -> Callable[[Frame], Applied]:
    evaluate = code.expressions(function.arguments)
    types = [code.facts.types[a] for a in function.arguments] + list(left)
    table = code.arithmetic.binary if len(types) == 2 else code.arithmetic.unary
    meaning = table[function.operator, without_uniqueness(types[0])]
    return lambda frame: _at(function.span, partial(meaning, *evaluate(frame)))


def _at(span: Span, meaning: Applied) -> Applied:
    """What faults at a place."""

    def apply(*arguments: Any) -> Any:
        try:
            return meaning(*arguments)
        except Fault as fault:
            raise CogenError(str(fault), span) from None

    return apply


def _has_sizes(t: Type) -> bool:
    """Whether values of a type have sizes."""
    if isinstance(t, TupleType):
        return any(_has_sizes(part) for part in t.parts)
    return isinstance(t, ArrayType)


ARRAYS: Final[Rules] = {
    tree.IndexExpression: _index,
    tree.Form: _form,
    tree.SizeExpression: _size,
    tree.ReshapeExpression: _reshape,
    tree.Transpose: _transpose,
    tree.RearrangeExpression: _rearrange,
    tree.SoacExpression: _soac,
    tree.ExtensionExpression: _extension,
}
"""What makes the code of an expression on arrays, by its class."""
