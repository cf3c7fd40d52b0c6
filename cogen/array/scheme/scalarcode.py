"""Expressions of L0 that operations on scalars are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, INT, REAL, Type
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.symbolicvalues import SymbolicNumber, Value
from cogen.array.scheme.typetext import show
from cogen.lang.errors import CogenError, LimitationError, Span

Typed = tuple[tree.Expression, Type]
Maker = Callable[["Scalars", Sequence[Value]], Typed]


class Scalars:
    """Makes the expression of one operation at a place; what it needs twice it binds first."""

    def __init__(self, code: Code, op: str, span: Span) -> None:
        self.code = code
        self.op = op
        self.span = span

    # -- small expressions ---------------------------------------------------------------------

    def integer(self, n: int) -> tree.Expression:
        return self.code.expression(SymbolicNumber(n, INT), self.span)[0]

    def real(self, x: float) -> tree.Expression:
        return self.code.expression(SymbolicNumber(x, REAL), self.span)[0]

    def binary(self, operator: str, a: tree.Expression, b: tree.Expression) -> tree.Expression:
        return tree.BinaryExpression(self.span, operator, a, b)

    def apply(self, function: str, a: tree.Expression) -> tree.Expression:
        return tree.CallExpression(self.span, tree.Name(self.span, function), (a,))

    def choose(
        self, test: tree.Expression, then: tree.Expression, otherwise: tree.Expression
    ) -> tree.Expression:
        return tree.IfExpression(self.span, test, then, otherwise)

    def negated(self, e: tree.Expression) -> tree.Expression:
        return tree.UnaryExpression(self.span, "not", e)

    def truth(self, value: bool) -> Typed:
        return self.code.expression(SymbolicNumber(value, BOOL), self.span)

    def again(self, e: tree.Expression, t: Type) -> Callable[[], tree.Expression]:
        """Bind an expression, to be used several times; not what may stand anywhere."""
        if isinstance(e, tree.VariableExpression):
            text = e.name.text
            return lambda: tree.VariableExpression(self.span, tree.Name(self.span, text))
        if isinstance(e, tree.LiteralExpression):
            return lambda: tree.LiteralExpression(self.span, e.value, e.type)
        value = self.code.let("t", e, t)
        return lambda: self.code.expression(value, self.span)[0]

    # -- operands ------------------------------------------------------------------------------

    def operand(self, value: Value) -> Typed:
        return self.code.expression(value, self.span)

    def numbers(self, values: Sequence[Value]) -> tuple[list[tree.Expression], Type]:
        """Operands of one numeric type: ints among reals become reals."""
        found = [self.operand(value) for value in values]
        for _, t in found:
            if t not in (INT, REAL):
                raise self.refused("numbers", t)
        if all(t == INT for _, t in found):
            return [e for e, _ in found], INT
        return [self.as_real(e, t) for e, t in found], REAL

    def as_real(self, e: tree.Expression, t: Type) -> tree.Expression:
        if t == REAL:
            return e
        if isinstance(e, tree.LiteralExpression) and abs(e.value) < 1 << 53:  # type: ignore[arg-type]
            return self.real(float(e.value))
        return self.apply("toReal", e)

    def of(self, value: Value, t: Type) -> tree.Expression:
        """An operand of a type."""
        e, found = self.operand(value)
        if found != t:
            raise self.refused(f"a value of type {show(t)}", found)
        return e

    def whole(self, value: Value) -> tree.Expression:
        """An operand of an operation on integers, of which array programs have those on ints."""
        e, found = self.operand(value)
        if found == REAL:
            raise LimitationError(
                f"`{self.op}` of floats is not there in array programs",
                self.span,
                "convert them with `exact`, and the result with `inexact`",
            )
        return e if found == INT else self.of(value, INT)

    def refused(self, what: str, t: Type) -> CogenError:
        return CogenError(f"{self.op}: expected {what}, got a value of type {show(t)}", self.span)
