"""IL program -> C text.

One C function for each procedure, for each place a call returns to, and for each continuation
that several of them jump to (`regions`); a table of places, of frames, of names; the constants.
"""

from __future__ import annotations

from dataclasses import dataclass

from cogen.lang import il
from cogen.lang.called import own_values
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Span
from cogen.lang.ilutil import all_blocks, atoms, base_name
from cogen.lang.marks import Mark, Marked, joined
from cogen.lang.prims import CONTROL, PRIMITIVES
from cogen.native.constants import immediate
from cogen.native.module import Module
from cogen.native.names import quoted
from cogen.native.operations import control_name, operation_name, operation_type
from cogen.native.procedures import Procedure
from cogen.native.writers import ItemWriter, ProcedureWriter


@dataclass(frozen=True, slots=True)
class NativeText:
    """The C text of a program, its places by number, and which of them its parts were made of."""

    text: str
    spans: tuple[Span | None, ...]
    marks: tuple[Mark, ...] = ()


def emit(program: il.Program, entry: str | None = None, word_size: int = 32) -> NativeText:
    """The C text of a program that runs its top level, then calls `entry`, if one is named, with
    the data that it is given.  CogenError if there is no such global."""
    module = Module(program, entry, word_size)
    text, marks = on_deep_stack(_Text(module).text)
    return NativeText(text, tuple(module.places.spans), marks)


