"""A call of the library of arrays that is translated, and what is asked of its operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from cogen.array.l0 import tree
from cogen.array.l0.types import (
    INT,
    ArrayType,
    Type,
    packed_layout,
)
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.symbolicvalues import (
    KnownSymbol,
    SymbolicConstant,
    SymbolicNumber,
    SymbolicProcedure,
    Value,
)
from cogen.array.scheme.typetext import Kinds, show
from cogen.lang.errors import CogenError, Span


class ArrayTranslator(Protocol):
    """What translates procedures."""

    code: Code
    hint: str
    """What the program calls the result of the call, if it calls it anything."""

    @property
    def kinds(self) -> Kinds:
        """The record types of the program."""

    def function(
        self, value: Value, types: Sequence[Type], span: Span, expected: Type | None = None
    ) -> tuple[tree.Function, Type]:
        """A procedure as the function of a combinator, applied to such types; its result's type,
        that which is expected if it can be one of several types."""


class ArrayCall:
    """One call: where it is, what it is given, and what it makes."""

    def __init__(self, work: ArrayTranslator, name: str, span: Span) -> None:
        self.work = work
        self.code = work.code
        self.name = name
        self.span = span

    def error(self, message: str, hint: str | None = None) -> CogenError:
        return CogenError(f"{self.name}: {message}", self.span, hint)

    def array(self, value: Value) -> tuple[tree.Expression, ArrayType]:
        """An array operand."""
        if isinstance(value, SymbolicProcedure | KnownSymbol):
            raise self.error("expected an array, got a procedure")
        e, t = self.code.expression(value, self.span)
        if not isinstance(t, ArrayType):
            raise self.error(f"expected an array, got a value of type {show(t)}")
        if packed_layout(t) is not None:
            raise self.error(
                "expected an array, got one that is stored",
                "what array-store gives is a result of the program",
            )
        return e, t

    def variable(self, value: Value) -> tuple[tree.Name, ArrayType]:
        """An array operand that must be a variable."""
        e, t = self.array(value)
        if not isinstance(e, tree.VariableExpression):
            bound = self.code.let("a", e, t)
            e = self.code.expression(bound, self.span)[0]
            assert isinstance(e, tree.VariableExpression)
        return e.name, t

    def integer(self, value: Value) -> tree.Expression:
        e, t = self.code.expression(value, self.span)
        if t != INT:
            raise self.error(f"expected an integer, got a value of type {show(t)}")
        return e

    def literal(self, value: Value, what: str) -> int:
        """An operand that must be a constant."""
        if isinstance(value, SymbolicNumber) and value.type == INT:
            return int(value.value)
        raise self.error(f"{what} must be a constant", "make it static")

    def bind(self, e: tree.Expression, t: Type, hint: str = "a") -> Value:
        return self.code.let(self.work.hint or hint, e, t)

    def form(self, name: str, *operands: tree.Expression) -> tree.Form:
        return tree.Form(self.span, name, operands)

    def soac(
        self,
        kind: str,
        functions: Sequence[tree.Function],
        initial: tree.Expression | None,
        array: tree.Expression,
    ) -> tree.SoacExpression:
        return tree.SoacExpression(self.span, kind, False, tuple(functions), initial, (array,))


def initial_value(op: ArrayCall, value: Value, element: Type) -> tuple[tree.Expression, Type]:
    return op.code.expression(value, op.span, element)


def like(op: ArrayCall, found: Type, wanted: Type, what: str) -> None:
    if found != wanted:
        numbers = {show(found), show(wanted)} == {"int", "float"}
        raise op.error(
            f"{what} must be {show(wanted)}, but is {show(found)}",
            "write 0.0 for a float, 0 for an int" if numbers else None,
        )


def extension(
    op: ArrayCall, name: str, function: tree.Function | None, *operands: tree.Expression
) -> tree.ExtensionExpression:
    functions = () if function is None else (function,)
    return tree.ExtensionExpression(op.span, name, functions, operands)


def ints(op: ArrayCall, value: Value, what: str) -> tree.Expression:
    """An operand that is an array of ints."""
    e, t = expected(op, value, ArrayType(INT))
    like(op, t, ArrayType(INT), what)
    return e


def expected(op: ArrayCall, value: Value, wanted: Type) -> tuple[tree.Expression, Type]:
    """An array operand; one without elements is taken to be of the type that is wanted."""
    if isinstance(value, SymbolicConstant):
        return op.code.expression(value, op.span, wanted)
    return op.array(value)


Meaning = tuple[int, int | None, Callable[[ArrayCall, Sequence[Value]], Value]]
"""How many operands an operation has, at least and at most, and what a call of it gives."""
