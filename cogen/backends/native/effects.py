"""A direct procedure's IL -> the same with a continuation behind each effect.

    (vector-set! v i x) rest     ->     (vector-set! v i x), jump k;  k: rest

What is done between two places where the other code of a procedure can start is done again when
direct code is left (`direct`), so nothing may be left behind an effect.  The continuation is such a
place: its name is among those that are returned.  Where nothing that follows can be left, none is
made.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cogen.backends.native.operations import CONDITIONS, COPIES, EFFECTS, WORDS
from cogen.lang import il

CHANGES: Final = frozenset([*EFFECTS, "record-set!", "global-set!"])
"""Operations with an effect that are done in line; they fail before they have it."""

_CERTAIN: Final = frozenset([*CONDITIONS, *COPIES, *WORDS, "eq?"])
"""Operations that are always done in line, and make nothing."""


def split(function: il.Function) -> tuple[il.Function, frozenset[str]]:
    """The procedure, and the continuations where its other code can start."""
    splitter = _Splitter(function.cont)
    return replace(function, body=splitter.block(function.body)), frozenset(splitter.names)


class _Splitter:
    def __init__(self, exit: str) -> None:
        self.exit = exit
        self.names: list[str] = []

    def block(self, block: il.Block) -> il.Block:
        """The block with what is in it."""
        tail = block.tail
        if isinstance(tail, il.If):
            then, otherwise = self.block(tail.then), self.block(tail.otherwise)
            tail = replace(tail, then=then, otherwise=otherwise)
        bindings: list[il.Binding] = []
        for binding in reversed(block.bindings):
            if isinstance(binding, il.Conts):
                conts = [replace(cont, body=self.block(cont.body)) for cont in binding.conts]
                binding = replace(binding, conts=tuple(conts))
            if isinstance(binding, il.Let) and binding.op in CHANGES:
                rest = il.Block(tuple(reversed(bindings)), tail)
                if not self._is_certain(rest):
                    name = f"{binding.name} after"
                    self.names.append(name)
                    bindings = [il.Conts((il.Cont(name, (), rest, binding.span),))]
                    tail = il.Jump(name, (), binding.span)
            bindings.append(binding)
        return il.Block(tuple(reversed(bindings)), tail)

    def _is_certain(self, block: il.Block) -> bool:
        """Will direct code not be left before the block's end, which is a return?"""
        if not isinstance(block.tail, il.Jump) or block.tail.cont != self.exit:
            return False
        return not any(isinstance(atom, il.Global) for atom in block.tail.arguments) and all(
            isinstance(binding, il.Let) and binding.op in _CERTAIN for binding in block.bindings
        )
