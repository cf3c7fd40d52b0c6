"""The phases of the specializer, and compilers that it makes, as native code.

A program in native code takes and gives data as text.  Law: the text is what `write_datum` gives
of the value that the interpreter computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from cogen.backends.native.load import LoadedProgram
from cogen.lang import il
from cogen.lang.datum import Datum, from_iterable
from cogen.lang.errors import InternalError
from cogen.lang.load import load, loads
from cogen.lang.printer import write_datum
from cogen.mix.system import HERE, MixProgram
from cogen.residual import ResidualParameter, ResidualProgram


class NativeProcedure:
    """A procedure of a program, as native code."""

    def __init__(self, program: il.Program, entry: str, count: int) -> None:
        parameters = tuple(ResidualParameter(f"x{i}") for i in range(count))
        self.loaded = LoadedProgram(ResidualProgram(program, entry, parameters))

    def on_text(self, arguments: str) -> str:
        """The text of the value for the text of the list of the arguments.

        InternalError if the procedure fails, or gives several values.
        """
        answer = self.loaded.ask(arguments)
        if not answer.startswith("v("):
            raise InternalError(f"native code gives {answer!r}")
        return answer[2:-1]


def text_of(arguments: Sequence[Datum]) -> str:
    """The text of a list of arguments, as `on_text` takes it."""
    return write_datum(from_iterable(arguments))


@cache
def native_phase(name: str, entry: str, count: int) -> NativeProcedure:
    """A procedure of `count` parameters of a phase (system.phase)."""
    return NativeProcedure(load(HERE / f"{name}.scm"), entry, count)


def native_procedure(program: MixProgram, entry: str, count: int) -> NativeProcedure:
    """A procedure of a program in the small language."""
    return NativeProcedure(loads(program.text, program.name), program.names_in_text[entry], count)
