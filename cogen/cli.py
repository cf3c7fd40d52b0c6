"""The command `cogen`.

Exit status: 0; 1 for an error in a program, its input, or a limit reached (a diagnostic on
standard error, nothing on standard output, no file); 2 where the command line itself is wrong,
ill-formed binding times included; 130 when interrupted.

What a command needs is imported when it runs, so that `cogen --help` answers at once.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

import cogen
from cogen import terminal
from cogen.api import find_procedure
from cogen.arraycli import array
from cogen.terminal import UsageError
from lang.errors import CogenError, InternalError, Note

if TYPE_CHECKING:
    from lang import il
    from lang.datum import Datum

FORMS: Final = ("scheme", "il", "python", "c", "so")
"""What `--emit` can give."""

file_argument = click.argument(
    "file", type=click.Path(exists=True, dir_okay=False, allow_dash=True)
)
word_size_option = click.option(
    "--word-size",
    type=click.Choice([str(size) for size in range(8, 65, 8)]),
    default="32",
    show_default=True,
    metavar="N",
    callback=lambda _context, _parameter, value: int(value),
    help="Bits of a memory word: a multiple of 8 from 8 to 64.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(cogen.__version__, prog_name="cogen")
def commands() -> None:
    """Run programs, and specialize them to what is known of their input.

    FILE is a program; - is standard input.
    """


commands.add_command(array)


class _NegativeNumbers(click.Command):
    """A command whose arguments may be negative numbers."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        known = {name for option in self.get_params(context) for name in option.opts}
        for word in args[:end]:
            if word.startswith("-") and word != "-" and not _is_number(word):
                name = word.partition("=")[0]
                if name not in known:
                    raise click.NoSuchOption(name, possibilities=_near(name, known), ctx=context)
        return super().parse_args(context, args)


def _is_number(word: str) -> bool:
    from lang.lexical import parse_number

    return parse_number(word) is not None


def _near(name: str, known: set[str]) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(name, sorted(known))


@commands.command(cls=_NegativeNumbers, context_settings={"ignore_unknown_options": True})
@file_argument
@click.argument("arguments", nargs=-1, metavar="[ARG]...")
@click.option("--entry", metavar="NAME", help="Then call this procedure with the ARGs.")
@click.option(
    "--backend",
    type=click.Choice(["interp", "python", "c"]),
    default="interp",
    show_default=True,
    help="How the procedure (with python, the whole program) is run.",
)
@word_size_option
def run(
    file: str, arguments: tuple[str, ...], entry: str | None, backend: str, word_size: int
) -> None:
    """Run a program, or a procedure of it.

    The whole program runs; with --entry, the procedure is called then and its result printed. An
    ARG is a datum: a number, "a string", a (list), a buffer #u8(1 2 3), ...
    """
    if entry is None and arguments:
        raise click.UsageError("ARGs are for a procedure: name it with --entry")
    if entry is None and backend == "c":
        raise click.UsageError("--backend c runs a procedure: name it with --entry")
    data = [_argument(text, f"ARG {i}") for i, text in enumerate(arguments, 1)]
    program = _load(file)
    if entry is not None:
        _check_entry(program, entry)
    from cogen.running import run_program

    for result in run_program(program, entry, data, backend, word_size):
        terminal.write_output(None, result + "\n")


