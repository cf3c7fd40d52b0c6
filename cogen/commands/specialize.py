"""The commands that make residual programs: `specialize`, `generate` and `compile-with`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

import cogen
from cogen import reporting, terminal
from cogen.lang.errors import CogenError, Warnings
from cogen.lang.governor import READING
from cogen.programarguments import (
    binding_time,
    check_count,
    check_entry,
    check_records,
    datum_argument,
    entry_option,
    file_argument,
    given_budget,
    limit_options,
    load_program,
    word_size_option,
)
from cogen.reporting import HELP
from cogen.terminal import UsageError

if TYPE_CHECKING:
    from cogen.binding_times import BT
    from cogen.lang import il

FORMS: Final = ("scheme", "il", "python", "c", "asm", "so", "array", "html")
"""What `--emit` can give."""

LANGUAGES: Final = {"scheme": "scheme", "c": "c", "python": "python", "array": "l0"}
"""The languages of forms that a terminal shows in colours."""

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option("--generalize", is_flag=True, help="Make dynamic what grows without end."),
    click.option(
        "--auto/--no-auto",
        default=None,
        help="Place set-base automatically everywhere, or nowhere; if not said, where samples"
        " of signals need it and it does no harm.",
    ),
    click.option("--checked", is_flag=True, help="C that reports integer overflow."),
    click.option(
        "--max-variants",
        type=click.IntRange(min=1),
        metavar="N",
        help="Residual versions of one procedure, at most.",
    ),
    click.option(
        "--max-size",
        type=click.IntRange(min=1),
        metavar="N",
        help="Residual operations in all, at most.",
    ),
    click.option(
        "--max-unfoldings",
        type=click.IntRange(min=1),
        metavar="N",
        help="Calls unfolded without a dynamic conditional, at most.",
    ),
    word_size_option,
)

_EMISSION: Final = (
    click.option(
        "--emit",
        type=click.Choice(FORMS),
        default="scheme",
        show_default=True,
        help="The form of the residual program; so is a shared object.",
    ),
    click.option(
        "--source-map",
        metavar="FILE",
        help="Write which part of its texts comes from where in the source, as JSON.",
    ),
    click.option("-o", "--output", metavar="PATH", help="Write it to a file instead."),
    click.option("--stats", is_flag=True, help="Print statistics to standard error."),
)


def _with(options: tuple[Callable[[Command], Command], ...]) -> Callable[[Command], Command]:
    """A decorator that is all of these, in order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


specialization_options = _with(_OPTIONS)
"""Gives a command the options that say how is specialized."""


