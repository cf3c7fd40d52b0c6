"""Values that only exist while a program runs; `lang.datum` has those that can be written down.

    value ::= datum | Procedure | Cell | MultipleValues | Condition | InputPort | OutputPort

`Procedure` is the base class of everything that can be called: each runner (the
interpreter, residual Python) has its own subclasses.
"""

from __future__ import annotations

from typing import Any, TextIO

from cogen.lang.datum import Datum
from cogen.lang.errors import Source, Span


class Procedure:
    """Anything that can be called; `name` is for people."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"#<procedure {self.name}>" if self.name else "#<procedure>"


class Cell:
    """A mutable cell: what a variable that is assigned lives in."""

    __slots__ = ("value",)

    def __init__(self, value: Datum) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "#<cell>"


class MultipleValues:
    """What `(values a ...)` gives when it is given any number but one."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Datum, ...]) -> None:
        self.items = items

    def __repr__(self) -> str:
        return "#<no values>" if not self.items else f"#<{len(self.items)} values>"


class Condition:
    """An error object: what `error` raises, and what a failing primitive raises.

    `kind` is the primitive failure (type index division overflow user); `span` is where the
    program failed, `frame` what the run was to return to there, if it has frames; `buffer` whose
    index it is about, if it is about one.
    """

    __slots__ = ("buffer", "frame", "irritants", "kind", "message", "span")

    def __init__(
        self,
        kind: str,
        message: Datum,
        irritants: tuple[Datum, ...] = (),
        span: Span | None = None,
        frame: tuple[Any, ...] | None = None,
        buffer: Datum = None,
    ) -> None:
        self.kind = kind
        self.message = message
        self.irritants = irritants
        self.span = span
        self.frame = frame
        self.buffer = buffer

    def __repr__(self) -> str:
        return f"#<error {self.message}>"


class InputPort:
    """Reads from a string; `position` is the offset of the next character."""

    __slots__ = ("open", "position", "source", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.source = Source("<string port>", text)
        self.open = True

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

    def __repr__(self) -> str:
        return "#<output port>"
