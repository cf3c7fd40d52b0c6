"""The commands `cogen examples ...`: list, show, copy and run the examples."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cogen import terminal
from cogen.programarguments import meant, near_names
from cogen.terminal import UsageError

if TYPE_CHECKING:
    from cogen.examplefiles import Example


@click.group(invoke_without_command=True, short_help="List, show, copy and run the examples.")
@click.pass_context
def examples(context: click.Context) -> None:
    """List, show, copy and run the examples. Without a command, list them."""
    if context.invoked_subcommand is None:
        _list()


@examples.command("list")
def list_() -> None:
    """List the examples: the name of each, and what it is."""
    _list()


def _list() -> None:
    from cogen.examplefiles import examples as all_examples

    found = all_examples()
    width = max(map(len, found))
    lines = [f"{name:{width}}  {example.summary}" for name, example in found.items()]
    terminal.write_output(None, "\n".join(lines) + "\n")


@examples.command()
@click.argument("name")
def show(name: str) -> None:
    """Print an example."""
    terminal.write_output(None, _example(name).text)


@examples.command()
@click.argument("folder", type=click.Path(file_okay=False), default="cogen-examples")
def copy(folder: str) -> None:
    """Copy all examples, and what they read, into FOLDER (cogen-examples)."""
    from cogen.examplefiles import copy as copy_to

    for path in copy_to(Path(folder)):
        terminal.write_output(None, f"{path}\n")


@examples.command(context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("arguments", nargs=-1, metavar="[ARG]...", type=click.UNPROCESSED)
def run(name: str, arguments: tuple[str, ...]) -> int:
    """Run an example: the commands that its first comment tells; a Python example with the ARGs.

    What a Python example makes is written into the present folder.
    """
    import subprocess
    import sys

    from cogen.examplefiles import command_lines

    for words, place in command_lines(_example(name), [*arguments]):
        if words[2] == "cogen":
            terminal.write_output(None, f"$ {shlex.join(words[2:])}\n")
        sys.stdout.flush()
        status = subprocess.run(words, cwd=place, check=False).returncode
        if status:
            return status
    return 0


def _example(name: str) -> Example:
    """The example of a name, which may be that of its file."""
    from cogen.examplefiles import examples as all_examples

    found = all_examples()
    name = name.removeprefix("./").removesuffix(".py").removesuffix(".scm")
    if name in found:
        return found[name]
    near = near_names(name, found) or [one for one in found if one.endswith(f"/{name}")]
    hint = meant(near) if near else "cogen examples lists them"
    raise UsageError(f"there is no example `{name}`", hint=hint)
