"""Array programs of files, of texts, and of procedures of the Scheme-like language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from cogen import expected
from cogen.array.programs.arrayprogram import Program
from cogen.boundary import public
from cogen.lang.errors import CogenError, Source
from cogen.lang.files import read_source

if TYPE_CHECKING:
    from cogen.lang import il

SCHEME: Final = ".scm"
"""How the names of files in the Scheme-like language end."""


@public
def load(path: str | Path, entry: str = "main") -> Program:
    """The program of a file.  CogenError for whatever is wrong with it.

    Of a file in the Scheme-like language (`.scm`) `entry` is the procedure that the program is made
    of, as its function `main`; it declares the types of its parameters (`define-array`).
    """
    path = expected.path(path)
    expected.text(entry, "the name of a function")
    if path.suffix != SCHEME:
        return Program(read_source(path))
    from cogen.api import load as load_scheme

    return of_scheme(load_scheme(path), entry)


@public
def loads(text: str, name: str = "<string>") -> Program:
    """The program that a text in L0 writes; `name` is what diagnostics call it."""
    return Program(
        Source(expected.text(name, "a program's name"), expected.text(text, "a program's text"))
    )


@public
def of_scheme(program: il.Program, entry: str = "main") -> Program:
    """The array program that a procedure of a Scheme-like program is, nothing being known ahead.

    CogenError where the procedure does not declare what its parameters are, or does what array
    programs cannot do.  `cogen.specialize(...).to_array()` does the same with what is known.
    """
    from cogen.api import check_program, find_procedure, specialize
    from cogen.binding_times import dynamic

    check_program(program)
    expected.text(entry, "the name of a procedure")
    function = find_procedure(program, entry)
    times = [dynamic()] * (len(function.parameters) if function is not None else 0)
    try:
        residual = specialize(program, entry, *times, max_variants=FEW_VARIANTS)
    except CogenError as error:
        if "does not seem to end" not in error.message:
            raise
        residual = specialize(program, entry, *times, generalize=True)
    return residual.to_array()


FEW_VARIANTS: Final = 200
"""Versions of one procedure, after which counters of loops are no longer taken as known."""
