"""Expressions -> their types, as C has them (C11 6.3.1, 6.5)."""

from __future__ import annotations

from cogen.backends.ctree import tree
from cogen.backends.ctree.types import (
    CHAR,
    I32,
    I64,
    SIZE,
    VOID,
    CBasic,
    CCallable,
    CConst,
    CPointer,
    CVector,
    Type,
    plain,
    promoted,
    together,
    truth_of,
)

_TESTS = ("==", "!=", "<", "<=", ">", ">=")


def type_of(expr: tree.Expr) -> Type:
    """The type of an expression; of what C promotes before it computes, the promoted one."""
    match expr:
        case (
            tree.CVariable()
            | tree.CConstant()
            | tree.CNumber()
            | tree.CInvoke()
            | tree.CCast()
            | tree.CField()
            | tree.CMember()
            | tree.CLanes()
        ):
            return expr.type
        case tree.CUnary(operator, operand):
            return _unary(operator, type_of(operand))
        case tree.CBinary(operator, left, right):
            return _binary(operator, type_of(left), type_of(right))
        case tree.CChoose(_, then, otherwise):
            return together(type_of(then), type_of(otherwise))
        case tree.CThrough(function):
            found = plain(type_of(function))
            return found.result if isinstance(found, CCallable) else VOID
        case tree.CIndex(base):
            return target_of(type_of(base))
        case tree.CSizeOf():
            return SIZE
        case tree.CString():
            return CPointer(CConst(CHAR))
        case tree.CBraces():
            return VOID
    raise tree.no_tree("expression", expr)


def target_of(t: Type) -> Type:
    """What is at an address; a lane of a vector; of a type that is only a name, that name."""
    t = plain(t)
    if isinstance(t, CVector):
        return CBasic(t.element)
    return t.target if isinstance(t, CPointer) else t


def _unary(operator: str, t: Type) -> Type:
    match operator:
        case "&":
            return CPointer(t)
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
    both_addresses = isinstance(plain(left), CPointer) and isinstance(plain(right), CPointer)
    return I64 if both_addresses else found
