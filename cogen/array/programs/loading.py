"""Array programs of files, of texts, and of procedures of the Scheme-like language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from cogen import expected
from cogen.array.programs.arrayprogram import Program
from cogen.array.programs.nodewords import NodeWords, node_words
from cogen.boundary import public
from cogen.lang.errors import CogenError, Source
from cogen.lang.files import read_source

if TYPE_CHECKING:
    from cogen.lang import il

SCHEME: Final = ".scm"
"""How the names of files in the Scheme-like language end."""


@public
def load(path: str | Path, entry: str = "main", kinds: NodeWords | None = None) -> Program:
    """The program of a file.  CogenError for whatever is wrong with it.

    Of a file in the Scheme-like language (`.scm`) `entry` is the procedure that the program is made
    of, as its function `main`; it declares the types of its parameters (`define-array`).
    `kinds` are those whose names are words of the program (`cogen.Kinds`).
    """
    path = expected.path(path)
    expected.text(entry, "the name of a function")
    words = None if kinds is None else node_words(kinds)
    source = read_source(path)
    if path.suffix != SCHEME:
        return Program(source) if words is None else words.program(source)
    from cogen.api import program_of
    from cogen.lang.governor import READING

    if words is not None:
        source = Source(source.name, source.text + words.definitions(source.text))
    return of_scheme(program_of(source, READING), entry, words)


@public
def loads(text: str, name: str = "<string>", kinds: NodeWords | None = None) -> Program:
    """The program that a text in L0 writes; `name` is what diagnostics call it, `kinds` as for
    `load`."""
    source = Source(
        expected.text(name, "a program's name"), expected.text(text, "a program's text")
    )
    return Program(source) if kinds is None else node_words(kinds).program(source)


@public
def of_scheme(program: il.Program, entry: str = "main", kinds: NodeWords | None = None) -> Program:
    """The array program that a procedure of a Scheme-like program is, nothing being known ahead.

    CogenError where the procedure does not declare what its parameters are, or does what array
    programs cannot do.  `cogen.specialize(...).to_array()` does the same with what is known.
    """
    from cogen.api import check_program, specialize
    from cogen.binding_times import dynamic
    from cogen.lang.ilutil import find_procedure

    check_program(program)
    expected.text(entry, "the name of a procedure")
    words = None if kinds is None else node_words(kinds)
    function = find_procedure(program, entry)
    times = [dynamic()] * (len(function.parameters) if function is not None else 0)
    try:
        residual = specialize(program, entry, *times, max_variants=FEW_VARIANTS)
    except CogenError as error:
        if "does not seem to end" not in error.message:
            raise
        residual = specialize(program, entry, *times, generalize=True)
    return residual.to_array(words)


FEW_VARIANTS: Final = 200
"""Versions of one procedure, after which counters of loops are no longer taken as known."""
