"""The command `cogen run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cogen import terminal
from cogen.lang.governor import READING, RUNNING, Budget
from cogen.programarguments import (
    CommandWithValues,
    asks_for_its_command_line,
    check_entry,
    datum_argument,
    entry_to_write,
    file_argument,
    given_budget,
    in_file,
    limit_options,
    load_program,
    word_size_option,
)

if TYPE_CHECKING:
    from cogen.lang import il


class _RunCommand(CommandWithValues):
    @staticmethod
    def is_number(word: str) -> bool:
        from cogen.lang.lexical import parse_number

        return parse_number(word) is not None


@click.command(cls=_RunCommand, context_settings={"ignore_unknown_options": True})
@file_argument
@click.argument("arguments", nargs=-1, metavar="[ARG]...")
@click.option("--entry", metavar="NAME", help="Then call this procedure with the ARGs.")
@click.option(
    "--backend",
    type=click.Choice(["interp", "python", "c"]),
    default="interp",
    show_default=True,
    help="How the program is run: interpreted, as Python, or compiled by way of C.",
)
@word_size_option
@limit_options
def run(
    file: str,
    arguments: tuple[str, ...],
    entry: str | None,
    backend: str,
    word_size: int,
    max_time: float | None,
    max_memory: float | None,
) -> int:
    """Run a program, or a procedure of it.

    The whole program runs; with --entry, the procedure is called then and its result printed. An
    ARG is a datum: a number, "a string", a (list), a buffer #u8(1 2 3), ...; or @FILE, where
    the datum is in a file, @- for standard input; for a parameter that is declared packed, all
    bytes of the file. Without --entry, ARGs are the words of the program's (command-line), as
    they are.

    A run takes as long as it takes, and 1024 megabytes of memory (by way of C, half of the
    machine's), if nothing else is said.
    """
    command_line = (file, *(arguments if entry is None else ()))
    given = arguments if entry is not None else ()
    words = {i: text for i, text in enumerate(given, 1) if not text.startswith("@")}
    known = {i: datum_argument(text, f"ARG {i}") for i, text in words.items()}
    program = load_program(file, given_budget(max_time, max_memory, READING))
    data = [known[i] if i in known else in_file(program, entry, text, i)
            for i, text in enumerate(given, 1)]  # fmt: skip
    if entry is not None:
        check_entry(program, entry)
    elif arguments and not asks_for_its_command_line(program):
        raise click.UsageError(
            f"ARGs are for a procedure: name it with --entry. {entry_to_write(program)}"
        )
    if entry is None:
        _tell_where_nothing_runs(program)
    if backend == "c":
        from cogen.commands.compile import run_compiled

        return run_compiled(
            program, entry, data, word_size, Budget(max_time, max_memory), command_line
        )
    from cogen.running import run_program

    budget = given_budget(max_time, max_memory, RUNNING)
    for result in run_program(program, entry, data, backend, word_size, budget, command_line):
        terminal.write_output(None, result + "\n")
    return 0


def _tell_where_nothing_runs(program: il.Program) -> None:
    """A warning, if the whole program defines procedures."""
    from cogen.lang.errors import Warnings
    from cogen.lang.il import Define

    if all(isinstance(item, Define) for item in program.items):
        warnings = Warnings()
        warnings.warn(f"nothing runs, only procedures are defined. {entry_to_write(program)}")
        terminal.show_warnings(warnings)
