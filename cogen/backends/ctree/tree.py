"""A typed tree of C: what kernels, native programs and array programs are printed from.

    unit      ::= Unit(items)
    item      ::= Function | Prototype(function) | Data(type, name, value, public?, extent?)
                | Include(header, own?) | Define(name, value?) | Guarded(condition, items)
                | Pragma(parts) | Typedef(type, name, attributes)
                | Title(lines) | Library(text)      a piece of the run-time library, as it stands
    statement ::= Declare(type, name, value?, extent?) | Assign(target, value, operator) | Do(expr)
                | If(test, then, otherwise) | While(test, body)
                | For(first?, test?, step?, body) | Return(value?) | Break
                | Continue | Goto(label) | Label(name) | Comment(text) | Pragma(parts)
                | Scope(body) | Typedef(type, name, attributes)
                | Alternatives((condition, body) ...) | Switch(value, (number?, body) ...)
    expr      ::= Variable(name, type) | Constant(name, type) | Number(value, type, hexadecimal?)
                | String(text) | Unary(op, e) | Binary(op, e, e) | Choose(test, e, e)
                | Invoke(name, arguments, type) | Through(e, arguments) | Index(base, e)
                | Cast(type, e) | Field(e, name, type) | Member(e, name, type) | SizeOf(type)
                | Lanes(type, elements) | Braces(fields)      only as an initial value

Types are those of `cogen.backends.ctree.types`.  What C makes of an expression's parts says
`cogen.backends.ctree.typing.type_of`; a tree that hangs together passes
`cogen.backends.ctree.check`.  Numbers are numbers and names are names: no text holds code.

Each expression, statement and function may have `places`: those of the source it was made of.
They are no part of what it is: trees that differ in them only are equal.  So are those that differ
in the type of a variable only, as a function has each name once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cogen.backends.ctree.types import Const, Pointer, Space, Type, declared
from cogen.lang.errors import InternalError
from cogen.lang.marks import Places


@dataclass(frozen=True, slots=True)
class Placed:
    """What may say which places of the source it was made of."""

    places: Places = field(default=(), compare=False, repr=False, kw_only=True)


# Expressions


@dataclass(frozen=True, slots=True)
class Variable(Placed):
    """A variable, a parameter or a table."""

    name: str
    type: Type = field(compare=False)


@dataclass(frozen=True, slots=True)
class Constant(Placed):
    """What a macro or an enumeration names: `NULL`, `true`, `INFINITY`."""

    name: str
    type: Type = field(compare=False)


@dataclass(frozen=True, slots=True)
class Number(Placed):
    """A literal; others than finite numbers have none (`cogen.backends.ctree.literals.real`)."""

    value: int | float
    type: Type
    hexadecimal: bool = False


@dataclass(frozen=True, slots=True)
class String(Placed):
    """A literal of these bytes."""

    data: bytes


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
    """A call of a function, or a use of a macro, that gives the type."""

    function: str
    arguments: tuple[Expr, ...]
    type: Type = field(compare=False)


@dataclass(frozen=True, slots=True)
class Through(Placed):
    """A call of the function at an address."""

    function: Expr
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Index(Placed):
    base: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Cast(Placed):
    type: Type
    operand: Expr


@dataclass(frozen=True, slots=True)
class Field(Placed):
    """`base->name`."""

    base: Expr
    name: str
    type: Type = field(compare=False)


@dataclass(frozen=True, slots=True)
class Member(Placed):
    """`base.name`."""

    base: Expr
    name: str
    type: Type = field(compare=False)


@dataclass(frozen=True, slots=True)
class SizeOf(Placed):
    """The bytes of a type."""

    of: Type


@dataclass(frozen=True, slots=True)
class Lanes(Placed):
    """`(type)(a, b, ...)`: a vector of OpenCL C of these lanes, or of one value in all of them."""

    type: Type
    elements: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Braces(Placed):
    """`{a, b, ...}`, what an array or a structure is at first; a field may have its name."""

    fields: tuple[tuple[str, Expr], ...]


Expr = (
    Variable | Constant | Number | String | Unary | Binary | Choose | Invoke | Through | Index
    | Cast | Field | Member | SizeOf | Lanes | Braces
)  # fmt: skip

PRECEDENCE: Final = {
    "*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11,
    "<": 10, "<=": 10, ">": 10, ">=": 10, "==": 9, "!=": 9,
    "&": 8, "^": 7, "|": 6, "&&": 5, "||": 4,
}  # fmt: skip
"""How tightly operators bind, the tightest most."""

CONDITIONAL: Final = 3
"""How tightly a conditional expression binds."""


# Statements


@dataclass(frozen=True, slots=True)
class Declare(Placed):
    """`extent`: the number of elements, of an array."""

    type: Type
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
    """`#pragma`, which concerns the next statement: words, and expressions between them."""

    parts: tuple[str | Expr, ...]


@dataclass(frozen=True, slots=True)
class Scope(Placed):
    """Statements in braces."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Typedef(Placed):
    """A name of a type, with attributes of GCC."""

    type: Type
    name: str
    attributes: str


