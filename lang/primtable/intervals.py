"""What the rows of numbers say of the intervals of results: least and greatest integers.

    (-3, 5), (2, 2)  ->  product  ->  (-6, 10)

Integers of the language lie in [-2^63, 2^63), and leaving that range is an error, so every result
is cut to it.  Law: if x is in a and y in b, and the operation does not fail, its value is in what
its function gives; `cogen.interval` has the rest of the algebra.
"""

from __future__ import annotations

from typing import Final

from cogen.lang.datum import INT_MAX, INT_MIN

Interval = tuple[int, int]

EVERYTHING: Final[Interval] = (INT_MIN, INT_MAX)
SIZE: Final[Interval] = (0, INT_MAX)
"""The interval of what is not negative."""


def cut(low: int, high: int) -> Interval:
    """The integers of the language among these; EVERYTHING if there are none (it fails then)."""
    low, high = max(low, INT_MIN), min(high, INT_MAX)
    return (low, high) if low <= high else EVERYTHING


def sum_of(a: Interval, b: Interval) -> Interval:
    return cut(a[0] + b[0], a[1] + b[1])


def difference(a: Interval, b: Interval) -> Interval:
    return cut(a[0] - b[1], a[1] - b[0])


def square(a: Interval) -> Interval:
    size = absolute(a)
    return product(size, size)


def least(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), min(a[1], b[1])


def greatest(a: Interval, b: Interval) -> Interval:
    return max(a[0], b[0]), max(a[1], b[1])


def word_sum(a: Interval, b: Interval) -> Interval:
    """As the exact one if that cannot leave the range."""
    return _exactly(a[0] + b[0], a[1] + b[1])


def word_difference(a: Interval, b: Interval) -> Interval:
    return _exactly(a[0] - b[1], a[1] - b[0])


def word_product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return _exactly(min(corners), max(corners))


def _exactly(low: int, high: int) -> Interval:
    """What an operation modulo 2^64 gives of what the exact one gives."""
    return (low, high) if low >= INT_MIN and high <= INT_MAX else EVERYTHING


def product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return cut(min(corners), max(corners))


def floor_quotient(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0 <= b[1]:
        return EVERYTHING
    corners = [x // y for x in a for y in b]
    return cut(min(corners), max(corners))


def quotient(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0 <= b[1]:
        return EVERYTHING
    corners = [_truncated(x, y) for x in a for y in b]
    return cut(min(corners), max(corners))


def _truncated(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def floor_remainder(a: Interval, b: Interval) -> Interval:
    if b[0] > 0:
        if a[0] >= 0 and a[1] < b[0]:
            return a
        return 0, min(a[1], b[1] - 1) if a[0] >= 0 else b[1] - 1
    return (b[0] + 1, 0) if b[1] < 0 else b


def remainder(a: Interval, b: Interval) -> Interval:
    most = max(abs(b[0]), abs(b[1])) - 1
    if most < 0:
        return EVERYTHING
    return max(min(a[0], 0), -most), min(max(a[1], 0), most)


def of_and(a: Interval, b: Interval) -> Interval:
    if a[0] >= 0 or b[0] >= 0:
        return 0, min(x[1] for x in (a, b) if x[0] >= 0)
    low, _ = as_many_bits(a, b)
    return low, max(a[1], b[1])


def of_or(a: Interval, b: Interval) -> Interval:
    low, high = as_many_bits(a, b)
    return max(low, max(a[0], b[0]) if low == 0 else low), high


def as_many_bits(a: Interval, b: Interval) -> Interval:
    """As many bits as the wider operand."""
    bits = max((x if x >= 0 else ~x).bit_length() for x in (*a, *b))
    return 0 if a[0] >= 0 and b[0] >= 0 else -(1 << bits), (1 << bits) - 1


def shift(a: Interval, count: Interval) -> Interval:
    least, most = count
    if least == most:
        if most <= 0:
            return a[0] >> -most, a[1] >> -most
        factor = 1 << min(most, 64)
        return cut(a[0] * factor, a[1] * factor)
    if most <= 0:
        return min(a[0], 0), max(a[1], -1)
    return EVERYTHING if a[0] < 0 else SIZE


def word_down(a: Interval, count: Interval) -> Interval:
    if a[0] >= 0:
        return shift(a, (-count[1], -count[0])) if count[0] >= 0 else EVERYTHING
    return (0, (1 << (64 - count[0])) - 1) if 0 < count[0] < 64 else EVERYTHING


def word_left(a: Interval, count: Interval) -> Interval:
    least, most = count
    if least != most or not 0 <= most < 64:
        return EVERYTHING
    return _exactly(a[0] << most, a[1] << most)


def absolute(a: Interval) -> Interval:
    ends = abs(a[0]), abs(a[1])
    return cut(0 if a[0] < 0 < a[1] else min(ends), max(ends))


def cyclic_quotient(a: Interval, base: Interval, remainder: Interval) -> Interval:
    (b, b_too), (r, r_too) = base, remainder
    if b != b_too or r != r_too or b <= 0:
        return EVERYTHING
    return (a[0] - r) // b, (a[1] - r) // b
