"""IL program -> C text.

One C function for each procedure, for each place a call returns to, and for each continuation
that several of them jump to (`regions`); a table of places, of frames, of names; the constants.
"""

from __future__ import annotations

from dataclasses import dataclass

from cogen.native.constants import Constants, immediate
from cogen.native.floats import float_variables
from cogen.native.names import Names, quoted
from cogen.native.operations import control_name, operation_name, operation_type
from cogen.native.order import undefined_at_use
from cogen.native.places import Places
from cogen.native.procedures import Procedure, Procedures
from cogen.native.writers import ItemWriter, ProcedureWriter
from lang import il
from lang.called import own_values
from lang.datum import Datum
from lang.deep import on_deep_stack
from lang.errors import CogenError, Span
from lang.ilutil import all_blocks, atoms, base_name
from lang.prims import CONTROL, PRIMITIVES

ARGUMENTS = "\0arguments"
"""The global, number 0, that holds the entry's arguments while the top level runs."""


@dataclass(frozen=True, slots=True)
class NativeText:
    """The C text of a program, and its places by number."""

    text: str
    spans: tuple[Span | None, ...]


def emit(program: il.Program, entry: str | None = None, word_size: int = 32) -> NativeText:
    """The C text of a program that runs its top level, then calls `entry`, if one is named, with
    the data that it is given.  CogenError if there is no such global."""
    module = Module(program, entry, word_size)
    text = on_deep_stack(module.text)
    return NativeText(text, tuple(module.places.spans))


