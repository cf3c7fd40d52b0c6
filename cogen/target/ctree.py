"""A small C tree and its printer.

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

The tree says nothing about types of expressions: whoever builds it knows them.  The printer
puts parentheses where C needs them and where gcc's `-Wparentheses` wants them, breaks long
lines at operators and indents by four columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cogen.lang.errors import InternalError


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, a number, or any other piece of text that needs no parentheses."""

    text: str


@dataclass(frozen=True, slots=True)
class Unary:
    operator: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Choose:
    """`test ? then : otherwise`."""

    test: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Invoke:
    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Index:
    base: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Cast:
    type: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Field:
    """`base->name`."""

    base: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Member:
    """`base.name`."""

    base: Expr
    name: str


Expr = Name | Unary | Binary | Choose | Invoke | Index | Cast | Field | Member


@dataclass(frozen=True, slots=True)
class Declare:
    """`extent`: the number of elements, of an array."""

    type: str
    name: str
    value: Expr | None = None
    extent: Expr | None = None


@dataclass(frozen=True, slots=True)
class Assign:
    """`target operator value;` with an operator such as `=` or `+=`."""

    target: Expr
    value: Expr
    operator: str = "="


@dataclass(frozen=True, slots=True)
class Do:
    """An expression for its effect."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class If:
    test: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class While:
    test: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class For:
    """`for (first; test; step)`; all three None is the endless loop."""

    first: Declare | Assign | None
    test: Expr | None
    step: Assign | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Return:
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Continue:
    pass


@dataclass(frozen=True, slots=True)
class Goto:
    label: str


@dataclass(frozen=True, slots=True)
class Label:
    name: str


@dataclass(frozen=True, slots=True)
class Comment:
    text: str


@dataclass(frozen=True, slots=True)
class Pragma:
    """`#pragma text`, which concerns the next statement."""

    text: str


@dataclass(frozen=True, slots=True)
class Scope:
    """Statements in braces."""

    body: tuple[Statement, ...]


Statement = (
    Declare | Assign | Do | If | While | For | Return | Break | Continue | Goto | Label | Comment
    | Pragma | Scope
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Function:
    """A definition; `result` with its qualifiers, `parameters` as declared."""

    result: str
    name: str
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]
    comment: str = ""

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


MAX_COLUMN = 100
"""Lines are broken at operators or commas beyond this column where that is possible."""

ATOM = 100
POSTFIX = 16
PREFIX = 15
CONDITIONAL = 3
PRECEDENCE = {
    "*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11,
    "<": 10, "<=": 10, ">": 10, ">=": 10, "==": 9, "!=": 9,
    "&": 8, "^": 7, "|": 6, "&&": 5, "||": 4,
}  # fmt: skip
COMPARISONS = (9, 10)
CAREFUL = frozenset(["<<", ">>", "&", "^", "|", "&&", "||"])
"""Operators between which people (and gcc) want to see parentheses."""


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


def print_unit(unit: Unit) -> str:
    """The text of a file."""
    return "\n".join(_item(item) for item in unit.items)


def print_expr(expr: Expr) -> str:
    """The text of an expression on one line."""
    return _expr(expr, 0)


def _item(item: Function | Text) -> str:
    if isinstance(item, Text):
        return item.text.rstrip("\n") + "\n"
    lines: list[str] = []
    if item.comment:
        lines.append(f"/* {_comment_text(item.comment)} */")
    lines.extend(_broken(f"{item.result} {item.head}", 0, ", "))
    lines.append("{")
    lines.extend(_statements(item.body, 1))
    lines.append("}")
    return "\n".join(lines) + "\n"


def _comment_text(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\\\n", "\n")


def _statements(statements: Sequence[Statement], depth: int) -> Iterable[str]:
    for statement in statements:
        yield from _statement(statement, depth)


def _statement(statement: Statement, depth: int) -> Iterable[str]:
    pad = "    " * depth
    match statement:
        case If():
            yield from _conditional(statement, depth)
        case While(test, body):
            yield from _broken(f"while ({print_expr(test)}) {{", depth)
            yield from _statements(body, depth + 1)
            yield pad + "}"
        case For(body=body):
            yield from _broken(f"for ({_for_head(statement)}) {{", depth)
            yield from _statements(body, depth + 1)
            yield pad + "}"
        case Label(name):
            yield f"{pad[4:]}{name}:;"
        case Comment(text):
            yield f"{pad}/* {_comment_text(text)} */"
        case Pragma(text):
            yield f"#pragma {text}"
        case Scope(body):
            yield pad + "{"
            yield from _statements(body, depth + 1)
            yield pad + "}"
        case _:
            yield from _broken(_simple(statement) + ";", depth)


def _conditional(statement: If, depth: int) -> Iterable[str]:
    """An if with its chain of else-ifs, which adds no depth."""
    pad = "    " * depth
    yield from _broken(f"if ({print_expr(statement.test)}) {{", depth)
    while True:
        yield from _statements(statement.then, depth + 1)
        rest = statement.otherwise
        if len(rest) == 1 and isinstance(rest[0], If):
            statement = rest[0]
            yield from _broken(f"}} else if ({print_expr(statement.test)}) {{", depth)
            continue
        if rest:
            yield pad + "} else {"
            yield from _statements(rest, depth + 1)
        yield pad + "}"
        return


def _for_head(loop: For) -> str:
    if loop.first is None and loop.test is None and loop.step is None:
        return ";;"
    first = "" if loop.first is None else _simple(loop.first)
    test = "" if loop.test is None else " " + print_expr(loop.test)
    step = "" if loop.step is None else " " + _simple(loop.step)
    return f"{first};{test};{step}"


def _simple(statement: Statement) -> str:
    match statement:
        case Declare(type, name, None, None):
            return _declarator(type, name)
        case Declare(type, name, None, extent) if extent is not None:
            return f"{_declarator(type, name)}[{print_expr(extent)}]"
        case Declare(type, name, value) if value is not None:
            return f"{_declarator(type, name)} = {print_expr(value)}"
        case Assign(target, Name("1"), "+="):
            return f"{print_expr(target)}++"
        case Assign(target, Name("1"), "-="):
            return f"{print_expr(target)}--"
        case Assign(target, value, operator):
            return f"{print_expr(target)} {operator} {print_expr(value)}"
        case Do(expr):
            return print_expr(expr)
        case Return(None):
            return "return"
        case Return(value) if value is not None:
            return f"return {print_expr(value)}"
        case Break():
            return "break"
        case Continue():
            return "continue"
        case Goto(label):
            return f"goto {label}"
    raise InternalError(f"no simple C statement: {statement!r}")


def _declarator(type: str, name: str) -> str:
    return f"{type}{name}" if type.endswith("*") else f"{type} {name}"


def _expr(expr: Expr, context: int) -> str:
    """The text, in parentheses when the context binds tighter than the expression."""
    text, level = _leveled(expr)
    return f"({text})" if level < context else text


def _leveled(expr: Expr) -> tuple[str, int]:
    match expr:
        case Name(text):
            return text, ATOM if not text.startswith("-") else PREFIX
        case Unary(operator, operand):
            inner = _expr(operand, PREFIX)
            gap = " " if inner.startswith(operator) else ""
            return f"{operator}{gap}{inner}", PREFIX
        case Binary(operator, left, right):
            level = PRECEDENCE[operator]
            return (
                f"{_side(left, operator, level)} {operator} {_side(right, operator, level + 1)}",
                level,
            )
        case Choose(test, then, otherwise):
            parts = (_expr(test, 4), _expr(then, CONDITIONAL + 1), _expr(otherwise, CONDITIONAL))
            return f"{parts[0]} ? {parts[1]} : {parts[2]}", CONDITIONAL
        case Invoke(function, arguments):
            return f"{function}({', '.join(_expr(a, 0) for a in arguments)})", POSTFIX
        case Index(base, index):
            return f"{_expr(base, POSTFIX)}[{_expr(index, 0)}]", POSTFIX
        case Cast(type, operand):
            return f"({type}){_expr(operand, PREFIX)}", PREFIX
        case Field(base, name):
            return f"{_expr(base, POSTFIX)}->{name}", POSTFIX
        case Member(base, name):
            return f"{_expr(base, POSTFIX)}.{name}", POSTFIX
    raise InternalError(f"no C expression: {expr!r}")


def _side(operand: Expr, operator: str, level: int) -> str:
    """An operand; parentheses also between different operators that are easily confused."""
    text, own = _leveled(operand)
    confusing = (
        isinstance(operand, Binary)
        and (operand.operator != operator or own in COMPARISONS)
        and (operator in CAREFUL or own <= PRECEDENCE["<"])
        and not (operator in ("&&", "||") and own in COMPARISONS)
    )
    return f"({text})" if own < level or confusing else text


BREAKS = (" || ", " && ", " | ", " + ", " - ", ", ", " = ")
"""Where a long line may be broken, the best places first."""


def _broken(text: str, depth: int, *preferred: str) -> list[str]:
    """The text indented, broken into lines that fit where that is possible."""
    pad = "    " * depth
    if len(pad) + len(text) <= MAX_COLUMN:
        return [pad + text]
    lines: list[str] = []
    more = pad + "        "
    room = MAX_COLUMN - len(pad)
    while len(text) > room:
        cut = _break_at(text, room, preferred or BREAKS)
        if cut is None:
            break
        lines.append((more if lines else pad) + text[:cut].rstrip())
        text = text[cut:].lstrip()
        room = MAX_COLUMN - len(more)
    lines.append((more if lines else pad) + text)
    return lines


def _break_at(text: str, room: int, separators: Sequence[str]) -> int | None:
    """The offset of the best break: at the least nesting, then as far right as fits."""
    best: tuple[int, int] | None = None
    depth = 0
    quoted = False
    for offset, character in enumerate(text[:room]):
        if character == '"':
            quoted = not quoted
        if quoted:
            continue
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        if offset > 16 and any(text.startswith(separator, offset) for separator in separators):
            cut = offset + (1 if character == "," else 0)
            if best is None or (depth, -cut) <= best:
                best = (depth, -cut)
    return None if best is None else -best[1]
