"""IL -> IL: operations that only look at a string that may change need no copy of its characters.

    (let t (%string-content 'substring s)) (let r (substring t i j))  =>  (let r (substring s i j))

where `t` has no other use and nothing comes between that could change the string.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

from cogen.lang import il
from cogen.lang.ilutil import all_blocks, atoms, with_bodies
from cogen.lang.mutablestrings import LOOKING

CONTENT: Final = "%string-content"

KEEPING: Final = frozenset({"open-input-string"})
"""Operations whose result has the characters later."""


def use_contents(program: il.Program) -> il.Program:
    """The program, with the copies that it needs."""
    uses: Counter[str] = Counter()
    copies = False
    for block in all_blocks(program):
        uses.update(atom.name for atom in atoms(block) if type(atom) is il.Var)
        copies = copies or any(type(b) is il.Let and b.op == CONTENT for b in block.bindings)
    return _Contents(uses).program(program) if copies else program


class _Contents:
    def __init__(self, uses: Counter[str]) -> None:
        self.uses = uses

    def program(self, program: il.Program) -> il.Program:
        return with_bodies(program, self._function, self._block)

    def _function(self, function: il.Function) -> il.Function:
        return replace(function, body=self._block(function.body))

    def _block(self, block: il.Block) -> il.Block:
        tail = block.tail
        if type(tail) is il.If:
            arms = self._block(tail.then), self._block(tail.otherwise)
            tail = replace(tail, then=arms[0], otherwise=arms[1])
        return il.Block(tuple(self._bindings(block.bindings)), tail)

    def _bindings(self, bindings: tuple[il.Binding, ...]) -> list[il.Binding]:
        made: list[il.Binding] = []
        copies: dict[il.Atom, il.Let] = {}
        for binding in bindings:
            if type(binding) is il.Let:
                if binding.op == CONTENT:
                    copies[il.Var(binding.name)] = binding
                else:
                    binding, used = self._looking(binding, copies)
                    made = [one for one in made if one not in used]
                    copies = {}
            else:
                copies = {}
                binding = self._nested(binding)
            made.append(binding)
        return made

    def _looking(
        self, let: il.Let, copies: dict[il.Atom, il.Let]
    ) -> tuple[il.Let, list[il.Binding]]:
        """An operation, of the strings themselves where it may be, and the copies that it used."""
        if not copies or let.op not in LOOKING or let.op in KEEPING:
            return let, []
        used: list[il.Binding] = []
        arguments: list[il.Atom] = []
        for atom in let.arguments:
            copy = copies.get(atom)
            if copy is not None and self.uses[copy.name] == 1:
                used.append(copy)
                atom = copy.arguments[1]
            arguments.append(atom)
        return replace(let, arguments=tuple(arguments)), used

    def _nested(self, binding: il.Fix | il.Conts) -> il.Binding:
        if type(binding) is il.Fix:
            return replace(binding, functions=tuple(map(self._function, binding.functions)))
        assert isinstance(binding, il.Conts)
        return il.Conts(tuple(replace(one, body=self._block(one.body)) for one in binding.conts))
