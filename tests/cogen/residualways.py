"""The ways in which a residual program is called from Python, for tests that compare them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from cogen.backends.native import load as native_code
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter

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


def fails(call: Callable[..., Any], *arguments: Any) -> CogenError:
    """The error that a call ends with."""
    with pytest.raises(CogenError) as caught:
        call(*arguments)
    return caught.value
