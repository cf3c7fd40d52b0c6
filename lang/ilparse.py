"""text -> IL: reads what `lang.iltext.show` writes; the grammar is there.

Spans are places in the text read; a procedure's label is its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.lang import il
from cogen.lang.datum import (
    DEFAULT,
    EOF,
    UNDEFINED,
    UNSPECIFIED,
    Datum,
    RecordType,
    Singleton,
    Symbol,
)
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.reader import read
from cogen.lang.syntax import Syntax, SyntaxList, to_datum

SPECIAL: Final[dict[str, Singleton]] = {
    "unspecified": UNSPECIFIED,
    "eof": EOF,
    "default": DEFAULT,
    "undefined": UNDEFINED,
}
"""Constants without syntax, by the name they have in the text."""


def parse(text: str, name: str = "<il>") -> il.Program:
    """The program that the text shows; CogenError, with its place, for any other text.

    Only the grammar is checked here; `lang.ilcheck.check` knows the other laws.
    """
    return on_deep_stack(lambda: _ILParser(Source(name, text)).program())


def parse_atom(syntax: Syntax) -> il.Atom:
    """The atom that a piece of text shows (`lang.iltext.show_atom`); CogenError for any other."""
    return _ILParser(syntax.span.source).atom(syntax)


class _ILParser:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.records: dict[str, RecordType] = {}
        self.constants: list[Datum] = []

    def program(self) -> il.Program:
        found = read(self.source)
        whole = Span(self.source, 0, len(self.source.text))
        if len(found) != 1:
            raise CogenError("expected one (program ...)", found[1].span if found else whole)
        parts = _tagged(found[0], "program")
        names: dict[str, frozenset[str]] = {"assigned": frozenset(), "own": frozenset()}
        items: list[il.Item] = []
        for part in parts:
            head, rest = _head(part)
            if head in names:
                names[head] = frozenset(map(_name, rest))
            elif head == "records":
                self.read_records(rest)
            elif head == "constants":
                self.constants = [to_datum(constant) for constant in rest]
            else:
                items.append(self.item(part, head, rest))
        return il.Program(
            tuple(items),
            names["assigned"],
            self.source,
            names["own"],
            tuple(self.records.values()),
        )

    def read_records(self, parts: Sequence[Syntax]) -> None:
        for part in parts:
            head, fields = _head(part)
            self.records[head] = RecordType(head, tuple(map(_name, fields)))

    def item(self, syntax: Syntax, head: str, rest: Sequence[Syntax]) -> il.Item:
        if head == "define":
            name, procedure = _exactly(syntax, rest, 2)
            parts = _exactly(procedure, _tagged(procedure, "lambda"), 3)
            return il.Define(_name(name), self.function(_name(name), parts, procedure.span))
        if head == "value":
            name, cont, body = _exactly(syntax, rest, 3)
            return il.Value(_name(name), _name(cont), self.block(body), syntax.span)
        if head == "expression":
            cont, body = _exactly(syntax, rest, 2)
            return il.Expression(_name(cont), self.block(body), syntax.span)
        raise CogenError(f"unknown item {head}", syntax.span)

    def function(self, name: str, parts: Sequence[Syntax], span: Span) -> il.Function:
        """A procedure from its parameters, its continuation and its body."""
        formals, cont, body = parts
        rest: str | None = None
        names: tuple[str, ...] = ()
        if isinstance(formals.value, Symbol):
            rest = _name(formals)
        else:
            listed = _list(formals, tail=True)
            names = tuple(map(_name, listed.items))
            rest = None if listed.tail is None else _name(listed.tail)
        return il.Function(name, names, rest, _name(cont), self.block(body), span, name)

    def block(self, syntax: Syntax) -> il.Block:
        parts = _list(syntax).items
        if not parts:
            raise CogenError("a block needs a tail", syntax.span)
        bindings = tuple(self.binding(part) for part in parts[:-1])
        return il.Block(bindings, self.tail(parts[-1]))

    def binding(self, syntax: Syntax) -> il.Binding:
        head, rest = _head(syntax)
        if head == "let":
            name, operation = _exactly(syntax, rest, 2)
            op, arguments = _head(operation)
            return il.Let(_name(name), op, self.atoms(arguments), syntax.span)
        if head == "fix":
            return il.Fix(tuple(map(self.bound_function, rest)), syntax.span)
        if head == "conts":
            return il.Conts(tuple(map(self.cont, rest)))
        raise CogenError(f"unknown binding {head}", syntax.span)

    def bound_function(self, syntax: Syntax) -> il.Function:
        name, *parts = _exactly(syntax, _list(syntax).items, 4)
        return self.function(_name(name), parts, syntax.span)

    def cont(self, syntax: Syntax) -> il.Cont:
        name, formals, body = _exactly(syntax, _list(syntax).items, 3)
        names = tuple(map(_name, _list(formals).items))
        return il.Cont(_name(name), names, self.block(body), syntax.span, _name(name))

    def tail(self, syntax: Syntax) -> il.Tail:
        head, rest = _head(syntax)
        if head == "if":
            test, then, otherwise = _exactly(syntax, rest, 3)
            arms = self.block(then), self.block(otherwise)
            return il.If(self.atom(test), *arms, syntax.span)
        if head == "jump" and rest:
            return il.Jump(_name(rest[0]), self.atoms(rest[1:]), syntax.span)
        if head == "call":
            function, arguments, cont = _exactly(syntax, rest, 3)
            atoms = self.atoms(_list(arguments).items)
            return il.Call(self.atom(function), atoms, _name(cont), syntax.span)
        raise CogenError(f"unknown tail {head}", syntax.span)

    def atoms(self, parts: Sequence[Syntax]) -> tuple[il.Atom, ...]:
        return tuple(map(self.atom, parts))

    def atom(self, syntax: Syntax) -> il.Atom:
        if isinstance(syntax.value, Symbol):
            return il.Var(syntax.value.name)
        head, rest = _head(syntax)
        make = _ATOMS.get(head)
        if make is None:
            raise CogenError(f"unknown atom {head}", syntax.span)
        (part,) = _exactly(syntax, rest, 1)
        return make(self, part)

    def record_type(self, syntax: Syntax) -> il.Atom:
        record = self.records.get(_name(syntax))
        if record is None:
            raise CogenError(f"unknown record type {_name(syntax)}", syntax.span)
        return il.Const(record)

    def constant(self, syntax: Syntax) -> il.Atom:
        index = syntax.value
        if type(index) is not int or not 0 <= index < len(self.constants):
            raise CogenError("there is no such constant", syntax.span)
        return il.Const(self.constants[index])


def _special(_: _ILParser, syntax: Syntax) -> il.Atom:
    value = SPECIAL.get(_name(syntax))
    if value is None:
        raise CogenError(f"unknown special value {_name(syntax)}", syntax.span)
    return il.Const(value)


_ATOMS: dict[str, Callable[[_ILParser, Syntax], il.Atom]] = {
    "quote": lambda _, syntax: il.Const(to_datum(syntax)),
    "global": lambda _, syntax: il.Global(_name(syntax)),
    "prim": lambda _, syntax: il.Prim(_name(syntax)),
    "record-type": _ILParser.record_type,
    "special": _special,
    "constant": _ILParser.constant,
}


def _list(syntax: Syntax, tail: bool = False) -> SyntaxList:
    value = syntax.value
    if not isinstance(value, SyntaxList) or (value.tail is not None and not tail):
        raise CogenError("expected a list", syntax.span)
    return value


def _head(syntax: Syntax) -> tuple[str, Sequence[Syntax]]:
    """The word a list begins with, and what follows it."""
    items = _list(syntax).items
    if not items:
        raise CogenError("expected a list that begins with a word", syntax.span)
    return _name(items[0]), items[1:]


def _tagged(syntax: Syntax, head: str) -> Sequence[Syntax]:
    found, rest = _head(syntax)
    if found != head:
        raise CogenError(f"expected ({head} ...)", syntax.span)
    return rest


def _name(syntax: Syntax) -> str:
    if not isinstance(syntax.value, Symbol):
        raise CogenError("expected a name", syntax.span)
    return syntax.value.name


def _exactly(syntax: Syntax, parts: Sequence[Syntax], count: int) -> Sequence[Syntax]:
    if len(parts) != count:
        raise CogenError(f"expected {count} parts, not {len(parts)}", syntax.span)
    return parts
