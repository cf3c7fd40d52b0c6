"""Scalars as the ints that errors and traces have slots for: of reals their bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.l0.messages import NOTED, of_noted
from cogen.array.loops.expressions import convert
from cogen.array.loops.tree import F32, F64, I64, Expr, Invoke, Number

_REALS: Final = (F32, F64)


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
