"""The Python API: load a program, specialize it, use the residual program.

Programs are IL (`lang.il.Program`); what `specialize` gives is `cogen.specialized`.  What a form
needs (cffi, a back end) is imported when it is asked for, so that `import cogen` is quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cogen import expected, kept_programs
from cogen.binding_times import BT, check_bt, later_leaves
from cogen.boundary import public
from cogen.lang import il
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source, Warnings
from cogen.lang.files import read_source
from cogen.lang.governor import READING, Budget, governed
from cogen.residual import ResidualProgram
from cogen.specialized import Residual, decisions_of
from cogen.specializer.versions.options import (
    DEFAULT_MAX_MEMORY,
    DEFAULT_MAX_SIZE,
    DEFAULT_MAX_TIME,
    DEFAULT_MAX_UNFOLDINGS,
    DEFAULT_MAX_VARIANTS,
    SpecializerOptions,
)

if TYPE_CHECKING:
    from cogen.generating.extension import Extension


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