@click.command()
@file_argument
@click.argument("bts", nargs=-1, metavar="[BT]...")
@entry_option
@_with(_EMISSION)
@click.option(
    "--explain",
    is_flag=True,
    help="Print what was decided at each line, and why; the residual program only to a file (-o).",
)
@click.option(
    "--time",
    "timed",
    multiple=True,
    metavar="ARG",
    help="With --emit html: an argument of runs to measure, a datum or @FILE; once for each.",
)
@click.option("--json", "as_json", is_flag=True, help=f"{HELP} With --explain: its data.")
@specialization_options
@limit_options
def specialize(
    file: str,
    bts: tuple[str, ...],
    entry: str,
    emit: str,
    source_map: str | None,
    output: str | None,
    stats: bool,
    explain: bool,
    timed: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Specialize a procedure to known data.

    One BT (binding time) for each parameter: _ or (dynamic) or (dynamic TYPE) for what only the
    residual program will know, with TYPE int, float, bool, memory or any; (static DATUM) for
    what is known, (static @FILE) if the datum is in a file; (cyclic BASE REM) for an integer known
    modulo BASE; (cons BT BT), (list BT ...), (vector BT ...), (record NAME BT ...) for what is
    known in part.
    """
    if explain and output == "-":
        raise UsageError("--explain prints to standard output: name a file with -o")
    if not explain:
        _check_terminal(emit, output)
    _check_source_map(source_map, output, explain)
    if timed and emit != "html":
        raise UsageError("--time is shown by pages", hint="ask for one with --emit html")
    from cogen.binding_times import later_leaves

    parsed = _binding_times(bts)
    for i, bt in enumerate(parsed, 1):
        if later_leaves(bt):
            raise UsageError(
                f"BT {i}: (static) needs its datum", hint="without one it is for `cogen generate`"
            )
    program = _program(file, entry, parsed, options)
    noted = explain or source_map is not None or emit == "html"
    residual = cogen.specialize(program, entry, *parsed, explain=noted, **_given(options))
    if timed:
        _measure(residual, timed)
    _write(residual, None if explain and output is None else emit, output, stats, source_map)
    if not explain:
        return
    explanation = residual.explain()
    if as_json:
        terminal.write_output(None, json.dumps(explanation.json(), indent=2) + "\n")
    else:
        terminal.show_explanation(explanation.text)


@click.command(short_help="Make a compiler of an interpreter.")
@file_argument
@click.argument("bts", nargs=-1, metavar="[BT]...")
@entry_option
@click.option("-o", "--output", metavar="OUT", help="Write it to a file instead.")
@specialization_options
@limit_options
def generate(
    file: str, bts: tuple[str, ...], entry: str, output: str | None, **options: Any
) -> None:
    """Make a generating extension of a procedure: if it is an interpreter, a compiler.

    BTs are those of specialize; (static) without a datum is what will be known when
    `cogen compile-with OUT` runs the extension, which is a Python module. The other options become
    the extension's defaults.
    """
    parsed = _binding_times(bts)
    program = _program(file, entry, parsed, options)
    extension = cogen.generate(program, entry, *parsed, **_given(options))
    if output is None:
        terminal.write_code(extension.text, "python")
    else:
        terminal.write_output(output, extension.text)


@click.command("compile-with", short_help="Compile with a generating extension.")
@click.argument("out", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.argument("bts", nargs=-1, metavar="[BT]...")
@_with(_EMISSION)
@specialization_options
@click.pass_context
@limit_options
def compile_with(
    context: click.Context,
    /,
    out: str,
    bts: tuple[str, ...],
    emit: str,
    source_map: str | None,
    output: str | None,
    stats: bool,
    **options: Any,
) -> None:
    """Compile with a generating extension: OUT of `cogen generate`.

    The BTs are those it was made with, each (static) with its datum; they may be left out if there
    is none. The residual program is the one that specialize gives.
    """
    _check_terminal(emit, output)
    _check_source_map(source_map, output)
    parsed = _binding_times(bts)
    extension = _extension(out)
    try:
        extension.fitting(parsed)
    except CogenError as error:
        raise UsageError(error.message, hint=error.hint) from None
    source = click.core.ParameterSource.COMMANDLINE
    given = {
        name: value
        for name, value in options.items()
        if context.get_parameter_source(name) is source
    }
    _write(extension(*parsed, **given), emit, output, stats, source_map)


def _extension(out: str) -> Any:
    if out != "-":
        return cogen.load_extension(out)
    from cogen.generating.extension import make

    return make(terminal.standard_input(), "<stdin>")


def _check_terminal(emit: str, output: str | None) -> None:
    if emit == "so" and output is None and sys.stdout.isatty():
        raise click.UsageError("a shared object is no text for a terminal: name a file with -o")


def _check_source_map(source_map: str | None, output: str | None, explain: bool = False) -> None:
    if source_map == "-" and (explain or output in (None, "-")):
        raise UsageError(
            "something else goes to standard output already", hint="name a file with --source-map"
        )


def _binding_times(bts: tuple[str, ...]) -> list[BT]:
    return [binding_time(text, f"BT {i}") for i, text in enumerate(bts, 1)]


def _program(file: str, entry: str, bts: list[BT], options: dict[str, Any]) -> il.Program:
    """The program, once its entry and the binding times for it are seen to fit."""
    budget = given_budget(options["max_time"], options["max_memory"], READING)
    program = load_program(file, budget)
    check_entry(program, entry)
    check_count(program, entry, len(bts))
    for i, bt in enumerate(bts, 1):
        check_records(program, bt, f"BT {i}")
    return program


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _write(
    residual: cogen.Residual,
    emit: str | None,
    output: str | None,
    stats: bool,
    source_map: str | None,
) -> None:
    """Write the residual program in a form, and its source map, if these are asked for."""
    made = [(output, _content(residual, emit))] if emit is not None else []
    missing = Warnings()
    if source_map is not None:
        text = json.dumps(residual.source_map(), ensure_ascii=False) + "\n"
        made.append((source_map, text.encode()))
        for target, why in residual.mapping.missing.items():
            missing.warn(f"the source map is without {target}: {why}")
    terminal.show_warnings(residual.warnings)
    if made and emit in LANGUAGES and output is None:
        terminal.write_code(made.pop(0)[1].decode(), LANGUAGES[emit])
    with ExitStack() as streams:
        for path, content in made:
            streams.enter_context(terminal.output_stream(path)).write(content)
    terminal.show_warnings(missing)
    reporting.statistics(residual.statistics)
    if stats:
        terminal.show_statistics(residual.statistics)


def _measure(residual: cogen.Residual, timed: tuple[str, ...]) -> None:
    """Measure runs on arguments that words of the command line give: files of memory, data."""
    from cogen.convert import from_datum

    residual.program.check_count(len(timed))
    arguments: list[Any] = []
    for number, (word, parameter) in enumerate(zip(timed, residual.parameters, strict=True), 1):
        if parameter.type == "memory" and word.startswith("@"):
            try:
                arguments.append(bytearray(Path(word[1:]).read_bytes()))
            except OSError as error:
                raise UsageError(f"cannot read {word[1:]}: {error.strerror}") from None
        else:
            arguments.append(from_datum(datum_argument(word, f"ARG {number}")))
    residual.measure(*arguments)


def _content(residual: cogen.Residual, emit: str) -> bytes:
    if emit == "so":
        return residual.shared_object()
    content = getattr(residual, emit)
    assert isinstance(content, str)
    return (content.rstrip("\n") + "\n").encode()
