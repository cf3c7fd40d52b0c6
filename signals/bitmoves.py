"""How the bits of a word get to where another word has them: by few shifts, masks and ors.

    terms(groups, live) -> the terms whose or is the other word

A move is (from, to), the places of a bit in the two words; bits that no move names are 0 in the
result.  Moves of one distance are a shift and a mask together.  Where distances come in pairs that
differ by the same, half of the bits are brought as far as the other half is first, so that a field
of four samples takes two such steps and a shift, not four shifts (as compress and expand do in
Hacker's Delight, 7-4; here for any distances, found by looking at them).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

Move = tuple[int, int]

WIDEST: Final = 64
"""Bits of the widest words."""


@dataclass(frozen=True, slots=True)
class MaskStep:
    """x -> (x & stay) | shifted(x & go, by); or, `either`: x -> (x | shifted(x, by)) & stay."""

    stay: int
    go: int
    by: int
    either: bool

    @property
    def cost(self) -> int:
        """Operations on words."""
        return 3 if self.either else 4


@dataclass(frozen=True, slots=True)
class MoveTerm:
    """x -> shifted(x after the steps, by) & mask; without the mask where it changes nothing."""

    steps: tuple[MaskStep, ...]
    by: int
    mask: int | None

    @property
    def cost(self) -> int:
        """Operations on words."""
        return sum(step.cost for step in self.steps) + (self.by != 0) + (self.mask is not None)


def shifted(bits: int, by: int, width: int = WIDEST) -> int:
    """Bits moved to the left, or to the right by a negative number."""
    return (bits << by if by >= 0 else bits >> -by) & ((1 << width) - 1)


def terms(groups: Sequence[Sequence[Move]], live: int, width: int) -> tuple[MoveTerm, ...]:
    """The cheapest terms found for some groups of moves within words of `width` bits: for each
    group by itself, or for all moves together.  `live` has the bits that may be 1."""
    apart = [term for group in groups for term in _group(tuple(group), live, width)]
    together = _group(tuple(move for group in groups for move in group), live, width)
    found = min((tuple(apart), together), key=cost)
    return tuple(sorted(found, key=lambda term: not term.cost))  # one that costs nothing, last


def cost(found: Sequence[MoveTerm]) -> int:
    """The operations that terms and their ors take."""
    return sum(term.cost for term in found) + len(found) - 1


@cache
def _group(moves: tuple[Move, ...], live: int, width: int) -> tuple[MoveTerm, ...]:
    best = _direct(moves, live, width)
    for step, rest in _halvings(moves, live, width):
        after = _mask(place for place, _ in rest)
        if cost(best) <= step.cost:
            break
        inner = _group(rest, after, width)
        if len(inner) == 1 and step.cost + cost(inner) < cost(best):
            best = (replace(inner[0], steps=(step, *inner[0].steps)),)
    return best


def _direct(moves: Sequence[Move], live: int, width: int) -> tuple[MoveTerm, ...]:
    """A term for each distance."""
    found = []
    for by in sorted({to - place for place, to in moves}):
        wanted = _mask(to for place, to in moves if to - place == by)
        found.append(MoveTerm((), by, None if shifted(live, by, width) == wanted else wanted))
    return tuple(found)


def _halvings(
    moves: Sequence[Move], live: int, width: int
) -> Iterator[tuple[MaskStep, tuple[Move, ...]]]:
    """Steps after which there are half as many distances, and the moves that are left then."""
    distances = sorted({to - place for place, to in moves})
    for other in distances[1:]:
        by = other - distances[0]
        near = _paired(distances, by)
        if near is None:
            continue
        for going, way in ((False, by), (True, -by)):
            gone = [move for move in moves if (move[1] - move[0] in near) == going]
            staying = [move for move in moves if (move[1] - move[0] in near) != going]
            stay, go = _mask(p for p, _ in staying), _mask(p for p, _ in gone)
            there = shifted(go, way, width)
            if there.bit_count() != go.bit_count() or there & stay:
                continue
            either = not (shifted(live, way, width) & stay or live & there)
            step = MaskStep(stay | there if either else stay, go, way, either)
            yield step, (*staying, *((place + way, to) for place, to in gone))


def _paired(distances: Sequence[int], by: int) -> set[int] | None:
    """The nearer ones of pairs that differ by so much; None if not all are in such pairs."""
    left = set(distances)
    near = set()
    for distance in distances:
        if distance in left:
            if distance + by not in left:
                return None
            left -= {distance, distance + by}
            near.add(distance)
    return near


def _mask(places: Iterator[int]) -> int:
    mask = 0
    for place in places:
        mask |= 1 << place
    return mask
