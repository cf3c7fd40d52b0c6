"""Values that only exist while a program runs; `lang.datum` has those that can be written down.

    value ::= datum | Procedure | VariableCell | MultipleValues | Condition
            | InputPort | OutputPort | ByteInputPort | ByteOutputPort

`Procedure` is the base class of everything that can be called: each runner (the
interpreter, residual Python) has its own subclasses.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, BinaryIO, TextIO

from cogen.lang.datum import Datum
from cogen.lang.errors import Span


class Procedure:
    """Anything that can be called; `name` is for people."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"#<procedure {self.name}>" if self.name else "#<procedure>"


class VariableCell:
    """A mutable cell: what a variable that is assigned lives in."""

    __slots__ = ("value",)

    def __init__(self, value: Datum) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "#<cell>"


class Environment:
    """Where `eval` evaluates: a session (`lang.session`)."""

    __slots__ = ("session",)

    def __init__(self, session: Any) -> None:
        self.session = session

    def __repr__(self) -> str:
        return "#<environment>"


class MultipleValues:
    """What `(values a ...)` gives when it is given any number but one."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Datum, ...]) -> None:
        self.items = items

    def __repr__(self) -> str:
        return "#<no values>" if not self.items else f"#<{len(self.items)} values>"


@dataclass(slots=True, eq=False)
class Condition:
    """An error object: what `error` raises, and what a failing primitive raises.

    `kind` is the primitive failure (type index division overflow user file read); `span` is where
    the program failed, `frame` what the run was to return to there, if it has frames; `buffer`
    whose index it is about, if it is about one.
    """

    kind: str
    message: Datum
    irritants: tuple[Datum, ...] = ()
    span: Span | None = None
    frame: tuple[Any, ...] | None = None
    buffer: Datum = None

    def __repr__(self) -> str:
        return f"#<error {self.message}>"


class InputPort:
    """Reads characters: from a string, or from a text stream, of which `text` has a part.

    `position` is the offset in it of the next character; `fold` whether `read` is to take symbols
    without case, as `#!fold-case` has said.
    """

    __slots__ = ("fold", "open", "position", "stream", "text")

    def __init__(self, text: str, stream: TextIO | None = None) -> None:
        self.text = text
        self.position = 0
        self.fold = False
        self.stream = stream
        self.open = True

    def more(self, least: int = 0) -> bool:
        """Whether there is more text, which is then in `text`: a line, and at least so many
        characters if the stream has them.  What was read is dropped."""
        if self.stream is None:
            return False
        lines = [self.stream.readline()]
        if least > len(lines[0]) > 0:
            lines.append(self.stream.read(least - len(lines[0])))
        self.text = self.text[self.position :] + "".join(lines)
        self.position = 0
        return lines[0] != ""

    def close(self) -> None:
        """Nothing can be read any more."""
        self.open = False
        if self.stream is not None and self.stream is not sys.stdin:
            self.stream.close()

    def __repr__(self) -> str:
        return "#<input port>"


class OutputPort:
    """Collects what is written: in `stream` if there is one, else in a list (a string port).

    `at_line_start` says whether the last character written was a line break (or nothing was).
    """

    __slots__ = ("at_line_start", "open", "pieces", "stream")

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream
        self.pieces: list[str] = []
        self.at_line_start = True
        self.open = True

    def write(self, text: str) -> None:
        """Write text to the stream or remember it."""
        if not text:
            return
        self.at_line_start = text.endswith("\n")
        if self.stream is None:
            self.pieces.append(text)
        else:
            self.stream.write(text)

    def flush(self) -> None:
        """Hand on what a buffered stream holds back."""
        if self.stream is not None:
            self.stream.flush()

    def contents(self) -> str:
        """All that was written to a string port."""
        text = "".join(self.pieces)
        self.pieces = [text] if text else []
        return text

    def close(self) -> None:
        """Nothing can be written any more."""
        self.open = False
        if self.stream is not None and self.stream not in (sys.stdout, sys.stderr):
            self.stream.close()

    def __repr__(self) -> str:
        return "#<output port>"


class ByteInputPort:
    """Reads bytes: of a bytevector, or of a file, of which `data` has a part."""

    __slots__ = ("data", "open", "position", "stream")

    def __init__(self, data: bytes, stream: BinaryIO | None = None) -> None:
        self.data = data
        self.position = 0
        self.stream = stream
        self.open = True

    def has(self, count: int) -> int:
        """How many bytes there are to be read, so many at most."""
        missing = count - (len(self.data) - self.position)
        if missing > 0 and self.stream is not None:
            read = self.stream.read(max(missing, _CHUNK))
            self.data = self.data[self.position :] + read
            self.position = 0
        return min(count, len(self.data) - self.position)

    def close(self) -> None:
        """Nothing can be read any more."""
        self.open = False
        if self.stream is not None:
            self.stream.close()

    def __repr__(self) -> str:
        return "#<binary input port>"


class ByteOutputPort:
    """Takes bytes: `pieces` collects them, or `stream` is a file that they go to."""

    __slots__ = ("open", "pieces", "stream")

    def __init__(self, stream: BinaryIO | None = None) -> None:
        self.pieces = bytearray()
        self.stream = stream
        self.open = True

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write bytes to the file or remember them."""
        if self.stream is None:
            self.pieces += data
        else:
            self.stream.write(data)

    def flush(self) -> None:
        """Hand on what a file holds back."""
        if self.stream is not None:
            self.stream.flush()

    def close(self) -> None:
        """Nothing can be written any more."""
        self.open = False
        if self.stream is not None:
            self.stream.close()

    def __repr__(self) -> str:
        return "#<binary output port>"


_CHUNK = 1 << 16
"""Bytes that are read from a file at a time, at least."""
