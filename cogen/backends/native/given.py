"""IL -> IL: parameters that are always given the same operation or procedure are left out.

    (call sort (v (prim <)) k) ... (call (prim <) (a b) k1)   ->   ... (let t (< a b)) (jump k1 t)

What it removes: calls of procedures that are passed where all calls of the procedure, or all jumps
to the continuation, pass the same one, also from one round to the next.  A call of an operation
that is known, also by what a variable was bound to, becomes the operation.  It comes before
`inline`, which sees known calls then.

Laws: names stay unique; an operation is told at the place of the call, as by the run time.  A
procedure that is undefined somewhere is not put where another call would find that out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress, count
from typing import Final

from cogen.backends.native.order import undefined_at_use
from cogen.lang import il
from cogen.lang.ilutil import all_blocks, conts, functions, with_bodies
from cogen.lang.prims import PRIMITIVES

_OTHERS: Final = il.Const(None)
"""Stands for arguments that differ, or are not known here."""


def given(program: il.Program, entry: str | None) -> il.Program:
    """The program with such parameters replaced by what they are given."""
    rewriter = _ParameterRewriter(_PassedArguments(program, entry).found())
    return with_bodies(program, rewriter.function, rewriter.block)


@dataclass(frozen=True, slots=True)
class _GivenArguments:
    """What parameters are given; of procedures and continuations which parameters stay."""

    atoms: dict[str, il.Atom]
    staying: dict[str, tuple[bool, ...]]

    def keep(self, name: str, items: Sequence[il.Atom]) -> tuple[il.Atom, ...]:
        """The arguments for the parameters that stay."""
        return tuple(compress(items, self.staying[name])) if name in self.staying else tuple(items)

    def keep_names(self, name: str, items: tuple[str, ...]) -> tuple[str, ...]:
        """The parameters that stay."""
        return tuple(compress(items, self.staying[name])) if name in self.staying else items


class _PassedArguments:
    """What is passed to which parameters; `open` are procedures and continuations of which not all
    calls and jumps are known."""

    def __init__(self, program: il.Program, entry: str | None) -> None:
        self.parameters: dict[str, tuple[str, ...]] = {}
        self.passed: dict[str, list[il.Atom]] = {}
        self.open: set[str] = {entry} if entry is not None else set()
        self.globals = {item.name for item in program.items if isinstance(item, il.Define)}
        self.globals -= undefined_at_use(program)
        for item in program.items:
            if isinstance(item, il.Define):
                self._bind(item.name, item.function)
        every = list(all_blocks(program))
        for block in every:
            for function in functions(block):
                self._bind(function.name, function)
            for cont in conts(block):
                self.parameters[cont.name] = cont.parameters
        for block in every:
            self._look(block)

    def _bind(self, name: str, function: il.Function) -> None:
        self.parameters[name] = function.parameters
        if function.rest is not None:
            self.open.add(name)

    def _look(self, block: il.Block) -> None:
        for binding in block.bindings:
            if type(binding) is il.Let:
                self._escape(binding.arguments)
        tail = block.tail
        match tail:
            case il.If(test):
                self._escape((test,))
            case il.Jump(cont, arguments):
                self._pass(cont, arguments)
            case il.Call(function, arguments, cont):
                self.open.add(cont)
                name = _name(function)
                if name is None or len(self.parameters.get(name, ())) != len(arguments):
                    self._escape((function, *arguments))
                else:
                    self._pass(name, arguments)

    def _pass(self, name: str, arguments: tuple[il.Atom, ...]) -> None:
        self._escape(arguments)
        for parameter, argument in zip(self.parameters.get(name, ()), arguments, strict=False):
            self.passed.setdefault(parameter, []).append(argument)

    def _escape(self, atoms: Sequence[il.Atom]) -> None:
        for atom in atoms:
            name = _name(atom)
            if name is not None and name in self.parameters:
                self.open.add(name)

    def found(self) -> _GivenArguments:
        """The greatest solution: a parameter is what all that is passed to it is."""
        closed = {name: p for name, p in self.parameters.items() if name not in self.open}
        known: dict[str, il.Atom | None] = {x: None for p in closed.values() for x in p}
        changed = True
        while changed:
            changed = False
            for parameter, before in known.items():
                if before is not _OTHERS:
                    after = self._joined(parameter, known)
                    changed |= after != before
                    known[parameter] = after
        atoms = {x: a for x, a in known.items() if a is not None and a is not _OTHERS}
        staying = {
            name: tuple(x not in atoms for x in p)
            for name, p in closed.items()
            if any(x in atoms for x in p)
        }
        return _GivenArguments(atoms, staying)

    def _joined(self, parameter: str, known: dict[str, il.Atom | None]) -> il.Atom | None:
        found: il.Atom | None = None
        for atom in self.passed.get(parameter, ()):
            value = self._value(atom, known)
            if value is not None and found not in (None, value):
                return _OTHERS
            found = value if found is None else found
        return found

    def _value(self, atom: il.Atom, known: dict[str, il.Atom | None]) -> il.Atom | None:
        match atom:
            case il.Var(name):
                return known.get(name, _OTHERS)
            case il.Prim():
                return atom
            case il.Global(name) if name in self.globals:
                return atom
        return _OTHERS


def _name(atom: il.Atom) -> str | None:
    return atom.name if isinstance(atom, il.Var | il.Global) else None


class _ParameterRewriter:
    """Puts what is known for parameters, which are left out."""

    def __init__(self, found: _GivenArguments) -> None:
        self.found = found
        self.numbers = count(1)

    def function(self, function: il.Function) -> il.Function:
        """A procedure without such parameters."""
        left = self.found.keep_names(function.name, function.parameters)
        return replace(function, parameters=left, body=self.block(function.body))

    def _cont(self, cont: il.Cont) -> il.Cont:
        left = self.found.keep_names(cont.name, cont.parameters)
        return replace(cont, parameters=left, body=self.block(cont.body))

    def _atoms(self, atoms: Sequence[il.Atom]) -> tuple[il.Atom, ...]:
        return tuple(map(self._atom, atoms))

    def _atom(self, atom: il.Atom) -> il.Atom:
        return self.found.atoms.get(atom.name, atom) if isinstance(atom, il.Var) else atom

    def block(self, block: il.Block) -> il.Block:
        """Code with what is known in it."""
        bindings: list[il.Binding] = []
        for binding in block.bindings:
            match binding:
                case il.Let():
                    bindings.append(replace(binding, arguments=self._atoms(binding.arguments)))
                case il.Fix(made):
                    bindings.append(replace(binding, functions=tuple(map(self.function, made))))
                case il.Conts(made_conts):
                    bindings.append(il.Conts(tuple(map(self._cont, made_conts))))
        tail = block.tail
        match tail:
            case il.If(test, then, otherwise):
                arms = self.block(then), self.block(otherwise)
                tail = replace(tail, test=self._atom(test), then=arms[0], otherwise=arms[1])
            case il.Jump(cont, arguments):
                kept = self.found.keep(cont, arguments)
                tail = replace(tail, arguments=self._atoms(kept))
            case il.Call(function, arguments):
                name = _name(function)
                kept = arguments if name is None else self.found.keep(name, arguments)
                called = self._atom(function)
                tail = replace(tail, function=called, arguments=self._atoms(kept))
                known = operation(tail, f"given~{next(self.numbers)}")
                if known is not None:
                    return il.Block((*bindings, known[0]), known[1])
        return il.Block(tuple(bindings), tail)


def operation(call: il.Call, name: str) -> tuple[il.Let, il.Jump] | None:
    """What a call of an operation with fitting arguments becomes, its value by that name."""
    if not isinstance(call.function, il.Prim) or call.function.name not in PRIMITIVES:
        return None
    least, most = PRIMITIVES[call.function.name].arity
    if not least <= len(call.arguments) <= (len(call.arguments) if most is None else most):
        return None
    let = il.Let(name, call.function.name, call.arguments, call.span)
    return let, il.Jump(call.cont, (il.Var(name),), call.span)
