"""C names for the names of the IL."""

from __future__ import annotations

import re
from itertools import count

_ODD = re.compile(r"[^A-Za-z0-9]+")


class Names:
    """Makes names: what people called it, as far as C allows, and a number."""

    def __init__(self) -> None:
        self.numbers = count(1)
        self.of_variable: dict[str, str] = {}

    def fresh(self, base: str) -> str:
        """A new name."""
        word = _ODD.sub("_", base).strip("_")[:24]
        if not word or word[0].isdigit():
            word = f"x{word}"
        return f"{word}_{next(self.numbers)}"

    def variable(self, name: str) -> str:
        """The name of a variable of the IL, which is unique in the program."""
        found = self.of_variable.get(name)
        if found is None:
            found = self.of_variable[name] = self.fresh(name)
        return found


def quoted(text: str | bytes) -> str:
    """A C string literal."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return '"' + "".join(_ESCAPES[byte] for byte in data) + '"'


def _escape(byte: int) -> str:
    if byte in (0x22, 0x5C):
        return "\\" + chr(byte)
    if 0x20 <= byte < 0x7F and byte != 0x3F:
        return chr(byte)
    return f"\\{byte:03o}"


_ESCAPES = [_escape(byte) for byte in range(256)]
