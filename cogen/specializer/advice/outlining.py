"""What follows a call, as a procedure of its own.

    (define (unify a b s)                       (define (unify a b s)
      (let ((a (walk a s)) (b (walk b s)))        (let ((a (walk a s))) (unify-2 a b s)))
        (cond ...)))                            (define (unify-2 a b s) ...)

Where calls give data of the run in some cases (`advice.arms`), and nothing else is known
of what follows, that is the same code each time: as a procedure it is one that the specializer
shares (`execution.shared`), as it shares calls of which nothing is known.

Law: the program means the same.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import Final

from cogen.lang import il
from cogen.lang.ilutil import Free, base_name, blocks
from cogen.specializer.advice.rewriting import numbered, with_conts

SMALL: Final = 1
"""Blocks of code that is not worth a procedure."""


class Outlining:
    """A program in which what follows calls of some global procedures, in others that go round,
    is made procedures."""

    def __init__(
        self, program: il.Program, called: Container[str], rounds: Container[il.Function]
    ) -> None:
        self._called = called
        self._free = Free()
        self._made: list[il.Define] = []
        self._names = set(program.own_globals) | {
            item.name for item in program.items if isinstance(item, il.Define)
        }
        items = [
            replace(item, function=self._function(item.function))
            if isinstance(item, il.Define) and item.function in rounds
            else item
            for item in program.items
        ]
        own = program.own_globals | {made.name for made in self._made}
        self.program = replace(program, items=(*self._made, *items), own_globals=own)

    def _function(self, function: il.Function) -> il.Function:
        entries: dict[str, list[il.Tail]] = {}
        for block in blocks(function.body):
            if type(block.tail) is not il.If:
                entries.setdefault(block.tail.cont, []).append(block.tail)
        follow = {
            cont
            for cont, (tail, *more) in entries.items()
            if not more
            and type(tail) is il.Call
            and type(tail.function) is il.Global
            and tail.function.name in self._called
        }
        body = self._block(function.body, function, follow)
        return function if body is function.body else replace(function, body=body)

    def _block(self, block: il.Block, function: il.Function, follow: Container[str]) -> il.Block:
        return with_conts(block, lambda cont, _: self._cont(cont, function, follow))

    def _cont(self, cont: il.Cont, function: il.Function, follow: Container[str]) -> il.Cont:
        body = self._block(cont.body, function, follow)
        cont = cont if body is cont.body else replace(cont, body=body)
        if cont.name not in follow or self._free.conts(body) != {function.cont}:
            return cont
        if sum(1 for _ in blocks(body)) <= SMALL:
            return cont
        name = numbered(function.name, self._names)
        outside = sorted(self._free.of_cont(cont) - {function.name})
        parameters = (*cont.parameters, *outside)
        label = function.label or base_name(function.name)
        made = il.Function(name, parameters, None, function.cont, body, cont.span, label)
        self._made.append(il.Define(name, made))
        arguments = tuple(map(il.Var, parameters))
        call = il.Call(il.Global(name), arguments, function.cont, cont.span)
        return replace(cont, body=il.Block((), call))
