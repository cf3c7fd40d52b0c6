"""A small C tree; `cogen.target.cprint` prints it.

    unit      ::= Unit(items)                      text ::= printed
    item      ::= Function | Text                  Text is printed as it stands
    statement ::= Declare(type, name, value?, extent?) | Assign(target, operator, value) | Do(expr)
                | If(test, then, otherwise) | While(test, body)
                | For(first?, test?, step?, body) | Return(value?) | Break
                | Continue | Goto(label) | Label(name) | Comment(text) | Pragma(text)
              | Scope(body)
    expr      ::= Name(text) | Unary(op, e) | Binary(op, e, e) | Choose(test, e, e)
                | Invoke(function, arguments) | Index(base, e) | Cast(type, e) | Field(e, name)
                | Member(e, name)

The tree says nothing about types of expressions: whoever builds it knows them.

Each expression, statement and function may have `places`: those of the source it was made of.
They are no part of what it is: trees that differ in them only are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from cogen.lang.marks import Places


@dataclass(frozen=True, slots=True)
class Placed:
    """What may say which places of the source it was made of."""

    places: Places = field(default=(), compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Name(Placed):
    """A variable, a number, or any other piece of text that needs no parentheses."""

    text: str


@dataclass(frozen=True, slots=True)
class Unary(Placed):
    operator: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Placed):
    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Choose(Placed):
    """`test ? then : otherwise`."""

    test: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Invoke(Placed):
    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Index(Placed):
    base: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Cast(Placed):
    type: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Field(Placed):
    """`base->name`."""

    base: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Member(Placed):
    """`base.name`."""

    base: Expr
    name: str


Expr = Name | Unary | Binary | Choose | Invoke | Index | Cast | Field | Member

PRECEDENCE: Final = {
    "*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11,
    "<": 10, "<=": 10, ">": 10, ">=": 10, "==": 9, "!=": 9,
    "&": 8, "^": 7, "|": 6, "&&": 5, "||": 4,
}  # fmt: skip
"""How tightly operators bind, the tightest most."""

CONDITIONAL: Final = 3
"""How tightly a conditional expression binds."""


@dataclass(frozen=True, slots=True)
class Declare(Placed):
    """`extent`: the number of elements, of an array."""

    type: str
    name: str
    value: Expr | None = None
    extent: Expr | None = None


@dataclass(frozen=True, slots=True)
class Assign(Placed):
    """`target operator value;` with an operator such as `=` or `+=`."""

    target: Expr
    value: Expr
    operator: str = "="


@dataclass(frozen=True, slots=True)
class Do(Placed):
    """An expression for its effect."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class If(Placed):
    test: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class While(Placed):
    test: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class For(Placed):
    """`for (first; test; step)`; all three None is the endless loop."""

    first: Declare | Assign | None
    test: Expr | None
    step: Assign | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Return(Placed):
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class Break(Placed):
    pass


@dataclass(frozen=True, slots=True)
class Continue(Placed):
    pass


@dataclass(frozen=True, slots=True)
class Goto(Placed):
    label: str


@dataclass(frozen=True, slots=True)
class Label(Placed):
    name: str


@dataclass(frozen=True, slots=True)
class Comment(Placed):
    text: str


@dataclass(frozen=True, slots=True)
class Pragma(Placed):
    """`#pragma text`, which concerns the next statement."""

    text: str


@dataclass(frozen=True, slots=True)
class Scope(Placed):
    """Statements in braces."""

    body: tuple[Statement, ...]


Statement = (
    Declare | Assign | Do | If | While | For | Return | Break | Continue | Goto | Label | Comment
    | Pragma | Scope
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Function(Placed):
    """A definition; `result` with its qualifiers, `parameters` as declared; `procedure` is the
    residual procedure that it is, if it is one."""

    result: str
    name: str
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]
    comment: str = ""
    procedure: str = field(default="", compare=False)

    @property
    def head(self) -> str:
        """The declarator without its result type, on one line."""
        return f"{self.name}({', '.join(self.parameters) or 'void'})"


@dataclass(frozen=True, slots=True)
class Text:
    """Lines that are printed as they stand."""

    text: str


@dataclass(frozen=True, slots=True)
class Unit:
    """A whole file: its items are separated by empty lines."""

    items: tuple[Function | Text, ...]


def expressions(root: Expr) -> Iterator[Expr]:
    """An expression and all that are in it."""
    work = [root]
    while work:
        expr = work.pop()
        yield expr
        match expr:
            case Unary(_, e) | Cast(_, e) | Field(e, _) | Member(e, _):
                work.append(e)
            case Binary(_, a, b) | Index(a, b):
                work += [a, b]
            case Choose(a, b, c):
                work += [a, b, c]
            case Invoke(_, arguments):
                work += arguments


def names_of(*trees: Expr | Statement | None) -> list[str]:
    """The texts of all `Name`s in expressions and statements: variables, and literals."""
    found: list[str] = []
    work: list[Expr | Statement | None] = list(trees)
    while work:
        tree = work.pop()
        match tree:
            case Name(text):
                found.append(text)
            case Unary(_, e) | Cast(_, e) | Field(e, _) | Member(e, _) | Do(e):
                work.append(e)
            case Binary(_, a, b) | Index(a, b) | Assign(a, b):
                work += [a, b]
            case Choose(a, b, c):
                work += [a, b, c]
            case Invoke(_, arguments):
                work += arguments
            case Declare(_, name, value, extent):
                found.append(name)
                work += [value, extent]
            case Return(value):
                work.append(value)
            case If(test, then, otherwise):
                work += [test, *then, *otherwise]
            case While(test, body):
                work += [test, *body]
            case For(first, test, step, body):
                work += [first, test, step, *body]
            case Scope(body):
                work += body
    return found
