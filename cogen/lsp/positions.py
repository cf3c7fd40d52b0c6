"""Offsets in a text <-> lines and columns as the protocol counts them.

Positions("a\U0001d11eb\n").of(2)  ->  (0, 3): the second character is two units of UTF-16
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

UNITS: Final = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
"""Encodings in which columns may be counted, with the bytes of a unit."""


class Positions:
    """Of one text.  Lines and columns count from 0, columns in units of the encoding."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self.encoding = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(encoding, encoding)
        self.unit = UNITS[encoding]
        self.starts = [0]
        self.starts += [i + 1 for i, character in enumerate(text) if character == "\n"]

    def of(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        line = bisect_right(self.starts, offset) - 1
        before = self.text[self.starts[line] : offset]
        return line, self._width(before)

    def width(self, start: int, end: int) -> int:
        """How wide a part of a line is."""
        return self._width(self.text[start:end])

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column; of places that the text has not, the nearest before."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        start = self.starts[line]
        end = self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)
        text = self.text[start:end]
        if text.isascii():
            return start + min(column, len(text))
        width = 0
        for index, character in enumerate(text):
            width += self._width(character)
            if width > column:
                return start + index
        return end

    def _width(self, text: str) -> int:
        if text.isascii():
            return len(text)
        return len(text.encode(self.encoding, "surrogatepass")) // self.unit