@dataclass(frozen=True, slots=True)
class Alternatives(Placed):
    """Of these statements those whose condition the preprocessor finds first."""

    forms: tuple[tuple[str, tuple[Statement, ...]], ...]


@dataclass(frozen=True, slots=True)
class Switch(Placed):
    """Of these statements those for the value; None is any other.  Each ends with a `Break`, or
    leaves otherwise."""

    value: Expr
    cases: tuple[tuple[int | None, tuple[Statement, ...]], ...]


Statement = (
    Declare | Assign | Do | If | While | For | Return | Break | Continue | Goto | Label | Comment
    | Pragma | Scope | Typedef | Alternatives | Switch
)  # fmt: skip


# Files


@dataclass(frozen=True, slots=True)
class Function(Placed):
    """A definition; `qualifiers` stand before the type of the result; `procedure` is the residual
    procedure that it is, if it is one."""

    result: Type
    name: str
    parameters: tuple[Variable, ...]
    body: tuple[Statement, ...]
    comment: str = ""
    procedure: str = field(default="", compare=False)
    qualifiers: str = ""

    @property
    def head(self) -> str:
        """What a prototype says, on one line."""
        parameters = ", ".join([declared(p.type, p.name) for p in self.parameters]) or "void"
        before = f"{self.qualifiers} " if self.qualifiers else ""
        return before + declared(self.result, f"{self.name}({parameters})")


@dataclass(frozen=True, slots=True)
class Prototype:
    """The declaration of a function that is defined later, or elsewhere."""

    function: Function


@dataclass(frozen=True, slots=True)
class Data:
    """A variable of the whole file, with its first value; of an array, `extent` is how many there
    are: 0 as many as it has values, None for what is no array."""

    type: Type
    name: str
    value: Braces | String
    extent: int | None = None
    public: bool = False


@dataclass(frozen=True, slots=True)
class Include:
    """A header, of the system or of our `own`."""

    header: str
    own: bool = False


@dataclass(frozen=True, slots=True)
class Define:
    """A macro without arguments."""

    name: str
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class Guarded:
    """Items where the preprocessor knows a condition, such as `ifdef NAME`."""

    condition: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Title:
    """A comment of several lines."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Library:
    """A piece of the run-time library, which is written in C; printed as it stands."""

    text: str


Item = Function | Prototype | Data | Include | Define | Guarded | Title | Pragma | Typedef | Library


@dataclass(frozen=True, slots=True)
class Unit:
    """A whole file: its items are separated by empty lines."""

    items: tuple[Item, ...]


# Walks


def parts(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly in an expression."""
    match expr:
        case Unary(_, e) | Cast(_, e) | Field(e) | Member(e):
            return (e,)
        case Binary(_, a, b) | Index(a, b):
            return (a, b)
        case Choose(a, b, c):
            return (a, b, c)
        case Invoke(_, arguments):
            return arguments
        case Through(function, arguments):
            return (function, *arguments)
        case Lanes(_, elements):
            return elements
        case Braces(fields):
            return tuple([e for _, e in fields])
    return ()


