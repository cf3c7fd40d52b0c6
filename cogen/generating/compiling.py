"""The procedures of a program as Python code, each when it is first called, once many calls were.

    specialize(program, …, make=compiling)     unfolds calls by code that it has compiled

What a generating extension has as text (`cogen.generating.direct`) any specialization makes for
itself, where it is worth it: a procedure that is unfolded again and again is run as Python from
then on, in this attempt and in all that follow, also for the next program that is interpreted.  The
text names the pieces of the program that is there; so nothing of the program itself is written.

Law: what comes out is what the machine alone gives, and as many calls count.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, Final

from cogen.generating import support
from cogen.generating.direct import ExtensionWriter
from cogen.generating.leave_compiled_code import Leave, Where
from cogen.generating.specializer import CompiledSpecializer
from cogen.generating.support import TESTS, VALUES, Code
from cogen.lang import il
from cogen.lang.datum import NIL, Datum, Pair
from cogen.lang.errors import Span, Warnings
from cogen.lang.ilutil import all_blocks
from cogen.specializer.analyses.analyses import Analyses, analyses_of
from cogen.specializer.attempts import SpecializationAttempt, usual_specializer
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.specialization import Specializer
from cogen.specializer.values.domain import Closure, PartialPair, Primitive, Static
from cogen.specializer.values.overriding import overriding

MANY_CALLS: Final = 300
"""After so many calls of a program's procedures, in all attempts, they are compiled."""


def compiling(attempt: SpecializationAttempt) -> Specializer:
    """A specializer for an attempt that compiles the procedures that it unfolds often."""
    if attempt.lifted is not None or attempt.options.generalize:
        return usual_specializer(attempt)  # which watches what each operation builds
    program, analyses = attempt.program, attempt.analyses or analyses_of(attempt.program)
    return CompiledSpecializer(
        compiled_procedures(program, analyses), program, attempt.options, Warnings(), analyses
    )


def compiled_procedures(program: il.Program, analyses: Analyses) -> CompiledProcedures:
    """The compiled procedures of a program, kept with what is known of it."""
    found = analyses.compiled
    if not isinstance(found, CompiledProcedures):
        found = analyses.compiled = CompiledProcedures(program, analyses)
    return found


class CompiledProcedures:
    """Procedures of a program by what they are compiled to, as far as they are."""

    def __init__(self, program: il.Program, analyses: Analyses) -> None:
        self._program = program
        self._analyses = analyses
        self._calls = 0
        self._code: dict[il.Function, Code] = {}
        self._writer: ExtensionWriter | None = None
        self._pieces = LivePieces()
        self._named = 0
        """How many of the writer's names have a value."""
        self._lock = Lock()

    def get(self, function: il.Function) -> Code | None:
        """The code of a procedure that is called; None as long as there were few calls."""
        found = self._code.get(function)
        if found is None:
            self._calls += 1
            if self._calls > MANY_CALLS:
                return self._compiled(function)
        return found

    def _compiled(self, function: il.Function) -> Code:
        """The code of a procedure, compiled if it was not yet."""
        with self._lock:
            found = self._code.get(function)
            if found is None:
                found = self._code[function] = self._compile(function)
            return found

    def _compile(self, function: il.Function) -> Code:
        writer, pieces = self._begun(), self._pieces
        lines = writer.text(function)
        names = [*writer.once.names.items()]
        new = [f"{name} = {expression}" for expression, name in names[self._named :]]
        text = "\n".join([*new, *lines])
        code = compile(text, "<compiled procedure>", "exec", dont_inherit=True, optimize=0)
        exec(code, pieces.values)
        self._named = len(names)
        made: Code = pieces.values[writer.names[function]]
        return made

    def _begun(self) -> ExtensionWriter:
        """What writes the text of procedures; each is compiled when it is called."""
        if self._writer is None:
            pieces = self._pieces
            for block in all_blocks(self._program):
                for binding in block.bindings:
                    if isinstance(binding, il.Fix):
                        pieces.name_functions(binding.functions)
            defined = [i.function for i in self._program.items if isinstance(i, il.Define)]
            pieces.name_functions(defined)
            writer = ExtensionWriter(self._program, pieces, self._analyses)
            for function, name in writer.names.items():
                pieces.values[name] = self._stub(function)
            self._writer = writer
        return self._writer

    def _stub(self, function: il.Function) -> Code:
        def compiled_now(*arguments: Any) -> Any:
            return self._compiled(function)(*arguments)

        return compiled_now


class LivePieces:
    """Names for the pieces of a program, and for what the text of procedures refers to besides;
    their `values`."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = dict(_REFERRED)
        self.functions: dict[il.Function, str] = {}
        self.blocks = _Named("b", self.values)
        self.conts = _Named("k", self.values)
        self._others: dict[int, str] = {}

    def name_functions(self, functions: tuple[il.Function, ...] | list[il.Function]) -> None:
        """Give procedures names."""
        for function in functions:
            name = self.functions[function] = f"f{len(self.functions)}"
            self.values[name] = function

    def constant(self, datum: Datum) -> str:
        """The expression of a constant."""
        if type(datum) is int or type(datum) is bool:
            return repr(datum)
        return self._other(datum)

    def span(self, span: Span | None) -> str:
        """The expression of a place."""
        return "None" if span is None else self._other(span)

    def _other(self, piece: object) -> str:
        name = self._others.get(id(piece))
        if name is None:
            name = self._others[id(piece)] = f"c{len(self._others)}"
            self.values[name] = piece
        return name


class _Named(dict[Any, str]):
    """Pieces of a program by their names, which they get when they are asked for."""

    def __init__(self, prefix: str, values: dict[str, Any]) -> None:
        super().__init__()
        self._prefix = prefix
        self._values = values

    def __missing__(self, piece: Any) -> str:
        name = self[piece] = f"{self._prefix}{len(self)}"
        self._values[name] = piece
        return name


_REFERRED: Final[dict[str, Any]] = {
    name: getattr(support, name)
    for name in {"PURE", "cons", "cons_at", "truth", *VALUES.values(), *TESTS.values()}
} | {
    "Closure": Closure,
    "Leave": Leave,
    "NIL": NIL,
    "OperationSite": OperationSite,
    "Pair": Pair,
    "PartialPair": PartialPair,
    "Primitive": Primitive,
    "Static": Static,
    "Where": Where,
    "overriding": overriding,
}
"""What the text of procedures refers to."""
