"""The command `cogen`.

Exit status: 0; 1 for an error in a program, its input, or a limit reached (a diagnostic on
standard error, nothing on standard output, no file); 2 where the command line itself is wrong,
ill-formed binding times included; 130 when interrupted.

A command's module is imported when the command is asked for, and what it needs when it runs, so
that `cogen --help` answers at once.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import Final

import click

import cogen
from cogen import terminal
from cogen.commands.later import LaterGroup, Lazy
from cogen.lang.errors import CogenError
from cogen.reporting import REPORT, CommandReport, asked
from cogen.terminal import UsageError
from cogen.writing import StreamError

COMMANDS: Final = {
    "array": Lazy("cogen.commands.array:array", "Programs on whole arrays: check, run, compile."),
    "bench": Lazy("cogen.commands.bench:bench", "Run the benchmarks and print ratios."),
    "check": Lazy(
        "cogen.commands.check:check", "Tell what is wrong with programs, without running them."
    ),
    "compile": Lazy("cogen.commands.compile:compile_", "Compile a program to a native executable."),
    "compile-with": Lazy(
        "cogen.commands.specialize:compile_with", "Compile with a generating extension."
    ),
    "dev": Lazy("cogen.commands.dev:dev", "Look into passes: print, stop, check, time, bisect."),
    "doctor": Lazy(
        "cogen.commands.doctor:doctor", "Tell what works here, and what to do about what does not."
    ),
    "errors": Lazy("cogen.commands.errors:errors", "Tell what an error means, and what to do."),
    "examples": Lazy("cogen.commands.examples:examples", "List, show, copy and run the examples."),
    "futamura": Lazy("cogen.commands.futamura:futamura", "Make compilers by self-application."),
    "generate": Lazy("cogen.commands.specialize:generate", "Make a compiler of an interpreter."),
    "lsp": Lazy("cogen.commands.lsp:lsp", "Answer an editor: the language server."),
    "mix": Lazy("cogen.commands.futamura:mix", "The specializer that specializes itself."),
    "new-language": Lazy(
        "cogen.commands.newlanguage:new_language", "Begin a language of your own."
    ),
    "repl": Lazy("cogen.commands.repl:repl", "Evaluate what is typed, and show its values."),
    "run": Lazy("cogen.commands.run:run", "Run a program, or a procedure of it."),
    "signal": Lazy("cogen.signals.cli:signal", "Unpack, pack and convert files of packed samples."),
    "specialize": Lazy(
        "cogen.commands.specialize:specialize", "Specialize a procedure to known data."
    ),
    "view": Lazy("cogen.commands.view:view", "See what is known where, and change it."),
}
"""Where the commands are, and what is said of them in a line."""


YOUNG: Final = 200_000
"""Objects that are made between two looks for cycles: what a command imports and expands is many
times Python's 700, and stays; so is what it takes to compile a program of some hundred lines."""


@click.group(
    cls=LaterGroup, later=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(cogen.__version__, prog_name="cogen")
def commands() -> None:
    """Run programs, and specialize them to what is known of their input.

    FILE is a program; - is standard input.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (by default the process's); its exit status."""
    terminal.prepare_streams()
    if arguments is None:
        gc.set_threshold(YOUNG)
    words = sys.argv[1:] if arguments is None else arguments
    if not asked(words):
        return _status(arguments)
    report = CommandReport()
    token = REPORT.set(report)
    try:
        status = _status(arguments)
    finally:
        REPORT.reset(token)
    if report:
        print(report.text(status), file=sys.stderr)
    return status


def _status(arguments: Sequence[str] | None) -> int:
    """Run the command line and tell its errors; its exit status."""
    try:
        status = _run(arguments)
    except click.ClickException as error:
        if REPORT.get() is None:
            error.show()
        else:
            terminal.show_error(UsageError(error.format_message()))
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
    except (click.Abort, KeyboardInterrupt) as error:
        cause = error.__cause__ if isinstance(error, click.Abort) else error
        from cogen.lang.governor import InterruptedRun

        terminal.interrupted(cause.told if isinstance(cause, InterruptedRun) else None)
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
