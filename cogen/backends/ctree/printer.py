"""C trees -> text, with the places of the source that its parts were made of.

Puts parentheses where C needs them and where gcc's `-Wparentheses` wants them, breaks long lines at
operators and indents by four columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from cogen.backends.ctree import literals
from cogen.backends.ctree.tree import (
    CONDITIONAL,
    PRECEDENCE,
    Alternatives,
    Assign,
    Binary,
    Braces,
    Break,
    Cast,
    Choose,
    Comment,
    Constant,
    Continue,
    Data,
    Declare,
    Define,
    Do,
    Expr,
    Field,
    For,
    Function,
    Goto,
    Guarded,
    If,
    Include,
    Index,
    Invoke,
    Item,
    Label,
    Lanes,
    Library,
    Member,
    Number,
    Pragma,
    Prototype,
    Return,
    Scope,
    SizeOf,
    Statement,
    String,
    Switch,
    Through,
    Title,
    Typedef,
    Unary,
    Unit,
    Variable,
    While,
    expressions,
    no_tree,
)
from cogen.backends.ctree.types import I32, INT, declared, text
from cogen.lang.marks import Mark, Marked, Places, joined

MAX_COLUMN: Final = 100
"""Lines are broken at operators or commas beyond this column where that is possible."""

ATOM: Final = 100
POSTFIX: Final = 16
PREFIX: Final = 15
COMPARISONS: Final = (9, 10)
CAREFUL: Final = frozenset(["<<", ">>", "&", "^", "|", "&&", "||"])
"""Operators between which people (and gcc) want to see parentheses."""

BREAKS: Final = (" || ", " && ", " | ", " + ", " - ", ", ", " = ")
"""Where a long line may be broken, the best places first."""


def print_unit(unit: Unit) -> str:
    """The text of a file."""
    return marked_unit(unit).text


def marked_unit(unit: Unit) -> Marked:
    """The text of a file, with its marks.  Items of a line in a row are a paragraph."""
    if watchers:
        for watch in watchers:
            watch(unit)
    return _items(unit.items)


watchers: Final[list[Callable[[Unit], None]]] = []
"""What looks at each file before it is printed: tests have `check` here."""


def print_expr(expr: Expr) -> str:
    """The text of an expression on one line."""
    return _line_of(expr).text


def _items(items: Sequence[Item]) -> Marked:
    paragraphs: list[Marked] = []
    for kind, group in groupby(
        items, lambda item: type(item) if isinstance(item, ONE_LINE) else None
    ):
        made = [_item(item) for item in group]
        paragraphs += made if kind is None else [joined("", made)]
    return joined("\n", paragraphs)


ONE_LINE: Final = (Include, Define, Prototype, Typedef)
"""Items of one line."""


def _item(item: Item) -> Marked:
    match item:
        case Function():
            printer = _Printer()
            printer.function(item)
            return Marked("\n".join(printer.lines) + "\n", tuple(printer.marks))
        case Prototype(function):
            return Marked(f"{function.head};\n")
        case Data():
            return Marked(_data(item))
        case Typedef():
            return Marked(_typedef(item) + "\n")
        case Pragma(words):
            return Marked(_pragma(words) + "\n")
        case Include(header, own):
            return Marked(f'#include "{header}"\n' if own else f"#include <{header}>\n")
        case Define(name, value):
            return Marked(f"#define {name}{'' if value is None else ' ' + print_expr(value)}\n")
        case Guarded(condition, items):
            gap = "" if all(isinstance(inner, ONE_LINE) for inner in items) else "\n"
            return joined(gap, [Marked(f"#{condition}\n"), _items(items), Marked("#endif\n")])
        case Title(lines):
            return Marked(f"/* {_comment_text(chr(10).join(lines)).replace(chr(10), NEXT)} */\n")
        case Library(text):
            return Marked(text.rstrip("\n") + "\n")
    raise no_tree("item", item)


NEXT: Final = "\n   "
"""Between the lines of a title."""

ROW: Final = 8
"""So many numbers of a table stand in a line."""

PIECE: Final = 1000
"""So many bytes of a long string are a literal of their own."""


def _data(item: Data) -> str:
    is_table = item.extent == 0
    extent = "" if item.extent is None else f"[{item.extent or ''}]"
    head, before = declared(item.type, item.name) + extent, "" if item.public else "static "
    if isinstance(item.value, String):
        data = item.value.data
        pieces = [data[at : at + PIECE] for at in range(0, len(data), PIECE)] or [b""]
        literal = "\n    ".join(map(literals.quoted, pieces))
        return f"{before}{head} = {literal};\n"
    if not is_table and not any(name for name, _ in item.value.fields):
        return f"{before}{head} = {print_expr(item.value)};\n"
    fields = [_field(name, value) for name, value in item.value.fields] or ["0"]
    is_plain = not any(name for name, _ in item.value.fields) and all(
        isinstance(e, Number | Braces) for e in expressions(item.value)
    )
    size = ROW if is_plain else 1
    rows = [", ".join(fields[at : at + size]) for at in range(0, len(fields), size)]
    inner = ",\n    ".join(rows)
    return f"{before}{head} = {{\n    {inner}\n}};\n"


def _field(name: str, value: Expr) -> str:
    return f".{name} = {print_expr(value)}" if name else print_expr(value)


def _comment_text(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\\\n", "\n")


class _Printer:
    """Prints a function: lines, and marks by offset."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.marks: list[Mark] = []
        self.offset = 0
        """Where the next line begins."""

    def line(self, text: str) -> None:
        self.lines.append(text)
        self.offset += len(text) + 1

    def function(self, item: Function) -> None:
        if item.comment:
            self.line(f"/* {_comment_text(item.comment)} */")
        start = self.offset
        self.broken(_Line(item.head), 0, ", ")
        self.line("{")
        self.statements(item.body, 1)
        self.line("}")
        if item.places or item.procedure:
            self.marks.append(Mark(start, self.offset - 1, item.places, item.procedure))

    def statements(self, statements: Sequence[Statement], depth: int) -> None:
        for statement in statements:
            start = self.offset + 4 * depth
            self.statement(statement, depth)
            if statement.places:
                self.marks.append(Mark(start, self.offset - 1, statement.places))

    def statement(self, statement: Statement, depth: int) -> None:
        pad = "    " * depth
        match statement:
            case If():
                self.conditional(statement, depth)
            case While(test, body):
                self.headed(_Line("while ("), test, body, depth)
            case For(body=body):
                self.headed(_for_head(statement), None, body, depth)
            case Label(name):
                self.line(f"{pad[4:]}{name}:;")
            case Comment(text):
                self.line(f"{pad}/* {_comment_text(text)} */")
            case Pragma(words):
                self.line(_pragma(words))
            case Typedef():
                self.line(pad + _typedef(statement))
            case Alternatives(forms):
                for number, (condition, body) in enumerate(forms):
                    self.line(f"#{'elif' if number else 'if'} {condition}")
                    self.statements(body, depth)
                self.line("#endif")
            case Switch(value, cases):
                line = _with("switch (", value, ") {")
                self.broken(line, depth)
                for case, body in cases:
                    self.line(f"{pad}default:" if case is None else f"{pad}case {case}:")
                    self.statements(body, depth + 1)
                self.line(pad + "}")
            case Scope(body):
                self.line(pad + "{")
                self.statements(body, depth + 1)
                self.line(pad + "}")
            case _:
                line = _simple(statement)
                line.add(";")
                self.broken(line, depth)

    def headed(self, head: _Line, test: Expr | None, body: Sequence[Statement], depth: int) -> None:
        """A loop, whose head its test ends, if it is given."""
        if test is not None:
            head.expr(test, 0)
        head.add(") {")
        self.broken(head, depth)
        self.statements(body, depth + 1)
        self.line("    " * depth + "}")

    def conditional(self, statement: If, depth: int) -> None:
        """An if with its chain of else-ifs, which adds no depth."""
        pad = "    " * depth
        inner: list[tuple[int, Places]] = []
        head = _Line("if (")
        while True:
            head.expr(statement.test, 0)
            head.add(") {")
            self.broken(head, depth)
            self.statements(statement.then, depth + 1)
            rest = statement.otherwise
            if len(rest) != 1 or not isinstance(rest[0], If):
                break
            statement = rest[0]
            inner.append((self.offset + len(pad) + len("} else "), statement.places))
            head = _Line("} else if (")
        if rest:
            self.line(pad + "} else {")
            self.statements(rest, depth + 1)
        self.line(pad + "}")
        self.marks += [
            Mark(start, self.offset - 1, places) for start, places in reversed(inner) if places
        ]

    def broken(self, line: _Line, depth: int, *preferred: str) -> None:
        """Write a line indented, broken into several that fit where that is possible."""
        pad = "    " * depth
        text, begin = line.text, 0
        indent, room = pad, MAX_COLUMN - len(pad)
        pieces: list[tuple[int, int]] = []
        while len(text) > room:
            cut = _break_at(text, room, preferred or BREAKS)
            if cut is None:
                break
            pieces.append((begin, self.offset + len(indent)))
            self.line(indent + text[:cut].rstrip())
            rest = text[cut:].lstrip()
            begin += len(text) - len(rest)
            text, indent = rest, pad + "        "
            room = MAX_COLUMN - len(indent)
        pieces.append((begin, self.offset + len(indent)))
        self.line(indent + text)
        for mark in line.marks:
            start, last = (_moved(pieces, offset) for offset in (mark.start, mark.end - 1))
            self.marks.append(Mark(start, last + 1, mark.places))