class Module:
    """One program's text while it is written: what its functions share."""

    def __init__(self, program: il.Program, entry: str | None, word_size: int) -> None:
        self.program = program
        self.entry = entry
        self.word_size = word_size
        self.names = Names()
        self.constants = Constants()
        self.procedures = Procedures(program)
        self.checked = undefined_at_use(program)
        self.places = Places()
        self.frames: list[str] = []
        self.globals: dict[str, int] = {} if entry is None else {ARGUMENTS: 0}
        self.primitives: dict[str, str] = {}
        self.operations: set[str] = set()
        self.declarations: list[str] = []
        self.definitions: list[str] = []
        for name, procedure in self.procedures.of_global.items():
            procedure.code = self.names.fresh(procedure.function.label or name)
            procedure.escapes |= name in self.checked or name == entry
        for name, procedure in self.procedures.of_variable.items():
            procedure.code = self.names.fresh(procedure.function.label or name)
        self.floats = float_variables(program, self.procedures)
        self.lists_end = entry is None and not changes_lists(program)
        """Whether no list can be circular."""

    # What functions ask for

    def site(self, span: Span | None) -> int:
        """The number of a site."""
        return self.places.site(span)

    def constant(self, value: Datum) -> str:
        """The C expression of a constant."""
        return immediate(value) or f"K[{self.constants.number(value)}]"

    def global_cell(self, name: str) -> str:
        """The C variable of a global."""
        return f"G[{self.globals.setdefault(name, len(self.globals))}]"

    def primitive(self, name: str) -> str:
        """The C expression of a primitive as a value."""
        code = self.primitives.get(name)
        if code is None:
            code = self.primitives[name] = self.names.fresh(name)
        return f"((word)p_{code} + CLOSURE_TAG)"

    def operation(self, op: str) -> str:
        """The C function of an operation of the run time."""
        self.operations.add(op)
        return operation_name(op)

    def frame(self, code: str, words: int, site: int) -> None:
        """Take note of what a return address is."""
        self.frames.append(f"{{(code){code}, {words}, {site}}}")

    def declare(self, head: str) -> None:
        self.declarations.append(f"static {head};")

    def define(self, lines: list[str]) -> None:
        self.definitions.append("\n".join(lines))

    # The text

    def text(self) -> str:
        for procedure in self.procedures:
            self._closure(procedure)
            ProcedureWriter(self, procedure).write()
        items = self._items()
        entry, entry_site, names = self._entry(), self._entry_site(), self._name_rows()
        parameters = self._entry_parameters()
        return "\n".join(
            [
                *(["#define WITH_FLOATS"] if _has_floats(self.program) else []),
                '#include "inline.h"',
                "#pragma GCC visibility push(hidden)",
                *(operation_type(op, PRIMITIVES[op].arity) for op in self._all_operations()),
                "#pragma GCC visibility pop",
                "#define K (rt->cells)",
                f"#define G (rt->cells + {len(self.constants.numbers)})",
                *self._primitive_rows(),
                *self.declarations,
                *self.definitions,
                self._table("place", "the_places", self.places.place_rows),
                self._table("site", "the_sites", self.places.site_rows),
                self._table("int", "the_calls", list(map(str, self.places.calls))),
                self._table("frame", "the_frames", self.frames),
                self._table("procedure_name", "the_names", names),
                self._table("returned", "the_items", [f"(returned){item}" for item, _ in items]),
                self._table("int", "the_item_sites", [str(site) for _, site in items]),
                f"static const char the_constants[] = {_lines(bytes(self.constants.text))};",
                *entry,
                f"static const char *const the_parameters[] = {{{', '.join(parameters)}}};",
                self._table("named_cell", "the_named_cells", self._named_cells()),
                "const program the_compiled_program = {",
                "    .places = the_places, .sites = the_sites, .calls = the_calls,",
                "    .frames = the_frames, .names = the_names,",
                "    .constants = the_constants,",
                "    .items = the_items, .item_sites = the_item_sites,",
                f"    .frame_count = {len(self.frames)}, .name_count = {len(names)},",
                f"    .constant_count = {len(self.constants.numbers)},",
                f"    .shared_count = {len(self.constants.known)},",
                f"    .global_count = {len(self.globals)}, .item_count = {len(items)},",
                f"    .word_bytes = {self.word_size // 8},",
                *(["    .entry = the_entry,"] if entry else []),
                f"    .entry_site = {entry_site},",
                "    .parameters = the_parameters, .named_cells = the_named_cells,",
                "};",
                "",
            ]
        )

    def _table(self, kind: str, name: str, rows: list[str]) -> str:
        body = ",\n".join(rows) if rows else "0"
        return f"static const {kind} {name}[] = {{\n{body}\n}};"

    def _closure(self, procedure: Procedure) -> None:
        """The closure of a constant procedure, and the code that it is called by."""
        if not procedure.escapes:
            return
        if procedure.is_closed:
            return
        code = procedure.code
        count = len(procedure.parameters)
        self.declare(f"const word c_{code}[2]")
        entry = [f"word {'abc'[i]}" for i in range(min(count, 3))]
        passed = ["sp", "hp", *"abc"[: min(count, 3)]]
        if count > 3:
            passed.append("runtime_of(sp)->arguments[3]")
        head = f"void s_{code}({', '.join(['word *sp', 'word *hp', 'word self', *entry])})"
        self.declare(head)
        self.define([f"static {head} {{ return {code}({', '.join(passed)}); }}"])
        words = f"{{CLOSURE_HEADER(1, {procedure.arity}), (word)s_{code}}}"
        self.define([f"static const word c_{code}[2] = {words};"])

    def _items(self) -> list[tuple[str, int]]:
        """The codes of the top-level items that do something, and their places."""
        items: list[tuple[str, int]] = []
        for item in self.program.items:
            if not isinstance(item, il.Define):
                items.append((ItemWriter(self, item).write(), self.site(item.span)))
            elif item.name in self.checked:
                code = self.names.fresh(f"define {item.name}")
                head = f"void {code}(word *sp, word *hp, word value)"
                self.declare(head)
                closure = f"(word)c_{self.procedures.of_global[item.name].code} + CLOSURE_TAG"
                store = f"{self.global_cell(item.name)} = {closure};"
                body = f"runtime *rt = runtime_of(sp); {store} RETURN(UNSPECIFIED);"
                self.define([f"static {head} {{ {body} }}"])
                items.append((code, 0))
        return items

    def _entry(self) -> list[str]:
        if self.entry is None:
            return []
        procedure = self.procedures.of_global.get(self.entry)
        if procedure is not None:
            value = f"(word)c_{procedure.code} + CLOSURE_TAG"
        elif self.entry in self.globals or self.entry in self.program.own_globals:
            value = self.global_cell(self.entry)
        else:
            raise CogenError(f"there is no procedure {self.entry}")
        return [f"static word the_entry(RT) {{ return {value}; }}"]

    def _entry_site(self) -> int:
        procedure = self.procedures.of_global.get(self.entry or "")
        return 0 if procedure is None else self.site(procedure.function.span)

    def _entry_parameters(self) -> list[str]:
        """What the entry calls its arguments, as C strings; NULL at the end."""
        procedure = self.procedures.of_global.get(self.entry or "")
        if procedure is None:
            return ["NULL"]
        rest = procedure.function.rest
        names = (*procedure.function.parameters, *(() if rest is None else (rest,)))
        return [*(quoted(base_name(name)) for name in names), "NULL"]

    def _named_cells(self) -> list[str]:
        """What the buffers are called that are constants or the values of globals."""
        cells = [
            (name, number)
            for buffer, name in self.program.named
            if (number := self.constants.numbers.get(id(buffer))) is not None
        ]
        cells += [
            (name, len(self.constants.numbers) + self.globals[name])
            for name in own_values(self.program)
            if name in self.globals
        ]
        return [*(f"{{{quoted(name)}, {cell}}}" for name, cell in cells), "{NULL, 0}"]

    def _name_rows(self) -> list[str]:
        rows = []
        for procedure in self.procedures:
            if procedure.escapes:
                code = procedure.code if procedure.is_closed else f"s_{procedure.code}"
                name = procedure.function.label or procedure.function.name
                rows.append(f"{{(void *){code}, {quoted(name)}}}")
        return rows

    def _all_operations(self) -> list[str]:
        return sorted(self.operations | {name for name in self.primitives if name in PRIMITIVES})

    def _primitive_rows(self) -> list[str]:
        rows = []
        for name, code in self.primitives.items():
            row = PRIMITIVES.get(name) or CONTROL[name]
            least, most = row.arity
            source_least, source_most = row.source_arity
            numbers = [least, _bound(most), source_least, _bound(source_most)]
            fold = {"left": "'l'", "chain": "'c'"}.get(row.fold or "", "0")
            identity, unit = (
                "ABSENT" if x is None else immediate(x) or "ABSENT"
                for x in (row.identity, row.unit)
            )
            operation = operation_name(name) if name in PRIMITIVES else "NULL"
            control = "NULL" if name in PRIMITIVES else control_name(name)
            fields = [quoted(name), *map(str, numbers), fold, identity, unit, operation, control]
            rows.append(f"static const primitive d_{code} = {{{', '.join(fields)}}};")
            words = f"{{CLOSURE_HEADER(1, BUILT_IN), (word)&d_{code}}}"
            rows.append(f"static const word p_{code}[2] = {words};")
        return rows


def _has_floats(program: il.Program) -> bool:
    """May the program compute with floats, as far as its text shows?"""
    for block in all_blocks(program):
        for binding in block.bindings:
            if isinstance(binding, il.Let) and PRIMITIVES[binding.op].result == "float":
                return True
        for atom in atoms(block):
            if isinstance(atom, il.Const) and type(atom.value) is float:
                return True
    return False


def changes_lists(program: il.Program) -> bool:
    """May the program make a circular list?  Its text has none, and `read` makes none."""
    for block in all_blocks(program):
        for binding in block.bindings:
            if isinstance(binding, il.Let) and binding.op == "set-cdr!":
                return True
        for atom in atoms(block):
            if isinstance(atom, il.Prim) and atom.name == "set-cdr!":
                return True
    return False


def _bound(most: int | None) -> int:
    return -1 if most is None else most


def _lines(data: bytes) -> str:
    """A long C string literal in pieces."""
    return "\n".join(quoted(data[i : i + 1000]) for i in range(0, len(data), 1000)) or '""'
