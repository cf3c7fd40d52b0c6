"""A typed tree of C: what kernels, native programs and array programs are printed from.

    unit      ::= CUnit(items)
    item      ::= CFunction | CPrototype(function) | CData(type, name, value, public?, extent?)
                | CInclude(header, own?) | CDefine(name, value?) | CGuarded(condition, items)
                | CPragma(parts) | CTypedef(type, name, attributes)
                | SharedStructure(name, members, comment)
                | CTitle(lines) | CLibrary(text)      a piece of the run-time library, as it stands
    statement ::= CDeclare(type, name, value?, extent?) | CAssign(target, value, operator)
                | CDo(expr) | CIf(test, then, otherwise) | CWhile(test, body)
                | CFor(first?, test?, step?, body) | CReturn(value?) | CBreak
                | CContinue | CGoto(label) | CLabel(name) | CComment(text) | CPragma(parts)
                | CScope(body) | CTypedef(type, name, attributes)
                | CAlternatives((condition, body) ...) | CSwitch(value, (number?, body) ...)
    expr      ::= CVariable(name, type) | CConstant(name, type) | CNumber(value, type, hexadecimal?)
                | CString(text) | CUnary(op, e) | CBinary(op, e, e) | CChoose(test, e, e)
                | CInvoke(name, arguments, type) | CThrough(e, arguments) | CIndex(base, e)
                | CCast(type, e) | CField(e, name, type) | CMember(e, name, type) | CSizeOf(type)
                | CLanes(type, elements) | CBraces(fields)      only as an initial value

Types are those of `cogen.backends.ctree.types`.  What C makes of an expression's parts says
`cogen.backends.ctree.typing.type_of`; a tree that hangs together passes
`cogen.backends.ctree.check`.  Numbers are numbers and names are names: no text holds code.

Each expression, statement and function may have `places`: those of the source it was made of.
They are no part of what it is: trees that differ in them only are equal.  So are those that differ
in the type of a variable only, as a function has each name once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Final

from cogen.backends.ctree.types import CConst, CPointer, CSpace, Type, declared
from cogen.backends.structures import SharedStructure
from cogen.lang.errors import InternalError
from cogen.lang.marks import Places
from cogen.lang.node import leaf


@leaf
class CPlaced:
    """What may say which places of the source it was made of."""

    places: Places = field(default=(), compare=False, repr=False, kw_only=True)


# Expressions


@leaf
class CVariable(CPlaced):
    """A variable, a parameter or a table."""

    name: str
    type: Type = field(compare=False)


@leaf
class CConstant(CPlaced):
    """What a macro or an enumeration names: `NULL`, `true`, `INFINITY`."""

    name: str
    type: Type = field(compare=False)


@leaf
class CNumber(CPlaced):
    """A literal; others than finite numbers have none (`cogen.backends.ctree.literals.real`)."""

    value: int | float
    type: Type
    hexadecimal: bool = False


@leaf
class CString(CPlaced):
    """A literal of these bytes."""

    data: bytes


@leaf
class CUnary(CPlaced):
    operator: str
    operand: Expr


@leaf
class CBinary(CPlaced):
    operator: str
    left: Expr
    right: Expr


@leaf
class CChoose(CPlaced):
    """`test ? then : otherwise`."""

    test: Expr
    then: Expr
    otherwise: Expr


@leaf
class CInvoke(CPlaced):
    """A call of a function, or a use of a macro, that gives the type."""

    function: str
    arguments: tuple[Expr, ...]
    type: Type = field(compare=False)


@leaf
class CThrough(CPlaced):
    """A call of the function at an address."""

    function: Expr
    arguments: tuple[Expr, ...]


@leaf
class CIndex(CPlaced):
    base: Expr
    index: Expr


@leaf
class CCast(CPlaced):
    type: Type
    operand: Expr


@leaf
class CField(CPlaced):
    """`base->name`."""

    base: Expr
    name: str
    type: Type = field(compare=False)


@leaf
class CMember(CPlaced):
    """`base.name`."""

    base: Expr
    name: str
    type: Type = field(compare=False)


@leaf
class CSizeOf(CPlaced):
    """The bytes of a type."""

    of: Type


@leaf
class CLanes(CPlaced):
    """`(type)(a, b, ...)`: a vector of OpenCL C of these lanes, or of one value in all of them."""

    type: Type
    elements: tuple[Expr, ...]


@leaf
class CBraces(CPlaced):
    """`{a, b, ...}`, what an array or a structure is at first; a field may have its name."""

    fields: tuple[tuple[str, Expr], ...]


Expr = (
    CVariable | CConstant | CNumber | CString | CUnary | CBinary | CChoose | CInvoke | CThrough
    | CIndex | CCast | CField | CMember | CSizeOf | CLanes | CBraces
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


@leaf
class CDeclare(CPlaced):
    """`extent`: the number of elements, of an array."""

    type: Type
    name: str
    value: Expr | None = None
    extent: Expr | None = None


@leaf
class CAssign(CPlaced):
    """`target operator value;` with an operator such as `=` or `+=`."""

    target: Expr
    value: Expr
    operator: str = "="


@leaf
class CDo(CPlaced):
    """An expression for its effect."""

    expr: Expr


@leaf
class CIf(CPlaced):
    test: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@leaf
class CWhile(CPlaced):
    test: Expr
    body: tuple[Statement, ...]


@leaf
class CFor(CPlaced):
    """`for (first; test; step)`; all three None is the endless loop."""

    first: CDeclare | CAssign | None
    test: Expr | None
    step: CAssign | None
    body: tuple[Statement, ...]


@leaf
class CReturn(CPlaced):
    value: Expr | None = None


@leaf
class CBreak(CPlaced):
    pass


@leaf
class CContinue(CPlaced):
    pass


@leaf
class CGoto(CPlaced):
    label: str


@leaf
class CLabel(CPlaced):
    name: str


@leaf
class CComment(CPlaced):
    text: str


@leaf
class CPragma(CPlaced):
    """`#pragma`, which concerns the next statement: words, and expressions between them."""

    parts: tuple[str | Expr, ...]


@leaf
class CScope(CPlaced):
    """Statements in braces."""

    body: tuple[Statement, ...]


@leaf
class CTypedef(CPlaced):
    """A name of a type, with attributes of GCC."""

    type: Type
    name: str
    attributes: str


@leaf
class CAlternatives(CPlaced):
    """Of these statements those whose condition the preprocessor finds first."""

    forms: tuple[tuple[str, tuple[Statement, ...]], ...]


@leaf
class CSwitch(CPlaced):
    """Of these statements those for the value; None is any other.  Each ends with a `CBreak`, or
    leaves otherwise."""

    value: Expr
    cases: tuple[tuple[int | None, tuple[Statement, ...]], ...]


Statement = (
    CDeclare | CAssign | CDo | CIf | CWhile | CFor | CReturn | CBreak | CContinue | CGoto | CLabel
    | CComment | CPragma | CScope | CTypedef | CAlternatives | CSwitch
)  # fmt: skip


# Files


@leaf
class CFunction(CPlaced):
    """A definition; `qualifiers` stand before the type of the result; `procedure` is the residual
    procedure that it is, if it is one."""

    result: Type
    name: str
    parameters: tuple[CVariable, ...]
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


@leaf
class CPrototype:
    """The declaration of a function that is defined later, or elsewhere."""

    function: CFunction


@leaf
class CData:
    """A variable of the whole file, with its first value; of an array, `extent` is how many there
    are: 0 as many as it has values, None for what is no array."""

    type: Type
    name: str
    value: CBraces | CString
    extent: int | None = None
    public: bool = False


@leaf
class CInclude:
    """A header, of the system or of our `own`."""

    header: str
    own: bool = False


@leaf
class CDefine:
    """A macro without arguments."""

    name: str
    value: Expr | None = None


@leaf
class CGuarded:
    """Items where the preprocessor knows a condition, such as `ifdef NAME`."""

    condition: str
    items: tuple[Item, ...]


@leaf
class CTitle:
    """A comment of several lines."""

    lines: tuple[str, ...]


@leaf
class CLibrary:
    """A piece of the run-time library, which is written in C; printed as it stands."""

    text: str


Item = (
    CFunction
    | CPrototype
    | CData
    | CInclude
    | CDefine
    | CGuarded
    | CTitle
    | CPragma
    | CTypedef
    | SharedStructure
    | CLibrary
)


@leaf
class CUnit:
    """A whole file: its items are separated by empty lines."""

    items: tuple[Item, ...]


# Walks


def parts(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly in an expression."""
    if isinstance(expr, (CVariable, CNumber, CConstant)):  # which most of them are
        return ()
    match expr:
        case CUnary(_, e) | CCast(_, e) | CField(e) | CMember(e):
            return (e,)
        case CBinary(_, a, b) | CIndex(a, b):
            return (a, b)
        case CChoose(a, b, c):
            return (a, b, c)
        case CInvoke(_, arguments):
            return arguments
        case CThrough(function, arguments):
            return (function, *arguments)
        case CLanes(_, elements):
            return elements
        case CBraces(fields):
            return tuple([e for _, e in fields])
    return ()


