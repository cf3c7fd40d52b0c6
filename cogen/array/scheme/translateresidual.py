"""Residual IL -> a program in L0.

    (define (f x) (array-reduce + 0.0 (array-map (lambda (y) (* y y)) x)))
    fun real f([real] x) = reduce(op +, 0.0, map(fn real (real y) => y * y, x))

Types are found going forward from the entry's parameters: each operation's operands are typed when
it is translated, a procedure once for the types that it is called with.  A conditional becomes an
`if` whose value is what its arms pass to the place where they meet; a counted loop becomes `loop`;
lambdas are translated where they are applied.  Every node has the place of the source form that it
came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.storage import unpacked
from cogen.array.l0.storing import stored
from cogen.array.l0.types import INT, ArrayType, Type, has_names, has_packed, packed_array, plain
from cogen.array.scheme.assigning import changing
from cogen.array.scheme.body import Body
from cogen.array.scheme.byteresults import gives_bytes
from cogen.array.scheme.controlflow import Regions
from cogen.array.scheme.l0code import Names
from cogen.array.scheme.symbolicvalues import RecordKind, kind_of
from cogen.array.scheme.tidycode import tidy
from cogen.array.scheme.translation import Recursive, outside_prelude
from cogen.array.scheme.typetext import NAMES, show, type_of_datum, type_of_text
from cogen.array.scheme.versions import Version
from cogen.lang import il
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, LimitationError, Source, Span
from cogen.lang.ilutil import all_blocks, blocks, conts
from cogen.lang.primtable.data import type_name
from cogen.residual import ResidualProgram

MAX_FUNCTIONS = 1000
"""So many versions of procedures, for different types, are too many."""


def translate_residual(residual: ResidualProgram) -> tree.L0Program:
    """The program in L0 of a residual program; its `main` is the entry.

    CogenError, with the place in the source, for what has no types or fits together wrongly;
    LimitationError for what array programs do not have.
    """
    types: list[Type | None] = []
    kinds = kinds_of(residual.program)
    for parameter in residual.parameters:
        if parameter.shape is not None:
            types.append(type_of_text(parameter.shape, kinds))
        else:
            types.append(NAMES.get(parameter.type))
    made = on_deep_stack(Translator(residual.program, residual.entry).run, types)
    places = [parameter.place for parameter in residual.parameters]
    functions = [_placed(f, places) if f.name.text == ENTRY else f for f in made.functions]
    return replace(made, functions=tuple(functions))


def _placed(
    function: tree.FunctionDefinition, places: Sequence[Span | None]
) -> tree.FunctionDefinition:
    """The function of the entry, with its parameters where they stand in the source."""
    parameters = [
        parameter if place is None else replace(parameter, name=replace(parameter.name, span=place))
        for parameter, place in zip(function.parameters, places, strict=True)
    ]
    return replace(function, parameters=tuple(parameters))


class Translator:
    """What the functions of one program share."""

    def __init__(self, program: il.Program, entry: str) -> None:
        self.program = program
        self.entry = entry
        self.names = Names()
        self.kinds = kinds_of(program)
        self.procedures = {i.name: i.function for i in program.items if isinstance(i, il.Define)}
        self.changing = changing(self.procedures, entry)
        bound = {c.name: c for block in all_blocks(program) for c in conts(block)}
        self.regions = Regions(bound)
        self.versions: dict[tuple[str, tuple[Type, ...]], Version] = {}
        self.functions: list[tree.FunctionDefinition] = []

    def run(self, types: Sequence[Type | None]) -> tree.L0Program:
        entry = self.entry
        function = self.procedures[entry]
        span = function.span or Span(Source("<residual>", ""), 0, 0)
        declared = self._declared(function)
        found = []
        for x, known in zip(function.parameters, types, strict=True):
            t = known or declared.get(x)
            if t is None:
                raise CogenError(
                    f"the type of the parameter `{x}` of `{entry}` is not known", span, HINT
                )
            found.append(t)
        version = self.version(entry, tuple(found), span, ENTRY)
        if version.result == ArrayType(INT) and gives_bytes(self.procedures, entry):
            self.functions = [
                as_bytes(f) if f.name.text == version.name else f for f in self.functions
            ]
        source = self.program.source or span.source
        return tree.L0Program(source, tuple(self.functions))

    def _declared(self, function: il.Function) -> dict[str, Type]:
        """The types that `array-typed` says parameters have."""
        found: dict[str, Type] = {}
        for block in blocks(function.body):
            match block.tail:
                case il.Call(il.Global("array-typed"), (il.Const(datum), il.Var(x)), _, span):
                    found.setdefault(x, type_of_datum(datum, span, self.kinds))
        return found

    def version(
        self, name: str, types: tuple[Type, ...], span: Span, called: str | None = None
    ) -> Version:
        """The L0 function of a procedure for arguments of these types.

        `Recursive` is raised where its result's type would be needed to find it.
        """
        found = self.versions.get((name, types))
        if found is not None:
            if found.result is None:
                found.asked = True
                raise Recursive(name)
            return found
        if len(self.versions) >= MAX_FUNCTIONS:
            raise LimitationError(f"there are too many versions of `{name}`", span)
        version = Version(self.names.fresh(called or name))
        self.versions[name, types] = version
        function = self.procedures[name]
        try:
            made, version.result, parts = self._body(name, types, version, span)
        except Recursive:
            raise CogenError(
                f"the type of the result of `{name}` cannot be found: it only calls itself",
                function.span,
            ) from None
        if version.asked:
            made, again, parts = self._body(name, types, version, span)
            if again != version.result:
                raise CogenError(
                    f"`{name}` gives values of type {show(version.result)} and {show(again)}",
                    function.span,
                )
        self.functions += [*parts, made]
        return version

    def _body(
        self, name: str, types: tuple[Type, ...], version: Version, span: Span
    ) -> tuple[tree.FunctionDefinition, Type, list[tree.FunctionDefinition]]:
        """The function, the type of its result, and what parts of it are functions."""
        function = self.procedures[name]
        place = outside_prelude(function.span, span)
        body = Body(self, place)
        parameters, e, result = body.whole(function, types)
        stored = result if has_packed(result) or has_names(result) else None
        pairs = zip(parameters, types, strict=True)
        parameters = tuple([replace(p, stored=t) if has_names(t) else p for p, t in pairs])
        definition = tree.FunctionDefinition(
            place,
            tree.Name(place, version.name),
            plain(unpacked(result)),
            parameters,
            tidy(e),
            stored,
        )
        shared = [made.definition for made in body.shared.values() if made.definition is not None]
        return definition, result, shared


def as_bytes(function: tree.FunctionDefinition) -> tree.FunctionDefinition:
    """A function that gives bytes as ints, all checked, gives them as bytes."""
    return replace(function, body=stored(function.body, "u8", "wrap"), stored=packed_array("u8"))


def kinds_of(program: il.Program) -> dict[str, RecordKind]:
    """The record types of a program, by their names there."""
    return {type_name(record): kind_of(record) for record in program.records}


ENTRY: Final = "main"
"""What the function of the entry is called."""

HINT: Final = (
    "give its binding time as (dynamic TYPE), TYPE being int, float, bool, (array TYPE), "
    "(tuple TYPE ...) or (record NAME TYPE ...), or declare it: "
    "(define-array (f (x (array float)) ...) ...)"
)
