"""Building IL blocks in straight-line code.

A `Builder` collects bindings.  `cut` ends the block with a tail and goes on in the body of the
continuation that the tail returns to, so that code that needs the value of a call is written
after it, as in direct style.  An `Arm` finishes a builder; `built` runs one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cogen.lang import il
from cogen.lang.errors import InternalError, Span


@dataclass(frozen=True, slots=True)
class _Open:
    """A block whose continuation is being built: its bindings before and after that of the
    continuation, and its tail."""

    before: list[il.Binding]
    cont: str
    parameters: tuple[str, ...]
    after: tuple[il.Binding, ...]
    tail: il.Tail
    span: Span | None


class Builder:
    """A block under construction."""

    def __init__(self) -> None:
        self.bindings: list[il.Binding] = []
        self.open: list[_Open] = []
        self.block: il.Block | None = None

    def bind(self, binding: il.Binding) -> None:
        self.bindings.append(binding)

    def cut(self, cont: str, parameters: tuple[str, ...], tail: il.Tail, span: Span | None) -> None:
        """End the block with `tail`; what is built from here on is the body of `cont`."""
        self.open.append(_Open(self.bindings, cont, parameters, (), tail, span))
        self.bindings = []

    def join(
        self, cont: str, parameters: tuple[str, ...], block: il.Block, span: Span | None
    ) -> None:
        """Go on with `block`; what is built from here on is the body of `cont`, to which the
        block's exits jump."""
        self.open.append(_Open(self.bindings, cont, parameters, block.bindings, block.tail, span))
        self.bindings = []

    def finish(self, tail: il.Tail) -> None:
        """End the block for good."""
        block = il.Block(tuple(self.bindings), tail)
        while self.open:
            frame = self.open.pop()
            cont = il.Cont(frame.cont, frame.parameters, block, frame.span)
            bindings = (*frame.before, il.Conts((cont,)), *frame.after)
            block = il.Block(bindings, frame.tail)
        self.block = block

    def done(self) -> il.Block:
        """The finished block."""
        if self.block is None:
            raise InternalError("a block was left unfinished")
        return self.block


Arm = Callable[[Builder], None]
"""Finishes a block; called once at most."""


def built(arm: Arm) -> il.Block:
    """The block that an arm makes."""
    builder = Builder()
    arm(builder)
    return builder.done()
