"""IL <-> text: `show`, `parse` and `check`.

The text is that of the grammar in `lang.il`, with a head for what is no item:

    program  ::= (program section ... item ...)
    section  ::= (assigned g ...)           globals that are assigned
               | (own g ...)                globals of the program itself
               | (records (name field ...) ...)
               | (constants datum ...)      compound constants that stand at several places
    a        ::= x | 'datum | (global g) | (prim op)
               | (record-type name) | (special name) | (constant n)

`(special name)` is a value without syntax: unspecified, eof, default or undefined;
`(constant n)` the n-th of the shared constants, counted from 0: the same object everywhere.
Record types of one name are told apart by `.N`.

Laws: `show(parse(show(p))) == show(p)`, and `parse(show(p))` differs from `p` in spans and
labels at most.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from cogen.lang import il
from cogen.lang.datum import NIL, Char, Datum, Pair, RecordType, Symbol
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import LimitationError
from cogen.lang.ilcheck import check
from cogen.lang.ilparse import SPECIAL, parse
from cogen.lang.ilutil import all_blocks, atoms
from cogen.lang.pretty import TextForm, Tree, pretty
from cogen.lang.printer import write_datum, write_symbol

__all__ = ["check", "parse", "show", "show_atom", "show_block"]

SPECIAL_NAMES: Final = {id(value): name for name, value in SPECIAL.items()}

SIMPLE: Final = frozenset({int, float, bool, str, Char, Symbol, bytes, bytearray})


def show(program: il.Program) -> str:
    """The program as text, ending in a line break.

    Raises LimitationError if it holds a constant that cannot be written (a procedure, a port,
    foreign memory).
    """
    return on_deep_stack(_ILShower(program).show)


def show_block(block: il.Block) -> str:
    """A block as text, for people (shared constants are written out)."""
    shower = _ILShower(il.Program((il.Expression("k", block),)))
    shower.shared.clear()
    return on_deep_stack(lambda: pretty(shower.block(block)))


def show_atom(atom: il.Atom) -> Tree:
    """An atom alone as text, with constants written out."""
    return _ILShower(il.Program(())).atom(atom)


def writable(datum: Datum) -> bool:
    """Can the datum be written and read back?"""
    seen: set[int] = set()
    work = [datum]
    while work:
        item = work.pop()
        if type(item) in SIMPLE or item is NIL:
            continue
        if id(item) in seen:
            continue
        seen.add(id(item))
        if type(item) is Pair:
            work += [item.cdr, item.car]
        elif type(item) is list:
            work += item
        else:
            return False
    return True


def is_compound(datum: Datum) -> bool:
    """Does the datum have an identity that a program can see?"""
    return type(datum) is Pair or (type(datum) in (list, bytearray) and len(datum) > 0)


def shared_constants(program: il.Program) -> list[Datum]:
    """The compound constants that several atoms of the program hold, in order."""
    count: Counter[int] = Counter()
    order: dict[int, Datum] = {}
    for block in all_blocks(program):
        for atom in atoms(block):
            if isinstance(atom, il.Const) and is_compound(atom.value):
                count[id(atom.value)] += 1
                order.setdefault(id(atom.value), atom.value)
    return [datum for key, datum in order.items() if count[key] > 1]


def record_names(program: il.Program) -> dict[RecordType, str]:
    """A name for every record type of the program, those that only constants mention last."""
    names: dict[RecordType, str] = {}
    taken: set[str] = set()

    def add(record: RecordType) -> None:
        if record in names:
            return
        name, number = record.name, 0
        while name in taken:
            number += 1
            name = f"{record.name}.{number}"
        taken.add(name)
        names[record] = name

    for record in program.records:
        add(record)
    for block in all_blocks(program):
        for atom in atoms(block):
            if isinstance(atom, il.Const) and isinstance(atom.value, RecordType):
                add(atom.value)
    return names


class _ILShower:
    def __init__(self, program: il.Program) -> None:
        self.program = program
        self.records = record_names(program)
        self.constants = shared_constants(program)
        self.shared = {id(datum): index for index, datum in enumerate(self.constants)}

    def show(self) -> str:
        program = self.program
        sections: list[Tree] = []
        if program.assigned:
            sections.append(_words("assigned", sorted(program.assigned)))
        if program.own_globals:
            sections.append(_words("own", sorted(program.own_globals)))
        if self.records:
            records = [
                _words(write_symbol(name), record.fields) for record, name in self.records.items()
            ]
            sections.append(TextForm(["records", *records]))
        if self.constants:
            sections.append(TextForm(["constants", *map(_written, self.constants)]))
        items = [self.item(item) for item in program.items]
        return pretty(TextForm(["program", *sections, *items], 0)) + "\n"

    def item(self, item: il.Item) -> Tree:
        match item:
            case il.Define(name, function):
                procedure = TextForm(["lambda", *self.abstraction(function)], 2)
                return TextForm(["define", write_symbol(name), procedure], 1)
            case il.Value(name, cont, body):
                head: list[Tree] = ["value", write_symbol(name), write_symbol(cont)]
                return TextForm([*head, self.block(body)], 2)
            case il.Expression(cont, body):
                return TextForm(["expression", write_symbol(cont), self.block(body)], 1)

    def abstraction(self, function: il.Function) -> list[Tree]:
        names: list[Tree] = [write_symbol(name) for name in function.parameters]
        if function.rest is not None:
            names += [".", write_symbol(function.rest)] if names else []
        parameters: Tree = TextForm(names)
        if function.rest is not None and not names:
            parameters = write_symbol(function.rest)
        return [parameters, write_symbol(function.cont), self.block(function.body)]

    def block(self, block: il.Block) -> Tree:
        return TextForm([*[self.binding(b) for b in block.bindings], self.tail(block.tail)])

    def binding(self, binding: il.Binding) -> Tree:
        match binding:
            case il.Let(name, op, arguments):
                operation = TextForm([write_symbol(op), *map(self.atom, arguments)])
                return TextForm(["let", write_symbol(name), operation], 1)
            case il.Fix(functions):
                return TextForm(
                    [
                        "fix",
                        *[
                            TextForm([write_symbol(f.name), *self.abstraction(f)], 2)
                            for f in functions
                        ],
                    ],
                    0,
                )
            case il.Conts(conts):
                return TextForm(["conts", *[self.cont(cont) for cont in conts]], 0)

    def cont(self, cont: il.Cont) -> Tree:
        parameters = TextForm([write_symbol(name) for name in cont.parameters])
        return TextForm([write_symbol(cont.name), parameters, self.block(cont.body)], 1)

    def tail(self, tail: il.Tail) -> Tree:
        match tail:
            case il.If(test, then, otherwise):
                return TextForm(["if", self.atom(test), self.block(then), self.block(otherwise)], 1)
            case il.Jump(cont, arguments):
                return TextForm(["jump", write_symbol(cont), *map(self.atom, arguments)])
            case il.Call(function, arguments, cont):
                operands = TextForm([self.atom(atom) for atom in arguments])
                return TextForm(["call", self.atom(function), operands, write_symbol(cont)])

    def atom(self, atom: il.Atom) -> Tree:
        match atom:
            case il.Var(name):
                return write_symbol(name)
            case il.Global(name):
                return TextForm(["global", write_symbol(name)])
            case il.Prim(name):
                return TextForm(["prim", write_symbol(name)])
            case il.Const(value):
                return self.constant(value)

    def constant(self, value: Datum) -> Tree:
        if isinstance(value, RecordType):
            return TextForm(["record-type", write_symbol(self.records[value])])
        if id(value) in SPECIAL_NAMES:
            return TextForm(["special", SPECIAL_NAMES[id(value)]])
        if id(value) in self.shared:
            return TextForm(["constant", str(self.shared[id(value)])])
        return "'" + _written(value)


def _words(head: str, names: list[str] | tuple[str, ...]) -> Tree:
    return TextForm([head, *map(write_symbol, names)])


def _written(datum: Datum) -> str:
    if not writable(datum):
        raise LimitationError(
            f"the constant {write_datum(datum)} cannot be written in a program",
            hint="give it to the program as an argument",
        )
    return write_datum(datum)