def with_parts(expr: Expr, made: Sequence[Expr]) -> Expr:
    """The expression with others in the place of its parts."""
    match expr:
        case CUnary() | CCast():
            return replace(expr, operand=made[0])
        case CField() | CMember():
            return replace(expr, base=made[0])
        case CBinary():
            return replace(expr, left=made[0], right=made[1])
        case CIndex():
            return replace(expr, base=made[0], index=made[1])
        case CChoose():
            return replace(expr, test=made[0], then=made[1], otherwise=made[2])
        case CInvoke():
            return replace(expr, arguments=tuple(made))
        case CThrough():
            return replace(expr, function=made[0], arguments=tuple(made[1:]))
        case CLanes():
            return replace(expr, elements=tuple(made))
        case CBraces(fields):
            names = [name for name, _ in fields]
            return replace(expr, fields=tuple(zip(names, made, strict=True)))
    return expr


def expressions(*roots: Expr) -> Iterator[Expr]:
    """Expressions and all that are in them."""
    work = list(reversed(roots))
    while work:
        expr = work.pop()
        yield expr
        work += parts(expr)[::-1]


def own(statement: Statement) -> tuple[Expr, ...]:
    """The expressions of a statement itself, not of statements within it."""
    match statement:
        case CDeclare(_, _, value, extent):
            found: tuple[Expr | None, ...] = (value, extent)
        case CAssign(target, value):
            found = (target, value)
        case CDo(e) | CIf(e) | CWhile(e) | CSwitch(e):
            found = (e,)
        case CFor(_, test):
            found = (test,)
        case CReturn(value):
            found = (value,)
        case CPragma(words):
            found = tuple([word for word in words if not isinstance(word, str)])
        case _:
            found = ()
    return tuple([e for e in found if e is not None])


