"""The command `cogen`.

Exit status: 0; 1 for an error in a program, its input, or a limit reached (a diagnostic on
standard error, nothing on standard output, no file); 2 where the command line itself is wrong,
ill-formed binding times included; 130 when interrupted.

What a command needs is imported when it runs, so that `cogen --help` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module

import click

import cogen
from cogen import terminal
from cogen.arraycli import array
from cogen.devcli import dev
from cogen.doctorcli import doctor
from cogen.futamuracli import futamura, mix
from cogen.helpexamples import with_example, with_examples
from cogen.lang.errors import CogenError
from cogen.lang.governor import READING, RUNNING, Budget
from cogen.nativecli import compile_, run_compiled
from cogen.programarguments import (
    asks_for_its_command_line,
    check_entry,
    datum_argument,
    file_argument,
    given_budget,
    in_file,
    limit_options,
    load_program,
    near_names,
    word_size_option,
)
from cogen.replcli import repl
from cogen.specializecli import compile_with, generate, specialize
from cogen.terminal import UsageError
from cogen.viewcli import view
from cogen.writing import StreamError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(cogen.__version__, prog_name="cogen")
def commands() -> None:
    """Run programs, and specialize them to what is known of their input.

    FILE is a program; - is standard input.
    """


for command in (
    *(specialize, generate, compile_with, compile_, futamura, mix, array),
    *(repl, view, doctor, dev),
):
    commands.add_command(command)


class _NegativeNumbers(click.Command):
    """A command whose arguments may be negative numbers."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        known = {name for option in self.get_params(context) for name in option.opts}
        for word in args[:end]:
            if word.startswith("-") and word != "-" and not _is_number(word):
                name = word.partition("=")[0]
                if name not in known:
                    raise click.NoSuchOption(
                        name, possibilities=near_names(name, known), ctx=context
                    )
        return super().parse_args(context, args)


def _is_number(word: str) -> bool:
    from cogen.lang.lexical import parse_number

    return parse_number(word) is not None


@commands.command(cls=_NegativeNumbers, context_settings={"ignore_unknown_options": True})
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
        raise click.UsageError("ARGs are for a procedure: name it with --entry")
    if backend == "c":
        return run_compiled(
            program, entry, data, word_size, Budget(max_time, max_memory), command_line
        )
    from cogen.running import run_program

    budget = given_budget(max_time, max_memory, RUNNING)
    for result in run_program(program, entry, data, backend, word_size, budget, command_line):
        terminal.write_output(None, result + "\n")
    return 0


@commands.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def bench(names: tuple[str, ...], as_json: bool) -> None:
    """Run the benchmarks and print ratios.

    All of them, or those named.
    """
    from cogen.bench.suite import main as run_benchmarks

    run_benchmarks(names, as_json)


class _LaterGroup(click.Group):
    """Commands of a package above this one, imported by name when one of them is asked for."""

    def __init__(self, name: str, place: str, help: str) -> None:
        super().__init__(name, help=help)
        self.place = place
        """The module and the name of the group in it, with a colon between."""

    @cached_property
    def group(self) -> click.Group:
        module, name = self.place.split(":")
        group = getattr(import_module(module), name)
        assert isinstance(group, click.Group)
        return group

    def list_commands(self, context: click.Context) -> list[str]:
        return self.group.list_commands(context)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        command = self.group.get_command(context, name)
        return None if command is None else with_example(command, f"{self.name} {name}")


commands.add_command(
    _LaterGroup(
        "signal",
        "cogen.signals.cli:signal",
        """Unpack, pack and convert files of packed samples.

        A LAYOUT is a name (raw12, pcm24le), a record of fields (u12s4), or sizes in bits
        (size=12,stride=16,order=big,signed); `cogen signal formats` lists the names.
        """,
    )
)

with_examples(commands)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (by default the process's); its exit status."""
    terminal.prepare_streams()
    try:
        status = _run(arguments)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except UsageError as error:
        terminal.show_error(error)
        return 2
    except CogenError as error:
        before = error.before() if isinstance(error, StreamError) else None
        for each in (error, before):
            if each is not None:
                terminal.show_error(each)
        return 1
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 1
    except MemoryError:
        terminal.show_error(CogenError("out of memory"))
        return 1
    except Exception as error:  # our bug, whatever it is
        terminal.show_error(terminal.internal_error(error))
        return 1
    return status if isinstance(status, int) else 0


def _run(arguments: Sequence[str] | None) -> object:
    """Run the command line; what it wrote is handed on before an error is told."""
    try:
        with terminal.warnings_shown():
            status = commands.main(args=arguments, prog_name="cogen", standalone_mode=False)
    except BaseException:
        terminal.flush_output()
        raise
    sys.stdout.flush()
    return status
