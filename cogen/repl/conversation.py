"""What people say, line by line -> values on standard output, diagnostics on standard error.

What is said is a form of the language, or a command, which starts with a comma and a letter
(`cogen.repl.commands`).  Nothing that goes wrong ends the conversation.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cogen import terminal
from cogen.api import library_path
from cogen.lang.errors import CogenError, Span
from cogen.lang.files import read_source
from cogen.lang.governor import RUNNING, Budget, InterruptedRun
from cogen.lang.incoming import Incoming
from cogen.lang.session import Session
from cogen.lang.syntax import Syntax
from cogen.programarguments import near_names
from cogen.repl.commands import COMMANDS, Command, Quit
from cogen.running import result_texts
from cogen.specialized import Residual
from cogen.writing import StreamError

_COMMAND: Final = re.compile(r",([A-Za-z?][\w?-]*)[ \t]*")


class Conversation:
    """A session of the language, and commands about what it defines.

    Memory has words of `word_size` bits; each evaluation keeps to the budget.
    """

    def __init__(self, word_size: int = 32, budget: Budget = RUNNING) -> None:
        self.word_size = word_size
        self.session = Session(library_path(), word_size, budget=budget)
        self.incoming = Incoming(self.session.source)
        self._command: tuple[Command, Span] | None = None
        """The command whose argument is being read."""
        self._residuals: dict[str, Residual] = {}
        self._residuals_of = 0

    @property
    def residuals(self) -> dict[str, Residual]:
        """The last residual programs of procedures by name, until something is defined."""
        if self._residuals_of != self.session.changes:
            self._residuals_of = self.session.changes
            self._residuals.clear()
        return self._residuals

    def say(self, text: str) -> None:
        """Take a piece of text, which ends with a line break, and answer all that is complete.

        Leave is raised where it asks for the end; StreamError if an answer cannot be written.
        """
        self._attempt(lambda: self.incoming.add_text(text))
        while self._attempt(self._answer_next):
            pass

    def end(self) -> None:
        """Nothing more is said: what is not complete is told."""
        self._command = None
        self._attempt(self.incoming.end)

    @property
    def is_inside(self) -> bool:
        """Whether a form or a command has begun and is not complete."""
        return self.incoming.is_inside or self._command is not None

    def forget(self) -> None:
        """Leave out what has been said and is not complete."""
        self._command = None
        self.incoming.forget()

    def load(self, path: Path) -> None:
        """Evaluate a file; its output appears, what is wrong with it is told."""
        self._attempt(lambda: self.load_file(path))

    def load_file(self, path: Path) -> None:
        """Evaluate a file; CogenError for whatever is wrong with it."""
        self.session.load(read_source(path))
        terminal.show_warnings(self.session.warnings)

    def evaluate(self, form: Syntax) -> None:
        """Evaluate a form, and show its values; CogenError where it fails."""
        value = self.session.evaluate([form])
        self._hand_on()
        terminal.show_warnings(self.session.warnings)
        for text in result_texts(value, self.session.interpreter.machine.port):
            terminal.write_output(None, text + "\n")

    def show(self, text: str, language: str = "") -> None:
        """Write a text to standard output, as lines of its own; a program's is in a language."""
        self.begin_line()
        terminal.write_code(text.rstrip("\n") + "\n", language)

    def begin_line(self) -> None:
        """End the line that the program's output has begun, if it has."""
        port = self.session.interpreter.machine.port
        if not port.at_line_start:
            port.write("\n")
        self._hand_on()

    def _hand_on(self) -> None:
        self.session.interpreter.machine.port.flush()
        sys.stdout.flush()

    # One thing after the other

    def _attempt(self, action: Callable[[], bool | None]) -> bool:
        """Do something; whether it gave something that is true, or failed: then that is told."""
        try:
            return bool(action())
        except (Quit, StreamError, BrokenPipeError):
            raise
        except KeyboardInterrupt as error:
            self.forget()
            self._hand_on()
            terminal.interrupted(error.told if isinstance(error, InterruptedRun) else None)
            return True
        except CogenError as error:
            failure = error
        except MemoryError:
            failure = CogenError("out of memory")
        except Exception as error:  # a bug of ours, whatever it is
            failure = terminal.internal_error(error)
        self._hand_on()
        terminal.show_error(failure)
        return True

    def _answer_next(self) -> bool:
        """Answer the next form or command; False if there is none that is complete."""
        incoming = self.incoming
        if self._command is not None:
            return self._go_on(*self._command)
        if not incoming.stack:
            incoming.skip_blank()
            match = _COMMAND.match(incoming.text, incoming.position)
            if match is not None:
                return self._begin(match)
        form = incoming.take()
        if form is None:
            return False
        self.evaluate(form)
        return True

    def _begin(self, match: re.Match[str]) -> bool:
        """Begin with a command, up to its argument."""
        incoming = self.incoming
        incoming.position = match.end()
        span = Span(incoming.source, match.start(), match.end(1))
        command = COMMANDS.get(match[1])
        if command is None:
            incoming.rest_of_line()
            near = near_names(match[1], COMMANDS)
            hint = f"did you mean ,{near[0]}?" if near else ",help lists the commands"
            raise CogenError(f"there is no command ,{match[1]}", span, hint)
        line_end = incoming.text.find("\n", incoming.position)
        rest = incoming.text[incoming.position : line_end].strip()
        if command.is_of_form and rest:
            self._command = command, span
            return self._go_on(command, span)
        incoming.rest_of_line()
        if bool(rest) != bool(command.argument):
            raise CogenError(f"wrong use of ,{command.name}", span, f"write {command.usage}")
        command.run(self, rest)
        return True

    def _go_on(self, command: Command, span: Span) -> bool:
        """Read the command's argument, and run it once that is complete."""
        try:
            form = self.incoming.take()
        except BaseException:
            self._command = None
            raise
        if form is None:
            return False
        self._command = None
        if self.incoming.rest_of_line().partition(";")[0].strip():
            raise CogenError(f"wrong use of ,{command.name}", span, f"write {command.usage}")
        command.run(self, form)
        return True
