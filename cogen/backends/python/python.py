"""IL -> Python: `emit` gives a module to read, `load` a callable.

    direct     IL -> core, one binding for each operation      (cogen.backends.direct.direct)
    tidy       core -> core, nested expressions                (cogen.backends.direct.tidy)
    write      core -> Python functions                        (cogen.backends.python.pytext)

That is for first-order programs, which residual programs mostly are.  Any other program (with
procedures as values, captured continuations, handlers, a top level that runs) becomes a module
that holds the IL and runs it by `lang.interp`, which makes Python code of it when it is loaded.

Laws: the value, the output and the error of a call, with its place, are the interpreter's;
recursion may go as deep as memory allows; tail calls need no stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from cogen.backends.python.pynames import python_name
from cogen.backends.python.pyprogram import PythonProgram, python_text
from cogen.boundary import public_methods
from cogen.buffers import bytes_view, is_buffer, type_name
from cogen.convert import from_datum, holds_circular, to_argument
from cogen.lang import il, iltext
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError, LimitationError
from cogen.residual import ResidualParameter, ResidualProgram
from cogen.shapes import to_shape

__all__ = ["PythonFunction", "PythonProgram", "emit", "load"]

_IMPORTS: Final = {
    "partial(": "from functools import partial",
    "run(": "from cogen.backends.python.pyprogram import run",
    "= datum.": "from cogen.lang import datum",
    "RecordType(": "from cogen.lang.datum import RecordType",
    "Machine(": "from cogen.lang.machine import Machine",
    "PRIMITIVES[": "from cogen.lang.prims import PRIMITIVES",
    "read_datum(": "from cogen.lang.reader import read_datum",
}
"""What the text of a module has to import if certain words are in it."""


def emit(program: il.Program, word_size: int = 32) -> str:
    """The program as a Python module; memory has words of `word_size` bits.

    LimitationError if a constant cannot be written (a procedure, a buffer).
    """
    text = python_text(program)
    if text is None:
        return _carrier(program, word_size)
    definitions: list[str] = []
    if any(binding.machine for binding in text.bindings.values()):
        definitions.append(f"machine = Machine(word_size={word_size})")
    for name, binding in text.bindings.items():
        if not binding.text:
            raise LimitationError(
                "a constant of the program cannot be written in Python",
                hint="give it to the program as an argument",
            )
        definitions.append(f"{name} = {binding.text}")
    used = "\n".join([*definitions, "run(" if text.suspends else ""])
    imports = [line for word, line in _IMPORTS.items() if word in used]
    standard = [line for line in imports if line.startswith("from functools")]
    parts = ['"""Made by cogen.  Failing operations raise `cogen.lang.prims.PrimitiveError`."""']
    own = [line for line in imports if line not in standard]
    parts += ["\n".join(lines) for lines in (standard, own, definitions) if lines]
    return "\n\n".join(parts) + "\n\n\n" + "\n".join(text.lines) + "\n"


def _carrier(program: il.Program, word_size: int) -> str:
    """A module that runs the IL."""
    text = iltext.show(program).replace("\\", "\\\\").replace('"', '\\"')
    taken = {"Interpreter", "parse", "program"}
    own = program.own_globals
    procedures = [
        f"def {python_name(item.name, taken)}(*arguments):\n"
        f"    return program.call({item.name!r}, arguments)"
        for item in program.items
        if isinstance(item, il.Define) and (not own or item.name in own)
    ]
    head = (
        '"""Made by cogen; closures and continuations are left to the interpreter."""\n\n'
        "from cogen.lang.ilparse import parse\n"
        "from cogen.lang.interp import Interpreter\n\n"
        f'program = Interpreter(parse("""\n{text}"""), word_size={word_size})\n'
        "program.run()"
    )
    return "\n\n\n".join([head, *procedures]) + "\n"


def load(residual: ResidualProgram) -> PythonFunction:
    """The residual program's entry, called with Python values like the source's procedure."""
    return PythonFunction(residual)


@public_methods
class PythonFunction:
    """A residual entry as Python code: called like a Python function.

    Arguments and results are Python values (see `cogen.convert`).  `CogenError` for arguments
    that the declared types of the parameters refuse, and for errors of the program.
    """

    def __init__(self, residual: ResidualProgram) -> None:
        self.residual = residual
        self.program = PythonProgram(residual.program, residual.word_size)
        self.program.run()
        self.__name__ = self.__qualname__ = residual.entry

    @property
    def source(self) -> str:
        """The text of a Python module with the same procedures."""
        return emit(self.residual.program, self.residual.word_size)

    def __repr__(self) -> str:
        names = ", ".join(parameter.name for parameter in self.residual.parameters)
        return f"<python {self.residual.entry}({names})>"

    def __call__(self, *arguments: Any) -> Any:
        self.residual.check_count(len(arguments))
        parameters = self.residual.parameters
        data = [
            self.argument(parameter, argument)
            for parameter, argument in zip(parameters, arguments, strict=True)
        ]
        return from_datum(self.call(data, holds_circular(arguments)))

    def call(self, data: Sequence[Datum], circular: bool = False) -> Datum:
        """The value of the entry for data that the parameters take, whether circular or not."""
        return self.program.call(self.residual.entry, data, circular)

    def argument(self, parameter: ResidualParameter, argument: Any) -> Datum:
        """The datum of an argument, if its parameter takes it."""
        if parameter.type == "memory":
            return self.buffer(parameter, argument)
        if parameter.shape is not None:
            return to_shape(argument, parameter.shape, partial(self.residual.refusal, parameter))
        try:
            value = to_argument(argument)
        except CogenError as error:
            problem = f"cannot be passed: {error.message}"
            raise self.residual.refusal(parameter, problem, error.hint) from None
        if parameter.type == "any" and type(value) is not str and is_buffer(value):
            return self.buffer(parameter, value)
        if parameter.type == "float" and type(value) is int:
            value = float(value)
        wanted, accepts = _TYPES.get(parameter.type, ("", _anything))
        if not accepts(value):
            raise self.residual.refusal(parameter, f"must be {wanted}, not {type_name(argument)}")
        if parameter.cyclic is not None:
            base, remainder = parameter.cyclic
            if type(value) is not int or (value - remainder) % base:
                raise self.residual.refusal(
                    parameter,
                    f"is {argument}, which is not congruent to {remainder} modulo {base}",
                )
        return value

    def buffer(self, parameter: ResidualParameter, argument: Any) -> Datum:
        """A buffer as it is; an empty one as plain bytes, since its shape may be odd."""
        view = bytes_view(argument, partial(self.residual.refusal, parameter))
        return argument if view.nbytes else view


def _anything(value: Any) -> bool:
    return True


_TYPES: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    "int": ("an int", lambda value: type(value) is int),
    "float": ("a float", lambda value: type(value) is float),
    "bool": ("a bool", lambda value: type(value) is bool),
}
