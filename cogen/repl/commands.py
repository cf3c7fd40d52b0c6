"""The commands of a conversation: a comma, a name, and at most one argument."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cogen
from cogen import terminal
from cogen.binding_times import BT
from cogen.calls import CALL, call_of
from cogen.lang.datum import Symbol
from cogen.lang.errors import CogenError
from cogen.lang.syntax import Syntax, SyntaxList
from cogen.specialized import Residual

if TYPE_CHECKING:
    from cogen.repl.conversation import Conversation


class Quit(Exception):
    """The conversation is to end."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it takes, as `,help` shows it, empty for nothing; what it does, in words and
    as a function of the conversation and the argument.

    The argument is a form; that of `load` is the rest of the line."""

    name: str
    argument: str
    help: str
    run: Callable[[Conversation, Any], None]

    @property
    def usage(self) -> str:
        """How it is written."""
        return f",{self.name} {self.argument}".rstrip()

    @property
    def is_of_form(self) -> bool:
        """Whether it takes a form, which may be several lines long."""
        return self.argument not in ("", FILE)


FILE: Final = "FILE"
OF_PROCEDURE: Final = f"NAME or {CALL}"


# What is known of a call


def _call_of(conversation: Conversation, form: Syntax) -> tuple[Any, str, list[BT]]:
    """The program, the procedure and the binding times that `(NAME BT ...)` writes."""
    program = conversation.session.program()
    return program, *call_of(program, form, remedy="define it, or ,load a file")


def _residual(conversation: Conversation, form: Syntax, again: bool = False) -> Residual:
    """The residual program that a form asks for; for a name alone the last of that name, if it is
    not to be made again."""
    if isinstance(form.value, Symbol) and not again:
        found = conversation.residuals.get(form.value.name)
        if found is not None:
            return found
    program, name, times = _call_of(conversation, form)
    residual = cogen.specialize(program, name, *times, word_size=conversation.word_size)
    conversation.residuals[name] = residual
    terminal.show_warnings(residual.warnings)
    return residual


# The commands


def _specialize(conversation: Conversation, form: Syntax) -> None:
    conversation.show(_residual(conversation, form, again=True).scheme, "scheme")


def _explain(conversation: Conversation, form: Syntax) -> None:
    program, name, times = _call_of(conversation, form)
    size = conversation.word_size
    residual = cogen.specialize(program, name, *times, word_size=size, explain=True)
    conversation.begin_line()
    terminal.show_explanation(residual.explain().text)


def _c(conversation: Conversation, form: Syntax) -> None:
    conversation.show(_residual(conversation, form).c, "c")


def _python(conversation: Conversation, form: Syntax) -> None:
    conversation.show(_residual(conversation, form).python, "python")


def _array(conversation: Conversation, form: Syntax) -> None:
    known = isinstance(form.value, SyntaxList) or form.value.name in conversation.residuals
    if known:
        conversation.show(_residual(conversation, form).array, "l0")
        return
    from cogen.array.programs.loading import of_scheme

    program, name, _ = _call_of(conversation, form)
    conversation.show(of_scheme(program, name).text, "l0")


def _time(conversation: Conversation, form: Syntax) -> None:
    start = time.perf_counter()
    conversation.evaluate(form)
    conversation.show(f"; {time.perf_counter() - start:.6f} s")


def _load(conversation: Conversation, name: str) -> None:
    quoted = len(name) > 1 and name[0] == name[-1] == '"'
    conversation.load_file(Path(name[1:-1] if quoted else name).expanduser())


def _doc(conversation: Conversation, form: Syntax) -> None:
    from cogen.repl.names import told_of

    if not isinstance(form.value, Symbol):
        raise CogenError("wrong use of ,doc", form.span, "write ,doc NAME")
    conversation.show(told_of(conversation.session, form.value, form.span))


def _help(conversation: Conversation, _: str) -> None:
    width = max(len(command.usage) for command in COMMANDS.values())
    lines = [
        "Definitions and expressions are evaluated; what starts with a comma is a command:",
        "",
    ]
    lines += [f"  {command.usage:{width}}  {command.help}" for command in COMMANDS.values()]
    conversation.show("\n".join([*lines, "", *_BINDING_TIMES]))


_BINDING_TIMES: Final = (
    "A binding time BT says what is known of an argument: _ nothing, (dynamic TYPE) its type,",
    "(static DATUM) or a literal its value, (cyclic BASE REM) its remainder; (cons BT BT),",
    "(list BT ...), (vector BT ...), (record NAME BT ...) its parts.",
)


def _quit(conversation: Conversation, _: str) -> None:
    raise Quit


_ALL: Final = (
    Command(
        "specialize", CALL, "the residual program, in which what is known is done", _specialize
    ),
    Command(
        "explain", CALL, "what is decided at each line when it is specialized, and why", _explain
    ),
    Command("c", OF_PROCEDURE, "C of the last residual program of that name, or of the call", _c),
    Command("python", OF_PROCEDURE, "the same as Python", _python),
    Command("array", OF_PROCEDURE, "the same as a program on whole arrays, in L0", _array),
    Command("time", "FORM", "evaluate it, and tell how long that took", _time),
    Command("doc", "NAME", "how a name is used, and what it is", _doc),
    Command("load", FILE, "evaluate a file", _load),
    Command("help", "", "this list", _help),
    Command("quit", "", "leave, as the end of the input does", _quit),
)

COMMANDS: Final = {command.name: command for command in _ALL}
"""The commands by name."""
