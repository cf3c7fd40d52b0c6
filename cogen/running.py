"""Run a whole program, then a procedure of it, by one of the back ends.

    interp   the IL interpreter
    python   the IL as Python code
    c        the top level by the interpreter; the procedure compiled, specialized to nothing

The output of the program goes to standard output as it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from cogen.api import find_procedure
from cogen.bt import Dynamic
from cogen.convert import to_datum
from cogen.spec.options import Options
from lang import il
from lang.datum import UNSPECIFIED, Datum
from lang.errors import CogenError
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


def run_native(
    program: il.Program, entry: str | None, arguments: Sequence[Datum], word_size: int
) -> Datum:
    """By C that reports overflow, as the interpreter does."""
    from cogen.spec.specialize import specialize
    from cogen.target.load import load

    Interpreter(program, word_size).run()
    if entry is None:
        return UNSPECIFIED
    function = find_procedure(program, entry)
    if function is not None:
        _check_count(entry, function, len(arguments))
    bts = [Dynamic(_type(argument)) for argument in arguments]
    residual = specialize(program, entry, bts, Options(word_size=word_size, checked=True))
    return to_datum(load(residual)(*arguments))


def _check_count(entry: str, function: il.Function, count: int) -> None:
    """Refuse a wrong number of arguments as the interpreter does."""
    expected = len(function.parameters)
    if count < expected or (count > expected and function.rest is None):
        least = "" if function.rest is None else "at least "
        plural = "" if expected == 1 else "s"
        raise CogenError(
            f"{entry}: expected {least}{expected} argument{plural}, got {count}",
            function.span,
        )


_TYPES: Final = {int: "int", float: "float", bool: "bool", bytearray: "memory"}


def _type(argument: Datum) -> str:
    return _TYPES.get(type(argument), "any")


BACKENDS: Final[dict[str, Backend]] = {
    "interp": interpret,
    "python": run_python,
    "c": run_native,
}
