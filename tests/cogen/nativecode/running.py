"""Running programs by the interpreter and as native code."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from cogen.api import loads
from cogen.backends.native.compile import compile_program
from cogen.lang import il
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.running import result_texts

STRESS = {"COGEN_GC_STRESS": "guard"}
"""Collects at every opportunity, and guards the memory that was left."""

LESS_STRESS = {"COGEN_GC_STRESS": "1"}
"""Guards nothing, which takes a hundredth of the time where much is alive."""

SANITIZED = "-fsanitize" in os.environ.get("COGEN_CFLAGS", "")
"""Whether programs are compiled with a sanitizer (`make sanitize`)."""

plain = pytest.mark.skipif(SANITIZED, reason="a sanitizer has variables and memory of its own")
plain_calls = pytest.mark.skipif(
    SANITIZED, reason="what a sanitizer notes on the stack keeps some calls from being jumps"
)


@dataclass(frozen=True)
class Run:
    """What a program does: what it writes to both streams, and its exit status."""

    out: str
    err: str
    status: int


def interpreted(
    program: il.Program, entry: str | None = None, arguments: Sequence[Datum] = ()
) -> Run:
    """What `cogen run` does."""
    stream = io.StringIO()
    try:
        interpreter = Interpreter(program, output=stream)
        interpreter.run()
        if entry is not None:
            value = interpreter.call(entry, arguments)
            for line in result_texts(value, interpreter.machine.port):
                stream.write(f"{line}\n")
    except CogenError as error:
        if isinstance(error, LimitationError):
            error.hint = None  # these are of the interpreter
        return Run(stream.getvalue(), f"{error}\n", 1)
    return Run(stream.getvalue(), "", 0)


def native(
    program: il.Program,
    entry: str | None = None,
    arguments: Sequence[Datum] = (),
    environment: dict[str, str] | None = None,
) -> Run:
    """What the executable does."""
    done = subprocess.run(
        [compile_program(program, entry), *map(write_datum, arguments)],
        capture_output=True,
        env={**os.environ, **(environment or {})},
        timeout=300,
        check=False,
    )
    return Run(done.stdout.decode(), done.stderr.decode(), done.returncode)


def agree(
    text: str,
    entry: str | None = None,
    arguments: Sequence[Datum] = (),
    keep: bool = True,
    stress: bool = True,
    guard: bool = True,
) -> Run:
    """What the program does, by the interpreter and by native code, with and without a collector
    that runs all the time (`stress`) and guards what it has left (`guard`): what they write,
    diagnostics with all their calls included.
    `keep` leaves the executable in the cache."""
    program = loads(text, "test.scm")
    expected = interpreted(program, entry, arguments)
    try:
        for environment in ({}, STRESS if guard else LESS_STRESS) if stress else ({},):
            done = native(program, entry, arguments, environment)
            assert done == expected
    finally:
        if not keep:
            compile_program(program, entry).unlink()
    return expected
