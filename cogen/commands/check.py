"""The command `cogen check`: what is wrong with programs, without running them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cogen import terminal
from cogen.lang.errors import CogenError, Source
from cogen.lang.files import read_source
from cogen.programfiles import ProgramFile

if TYPE_CHECKING:
    from cogen.lsp.analysis import Analysis


@click.command(short_help="Tell what is wrong with programs, without running them.")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=ProgramFile(),
)
def check(files: tuple[str, ...]) -> int:
    """Tell all independent errors of programs, without running them.

    FILEs are programs in the language, or in L0 (.l0); - is standard input, in the language. What
    only follows from another error is not told. Prints nothing if all is well; else the exit status
    is 1.
    """
    found = [error for file in files for error in _errors(file)]
    for error in found:
        terminal.show_error(error)
    return 1 if found else 0


def _errors(file: str) -> Sequence[CogenError]:
    try:
        return _analysis(file).errors
    except CogenError as error:  # there is no text to look at
        return [error]


def _analysis(file: str) -> Analysis:
    if file == "-":
        source = Source("<stdin>", terminal.standard_input())
    else:
        source = read_source(Path(file))
    if Path(file).suffix == ".l0":
        from cogen.lsp.l0 import analyse as analyse_l0

        return analyse_l0(source)
    from cogen.lsp.scheme import analyse

    return analyse(source)
