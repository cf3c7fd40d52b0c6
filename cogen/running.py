"""Run a whole program, then a procedure of it, by one of the back ends.

    interp   the IL interpreter
    python   the IL as Python code

The output of the program goes to standard output as it runs.  What `--backend c` runs is a
process of its own (`cogen.nativecli`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from lang import il
from lang.datum import UNSPECIFIED, Datum
from lang.interp import Interpreter
from lang.printer import write_datum
from lang.values import MultipleValues

Backend = Callable[[il.Program, str | None, Sequence[Datum], int], Datum]
"""Takes a program, an entry or None, its arguments, the word size; gives the entry's value."""


def run_program(
    program: il.Program,
    entry: str | None,
    arguments: Sequence[Datum],
    backend: str,
    word_size: int,
) -> Iterator[str]:
    """Run the top level, call the entry if there is one; the texts of its values."""
    result = BACKENDS[backend](program, entry, arguments, word_size)
    values = result.items if isinstance(result, MultipleValues) else (result,)
    return (write_datum(value) for value in values if value is not UNSPECIFIED)


def interpret(
    program: il.Program, entry: str | None, arguments: Sequence[Datum], word_size: int
) -> Datum:
    """By the interpreter."""
    interpreter = Interpreter(program, word_size)
    interpreter.run()
    return UNSPECIFIED if entry is None else interpreter.call(entry, arguments)


def run_python(
    program: il.Program, entry: str | None, arguments: Sequence[Datum], word_size: int
) -> Datum:
    """As Python code."""
    from cogen.target.python import PythonProgram

    python = PythonProgram(program, word_size)
    python.run()
    return UNSPECIFIED if entry is None else python.call(entry, arguments)


BACKENDS: Final[dict[str, Backend]] = {
    "interp": interpret,
    "python": run_python,
}
