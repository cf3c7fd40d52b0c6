"""Structured code as text, which is read back.

    procedure ::= (procedure name (x ...) statement ...)
    statement ::= (let x (op a ...))            x = a primitive operation
                | (invoke (x) g a ...)          x = a call of a procedure, (invoke () g a ...)
                | (move (x a) ...)              simultaneous assignment
                | (branch a (statement ...) (statement ...))
                | (loop label (x ...) head | body statement ...)
                | (again label) | (leave label) | (goto label) | (mark label)
                | (result a) | (result)
                | (finish g a ...)              return what a procedure returns
                | (fail op a ...)

Atoms are those of the IL (`lang.iltext`).  Law: what is read and shown again is the same text; what
is read differs in places and in what people call procedures and loops at most.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.backends.kernel import structured as st
from cogen.lang import il
from cogen.lang.errors import CogenError, InternalError, Source
from cogen.lang.ilparse import parse_atom
from cogen.lang.iltext import show_atom
from cogen.lang.pretty import TextForm, Tree, pretty
from cogen.lang.printer import write_symbol
from cogen.lang.reader import read as read_data
from cogen.lang.syntax import Syntax, SyntaxList

JUMPS: dict[str, type[st.Again] | type[st.Leave] | type[st.Goto] | type[st.Mark]] = {
    "again": st.Again, "leave": st.Leave, "goto": st.Goto, "mark": st.Mark,
}  # fmt: skip


def show(procedures: Sequence[st.KernelProcedure]) -> str:
    """The text of procedures (on a deep stack)."""
    return "\n".join([pretty(_procedure(procedure)) + "\n" for procedure in procedures])


def _procedure(procedure: st.KernelProcedure) -> Tree:
    parameters = TextForm([write_symbol(name) for name in procedure.parameters])
    name = write_symbol(procedure.name)
    return TextForm(["procedure", name, parameters, *_body(procedure.body)], 2)


def _body(body: st.Body) -> list[Tree]:
    return [_statement(statement) for statement in body]


def _statement(statement: st.Statement) -> Tree:
    match statement:
        case st.Op(name, op, arguments):
            operation = TextForm([write_symbol(op), *map(show_atom, arguments)])
            return TextForm(["let", write_symbol(name), operation], 1)
        case st.KernelCall(name, function, arguments):
            result = TextForm([] if name is None else [write_symbol(name)])
            return TextForm(["invoke", result, write_symbol(function), *map(show_atom, arguments)])
        case st.Move(pairs):
            moved: list[Tree] = [TextForm([write_symbol(x), show_atom(a)]) for x, a in pairs]
            return TextForm(["move", *moved])
        case st.Branch(test, then, otherwise):
            return TextForm(
                ["branch", show_atom(test), TextForm(_body(then)), TextForm(_body(otherwise))], 1
            )
        case st.KernelLoop(label, parameters, body, head):
            names = TextForm([write_symbol(name) for name in parameters])
            kind = "head" if head else "body"
            return TextForm(["loop", write_symbol(label), names, kind, *_body(body)], 3)
        case st.Again(label) | st.Leave(label) | st.Goto(label) | st.Mark(label):
            return TextForm([type(statement).__name__.lower(), write_symbol(label)])
        case st.KernelResult(value):
            return TextForm(["result"] if value is None else ["result", show_atom(value)])
        case st.Finish(function, arguments):
            return TextForm(["finish", write_symbol(function), *map(show_atom, arguments)])
        case st.KernelFailure(op, arguments):
            return TextForm(["fail", write_symbol(op), *map(show_atom, arguments)])
    raise InternalError(f"a statement is {type(statement).__name__}")


def read(text: str, name: str = "<structured>") -> list[st.KernelProcedure]:
    """The procedures that a text shows (on a deep stack); CogenError, with its place, for any other
    text."""
    return [_read_procedure(syntax) for syntax in read_data(Source(name, text))]


def _read_procedure(syntax: Syntax) -> st.KernelProcedure:
    head, rest = _headed(syntax)
    if head != "procedure" or len(rest) < 2:
        raise CogenError("expected (procedure name (x ...) statement ...)", syntax.span)
    body = _read_body(rest[2:])
    jumped = frozenset(s.label for s in st.walk(body) if isinstance(s, st.Goto))
    name = _name(rest[0])
    return st.KernelProcedure(name, _names(rest[1]), body, syntax.span, name, jumped)


def _read_body(parts: Sequence[Syntax]) -> st.Body:
    return [_read_statement(part) for part in parts]


def _read_statement(syntax: Syntax) -> st.Statement:
    head, rest = _headed(syntax)
    span = syntax.span
    match head, list(rest):
        case "let", [name, operation]:
            op, arguments = _headed(operation)
            return st.Op(_name(name), op, tuple(map(parse_atom, arguments)), span)
        case "invoke", [result, function, *arguments]:
            names = _names(result)
            atoms = tuple(map(parse_atom, arguments))
            return st.KernelCall(names[0] if names else None, _name(function), atoms, span)
        case "move", [*pairs]:
            return st.Move(tuple(map(_moved, pairs)))
        case "branch", [test, then, otherwise]:
            arms = _read_body(_items(then)), _read_body(_items(otherwise))
            return st.Branch(parse_atom(test), *arms, span)
        case "loop", [label, parameters, kind, *body]:
            is_head = _name(kind) == "head"
            found = _read_body(body)
            return st.KernelLoop(_name(label), _names(parameters), found, is_head, span=span)
        case "result", [*values] if len(values) < 2:
            return st.KernelResult(parse_atom(values[0]) if values else None, span)
        case "finish", [function, *arguments]:
            return st.Finish(_name(function), tuple(map(parse_atom, arguments)), span)
        case "fail", [op, *arguments]:
            return st.KernelFailure(_name(op), tuple(map(parse_atom, arguments)), span)
    if head in JUMPS and len(rest) == 1:
        return JUMPS[head](_name(rest[0]))
    raise CogenError(f"`{head}` is no statement, or has other parts", span)


def _moved(syntax: Syntax) -> tuple[str, il.Atom]:
    items = _items(syntax)
    if len(items) != 2:
        raise CogenError("expected (x a)", syntax.span)
    return _name(items[0]), parse_atom(items[1])


def _items(syntax: Syntax) -> Sequence[Syntax]:
    value = syntax.value
    if not isinstance(value, SyntaxList) or value.tail is not None:
        raise CogenError("expected a list", syntax.span)
    return value.items


def _headed(syntax: Syntax) -> tuple[str, Sequence[Syntax]]:
    items = _items(syntax)
    if not items:
        raise CogenError("expected a list that begins with a word", syntax.span)
    return _name(items[0]), items[1:]


def _name(syntax: Syntax) -> str:
    atom = parse_atom(syntax)
    if not isinstance(atom, il.Var):
        raise CogenError("expected a name", syntax.span)
    return atom.name


def _names(syntax: Syntax) -> tuple[str, ...]:
    return tuple(map(_name, _items(syntax)))
