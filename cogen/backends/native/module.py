"""What the functions of one program's C text share."""

from __future__ import annotations

from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CBinary,
    CBraces,
    CCast,
    CConstant,
    CData,
    CFunction,
    CIndex,
    Expr,
)
from cogen.backends.ctree.types import INT
from cogen.backends.native.constants import ObjectConstants, immediate
from cogen.backends.native.direct import direct_procedures
from cogen.backends.native.fixnums import Fixnums
from cogen.backends.native.floats import float_variables
from cogen.backends.native.names import NativeNames
from cogen.backends.native.operations import operation_name
from cogen.backends.native.order import undefined_at_use
from cogen.backends.native.places import ProgramPlaces
from cogen.backends.native.procedures import ProcedureTable
from cogen.backends.native.vocabulary import CODE, braces, constant_closure, run_time
from cogen.lang import il
from cogen.lang.datum import Datum
from cogen.lang.errors import Span
from cogen.lang.ilutil import all_blocks, atoms, primitives
from cogen.lang.prims import PRIMITIVES

ARGUMENTS = "\0arguments"
"""The global, number 0, that holds the entry's arguments while the top level runs."""


CELLS: Final = run_time("cells")
"""The program's constants, then its globals."""

GLOBALS: Final = CConstant("GLOBALS", INT)
"""The cell of the first global."""


class ProgramText:
    """One program's text while it is written: what its functions share."""

    def __init__(self, program: il.Program, entry: str | None, word_size: int) -> None:
        self.program = program
        self.entry = entry
        self.word_size = word_size
        self.names = NativeNames()
        self.constants = ObjectConstants()
        self.procedures = ProcedureTable(program)
        self.checked = undefined_at_use(program)
        self.places = ProgramPlaces()
        self.frames: list[CBraces] = []
        self.globals: dict[str, int] = {} if entry is None else {ARGUMENTS: 0}
        self.primitives: dict[str, str] = {}
        self.operations: set[str] = set()
        self.headers: set[str] = set()
        """Those of C's library that functions need."""
        self.functions: list[CFunction] = []
        self.closures: list[CData] = []
        """Those of procedures that need nothing from outside."""
        for name, procedure in self.procedures.of_global.items():
            procedure.code = self.names.fresh(procedure.function.label or name)
            procedure.escapes |= name in self.checked or name == entry
        for name, procedure in self.procedures.of_variable.items():
            procedure.code = self.names.fresh(procedure.function.label or name)
        self.floats = float_variables(program, self.procedures)
        self.lists_end = entry is None and not changes_lists(program)
        """Whether no list can be circular."""
        self.has_floats = has_floats(program)
        """Whether it may compute with floats, as far as its text shows."""
        self.direct: list[CFunction] = []
        """The functions that C calls: their text stands behind the others'."""
        made = direct_procedures(self.procedures, self.floats, self.lists_end)
        self.fixnums = Fixnums(made, self.procedures, self.has_floats)
        for direct in made:
            direct.direct = self.names.fresh(f"{direct.function.label or direct.function.name} d")

    # What functions ask for

    def site(self, span: Span | None) -> int:
        """The number of a site."""
        return self.places.site(span)

    def constant(self, value: Datum) -> Expr:
        """The C expression of a constant."""
        return immediate(value) or CIndex(CELLS, small(self.constants.number(value)))

    def global_cell(self, name: str) -> Expr:
        """The C variable of a global."""
        number = self.globals.setdefault(name, len(self.globals))
        return CIndex(CELLS, CBinary("+", GLOBALS, small(number)))

    def primitive(self, name: str) -> Expr:
        """The C expression of a primitive as a value."""
        code = self.primitives.get(name)
        if code is None:
            code = self.primitives[name] = self.names.fresh(name)
        return constant_closure(f"p_{code}")

    def operation(self, op: str) -> str:
        """The C function of an operation of the run time."""
        self.operations.add(op)
        return operation_name(op)

    def frame(self, code: str, words: int, site: int) -> None:
        """Take note of what a return address is."""
        self.frames.append(braces(CCast(CODE, CConstant(code, CODE)), small(words), small(site)))

    def define(self, function: CFunction) -> None:
        """Add a C function."""
        self.functions.append(function)


def changes_lists(program: il.Program) -> bool:
    """May the program make a circular list?  Its text has none, and `read` makes none."""
    return "set-cdr!" in primitives(program)


def has_floats(program: il.Program) -> bool:
    """May the program compute with floats, as far as its text shows?"""
    for block in all_blocks(program):
        for binding in block.bindings:
            if isinstance(binding, il.Let) and PRIMITIVES[binding.op].result == "float":
                return True
        for atom in atoms(block):
            if isinstance(atom, il.Const) and type(atom.value) is float:
                return True
    return False
