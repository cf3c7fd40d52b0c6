"""Helpers of the tests of the C back end: IL text in, the same run done in two ways out."""

from __future__ import annotations

import copy
import math
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from cogen.backends.kernel.c import CModule, emit
from cogen.backends.kernel.load import NativeFunction, load_module
from cogen.backends.objectcode import toolchain
from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import CogenError
from cogen.lang.iltext import parse
from cogen.lang.interp import Interpreter
from cogen.residual import ResidualParameter, ResidualProgram

WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror")


def residual(
    text: str,
    entry: str,
    *parameters: ResidualParameter | str,
    word_size: int = 32,
    checked: bool = False,
) -> ResidualProgram:
    """A residual program from the IL text of its items; a parameter may be just its type."""
    program = parse(f"(program {text})")
    return residual_of(program, entry, parameters, word_size, checked)


def residual_of(
    program: il.Program,
    entry: str,
    parameters: Sequence[ResidualParameter | str],
    word_size: int = 32,
    checked: bool = False,
) -> ResidualProgram:
    """A residual program; the names of the parameters are those of the entry."""
    function = next(
        item.function
        for item in program.items
        if isinstance(item, il.Define) and item.name == entry
    )
    declared = tuple(
        ResidualParameter(name, p) if isinstance(p, str) else p
        for name, p in zip(function.parameters, parameters, strict=True)
    )
    return ResidualProgram(program, entry, declared, word_size, checked)


@dataclass
class Outcome:
    """A result, or an error; and the buffers afterwards."""

    result: Any
    error: CogenError | None
    buffers: list[bytes]

    @property
    def message(self) -> str | None:
        return None if self.error is None else self.error.message

    @property
    def place(self) -> str | None:
        return None if self.error is None else str(self.error.span)


def interpreted(program: ResidualProgram, arguments: Sequence[Any]) -> Outcome:
    """What the interpreter does."""
    interpreter = Interpreter(program.program, program.word_size)
    interpreter.run()
    return _outcome(lambda *a: interpreter.call(program.entry, a), arguments)


def compiled(function: NativeFunction, arguments: Sequence[Any]) -> Outcome:
    """What the compiled code does."""
    return _outcome(function, arguments)


def _outcome(function: Any, arguments: Sequence[Any]) -> Outcome:
    own = copy.deepcopy(list(arguments))
    result, error = None, None
    try:
        result = function(*own)
    except CogenError as raised:
        error = raised
    if result is UNSPECIFIED:
        result = None
    return Outcome(result, error, [bytes(a) for a in own if isinstance(a, bytes | bytearray)])


def same(a: Any, b: Any) -> bool:
    """Equal results: of the same type; NaNs are equal, zeros of different sign are not."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or (
            a == b and math.copysign(1, a) == math.copysign(1, b)
        )
    return bool(a == b)


STRICT = (*(flag for flag in toolchain.FLAGS if flag != "-w"), *WARNINGS)


def native(program: ResidualProgram) -> NativeFunction:
    """The compiled entry, whose text must compile without a warning."""
    with patch.object(toolchain, "FLAGS", STRICT):
        return load_module(emit(program))


def assert_no_warnings(module: CModule) -> None:
    """The text compiles without a warning at -O2."""
    compiler = toolchain.find_compiler()
    command = [*compiler.command, "-std=c11", "-O2", "-c", "-o", os.devnull, *WARNINGS]
    done = subprocess.run(
        [*command, "-x", "c", "-"], input=module.text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stderr}\n{module.text}"


def agree(program: ResidualProgram, *runs: Sequence[Any]) -> NativeFunction:
    """Assert that interpreter and C agree on each list of arguments, errors included."""
    function = native(program)
    for arguments in runs:
        expected, got = interpreted(program, arguments), compiled(function, arguments)
        assert got.message == expected.message, function.source
        assert got.place == expected.place, function.source
        assert same(got.result, expected.result), (arguments, expected, got, function.source)
        if expected.error is None:
            assert got.buffers == expected.buffers, function.source
    return function