def _moved(pieces: Sequence[tuple[int, int]], offset: int) -> int:
    """Where a character of a broken line is: `pieces` say from where on it stands where."""
    begin, there = next(piece for piece in reversed(pieces) if piece[0] <= offset)
    return there + offset - begin


class _Line:
    """A piece of text on one line while it is written."""

    def __init__(self, text: str = "") -> None:
        self.parts = [text]
        self.size = len(text)
        self.marks: list[Mark] = []

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)

    def append(self, other: _Line) -> None:
        self.marks += [mark.moved(self.size) for mark in other.marks]
        self.add(other.text)

    def listed(self, expressions: Sequence[Expr]) -> None:
        for number, expr in enumerate(expressions):
            if number:
                self.add(", ")
            self.expr(expr, 0)

    def expr(self, expr: Expr, context: int) -> None:
        """Write an expression, in parentheses when the context binds tighter than it does."""
        if isinstance(expr, Variable | Constant) and not expr.places:  # most are
            self.add(expr.name)
        else:
            self.enclosed(expr, context > 0 and _level(expr) < context)

    def enclosed(self, expr: Expr, parentheses: bool) -> None:
        if parentheses:
            self.add("(")
        start = self.size
        self.bare(expr)
        if expr.places and self.size > start:
            self.marks.append(Mark(start, self.size, expr.places))
        if parentheses:
            self.add(")")

    def bare(self, expr: Expr) -> None:
        match expr:
            case Invoke(function, arguments):
                self.add(f"{function}(")
                self.listed(arguments)
                self.add(")")
            case Number():
                self.add(literals.number(expr))
            case Variable(name) | Constant(name):
                self.add(name)
            case String(data):
                self.add(literals.quoted(data))
            case Unary(operator, operand):
                inner = _Line()
                inner.expr(operand, PREFIX)
                self.add(operator + (" " if inner.text.startswith(operator) else ""))
                self.append(inner)
            case Binary(operator, left, right):
                level = PRECEDENCE[operator]
                self.side(left, operator, level)
                self.add(f" {operator} ")
                self.side(right, operator, level + 1)
            case Choose(test, then, otherwise):
                self.expr(test, 4)
                self.add(" ? ")
                self.expr(then, CONDITIONAL + 1)
                self.add(" : ")
                self.expr(otherwise, CONDITIONAL)
            case Index(base, index):
                self.expr(base, POSTFIX)
                self.add("[")
                self.expr(index, 0)
                self.add("]")
            case Through(function, arguments):
                self.enclosed(function, not isinstance(function, Variable | Field))
                self.add("(")
                self.listed(arguments)
                self.add(")")
            case Cast(type, operand):
                self.add(f"({text(type)})")
                self.expr(operand, PREFIX)
            case Field(base, name):
                self.expr(base, POSTFIX)
                self.add(f"->{name}")
            case Member(base, name):
                self.expr(base, POSTFIX)
                self.add(f".{name}")
            case SizeOf(of):
                self.add(f"sizeof({text(of)})")
            case Lanes(type, elements):
                self.add(f"({text(type)})(")
                self.listed(elements)
                self.add(")")
            case Braces(fields):
                self.add("{" + ", ".join([_field(name, value) for name, value in fields]) + "}")
            case _:
                raise no_tree("expression", expr)

    def side(self, operand: Expr, operator: str, level: int) -> None:
        """An operand; parentheses also between different operators that are easily confused."""
        own = _level(operand)
        confusing = (
            isinstance(operand, Binary)
            and (operand.operator != operator or own in COMPARISONS)
            and (operator in CAREFUL or own <= PRECEDENCE["<"])
            and not (operator in ("&&", "||") and own in COMPARISONS)
        )
        self.enclosed(operand, own < level or confusing)


