"""What all functions of a program share: its errors and traces, by number, and its options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.messages import NOTED, Told, of_noted, say
from cogen.array.l0.runerrors import too_deep
from cogen.array.l0.types import Type as Layout
from cogen.array.loops.expressions import convert
from cogen.array.loops.tree import F32, F64, I64, Expr, Invoke, Number
from cogen.backends.failures import Noted, NumberedSites
from cogen.lang.errors import CogenError, Span

if TYPE_CHECKING:
    from cogen.array.ir.node import Node

_REALS: Final = (F32, F64)


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


def as_bits(message: str, details: Sequence[Expr], bits: str) -> tuple[str, Sequence[Expr]]:
    """A message and its details as ints; of reals their bits, which a function of loops gives:
    `bits` those of 64-bit ones, `slot` their own."""
    types = [d.type.name if isinstance(d.type, Number) else "" for d in details]
    if bits == "bits":
        types = ["f64" if t == "f32" else t for t in types]
    if NOTED.keys().isdisjoint(types):
        return message, details
    return of_noted(message, types), [as_slot(d, bits) for d in details]


def as_slot(value: Expr, bits: str = "bits") -> Expr:
    """A scalar as the bits of an int, by a function of loops if it is a real."""
    if value.type not in _REALS:
        return convert(I64, value)
    return Invoke(bits, (value if bits == "slot" else convert(F64, value),), I64)


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