def within(statement: Statement) -> tuple[Statement, ...]:
    """The statements directly in a statement, with those of a loop's head."""
    match statement:
        case CIf(_, then, otherwise):
            return (*then, *otherwise)
        case CWhile(_, body) | CScope(body):
            return body
        case CFor(first, _, step, body):
            head = [clause for clause in (first, step) if clause is not None]
            return (*head, *body)
        case CAlternatives(forms):
            return tuple([statement for _, body in forms for statement in body])
        case CSwitch(_, cases):
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
                if isinstance(statement, CDeclare):
                    found.append(statement.name)
                found += _variables(*own(statement))
        else:
            found += _variables(tree)
    return found


def _variables(*roots: Expr) -> list[str]:
    return [e.name for e in expressions(*roots) if isinstance(e, CVariable)]


def functions_of(items: tuple[Item, ...]) -> Iterator[CFunction]:
    """The functions that items define."""
    for item in items:
        if isinstance(item, CFunction):
            yield item
        elif isinstance(item, CGuarded):
            yield from functions_of(item.items)


def invoked(*functions: CFunction) -> set[str]:
    """The names of the functions and macros that functions use."""
    return {
        e.function
        for function in functions
        for statement in all_statements(*function.body)
        for e in expressions(*own(statement))
        if isinstance(e, CInvoke)
    }


def constants_of(*functions: CFunction) -> set[str]:
    """The names of the constants in functions."""
    return {
        e.name
        for function in functions
        for statement in all_statements(*function.body)
        for e in expressions(*own(statement))
        if isinstance(e, CConstant)
    }


def types_of(*functions: CFunction) -> Iterator[Type]:
    """The types that functions name, with those within them."""
    for function in functions:
        yield from _types_in(function.result)
        for parameter in function.parameters:
            yield from _types_in(parameter.type)
        for statement in all_statements(*function.body):
            if isinstance(statement, CDeclare):
                yield from _types_in(statement.type)
            for e in expressions(*own(statement)):
                if isinstance(e, CCast | CSizeOf):
                    yield from _types_in(e.type if isinstance(e, CCast) else e.of)


def _types_in(t: Type) -> Iterator[Type]:
    while isinstance(t, CConst | CSpace | CPointer):
        t = t.target if isinstance(t, CPointer) else t.of
    yield t


def no_tree(what: str, tree: object) -> InternalError:
    """What is told of something that is no tree of that kind."""
    return InternalError(f"no {what} of C: {tree!r}")
