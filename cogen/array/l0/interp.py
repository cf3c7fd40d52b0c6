"""The reference interpreter: a checked program, and values, to a value.

Each function is translated once into Python functions, one for each expression, that take the
frame (the values of the function's variables, by number). It follows the language to the letter,
left to right, and shares its representation of arrays (`cogen.array.l0.values`) with nothing that
is compiled: arrays are copied where they are updated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from cogen.array.l0 import tree
from cogen.array.l0 import values as v
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.extensions import EXTENSIONS
from cogen.array.l0.facts import Binding, Facts
from cogen.array.l0.operators import Fault
from cogen.array.l0.rowsizes import (
    Computed,
    Number,
    Outer,
    OuterSize,
    RowSize,
    Symbol,
    row_sizes,
)
from cogen.array.l0.semantics import FORMS, SOACS, Applied, assertion, replicate, reshape, told
from cogen.array.l0.types import INT, ArrayType, TupleType, Type, without_uniqueness
from cogen.array.l0.values import Value
from cogen.array.l0.valuetext import show_value
from cogen.array.l0.while_loops import WHILE, is_settled
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, LimitationError, Span

Frame = list[Any]
Code = Callable[[Frame], Any]
Trace = Callable[[str], None]


class Interpreter:
    """Runs the functions of a program.

    `trace` gets the text of each value that the program traces. Whatever the arithmetic, arrays
    have elements of 64 bits; what they hold are numbers of the arithmetic.
    """

    def __init__(self, facts: Facts, trace: Trace, arithmetic: Arithmetic = WIDE) -> None:
        self.facts = facts
        self.trace = trace
        self.arithmetic = arithmetic
        self.functions: dict[str, _Function] = {}

    def call(self, name: str, arguments: Sequence[Value]) -> Value:
        """The result of a function.  CogenError where the program fails."""
        return on_deep_stack(self._call, name, arguments)

    def _call(self, name: str, arguments: Sequence[Value]) -> Value:
        function = self.function(name)
        try:
            return function.run(arguments)
        except RecursionError:
            raise _too_deep(self.facts.definitions[name].name.span) from None

    def function(self, name: str) -> _Function:
        """A function of the program, translated when it is first needed."""
        found = self.functions.get(name)
        if found is None:
            found = self.functions[name] = _Function(self, self.facts.definitions[name])
            found.translate()
        return found


class _Function:
    """A translated function of the program."""

    def __init__(self, owner: Interpreter, definition: tree.FunctionDefinition) -> None:
        self.owner = owner
        self.definition = definition
        self.code: Code = _untranslated
        self.size = 0

    def translate(self) -> None:
        translator = _Translator(self.owner)
        for parameter in self.definition.parameters:
            translator.slot(parameter.name)
        self.code = translator.expression(self.definition.body)
        self.size = len(translator.slots)

    def run(self, arguments: Sequence[Value]) -> Value:
        frame: Frame = [None] * self.size
        frame[: len(arguments)] = arguments
        return self.code(frame)  # type: ignore[no-any-return]  # code gives values


def _untranslated(frame: Frame) -> Any:
    raise AssertionError("the function is called after it was translated")


def _too_deep(span: Span) -> LimitationError:
    return LimitationError(
        "calls are nested too deeply", span, "use loop, which runs in constant space"
    )


class _Translator:
    """Translates the body of one function; a method for each class of expression."""

    def __init__(self, owner: Interpreter) -> None:
        self.owner = owner
        self.facts = owner.facts
        self.arithmetic = owner.arithmetic
        self.slots: dict[Binding, int] = {}

    def slot(self, name: tree.Name) -> int:
        return self.slots.setdefault(self.facts.bindings[name], len(self.slots))

    def expression(self, e: tree.Expression) -> Code:
        return _TRANSLATE[type(e)](self, e)

    def expressions(self, parts: Sequence[tree.Expression]) -> Callable[[Frame], list[Any]]:
        codes = [self.expression(part) for part in parts]

        def evaluate(frame: Frame) -> list[Any]:
            return [code(frame) for code in codes]

        return evaluate

    def operation(
        self, operands: Sequence[tree.Expression], meaning: Callable[..., Any], span: Span
    ) -> Code:
        """Evaluate operands, and give them to what may fault."""
        evaluate = self.expressions(operands)

        def run(frame: Frame) -> Any:
            values = evaluate(frame)
            try:
                return meaning(*values)
            except Fault as fault:
                raise CogenError(str(fault), span) from None
            except MemoryError:
                raise CogenError("out of memory", span) from None

        return run

    def pattern(self, pattern: tree.Pattern) -> Callable[[Frame, Any], None]:
        match pattern:
            case tree.Name():
                slot = self.slot(pattern)

                def store(frame: Frame, value: Any) -> None:
                    frame[slot] = value

                return store
            case tree.Wildcard():
                return _ignore
            case tree.TuplePattern(_, parts):
                stores = [self.pattern(part) for part in parts]

                def spread(frame: Frame, value: Any) -> None:
                    for part, element in zip(stores, value, strict=True):
                        part(frame, element)

                return spread

    # Simple expressions.

    def literal(self, e: tree.Literal) -> Code:
        value = self.arithmetic.literal(e.value)

        def constant(frame: Frame) -> Any:
            return value

        return constant

    def string(self, e: tree.StringLiteral) -> Code:
        value = v.build(list(e.value), element_type(self.facts.types[e]))

        def constant(frame: Frame) -> Any:
            return value

        return constant

    def empty(self, e: tree.Empty) -> Code:
        value = v.build((), e.element)

        def constant(frame: Frame) -> Any:
            return value

        return constant

    def variable(self, e: tree.Variable) -> Code:
        slot = self.slot(e.name)

        def load(frame: Frame) -> Any:
            return frame[slot]

        return load

    def tuple(self, e: tree.Tuple) -> Code:
        evaluate = self.expressions(e.parts)

        def make(frame: Frame) -> Any:
            return tuple(evaluate(frame))

        return make

    def array(self, e: tree.Array) -> Code:
        evaluate = self.expressions(e.elements)
        element = element_type(self.facts.types[e])

        def make(frame: Frame) -> Any:
            elements = evaluate(frame)
            try:
                return v.build(elements, element)
            except Fault as fault:
                raise CogenError(str(fault), e.span) from None

        return make

    def binary(self, e: tree.Binary) -> Code:
        left, right = self.expression(e.left), self.expression(e.right)
        meaning = self.arithmetic.binary[e.operator, self.facts.types[e.left]]

        def run(frame: Frame) -> Any:
            a = left(frame)
            b = right(frame)
            try:
                return meaning(a, b)
            except Fault as fault:
                raise CogenError(str(fault), e.span) from None

        return run

    def unary(self, e: tree.Unary) -> Code:
        operand = self.expression(e.operand)
        meaning = self.arithmetic.unary[e.operator, self.facts.types[e.operand]]

        def run(frame: Frame) -> Any:
            return meaning(operand(frame))

        return run

    def if_(self, e: tree.If) -> Code:
        condition = self.expression(e.condition)
        then, otherwise = self.expression(e.then), self.expression(e.otherwise)

        def choose(frame: Frame) -> Any:
            return then(frame) if condition(frame) else otherwise(frame)

        return choose

    def predicated(self, e: tree.Predicated) -> Code:
        return self.expression(e.body)

    def call(self, e: tree.Call) -> Code:
        name = e.function.text
        if name not in self.facts.definitions:
            types = [self.facts.types[argument] for argument in e.arguments]
            return self.operation(e.arguments, self.builtin(name, types[0]), e.span)
        evaluate = self.expressions(e.arguments)
        owner = self.owner

        def run(frame: Frame) -> Any:
            arguments = evaluate(frame)
            try:
                return owner.function(name).run(arguments)
            except RecursionError:
                raise _too_deep(e.span) from None

        return run

    def builtin(self, name: str, t: Type) -> Callable[..., Any]:
        if name != "trace":
            return self.arithmetic.builtin[name, t]
        trace = self.owner.trace

        def traced(value: Value) -> Value:
            trace(show_value(value, t))
            return value

        return traced

    # Bindings.

    def let(self, e: tree.Let) -> Code:
        value = self.expression(e.value)
        if isinstance(e.pattern, tree.Name):
            slot = self.slot(e.pattern)
            body = self.expression(e.body)

            def bind(frame: Frame) -> Any:
                frame[slot] = value(frame)
                return body(frame)

            return bind
        store = self.pattern(e.pattern)
        body = self.expression(e.body)

        def bind_parts(frame: Frame) -> Any:
            store(frame, value(frame))
            return body(frame)

        return bind_parts

    def let_with(self, e: tree.LetWith) -> Code:
        source, indices = self.slot(e.source), self.expressions(e.indices)
        value = self.expression(e.value)
        target = self.slot(e.target)
        body = self.expression(e.body)

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

    def loop(self, e: tree.Loop) -> Code:
        initial, bound = self.expression(e.initial), self.expression(e.bound)
        store = self.pattern(e.pattern)
        counter = self.slot(e.index)
        body, result = self.expression(e.body), self.expression(e.result)

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

    # Arrays.

    def index(self, e: tree.Index) -> Code:
        slot, indices = self.slot(e.array), self.expressions(e.indices)

        def run(frame: Frame) -> Any:
            array = frame[slot]
            index = tuple(indices(frame))
            try:
                v.check_index(array, index)
            except Fault as fault:
                raise CogenError(str(fault), e.span) from None
            return v.element(array, index)

        return run

    def form(self, e: tree.Form) -> Code:
        most = self.arithmetic.max_elements
        meaning: Callable[..., Any]
        if e.name == "replicate":
            meaning = partial(replicate, most, self.facts.types[e.operands[1]])
        elif e.name == "iota":
            meaning = partial(v.iota, most=most)
        elif e.name == "assert":
            operands = (e.operands[0], *e.operands[2:])
            return self.operation(operands, partial(assertion, told(e.operands)), e.span)
        else:
            meaning = FORMS[e.name]
        return self.operation(e.operands, meaning, e.span)

    def size(self, e: tree.Size) -> Code:
        array = self.expression(e.array)

        def run(frame: Frame) -> Any:
            return array(frame).shape[e.dimension]

        return run

    def reshape(self, e: tree.Reshape) -> Code:
        return self.operation(
            [*e.shape, e.array], partial(reshape, self.arithmetic.max_elements), e.span
        )

    def transpose(self, e: tree.Transpose) -> Code:
        array = self.expression(e.array)

        def run(frame: Frame) -> Any:
            value = array(frame)
            return v.rearrange(v.transposed_order(len(value.shape), e.k, e.n), value)

        return run

    def rearrange(self, e: tree.Rearrange) -> Code:
        array = self.expression(e.array)

        def run(frame: Frame) -> Any:
            return v.rearrange(e.order, array(frame))

        return run

    # Combinators.

    def soac(self, e: tree.Soac) -> Code:
        """A combinator; a tupleless one works on the zipped arrays, with unpacked arguments."""
        functions = [self.operand(function) for function in e.functions]
        initial = None if e.initial is None else self.expression(e.initial)
        arrays = self.expressions(e.arrays)
        run = SOACS[e.kind]
        result = self.facts.types[e]
        element = (
            TupleType(tuple([element_type(part) for part in result.parts]))
            if e.tupleless and isinstance(result, TupleType) and e.kind in ("map", "scan")
            else element_type(result)
        )
        sized = self.sized(e) if e.kind == "map" and _has_sizes(element) else None

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

    def sized(self, e: tree.Soac) -> Callable[[Frame, list[Any], Any], Any]:
        """Gives the rows of a map, where there are none, the sizes that are known without any."""
        most = self.arithmetic.max_elements
        symbols: list[Symbol | None] | None = None

        def sized(frame: Frame, operands: list[Any], found: Any) -> Any:
            nonlocal symbols
            array = v.zip_arrays(found) if e.tupleless else found
            if not v.lacks_elements(array):
                return found
            if symbols is None:
                symbols = row_sizes(self.facts, e)
            known = [None if s is None else self.symbol(s, frame, operands) for s in symbols]
            array = v.with_row_sizes(array, known, most)
            return v.unzip(array) if e.tupleless else array

        return sized

    def symbol(self, symbol: Symbol, frame: Frame, arrays: Sequence[Any]) -> int:
        """The value of a size; `arrays` are those that are mapped."""
        match symbol:
            case Number():
                return self.arithmetic.literal(symbol.value)  # type: ignore[no-any-return]  # an int
            case Outer():
                value = frame[self.slots[symbol.variable]]
                for part in symbol.parts:
                    value = value[part]
                return value  # type: ignore[no-any-return]  # an int
            case OuterSize():
                return v.sizes(frame[self.slots[symbol.variable]])[symbol.dimension]
            case RowSize():
                return v.sizes(arrays[symbol.array])[symbol.dimension + 1]
            case Computed():
                meaning = self.arithmetic.binary[symbol.operator, INT]
                a = self.symbol(symbol.left, frame, arrays)
                return meaning(a, self.symbol(symbol.right, frame, arrays))  # type: ignore[no-any-return]  # an int

    def extension(self, e: tree.Extension) -> Code:
        """An operation that is an extension; its meaning is told the types of operands and
        result."""
        functions = [self.operand(function) for function in e.functions]
        operands = self.expressions(e.operands)
        meaning = EXTENSIONS[e.name].meaning
        most = self.arithmetic.max_elements
        types = [self.facts.types[operand] for operand in e.operands]
        result = self.facts.types[e]

        def run(frame: Frame) -> Any:
            applied = [function(frame) for function in functions]
            values = operands(frame)
            try:
                return meaning(most, types, result, *applied, *values)
            except Fault as fault:
                raise CogenError(str(fault), e.span) from None
            except MemoryError:
                raise CogenError("out of memory", e.span) from None

        return run

    def operand(self, function: tree.Function) -> Callable[[Frame], Applied]:
        """A function operand; in a frame, its curried arguments are evaluated once."""
        applied = self.facts.applied[function]
        match function:
            case tree.Lambda():
                make = self.lambda_function(function)
            case tree.Named():
                make = self.named(function, applied.parameters)
            case tree.Section():
                make = self.section(function, applied.parameters)
        if not applied.unpacks:
            return make

        def unpacking(frame: Frame) -> Applied:
            apply = make(frame)
            return lambda parts: apply(*parts)

        return unpacking

    def lambda_function(self, function: tree.Lambda) -> Callable[[Frame], Applied]:
        slots = [self.slot(parameter.name) for parameter in function.parameters]
        body = self.expression(function.body)

        def make(frame: Frame) -> Applied:
            def apply(*arguments: Any) -> Any:
                for slot, argument in zip(slots, arguments, strict=True):
                    frame[slot] = argument
                return body(frame)

            return apply

        return make

    def named(self, function: tree.Named, left: Sequence[Type]) -> Callable[[Frame], Applied]:
        name = function.name.text
        evaluate = self.expressions(function.arguments)
        if name not in self.facts.definitions:
            types = [self.facts.types[a] for a in function.arguments] or list(left)
            meaning = self.builtin(name, without_uniqueness(types[0]))
            return lambda frame: _at(function.span, partial(meaning, *evaluate(frame)))
        owner = self.owner

        def make(frame: Frame) -> Applied:
            first = evaluate(frame)

            def apply(*arguments: Any) -> Any:
                try:
                    return owner.function(name).run([*first, *arguments])
                except RecursionError:
                    raise _too_deep(function.span) from None

            return apply

        return make

    def section(self, function: tree.Section, left: Sequence[Type]) -> Callable[[Frame], Applied]:
        evaluate = self.expressions(function.arguments)
        types = [self.facts.types[a] for a in function.arguments] + list(left)
        table = self.arithmetic.binary if len(types) == 2 else self.arithmetic.unary
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


def _ignore(frame: Frame, value: Any) -> None:
    """Bind nothing."""


def _has_sizes(t: Type) -> bool:
    """Whether values of a type have sizes."""
    if isinstance(t, TupleType):
        return any(_has_sizes(part) for part in t.parts)
    return isinstance(t, ArrayType)


def element_type(t: Type) -> Type:
    """The type of an array's elements; a type that is no array's stays."""
    return t.element if isinstance(t, ArrayType) else t


_TRANSLATE: Final[dict[type, Callable[..., Code]]] = {
    tree.Literal: _Translator.literal,
    tree.StringLiteral: _Translator.string,
    tree.Variable: _Translator.variable,
    tree.Tuple: _Translator.tuple,
    tree.Array: _Translator.array,
    tree.Binary: _Translator.binary,
    tree.Unary: _Translator.unary,
    tree.If: _Translator.if_,
    tree.Call: _Translator.call,
    tree.Index: _Translator.index,
    tree.Let: _Translator.let,
    tree.LetWith: _Translator.let_with,
    tree.Loop: _Translator.loop,
    tree.Form: _Translator.form,
    tree.Size: _Translator.size,
    tree.Reshape: _Translator.reshape,
    tree.Transpose: _Translator.transpose,
    tree.Rearrange: _Translator.rearrange,
    tree.Empty: _Translator.empty,
    tree.Predicated: _Translator.predicated,
    tree.Soac: _Translator.soac,
    tree.Extension: _Translator.extension,
}
