"""Residual program -> C: one file that stands alone.

One C function for each residual procedure: static, but for the entry.  The steps are those of
`emit`: structure, prune, infer types, join distances, collect facts, find bounds, count loops,
print.

The entry takes the residual parameters in order: int64_t, double, bool; a buffer is a pointer
to words and their number.  If anything in the program can fail, the entry takes a last
parameter `cogen_error *error`, all zero at the call; afterwards `error->code` is 0 or says
what happened.  An entry that cannot fail has no such parameter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cogen.backends.ctree import values as ct
from cogen.backends.ctree.helpers import closed
from cogen.backends.ctree.library import headers
from cogen.backends.ctree.literals import small
from cogen.backends.ctree.names import Namer
from cogen.backends.ctree.printer import marked_unit
from cogen.backends.ctree.tree import (
    Assign,
    Binary,
    Braces,
    Cast,
    Constant,
    Data,
    Define,
    Do,
    Expr,
    Function,
    Guarded,
    If,
    Include,
    Invoke,
    Item,
    Library,
    Number,
    Prototype,
    Return,
    Title,
    Unit,
    Variable,
    constants_of,
    invoked,
    types_of,
)
from cogen.backends.ctree.types import ADDRESS, INT, LONG, U64, VOID, WIDE, Const, Pointer, Type
from cogen.backends.ctree.values import Value
from cogen.backends.kernel import cbits, cloops, cruntime
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.cbody import C_RESULTS, MOST_BYTES, STACK_LIMIT, FileContext
from cogen.backends.kernel.cfacts import ProcedureFacts, facts, reached
from cogen.backends.kernel.cfunction import FunctionPrinter
from cogen.backends.kernel.cmodule import OTHER, CModule, CParameter
from cogen.backends.kernel.cshuffle import Storing
from cogen.backends.kernel.cwords import NATIVE, cut_function, word_items, word_name, word_type
from cogen.backends.kernel.join_distances import join_distances
from cogen.backends.kernel.lanes import ByteLanes, byte_lanes
from cogen.backends.kernel.literals import words_of
from cogen.backends.kernel.prune import fold_branches, prune
from cogen.backends.kernel.ranges import ranges
from cogen.backends.kernel.structure import structure
from cogen.backends.kernel.types import MEMORY, NOTHING, Types, infer
from cogen.backends.kernel.within import proven
from cogen.interval import Interval
from cogen.lang import il
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, InternalError, LimitationError
from cogen.lang.marks import places_of
from cogen.residual import ResidualProgram

STACK = 4 << 20
"""Bytes of stack that recursive procedures may use, if COGEN_STACK does not say otherwise."""


def emit(
    residual: ResidualProgram, cutting: bool = False, storing: Storing | None = None
) -> CModule:
    """The C text of a residual program and what is needed to call it.

    With `storing`, stores are calls of its macro, which whoever uses the text defines: of a buffer,
    the index of a word, and the word.

    With `cutting`, for a partial last word: a word after each buffer that is stored to is a
    mask, to which a store to the last word is cut.

    LimitationError, with the place, for what C cannot express: pairs, procedures as values,
    strings, output, call/cc, results that are now an int and now a float.
    """
    return on_deep_stack(_emit, residual, cutting, storing)


def structured(residual: ResidualProgram) -> tuple[list[st.Procedure], Types]:
    """A residual program as structured code, without what is not needed, and its types (on a deep
    stack).

    LimitationError for what C cannot express."""
    procedures = [structure(item.function) for item in _definitions(residual)]
    procedures = reached(procedures, residual.entry)
    prune(procedures, typed=False)
    types = infer(procedures, residual.entry, residual.parameters)
    fold_branches(procedures, types)
    if not residual.checked:  # an address that is computed twice would be checked twice
        for procedure in procedures:
            join_distances(procedure, types)
    prune(procedures)
    return procedures, types


def _emit(residual: ResidualProgram, cutting: bool, storing: Storing | None) -> CModule:
    procedures, types = structured(residual)
    found = facts(procedures, residual.entry, types)
    bounds = {p.name: ranges(p, types, residual.word_size) for p in found.order}
    most = MOST_BYTES // (residual.word_size // 8)
    inside = {p.name: proven(p, types, bounds[p.name], most) for p in found.order}
    for procedure in found.order:
        cloops.count_loops(procedure, types, residual.checked)
        for statement in st.walk(procedure.body):
            if isinstance(statement, st.Loop) and statement.counted is not None:
                bounds[procedure.name].pop(statement.counted.counter, None)
    prune(found.order)
    lanes = {p.name: byte_lanes(p, bounds[p.name], residual.word_size) for p in found.order}
    return _Emission(residual, types, found, bounds, inside, lanes, cutting, storing).module()


def _definitions(residual: ResidualProgram) -> list[il.Define]:
    definitions: list[il.Define] = []
    for item in residual.program.items:
        if not isinstance(item, il.Define):
            raise InternalError("a residual program has only procedures")
        definitions.append(item)
    if not any(item.name == residual.entry for item in definitions):
        raise InternalError(f"the residual program has no procedure {residual.entry}")
    return definitions


class _Emission:
    """The printing of one file."""

    def __init__(
        self,
        residual: ResidualProgram,
        types: Types,
        found: ProcedureFacts,
        bounds: Mapping[str, Mapping[str, Interval]],
        inside: Mapping[str, set[st.Op]],
        lanes: Mapping[str, ByteLanes],
        cutting: bool,
        storing: Storing | None,
    ) -> None:
        self.residual = residual
        self.types = types
        self.facts = found
        self.entry = next(p for p in found.order if p.name == residual.entry)
        namer = Namer()
        self.external = namer.fresh(residual.entry)
        self.wrapped = bool(found.recursive)
        names = {p.name: namer.fresh(p.name) for p in found.order if p is not self.entry}
        names[residual.entry] = namer.fresh(residual.entry) if self.wrapped else self.external
        self.shared = FileContext(
            types, found, residual.word_size, residual.checked, names,
            {p.name: p for p in found.order}, bounds, inside, lanes, self._called(),
            cutting, storing,
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
        unit = Unit((*self._preamble(printed), *self._forward(printed), *printed))
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

    def _function(self, procedure: st.Procedure) -> Function:
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

    def _comment(self, procedure: st.Procedure) -> str:
        where = "" if procedure.span is None else f", {procedure.span}"
        return f"{procedure.label or procedure.name}{where}"

    def _wrapper(self, parameters: tuple[Variable, ...], fails: bool) -> Function:
        """The external function of a recursive program: it says where the stack ends."""
        result = C_RESULTS[self.types.results[self.entry.name]]
        call = Invoke(self.shared.c_names[self.entry.name], parameters, result)
        body: list[Do | Return | If] = []
        if fails:
            here = Invoke("__builtin_frame_address", (small(0),), Pointer(VOID))
            assign = Assign(
                STACK_LIMIT, Binary("-", Cast(ADDRESS, here), Constant("COGEN_STACK", INT))
            )
            unset = ct.compare("==", Value(STACK_LIMIT, U64), ct.integer(0))
            body.append(If(unset.expr, (assign,)))
        nothing = self.types.results[self.entry.name] == NOTHING
        body.append(Do(call) if nothing else Return(call))
        return Function(
            result, self.external, parameters, tuple(body), "The entry.", self.entry.name,
            places=places_of(self.entry.span),
        )  # fmt: skip

    def _forward(self, printed: list[Function]) -> list[Prototype]:
        """Prototypes of the functions that are called before they are defined."""
        names = {self.shared.c_names[name] for name in self.facts.recursive}
        return [Prototype(f) for f in printed if f.name in names]

    def _preamble(self, printed: list[Function]) -> list[Item]:
        helpers = closed(self.shared.helpers, cruntime.HELPERS)
        texts = [cruntime.HELPERS[helper] for helper in helpers]
        names, types = invoked(*printed), set(types_of(*printed))
        items: list[Item] = [Title(tuple(self._title()))]
        included = {"stdbool.h", "stdint.h"} | headers(names | constants_of(*printed), texts)
        items += [Include(header) for header in sorted(included)]
        items += self._words(names, types)
        if self.shared.failing:
            items.append(Library(cruntime.ERROR_TYPE))
        if WIDE in types or "cogen_outside" in helpers:
            items.append(Library(cruntime.WIDE_TYPE))
        if self.wrapped:
            items.append(Guarded("ifndef COGEN_STACK", (Define("COGEN_STACK", small(STACK)),)))
        items.extend(map(Library, texts))
        items.extend(self.shared.vectors)
        items.extend(self._literal(name, data) for data, name in self.shared.literals.items())
        return items

    def _words(self, names: set[str], types: set[Type]) -> list[Item]:
        """The types of words that functions have, with what odd sizes need."""
        items: list[Item] = []
        size = self.residual.word_size
        name = word_name(size)
        if word_type(size) in types or self.shared.literals:
            items.append(Library(cruntime.LITTLE_ENDIAN))
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

    def _literal(self, name: str, data: bytes) -> Data:
        """A bytevector of the program as an array of words, the last one filled with zeros."""
        bits = self.residual.word_size
        size = bits // 8
        cells: list[Expr]
        if bits in NATIVE:
            cells = [Number(word, LONG) for word in words_of(data, bits)]
        else:
            words = [data[i : i + size].ljust(size, b"\0") for i in range(0, len(data), size)]
            cells = [_braced([_braced([small(byte) for byte in word])]) for word in words]
        return Data(Const(word_type(bits)), name, _braced(cells), 0)

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


def _braced(values: Sequence[Expr]) -> Braces:
    return Braces(tuple([("", value) for value in values]))


__all__ = ["CModule", "CogenError", "emit"]
