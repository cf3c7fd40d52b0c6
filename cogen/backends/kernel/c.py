"""Residual program -> C: one file that stands alone.

One C function for each residual procedure: static, but for the entry.  What comes before the
printing is in `cogen.backends.kernel.passes`.

The entry takes the residual parameters in order: int64_t, double, bool; a buffer is a pointer
to words and their number.  If anything in the program can fail, the entry takes a last
parameter `cogen_error *error`, all zero at the call; afterwards `error->code` is 0 or says
what happened.  An entry that cannot fail has no such parameter.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.backends.ctree import tree
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.helpers import closed
from cogen.backends.ctree.library import headers
from cogen.backends.ctree.literals import small
from cogen.backends.ctree.names import Namer
from cogen.backends.ctree.printer import marked_unit
from cogen.backends.ctree.types import ADDRESS, INT, LONG, U64, VOID, WIDE, CConst, CPointer, Type
from cogen.backends.ctree.values import CValue
from cogen.backends.failures import KERNEL_ERROR, NOTED_CALL
from cogen.backends.kernel import cbits, cruntime
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.cbody import C_RESULTS, STACK_LIMIT, FileContext
from cogen.backends.kernel.cfunction import FunctionPrinter
from cogen.backends.kernel.cmacros import Gathering, Storing
from cogen.backends.kernel.cmodule import OTHER, CModule, CParameter
from cogen.backends.kernel.cwords import (
    NATIVE,
    cell_type,
    cut_function,
    word_items,
    word_name,
    word_type,
)
from cogen.backends.kernel.literals import Table, words_of
from cogen.backends.kernel.passes import After, MarkedKernel, marked_kernel, structured_kernel
from cogen.backends.kernel.types import MEMORY, NOTHING, Types
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.marks import places_of
from cogen.residual import ResidualProgram

STACK = 4 << 20
"""Bytes of stack that recursive procedures may use, if COGEN_STACK does not say otherwise."""


def emit(
    residual: ResidualProgram,
    cutting: bool = False,
    storing: Storing | None = None,
    off: frozenset[str] = frozenset(),
    after: After | None = None,
    gathering: Gathering | None = None,
) -> CModule:
    """The C text of a residual program and what is needed to call it.

    With `storing`, stores are calls of its macro, which whoever uses the text defines: of a buffer,
    the index of a word, and the word.  With `gathering`, vectors look at the elements that they
    move, and tell its macro.

    With `cutting`, for a partial last word: a word after each buffer that is stored to is a
    mask, to which a store to the last word is cut.

    `off` names passes that are left out; `after` is called after each, as `verify` of
    `cogen.backends.kernel.passes`.

    LimitationError, with the place, for what C cannot express: pairs, procedures as values,
    strings, output, call/cc, results that are now an int and now a float.
    """
    return on_deep_stack(_emit, residual, cutting, (storing, gathering), off, after)


def structured(
    residual: ResidualProgram, off: frozenset[str] = frozenset(), after: After | None = None
) -> tuple[list[st.KernelProcedure], Types]:
    """A residual program as structured code, after the passes that change it but those that are
    `off`, and its types (on a deep stack).

    LimitationError for what C cannot express."""
    kernel = structured_kernel(residual, off, after)
    return kernel.procedures, kernel.types


def _emit(
    residual: ResidualProgram,
    cutting: bool,
    macros: tuple[Storing | None, Gathering | None],
    off: frozenset[str],
    after: After | None,
) -> CModule:
    made = structured_kernel(residual, off, after)
    kernel = marked_kernel(made.residual, made.procedures, made.types, off, after)
    return _Emission(kernel, cutting, *macros).module()


class _Emission:
    """The printing of one file."""

    def __init__(
        self,
        kernel: MarkedKernel,
        cutting: bool,
        storing: Storing | None,
        gathering: Gathering | None,
    ) -> None:
        self.residual = residual = kernel.residual
        self.types = types = kernel.types
        self.facts = found = kernel.facts
        self.entry = next(p for p in found.order if p.name == residual.entry)
        namer = Namer()
        self.external = namer.fresh(residual.entry)
        self.wrapped = bool(found.recursive)
        names = {p.name: namer.fresh(p.name) for p in found.order if p is not self.entry}
        names[residual.entry] = namer.fresh(residual.entry) if self.wrapped else self.external
        self.shared = FileContext(
            types, found, residual.word_size, residual.checked, names,
            {p.name: p for p in found.order}, kernel.bounds, kernel.inside, kernel.lanes,
            self._called(),
            cutting, storing, gathering,
        )  # fmt: skip

    def _called(self) -> dict[object, tuple[str, ...]]:
        """What the caller calls the buffers that variables of memory may be, and constants."""
        declared = zip(self.entry.parameters, self.residual.parameters, strict=True)
        names: dict[object, str] = {name: parameter.name for name, parameter in declared}
        for buffer, name in reversed(self.residual.program.named):
            names[id(buffer)] = name
        variables: dict[object, tuple[str, ...]] = {
            variable: tuple(sorted({names.get(origin, OTHER) for origin in origins}))
            for variable, origins in self.facts.origins.items()
        }
        return {origin: (name,) for origin, name in names.items()} | variables

    def module(self) -> CModule:
        printed = [self._function(procedure) for procedure in self.facts.order]
        fails = self.entry.name in self.shared.failing
        entry = printed[self.facts.order.index(self.entry)]
        if self.wrapped:
            entry = self._wrapper(entry.parameters, fails)
            printed.append(entry)
        unit = tree.CUnit((*self._preamble(printed), *self._forward(printed), *printed))
        text, marks = marked_unit(unit)
        return CModule(
            text=text,
            marks=marks,
            entry=self.residual.entry,
            function=self.external,
            declaration=f"{entry.head};",
            parameters=self._parameters(),
            result=self.types.results[self.entry.name],
            fails=fails,
            word_size=self.residual.word_size,
            residual=self.residual,
            cutting=self.shared.cutting,
            sites=tuple(self.shared.sites.listed),
        )

    def _function(self, procedure: st.KernelProcedure) -> tree.CFunction:
        printer = FunctionPrinter(procedure, self.shared)
        if self.types.results[procedure.name] == MEMORY:
            raise LimitationError(
                f"C code cannot express that {procedure.label} returns a buffer",
                procedure.span,
                hint="use compile(), --emit so or to_python(), or return an index instead",
            )
        external = procedure is self.entry and not self.wrapped
        function = printer.print(self._comment(procedure), external)
        if printer.fails:
            self.shared.failing.add(procedure.name)
        return function

    def _comment(self, procedure: st.KernelProcedure) -> str:
        where = "" if procedure.span is None else f", {procedure.span}"
        return f"{procedure.label or procedure.name}{where}"

    def _wrapper(self, parameters: tuple[tree.CVariable, ...], fails: bool) -> tree.CFunction:
        """The external function of a recursive program: it says where the stack ends."""
        result = C_RESULTS[self.types.results[self.entry.name]]
        call = tree.CInvoke(self.shared.c_names[self.entry.name], parameters, result)
        body: list[tree.CDo | tree.CReturn | tree.CIf] = []
        if fails:
            here = tree.CInvoke("__builtin_frame_address", (small(0),), CPointer(VOID))
            assign = tree.CAssign(
                STACK_LIMIT,
                tree.CBinary("-", tree.CCast(ADDRESS, here), tree.CConstant("COGEN_STACK", INT)),
            )
            unset = ct.compare("==", CValue(STACK_LIMIT, U64), ct.integer(0))
            body.append(tree.CIf(unset.expr, (assign,)))
        nothing = self.types.results[self.entry.name] == NOTHING
        body.append(tree.CDo(call) if nothing else tree.CReturn(call))
        return tree.CFunction(
            result, self.external, parameters, tuple(body), "The entry.", self.entry.name,
            places=places_of(self.entry.span),
        )  # fmt: skip

    def _forward(self, printed: list[tree.CFunction]) -> list[tree.CPrototype]:
        """Prototypes of the functions that are called before they are defined."""
        names = {self.shared.c_names[name] for name in self.facts.recursive}
        return [tree.CPrototype(f) for f in printed if f.name in names]

    def _preamble(self, printed: list[tree.CFunction]) -> list[tree.Item]:
        helpers = closed(self.shared.helpers, cruntime.HELPERS)
        texts = [cruntime.HELPERS[helper] for helper in helpers]
        names, types = tree.invoked(*printed), set(tree.types_of(*printed))
        items: list[tree.Item] = [tree.CTitle(tuple(self._title()))]
        included = {"stdbool.h", "stdint.h"} | headers(names | tree.constants_of(*printed), texts)
        items += [tree.CInclude(header) for header in sorted(included)]
        items += self._words(names, types)
        if self.shared.failing:
            items += [NOTED_CALL, KERNEL_ERROR]
        if WIDE in types or "cogen_outside" in helpers:
            items.append(tree.CLibrary(cruntime.WIDE_TYPE))
        if self.wrapped:
            items.append(
                tree.CGuarded("ifndef COGEN_STACK", (tree.CDefine("COGEN_STACK", small(STACK)),))
            )
        items.extend(map(tree.CLibrary, texts))
        items.extend(self.shared.vectors)
        items.extend(self._literal(name, data) for data, name in self.shared.literals.items())
        items.extend(_table(name, table) for (_, table), name in self.shared.tables.items())
        return items

    def _words(self, names: set[str], types: set[Type]) -> list[tree.Item]:
        """The types of words that functions have, with what odd sizes need."""
        items: list[tree.Item] = []
        size = self.residual.word_size
        name = word_name(size)
        if word_type(size) in types or self.shared.literals:
            items.append(tree.CLibrary(cruntime.LITTLE_ENDIAN))
            items += word_items(size, f"load_{name}" in names, f"store_{name}" in names)
            if "cogen_cut" in names:
                items.append(cut_function(size))
        for other in cbits.PIECES:
            if other != size and word_type(other) in types:
                items += word_items(other, False, False)
        return items

    def _title(self) -> list[str]:
        lines = [f"Made by cogen: the residual program of {self.residual.entry}."]
        source = self.residual.program.source
        if source is not None:
            lines[0] = (
                f"Made by cogen from {source.name}: the residual program of {self.residual.entry}."
            )
        if self.shared.sites:
            lines.append("What the codes of cogen_error mean:")
            sites = enumerate(self.shared.sites.listed, 1)
            lines.extend(f"  {number}: {site.description}" for number, site in sites)
        return lines

    def _literal(self, name: str, data: bytes) -> tree.CData:
        """A bytevector of the program as an array of words, the last one filled with zeros."""
        bits = self.residual.word_size
        size = bits // 8
        cells: list[tree.Expr]
        if bits in NATIVE:
            cells = [tree.CNumber(word, LONG) for word in words_of(data, bits)]
        else:
            words = [data[i : i + size].ljust(size, b"\0") for i in range(0, len(data), size)]
            cells = [_braced([_braced([small(byte) for byte in word])]) for word in words]
        return tree.CData(CConst(word_type(bits)), name, _braced(cells), 0)

    def _parameters(self) -> tuple[CParameter, ...]:
        return tuple(
            CParameter(
                declared.name,
                self.types.variables.get(name, "int"),
                declared.cyclic,
                name in self.facts.stored,
                name in self.facts.loaded,
            )
            for name, declared in zip(self.entry.parameters, self.residual.parameters, strict=True)
        )


def _table(name: str, table: Table) -> tree.CData:
    """A table as an array of the smallest type that has its elements."""
    cells = [ct.floating(x) if isinstance(x, float) else ct.integer(x) for x in table]
    return tree.CData(CConst(cell_type(table)), name, _braced([cell.expr for cell in cells]), 0)


def _braced(values: Sequence[tree.Expr]) -> tree.CBraces:
    return tree.CBraces(tuple([("", value) for value in values]))


__all__ = ["CModule", "CogenError", "emit"]
