"""Run a whole program, then a procedure of it, by one of the back ends.

    interp   the IL interpreter
    python   the IL as Python code

The output of the program goes to standard output as it runs.  What `--backend c` runs is a
process of its own (`cogen.commands.compile`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED, Datum
from cogen.lang.governor import RUNNING, Budget, governed
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.lang.values import MultipleValues, OutputPort

if TYPE_CHECKING:
    from cogen.backends.python.python import PythonProgram

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


def _run(
    kind: Callable[[il.Program, int], Interpreter | PythonProgram],
    program: il.Program,
    entry: str | None,
    arguments: Sequence[Datum],
    word_size: int,
    command_line: Sequence[str],
) -> tuple[Datum, OutputPort]:
    """The value of the entry, if one is called, and where the output went."""
    running = kind(program, word_size)
    running.machine.command_line = tuple(command_line)
    running.run()
    value = UNSPECIFIED if entry is None else running.call(entry, arguments)
    return value, running.machine.port


def _as_python(program: il.Program, word_size: int) -> PythonProgram:
    from cogen.backends.python.python import PythonProgram

    return PythonProgram(program, word_size)


BACKENDS: Final[dict[str, Backend]] = {
    "interp": partial(_run, Interpreter),
    "python": partial(_run, _as_python),
}
