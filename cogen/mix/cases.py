"""Interpreters to make compilers of: a file that defines `run`, a `program` and `data`.

`(run program input ...)` is the interpreter; the constant `program` is a program for it, and
the constant `data` the list of the inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from cogen.lang import core
from cogen.lang.cps import convert
from cogen.lang.datum import Datum, iterate
from cogen.lang.errors import CogenError
from cogen.lang.expand import expand
from cogen.lang.files import read_source
from cogen.lang.interp import Interpreter
from cogen.mix.system import HERE, Annotated, MixProgram

ENTRY: Final = "run"

INTERPRETERS: Final = {
    "mp": "MP, while loops over lists",
    "mixwell": "Mixwell-like, first-order functional",
    "lazy": "lazy functional, combinators",
    "by-value": "lambda calculus, call by value",
    "by-name": "lambda calculus, call by name",
    "turing": "Turing machine",
    "stack": "stack machine with procedures",
    "regex": "regular expressions",
    "scheme": "Scheme, environments as lists",
    "machine": "stack machine over vectors",
    "arrays": "while loops over arrays",
    "self": "the small language in itself",
}
"""The interpreters that come with the system, by the names of their files."""


def path_of(name: str) -> Path:
    """The file of an interpreter that comes with the system."""
    return HERE / "interpreters" / f"{name}.scm"


@dataclass(frozen=True, eq=False)
class InterpreterCase:
    """An interpreter with a program for it and inputs for that."""

    name: str
    title: str
    interpreter: MixProgram
    source: Datum
    data: list[Datum]
    original: Interpreter
    """The interpreter as it was written, ready to run."""

    @property
    def entry(self) -> str:
        return ENTRY

    @cached_property
    def annotated(self) -> Annotated:
        """The interpreter annotated for a known program and unknown inputs."""
        return self.interpreter.annotate(ENTRY, "s" + "d" * len(self.data))

    def interpret(self) -> Datum:
        """The value of `(run program input ...)`."""
        return self.original.call(ENTRY, [self.source, *self.data])


def load_case(name: str) -> InterpreterCase:
    """The interpreter of that name, or else of the file of that name.

    CogenError where the file does not define what a case needs, or is outside the subset.
    """
    known = name in INTERPRETERS
    path = path_of(name) if known else Path(name)
    expanded = expand(read_source(path))
    constants = {
        form.name: form.value.value
        for form in expanded.forms
        if isinstance(form, core.DefineForm) and isinstance(form.value, core.ConstForm)
    }
    interpreter = MixProgram.of(expanded, str(path))
    for wanted in ("program", "data"):
        if wanted not in constants:
            raise CogenError(
                f"{path} does not define the constant `{wanted}`",
                hint="an interpreter to experiment with defines the procedure "
                f"`{ENTRY}`, a quoted `program` and the list `data` of further arguments",
            )
    try:
        data = list(iterate(constants["data"]))
    except ValueError:
        data = []
    if not interpreter.takes(ENTRY, 1 + len(data)):
        parameters = interpreter.parameters(ENTRY) or ()
        raise CogenError(
            f"`{ENTRY}` in {path} has {len(parameters)} parameters: a program and inputs, but "
            f"`data` is not the list of {len(parameters) - 1}"
        )
    original = Interpreter(convert(expanded))
    original.run()
    title = INTERPRETERS.get(name, path.stem)
    return InterpreterCase(
        name if known else path.stem, title, interpreter, constants["program"], data, original
    )
