"""IL program -> its variables that are floats whenever they have a value.

A variable's type is what flows to it: the result of an operation, the arguments of jumps to a
continuation or of calls to a known procedure.  Types start at nothing and grow until all flows
hold (a variable that is a float unless a loop makes it something else is a float).

Laws: what an operation of `MAKES` gives is a float, or it fails; one of `MIXES` gives a float, or
it fails, if any operand is a float; one of `KEEPS`, if its operand is one.  Parameters of
procedures that are values, and results of calls, are not known.
"""

from __future__ import annotations

from typing import Final

from cogen.backends.native.procedures import ProcedureTable
from cogen.lang import il
from cogen.lang.ilutil import all_blocks
from cogen.lang.prims import PRIMITIVES

MIXES: Final = frozenset(["+", "-", "*", "/"])
"""Operations on numbers that give a float if any operand is one.  `(+ 0 x)` is x."""

KEEPS: Final = frozenset(["abs", "sqrt", "lift"])

MAKES: Final = frozenset(name for name, row in PRIMITIVES.items() if row.result == "float")


def float_variables(program: il.Program, procedures: ProcedureTable) -> frozenset[str]:
    """The names of the variables that are floats; names are unique in a program."""
    return _Flows(program, procedures).floats()


class _Flows:
    """What flows to which variable; `other` holds the variables that may be no floats."""

    def __init__(self, program: il.Program, procedures: ProcedureTable) -> None:
        self.lets: list[il.Let] = []
        self.moves: dict[str, list[il.Atom]] = {}
        self.other: set[str] = set()
        conts: dict[str, tuple[str, ...]] = {}
        tails: list[il.Jump | il.Call] = []
        for block in all_blocks(program):
            for binding in block.bindings:
                match binding:
                    case il.Let():
                        self.lets.append(binding)
                    case il.Conts(group):
                        conts.update((cont.name, cont.parameters) for cont in group)
                    case il.Fix(functions):
                        self.other.update(function.name for function in functions)
            if not isinstance(block.tail, il.If):
                tails.append(block.tail)
        for procedure in procedures:
            function = procedure.function
            if procedure.escapes:
                self.other.update(function.parameters)
            if function.rest is not None:
                self.other.update((*function.parameters, function.rest))
        for tail in tails:
            if isinstance(tail, il.Jump):
                self._move(conts.get(tail.cont, ()), tail.arguments)
                continue
            self.other.update(conts.get(tail.cont, ()))
            receiver = procedures.receiver(tail)
            if receiver is not None:
                self.other.update(receiver.function.parameters)
            callee = procedures.called(tail)
            if callee is not None and not callee.escapes:
                self._move(callee.function.parameters, tail.arguments)

    def _move(self, parameters: tuple[str, ...], arguments: tuple[il.Atom, ...]) -> None:
        for parameter, argument in zip(parameters, arguments, strict=False):
            self.moves.setdefault(parameter, []).append(argument)

    def floats(self) -> frozenset[str]:
        """Grow the set of variables that are floats or nothing, then shrink it to a fixed point."""
        floats = {let.name for let in self.lets} | set(self.moves)
        floats -= self.other
        changed = True
        while changed:
            wrong = {
                let.name for let in self.lets if let.name in floats and not _makes(let, floats)
            }
            wrong |= {
                name
                for name, atoms in self.moves.items()
                if name in floats and not all(_is_float(atom, floats) for atom in atoms)
            }
            floats -= wrong
            changed = bool(wrong)
        return frozenset(floats)


def _makes(let: il.Let, floats: set[str]) -> bool:
    if let.op in MAKES:
        return True
    if let.op in MIXES:
        return any(_is_float(atom, floats) for atom in let.arguments)
    return let.op in KEEPS and _is_float(let.arguments[0], floats)


def _is_float(atom: il.Atom, floats: set[str]) -> bool:
    if isinstance(atom, il.Const):
        return type(atom.value) is float
    return isinstance(atom, il.Var) and atom.name in floats
