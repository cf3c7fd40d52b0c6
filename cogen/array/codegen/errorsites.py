"""What all functions of a program share: its errors and traces, by number, and its options."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.messages import Told, say
from cogen.array.l0.runerrors import too_deep
from cogen.array.l0.types import Type as Layout
from cogen.backends.failures import Noted, NumberedSites
from cogen.lang.errors import CogenError, Span

if TYPE_CHECKING:
    from cogen.array.ir.node import Node


@dataclass(frozen=True, slots=True)
class ErrorMeaning:
    """What an error number means: a place, and a message with a field for each detail
    (`cogen.array.l0.messages`)."""

    message: str
    span: Span | None
    limitation: bool = False
    """Whether it is that calls are nested too deeply."""

    @property
    def description(self) -> str:
        """A line for the comment in the C text."""
        return self.message if self.span is None else f"{self.message}, {self.span}"

    def error(self, noted: Noted) -> CogenError:
        """The error to raise."""
        if self.limitation:
            return too_deep(self.span)
        return CogenError(say(self.message, noted.details), self.span)

    def of(self, *details: Told) -> CogenError:
        """The error to raise where whoever fails has the details at hand."""
        return CogenError(say(self.message, details), self.span)


@dataclass(frozen=True, slots=True)
class TracePoint:
    """A trace: the type of the value, as it is written; its leaves come in slots."""

    layout: Layout


@dataclass(slots=True)
class CodeUnit:
    """What all functions of a program share."""

    functions: dict[str, str] = field(default_factory=dict)
    """The C names of functions."""
    consumed: dict[str, frozenset[int]] = field(default_factory=dict)
    """The positions of the parameters that a function may overwrite."""
    sites: NumberedSites[ErrorMeaning] = field(default_factory=NumberedSites)
    """The errors."""
    traces: list[TracePoint] = field(default_factory=list)
    spans: dict[Node, Span] = field(default_factory=dict)
    arithmetic: Arithmetic = WIDE
    packed: dict[int, bool] = field(default_factory=dict)
    """The results of the entry that come packed, and whether they have the memory."""

    def site(self, message: str, span: Span | None, limitation: bool = False) -> int:
        """The number of an error."""
        return self.sites.number(ErrorMeaning(message, span, limitation))
