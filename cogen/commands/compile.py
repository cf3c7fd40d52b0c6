"""The command `cogen compile`, and running what it makes."""

from __future__ import annotations

import codecs
import os
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, TYPE_CHECKING

import click

from cogen import diskstore as store
from cogen import terminal
from cogen.endings import ended_by_signals
from cogen.lang.errors import CogenError, Span
from cogen.lang.governor import UNLIMITED, Budget, Exhausted, governed
from cogen.programarguments import check_entry, file_argument, load_program, word_size_option

if TYPE_CHECKING:
    from cogen.lang import il
    from cogen.lang.datum import Datum

LISTEN = 0.1
"""Seconds to wait for output before looking whether the run is to end."""

LONG_WORD = 10_000
"""Arguments with so many characters are passed in files."""


@click.command("compile")
@file_argument
@click.option("-o", "--output", required=True, metavar="PROGRAM", help="The executable to write.")
@click.option("--entry", metavar="NAME", help="Then call this procedure with the words given.")
@word_size_option
def compile_(file: str, output: str, entry: str | None, word_size: int) -> None:
    """Compile a program to a native executable.

    PROGRAM runs as `cogen run FILE` does.  With --entry it takes the procedure's arguments, each
    a datum or @FILE, and prints its result.
    """
    program = load_program(file)
    if entry is not None:
        check_entry(program, entry)
    from cogen.backends.native.compile import compile_program

    content = store.contents(compile_program(program, entry, word_size))
    terminal.write_output(output, content, executable=True)


def run_compiled(
    program: il.Program,
    entry: str | None,
    arguments: Sequence[Datum],
    word_size: int,
    budget: Budget = UNLIMITED,
    command_line: Sequence[str] = (),
) -> int:
    """Compile and run a program; its exit status.  Its output goes to ours as it comes.
    `command_line` is what the program sees as such, if it has no entry.

    The run takes no longer than the budget says; its heap has as many megabytes, or what the
    environment says.
    """
    from cogen.backends.native.compile import compile_program
    from cogen.lang.printer import write_datum

    path = compile_program(program, entry, word_size)
    words = [write_datum(argument) for argument in arguments]
    sys.stdout.flush()
    with (
        ended_by_signals(),
        TemporaryDirectory(prefix="cogen-") as place,
        TemporaryFile() as errors,
    ):
        words = [_short(word, Path(place) / str(i)) for i, word in enumerate(words)]
        own = command_line if entry is None else ()
        line: Sequence[str | Path] = own or [path, *words]
        with _started(path, line, errors, budget.megabytes) as process:
            try:
                governed("the run", Budget(budget.seconds, None), _pass_on, process)
            except BaseException as error:
                process.kill()
                if isinstance(error, Exhausted) and program.source is not None:
                    error.span = Span(program.source, 0, 0)
                raise
        errors.seek(0)
        sys.stderr.write(errors.read().decode("utf-8", "replace"))
    if process.returncode < 0:
        raise CogenError(f"the compiled program was ended by signal {-process.returncode}")
    return process.returncode


def _pass_on(process: subprocess.Popen[bytes]) -> None:
    """Write what the process writes, until it writes no more."""
    assert process.stdout is not None
    output = process.stdout.fileno()
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while True:
        if not select.select([output], [], [], LISTEN)[0]:
            continue
        data = os.read(output, 1 << 16)
        if not data:
            return
        sys.stdout.write(decoder.decode(data))
        sys.stdout.flush()


def _short(word: str, path: Path) -> str:
    """The word, or what names a file with it: systems limit how long a word may be."""
    if len(word) < LONG_WORD:
        return word
    path.write_text(word, encoding="utf-8")
    return f"@{path}"


def _started(
    path: Path, command: Sequence[str | Path], errors: IO[bytes], max_memory: float | None
) -> subprocess.Popen[bytes]:
    """The running process; CogenError if the system refuses, say for too long arguments."""
    environment = None
    if max_memory is not None:
        environment = {**os.environ, "COGEN_MEMORY": str(max(1, round(max_memory)))}
    try:
        return subprocess.Popen(
            command,
            executable=path,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
        )
    except OSError as error:
        raise CogenError(f"the compiled program does not start: {error.strerror}") from None
