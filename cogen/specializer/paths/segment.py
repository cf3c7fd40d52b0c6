"""Residual code under construction."""

from __future__ import annotations

from typing import Any

from cogen.lang import il
from cogen.lang.errors import InternalError


class Segment:
    """Residual code under construction: bindings and, at last, a tail."""

    __slots__ = ("bindings", "tail")

    def __init__(self) -> None:
        self.bindings: list[Any] = []
        self.tail: Any = None

    def block(self) -> il.Block:
        """The finished code; a tail `(atom, then, otherwise, span)` is a conditional, a binding
        `(cont, parameters, segment, span)` the continuation of a residual call."""
        bindings = []
        for binding in self.bindings:
            if binding is None:
                continue
            if type(binding) is tuple:
                name, parameters, segment, span = binding
                cont = il.Cont(name, parameters, segment.block(), span)
                binding = il.Conts((cont,))
            bindings.append(binding)
        tail = self.tail
        if type(tail) is tuple:
            atom, then, otherwise, span = tail
            tail = il.If(atom, then.block(), otherwise.block(), span)
        if tail is None:
            raise InternalError("a residual block was left unfinished")
        return il.Block(tuple(bindings), tail)
