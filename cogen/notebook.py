"""Notebooks: `%load_ext cogen` gives cells in the language.

    %%cogen              the cell goes on with the notebook's conversation; the value of its last
                         form is the cell's, and `program` is the program that all definitions are
    %%cogen NAME         the cell is a program of its own, the variable NAME
    %cogen EXPRESSION    the value of an expression in the conversation

Errors show the diagnostic alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class

import cogen
from cogen.api import library_path
from cogen.convert import from_datum
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import CogenError, InternalError, Source, Warnings
from cogen.lang.reader import read
from cogen.lang.session import Session

PROGRAM: Final = "program"
"""The variable that has the program of the conversation."""


class FailedCell(Exception):
    """What a cell of the language ends with: `error` has the diagnostic."""

    def __init__(self, error: CogenError) -> None:
        super().__init__(error.render())
        self.error = error

    def _render_traceback_(self) -> list[str]:
        """What IPython shows: the diagnostic."""
        return self.error.render().splitlines()


@magics_class
class Cells(Magics):
    """The magic `cogen`."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self.ours = shell
        self.session = Session(library_path(), output=_NotebookOutput())  # type: ignore[arg-type]  # enough

    @line_cell_magic
    def cogen(self, line: str, cell: str | None = None) -> Any:
        """See the module."""
        name = line.strip()
        if cell is None:
            return self._told(self._evaluate, line)
        if not name:
            return self._told(self._evaluate, cell)
        if not name.isidentifier():
            hint = "%%cogen, or %%cogen NAME for a program of its own"
            raise FailedCell(CogenError(f"{name} is no name of a variable", hint=hint))
        self.ours.user_ns[name] = self._told(cogen.loads, cell, self._name())
        return None

    def _name(self) -> str:
        """What diagnostics call the cell."""
        return f"<cell {self.ours.execution_count}>"

    def _evaluate(self, text: str) -> Any:
        """The value of the last form of a text, None for a definition."""
        session = self.session
        changes = session.changes
        value = session.evaluate(read(Source(self._name(), text)))
        if session.changes != changes:
            _show(session.warnings)
            self._give_program()
        return None if value is UNSPECIFIED else from_datum(value)

    def _give_program(self) -> None:
        if self.session.is_whole:
            self.ours.user_ns[PROGRAM] = self.session.program()

    def _told(self, action: Callable[..., Any], *arguments: str) -> Any:
        try:
            return action(*arguments)
        except InternalError:
            raise
        except CogenError as error:
            raise FailedCell(error) from None


class _NotebookOutput:
    """Standard output, which a notebook may replace at any time."""

    def write(self, text: str) -> int:
        return sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()


def _show(warnings: Warnings) -> None:
    if warnings.messages:
        print(warnings.render(), file=sys.stderr)


def load(shell: InteractiveShell) -> None:
    """Make the magic known to a shell."""
    shell.register_magics(Cells)
