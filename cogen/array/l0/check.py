"""Checks a tree's names, types and arities, and says what it found: tree -> `CheckedFacts`.

Every expression gets a type (without `*`), every name the binding or function it means, every
function given to a combinator the types it is applied at. The first mistake is a `CogenError` at
the innermost form that is wrong. Uniqueness is the next pass, `cogen.array.l0.uniqueness`.

Variables and functions have separate name spaces. A function that the program defines hides the
built-in one of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.builtinforms import check_regular, form_type
from cogen.array.l0.declarations import constructors_of
from cogen.array.l0.extensions import EXTENSIONS
from cogen.array.l0.facts import CheckedFacts
from cogen.array.l0.lawcheck import LawCheck
from cogen.array.l0.naming import NameCheck
from cogen.array.l0.scopes import conversion
from cogen.array.l0.types import (
    BOOL,
    CERT,
    INT,
    STRING,
    ArrayType,
    TupleType,
    Type,
    array_of,
    limit_type,
    rank,
    row_type,
    same_type,
    show_type,
)
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Note, Span

Words = Mapping[str, tuple[int, Type]]
NO_WORDS: Final[Words] = {}


def check(program: tree.L0Program, words: Words = NO_WORDS) -> CheckedFacts:
    """The facts of a program without mistakes in names, types and arities; `words` are functions
    that are defined elsewhere."""
    return on_deep_stack(_check, program, words)


def check_each(program: tree.L0Program) -> tuple[CheckedFacts, list[CogenError]]:
    """The facts of a program, and the first mistake of each function; for tools that show programs
    which are being written."""
    return on_deep_stack(_check_each, program)


def _check(program: tree.L0Program, words: Words) -> CheckedFacts:
    facts, errors = _defined(program)
    facts = replace(facts, words=words)
    if errors:
        raise errors[0]
    for function in program.functions:
        _FunctionChecker(facts).function(function)
    for law in program.laws:
        _FunctionChecker(facts).law(law)
    return facts


def _check_each(program: tree.L0Program) -> tuple[CheckedFacts, list[CogenError]]:
    facts, errors = _defined(program)
    for function in program.functions:
        try:
            _FunctionChecker(facts).function(function)
        except CogenError as error:
            errors.append(error)
    for law in program.laws:
        try:
            _FunctionChecker(facts).law(law)
        except CogenError as error:
            errors.append(error)
    return facts, errors


def _defined(program: tree.L0Program) -> tuple[CheckedFacts, list[CogenError]]:
    """The functions of a program, and those that are there twice."""
    definitions: dict[str, tree.FunctionDefinition] = {}
    errors: list[CogenError] = []
    for function in program.functions:
        earlier = definitions.setdefault(function.name.text, function)
        if earlier is not function:
            message = f"the function `{function.name.text}` is defined twice"
            notes = [Note("the first definition", earlier.name.span)]
            errors.append(CogenError(message, function.name.span, notes=notes))
    try:
        constructors = constructors_of(program.declarations)
    except CogenError as error:
        errors.append(error)
        constructors = {}
    facts = CheckedFacts(program, definitions, constructors=constructors)
    for name, constructor in facts.constructors.items():
        if name in definitions:
            message = f"`{name}` is defined twice: a function, and what makes a value of a type"
            notes = [Note("the declaration", constructor.span)]
            errors.append(CogenError(message, definitions[name].name.span, notes=notes))
    return facts, errors


class _FunctionChecker(NameCheck, LawCheck):
    """Checks one function."""

    def function(self, function: tree.FunctionDefinition) -> None:
        self.bind_parameters(function.parameters)
        found = self.expression(function.body)
        if not same_type(found, function.result):
            raise CogenError(
                f"the body of `{function.name.text}` must be {show_type(function.result)}, "
                f"but is {show_type(found)}",
                tree.last(function.body).span,
            )

    # Expressions.

    def extension(self, e: tree.ExtensionExpression) -> Type:
        return EXTENSIONS[e.name].type(self, e)

    def expression(self, e: tree.Expression) -> Type:
        found = limit_type(_CHECK[type(e)](self, e), e.span)
        self.facts.types[e] = found
        return found

    def certificates(self, names: Sequence[tree.Name]) -> None:
        for name in names:
            found = self.variable(name)
            if found != CERT:
                raise CogenError(
                    f"a certificate must be cert, but `{name.text}` is {show_type(found)}",
                    name.span,
                )

    def literal(self, e: tree.LiteralExpression) -> Type:
        if e.type == INT and e.value == 1 << 63:
            raise CogenError("this integer is not in the range of int", e.span, "int has 64 bits")
        return e.type

    def string(self, e: tree.StringLiteral) -> Type:
        return STRING

    def variable_expression(self, e: tree.VariableExpression) -> Type:
        return self.variable(e.name)

    def tuple_(self, e: tree.Tuple) -> Type:
        return TupleType(tuple([self.expression(part) for part in e.parts]))

    def array(self, e: tree.ArrayExpression) -> Type:
        first, *others = e.elements
        element = self.expression(first)
        for other in others:
            found = self.expression(other)
            if found != element:
                raise CogenError(
                    f"the elements of an array have one type, but this one is {show_type(found)}",
                    tree.last(other).span,
                    notes=[Note(f"the first element is {show_type(element)}", first.span)],
                )
        check_regular(e)
        return ArrayType(element)

    def binary(self, e: tree.BinaryExpression) -> Type:
        left, right = self.expression(e.left), self.expression(e.right)
        return self.operation(e.operator, [left, right], e.span)

    def unary(self, e: tree.UnaryExpression) -> Type:
        operand = e.operand
        if (
            isinstance(operand, tree.LiteralExpression)
            and e.operator == "-"
            and operand.type == INT
        ):
            self.facts.types[operand] = INT
            return INT
        return self.operation(e.operator, [self.expression(operand)], e.span)

    def if_(self, e: tree.IfExpression) -> Type:
        self.expect(e.condition, BOOL, "the condition")
        then, otherwise = self.expression(e.then), self.expression(e.otherwise)
        if then != otherwise:
            raise CogenError(
                f"both branches have one type, but this one is {show_type(otherwise)}",
                tree.last(e.otherwise).span,
                notes=[Note(f"the first branch is {show_type(then)}", tree.last(e.then).span)],
            )
        return then

    def index(self, e: tree.IndexExpression) -> Type:
        array = self.variable(e.array)
        self.certificates(e.certificates)
        return self.element(e.array, array, e.indices, e.span)

    def element(
        self, name: tree.Name, array: Type, indices: Sequence[tree.Expression], span: Span
    ) -> Type:
        """The type of what so many indices leave of an array."""
        if not isinstance(array, ArrayType):
            raise CogenError(
                f"only arrays are indexed, but `{name.text}` is {show_type(array)}", span
            )
        if len(indices) > rank(array):
            raise CogenError(
                f"`{name.text}` is {show_type(array)} and takes at most {rank(array)} "
                f"{'index' if rank(array) == 1 else 'indices'}, but {len(indices)} are given",
                span,
            )
        for index in indices:
            self.expect(index, INT, "an index")
        return row_type(array, len(indices))

    def let(self, e: tree.LetExpression) -> Type:
        value = self.expression(e.value)
        return self.under(self.matched(e.pattern, value, e.value.span), e.body)

    def let_with(self, e: tree.LetWith) -> Type:
        array = self.variable(e.source)
        self.certificates(e.certificates)
        element = self.element(e.source, array, e.indices, e.source.span)
        self.expect(e.value, element, "the new value")
        return self.under([(e.target, array)], e.body)

    def loop(self, e: tree.LoopExpression) -> Type:
        initial = self.expression(e.initial)
        self.expect(e.bound, INT, "the bound of a loop")
        names = self.matched(e.pattern, initial, e.initial.span)
        hidden = self.bind(names)
        body = self.under([(e.index, INT)], e.body)
        if body != initial:
            raise CogenError(
                f"the loop's variables are {show_type(initial)}, but its body gives "
                f"{show_type(body)}",
                tree.last(e.body).span,
                conversion(initial, body),
                [Note("the initial value", e.initial.span)],
            )
        result = self.expression(e.result)
        self.unbind([name for name, _ in names], hidden)
        return result

    def form(self, e: tree.Form) -> Type:
        return form_type(e, [self.expression(operand) for operand in e.operands])

    def size(self, e: tree.SizeExpression) -> Type:
        array = self.array_operand(e.array, "the operand of `size`")
        if not 0 <= e.dimension < rank(array):
            raise CogenError(
                f"{show_type(array)} has no dimension {e.dimension}: they count from 0", e.span
            )
        return INT

    def reshape(self, e: tree.ReshapeExpression) -> Type:
        for size in e.shape:
            self.expect(size, INT, "a size")
        array = self.array_operand(e.array, "the operand of `reshape`")
        return array_of(row_type(array, rank(array)), len(e.shape))

    def transpose(self, e: tree.Transpose) -> Type:
        array = self.array_operand(e.array, "the operand of `transpose`")
        k, n = e.dimension, e.distance
        if not (0 <= k < rank(array) and 0 <= k + n < rank(array)):
            raise CogenError(
                f"a ({k}, {n})-transposition needs dimensions {k} and {k + n}, "
                f"but the array is {show_type(array)}",
                e.span,
            )
        return array

    def rearrange(self, e: tree.RearrangeExpression) -> Type:
        array = self.array_operand(e.array, "the operand of `rearrange`")
        if sorted(e.order) != list(range(rank(array))):
            raise CogenError(
                f"the dimensions of {show_type(array)} are the numbers below {rank(array)}: "
                "give each of them once",
                e.span,
            )
        return array

    def empty(self, e: tree.Empty) -> Type:
        return ArrayType(e.element)

    def predicated(self, e: tree.Predicated) -> Type:
        self.certificates(e.certificates)
        return self.expression(e.body)


_CHECK: Final[dict[type, Callable[..., Type]]] = {
    tree.LiteralExpression: _FunctionChecker.literal,
    tree.StringLiteral: _FunctionChecker.string,
    tree.VariableExpression: _FunctionChecker.variable_expression,
    tree.Tuple: _FunctionChecker.tuple_,
    tree.ArrayExpression: _FunctionChecker.array,
    tree.BinaryExpression: _FunctionChecker.binary,
    tree.UnaryExpression: _FunctionChecker.unary,
    tree.IfExpression: _FunctionChecker.if_,
    tree.CallExpression: _FunctionChecker.call,
    tree.IndexExpression: _FunctionChecker.index,
    tree.LetExpression: _FunctionChecker.let,
    tree.LetWith: _FunctionChecker.let_with,
    tree.LoopExpression: _FunctionChecker.loop,
    tree.Form: _FunctionChecker.form,
    tree.SizeExpression: _FunctionChecker.size,
    tree.ReshapeExpression: _FunctionChecker.reshape,
    tree.Transpose: _FunctionChecker.transpose,
    tree.RearrangeExpression: _FunctionChecker.rearrange,
    tree.Empty: _FunctionChecker.empty,
    tree.Predicated: _FunctionChecker.predicated,
    tree.SoacExpression: _FunctionChecker.soac,
    tree.ExtensionExpression: _FunctionChecker.extension,
    tree.Field: _FunctionChecker.field,
    tree.Made: _FunctionChecker.made,
    tree.Changed: _FunctionChecker.changed,
    tree.CaseExpression: _FunctionChecker.case,
}
