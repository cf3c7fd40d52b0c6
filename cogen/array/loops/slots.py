"""Accumulators of a key side by side: rows of slots of 8 bytes, for which one line of the cache
serves.

A single accumulator needs no slots: rows are elements then. Rows of several have a power of two of
slots, or a multiple of 8: what a processor loads of a row at once would else lie in two lines of
the cache every other time, and what was stored there a moment before could not be passed on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.array.loops.expressions import convert, natural, plus, times
from cogen.array.loops.memory import size_of
from cogen.array.loops.tree import I64, Expr, Number, Pointer

SLOT: Final = 8
"""The bytes of a slot."""


def slots_for(count: int) -> int:
    """How many slots rows of so many accumulators have."""
    if count <= SLOT:
        return 1 << max(count - 1, 0).bit_length()
    return -(-count // SLOT) * SLOT


def slot_type(types: Sequence[Number]) -> Number:
    """What rows of such accumulators are made of."""
    return types[0] if len(types) == 1 else I64


def slot_in(first: Expr, t: Number, number: int) -> Expr:
    """The address of an accumulator in the first row, whose slots have the address `first`."""
    if first.type == Pointer(t):
        return plus(first, natural(number))
    return convert(Pointer(t), plus(first, natural(number)))


def row_stride(t: Number, count: int) -> Expr:
    """How many elements of a type behind it the next row of so many accumulators is."""
    slots = slots_for(count)
    return natural(1 if slots == 1 else slots * SLOT // size_of(t))


def row_bytes(types: Sequence[Number]) -> Expr:
    """The bytes of a row of such accumulators."""
    return natural(size_of(types[0]) if len(types) == 1 else slots_for(len(types)) * SLOT)


def slots_of(rows: Expr, types: Sequence[Number]) -> Expr:
    """How many slots so many rows of such accumulators have."""
    return times(rows, natural(slots_for(len(types))))