def with_parts(expr: Expr, made: Sequence[Expr]) -> Expr:
    """The expression with others in the place of its parts."""
    match expr:
        case Unary() | Cast():
            return replace(expr, operand=made[0])
        case Field() | Member():
            return replace(expr, base=made[0])
        case Binary():
            return replace(expr, left=made[0], right=made[1])
        case Index():
            return replace(expr, base=made[0], index=made[1])
        case Choose():
            return replace(expr, test=made[0], then=made[1], otherwise=made[2])
        case Invoke():
            return replace(expr, arguments=tuple(made))
        case Through():
            return replace(expr, function=made[0], arguments=tuple(made[1:]))
        case Lanes():
            return replace(expr, elements=tuple(made))
        case Braces(fields):
            names = [name for name, _ in fields]
            return replace(expr, fields=tuple(zip(names, made, strict=True)))
    return expr


def expressions(*roots: Expr) -> Iterator[Expr]:
    """Expressions and all that are in them."""
    work = list(reversed(roots))
    while work:
        expr = work.pop()
        yield expr
        work.extend(reversed(parts(expr)))


def own(statement: Statement) -> tuple[Expr, ...]:
    """The expressions of a statement itself, not of statements within it."""
    match statement:
        case Declare(_, _, value, extent):
            found: tuple[Expr | None, ...] = (value, extent)
        case Assign(target, value):
            found = (target, value)
        case Do(e) | If(e) | While(e) | Switch(e):
            found = (e,)
        case For(_, test):
            found = (test,)
        case Return(value):
            found = (value,)
        case Pragma(words):
            found = tuple([word for word in words if not isinstance(word, str)])
        case _:
            found = ()
    return tuple([e for e in found if e is not None])


def within(statement: Statement) -> tuple[Statement, ...]:
    """The statements directly in a statement, with those of a loop's head."""
    match statement:
        case If(_, then, otherwise):
            return (*then, *otherwise)
        case While(_, body) | Scope(body):
            return body
        case For(first, _, step, body):
            head = [clause for clause in (first, step) if clause is not None]
            return (*head, *body)
        case Alternatives(forms):
            return tuple([statement for _, body in forms for statement in body])
        case Switch(_, cases):
            return tuple([statement for _, body in cases for statement in body])
    return ()


def all_statements(*roots: Statement) -> Iterator[Statement]:
    """Statements and all that are in them, outer before inner, in textual order."""
    work = list(reversed(roots))
    while work:
        statement = work.pop()
        yield statement
        work.extend(reversed(within(statement)))


def names_of(*trees: Expr | Statement | None) -> list[str]:
    """The variables in expressions and statements, as often as they stand there."""
    found: list[str] = []
    for tree in trees:
        if tree is None:
            continue
        if isinstance(tree, Statement):
            for statement in all_statements(tree):
                if isinstance(statement, Declare):
                    found.append(statement.name)
                found += _variables(*own(statement))
        else:
            found += _variables(tree)
    return found


def _variables(*roots: Expr) -> list[str]:
    return [e.name for e in expressions(*roots) if isinstance(e, Variable)]


def functions_of(items: tuple[Item, ...]) -> Iterator[Function]:
    """The functions that items define."""
    for item in items:
        if isinstance(item, Function):
            yield item
        elif isinstance(item, Guarded):
            yield from functions_of(item.items)


def invoked(*functions: Function) -> set[str]:
    """The names of the functions and macros that functions use."""
    return {
        e.function
        for function in functions
        for statement in all_statements(*function.body)
        for e in expressions(*own(statement))
        if isinstance(e, Invoke)
    }


def constants_of(*functions: Function) -> set[str]:
    """The names of the constants in functions."""
    return {
        e.name
        for function in functions
        for statement in all_statements(*function.body)
        for e in expressions(*own(statement))
        if isinstance(e, Constant)
    }


def types_of(*functions: Function) -> Iterator[Type]:
    """The types that functions name, with those within them."""
    for function in functions:
        yield from _types_in(function.result)
        for parameter in function.parameters:
            yield from _types_in(parameter.type)
        for statement in all_statements(*function.body):
            if isinstance(statement, Declare):
                yield from _types_in(statement.type)
            for e in expressions(*own(statement)):
                if isinstance(e, Cast | SizeOf):
                    yield from _types_in(e.type if isinstance(e, Cast) else e.of)


def _types_in(t: Type) -> Iterator[Type]:
    while isinstance(t, Const | Space | Pointer):
        t = t.target if isinstance(t, Pointer) else t.of
    yield t


def no_tree(what: str, tree: object) -> InternalError:
    """What is told of something that is no tree of that kind."""
    return InternalError(f"no {what} of C: {tree!r}")
