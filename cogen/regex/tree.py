"""Regular expressions as trees, over bytes.

    regex ::= Bytes(set) | Sequence(regex ...) | Choice(regex ...)
            | Repeat(regex, least, most | None, greedy) | Look(kind)

A set of bytes is an int: bit b says that byte b is in it.  A choice prefers what stands before, a
greedy repetition one round more, another one less, as in Python's `re`.
"""

from __future__ import annotations

from typing import Final, Literal

from cogen.lang.node import leaf

ALL: Final = (1 << 256) - 1
"""The set of all bytes."""

LookKind = Literal["start", "end", "last", "line start", "line end", "word", "no word"]
"""What a place must be: the text's start or end, its end but for a newline, the start or end of a
line, the edge of a word, or none."""


@leaf
class Bytes:
    """One byte of a set."""

    set: int


@leaf
class Sequence:
    """One after the other; nothing is the empty text."""

    parts: tuple[Regex, ...] = ()


@leaf
class Choice:
    """One of several."""

    parts: tuple[Regex, ...]


@leaf
class Repeat:
    """`least` to `most` times, any number of times if that is None."""

    part: Regex
    least: int
    most: int | None
    greedy: bool = True


@leaf
class Look:
    """Nothing, at places of a kind."""

    kind: LookKind


Regex = Bytes | Sequence | Choice | Repeat | Look


def of_ranges(*ranges: tuple[int, int]) -> int:
    """The set of the bytes in ranges, ends included."""
    found = 0
    for low, high in ranges:
        found |= (1 << (high + 1)) - (1 << low)
    return found


def ranges_of(bytes_: int) -> list[tuple[int, int]]:
    """The ranges of a set, in order."""
    ranges: list[tuple[int, int]] = []
    for byte in range(256):
        if not bytes_ >> byte & 1:
            continue
        if ranges and ranges[-1][1] == byte - 1:
            ranges[-1] = ranges[-1][0], byte
        else:
            ranges.append((byte, byte))
    return ranges


DIGITS: Final = of_ranges((48, 57))
WORD: Final = of_ranges((48, 57), (65, 90), (95, 95), (97, 122))
SPACE: Final = of_ranges((9, 13), (32, 32))
NEWLINE: Final = 1 << 10


def without_case(bytes_: int) -> int:
    """The set with the other case of its ASCII letters."""
    for upper in range(65, 91):
        both = 1 << upper | 1 << (upper + 32)
        if bytes_ & both:
            bytes_ |= both
    return bytes_


def looks(regex: Regex) -> set[LookKind]:
    """The kinds of places that it asks for."""
    match regex:
        case Look(kind):
            return {kind}
        case Sequence(parts) | Choice(parts):
            return set().union(*map(looks, parts))
        case Repeat(part):
            return looks(part)
    return set()


def nullable(regex: Regex) -> bool:
    """Whether it may match the empty text, at some place."""
    match regex:
        case Bytes():
            return False
        case Look():
            return True
        case Sequence(parts):
            return all(map(nullable, parts))
        case Choice(parts):
            return any(map(nullable, parts))
        case Repeat(part, least):
            return least == 0 or nullable(part)
    raise AssertionError(regex)


def reverse(regex: Regex) -> Regex:
    """What matches a text read backwards; a `Look` keeps its kind, which is of the text."""
    match regex:
        case Sequence(parts):
            return Sequence(tuple(map(reverse, reversed(parts))))
        case Choice(parts):
            return Choice(tuple(map(reverse, parts)))
        case Repeat(part, least, most, greedy):
            return Repeat(reverse(part), least, most, greedy)
    return regex
