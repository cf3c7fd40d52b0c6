"""IL program -> C text.

One C function for each procedure, for each place a call returns to, and for each continuation
that several of them jump to (`regions`); a table of places, of frames, of names; the constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cogen.backends.ctree.literals import NULL, TRUE, small, string
from cogen.backends.ctree.printer import marked_unit
from cogen.backends.ctree.tree import (
    CAssign,
    CBraces,
    CCast,
    CConstant,
    CData,
    CDeclare,
    CDefine,
    CDo,
    CField,
    CFunction,
    CInclude,
    CIndex,
    CInvoke,
    CPragma,
    CPrototype,
    CReturn,
    CString,
    CUnary,
    CUnit,
    CVariable,
    Expr,
    Item,
)
from cogen.backends.ctree.types import CHAR, INT, VOID, CBasic, CConst, CPointer
from cogen.backends.native.constants import immediate
from cogen.backends.native.module import GLOBALS, ProgramText
from cogen.backends.native.operations import control_name, operation_name, operation_type
from cogen.backends.native.procedures import CompiledProcedure
from cogen.backends.native.vocabulary import (
    ABSENT,
    CLOSURE,
    CODE,
    HEAP,
    RUNTIME,
    STACK,
    UNSPECIFIED,
    VALUE,
    WORD,
    WORDS,
    braces,
    constant_closure,
    instance,
    jump,
    macro,
    registers,
    returning,
    run_time,
)
from cogen.backends.native.vocabulary import procedure as c_procedure
from cogen.backends.native.writers import ItemWriter, ProcedureWriter
from cogen.lang import il
from cogen.lang.called import own_values
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Span
from cogen.lang.ilutil import base_name
from cogen.lang.marks import TextMark
from cogen.lang.prims import CONTROL, PRIMITIVES


@dataclass(frozen=True, slots=True)
class NativeText:
    """The C text of a program, its places by number, and which of them its parts were made of."""

    text: str
    spans: tuple[Span | None, ...]
    marks: tuple[TextMark, ...] = ()


def emit(program: il.Program, entry: str | None = None, word_size: int = 32) -> NativeText:
    """The C text of a program that runs its top level, then calls `entry`, if one is named, with
    the data that it is given.  CogenError if there is no such global."""
    module = ProgramText(program, entry, word_size)
    text, marks = on_deep_stack(lambda: marked_unit(_Text(module).unit()))
    return NativeText(text, tuple(module.places.spans), marks)


class _Text:
    """The text of a module."""

    def __init__(self, module: ProgramText) -> None:
        self.module = module

    def unit(self) -> CUnit:
        """The file: declarations, closures, functions, tables, and the program's parts."""
        for procedure in self.module.procedures:
            self._closure(procedure)
            ProcedureWriter(self.module, procedure).write()
        items = self._items()
        after = self._after(items)  # the last that may ask for constants and operations
        for name, code in self.module.primitives.items():
            self._primitive(name, code)
        direct: list[Item] = []
        if self.module.direct:
            direct = [CInclude("direct.h", own=True), *self.module.direct]
        return CUnit((*self._before(), *self.module.functions, *direct, *after))

    def _before(self) -> list[Item]:
        """What stands before the functions."""
        module = self.module
        operations = [operation_type(op, PRIMITIVES[op].arity) for op in self._all_operations()]
        return [
            *([CDefine("WITH_FLOATS")] if module.has_floats else []),
            CInclude("inline.h", own=True),
            *map(CInclude, sorted(module.headers)),
            CDefine(GLOBALS.name, small(len(module.constants.numbers))),
            CPragma(("GCC visibility push(hidden)",)), *operations,
            CPragma(("GCC visibility pop",)),
            *map(CPrototype, (*module.functions, *module.direct)),
            *module.closures,
            *self._primitive_tables(),
        ]  # fmt: skip

    def _after(self, items: list[tuple[str, int]]) -> list[Item]:
        """What stands behind the functions: tables, and the program's parts."""
        module = self.module
        entry, entry_site, names = self._entry(), self._entry_site(), self._name_rows()
        counts = {
            "frame_count": len(module.frames), "name_count": len(names),
            "constant_count": len(module.constants.numbers),
            "shared_count": len(module.constants.known),
            "global_count": len(module.globals), "item_count": len(items),
            "word_bytes": module.word_size // 8, "entry_site": entry_site,
        }  # fmt: skip
        constants = CString(bytes(module.constants.text))
        codes = [CCast(CBasic("returned"), CConstant(item, CODE)) for item, _ in items]
        tables = {
            "places": _table("place", "the_places", module.places.place_rows),
            "sites": _table("site", "the_sites", module.places.site_rows),
            "calls": _table("int", "the_calls", list(map(small, module.places.calls))),
            "frames": _table("frame", "the_frames", module.frames),
            "names": _table("procedure_name", "the_names", names),
            "items": _table("returned", "the_items", codes),
            "item_sites": _table("int", "the_item_sites", [small(site) for _, site in items]),
            "constants": CData(CConst(CHAR), "the_constants", constants, 0),
            "parameters": CData(CConst(CPointer(CConst(CHAR))), "the_parameters",
                               braces(*self._entry_parameters()), 0),
            "named_cells": _table("named_cell", "the_named_cells", self._named_cells()),
        }  # fmt: skip
        parts: list[tuple[str, Expr]] = [
            (name, CVariable(table.name, CPointer(table.type))) for name, table in tables.items()
        ]
        parts += [(name, small(count)) for name, count in counts.items()]
        parts += [("entry", CConstant(function.name, CODE)) for function in entry]
        if "command-line" in self._all_operations():
            parts.append(("takes_words", TRUE))
        program = CData(
            CConst(CBasic("program")), "the_compiled_program", CBraces(tuple(parts)), public=True
        )
        return [*tables.values(), *entry, program]

    def _closure(self, procedure: CompiledProcedure) -> None:
        """The closure of a constant procedure, and the code that it is called by."""
        if not procedure.escapes or procedure.is_closed:
            return
        code = procedure.code
        count = len(procedure.parameters)
        taken = registers(CLOSURE.name, *"abc"[: min(count, 3)])
        passed: list[Expr] = [*taken[:2], *taken[3:]]
        if count > 3:
            found = macro("runtime_of", STACK, gives=RUNTIME.type)
            passed.append(CIndex(CField(found, "arguments", WORDS), small(3)))
        self.module.define(c_procedure(f"s_{code}", taken, jump(code, passed)))
        header = macro("CLOSURE_HEADER", small(1), procedure.arity)
        self.module.closures.append(_closure_words(f"c_{code}", header, f"s_{code}"))

    def _items(self) -> list[tuple[str, int]]:
        """The codes of the top-level items that do something, and their places."""
        items: list[tuple[str, int]] = []
        for item in self.module.program.items:
            if not isinstance(item, il.Define):
                items.append((ItemWriter(self.module, item).write(), self.module.site(item.span)))
            elif item.name in self.module.checked:
                code = self.module.names.fresh(f"define {item.name}")
                closure = f"c_{self.module.procedures.of_global[item.name].code}"
                store = CAssign(self.module.global_cell(item.name), constant_closure(closure))
                body = (instance(), store, returning(UNSPECIFIED))
                self.module.define(c_procedure(code, (STACK, HEAP, VALUE), *body))
                items.append((code, 0))
        return items

    def _entry(self) -> list[CFunction]:
        entry = self.module.entry
        if entry is None:
            return []
        procedure = self.module.procedures.of_global.get(entry)
        if procedure is not None:
            value = constant_closure(f"c_{procedure.code}")
        elif (
            self.module.entry in self.module.globals
            or self.module.entry in self.module.program.own_globals
        ):
            value = self.module.global_cell(self.module.entry)
        else:
            raise CogenError(f"there is no procedure {self.module.entry}")
        body = (CDo(CCast(VOID, RUNTIME)), CReturn(value))
        return [CFunction(WORD, "the_entry", (RUNTIME,), body, qualifiers="static")]

    def _entry_site(self) -> int:
        procedure = self.module.procedures.of_global.get(self.module.entry or "")
        return 0 if procedure is None else self.module.site(procedure.function.span)

    def _entry_parameters(self) -> list[Expr]:
        """What the entry calls its arguments, as C strings; NULL at the end."""
        procedure = self.module.procedures.of_global.get(self.module.entry or "")
        if procedure is None:
            return [NULL]
        rest = procedure.function.rest
        names = (*procedure.function.parameters, *(() if rest is None else (rest,)))
        return [*(string(base_name(name)) for name in names), NULL]

    def _named_cells(self) -> list[Expr]:
        """What the buffers are called that are constants or the values of globals."""
        cells = [
            (name, number)
            for buffer, name in self.module.program.named
            if (number := self.module.constants.numbers.get(id(buffer))) is not None
        ]
        cells += [
            (name, len(self.module.constants.numbers) + self.module.globals[name])
            for name in own_values(self.module.program)
            if name in self.module.globals
        ]
        return [
            *(braces(string(name), small(cell)) for name, cell in cells),
            braces(NULL, small(0)),
        ]

    def _name_rows(self) -> list[Expr]:
        rows: list[Expr] = []
        for procedure in self.module.procedures:
            if procedure.escapes:
                code = procedure.code if procedure.is_closed else f"s_{procedure.code}"
                name = procedure.function.label or procedure.function.name
                rows.append(braces(CCast(CPointer(VOID), CConstant(code, CODE)), string(name)))
        return rows

    def _all_operations(self) -> list[str]:
        return sorted(
            self.module.operations | {name for name in self.module.primitives if name in PRIMITIVES}
        )

    def _primitive_tables(self) -> list[CData]:
        """What primitives are as values."""
        tables: list[CData] = []
        for name, code in self.module.primitives.items():
            row = PRIMITIVES.get(name) or CONTROL[name]
            least, most = row.arity
            source_least, source_most = row.source_arity
            numbers = [least, _bound(most), source_least, _bound(source_most)]
            fold = CConstant({"left": "'l'", "chain": "'c'"}.get(row.fold or "", "0"), CHAR)
            given = [None if x is None else immediate(x) for x in (row.identity, row.unit)]
            operation = CConstant(operation_name(name), CODE) if name in PRIMITIVES else NULL
            control = NULL if name in PRIMITIVES else CConstant(control_name(name), CODE)
            identity, unit = (x or ABSENT for x in given)
            fields = (*map(small, numbers), fold, identity, unit, operation, control)
            table = braces(string(name), *fields)
            tables.append(CData(CConst(CBasic("primitive")), f"d_{code}", table))
            count = _usual_count(name)
            arity = CConstant("ANY_NUMBER", INT) if count is None else small(count)
            what = CCast(WORD, CUnary("&", CConstant(f"d_{code}", CODE)))
            does = small(0) if count is None else CCast(WORD, CConstant(f"q_{code}", CODE))
            words = braces(macro("PRIMITIVE_HEADER", arity), does, what)
            tables.append(CData(CConst(WORD), f"p_{code}", words, 3))
        return tables

    def _primitive(self, name: str, code: str) -> None:
        """What a primitive as a value does for the usual number of arguments.  As in `apply`, an
        error is at the place of the call, below its frame: `rt->sp` and `rt->site` stay."""
        count = _usual_count(name)
        if count is None:
            return
        passed = registers(CLOSURE.name, *"abc"[:count])
        value = CInvoke(operation_name(name), (RUNTIME, *passed[3:]), WORD)
        self.module.define(
            c_procedure(
                f"q_{code}",
                passed,
                instance(),
                CAssign(run_time("hp"), HEAP),
                CDeclare(WORD, VALUE.name, value),
                CAssign(HEAP, run_time("hp")),
                returning(VALUE),
            )
        )


def _usual_count(name: str) -> int | None:
    """How many arguments an operation takes, if it is always so many and they fit in registers."""
    row = PRIMITIVES.get(name)
    if row is None or row.arity[0] != row.arity[1] or not 1 <= row.arity[0] <= 3:
        return None
    return row.arity[0]


def _closure_words(name: str, header: Expr, code: str) -> CData:
    """The two words of a closure that holds nothing."""
    return CData(CConst(WORD), name, braces(header, CCast(WORD, CConstant(code, CODE))), 2)


def _table(kind: str, name: str, rows: Sequence[Expr]) -> CData:
    return CData(CConst(CBasic(kind)), name, braces(*rows), 0)


def _bound(most: int | None) -> int:
    return -1 if most is None else most