def _line_of(expr: Expr) -> _Line:
    line = _Line()
    line.expr(expr, 0)
    return line


def _level(expr: Expr) -> int:
    """How tightly an expression binds."""
    match expr:
        case Variable() | Constant() | String() | Braces():
            return ATOM
        case Number(value):
            return ATOM if value > 0 or not literals.number(expr).startswith("-") else PREFIX
        case Unary() | Cast():
            return PREFIX
        case Binary(operator):
            return PRECEDENCE[operator]
        case Choose():
            return CONDITIONAL
    return POSTFIX


def _for_head(loop: For) -> _Line:
    line = _Line("for (")
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


def _placed(statement: Declare | Assign) -> _Line:
    """A statement within a loop's head."""
    line = _simple(statement)
    if statement.places:
        line.marks.append(Mark(0, line.size, statement.places))
    return line


def _simple(statement: Statement) -> _Line:
    match statement:
        case Declare(type, name, None, None):
            return _Line(declared(type, name))
        case Declare(type, name, None, extent) if extent is not None:
            return _with(f"{declared(type, name)}[", extent, "]")
        case Declare(type, name, value) if value is not None:
            return _with(f"{declared(type, name)} = ", value)
        case Assign(target, Number(1, step), "+=" | "-=") if step in (INT, I32):
            return _with("", target, statement.operator[0] * 2)
        case Assign(target, value, operator):
            line = _with("", target, f" {operator} ")
            line.expr(value, 0)
            return line
        case Do(expr):
            return _line_of(expr)
        case Return(None):
            return _Line("return")
        case Return(value) if value is not None:
            return _with("return ", value)
        case Break():
            return _Line("break")
        case Continue():
            return _Line("continue")
        case Goto(label):
            return _Line(f"goto {label}")
    raise no_tree("simple statement", statement)


def _with(before: str, expr: Expr, after: str = "") -> _Line:
    line = _Line(before)
    line.expr(expr, 0)
    line.add(after)
    return line


def _typedef(t: Typedef) -> str:
    return f"typedef {declared(t.type, t.name)} __attribute__(({t.attributes}));"


def _pragma(words: Sequence[str | Expr]) -> str:
    found = [word if isinstance(word, str) else print_expr(word) for word in words]
    return f"#pragma {''.join(found)}"


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
