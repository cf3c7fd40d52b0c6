"""Compilers as files: the text of one, with what tells how to call it, and its use.

;;; made by ...
(define division '(s d))        one letter a parameter of the interpreter's entry
(define entry 'run)
(define (mix statics) ...)      the compiler: known arguments -> raw residual program
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cogen.mix.system import UNKNOWN, Annotated, Program, perform, tidy
from lang import core
from lang.cps import convert
from lang.datum import Datum, Symbol, from_iterable, iterate
from lang.errors import CogenError
from lang.expand import expand
from lang.files import read_source
from lang.interp import Interpreter

ENTRY: Final = "mix"


def write_compiler(compiler: Program, annotated: Annotated) -> str:
    """The text of a compiler as a file of its own."""
    division = " ".join(annotated.division)
    return (
        f";;; A compiler, made from an interpreter; its use: cogen mix compile FILE BT ...\n\n"
        f"(define division '({division}))\n\n"
        f"(define entry '{annotated.entry})\n\n"
        f"{compiler.text}"
    )


def run_compiler(path: Path, division: str, known: list[Datum]) -> Program:
    """The program that the compiler in a file makes of what is known.

    CogenError if the file is no compiler, or takes something else.
    """
    expanded = expand(read_source(path))
    values = {form.name: form.value for form in expanded.forms if isinstance(form, core.Define)}
    own, entry = values.get("division"), values.get("entry")
    if (
        not isinstance(own, core.Const)
        or not isinstance(entry, core.Const)
        or not isinstance(entry.value, Symbol)
        or ENTRY not in values
    ):
        raise CogenError(f"{path} is not a compiler", hint="`cogen mix compiler` makes compilers")
    wanted = "".join(letter.name for letter in iterate(own.value))
    if wanted != division:
        shown = " ".join("(static DATUM)" if letter == "s" else "_" for letter in wanted)
        raise CogenError(f"the compiler in {path} takes the binding times {shown}")
    interpreter = Interpreter(convert(expanded))
    interpreter.run()
    rest = iter(known)
    statics = from_iterable(next(rest) if letter == "s" else UNKNOWN for letter in division)
    name = entry.value.name
    raw = perform(f"compiling with {path}", lambda: interpreter.call(ENTRY, [statics]))
    return tidy(raw, name)
