"""IL -> IL: loops that go through a list look, every so many rounds, whether it ends.

`%walked` stands at the start of each such loop (`lang.searches`); before inlining, which puts loops
where their place does not tell what they are.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from cogen.lang import il
from cogen.lang.errors import Span
from cogen.lang.ilutil import with_bodies
from cogen.lang.searches import calls_itself, find_refusal, jumps


def watch(program: il.Program) -> il.Program:
    """The program, each of whose loops that may go round a circular list looks for that."""
    return _Watch().program(program)


class _Watch:
    def __init__(self) -> None:
        self.numbers = count(1)

    def program(self, program: il.Program) -> il.Program:
        return with_bodies(program, self._function, self._block)

    def _function(self, function: il.Function) -> il.Function:
        body = self._block(function.body)
        if calls_itself(function):
            body = self._watched(function.span, body)
        return function if body is function.body else replace(function, body=body)

    def _cont(self, cont: il.Cont) -> il.Cont:
        body = self._block(cont.body)
        if jumps(cont.body, cont.name):
            body = self._watched(cont.span, body)
        return cont if body is cont.body else replace(cont, body=body)

    def _watched(self, place: Span | None, body: il.Block) -> il.Block:
        refusal = find_refusal(place, body)
        if refusal is None or refusal.others:  # of several, all would have to be circular
            return body
        number = next(self.numbers)
        atoms: dict[il.Atom, il.Atom] = {}
        look: list[il.Binding] = []
        for let in refusal.made:
            name = f"{let.name}.{number}"
            look.append(replace(let, name=name, arguments=_renamed(let.arguments, atoms)))
            atoms[il.Var(let.name)] = il.Var(name)
        arguments = _renamed((il.Const(refusal.name), refusal.items), atoms)
        look.append(il.Let(f"walked.{number}", "%walked", arguments, refusal.error.span))
        return il.Block((*look, *body.bindings), body.tail)

    def _block(self, block: il.Block) -> il.Block:
        if not any(type(b) is not il.Let for b in block.bindings) and type(block.tail) is not il.If:
            return block
        bindings: list[il.Binding] = []
        for binding in block.bindings:
            if type(binding) is il.Fix:
                functions = tuple(map(self._function, binding.functions))
                bindings.append(replace(binding, functions=functions))
            elif type(binding) is il.Conts:
                bindings.append(il.Conts(tuple(map(self._cont, binding.conts))))
            else:
                bindings.append(binding)
        tail = block.tail
        if type(tail) is il.If:
            arms = self._block(tail.then), self._block(tail.otherwise)
            tail = replace(tail, then=arms[0], otherwise=arms[1])
        return il.Block(tuple(bindings), tail)


def _renamed(atoms: tuple[il.Atom, ...], names: dict[il.Atom, il.Atom]) -> tuple[il.Atom, ...]:
    return tuple(names.get(atom, atom) for atom in atoms)
