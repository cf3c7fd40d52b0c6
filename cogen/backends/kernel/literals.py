"""The words of literal bytevectors: what C has as arrays of constants."""

from __future__ import annotations

from cogen.interval import Interval, word


def words_of(data: bytes | bytearray, word_size: int) -> list[int]:
    """The words of a bytevector, the last one filled with zeros; signed if they have 64 bits."""
    size = word_size // 8
    padded = [bytes(data[i : i + size]).ljust(size, b"\0") for i in range(0, len(data), size)]
    return [int.from_bytes(one, "little", signed=word_size == 64) for one in padded]


def interval_of(data: object, word_size: int) -> Interval:
    """The bounds of what is loaded from a buffer: of a literal, its least and greatest word."""
    if not isinstance(data, bytes | bytearray) or not data:
        return word(word_size)
    if word_size == 8:
        return min(data), max(data)
    words = words_of(data, word_size)
    return min(words), max(words)
