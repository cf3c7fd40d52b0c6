"""The ways in which a residual program is called from Python, for tests that compare them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from cogen.backends.native import load as native_code
from cogen.lang import il
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum

native = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)


def by_interpreter(made: Any) -> Callable[..., Any]:
    """A residual program in the interpreter."""
    interpreter = Interpreter(made.program.program, made.program.word_size)
    interpreter.run()
    return lambda *arguments: interpreter.call(made.program.entry, arguments)


WAYS = [
    by_interpreter,
    lambda made: made.to_python(),
    pytest.param(lambda made: native_code.load(made.program), marks=native),
    pytest.param(lambda made: made.compile(), marks=native),
]


def result(program: il.Program, *arguments: Datum) -> str:
    """What `run` gives, or the error's first line without its place."""
    machine = Interpreter(program)
    machine.run()
    try:
        return write_datum(machine.call("run", list(arguments)))
    except CogenError as error:
        return str(error).splitlines()[0].partition("error: ")[2]


def fails(call: Callable[..., Any], *arguments: Any) -> CogenError:
    """The error that a call ends with."""
    with pytest.raises(CogenError) as caught:
        call(*arguments)
    return caught.value
