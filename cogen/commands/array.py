"""The commands `cogen array ...`: programs in L0.

What a command needs is imported when it runs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from cogen import terminal
from cogen.commands.later import CommandGroup
from cogen.lang.errors import CogenError
from cogen.programarguments import CommandWithValues, check_entry, load_program
from cogen.programfiles import ProgramFile
from cogen.terminal import UsageError

if TYPE_CHECKING:
    from cogen.array import Program
    from cogen.array.l0.types import Type
    from cogen.array.programs.nodewords import NodeWords

_NEGATIVE: Final = re.compile(r"-(?:\d|inf\b)")

program_argument = click.argument("file", metavar="FILE", type=ProgramFile())


entry_option = click.option(
    "--entry", metavar="NAME", default="main", show_default=True, help="The function to call."
)

TARGETS: Final = ("c", "opencl")
"""What programs are compiled to; `cogen.array.programs.targettext.TARGETS`, imported when
needed."""


real_option = click.option(
    "--real",
    type=click.Choice(["32", "64"]),
    default="64",
    show_default=True,
    help="Bits of reals.",
)
int_option = click.option(
    "--int", "int_", type=click.Choice(["32", "64"]), default="64", show_default=True,
    help="Bits of ints.",
)  # fmt: skip


kinds_option = click.option(
    "--kinds",
    metavar="MODULE.py",
    type=click.Path(exists=True, dir_okay=False),
    help="A module of Python whose kinds of nodes are words of the program. It is run.",
)


@click.group(cls=CommandGroup, short_help="Programs on whole arrays: check, run, compile.")
def array() -> None:
    """Check, run and compile programs on whole arrays.

    FILE is a program in L0, or in the Scheme-like language (.scm), of which NAME is the procedure
    that the program is made of; - is standard input, in L0.
    """


class _ArrayCommand(CommandWithValues):
    @staticmethod
    def is_number(word: str) -> bool:
        return bool(_NEGATIVE.match(word))


@array.command()
@program_argument
@entry_option
@kinds_option
def check(file: str, entry: str, kinds: str | None) -> None:
    """Check a program: syntax, types, uniqueness.

    Prints nothing if all is well.
    """
    _load(file, entry, kinds)


@array.command(cls=_ArrayCommand, context_settings={"ignore_unknown_options": True})
@program_argument
@click.argument("values", nargs=-1, metavar="[VALUE]...")
@entry_option
@click.option(
    "--target",
    type=click.Choice(["interp", *TARGETS]),
    default="interp",
    show_default=True,
    help="How the program is run.",
)
@real_option
@int_option
@kinds_option
def run(
    file: str,
    values: tuple[str, ...],
    entry: str,
    target: str,
    real: str,
    int_: str,
    kinds: str | None,
) -> None:
    """Run a function of a program on VALUEs, and print its result.

    One VALUE for each parameter: 3, -1.5, True, 'c', "text", {1, 2.0}, [[1, 2], [3, 4]],
    empty(int). Without any they are read from standard input.
    """
    program, function = _load(file, entry, kinds)
    entry = function or entry
    parameters = _parameters(program, entry)
    if values or not parameters or file == "-":
        text, name = "\n".join(values), "<values>"
    else:
        text, name = terminal.standard_input(), "<stdin>"
    real, int_ = f"float{real}", f"int{int_}"
    if target == "interp":
        result = program.run_text(text, entry, name, real=real, int=int_)
    else:
        result = program.compile(target, entry, real=real, int=int_).run_text(text, name)
    terminal.write_output(None, result + "\n")


@array.command()
@program_argument
@entry_option
@click.option(
    "--target", type=click.Choice(TARGETS), default="c", show_default=True, help="The language."
)
@real_option
@int_option
@click.option("--loops", is_flag=True, help="Print the loops over memory that it is printed from.")
@click.option("-o", "--output", metavar="PATH", help="Write it to a file instead.")
@kinds_option
def compile(
    file: str,
    entry: str,
    target: str,
    real: str,
    int_: str,
    loops: bool,
    output: str | None,
    kinds: str | None,
) -> None:
    """Print what a function of a program is compiled to."""
    from cogen.array.programs.targettext import source_text

    program, function = _load(file, entry, kinds)
    entry = function or entry
    _parameters(program, entry)
    text = source_text(
        program.for_target(target), target, entry, f"float{real}", f"int{int_}", loops
    )
    terminal.write_output(output, text)


@array.command("fuse-report", short_help="Tell what was fused, and what was not.")
@program_argument
@click.option(
    "--entry", metavar="NAME", help="The function; main, or the last one, if none is given."
)
@click.option("--json", "as_json", is_flag=True, help="Print data instead of tables.")
@click.option("--no-duplicate", is_flag=True, help="Never compute anything twice, however cheap.")
@kinds_option
def fuse_report(
    file: str, entry: str | None, as_json: bool, no_duplicate: bool, kinds: str | None
) -> None:
    """Tell what each array operation was fused into, or which rule forbade it."""
    import json

    from rich.console import Console

    from cogen.array.fusion.fuse import FusionOptions
    from cogen.array.report.fusionreport import report
    from cogen.array.report.fusiontable import fusion_table

    program, entry = _load(file, entry, kinds)
    name = _entry(program, entry)
    found = report(program, name, FusionOptions(duplicate=not no_duplicate))
    if as_json:
        terminal.write_output(None, json.dumps(found.json(), indent=2) + "\n")
    else:
        Console(highlight=False).print(fusion_table(found, program.source))


@array.command()
@program_argument
@click.option(
    "--entry", metavar="NAME", help="The function; main, or the last one, if none is given."
)
@click.option("--before", is_flag=True, help="The data-flow before fusion.")
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="A file .dot, .svg or .html; DOT to standard output if none.",
)
@kinds_option
def graph(
    file: str, entry: str | None, before: bool, output: str | None, kinds: str | None
) -> None:
    """Draw the data-flow of a function, as DOT, SVG or a page.

    A page (.html) has the source, the data-flow before and after fusion and C side by side.
    """
    from cogen.array.report.dot import dot
    from cogen.array.report.fusionreport import data_flow
    from cogen.array.report.svg import svg

    suffix = "" if output is None or output == "-" else Path(output).suffix
    if suffix not in ("", ".dot", ".svg", ".html") or (output not in (None, "-") and not suffix):
        raise UsageError(
            f"{output} is neither .dot, .svg nor .html",
            hint="-o PATH.dot, -o PATH.svg or -o PATH.html",
        )
    program, entry = _load(file, entry, kinds)
    if suffix == ".html":
        from cogen.view.arraypage import array_page

        if before:
            raise UsageError("a page has both, before and after", hint="leave --before out")
        terminal.write_output(output, array_page(program, _entry(program, entry)))
        return
    flow = data_flow(program, _entry(program, entry), before)
    terminal.write_output(output, svg(flow) if suffix == ".svg" else dot(flow))


def _entry(program: Program, entry: str | None) -> str:
    """The function that a command is about: `main`, or else the last, if none is named."""
    if entry is None:
        entry = "main" if "main" in program.entries else next(reversed(program.entries), "main")
    _parameters(program, entry)
    return entry


def _parameters(program: Program, entry: str) -> tuple[Type, ...]:
    """The types of a function's parameters; UsageError if there is no such function."""
    try:
        return program.parameters(entry)
    except CogenError as error:
        raise UsageError(error.message, error.span, error.hint) from None


def _load(file: str, entry: str | None, kinds: str | None) -> tuple[Program, str | None]:
    """The program of a file, and what its function of that name is called."""
    from cogen.array import load, loads
    from cogen.array.programs.loading import SCHEME, of_scheme

    words = _words(kinds)
    if file == "-":
        return loads(terminal.standard_input(), "<stdin>", words), entry
    if Path(file).suffix != SCHEME:
        return load(file, kinds=words), entry
    name = entry or "main"
    if words is not None:
        return load(file, name, words), "main"
    program = load_program(file)
    check_entry(program, name)
    return of_scheme(program, name), "main"


def _words(kinds: str | None) -> NodeWords | None:
    """The kinds of nodes of a module, as words of programs."""
    if kinds is None:
        return None
    from cogen.staging.kindprograms import module_words

    return module_words(kinds)
