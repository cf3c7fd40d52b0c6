"""Expressions and simple statements of C -> one line of text, with marks.

Puts parentheses where C needs them and where gcc's `-Wparentheses` wants them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.backends.ctree import literals
from cogen.backends.ctree.tree import (
    CONDITIONAL,
    PRECEDENCE,
    CAssign,
    CBinary,
    CBraces,
    CBreak,
    CCast,
    CChoose,
    CConstant,
    CContinue,
    CDeclare,
    CDo,
    CField,
    CFor,
    CGoto,
    CIndex,
    CInvoke,
    CLanes,
    CMember,
    CNumber,
    CReturn,
    CSizeOf,
    CString,
    CThrough,
    CUnary,
    CVariable,
    Expr,
    Statement,
    no_tree,
)
from cogen.backends.ctree.types import I32, INT, declared, text
from cogen.lang.marks import TextMark

ATOM: Final = 100
POSTFIX: Final = 16
PREFIX: Final = 15
COMPARISONS: Final = (9, 10)
CAREFUL: Final = frozenset(["<<", ">>", "&", "^", "|", "&&", "||"])
"""Operators between which people (and gcc) want to see parentheses."""


def print_expr(expr: Expr) -> str:
    """The text of an expression on one line."""
    return _line_of(expr).text


def field_text(name: str, value: Expr) -> str:
    return f".{name} = {print_expr(value)}" if name else print_expr(value)


class Line:
    """A piece of text on one line while it is written."""

    def __init__(self, text: str = "") -> None:
        self.parts = [text]
        self.size = len(text)
        self.marks: list[TextMark] = []

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)

    def append(self, other: Line) -> None:
        self.marks += [mark.moved(self.size) for mark in other.marks]
        self.add(other.text)

    def listed(self, expressions: Sequence[Expr]) -> None:
        for number, expr in enumerate(expressions):
            if number:
                self.add(", ")
            self.expr(expr, 0)

    def expr(self, expr: Expr, context: int) -> None:
        """Write an expression, in parentheses when the context binds tighter than it does."""
        if isinstance(expr, CVariable | CConstant) and not expr.places:  # most are
            self.add(expr.name)
        else:
            self.enclosed(expr, context > 0 and _level(expr) < context)

    def enclosed(self, expr: Expr, parentheses: bool) -> None:
        if parentheses:
            self.add("(")
        start = self.size
        self.bare(expr)
        if expr.places and self.size > start:
            self.marks.append(TextMark(start, self.size, expr.places))
        if parentheses:
            self.add(")")

    def bare(self, expr: Expr) -> None:
        match expr:
            case CInvoke(function, arguments):
                self.add(f"{function}(")
                self.listed(arguments)
                self.add(")")
            case CNumber():
                self.add(literals.number(expr))
            case CVariable(name) | CConstant(name):
                self.add(name)
            case CString(data):
                self.add(literals.quoted(data))
            case CUnary(operator, operand):
                inner = Line()
                inner.expr(operand, PREFIX)
                self.add(operator + (" " if inner.text.startswith(operator) else ""))
                self.append(inner)
            case CBinary(operator, left, right):
                level = PRECEDENCE[operator]
                self.side(left, operator, level)
                self.add(f" {operator} ")
                self.side(right, operator, level + 1)
            case CChoose(test, then, otherwise):
                self.expr(test, 4)
                self.add(" ? ")
                self.expr(then, CONDITIONAL + 1)
                self.add(" : ")
                self.expr(otherwise, CONDITIONAL)
            case CIndex(base, index):
                self.expr(base, POSTFIX)
                self.add("[")
                self.expr(index, 0)
                self.add("]")
            case CThrough(function, arguments):
                self.enclosed(function, not isinstance(function, CVariable | CField))
                self.add("(")
                self.listed(arguments)
                self.add(")")
            case CCast(type, operand):
                self.add(f"({text(type)})")
                self.expr(operand, PREFIX)
            case CField(base, name):
                self.expr(base, POSTFIX)
                self.add(f"->{name}")
            case CMember(base, name):
                self.expr(base, POSTFIX)
                self.add(f".{name}")
            case CSizeOf(of):
                self.add(f"sizeof({text(of)})")
            case CLanes(type, elements):
                self.add(f"({text(type)})(")
                self.listed(elements)
                self.add(")")
            case CBraces(fields):
                self.add("{" + ", ".join([field_text(name, value) for name, value in fields]) + "}")
            case _:
                raise no_tree("expression", expr)

    def side(self, operand: Expr, operator: str, level: int) -> None:
        """An operand; parentheses also between different operators that are easily confused."""
        own = _level(operand)
        confusing = (
            isinstance(operand, CBinary)
            and (operand.operator != operator or own in COMPARISONS)
            and (operator in CAREFUL or own <= PRECEDENCE["<"])
            and not (operator in ("&&", "||") and own in COMPARISONS)
        )
        self.enclosed(operand, own < level or confusing)


def _line_of(expr: Expr) -> Line:
    line = Line()
    line.expr(expr, 0)
    return line


def _level(expr: Expr) -> int:
    """How tightly an expression binds."""
    match expr:
        case CVariable() | CConstant() | CString() | CBraces():
            return ATOM
        case CNumber(value):
            return ATOM if value > 0 or not literals.number(expr).startswith("-") else PREFIX
        case CUnary() | CCast():
            return PREFIX
        case CBinary(operator):
            return PRECEDENCE[operator]
        case CChoose():
            return CONDITIONAL
    return POSTFIX


def for_head(loop: CFor) -> Line:
    line = Line("for (")
    if loop.first is None and loop.test is None and loop.step is None:
        line.add(";;")
        return line
    if loop.first is not None:
        line.append(_placed(loop.first))
    line.add(";")
    if loop.test is not None:
        line.add(" ")
        line.expr(loop.test, 0)
    line.add(";")
    if loop.step is not None:
        line.add(" ")
        line.append(_placed(loop.step))
    return line


def _placed(statement: CDeclare | CAssign) -> Line:
    """A statement within a loop's head."""
    line = simple(statement)
    if statement.places:
        line.marks.append(TextMark(0, line.size, statement.places))
    return line


def simple(statement: Statement) -> Line:
    match statement:
        case CDeclare(type, name, None, None):
            return Line(declared(type, name))
        case CDeclare(type, name, None, extent) if extent is not None:
            return line_with(f"{declared(type, name)}[", extent, "]")
        case CDeclare(type, name, value, None) if value is not None:
            return line_with(f"{declared(type, name)} = ", value)
        case CDeclare(type, name, value, extent) if value is not None and extent is not None:
            line = line_with(f"{declared(type, name)}[", extent, "] = ")
            line.expr(value, 0)
            return line
        case CAssign(target, CNumber(1, step), "+=" | "-=") if step in (INT, I32):
            return line_with("", target, statement.operator[0] * 2)
        case CAssign(target, value, operator):
            line = line_with("", target, f" {operator} ")
            line.expr(value, 0)
            return line
        case CDo(expr):
            return _line_of(expr)
        case CReturn(None):
            return Line("return")
        case CReturn(value) if value is not None:
            return line_with("return ", value)
        case CBreak():
            return Line("break")
        case CContinue():
            return Line("continue")
        case CGoto(label):
            return Line(f"goto {label}")
    raise no_tree("simple statement", statement)


def line_with(before: str, expr: Expr, after: str = "") -> Line:
    line = Line(before)
    line.expr(expr, 0)
    line.add(after)
    return line
