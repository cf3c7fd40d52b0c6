"""Expressions -> their types, as C has them (C11 6.3.1, 6.5)."""

from __future__ import annotations

from cogen.backends.ctree.tree import (
    Binary,
    Braces,
    Cast,
    Choose,
    Constant,
    Expr,
    Field,
    Index,
    Invoke,
    Lanes,
    Member,
    Number,
    SizeOf,
    String,
    Through,
    Unary,
    Variable,
    no_tree,
)
from cogen.backends.ctree.types import (
    CHAR,
    I32,
    I64,
    SIZE,
    VOID,
    Basic,
    Callable,
    Const,
    Pointer,
    Type,
    Vector,
    plain,
    promoted,
    together,
    truth_of,
)

_TESTS = ("==", "!=", "<", "<=", ">", ">=")


def type_of(expr: Expr) -> Type:
    """The type of an expression; of what C promotes before it computes, the promoted one."""
    match expr:
        case Variable() | Constant() | Number() | Invoke() | Cast() | Field() | Member() | Lanes():
            return expr.type
        case Unary(operator, operand):
            return _unary(operator, type_of(operand))
        case Binary(operator, left, right):
            return _binary(operator, type_of(left), type_of(right))
        case Choose(_, then, otherwise):
            return together(type_of(then), type_of(otherwise))
        case Through(function):
            found = plain(type_of(function))
            return found.result if isinstance(found, Callable) else VOID
        case Index(base):
            return target_of(type_of(base))
        case SizeOf():
            return SIZE
        case String():
            return Pointer(Const(CHAR))
        case Braces():
            return VOID
    raise no_tree("expression", expr)


def target_of(t: Type) -> Type:
    """What is at an address; a lane of a vector; of a type that is only a name, that name."""
    t = plain(t)
    if isinstance(t, Vector):
        return Basic(t.element)
    return t.target if isinstance(t, Pointer) else t


def _unary(operator: str, t: Type) -> Type:
    match operator:
        case "&":
            return Pointer(t)
        case "*":
            return target_of(t)
        case "!":
            return truth_of(t)
    return promoted(t)


def _binary(operator: str, left: Type, right: Type) -> Type:
    if operator in ("&&", "||"):
        return I32
    if operator in ("<<", ">>"):
        return promoted(left)
    found = together(left, right)
    if operator in _TESTS:
        return truth_of(found)
    both_addresses = isinstance(plain(left), Pointer) and isinstance(plain(right), Pointer)
    return I64 if both_addresses else found
