"""The commands `cogen array ...`: programs in L0.

What a command needs is imported when it runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from cogen import terminal
from cogen.terminal import UsageError
from lang.errors import CogenError

if TYPE_CHECKING:
    from cogen.array import Program

_NEGATIVE: Final = re.compile(r"-(?:\d|inf\b)")

program_argument = click.argument(
    "file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, allow_dash=True)
)


@click.group()
def array() -> None:
    """Check and run programs on whole arrays, written in L0.

    FILE is a program; - is standard input.
    """


class _Values(click.Command):
    """A command whose arguments may be negative numbers."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        known = {name for option in self.get_params(context) for name in option.opts}
        for word in args[:end]:
            name = word.partition("=")[0]
            option = word.startswith("-") and word != "-" and not _NEGATIVE.match(word)
            if option and name not in known:
                raise click.NoSuchOption(name, ctx=context)
        return super().parse_args(context, args)


@array.command()
@program_argument
def check(file: str) -> None:
    """Check a program: syntax, types, uniqueness.

    Prints nothing if all is well.
    """
    _load(file)


@array.command(cls=_Values, context_settings={"ignore_unknown_options": True})
@program_argument
@click.argument("values", nargs=-1, metavar="[VALUE]...")
@click.option(
    "--entry", metavar="NAME", default="main", show_default=True, help="The function to call."
)
@click.option(
    "--target",
    type=click.Choice(["interp"]),
    default="interp",
    show_default=True,
    help="How the program is run.",
)
def run(file: str, values: tuple[str, ...], entry: str, target: str) -> None:
    """Run a function of a program on VALUEs, and print its result.

    One VALUE for each parameter: 3, -1.5, True, 'c', "text", {1, 2.0}, [[1, 2], [3, 4]],
    empty(int). Without any they are read from standard input.
    """
    program = _load(file)
    try:
        parameters = program.parameters(entry)
    except CogenError as error:
        raise UsageError(error.message, error.span, error.hint) from None
    if values or not parameters or file == "-":
        text, name = "\n".join(values), "<values>"
    else:
        text, name = terminal.standard_input(), "<stdin>"
    terminal.write_output(None, program.run_text(text, entry, name) + "\n")


def _load(file: str) -> Program:
    from cogen.array import load, loads

    if file == "-":
        return loads(terminal.standard_input(), "<stdin>")
    return load(file)
