"""The machine: the state that primitives with a context see while a program runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError
from cogen.lang.values import InputPort, OutputPort

WORD_SIZES = range(8, 65, 8)
"""The word sizes, in bits, that memory can be seen in."""


class Machine:
    """Word size (bits), the current ports, the assigned and defined globals, the command line (a
    name, and the words behind it); `copies` are what `%copy-called` made last, with their names, by
    the `id` of what was copied.  `evaluate` does what `eval` is made of, where that can be done.

    `output` is the text stream of the current output port, `port`; None means `sys.stdout`, looked
    up when the machine is made.  Raises `CogenError` for a word size that is no multiple of 8 in
    8..64.
    """

    __slots__ = (
        "command_line",
        "copies",
        "error",
        "evaluate",
        "globals",
        "input",
        "port",
        "word_bytes",
        "word_size",
    )

    def __init__(self, word_size: int = 32, output: TextIO | None = None) -> None:
        if word_size not in WORD_SIZES:
            raise CogenError(f"the word size must be a multiple of 8 from 8 to 64, not {word_size}")
        self.word_size = word_size
        self.word_bytes = word_size // 8
        self.port = OutputPort(sys.stdout if output is None else output)
        self.input = InputPort("", sys.stdin)
        self.error = OutputPort(sys.stderr)
        self.command_line: tuple[str, ...] = ("",)
        self.globals: dict[str, Datum] = {}
        self.copies: dict[int, tuple[Datum, str]] = {}
        self.evaluate: Callable[[str, Sequence[Datum]], Datum] | None = None
