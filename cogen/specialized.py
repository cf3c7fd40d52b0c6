"""A residual program as users have it: text in several forms, and what is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from cogen import expected, kept_programs
from cogen.binding_times import BT
from cogen.boundary import public_methods
from cogen.lang import il
from cogen.lang.errors import CogenError, LimitationError, Warnings
from cogen.residual import ResidualParameter, ResidualProgram
from cogen.specializer.versions.options import SpecializerOptions

if TYPE_CHECKING:
    from cogen.array.programs.arrayprogram import Program
    from cogen.array.programs.nodewords import NodeWords
    from cogen.backends.kernel.cmodule import CModule
    from cogen.specializer.explain.explain import Explanation
    from cogen.view.sourcemap import SourceMap
    from cogen.view.timing import Times


def decisions_of(
    program: il.Program, entry: str, bts: Sequence[BT], options: SpecializerOptions
) -> Explanation:
    """What a specialization decides, when it is carried out again."""
    from cogen.specializer.explain.explain import explain

    return explain(program, entry, bts, options, Warnings()).explanation


@public_methods
class Residual:
    """A residual program: its text in several forms, and as a Python callable.

    The callables take the dynamic and cyclic leaves of the binding times, left to right; a
    buffer is anything with the buffer protocol.
    """

    def __init__(
        self,
        program: ResidualProgram,
        warnings: Warnings | None = None,
        explanation: Explanation | None = None,
        again: Callable[[], Explanation] | None = None,
        key: str = "",
    ) -> None:
        self.program = program
        self._explanation = explanation
        self._again = again
        self._key = key
        self._times: Times | None = None
        self.warnings = warnings or Warnings()
        """What was left out of the source program."""

    @property
    def entry(self) -> str:
        """The name of the procedure, that of the source entry."""
        return self.program.entry

    @property
    def parameters(self) -> tuple[ResidualParameter, ...]:
        """What the callables take."""
        return self.program.parameters

    @property
    def statistics(self) -> Mapping[str, float]:
        """What the specialization took and made: counts, and seconds where the name says so."""
        return MappingProxyType(self.program.statistics)

    def explain(self) -> Explanation:
        """What was decided at each place of the source program, by which rule and why: its `text`
        to read, its `decisions` and `variables`, and all as `json()`.

        CogenError if `cogen.specialize` was not asked to note it (`explain=True`).
        """
        if self._explanation is None:
            raise CogenError(
                "what was decided was not noted when this program was made",
                hint="cogen.specialize(..., explain=True)",
            )
        return self._explanation

    @cached_property
    def scheme(self) -> str:
        """A program in the source language that `cogen run` accepts."""
        return kept_programs.made("text", self._key, "scheme", make=self._scheme)

    def _scheme(self) -> str:
        from cogen.backends.scheme.scheme import emit

        return emit(self.program.program)

    @cached_property
    def il(self) -> str:
        """The IL, which `lang.iltext.parse` reads back."""
        from cogen.lang.iltext import show

        return show(self.program.program)

    @cached_property
    def python(self) -> str:
        """A Python module."""
        from cogen.backends.python.python import emit

        return emit(self.program.program, self.program.word_size)

    @cached_property
    def c(self) -> str:
        """A C translation unit: of a kernel a function that uses C's own types; of any other
        program a whole command with its run time, `cc FILE.c -lm` (cogen.backends.native.single).

        CogenError if the program has a constant that cannot be written.
        """
        return kept_programs.made("text", self._key, "c", make=self._c)

    def _c(self) -> str:
        from cogen.backends.kernel.c import emit

        try:
            return emit(self.program).text
        except LimitationError:
            from cogen.backends.native.compile import c_text
            from cogen.backends.native.single import single_file

            program = self.program
            return single_file(c_text(program.program, program.entry, program.word_size).text)

    @cached_property
    def asm(self) -> str:
        """What the C compiler makes of `c`, as assembly; of a whole program without its run time.

        CogenError if there is no C compiler.
        """
        from cogen.view.targets import c_text

        return c_text(self.program).assembly().text

    @cached_property
    def html(self) -> str:
        """One page that needs nothing else: source, residual program, C and assembly side by side,
        linked, with what was decided at each place (docs/view.md)."""
        from cogen.view.page import residual_page

        return residual_page(self.program, self.mapping, self._noted, times=self._times)

    def measure(self, *arguments: object, seconds: float = 2.0) -> Times:
        """Run the native code on arguments again and again for so many seconds, and find which
        places of the source take the time; `html` and `view` show it from then on.

        CogenError as for a call of what `compile` gives; if there is no C compiler; and if the runs
        took too little time to tell.  LimitationError on systems that cannot measure it.
        """
        from cogen.view.timing import measured

        wanted = expected.seconds(seconds)
        self._times = measured(self.program, self.mapping, arguments, wanted)
        self.__dict__.pop("html", None)
        return self._times

    def view(self) -> Path:
        """Write the page to a temporary file, open it in a browser, and give the file's path."""
        from cogen.view.opening import opened

        return opened(self.html, self.entry)

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks."""
        from cogen.view.opening import framed

        return framed(self.html)

    def source_map(self) -> dict[str, Any]:
        """Which part of `scheme`, `c` and `asm` comes from where in the source, and what is known
        there: data for JSON (docs/view.md).  A text that there is not, as of assembly without a C
        compiler, has no regions."""
        return self.mapping.json()

    @cached_property
    def mapping(self) -> SourceMap:
        """The source map as `cogen.view.sourcemap` has it; `missing` says which texts there are
        not, and why."""
        from cogen.view.mapping import source_map

        return source_map(self.program, self._noted)

    @cached_property
    def _noted(self) -> Explanation | None:
        """What was decided; found by specializing once more, if it was not noted."""
        if self._explanation is None and self._again is not None:
            return self._again()
        return self._explanation

    @cached_property
    def array(self) -> str:
        """A program on whole arrays, in L0; its `main` is the entry.  As `to_array`."""
        return self.to_array().text

    def to_array(self, kinds: NodeWords | None = None) -> Program:
        """The residual program as a program on whole arrays (`cogen.array`), whose `main` it is.

        The parameters' types are those of the binding times, `cogen.dynamic("(array float)")`, or
        those that the program declares.  CogenError, at the place in the source, where a type is
        not known or does not fit; LimitationError for what array programs do not have.  `kinds` are
        those whose names are words of the program (`cogen.array.load`).
        """
        from cogen.array.programs.arrayprogram import Program
        from cogen.array.programs.nodewords import node_words
        from cogen.array.scheme.translateresidual import translate_residual

        words = None if kinds is None else node_words(kinds)
        made = translate_residual(self.program)
        return Program(made) if words is None else words.program(made)

    def compile(self, *arguments: object) -> Callable[..., Any]:
        """The entry as native code, built by the C compiler at first and cached.

        What kernels have no need of (pairs, closures, strings, `call/cc`, output) is compiled as
        a whole program; then data cross as text.  CogenError if there is no C compiler
        (`to_python` needs none); for arguments, which are the callable's.
        """
        _refuse_arguments("compile", arguments)
        from cogen.backends.kernel.load import load_module

        try:
            return load_module(kept_programs.made("module", self._key, make=self._emit))
        except LimitationError:
            from cogen.backends.native.load import load as load_whole

            return load_whole(self.program)

    def _emit(self) -> CModule:
        from cogen.backends.kernel.c import emit

        return emit(self.program)

    def shared_object(self) -> bytes:
        """The shared object that `compile` loads; the C text says how to call it."""
        from cogen.backends.kernel.load import shared_object

        try:
            return shared_object(self.program)
        except LimitationError:
            from cogen.backends.native.load import LoadedProgram
            from cogen.diskstore import contents

            return contents(LoadedProgram(self.program).path)

    def executable(self, path: str | Path) -> Path:
        """Write the entry as a native program of its own, as `cogen compile --entry` does: it takes
        its arguments as words, and prints its result.  Its errors tell places of the source, or of
        the program that was interpreted.  Gives the path; CogenError if there is no C compiler."""
        from cogen import diskstore as store
        from cogen.backends.native.compile import compile_program
        from cogen.writing import replaced

        program = self.program
        made = compile_program(program.program, program.entry, program.word_size)
        with replaced(str(path), executable=True) as stream:
            stream.write(store.contents(made))
        return Path(path)

    def to_python(self, *arguments: object) -> Callable[..., Any]:
        """The entry as Python code; needs no compiler.  CogenError for arguments."""
        _refuse_arguments("to_python", arguments)
        from cogen.backends.python.python import load as load_python

        return load_python(self.program)

    def __call__(self, *arguments: object) -> NoReturn:
        """CogenError: there are two ways to run it."""
        raise CogenError(
            f"the residual program {self.entry} is a text until it is compiled",
            hint="residual.compile()(...) runs it as C, residual.to_python()(...) as Python",
        )

    def __repr__(self) -> str:
        names = ", ".join(parameter.name for parameter in self.parameters)
        return f"<residual {self.entry}({names})>"


def _refuse_arguments(method: str, arguments: Sequence[object]) -> None:
    if arguments:
        raise CogenError(
            f"{method}() takes no arguments: it gives the function that takes them",
            hint=f"residual.{method}()(...)",
        )
