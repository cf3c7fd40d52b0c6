"""Whether what a program gives is a bytevector, which is an array of ints within it.

A variable has one where an operation makes one, and where it gets the value of such a variable: by
a jump, a call, what a procedure gives, or an assignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from cogen.lang import il
from cogen.lang.ilutil import blocks, conts, functions

MAKERS: Final = frozenset(
    ("bytevector", "make-bytevector", "bytevector-copy", "bytevector-append", "string->utf8")
)

PASSING: Final = frozenset(("make-cell", "cell-ref", "lift"))
"""Operations that give what they are given."""

Place = tuple[str, str]
"""A variable, or a continuation, of a procedure."""


def gives_bytes(procedures: Mapping[str, il.Function], entry: str) -> bool:
    """Whether the procedure `entry` gives a bytevector, and is not called by any."""
    flow = _Flow(procedures)
    called = any(
        isinstance(block.tail, il.Call) and block.tail.function == il.Global(entry)
        for function in procedures.values()
        for block in blocks(function.body)
    )
    return not called and (entry, procedures[entry].cont) in flow.found


class _Flow:
    """The variables that have bytevectors, and the continuations that are given some."""

    def __init__(self, procedures: Mapping[str, il.Function]) -> None:
        self.procedures = procedures
        self.local: dict[Place, il.Function] = {}
        self.parameters: dict[Place, tuple[str, ...]] = {}
        for name, procedure in procedures.items():
            for block in blocks(procedure.body):
                self.local.update({(name, f.name): f for f in functions(block)})
                self.parameters.update({(name, c.name): c.parameters for c in conts(block)})
        self.found: set[Place] = set()
        before = -1
        while before < len(self.found):
            before = len(self.found)
            for name, procedure in procedures.items():
                for block in blocks(procedure.body):
                    self.found.update(self._block(name, block))

    def _has(self, owner: str, atom: il.Atom) -> bool:
        return isinstance(atom, il.Var) and (owner, atom.name) in self.found

    def _block(self, owner: str, block: il.Block) -> Iterator[Place]:
        for binding in block.bindings:
            if not isinstance(binding, il.Let):
                continue
            passes = binding.op in PASSING and self._has(owner, binding.arguments[0])
            if passes or binding.op in MAKERS:
                yield owner, binding.name
            match binding:
                case il.Let(_, "cell-set!", (il.Var(cell), value)) if self._has(owner, value):
                    yield owner, cell
        match block.tail:
            case il.Jump(cont, arguments):
                for k, argument in enumerate(arguments):
                    if self._has(owner, argument):
                        yield from self._given(owner, cont, k)
            case il.Call(called, arguments, cont):
                yield from self._call(owner, called, arguments, cont)

    def _call(
        self, owner: str, called: il.Atom, arguments: tuple[il.Atom, ...], cont: str
    ) -> Iterator[Place]:
        home, function = owner, None
        if isinstance(called, il.Var):
            function = self.local.get((owner, called.name))
        elif isinstance(called, il.Global):
            home, function = called.name, self.procedures.get(called.name)
        if function is None:
            return
        for parameter, argument in zip(function.parameters, arguments, strict=False):
            if self._has(owner, argument):
                yield home, parameter
        if (home, function.cont) in self.found:
            yield from self._given(owner, cont, 0)

    def _given(self, owner: str, cont: str, position: int) -> Iterator[Place]:
        """What has a bytevector if a continuation is given one: its parameter, or whoever goes on
        from what a procedure gives."""
        parameters = self.parameters.get((owner, cont))
        if parameters is None:
            yield owner, cont
        elif position < len(parameters):
            yield owner, parameters[position]
