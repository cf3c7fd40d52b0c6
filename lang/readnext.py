"""Reads one datum of a text, from an offset on: what stands behind it need not be one."""

from __future__ import annotations

from cogen.lang.collector import collector_paused
from cogen.lang.errors import Source
from cogen.lang.reader import SHEBANG, Reader
from cogen.lang.syntax import (
    Syntax,
)


def read_next(source: Source, start: int) -> tuple[Syntax | None, int]:
    """The next datum of a source from an offset on, and the offset behind it; None at the end.

    What comes behind it is not looked at.  CogenError if there is no datum next.
    """
    found, end, _ = read_folding(source, start, False)
    return found, end


def read_folding(source: Source, start: int, fold: bool) -> tuple[Syntax | None, int, bool]:
    """The same with `fold`, which says whether symbols are read without case, and what it is behind
    the datum."""
    reader = NextReader(source, fold)
    with collector_paused():
        found = reader.next(start)
    end = len(source.text) if found is None else found.span.end
    return found, end, reader.fold


class Complete(Exception):
    """A datum has been read."""


class NextReader(Reader):
    """Reads one datum."""

    def next(self, start: int) -> Syntax | None:
        position: int | None = start
        if start == 0:
            shebang = SHEBANG.match(self.text)
            position = shebang.end() if shebang else 0
        try:
            while position is not None:
                position = self.run(position)
        except Complete:
            (found,) = self.frame.items
            self.check_characters(start, found.span.end)
            return found
        self.check_characters(start, len(self.text))
        return None

    def add(self, syntax: Syntax) -> None:
        super().add(syntax)
        if not self.stack and self.frame.items:
            raise Complete
