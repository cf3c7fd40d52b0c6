"""IL -> IL: looking for something in a short constant list becomes comparisons.

    (call (global memv) (c (quote (#\\a #\\b))) k)
      ->  (let t (eqv? c (quote #\\a))) (if t (jump k (quote #t)) ...  (jump k (quote #f)))

What it removes: calls of `memq`, `memv` and `member` whose list is a constant of things that are
the same as themselves only, where `k` does nothing but to test what it is given: so the value may
be any that counts as true.  It comes after `inline`, which brings constants to where they are
looked in, and before `contify`, to which a call less may make a loop.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import count
from typing import Final

from cogen.lang import il
from cogen.lang.chain import in_library
from cogen.lang.datum import NIL, Char, Pair, Symbol
from cogen.lang.ilutil import all_blocks, atoms, conts, primitives, with_bodies

SEARCHES: Final = {"memq": 2, "memv": 2, "%member": 2, "member": 3}
"""The procedures of the language that look for something, and how many arguments they take, the
list of those that may be left out too."""

MOST: Final = 12
"""Items that are compared in line, at most."""


def compare_members(program: il.Program) -> il.Program:
    """The program with such calls replaced; none of one that may change the list."""
    if not primitives(program).isdisjoint(("set-car!", "set-cdr!")):
        return program
    searches = {
        item.name
        for item in program.items
        if isinstance(item, il.Define) and item.name in SEARCHES and in_library(item.function.span)
    }
    return _Members(searches, _tested(program)).program(program) if searches else program


def _tested(program: il.Program) -> frozenset[str]:
    """The continuations that only test what they are given."""
    uses: Counter[str] = Counter()
    found: dict[str, str] = {}
    for block in all_blocks(program):
        uses.update(atom.name for atom in atoms(block) if type(atom) is il.Var)
        for cont in conts(block):
            tail = cont.body.tail
            if cont.body.bindings or type(tail) is not il.If:
                continue
            if (tail.test,) == tuple(map(il.Var, cont.parameters)):
                found[cont.name] = cont.parameters[0]
    return frozenset(name for name, parameter in found.items() if uses[parameter] == 1)


class _Members:
    def __init__(self, searches: set[str], tested: frozenset[str]) -> None:
        self.searches = searches
        self.tested = tested
        self.numbers = count(1)

    def program(self, program: il.Program) -> il.Program:
        return with_bodies(program, self._function, self._block)

    def _function(self, function: il.Function) -> il.Function:
        return replace(function, body=self._block(function.body))

    def _block(self, block: il.Block) -> il.Block:
        bindings = tuple(map(self._binding, block.bindings))
        tail = block.tail
        if type(tail) is il.If:
            arms = self._block(tail.then), self._block(tail.otherwise)
            tail = replace(tail, then=arms[0], otherwise=arms[1])
        elif type(tail) is il.Call:
            items = self._items(tail)
            if items is not None:
                compared = self._compared(tail, items)
                return il.Block((*bindings, *compared.bindings), compared.tail)
        return il.Block(bindings, tail)

    def _binding(self, binding: il.Binding) -> il.Binding:
        if type(binding) is il.Fix:
            return replace(binding, functions=tuple(map(self._function, binding.functions)))
        if type(binding) is il.Conts:
            return il.Conts(tuple(replace(c, body=self._block(c.body)) for c in binding.conts))
        return binding

    def _items(self, call: il.Call) -> list[il.Const] | None:
        """What is looked through by a call that becomes comparisons."""
        name = call.function.name if type(call.function) is il.Global else ""
        if name not in self.searches or call.cont not in self.tested:
            return None
        _, *given = call.arguments
        rest = given[1:]
        if len(call.arguments) not in (2, SEARCHES[name]) or rest not in ([], [il.Const(NIL)]):
            return None
        return _items(given[0])

    def _compared(self, call: il.Call, items: list[il.Const]) -> il.Block:
        """Comparisons with the items, the first one first."""
        made = il.Block((), il.Jump(call.cont, (il.Const(False),), call.span))
        for item in reversed(items):
            name = f"same.{next(self.numbers)}"
            same = il.Let(name, "eqv?", (call.arguments[0], item), call.span)
            found = il.Block((), il.Jump(call.cont, (il.Const(True),), call.span))
            made = il.Block((same,), il.If(il.Var(name), found, made, call.span))
        return made


def _items(atom: il.Atom) -> list[il.Const] | None:
    """The items of a short constant list, if each is the same as itself only."""
    rest = atom.value if type(atom) is il.Const else None
    items: list[il.Const] = []
    while type(rest) is Pair and len(items) < MOST:
        items.append(il.Const(rest.car))
        rest = rest.cdr
    return items if rest is NIL and items and all(_is_plain(item.value) for item in items) else None


def _is_plain(value: object) -> bool:
    if type(value) is int:
        return -(1 << 62) <= value < 1 << 62
    return type(value) in (Symbol, Char, bool) or value is NIL
