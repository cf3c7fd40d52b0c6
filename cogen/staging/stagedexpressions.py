"""Expressions of L0 where a staged function is traced: each says the place in Python's text."""

from __future__ import annotations

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, INT, REAL
from cogen.array.scheme.symbolicvalues import SymbolicNumber
from cogen.staging.tracer import current

Expression = tree.Expression


def op(operator: str, a: Expression, b: Expression) -> Expression:
    """A binary operation of L0."""
    return tree.BinaryExpression(current().place, operator, a, b)


def builtin(name: str, a: Expression) -> Expression:
    """A call of a function that L0 has."""
    place = current().place
    return tree.CallExpression(place, tree.Name(place, name), (a,))


def choose(test: Expression, then: Expression, otherwise: Expression) -> Expression:
    """A conditional of L0."""
    return tree.IfExpression(current().place, test, then, otherwise)


def constant(x: float | int | bool) -> Expression:
    """A number of L0."""
    t = BOOL if isinstance(x, bool) else INT if isinstance(x, int) else REAL
    return current().expression(SymbolicNumber(x, t))


def require(condition: Expression, *says: Expression) -> None:
    """Fail in a run that does not find a condition true, and say a text and ints then."""
    current().code.require(condition, says)


def text(words: str) -> Expression:
    """A text of L0."""
    return tree.StringLiteral(current().place, words)
