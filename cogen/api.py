"""The Python API: load a program, specialize it, use the residual program.

Programs are IL (`lang.il.Program`); a `Residual` shows a residual program as text in every
form and makes it callable.  What a form needs (cffi, a back end) is imported when it is asked
for, so that `import cogen` is quick.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from cogen import expected, kept_programs
from cogen.binding_times import BT, check_bt, later_leaves
from cogen.boundary import public, public_methods
from cogen.lang import il
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, LimitationError, Source, Warnings
from cogen.lang.files import read_source
from cogen.lang.governor import READING, Budget, governed
from cogen.residual import ResidualParameter, ResidualProgram
from cogen.specializer.versions.options import (
    DEFAULT_MAX_MEMORY,
    DEFAULT_MAX_SIZE,
    DEFAULT_MAX_TIME,
    DEFAULT_MAX_UNFOLDINGS,
    DEFAULT_MAX_VARIANTS,
    SpecializerOptions,
)

if TYPE_CHECKING:
    from cogen.array.programs.arrayprogram import Program
    from cogen.array.programs.nodewords import NodeWords
    from cogen.backends.kernel.cmodule import CModule
    from cogen.generating.extension import Extension
    from cogen.specializer.explain.explain import Explanation
    from cogen.view.sourcemap import SourceMap
    from cogen.view.timing import Times


def library_path() -> tuple[Path, ...]:
    """Where libraries that come with the system are: `(signals memory)` is signals/memory.scm."""
    return (Path(__file__).resolve().parent.parent,)


@public
def load(
    path: str | Path,
    *,
    max_time: float | None = READING.seconds,
    max_memory: float | None = READING.megabytes,
) -> il.Program:
    """The program of a file; CogenError for whatever is wrong with it.

    Libraries and included files are looked for beside it first.  Reading and expanding it takes
    `max_time` seconds and `max_memory` megabytes at most; None for no such limit.
    """
    return program_of(read_source(expected.path(path)), Budget(max_time, max_memory))


@public
def loads(
    text: str,
    name: str = "<string>",
    *,
    max_time: float | None = READING.seconds,
    max_memory: float | None = READING.megabytes,
) -> il.Program:
    """The program that the text writes; `name` is what diagnostics call it.  Limits as for
    `load`."""
    expected.text(text, "a program's text")
    expected.text(name, "a program's name")
    return program_of(Source(name, text), Budget(max_time, max_memory))


def program_of(source: Source, budget: Budget) -> il.Program:
    """The program of a source, as it is kept or expanded now."""

    def expand() -> il.Program:
        from cogen.lang.load import load_source

        return load_source(source, library_path(), budget)

    return kept_programs.program(source, expand)


@public
def specialize(
    program: il.Program,
    entry: str,
    *bts: BT,
    word_size: int = 32,
    checked: bool = False,
    generalize: bool = False,
    auto: bool | None = None,
    max_variants: int = DEFAULT_MAX_VARIANTS,
    max_size: int = DEFAULT_MAX_SIZE,
    max_unfoldings: int = DEFAULT_MAX_UNFOLDINGS,
    max_time: float | None = DEFAULT_MAX_TIME,
    max_memory: float | None = DEFAULT_MAX_MEMORY,
    explain: bool = False,
) -> Residual:
    """The program's procedure `entry` specialized to what is known of its arguments.

    One binding time a parameter: `cogen.dynamic("int")`, `cogen.static(5)`,
    `cogen.cyclic(32, 0)`, ...

    `word_size`       bits of a memory word: a multiple of 8 from 8 to 64
    `checked`         residual C reports integers that leave [-2^63, 2^63)
    `generalize`      make dynamic what grows
    `auto`            place `set-base` by the specializer's own judgement; None: where the
                      addresses of libraries' samples need it, if no arm is larger for it
    `max_variants`    residual versions of one source procedure (or join), at most
    `max_size`        residual operations in all, at most
    `max_unfoldings`  calls unfolded one after the other without a memo point, at most
    `max_time`        seconds of wall-clock time, at most; None for no such limit
    `max_memory`      megabytes that are taken meanwhile, at most; None for no such limit
    `explain`         the result's `explain()` tells what was decided, and why

    CogenError where the program must fail, or at a limit.
    """
    _check_arguments(program, entry, bts)
    if any(later_leaves(bt) for bt in bts):
        raise CogenError(
            "a static argument needs its value", hint="cogen.static() is for cogen.generate"
        )
    options = SpecializerOptions(
        word_size=word_size,
        checked=checked,
        generalize=generalize,
        auto=auto,
        max_variants=max_variants,
        max_size=max_size,
        max_unfoldings=max_unfoldings,
        max_time=max_time,
        max_memory=max_memory,
    )
    return _specialized(program, entry, bts, options, expected.flag(explain, "explain"))


def _specialized(
    program: il.Program, entry: str, bts: Sequence[BT], options: SpecializerOptions, explain: bool
) -> Residual:
    """A residual program that is made, or was kept."""
    from cogen.specializer.packed import with_packed_parameters

    program = with_packed_parameters(program, entry, bts)
    warnings = Warnings()
    if explain:
        from cogen.specializer.explain.explain import explain as run_explaining

        explained = run_explaining(program, entry, bts, options, warnings)
        return Residual(explained.program, warnings, explained.explanation)

    def make() -> tuple[ResidualProgram, Warnings]:
        from cogen.specializer.specialize import specialize as run

        return run(program, entry, bts, options, warnings), warnings

    found, warnings, key = kept_programs.residual(program, entry, bts, options, make)
    again = partial(decisions_of, program, entry, bts, options)
    return Residual(found, warnings, again=again, key=key)


def decisions_of(
    program: il.Program, entry: str, bts: Sequence[BT], options: SpecializerOptions
) -> Explanation:
    """What a specialization decides, when it is carried out again."""
    from cogen.specializer.explain.explain import explain

    return explain(program, entry, bts, options, Warnings()).explanation


@public
def generate(program: il.Program, entry: str, *division: BT, **options: Any) -> Extension:
    """A generating extension: a compiler for what the procedure `entry` interprets.

    The division is one binding time a parameter, as for `specialize`, with `cogen.static()` for
    what will be known only when the compiler runs.  The result is called with the same binding
    times and the values, and gives what `specialize` would; its `text` is a Python module that can
    be kept and imported, or run by `cogen compile-with`.  It is loaded when it is first run.
    Keywords are those of `specialize`.
    """
    _check_arguments(program, entry, division)
    from cogen.generating.extension import Extension
    from cogen.generating.generate import generate as write
    from cogen.specializer.packed import with_packed_parameters

    program = with_packed_parameters(program, entry, division)
    what, budget = "generating the extension", SpecializerOptions(**options).budget
    text = governed(what, budget, on_deep_stack, write, program, entry, division, options)
    return Extension.unread(
        text, f"<generating extension of {entry}>", entry, tuple(division), options
    )


@public
def load_extension(path: str | Path) -> Extension:
    """The generating extension in a file that `cogen generate` wrote; CogenError if it is none."""
    from cogen.generating.extension import make

    source = read_source(expected.path(path))
    return make(source.text, source.name)


def _check_arguments(program: object, entry: object, bts: Sequence[BT]) -> None:
    check_program(program)
    expected.text(entry, "the name of a procedure")
    for bt in bts:
        check_bt(bt)


def check_program(program: object) -> None:
    """CogenError if it is no program."""
    if not isinstance(program, il.Program):
        raise CogenError(
            f"a program was expected, not {expected.shown(program)}",
            hint="cogen.load(path) and cogen.loads(text) give programs",
        )


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
