"""Compilers as files: the text of one, with what tells how to call it, and its use.

;;; made by ...
(define division '(s d))          one letter a parameter of the interpreter's entry
(define entry 'run)
(define (mix limit statics) ...)  the compiler: known arguments -> raw residual program
(define careful (list ...))       compilers made with more care, for sources by which it has no end
(define (until-it-ends limit statics) ...)      the first of them that ends

One that stands alone has, besides,

(define (compile SOURCE ...) ...)   writes the text of the target program

and needs nothing of this system any more; `cogen compile` makes it a native compiler.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cogen.lang import core
from cogen.lang.cps import convert
from cogen.lang.datum import Datum, Symbol, from_iterable, iterate
from cogen.lang.errors import CogenError
from cogen.lang.expand import expand
from cogen.lang.files import read_source
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_symbol
from cogen.mix.show import RESERVED
from cogen.mix.system import (
    DEFAULT_LIMIT,
    HERE,
    UNKNOWN,
    Annotated,
    MixProgram,
    no_end,
    perform,
    tidy,
)

ENTRY: Final = "mix"

STANDALONE_ENTRY: Final = "compile"
"""The procedure of a compiler that stands alone."""


UNTIL_IT_ENDS: Final = "until-it-ends"
"""The procedure that is called to compile."""


def write_compiler(compilers: Sequence[MixProgram], annotated: Annotated) -> str:
    """The text of a compiler as a file of its own, from those for the levels of `annotated`."""
    division = " ".join(annotated.division)
    first, *careful = (compiler.text for compiler in compilers)
    more = "".join(f"\n (let ()\n{text}\n{ENTRY})" for text in careful)
    ways = (HERE / "ways.scm").read_text(encoding="utf-8")
    return (
        f";;; A compiler, made from an interpreter; its use: cogen mix compile FILE BT ...\n\n"
        f"(define division '({division}))\n\n"
        f"(define entry '{annotated.entry})\n\n"
        f"{first}\n"
        f";;; The same, made with more care that nothing known grows for ever.\n\n"
        f"(define careful (list{more}))\n\n"
        f"{ways}\n"
        f"(define ({UNTIL_IT_ENDS} limit statics)\n"
        f"  (first-that-ends (cons {ENTRY} careful) limit statics))\n"
    )


def write_standalone(compilers: Sequence[MixProgram], annotated: Annotated) -> str:
    """The text of a compiler with a procedure that takes what is known of the interpreter's
    arguments and writes the target's text, which `cogen mix compile` would give but for its
    layout."""
    parts = "\n".join(map(_text, ("tidy.scm", "show.scm")))
    sources = [f"source-{i}" for i in range(1, annotated.division.count("s") + 1)]
    given = iter(sources)
    statics = " ".join(next(given) if letter == "s" else "'()" for letter in annotated.division)
    reserved = " ".join(map(write_symbol, sorted(RESERVED)))
    return (
        f"{write_compiler(compilers, annotated)}\n"
        f";;; What follows makes text of what the compiler gives.\n\n"
        f"(define {STANDALONE_ENTRY}\n"
        f"(let ()\n"
        f"(define reserved '({reserved}))\n\n"
        f"{parts}\n"
        f"(lambda ({' '.join(sources)})\n"
        f"  (let ((raw ({UNTIL_IT_ENDS} {DEFAULT_LIMIT} (list {statics}))))\n"
        f"    (if (symbol? raw)\n"
        f'        (error "it does not seem to end: too many versions of" raw))\n'
        f"    (for-each (lambda (definition)\n"
        f"                (write definition)\n"
        f"                (newline))\n"
        f"              (show-program (tidy raw)))))))\n"
    )


def run_compiler(path: Path, division: str, known: list[Datum]) -> MixProgram:
    """The program that the compiler in a file makes of what is known.

    CogenError if the file is no compiler, or takes something else.
    """
    expanded = expand(read_source(path))
    values = {form.name: form.value for form in expanded.forms if isinstance(form, core.DefineForm)}
    own, entry = values.get("division"), values.get("entry")
    if (
        not isinstance(own, core.ConstForm)
        or not isinstance(entry, core.ConstForm)
        or not isinstance(entry.value, Symbol)
        or UNTIL_IT_ENDS not in values
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
    raw = perform(
        f"compiling with {path}",
        lambda: interpreter.call(UNTIL_IT_ENDS, [DEFAULT_LIMIT, statics]),
    )
    if isinstance(raw, Symbol):
        raise no_end(f"compiling with {path}", raw)
    return tidy(raw, name)


def _text(name: str) -> str:
    """The text of a file beside this one, with that of those that it includes in their place."""
    text = (HERE / name).read_text(encoding="utf-8")
    return re.sub(r'\(include "([^"]+)"\)\n', lambda found: _text(found[1]), text)
