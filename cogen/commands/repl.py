"""The command `cogen repl`."""

from __future__ import annotations

from pathlib import Path

import click

from cogen.lang.governor import RUNNING
from cogen.programarguments import given_budget, limit_options, word_size_option
from cogen.programfiles import ProgramFile


@click.command()
@click.argument(
    "files",
    nargs=-1,
    metavar="[FILE]...",
    type=ProgramFile(dash=False),
)
@word_size_option
@limit_options
def repl(
    files: tuple[str, ...], word_size: int, max_time: float | None, max_memory: float | None
) -> None:
    """Evaluate what is typed, and show its values.

    FILEs are evaluated first. Definitions may be given again; a form may be several lines long.
    What starts with a comma is a command: ,specialize (NAME BT ...) shows a residual program, ,c
    NAME its C, ,explain what was decided; ,help lists them all. Errors are told and end nothing;
    the end of the input does. The limits are those of each evaluation.
    """
    from cogen.repl.conversation import Conversation
    from cogen.repl.prompt import converse

    conversation = Conversation(word_size, given_budget(max_time, max_memory, RUNNING))
    for file in files:
        conversation.load(Path(file))
    converse(conversation)
