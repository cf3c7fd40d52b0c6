"""Groups of commands that are imported when one of them is asked for.

A list of commands, as `--help` prints it, is printed without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, NamedTuple

import click

from cogen.commands.helpexamples import with_example, with_examples
from cogen.reporting import with_json


class Lazy(NamedTuple):
    """A command that is imported when it is asked for."""

    place: str
    """Its module and its name there, with a colon between."""

    summary: str
    """What lists of commands say of it: the same as the command itself says in a line."""


class LaterGroup(click.Group):
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
