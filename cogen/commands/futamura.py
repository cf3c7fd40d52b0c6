"""The commands of the specializer that is written in the language: `futamura` and `mix ...`.

What a command needs is imported when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cogen import terminal
from cogen.lang.errors import CogenError
from cogen.lang.governor import Budget
from cogen.programarguments import (
    as_usage,
    entry_option,
    file_argument,
    limited,
    static_in_file,
    wrong_count,
)
from cogen.terminal import UsageError

if TYPE_CHECKING:
    from cogen.lang.datum import Datum
    from cogen.mix.system import Annotated


WORKING = Budget(None)
"""What commands may take if nothing is said."""


@click.command(short_help="Make compilers by self-application.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Write the programs that are made into a directory.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    metavar="S",
    help="How long each ratio is measured, about.",
)
@limited("the experiment", WORKING)
def futamura(names: tuple[str, ...], as_json: bool, keep: str | None, seconds: float) -> None:
    """Make compilers from interpreters by self-application, and check the identities.

    The specializer that is written in the language is applied to interpreters and to itself: to
    all interpreters that come with the system, to those named, or to your own if NAME is a file
    that defines `run`, a `program` and `data`.  The name `towers` is for towers of
    self-interpreters.  A table shows sizes, times and ratios; the exit status is 1 if one of
    the identities fails.
    """
    from rich.console import Console

    from cogen.measure.report import to_json
    from cogen.mix import cases, experiments

    chosen = names or (*cases.INTERPRETERS, experiments.TOWERS)
    for name in chosen:
        known = name in cases.INTERPRETERS or name == experiments.TOWERS
        if not known and not Path(name).is_file():
            raise UsageError(
                f"there is no interpreter `{name}`, nor a file of that name",
                hint=f"there are {', '.join(cases.INTERPRETERS)} and {experiments.TOWERS}",
            )
    with _progress() as tell:
        reports = experiments.perform(chosen, seconds, tell, None if keep is None else Path(keep))
    if as_json:
        terminal.write_output(None, to_json(reports) + "\n")
    else:
        console = Console()
        for report in reports:
            report.print(console)
    wrong = [failure for report in reports for failure in report.failures]
    if wrong:
        raise CogenError("; ".join(wrong))


@contextmanager
def _progress() -> Iterator[Callable[[str], object]]:
    """A procedure that shows on a terminal what is being done."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: None
        return
    with console.status("") as status:
        yield lambda text: status.update(text)


@click.group(short_help="The specializer that specializes itself.")
def mix() -> None:
    """Specialize, and make compilers, by the specializer that is written in the language.

    It takes the subset of the language that docs/futamura.md states.  BTs are _ for an argument
    that is not known and (static DATUM) for one that is; (static @FILE) if the datum is in a file.
    """


compiler_argument = click.argument("file", type=click.Path(exists=True, dir_okay=False))
output_option = click.option("-o", "--output", metavar="PATH", help="Write it to a file instead.")


@mix.command("specialize", short_help="Specialize a procedure: mix(program, known).")
@file_argument
@click.argument("bts", nargs=-1, metavar="[BT]...")
@entry_option
@click.option(
    "--max-variants",
    type=click.IntRange(min=1),
    metavar="N",
    help="Residual versions of one place of the program, about, at most.",
)
@output_option
@limited("specialization", WORKING)
def mix_specialize(
    file: str, bts: tuple[str, ...], entry: str, max_variants: int | None, output: str | None
) -> None:
    """Specialize a procedure to known arguments: mix(program, known)."""
    from cogen.mix.system import DEFAULT_LIMIT

    division, known = _binding_times(bts)
    annotated = _annotate(file, entry, division)
    residual = annotated.specialize(known, max_variants or DEFAULT_LIMIT)
    terminal.write_output(output, residual.text)


@mix.command("compiler", short_help="Make a compiler of an interpreter.")
@file_argument
@click.argument("bts", nargs=-1, metavar="[BT]...")
@entry_option
@click.option("--direct", is_flag=True, help="By mix(mix, program) instead of cogen(program).")
@click.option(
    "--standalone",
    is_flag=True,
    help="With a procedure `compile` that writes the target: a program for `cogen compile`.",
)
@output_option
@limited("making the compiler", WORKING)
def mix_compiler(
    file: str, bts: tuple[str, ...], entry: str, direct: bool, standalone: bool, output: str | None
) -> None:
    """Make a compiler of an interpreter: cogen(program), where cogen = mix(mix, mix).

    A BT is (static) for an argument that the compiler will be given, _ for any other.
    """
    from cogen.mix.compilers import write_compiler, write_standalone
    from cogen.mix.futamura import generator

    division, _ = _binding_times(bts, valueless=True)
    annotated = _annotate(file, entry, division)
    made_by = generator()
    make = made_by.compiler_by_mix if direct else made_by.compiler_by_cogen
    write = write_standalone if standalone else write_compiler
    compilers = [make(level) for level in annotated.levels]
    terminal.write_output(output, write(compilers, annotated))


@mix.command("compile")
@compiler_argument
@click.argument("bts", nargs=-1, metavar="[BT]...")
@output_option
@limited("compiling", WORKING)
def mix_compile(file: str, bts: tuple[str, ...], output: str | None) -> None:
    """Compile with a compiler that `mix compiler` made.

    It is given what is known of the interpreter's arguments, as `mix specialize` is.
    """
    from cogen.mix.compilers import run_compiler

    division, known = _binding_times(bts)
    program = run_compiler(Path(file), division, known)
    terminal.write_output(output, program.text)


def _annotate(file: str, entry: str, division: str) -> Annotated:
    from cogen.mix.system import MixProgram

    if file == "-":
        program = MixProgram.loads(terminal.standard_input(), "<stdin>")
    else:
        program = MixProgram.load(Path(file))
    parameters = program.parameters(entry)
    if parameters is None:
        raise as_usage(program.without(entry))
    if not program.takes(entry, len(division)):
        raise wrong_count(entry, len(parameters), len(division))
    return program.annotate(entry, division)


def _binding_times(bts: Sequence[str], valueless: bool = False) -> tuple[str, list[Datum]]:
    """A letter (s or d) for each binding time, and the values of the known ones."""
    from cogen.lang.datum import NIL, Pair, symbol
    from cogen.lang.reader import read_datum

    division: list[str] = []
    known: list[Datum] = []
    for number, text in enumerate(bts, 1):
        in_file = static_in_file(text, f"BT {number}")
        if in_file is not None:
            known += in_file
            division.append("s")
            continue
        try:
            datum = read_datum(text, f"BT {number}")
        except CogenError as error:
            raise UsageError(error.message, error.span, error.hint, error.notes) from None
        if datum is symbol("_"):
            division.append("d")
            continue
        if not isinstance(datum, Pair) or datum.car is not symbol("static"):
            raise _no_binding_time(text, number, valueless)
        if isinstance(datum.cdr, Pair) and datum.cdr.cdr is NIL:
            known.append(datum.cdr.car)
        elif not valueless or datum.cdr is not NIL:
            raise _no_binding_time(text, number, valueless)
        division.append("s")
    return "".join(division), known


def _no_binding_time(text: str, number: int, valueless: bool) -> UsageError:
    wanted = "(static)" if valueless else "(static DATUM)"
    return UsageError(
        f"BT {number} is {text}, which is not one of _ and {wanted}",
        hint="`cogen specialize` knows more binding times",
    )