@commands.command()
@file_argument
@click.argument("bts", nargs=-1, metavar="[BT]...")
@click.option("--entry", required=True, metavar="NAME", help="The procedure to specialize.")
@click.option(
    "--emit",
    type=click.Choice(FORMS),
    default="scheme",
    show_default=True,
    help="The form of the residual program; so is a shared object.",
)
@click.option("-o", "--output", metavar="PATH", help="Write it to a file instead.")
@click.option("--stats", is_flag=True, help="Print statistics to standard error.")
@click.option("--generalize", is_flag=True, help="At a limit, make what grew dynamic and go on.")
@click.option("--auto", is_flag=True, help="Place set-base automatically (not there yet).")
@click.option("--checked", is_flag=True, help="C that reports integer overflow.")
@click.option(
    "--max-variants",
    type=click.IntRange(min=1),
    metavar="N",
    help="Residual versions of one procedure, at most.",
)
@click.option(
    "--max-size",
    type=click.IntRange(min=1),
    metavar="N",
    help="Residual operations in all, at most.",
)
@click.option(
    "--max-time",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    help="Seconds to specialize, at most.",
)
@word_size_option
def specialize(
    file: str,
    bts: tuple[str, ...],
    entry: str,
    emit: str,
    output: str | None,
    stats: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Specialize a procedure to known data.

    One BT (binding time) for each parameter: _ or (dynamic) or (dynamic TYPE) for what only the
    residual program will know, with TYPE int, float, bool, memory or any; (static DATUM) for
    what is known; (cyclic BASE REM) for an integer known modulo BASE; (cons BT BT),
    (list BT ...), (vector BT ...), (record NAME BT ...) for what is known in part.
    """
    if emit == "so" and output is None and sys.stdout.isatty():
        raise click.UsageError("a shared object is no text for a terminal: name a file with -o")
    parsed = [_binding_time(text, f"BT {i}") for i, text in enumerate(bts, 1)]
    program = _load(file)
    _check_entry(program, entry)
    _check_count(program, entry, len(parsed))
    for i, bt in enumerate(parsed, 1):
        _check_records(program, bt, f"BT {i}")
    limits = {name: value for name, value in options.items() if value is not None}
    residual = cogen.specialize(program, entry, *parsed, **limits)
    content = residual.shared_object() if emit == "so" else getattr(residual, emit)
    if isinstance(content, str):
        content = content.rstrip("\n") + "\n"
    terminal.show_warnings(residual.warnings)
    terminal.write_output(output, content)
    if stats:
        terminal.show_statistics(residual.statistics)


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
        return self.group.get_command(context, name)


commands.add_command(
    _LaterGroup(
        "signal",
        "signals.cli:signal",
        """Unpack, pack and convert files of packed samples.

        A LAYOUT is a name (raw12, pcm24le), a record of fields (u12s4), or sizes in bits
        (size=12,stride=16,order=big,signed); `cogen signal formats` lists the names.
        """,
    )
)


def _load(file: str) -> il.Program:
    if file == "-":
        return cogen.loads(terminal.standard_input(), "<stdin>")
    return cogen.load(file)


def _argument(text: str, name: str) -> Datum:
    from lang.reader import read_datum

    try:
        return read_datum(text, name)
    except CogenError as error:
        raise _usage(error) from None


def _binding_time(text: str, name: str) -> cogen.bt.BT:
    try:
        return cogen.bt.parse_bt(text, name)
    except CogenError as error:
        raise _usage(error) from None


def _usage(error: CogenError) -> UsageError:
    return UsageError(error.message, error.span, error.hint, error.notes)


def _check_entry(program: il.Program, entry: str) -> None:
    if entry in program.own_globals:
        return
    near = _near(entry, set(program.own_globals))
    name = program.source.name if program.source else "the program"
    hint = f"did you mean {' or '.join(near)}?" if near else None
    raise UsageError(f"{name} does not define `{entry}`", hint=hint)


def _check_count(program: il.Program, entry: str, count: int) -> None:
    """One binding time a parameter, where the definition shows how many there are."""
    function = find_procedure(program, entry)
    if function is None:
        return
    expected = len(function.parameters)
    if count == expected or (function.rest is not None and count > expected):
        return
    least = "" if function.rest is None else "at least "
    raise UsageError(
        f"`{entry}` has {least}{_counted(expected, 'parameter')}, but "
        f"{_counted(count, 'binding time')} {'was' if count == 1 else 'were'} given",
        hint="give one BT for each parameter; quote each for the shell",
        notes=[Note("it is defined here", function.span)],
    )


def _check_records(program: il.Program, bt: cogen.bt.BT, name: str) -> None:
    """The record types that a binding time names, and how many fields they have."""
    from cogen.bt import Cons, Record, Vector

    types = {record.name: record for record in reversed(program.records)}
    work = [bt]
    while work:
        match work.pop():
            case Cons(car, cdr):
                work += [cdr, car]
            case Vector(items):
                work += reversed(items)
            case Record(record, fields):
                if record not in types:
                    near = _near(record, set(types))
                    hint = f"did you mean {' or '.join(near)}?" if near else None
                    raise UsageError(f"{name}: there is no record type `{record}`", hint=hint)
                expected = types[record].fields
                if len(fields) != len(expected):
                    given = _counted(len(fields), "binding time")
                    raise UsageError(
                        f"{name}: the record type `{record}` has "
                        f"{_counted(len(expected), 'field')}, but {given} "
                        f"{'was' if len(fields) == 1 else 'were'} given",
                        hint=f"give one BT for each field: {' '.join(expected)}",
                    )
                work += reversed(fields)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (by default the process's); its exit status."""
    terminal.prepare_streams()
    try:
        try:
            status = commands.main(args=arguments, prog_name="cogen", standalone_mode=False)
        finally:
            sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except UsageError as error:
        terminal.show_error(error)
        return 2
    except CogenError as error:
        terminal.show_error(error)
        return 1
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        terminal.abandon_standard_output()
        return 1
    except MemoryError:
        terminal.show_error(CogenError("out of memory"))
        return 1
    except Exception as error:  # our bug, whatever it is
        terminal.show_error(_bug(error))
        return 1
    return status if isinstance(status, int) else 0


def _bug(error: Exception) -> InternalError:
    if os.environ.get("COGEN_DEBUG"):
        traceback.print_exception(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    return InternalError(
        f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})",
        hint="this is a bug of cogen: please report it, with the program; "
        "COGEN_DEBUG=1 shows the traceback",
    )
