"""Checks what is applied: operators, functions, and the function operands of combinators."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from cogen.array.l0 import tree
from cogen.array.l0.declarations import Constructor
from cogen.array.l0.extensions import OPERANDS
from cogen.array.l0.facts import Applied
from cogen.array.l0.scopes import TypeScopes, conversion, one_of, plural
from cogen.array.l0.signatures import BINARY_TYPES, BUILTIN_TYPES, UNARY_TYPES
from cogen.array.l0.types import (
    BOOL,
    ArrayType,
    TupleType,
    Type,
    row_type,
    same_type,
    show_type,
    without_uniqueness,
)
from cogen.lang.errors import CogenError, Note, Span

Combining = tree.SoacExpression | tree.ExtensionExpression
"""What applies a function operand."""


class Applying(TypeScopes):
    """The part of the check that concerns functions."""

    def operation(self, operator: str, operands: Sequence[Type], span: Span) -> Type:
        """The type of an operator's result on operands of these types."""
        table = (BINARY_TYPES if len(operands) == 2 else UNARY_TYPES)[operator]
        if len(set(operands)) == 1 and operands[0] in table:
            return table[operands[0]]
        found = " and ".join([show_type(t) for t in operands])
        allowed = " or ".join([" and ".join([show_type(t)] * len(operands)) for t in table])
        raise CogenError(
            f"`{operator}` takes {allowed}, not {found}",
            span,
            conversion(*operands) if len(operands) == 2 else None,
        )

    def call(self, e: tree.CallExpression) -> Type:
        given = [self.expression(argument) for argument in e.arguments]
        name = e.function.text
        if name in self.facts.words:
            count, result = self.facts.words[name]
            if len(given) != count:
                wanted, are = plural(count, "argument"), "is" if len(given) == 1 else "are"
                message = f"`{name}` takes {wanted}, but {len(given)} {are} given"
                raise CogenError(message, e.span)
            return result
        definition = self.facts.definitions.get(name)
        constructor = self.facts.constructors.get(name)
        if constructor is not None:
            if len(given) != len(constructor.case.fields):
                raise _not_so_many(name, constructor, len(given), e.span)
            self.leading_fields(constructor, e.arguments, given)
            return constructor.type
        if definition is None:
            return self.builtin(e.function, given, e.span, [a.span for a in e.arguments])
        parameters = definition.parameters
        if len(parameters) != len(given):
            are = f"{len(given)} {'is' if len(given) == 1 else 'are'} given"
            raise _takes_others(definition, are, e.span)
        self.leading(definition, e.arguments, given)
        return without_uniqueness(definition.result)

    def leading(
        self,
        definition: tree.FunctionDefinition,
        arguments: Sequence[tree.Expression],
        given: Sequence[Type],
    ) -> None:
        """Check the first arguments of a function against its parameters."""
        for parameter, argument, found in zip(
            definition.parameters, arguments, given, strict=False
        ):
            if not same_type(parameter.type, found):
                raise CogenError(
                    f"the argument `{parameter.name.text}` of `{definition.name.text}` must be "
                    f"{show_type(parameter.type)}, but is {show_type(found)}",
                    tree.last(argument).span,
                    conversion(parameter.type, found),
                    [Note("the parameter", parameter.name.span)],
                )

    def leading_fields(
        self, constructor: Constructor, arguments: Sequence[tree.Expression], given: Sequence[Type]
    ) -> None:
        """Check the first arguments of a constructor against its fields."""
        case = constructor.case
        for field, t, argument, found in zip(
            case.fields, case.types, arguments, given, strict=False
        ):
            if not same_type(t, found):
                raise CogenError(
                    f"the field `{field}` of `{case.name}` must be {show_type(t)}, "
                    f"but is {show_type(found)}",
                    tree.last(argument).span,
                    conversion(t, found),
                )

    def builtin(
        self, name: tree.Name, given: Sequence[Type], span: Span, spans: Sequence[Span]
    ) -> Type:
        """The result of a built-in function; `spans` are those of the arguments."""
        if name.text not in BUILTIN_TYPES:
            known = [*self.facts.definitions, *self.facts.constructors, *BUILTIN_TYPES]
            near = get_close_matches(name.text, known, n=1)
            hint = f"did you mean `{near[0]}`?" if near else None
            if name.text in OPERANDS:
                hint = "this is a form, not a function: write fn t (t x) => ... around it"
            raise CogenError(f"there is no function `{name.text}`", name.span, hint)
        if len(given) != 1:
            raise CogenError(f"`{name.text}` takes 1 argument, but {len(given)} are given", span)
        table = BUILTIN_TYPES[name.text]
        if table is None:
            return given[0]
        if given[0] not in table:
            raise CogenError(
                f"the argument of `{name.text}` must be {one_of(list(table))}, "
                f"but is {show_type(given[0])}",
                spans[0],
                conversion(next(iter(table)), given[0]),
            )
        return table[given[0]]

    # Combinators.

    def soac(self, e: tree.SoacExpression) -> Type:
        if e.tupleless:
            return self.tupleless(e)
        initial = None if e.initial is None else self.expression(e.initial)
        array = self.array_operand(e.arrays[0], f"the array of `{e.name}`")
        element = row_type(array, 1)
        if initial is None:
            result = self.apply(e, e.functions[0], [element])
            if e.kind == "map":
                return ArrayType(result)
            self.result_is(e, e.functions[0], result, BOOL)
            return array
        self.fold(e, [initial], [element], initial)
        return ArrayType(initial) if e.kind == "scan" else initial

    def tupleless(self, e: tree.SoacExpression) -> Type:
        for function in e.functions:
            if not isinstance(function, tree.LambdaExpression):
                raise CogenError(f"`{e.name}` takes only anonymous functions", function.span)
        initial = None if e.initial is None else self.expression(e.initial)
        if initial is not None and not isinstance(initial, TupleType):
            assert e.initial is not None
            raise CogenError(
                f"the initial value of `{e.name}` must be a tuple, but is {show_type(initial)}",
                tree.last(e.initial).span,
            )
        rows = [
            row_type(self.array_operand(array, f"an array of `{e.name}`"), 1) for array in e.arrays
        ]
        if initial is not None:
            self.fold(e, initial.parts, rows, initial)
            return _arrays(initial.parts) if e.kind == "scan" else initial
        result = self.apply(e, e.functions[0], rows)
        if e.kind == "filter":
            self.result_is(e, e.functions[0], result, BOOL)
            return _arrays(rows)
        if not isinstance(result, TupleType):
            raise CogenError(
                f"the function of `{e.name}` must give a tuple, but gives {show_type(result)}",
                e.functions[0].span,
            )
        return _arrays(result.parts)

    def fold(
        self,
        e: tree.SoacExpression,
        accumulators: Sequence[Type],
        elements: Sequence[Type],
        result: Type,
    ) -> None:
        """Check the functions of reduce, scan or redomap."""
        combine = e.functions[0]
        if e.kind == "redomap":
            found = self.apply(e, combine, [*accumulators, *accumulators])
            self.result_is(e, combine, found, result)
            step = e.functions[1]
            self.result_is(e, step, self.apply(e, step, [*accumulators, *elements]), result)
            return
        if list(accumulators) != list(elements):
            assert e.initial is not None
            raise CogenError(
                f"the initial value of `{e.name}` must be like the elements of the array, "
                f"{show_type(_whole(elements, e.tupleless))}, but is {show_type(result)}",
                tree.last(e.initial).span,
                conversion(*accumulators, *elements) if len(elements) == 1 else None,
            )
        found = self.apply(e, combine, [*accumulators, *elements])
        self.result_is(e, combine, found, result)

    def result_is(self, e: Combining, function: tree.Function, found: Type, expected: Type) -> None:
        if found != expected:
            raise CogenError(
                f"the function of `{e.name}` must give {show_type(expected)}, "
                f"but gives {show_type(found)}",
                function.span,
            )

    def apply(self, e: Combining, function: tree.Function, given: Sequence[Type]) -> Type:
        """The result of a function operand on arguments of these types."""
        match function:
            case tree.LambdaExpression():
                names = [(parameter.name, parameter.type) for parameter in function.parameters]
                body = self.under(names, function.body)
                if not same_type(body, function.result):
                    raise CogenError(
                        f"the body of the function must be {show_type(function.result)}, "
                        f"but is {show_type(body)}",
                        tree.last(function.body).span,
                    )
                parameters = tuple([t for _, t in names])
                return self.fit(e, function, parameters, function.result, given)
            case tree.Named():
                return self.apply_named(e, function, given)
            case tree.Section():
                return self.apply_section(e, function, given)

    def apply_named(self, e: Combining, function: tree.Named, given: Sequence[Type]) -> Type:
        first = [self.expression(argument) for argument in function.arguments]
        name = function.name
        definition = self.facts.definitions.get(name.text)
        constructor = self.facts.constructors.get(name.text)
        if constructor is not None:
            types = constructor.case.types
            if len(first) > len(types):
                raise _not_so_many(name.text, constructor, len(first), function.span)
            self.leading_fields(constructor, function.arguments, first)
            return self.fit(e, function, types[len(first) :], constructor.type, given)
        if definition is None:
            all_given = [*first, *given]
            spans = [argument.span for argument in function.arguments] + [function.span] * len(
                given
            )
            result = self.builtin(name, all_given, function.span, spans)
            return self.fit(e, function, tuple(given), result, given)
        if len(first) > len(definition.parameters):
            raise _takes_others(definition, f"{len(first)} are given already", function.span)
        self.leading(definition, function.arguments, first)
        left = tuple([parameter.type for parameter in definition.parameters[len(first) :]])
        return self.fit(e, function, left, definition.result, given)

    def apply_section(self, e: Combining, function: tree.Section, given: Sequence[Type]) -> Type:
        first = [self.expression(argument) for argument in function.arguments]
        operator = function.operator
        arity = 2 if operator in BINARY_TYPES else 1
        left = arity - len(first)
        if left < 0:
            raise CogenError(
                f"`op {operator}` takes {plural(arity, 'operand')}, but {len(first)} are given",
                function.span,
            )
        unpacked = _unpacked(left, given)
        if unpacked is None:
            raise self.misfit(e, function, left, given)
        result = self.operation(operator, [*first, *unpacked],
                                function.span)  # fmt: skip
        return self.fit(e, function, tuple(unpacked), result, given)

    def fit(
        self,
        e: Combining,
        function: tree.Function,
        parameters: tuple[Type, ...],
        result: Type,
        given: Sequence[Type],
    ) -> Type:
        """Note how the function is applied, if its parameters fit what it is given."""
        direct = _same_types(parameters, given)
        unpacked = None if direct else _unpacked(len(parameters), given, e.tupleless)
        if not direct and (unpacked is None or not _same_types(parameters, unpacked)):
            raise self.misfit(e, function, len(parameters), given, parameters)
        self.facts.applied[function] = Applied(parameters, result, not direct)
        return without_uniqueness(result)

    def misfit(
        self,
        e: Combining,
        function: tree.Function,
        arity: int,
        given: Sequence[Type],
        parameters: Sequence[Type] | None = None,
    ) -> CogenError:
        passed = ", ".join([show_type(t) for t in given])
        takes = plural(arity, "argument")
        if parameters:
            takes += " (" + ", ".join([show_type(t) for t in parameters]) + ")"
        return CogenError(
            f"`{e.name}` passes {plural(len(given), 'argument')} ({passed}) to a function that "
            f"takes {takes}",
            function.span,
        )


