"""Bits of one word that lie apart, brought together (or apart) by one multiplication.

    (x & 1) | (x >> 7 & 2) | (x >> 14 & 4) | (x >> 21 & 8)
        ->  ((x & 0x01010101) * 0x00204081) >> 21 & 15

A product by a sum of powers of 2 is the sum of copies of x.  If no two copies have a bit at the
same place there is no carry, so every copy is there unchanged; a shift and a mask take out of it
what was wanted.  This is what a vector machine's move-mask does, on a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

FULL: Final = (1 << 64) - 1

LEAST: Final = 4
"""Fewer fields are cheaper one by one."""

LEAST_APART: Final = 5
"""The same for fields that are moved apart.  Measured with gcc 12, which vectorises shifts and
masks: four bits of a word become four bytes in half the time so; but of eight bits seven are best
moved by a multiplication (eight copies would carry), in 0.5 of the time."""

MULTIPLICATION: Final = 2
"""What a multiplication costs, counted in shifts."""


@dataclass(frozen=True, slots=True)
class Gather:
    """((x >> first & kept) * factor mod 2^64) >> last & rest; None for a mask that changes nothing.

    `width` is the number of bits of the product, `steps` the cost.
    """

    first: int
    kept: int | None
    factor: int
    last: int
    rest: int | None
    width: int
    steps: int


def gather(possible: int, moves: Sequence[tuple[int, int]]) -> Gather | None:
    """How to move fields of a variable that has these possible bits by one multiplication; None
    if that cannot be.  A move is a shift (up, or down if negative) and the mask of the bits where
    the field comes to lie."""
    if len(moves) < LEAST:
        return None
    kept = 0
    for shift, mask in moves:
        kept |= mask >> shift if shift >= 0 else mask << -shift
    if kept > FULL:
        return None  # copies of the sign
    lowest = (kept & -kept).bit_length() - 1
    wanted = 0
    for _, mask in moves:
        wanted |= mask
    if len(moves) < LEAST_APART and _span(wanted) > _span(kept):
        return None
    plans = [_gather(possible, moves, kept, first) for first in (0, lowest)]
    known = [plan for plan in plans if plan is not None]
    return min(known, key=lambda plan: (plan.steps, plan.width), default=None)


def _span(mask: int) -> int:
    """From the lowest bit to the highest."""
    return mask.bit_length() - (mask & -mask).bit_length() + 1


def _gather(
    possible: int, moves: Sequence[tuple[int, int]], kept: int, first: int
) -> Gather | None:
    """The same, when the variable is first shifted down."""
    last = max(0, -min(shift + first for shift, _ in moves))
    source, product, factor, wanted = kept >> first, 0, 0, 0
    for shift, mask in moves:
        copy = source << (shift + first + last)
        if (mask << last) & ~copy or (mask << last) > FULL or product & copy & FULL:
            return None
        product |= copy & FULL
        factor |= 1 << (shift + first + last)
        wanted |= mask
    masked = (possible >> first) & ~source != 0
    rest = (product >> last) & ~wanted != 0
    steps = (first > 0) + masked + MULTIPLICATION + (last > 0) + rest
    return Gather(
        first,
        source if masked else None,
        factor,
        last,
        wanted if rest else None,
        product.bit_length(),
        steps,
    )
