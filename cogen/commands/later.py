"""Groups of commands that are imported when one of them is asked for.

A list of commands, as `--help` prints it, is printed without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from cogen.commands.helpexamples import with_example, with_examples
from cogen.reporting import with_json

_RUNNING: Final = {".scm": "cogen run", ".l0": "cogen array run"}
"""What runs files of a kind."""


class Lazy(NamedTuple):
    """A command that is imported when it is asked for."""

    place: str
    """Its module and its name there, with a colon between."""

    summary: str
    """What lists of commands say of it: the same as the command itself says in a line."""


class CommandGroup(click.Group):
    """A group of commands that tells of a file in the place of a command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; where that is a file, what was meant is told."""
        name = args[0]
        if name not in self.commands and (suffix := Path(name).suffix) in _RUNNING:
            runs = _RUNNING[suffix]
            if ctx.parent is not None and "run" in self.commands:
                runs = f"{ctx.command_path} run"
            written = " ".join([runs, *args])
            raise click.UsageError(f"`{name}` is a file, not a command. Write: {written}", ctx)
        return super().resolve_command(ctx, args)


class LaterGroup(CommandGroup):
    """A group of commands that stand in other modules; their help ends with examples."""

    def __init__(self, name: str | None = None, *, later: Mapping[str, Lazy], **given: Any) -> None:
        super().__init__(name, _Commands(later), **given)
        self.later = later

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, of which none is imported for that."""
        listed = {
            name: click.Command(name, help=self.later[name].summary)
            if name in self.later
            else self.commands[name]
            for name in self.commands
        }
        click.Group(commands=listed).format_commands(ctx, formatter)


class _Commands(MutableMapping[str, click.Command]):
    """The commands by name, imported when they are looked up."""

    def __init__(self, later: Mapping[str, Lazy]) -> None:
        self.later = dict(later)
        self.found: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self.found:
            module, attribute = self.later[name].place.split(":")
            command = getattr(import_module(module), attribute)
            assert isinstance(command, click.Command)
            with_example(command, name)
            if isinstance(command, click.Group):
                with_examples(command, name)
            self.found[name] = with_json(command, name)
        return self.found[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self.found[name] = command

    def __delitem__(self, name: str) -> None:
        self.later.pop(name, None)
        self.found.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self.later | self.found)

    def __len__(self) -> int:
        return len(self.later | self.found)
