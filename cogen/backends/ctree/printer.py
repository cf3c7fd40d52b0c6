"""C trees -> text, with the places of the source that its parts were made of.

Breaks long lines (`cogen.backends.ctree.lines`) at operators and indents by four columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Final

from cogen.backends import structures
from cogen.backends.ctree import literals
from cogen.backends.ctree.lines import Line, field_text, for_head, line_with, print_expr, simple
from cogen.backends.ctree.tree import (
    CAlternatives,
    CBraces,
    CComment,
    CData,
    CDefine,
    CFor,
    CFunction,
    CGuarded,
    CIf,
    CInclude,
    CLabel,
    CLibrary,
    CNumber,
    CPragma,
    CPrototype,
    CScope,
    CString,
    CSwitch,
    CTitle,
    CTypedef,
    CUnit,
    CWhile,
    Expr,
    Item,
    Statement,
    expressions,
    no_tree,
)
from cogen.backends.ctree.types import (
    ADDRESS,
    I64,
    U8,
    VOID,
    CBasic,
    CCallable,
    CConst,
    CPointer,
    Type,
    declared,
)
from cogen.backends.structures import SharedStructure
from cogen.lang.marks import Marked, Places, TextMark, joined

MAX_COLUMN: Final = 100
"""Lines are broken at operators or commas beyond this column where that is possible."""

BREAKS: Final = (" || ", " && ", " | ", " + ", " - ", ", ", " = ")
"""Where a long line may be broken, the best places first."""


def print_unit(unit: CUnit) -> str:
    """The text of a file."""
    return marked_unit(unit).text


def marked_unit(unit: CUnit) -> Marked:
    """The text of a file, with its marks.  Items of a line in a row are a paragraph."""
    if watchers:
        for watch in watchers:
            watch(unit)
    return _items(unit.items)


watchers: Final[list[Callable[[CUnit], None]]] = []
"""What looks at each file before it is printed: tests have `check` here."""


def _items(items: Sequence[Item]) -> Marked:
    paragraphs: list[Marked] = []
    for kind, group in groupby(
        items, lambda item: type(item) if isinstance(item, ONE_LINE) else None
    ):
        made = [_item(item) for item in group]
        paragraphs += made if kind is None else [joined("", made)]
    return joined("\n", paragraphs)


ONE_LINE: Final = (CInclude, CDefine, CPrototype, CTypedef)
"""Items of one line."""


def _item(item: Item) -> Marked:
    match item:
        case CFunction():
            printer = _FunctionPrinter()
            printer.function(item)
            return Marked("\n".join(printer.lines) + "\n", tuple(printer.marks))
        case CPrototype(function):
            return Marked(f"{function.head};\n")
        case SharedStructure():
            return Marked(_structure(item))
        case CData():
            return Marked(_data(item))
        case CTypedef():
            return Marked(_typedef(item) + "\n")
        case CPragma(words):
            return Marked(_pragma(words) + "\n")
        case CInclude(header, own):
            return Marked(f'#include "{header}"\n' if own else f"#include <{header}>\n")
        case CDefine(name, value):
            return Marked(f"#define {name}{'' if value is None else ' ' + print_expr(value)}\n")
        case CGuarded(condition, items):
            gap = "" if all(isinstance(inner, ONE_LINE) for inner in items) else "\n"
            return joined(gap, [Marked(f"#{condition}\n"), _items(items), Marked("#endif\n")])
        case CTitle(lines):
            return Marked(f"/* {_comment_text(chr(10).join(lines)).replace(chr(10), NEXT)} */\n")
        case CLibrary(text):
            return Marked(text.rstrip("\n") + "\n")
    raise no_tree("item", item)


NEXT: Final = "\n   "
"""Between the lines of a title."""

ROW: Final = 8
"""So many numbers of a table stand in a line."""

PIECE: Final = 1000
"""So many bytes of a long string are a literal of their own."""


def _data(item: CData) -> str:
    is_table = item.extent == 0
    extent = "" if item.extent is None else f"[{item.extent or ''}]"
    head, before = declared(item.type, item.name) + extent, "" if item.public else "static "
    if isinstance(item.value, CString):
        data = item.value.data
        pieces = [data[at : at + PIECE] for at in range(0, len(data), PIECE)] or [b""]
        literal = "\n    ".join(map(literals.quoted, pieces))
        return f"{before}{head} = {literal};\n"
    if not is_table and not any(name for name, _ in item.value.fields):
        return f"{before}{head} = {print_expr(item.value)};\n"
    fields = [field_text(name, value) for name, value in item.value.fields] or ["0"]
    is_plain = not any(name for name, _ in item.value.fields) and all(
        isinstance(e, CNumber | CBraces) for e in expressions(item.value)
    )
    size = ROW if is_plain else 1
    rows = [", ".join(fields[at : at + size]) for at in range(0, len(fields), size)]
    inner = ",\n    ".join(rows)
    return f"{before}{head} = {{\n    {inner}\n}};\n"


SHARED: Final[Mapping[str, Type]] = {
    structures.BYTE: U8,
    structures.INT64: I64,
    structures.ADDRESS: ADDRESS,
    structures.ANYTHING: CPointer(CConst(VOID)),
    structures.NUMBERS: CPointer(I64),
    structures.READ_NUMBERS: CPointer(CConst(I64)),
    structures.WORKERS: CPointer(CBasic("struct cogen_memory")),
    structures.TRACE: CCallable(VOID, (I64, CPointer(CConst(I64)))),
}
"""The types of members of structures that Python shares."""


def _structure(item: SharedStructure) -> str:
    lines = ["typedef struct {"]
    if item.comment:
        lines.insert(0, f"/* {_comment_text(item.comment).replace(chr(10), NEXT)} */")
    for member in item.members:
        extent = f"[{member.extent}]" if member.extent else ""
        comment = f" /* {_comment_text(member.comment)} */" if member.comment else ""
        kind = SHARED.get(member.kind) or CBasic(member.kind)
        lines.append(f"    {declared(kind, member.name)}{extent};{comment}")
    return "\n".join([*lines, f"}} {item.name};\n"])


def _comment_text(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\\\n", "\n")


class _FunctionPrinter:
    """Prints a function: lines, and marks by offset."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.marks: list[TextMark] = []
        self.offset = 0
        """Where the next line begins."""

    def line(self, text: str) -> None:
        self.lines.append(text)
        self.offset += len(text) + 1

    def function(self, item: CFunction) -> None:
        if item.comment:
            self.line(f"/* {_comment_text(item.comment)} */")
        start = self.offset
        self.broken(Line(item.head), 0, ", ")
        self.line("{")
        self.statements(item.body, 1)
        self.line("}")
        if item.places or item.procedure:
            self.marks.append(TextMark(start, self.offset - 1, item.places, item.procedure))

    def statements(self, statements: Sequence[Statement], depth: int) -> None:
        for statement in statements:
            start = self.offset + 4 * depth
            self.statement(statement, depth)
            if statement.places:
                self.marks.append(TextMark(start, self.offset - 1, statement.places))

    def statement(self, statement: Statement, depth: int) -> None:
        pad = "    " * depth
        match statement:
            case CIf():
                self.conditional(statement, depth)
            case CWhile(test, body):
                self.headed(Line("while ("), test, body, depth)
            case CFor(body=body):
                self.headed(for_head(statement), None, body, depth)
            case CLabel(name):
                self.line(f"{pad[4:]}{name}:;")
            case CComment(text):
                self.line(f"{pad}/* {_comment_text(text)} */")
            case CPragma(words):
                self.line(_pragma(words))
            case CTypedef():
                self.line(pad + _typedef(statement))
            case CAlternatives(forms):
                for number, (condition, body) in enumerate(forms):
                    self.line(f"#{'elif' if number else 'if'} {condition}")
                    self.statements(body, depth)
                self.line("#endif")
            case CSwitch(value, cases):
                line = line_with("switch (", value, ") {")
                self.broken(line, depth)
                for case, body in cases:
                    self.line(f"{pad}default:" if case is None else f"{pad}case {case}:")
                    self.statements(body, depth + 1)
                self.line(pad + "}")
            case CScope(body):
                self.line(pad + "{")
                self.statements(body, depth + 1)
                self.line(pad + "}")
            case _:
                line = simple(statement)
                line.add(";")
                self.broken(line, depth)

    def headed(self, head: Line, test: Expr | None, body: Sequence[Statement], depth: int) -> None:
        """A loop, whose head its test ends, if it is given."""
        if test is not None:
            head.expr(test, 0)
        head.add(") {")
        self.broken(head, depth)
        self.statements(body, depth + 1)
        self.line("    " * depth + "}")

    def conditional(self, statement: CIf, depth: int) -> None:
        """An if with its chain of else-ifs, which adds no depth."""
        pad = "    " * depth
        inner: list[tuple[int, Places]] = []
        head = Line("if (")
        while True:
            head.expr(statement.test, 0)
            head.add(") {")
            self.broken(head, depth)
            self.statements(statement.then, depth + 1)
            rest = statement.otherwise
            if len(rest) != 1 or not isinstance(rest[0], CIf):
                break
            statement = rest[0]
            inner.append((self.offset + len(pad) + len("} else "), statement.places))
            head = Line("} else if (")
        if rest:
            self.line(pad + "} else {")
            self.statements(rest, depth + 1)
        self.line(pad + "}")
        self.marks += [
            TextMark(start, self.offset - 1, places) for start, places in reversed(inner) if places
        ]

    def broken(self, line: Line, depth: int, *preferred: str) -> None:
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
            self.marks.append(TextMark(start, last + 1, mark.places))


def _moved(pieces: Sequence[tuple[int, int]], offset: int) -> int:
    """Where a character of a broken line is: `pieces` say from where on it stands where."""
    begin, there = next(piece for piece in reversed(pieces) if piece[0] <= offset)
    return there + offset - begin


def _typedef(t: CTypedef) -> str:
    return f"typedef {declared(t.type, t.name)} __attribute__(({t.attributes}));"


def _pragma(words: Sequence[str | Expr]) -> str:
    found = [word if isinstance(word, str) else print_expr(word) for word in words]
    return f"#pragma {''.join(found)}"


def _break_at(text: str, room: int, separators: Sequence[str]) -> int | None:
    """The offset of the best break: at the least nesting, then as far right as fits."""
    best: tuple[int, int] | None = None
    depth = 0
    quoted = False
    first = frozenset([separator[0] for separator in separators])
    for offset, character in enumerate(text[:room]):
        if character == '"':
            quoted = not quoted
        if quoted:
            continue
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        if offset <= 16 or character not in first:
            continue
        if any(text.startswith(separator, offset) for separator in separators):
            cut = offset + (1 if character == "," else 0)
            if best is None or (depth, -cut) <= best:
                best = (depth, -cut)
    return None if best is None else -best[1]
