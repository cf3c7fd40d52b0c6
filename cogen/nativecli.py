"""The command `cogen compile`, and running what it makes."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, TYPE_CHECKING

import click

from cogen import store, terminal
from cogen.endings import ended_by_signals
from cogen.programarguments import check_entry, file_argument, load_program, word_size_option
from lang.errors import CogenError

if TYPE_CHECKING:
    from lang import il
    from lang.datum import Datum

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
    from cogen.native.compile import compile_program

    content = store.contents(compile_program(program, entry, word_size))
    terminal.write_output(output, content, executable=True)


def run_compiled(
    program: il.Program, entry: str | None, arguments: Sequence[Datum], word_size: int
) -> int:
    """Compile and run a program; its exit status.  Its output goes to ours as it comes."""
    from cogen.native.compile import compile_program
    from lang.printer import write_datum

    path = compile_program(program, entry, word_size)
    words = [write_datum(argument) for argument in arguments]
    sys.stdout.flush()
    with (
        ended_by_signals(),
        TemporaryDirectory(prefix="cogen-") as place,
        TemporaryFile() as errors,
    ):
        words = [_short(word, Path(place) / str(i)) for i, word in enumerate(words)]
        with _started([path, *words], errors) as process:
            assert process.stdout is not None
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            try:
                while data := os.read(process.stdout.fileno(), 1 << 16):
                    sys.stdout.write(decoder.decode(data))
                    sys.stdout.flush()
            except BaseException:
                process.kill()
                raise
        errors.seek(0)
        sys.stderr.write(errors.read().decode("utf-8", "replace"))
    if process.returncode < 0:
        raise CogenError(f"the compiled program was ended by signal {-process.returncode}")
    return process.returncode


def _short(word: str, path: Path) -> str:
    """The word, or what names a file with it: systems limit how long a word may be."""
    if len(word) < LONG_WORD:
        return word
    path.write_text(word, encoding="utf-8")
    return f"@{path}"


def _started(command: Sequence[str | Path], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """The running process; CogenError if the system refuses, say for too long arguments."""
    try:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
        )
    except OSError as error:
        raise CogenError(f"the compiled program does not start: {error.strerror}") from None
