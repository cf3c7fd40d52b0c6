"""Programs with operations put in, and variables that are called otherwise from there on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from cogen.lang import il
from cogen.lang.ilutil import base_name, with_bodies

Seen = dict[Any, str]
"""What variables are called now."""


class Rewriting:
    """Goes through a program; `_let`, `_test`, `_call` and `_atom` may put in operations.

    `replaced` are the operations and calls that are others now, `number` how many names there are
    that are new, those before included."""

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.replaced: dict[il.Let | il.Call, il.Let | il.Call] = {}

    def rewritten(self, program: il.Program) -> il.Program:
        """The program with what is put in."""
        return with_bodies(program, self._definition, lambda block: self._block(block, {}))

    def _definition(self, function: il.Function) -> il.Function:
        return self._function(function, {})

    def _function(self, function: il.Function, seen: Seen) -> il.Function:
        body = self._block(function.body, seen)
        return function if body is function.body else replace(function, body=body)

    def _fresh(self, name: str) -> str:
        self.number += 1
        return f"{base_name(name)}.00{self.number}"

    def _block(self, block: il.Block, seen: Seen) -> il.Block:
        """A block; what is called otherwise is so in what is inside it."""
        seen = dict(seen)
        bindings: list[il.Binding] = []
        for binding in block.bindings:
            if type(binding) is il.Let:
                self._let(binding, seen, bindings)
            elif type(binding) is il.Fix:
                functions = tuple(self._function(f, seen) for f in binding.functions)
                bindings.append(with_field(binding, "functions", functions))
            else:
                assert type(binding) is il.Conts
                self._foresee(binding, block, seen, bindings)
                conts = tuple(
                    with_field(cont, "body", self._block(cont.body, seen)) for cont in binding.conts
                )
                bindings.append(with_field(binding, "conts", conts))
        tail = self._tail(block.tail, seen, bindings)
        same = len(bindings) == len(block.bindings) and all(
            a is b for a, b in zip(bindings, block.bindings, strict=True)
        )
        return block if same and tail is block.tail else il.Block(tuple(bindings), tail)

    def _foresee(
        self, binding: il.Conts, block: il.Block, seen: Seen, bindings: list[il.Binding]
    ) -> None:
        """Put to the bindings what continuations of a block are to know already."""

    def _tail(self, tail: il.Tail, seen: Seen, bindings: list[il.Binding]) -> il.Tail:
        if type(tail) is il.If:
            test = self._test(tail, seen, bindings)
            then, otherwise = self._block(tail.then, seen), self._block(tail.otherwise, seen)
            if test is tail.test and then is tail.then and otherwise is tail.otherwise:
                return tail
            return replace(tail, test=test, then=then, otherwise=otherwise)
        if type(tail) is il.Jump:
            arguments = self._passed(tail.arguments, seen, bindings)
            jump: il.Jump = with_field(tail, "arguments", arguments)
            return jump
        assert type(tail) is il.Call
        return self._call(tail, seen, bindings)

    def _passed(
        self, atoms: Sequence[il.Atom], seen: Seen, bindings: list[il.Binding]
    ) -> tuple[il.Atom, ...]:
        """What goes on as it is."""
        return tuple([self._atom(atom, seen, bindings) for atom in atoms])

    def _atom(self, atom: il.Atom, seen: Seen, bindings: list[il.Binding]) -> il.Atom:
        if type(atom) is il.Var and atom.name in seen:
            return il.Var(seen[atom.name])
        return atom

    def _test(self, tail: il.If, seen: Seen, bindings: list[il.Binding]) -> il.Atom:
        """What a conditional tests."""
        return self._atom(tail.test, seen, bindings)

    def _let(self, let: il.Let, seen: Seen, bindings: list[il.Binding]) -> None:
        """Put an operation to the bindings, and what belongs to it."""
        made = with_field(let, "arguments", self._passed(let.arguments, seen, bindings))
        self._put(let, made, bindings)

    def _put(self, let: il.Let, made: il.Let, bindings: list[il.Binding]) -> None:
        """Put to the bindings what stands for an operation."""
        bindings.append(made)
        if made is not let:
            self.replaced[let] = made

    def _call(self, call: il.Call, seen: Seen, bindings: list[il.Binding]) -> il.Call | il.Jump:
        """A call, and what belongs to it."""
        function = self._atom(call.function, seen, bindings)
        made: il.Call = with_field(call, "function", function)
        made = with_field(made, "arguments", self._passed(call.arguments, seen, bindings))
        if made is not call:
            self.replaced[call] = made
        return made


def with_conts(block: il.Block, changed: Callable[[il.Cont, il.Block], il.Cont]) -> il.Block:
    """A block with other continuations, those in its arms too: what `changed` gives for each, and
    the block that binds it."""
    bindings = tuple([
        with_field(one, "conts", tuple([changed(cont, block) for cont in one.conts]))
        if type(one) is il.Conts
        else one
        for one in block.bindings
    ])  # fmt: skip
    tail = block.tail
    if type(tail) is il.If:
        tail = with_field(tail, "then", with_conts(tail.then, changed))
        tail = with_field(tail, "otherwise", with_conts(tail.otherwise, changed))
    found: il.Block = with_field(with_field(block, "bindings", bindings), "tail", tail)
    return found


def numbered(name: str, names: set[str]) -> str:
    """A name that is none of the names, and now one of them: the name with a number behind it."""
    number = 2
    while f"{name}-{number}" in names:
        number += 1
    names.add(f"{name}-{number}")
    return f"{name}-{number}"


def with_field(node: Any, field: str, value: Any) -> Any:
    """A node with another field, the same one if that is nothing new."""
    old = getattr(node, field)
    if type(old) is tuple:
        same = len(old) == len(value) and all(a is b for a, b in zip(old, value, strict=True))
    else:
        same = old is value
    return node if same else replace(node, **{field: value})
