"""A text that comes piece by piece -> its data, each as soon as it is complete.

What has been read of a datum that is not complete is kept, so that reading a text takes time in
proportion to its length, however many pieces it comes in.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn

from cogen.lang.errors import Source, Span
from cogen.lang.reader import ReaderFrame
from cogen.lang.readnext import Complete, NextReader, read_next
from cogen.lang.syntax import Syntax

_BLANK: Final = re.compile(r"(?:\s+|;[^\n]*\n)*")


class Incomplete(Exception):
    """The text ends inside a datum; reading goes on at `position` when there is more."""

    def __init__(self, position: int) -> None:
        super().__init__()
        self.position = position


class Incoming(NextReader):
    """Reads what is added to a source, which is the text of all that was added.

    `position` is where reading goes on.  Pieces end with a line break.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.position = len(source.text)
        self.began = self.position
        """Where the datum that is being read begins, or may begin."""

    def add_text(self, text: str) -> None:
        """Add a piece."""
        start = len(self.text)
        self.source.extend(text)
        self.text = self.source.text
        self.check_characters(start, len(self.text))

    @property
    def is_inside(self) -> bool:
        """Whether a datum has begun and is not complete."""
        return bool(self.stack) or self.position < len(self.text)

    def skip_blank(self) -> None:
        """Go on to what comes next that is neither space nor a comment to the end of the line."""
        match = _BLANK.match(self.text, self.position)
        assert match is not None  # it matches everywhere
        self.position = self.began = match.end()

    def rest_of_line(self) -> str:
        """The rest of the line, which is passed over."""
        end = self.text.find("\n", self.position)
        end = len(self.text) if end < 0 else end + 1
        start, self.position = self.position, end
        return self.text[start:end]

    def take(self) -> Syntax | None:
        """The next datum; None if the text ends before there is one or it is complete.

        CogenError if there is no datum next; then nothing is left of what was added.
        """
        position: int | None = self.position
        if not self.stack:
            self.began = self.position
        try:
            while position is not None:
                position = self.run(position)
        except Complete:
            found = self.frame.items.pop()
            self.position = found.span.end
            return found
        except Incomplete as error:
            self.position = error.position
            return None
        except BaseException:
            self.forget()
            raise
        self.position = len(self.text)
        return None

    def forget(self) -> None:
        """Leave out what was not read to its end."""
        self.stack.clear()
        self.frame = ReaderFrame("top", Span(self.source, 0, 0))
        self.position = self.began = len(self.text)

    def end(self) -> None:
        """The text ends: CogenError if something is not complete."""
        began, inside = self.began, self.is_inside
        self.forget()
        if inside:
            read_next(self.source, began)

    def finish(self) -> None:
        if self.stack:
            raise Incomplete(len(self.text))

    def unterminated(self, message: str, start: int, end: int, hint: str) -> NoReturn:
        raise Incomplete(start)