def _takes_others(definition: tree.FunctionDefinition, are: str, span: Span) -> CogenError:
    name, count = definition.name, len(definition.parameters)
    return CogenError(
        f"`{name.text}` takes {plural(count, 'argument')}, but {are}",
        span,
        notes=[Note("it is defined here", name.span)],
    )


def _not_so_many(name: str, constructor: Constructor, count: int, span: Span) -> CogenError:
    case = constructor.case
    return CogenError(
        f"`{name}` has {plural(len(case.fields), 'field')}, "
        f"but {count} {'is' if count == 1 else 'are'} given",
        span,
        notes=[Note("it is declared here", constructor.span)],
    )


def _same_types(parameters: Sequence[Type], given: Sequence[Type]) -> bool:
    return len(parameters) == len(given) and all(
        same_type(p, t) for p, t in zip(parameters, given, strict=True)
    )


def _unpacked(arity: int, given: Sequence[Type], tupleless: bool = False) -> Sequence[Type] | None:
    """The types of the arguments, a lone tuple unpacked if that makes their number right."""
    if len(given) == 1 and isinstance(given[0], TupleType) and not tupleless:
        parts = given[0].parts
        return parts if len(parts) == arity else (given if arity == 1 else None)
    return given if len(given) == arity else None


def _arrays(parts: Sequence[Type]) -> Type:
    return TupleType(tuple([ArrayType(without_uniqueness(part)) for part in parts]))


def _whole(elements: Sequence[Type], tupleless: bool) -> Type:
    return TupleType(tuple(elements)) if tupleless else elements[0]
