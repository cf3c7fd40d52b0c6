"""Ranges of characters -> regular expressions over the bytes of UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cogen.regex.tree import Bytes, Choice, Regex, Sequence, of_ranges

LIMITS: Final = (0x7F, 0x7FF, 0xFFFF, 0x10FFFF)
"""The last character of 1, 2, 3 and 4 bytes."""

SURROGATES: Final = (0xD800, 0xDFFF)


def characters(ranges: list[tuple[int, int]]) -> Regex:
    """One character of the ranges, which are in order and apart."""
    sequences: list[Regex] = []
    single = 0
    for low, high in ranges:
        for parts in _sequences(low, high):
            if len(parts) == 1:
                single |= of_ranges(*parts)
            else:
                sequences.append(Sequence(tuple(Bytes(of_ranges(part)) for part in parts)))
    if single or not sequences:
        sequences.insert(0, Bytes(single))
    return sequences[0] if len(sequences) == 1 else Choice(tuple(sequences))


def _sequences(low: int, high: int) -> Iterator[list[tuple[int, int]]]:
    """Sequences of ranges of bytes that are together the characters from low to high."""
    if low > high:
        return
    if low <= SURROGATES[1] and high >= SURROGATES[0]:
        yield from _sequences(low, SURROGATES[0] - 1)
        yield from _sequences(SURROGATES[1] + 1, high)
        return
    for limit in LIMITS:
        if low <= limit < high:
            yield from _sequences(low, limit)
            yield from _sequences(limit + 1, high)
            return
    if high <= LIMITS[0]:
        yield [(low, high)]
        return
    for place in range(1, 4):  # the last bytes must go all round, or stay
        ones = (1 << 6 * place) - 1
        if low & ~ones != high & ~ones:
            if low & ones:
                yield from _sequences(low, low | ones)
                yield from _sequences((low | ones) + 1, high)
                return
            if high & ones != ones:
                yield from _sequences(low, (high & ~ones) - 1)
                yield from _sequences(high & ~ones, high)
                return
    yield list(zip(chr(low).encode(), chr(high).encode(), strict=True))
