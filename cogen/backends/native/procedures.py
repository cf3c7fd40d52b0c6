"""IL -> what its procedures are: which are values, what they need from outside.

A procedure is one of three kinds.

    known     never a value and called with fitting arguments only, also by `call/cc`: it takes
              what it needs from outside as further arguments (lambda lifting)
    constant  a value that needs nothing from outside: one closure, made at compile time
    closed    a value that needs something: a closure made where the `fix` stands

Laws: `needs` of a known procedure holds what the procedures that it calls need, so that a caller
has it at hand; a closed procedure is needed as itself, a constant one as nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import CBinary, CConstant, Expr
from cogen.backends.ctree.types import INT
from cogen.lang import il
from cogen.lang.chain import in_library
from cogen.lang.ilutil import Free, all_blocks, functions, parameters

_CAPTURING: Final = frozenset(["call/cc", "call-with-current-continuation"])


@dataclass(slots=True, eq=False)
class CompiledProcedure:
    """A procedure of the program; `code` is its C name, `needs` the variables from outside."""

    function: il.Function
    code: str
    is_global: bool
    in_library: bool
    escapes: bool = False
    needs: tuple[str, ...] = ()
    direct: str = ""
    """The C function that direct code calls it by, if it is direct; `enters_directly` says that
    other code goes over to that one."""
    enters_directly: bool = False
    starts: frozenset[str] = frozenset()
    """Continuations at which its other code has to be able to start then (`effects`)."""

    @property
    def is_closed(self) -> bool:
        """Is it a closure that holds variables?"""
        return self.escapes and bool(self.needs)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The variables its code takes as arguments, itself not counted."""
        own = parameters(self.function)
        return own if self.escapes else (*own, *self.needs)

    @property
    def arity(self) -> Expr:
        """The arity as the run time writes it."""
        count: Expr = small(len(self.function.parameters))
        if self.function.rest is not None:
            count = CBinary("|", CConstant("LEAST", INT), count)
        return CBinary("|", count, CConstant("OF_LIBRARY", INT)) if self.in_library else count


class ProcedureTable:
    """The procedures of a program by name: variables and globals share no names here, since a
    global's is kept apart."""

    def __init__(self, program: il.Program) -> None:
        self.of_global: dict[str, CompiledProcedure] = {}
        self.of_variable: dict[str, CompiledProcedure] = {}
        for item in program.items:
            if isinstance(item, il.Define):
                self.of_global[item.name] = self._procedure(item.function, True)
        for block in all_blocks(program):
            for function in functions(block):
                self.of_variable[function.name] = self._procedure(function, False)
        self._find_values(program)
        self._find_needs()

    def _procedure(self, function: il.Function, is_global: bool) -> CompiledProcedure:
        return CompiledProcedure(function, "", is_global, in_library(function.span))

    def __iter__(self) -> Iterator[CompiledProcedure]:
        yield from self.of_global.values()
        yield from self.of_variable.values()

    def of(self, atom: il.Atom) -> CompiledProcedure | None:
        """The procedure that an atom is, if that is known."""
        match atom:
            case il.Var(name):
                return self.of_variable.get(name)
            case il.Global(name):
                return self.of_global.get(name)
        return None

    def called(self, call: il.Call) -> CompiledProcedure | None:
        """The procedure that is called directly: known, and with a fitting number of arguments."""
        procedure = self.of(call.function)
        return procedure if procedure is not None and _fits(procedure, call) else None

    def receiver(self, call: il.Call) -> CompiledProcedure | None:
        """The procedure that a call of `call/cc` calls with the continuation, if it is known."""
        if not isinstance(call.function, il.Prim) or call.function.name not in _CAPTURING:
            return None
        procedure = self.of(call.arguments[0]) if len(call.arguments) == 1 else None
        if procedure is None or len(procedure.function.parameters) != 1:
            return None
        return procedure if procedure.function.rest is None else None

    def _find_values(self, program: il.Program) -> None:
        for block in all_blocks(program):
            for binding in block.bindings:
                if isinstance(binding, il.Let):
                    self._escape(binding.arguments)
            match block.tail:
                case il.If(test):
                    self._escape((test,))
                case il.Jump(_, arguments):
                    self._escape(arguments)
                case il.Call(function, arguments):
                    if self.receiver(block.tail) is None:
                        self._escape(arguments)
                    if self.called(block.tail) is None:
                        self._escape((function,))

    def _escape(self, atoms: Iterable[il.Atom]) -> None:
        for atom in atoms:
            procedure = self.of(atom)
            if procedure is not None:
                procedure.escapes = True

    def _find_needs(self) -> None:
        free = Free()
        mentioned = {name: free.of_function(p.function) for name, p in self.of_variable.items()}
        needs: dict[str, frozenset[str]] = dict.fromkeys(mentioned, frozenset())
        changed = True
        while changed:
            changed = False
            for name, procedure in self.of_variable.items():
                found: set[str] = set()
                for variable in mentioned[name]:
                    other = self.of_variable.get(variable)
                    if other is None:
                        found.add(variable)
                    elif not other.escapes:
                        found |= needs[variable]
                    elif needs[variable]:
                        found.add(variable)
                if procedure.escapes:
                    found.discard(name)
                if found != needs[name]:
                    needs[name] = frozenset(found)
                    changed = True
        for name, procedure in self.of_variable.items():
            procedure.needs = tuple(sorted(needs[name]))


def _fits(procedure: CompiledProcedure, call: il.Call) -> bool:
    count, wanted = len(call.arguments), len(procedure.function.parameters)
    return count == wanted or (count > wanted and procedure.function.rest is not None)
