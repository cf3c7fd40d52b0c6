"""What the C back end gives: the text, how to call it, and what its errors mean.

The primitives are imported when an error is told: what is kept needs them for nothing else.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from cogen.backends.failures import Noted
from cogen.lang.chain import count_of
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError, InternalError, LimitationError, Span
from cogen.lang.ilutil import NEVER_RETURN
from cogen.lang.marks import TextMark
from cogen.residual import ResidualProgram

RECURSION = "recursion"
"""The operation name of the error site for a stack that is used up."""

CALL = "call"
"""The operation name of the site of a call, which has not failed itself."""

OTHER = ""
"""What stands for a buffer that the caller has not passed."""


@dataclass(frozen=True, slots=True)
class Detail:
    """An argument that the C code reports: which of the details, and its type."""

    position: int
    type: str


@dataclass(frozen=True, slots=True)
class KnownArgument:
    """An argument that is known when the code is made."""

    value: Datum


@dataclass(frozen=True, slots=True)
class ErrorSite:
    """A site of kernels: the operation that failed on what, and where.

    For `load-word` and `store-word!` the arguments are the index and the number of words, and
    `buffers` are the parameters of the entry that it may be about.
    """

    operation: str
    arguments: tuple[Detail | KnownArgument, ...]
    span: Span | None
    word_size: int
    buffers: tuple[str, ...] = ()

    def error(self, noted: Noted) -> CogenError:
        """The error to raise, worded as the interpreter words it: of the buffer, if its caller has
        a name for it, by way of the calls."""
        if self.operation == RECURSION:
            return LimitationError(
                "the recursion is too deep for the stack of compiled code",
                self.span,
                hint="use to_python(), or write the procedure with an accumulator",
                calls=noted.calls,
            )
        values = tuple(_datum(argument, noted.details) for argument in self.arguments)
        from cogen.lang.called import failure_of

        return failure_of(self._message(values), noted.buffer or None, self.span, noted.calls)

    @property
    def told(self) -> int:
        """How many calls a diagnostic tells of this one, if it is one: those that were unfolded
        are more."""
        if self.span is None:
            return 0
        return count_of([(self.span, 1), *(self.span.calls or ())])

    def _message(self, values: tuple[Datum, ...]) -> str:
        """What the primitive itself says to these arguments."""
        from cogen.lang.machine import Machine
        from cogen.lang.prims import PRIMITIVES, apply_primitive
        from cogen.lang.primtable.checks import PrimitiveError, need_index

        try:
            if self.operation in ("load-word", "store-word!"):
                need_index(self.operation, values[0], values[1], "word index")
            else:
                machine = Machine(self.word_size)
                apply_primitive(PRIMITIVES[self.operation], machine, values)
        except PrimitiveError as error:
            if self.span is not None:
                error.told_of(self.span.operation)
            return error.text()
        raise InternalError(f"C code reports a failure of {self.operation} that is none: {values}")

    @property
    def description(self) -> str:
        """A line for the comment in the C text."""
        what = "recursion too deep" if self.operation == RECURSION else self.operation
        if self.span is not None and self.span.operation is not None:
            what = self.span.operation
        if self.operation in NEVER_RETURN and self.arguments:
            first = self.arguments[0]
            if isinstance(first, KnownArgument):
                what = f"{self.operation} {first.value}"
        where = "" if self.span is None else f" at {self.span}"
        return f"{what}{where}"


def _datum(argument: Detail | KnownArgument, details: Sequence[int]) -> Datum:
    if isinstance(argument, KnownArgument):
        return argument.value
    raw = details[argument.position]
    if argument.type == "float":
        return struct.unpack("<d", struct.pack("<q", raw))[0]
    return bool(raw) if argument.type == "bool" else raw


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter of the entry.  A buffer is passed as a pointer and its number of words.

    `name` is the source's; `type` is int, float, bool or memory; `stored` tells that a
    buffer is written to, `loaded` that it is read.
    """

    name: str
    type: str
    cyclic: tuple[int, int] | None = None
    stored: bool = False
    loaded: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CModule:
    """A C file that stands alone, and what is needed to call its one external function.

    `declaration` is the prototype of `function`; `fails` tells that it takes a trailing
    `cogen_error *`; `result` is int, float, bool or unspecified.  `cutting` tells that a word
    after each buffer that is stored to is the mask of its last word.  `marks` say which places of
    the source the parts of the text were made of.
    """

    text: str
    entry: str
    function: str
    declaration: str
    parameters: tuple[CParameter, ...]
    result: str
    fails: bool
    word_size: int
    residual: ResidualProgram
    cutting: bool = False
    sites: tuple[ErrorSite, ...] = ()
    marks: tuple[TextMark, ...] = ()

    @property
    def signature(self) -> str:
        """How the entry is called, for people: `sum(buf: memory, from: int) -> int`."""
        inner = ", ".join(f"{p.name}: {p.type}" for p in self.parameters)
        return f"{self.entry}({inner}) -> {self.result}"
