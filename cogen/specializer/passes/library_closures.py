"""Residual program, source program -> residual program with the procedures that it calls as they
stand (`rcall`).

    (call (prim rcall) ((global f) a) k)   leaves   (call (global f) (a) k)

and `f`, with all that it needs, comes along unspecialised, its variables renamed so that every
name is still bound once.  They stand behind the residual procedures.
"""

from __future__ import annotations

from dataclasses import replace

from cogen.lang import il
from cogen.lang.errors import LimitationError
from cogen.lang.ilutil import all_blocks, atoms, blocks, bound_names, parameters

MARK = "%"
"""What is put behind names that are bound in both programs, as often as need be."""


def with_kept(program: il.Program, source: il.Program) -> il.Program:
    """The residual program, complete; itself if it calls nothing of the source program.

    LimitationError if something that is needed is no procedure.
    """
    items = kept_procedures(program, source)
    if not items:
        return program
    own = {item.name for item in program.items if isinstance(item, il.Define)}
    kept = {item.name for item in items}
    mark = _mark(program)
    globals_ = {name: name + mark for name in kept & own}
    copies = tuple([_Copier(mark, globals_).define(item) for item in items])
    return replace(program, items=(*program.items, *copies))


def with_procedures(program: il.Program, names: set[str], other: il.Program) -> il.Program:
    """A program with procedures of another that it does not have yet, and all that they need."""
    own = {item.name for item in program.items if not isinstance(item, il.Expression)}
    items = [item for item in _needed(names - own, other) if item.name not in own]
    mark = _mark(program)
    copies = tuple([_Copier(mark, {}).define(item) for item in items])
    return replace(program, items=(*copies, *program.items))


def kept_procedures(program: il.Program, source: il.Program) -> list[il.Define]:
    """The procedures of the source program that the residual one needs as they stand."""
    own = {item.name for item in program.items if isinstance(item, il.Define)}
    called = _globals(program.items) - own
    return _needed(called, source) if called else []


def _globals(items: tuple[il.Item, ...] | list[il.Define]) -> set[str]:
    program = il.Program(tuple(items))
    return {
        atom.name
        for block in all_blocks(program)
        for atom in atoms(block)
        if isinstance(atom, il.Global)
    }


def _needed(called: set[str], source: il.Program) -> list[il.Define]:
    """The procedures of those names, and what they refer to, in the order of the source."""
    defined = {item.name: item for item in source.items if not isinstance(item, il.Expression)}
    found: dict[str, il.Define] = {}
    work = sorted(called)
    while work:
        name = work.pop()
        item = defined[name]
        if not isinstance(item, il.Define):
            raise LimitationError(
                f"a procedure that `rcall` calls needs `{name}`, which is no procedure",
                item.span,
                "make it a procedure without parameters, or give its value as an argument",
            )
        found[name] = item
        work += sorted(_globals([item]) - found.keys())
    return [item for name, item in defined.items() if name in found and isinstance(item, il.Define)]


def _mark(program: il.Program) -> str:
    """A text with which no name of the program ends."""
    names = {name for block in all_blocks(program) for name in bound_names(block)}
    for item in program.items:
        if isinstance(item, il.Define):
            names |= {item.name, item.function.cont, *parameters(item.function)}
    mark = MARK
    while any(name.endswith(mark) for name in names):
        mark += MARK
    return mark


class _Copier:
    """Copies a procedure; its variables and continuations get the mark."""

    def __init__(self, mark: str, globals_: dict[str, str]) -> None:
        self.mark = mark
        self.globals = globals_
        self.made: dict[il.Block, il.Block] = {}

    def define(self, item: il.Define) -> il.Define:
        name = self.globals.get(item.name, item.name)
        for block in reversed(list(blocks(item.function.body))):
            self.made[block] = self.block(block)
        return il.Define(name, self.function(item.function, name))

    def name(self, name: str) -> str:
        return name + self.mark

    def names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([name + self.mark for name in names])

    def atom(self, atom: il.Atom) -> il.Atom:
        if isinstance(atom, il.Var):
            return il.Var(self.name(atom.name))
        if isinstance(atom, il.Global):
            return il.Global(self.globals.get(atom.name, atom.name))
        return atom

    def atoms(self, atoms: tuple[il.Atom, ...]) -> tuple[il.Atom, ...]:
        return tuple([self.atom(atom) for atom in atoms])

    def block(self, block: il.Block) -> il.Block:
        """A block whose inner blocks have been copied."""
        bindings = tuple([self.binding(binding) for binding in block.bindings])
        tail = block.tail
        copied: il.Tail
        match tail:
            case il.If(test, then, otherwise, span):
                copied = il.If(self.atom(test), self.made[then], self.made[otherwise], span)
            case il.Jump(cont, arguments, span):
                copied = il.Jump(self.name(cont), self.atoms(arguments), span)
            case il.Call(function, arguments, cont, span):
                passed = self.atoms(arguments)
                copied = il.Call(self.atom(function), passed, self.name(cont), span)
        return il.Block(bindings, copied)

    def binding(self, binding: il.Binding) -> il.Binding:
        match binding:
            case il.Let(name, op, arguments, span):
                return il.Let(self.name(name), op, self.atoms(arguments), span)
            case il.Fix(functions, span):
                made = [self.function(f, self.name(f.name)) for f in functions]
                return il.Fix(tuple(made), span)
            case il.Conts(conts):
                return il.Conts(tuple([self.cont(cont) for cont in conts]))

    def function(self, function: il.Function, name: str) -> il.Function:
        return il.Function(
            name,
            self.names(function.parameters),
            None if function.rest is None else self.name(function.rest),
            self.name(function.cont),
            self.made[function.body],
            function.span,
            function.label,
        )

    def cont(self, cont: il.Cont) -> il.Cont:
        body, names = self.made[cont.body], self.names(cont.parameters)
        return il.Cont(self.name(cont.name), names, body, cont.span, cont.label)
