"""Direct procedures -> their variables and results that are small integers whenever they are there.

In direct code an operation on integers gives a small integer, or the code is left.  So results of
operations need no proof in a program without floats; parameters of procedures are small integers if
all direct calls pass such, and if those who enter from other code see to it, which they only do for
parameters that are computed with.

Everything is taken for a small integer first; what does not hold is taken back until all holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cogen.backends.native.operations import COPIES
from cogen.backends.native.procedures import CompiledProcedure, ProcedureTable
from cogen.lang import il
from cogen.lang.ilutil import own_blocks
from cogen.lang.prims import BITWISE

_WITH_FLOATS: Final = frozenset(["+", "-", "*"])
"""Those that are done in line for floats, too."""

_INTEGERS: Final = frozenset([
    "quotient", "truncate-quotient", "remainder", "truncate-remainder", "floor-quotient",
    "modulo", "floor-remainder", *BITWISE,
    "vector-length", "string-length", "bytevector-length", "bytevector-u8-ref", "char->integer",
])  # fmt: skip
"""Those that are done in line only if that gives a small integer."""

_COMPUTES: Final = frozenset([
    *_WITH_FLOATS, "quotient", "remainder", "modulo", "=", "<", ">", "<=", ">=", "zero?",
    "positive?", "negative?", "even?", "odd?",
])  # fmt: skip
"""What makes it worth to see to it that an operand is a small integer."""


def is_small(value: object) -> bool:
    """Is a constant a small integer of the run time?"""
    return type(value) is int and -(1 << 62) <= value < 1 << 62


class Fixnums:
    """The names of the variables (unique in a program), and the procedures, by identity, whose
    results they are."""

    def __init__(
        self, direct: Iterable[CompiledProcedure], procedures: ProcedureTable, has_floats: bool
    ) -> None:
        self.procedures = procedures
        self.has_floats = has_floats
        self.names: set[str] = set()
        self.results: set[int] = set()
        self.lets: list[il.Let] = []
        self.moves: dict[str, list[il.Atom | CompiledProcedure]] = {}
        self.given: dict[int, list[il.Atom | CompiledProcedure]] = {}
        for procedure in direct:
            self._collect(procedure)
        self._settle()

    def is_fixnum(self, atom: il.Atom) -> bool:
        """Is what an atom stands for a small integer?"""
        if isinstance(atom, il.Const):
            return is_small(atom.value)
        return isinstance(atom, il.Var) and atom.name in self.names

    def _collect(self, procedure: CompiledProcedure) -> None:
        conts: dict[str, tuple[str, ...]] = {}
        computed: set[str] = set()
        self.results.add(id(procedure))
        tails: list[il.Jump | il.Call] = []
        for block in own_blocks(procedure.function.body):
            for binding in block.bindings:
                match binding:
                    case il.Let():
                        self.lets.append(binding)
                        self.names.add(binding.name)
                        if binding.op in _COMPUTES:
                            computed |= {
                                atom.name for atom in binding.arguments if isinstance(atom, il.Var)
                            }
                    case il.Conts(group):
                        conts.update((cont.name, cont.parameters) for cont in group)
            if not isinstance(block.tail, il.If):
                tails.append(block.tail)
        own = procedure.function.parameters
        self.names |= computed.intersection(own) if procedure.enters_directly else set(own)
        for tail in tails:
            self._tail(procedure, tail, conts)

    def _tail(
        self,
        procedure: CompiledProcedure,
        tail: il.Jump | il.Call,
        conts: dict[str, tuple[str, ...]],
    ) -> None:
        sources: list[il.Atom | CompiledProcedure] = list(tail.arguments)
        if isinstance(tail, il.Call):
            callee = self.procedures.called(tail)
            assert callee is not None
            self._move(callee.function.parameters, sources)
            sources = [callee]
        if tail.cont == procedure.function.cont:
            self.given.setdefault(id(procedure), []).extend(sources or [il.Const(False)])
        else:
            self.names.update(conts[tail.cont])
            self._move(conts[tail.cont], sources)

    def _move(self, names: Iterable[str], sources: Iterable[il.Atom | CompiledProcedure]) -> None:
        for name, source in zip(names, sources, strict=False):
            self.moves.setdefault(name, []).append(source)

    def _settle(self) -> None:
        changed = True
        while changed:
            wrong = {let.name for let in self.lets if not self._gives(let)}
            wrong |= {name for name, all_of in self.moves.items() if not self._are(all_of)}
            unknown = {key for key, all_of in self.given.items() if not self._are(all_of)}
            changed = bool(wrong & self.names or unknown & self.results)
            self.names -= wrong
            self.results -= unknown

    def _are(self, sources: Iterable[il.Atom | CompiledProcedure]) -> bool:
        return all(
            id(source) in self.results
            if isinstance(source, CompiledProcedure)
            else self.is_fixnum(source)
            for source in sources
        )

    def _gives(self, let: il.Let) -> bool:
        if let.op in _WITH_FLOATS:
            return not self.has_floats or all(map(self.is_fixnum, let.arguments))
        if let.op in COPIES:
            return self.is_fixnum(let.arguments[0])
        return let.op in _INTEGERS
