"""The command `cogen new-language`."""

from __future__ import annotations

from pathlib import Path

import click

from cogen import terminal


@click.command("new-language", short_help="Begin a language of your own.")
@click.argument("name")
@click.argument("folder", required=False, type=click.Path(file_okay=False))
def new_language(name: str, folder: str | None) -> None:
    """Begin a language of your own: grammar, parser, interpreter, compiler, server, tests.

    What is written into FOLDER (or NAME) is a small language that works, to be changed: programs
    are interpreted, compiled to native code by way of its interpreter, and checked in editors, and
    errors tell their places. It needs the packages lark, pytest for its tests, and pygls for its
    language server.
    """
    from cogen.newlanguage.write import write

    for path in write(name, Path(folder or name)):
        terminal.write_output(None, f"{path}\n")