class _Text:
    """The text of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def text(self) -> Marked:
        for procedure in self.module.procedures:
            self._closure(procedure)
            ProcedureWriter(self.module, procedure).write()
        items = self._items()
        after = self._after(items)
        before = Marked("\n".join(self._before()))
        return joined("\n", [before, *self.module.definitions, Marked("\n".join(after))])

    def _before(self) -> list[str]:
        """What stands before the functions."""
        return [
            *(["#define WITH_FLOATS"] if _has_floats(self.module.program) else []),
            '#include "inline.h"',
            "#pragma GCC visibility push(hidden)",
            *(operation_type(op, PRIMITIVES[op].arity) for op in self._all_operations()),
            "#pragma GCC visibility pop",
            "#define K (rt->cells)",
            f"#define G (rt->cells + {len(self.module.constants.numbers)})",
            *self._primitive_rows(),
            *self.module.declarations,
        ]

    def _after(self, items: list[tuple[str, int]]) -> list[str]:
        """What stands behind the functions: tables, and the program's parts."""
        module = self.module
        entry, entry_site, names = self._entry(), self._entry_site(), self._name_rows()
        parameters = self._entry_parameters()
        return [
            self._table("place", "the_places", module.places.place_rows),
            self._table("site", "the_sites", module.places.site_rows),
            self._table("int", "the_calls", list(map(str, module.places.calls))),
            self._table("frame", "the_frames", module.frames),
            self._table("procedure_name", "the_names", names),
            self._table("returned", "the_items", [f"(returned){item}" for item, _ in items]),
            self._table("int", "the_item_sites", [str(site) for _, site in items]),
            f"static const char the_constants[] = {_lines(bytes(module.constants.text))};",
            *entry,
            f"static const char *const the_parameters[] = {{{', '.join(parameters)}}};",
            self._table("named_cell", "the_named_cells", self._named_cells()),
            "const program the_compiled_program = {",
            "    .places = the_places, .sites = the_sites, .calls = the_calls,",
            "    .frames = the_frames, .names = the_names,",
            "    .constants = the_constants,",
            "    .items = the_items, .item_sites = the_item_sites,",
            f"    .frame_count = {len(module.frames)}, .name_count = {len(names)},",
            f"    .constant_count = {len(module.constants.numbers)},",
            f"    .shared_count = {len(module.constants.known)},",
            f"    .global_count = {len(module.globals)}, .item_count = {len(items)},",
            f"    .word_bytes = {module.word_size // 8},",
            *(["    .entry = the_entry,"] if entry else []),
            f"    .entry_site = {entry_site},",
            *(["    .takes_words = true,"] if "command-line" in self._all_operations() else []),
            "    .parameters = the_parameters, .named_cells = the_named_cells,",
            "};",
            "",
        ]

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
        self.module.declare(f"const word c_{code}[2]")
        entry = [f"word {'abc'[i]}" for i in range(min(count, 3))]
        passed = ["sp", "hp", *"abc"[: min(count, 3)]]
        if count > 3:
            passed.append("runtime_of(sp)->arguments[3]")
        head = f"void s_{code}({', '.join(['word *sp', 'word *hp', 'word self', *entry])})"
        self.module.declare(head)
        self.module.define([f"static {head} {{ return {code}({', '.join(passed)}); }}"])
        words = f"{{CLOSURE_HEADER(1, {procedure.arity}), (word)s_{code}}}"
        self.module.define([f"static const word c_{code}[2] = {words};"])

    def _items(self) -> list[tuple[str, int]]:
        """The codes of the top-level items that do something, and their places."""
        items: list[tuple[str, int]] = []
        for item in self.module.program.items:
            if not isinstance(item, il.Define):
                items.append((ItemWriter(self.module, item).write(), self.module.site(item.span)))
            elif item.name in self.module.checked:
                code = self.module.names.fresh(f"define {item.name}")
                head = f"void {code}(word *sp, word *hp, word value)"
                self.module.declare(head)
                closure = (
                    f"(word)c_{self.module.procedures.of_global[item.name].code} + CLOSURE_TAG"
                )
                store = f"{self.module.global_cell(item.name)} = {closure};"
                body = f"runtime *rt = runtime_of(sp); {store} RETURN(UNSPECIFIED);"
                self.module.define([f"static {head} {{ {body} }}"])
                items.append((code, 0))
        return items

    def _entry(self) -> list[str]:
        entry = self.module.entry
        if entry is None:
            return []
        procedure = self.module.procedures.of_global.get(entry)
        if procedure is not None:
            value = f"(word)c_{procedure.code} + CLOSURE_TAG"
        elif (
            self.module.entry in self.module.globals
            or self.module.entry in self.module.program.own_globals
        ):
            value = self.module.global_cell(self.module.entry)
        else:
            raise CogenError(f"there is no procedure {self.module.entry}")
        return [f"static word the_entry(RT) {{ return {value}; }}"]

    def _entry_site(self) -> int:
        procedure = self.module.procedures.of_global.get(self.module.entry or "")
        return 0 if procedure is None else self.module.site(procedure.function.span)

    def _entry_parameters(self) -> list[str]:
        """What the entry calls its arguments, as C strings; NULL at the end."""
        procedure = self.module.procedures.of_global.get(self.module.entry or "")
        if procedure is None:
            return ["NULL"]
        rest = procedure.function.rest
        names = (*procedure.function.parameters, *(() if rest is None else (rest,)))
        return [*(quoted(base_name(name)) for name in names), "NULL"]

    def _named_cells(self) -> list[str]:
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
        return [*(f"{{{quoted(name)}, {cell}}}" for name, cell in cells), "{NULL, 0}"]

    def _name_rows(self) -> list[str]:
        rows = []
        for procedure in self.module.procedures:
            if procedure.escapes:
                code = procedure.code if procedure.is_closed else f"s_{procedure.code}"
                name = procedure.function.label or procedure.function.name
                rows.append(f"{{(void *){code}, {quoted(name)}}}")
        return rows

    def _all_operations(self) -> list[str]:
        return sorted(
            self.module.operations | {name for name in self.module.primitives if name in PRIMITIVES}
        )

    def _primitive_rows(self) -> list[str]:
        rows = []
        for name, code in self.module.primitives.items():
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


def _bound(most: int | None) -> int:
    return -1 if most is None else most


def _lines(data: bytes) -> str:
    """A long C string literal in pieces."""
    return "\n".join(quoted(data[i : i + 1000]) for i in range(0, len(data), 1000)) or '""'
