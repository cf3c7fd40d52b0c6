"""Run a whole program, then a procedure of it, by one of the back ends.

    interp   the IL interpreter
    python   the IL as Python code

The output of the program goes to standard output as it runs.  What `--backend c` runs is a
process of its own (`cogen.commands.compile`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED, Datum
from cogen.lang.governor import RUNNING, Budget, governed
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.lang.values import MultipleValues, OutputPort

Backend = Callable[
    [il.Program, str | None, Sequence[Datum], int, Sequence[str]], tuple[Datum, OutputPort]
]
"""Takes a program, an entry or None, its arguments, the word size, the command line; gives the
entry's value, and where the program's output went."""


def run_program(
    program: il.Program,
    entry: str | None,
    arguments: Sequence[Datum],
    backend: str,
    word_size: int,
    budget: Budget = RUNNING,
    command_line: Sequence[str] = ("",),
) -> Iterator[str]:
    """Run the top level, call the entry if there is one; the texts of its values.  The run keeps to
    the budget.  `command_line` is what the program sees as such."""
    run = partial(BACKENDS[backend], program, entry, arguments, word_size, command_line)
    return result_texts(*governed("the run", budget, run))


def result_texts(result: Datum, port: OutputPort) -> Iterator[str]:
    """The texts of the values that an entry gave.

    If there are any, the program's output, which went to the port, is made to end a line.
    """
    values = result.items if isinstance(result, MultipleValues) else (result,)
    shown = [value for value in values if value is not UNSPECIFIED]
    if shown and not port.at_line_start:
        port.write("\n")
    return map(write_datum, shown)


def interpret(
    program: il.Program,
    entry: str | None,
    arguments: Sequence[Datum],
    word_size: int,
    command_line: Sequence[str],
) -> tuple[Datum, OutputPort]:
    """By the interpreter."""
    interpreter = Interpreter(program, word_size)
    interpreter.machine.command_line = tuple(command_line)
    interpreter.run()
    value = UNSPECIFIED if entry is None else interpreter.call(entry, arguments)
    return value, interpreter.machine.port


def run_python(
    program: il.Program,
    entry: str | None,
    arguments: Sequence[Datum],
    word_size: int,
    command_line: Sequence[str],
) -> tuple[Datum, OutputPort]:
    """As Python code."""
    from cogen.target.python import PythonProgram

    python = PythonProgram(program, word_size)
    python.machine.command_line = tuple(command_line)
    python.run()
    value = UNSPECIFIED if entry is None else python.call(entry, arguments)
    return value, python.machine.port


BACKENDS: Final[dict[str, Backend]] = {
    "interp": interpret,
    "python": run_python,
}
