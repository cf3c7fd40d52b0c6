"""Intervals of integers: what operations make of them, and what comparisons tell.

    interval ::= (low, high)      INT_MIN <= low <= high <= INT_MAX; EVERYTHING if nothing is known

Integers of the language lie in [-2^63, 2^63), and leaving that range is an error, so every result
is cut to it.  Laws: if x is in a and y in b, and `(op x y)` does not fail, its value is in
`result(op, (a, b))`; `compare` says only what is so for all of them; `refine` keeps all pairs for
which the comparison holds.  (Seed 004 asks for this under "10 < i < 100".)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.lang.datum import INT_MAX, INT_MIN
from cogen.lang.prims import PRIMITIVES
from cogen.lang.primtable import intervals

Interval = intervals.Interval
EVERYTHING: Final = intervals.EVERYTHING
cut = intervals.cut
as_many_bits = intervals.as_many_bits

MIRRORED: Final = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""(op a b) is (MIRRORED[op] b a)."""

NEGATED: Final = {"=": "!=", "!=": "=", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
"""not (op a b) is (NEGATED[op] a b)."""

AGAINST_ZERO: Final = {"zero?": "=", "positive?": ">", "negative?": "<"}
"""Predicates that compare with 0."""


def point(number: int) -> Interval:
    """The interval of one integer."""
    return number, number


def join(a: Interval, b: Interval) -> Interval:
    """The least interval that covers both."""
    return min(a[0], b[0]), max(a[1], b[1])


def widen(old: Interval, new: Interval) -> Interval:
    """What covers whatever goes on to grow as from the old interval to the new one, which covers
    it: a bound that has moved is none, a lower one that is not negative is 0."""
    low = old[0] if new[0] == old[0] else 0 if new[0] >= 0 else EVERYTHING[0]
    return low, old[1] if new[1] == old[1] else EVERYTHING[1]


def meet(a: Interval, b: Interval) -> Interval | None:
    """What is in both; None if nothing is."""
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else None


def within(a: Interval, b: Interval) -> bool:
    """Whether all of `a` is in `b`."""
    return b[0] <= a[0] and a[1] <= b[1]


def bits_of(a: Interval) -> int:
    """The mask of the bits that the integers may have; -1 if one may be negative."""
    return (1 << a[1].bit_length()) - 1 if a[0] >= 0 else -1


def shifted(a: Interval, offset: int) -> Interval:
    """The integers with a constant added; those that overflow are left out."""
    return cut(a[0] + offset, a[1] + offset) if a != EVERYTHING else a


def linear(factor: int, a: Interval, offset: int) -> Interval:
    """factor * x + offset"""
    ends = factor * a[0] + offset, factor * a[1] + offset
    return cut(min(ends), max(ends))


# -- operations ------------------------------------------------------------------------------------


def result(op: str, arguments: Sequence[Interval]) -> Interval:
    """The interval of an operation on integers that succeeds."""
    function = PRIMITIVES[op].interval if op in PRIMITIVES else None
    return EVERYTHING if function is None else function(*arguments)


def word(size: int) -> Interval:
    """What a load of a word of so many bits gives."""
    return EVERYTHING if size == 64 else (0, (1 << size) - 1)


# -- comparisons -----------------------------------------------------------------------------------


def compare(op: str, a: Interval, b: Interval) -> bool | None:
    """What `(op x y)` is for all x and y of the intervals; None if it depends."""
    if op in (">", ">="):
        op, a, b = MIRRORED[op], b, a
    if op == "<":
        return True if a[1] < b[0] else False if a[0] >= b[1] else None
    if op == "<=":
        return True if a[1] <= b[0] else False if a[0] > b[1] else None
    equal = True if a == b and a[0] == a[1] else False if meet(a, b) is None else None
    return equal if op == "=" or equal is None else not equal


def refine(op: str, a: Interval, b: Interval) -> tuple[Interval, Interval] | None:
    """The intervals of x and y where `(op x y)` holds; None if it never does."""
    if op in (">", ">="):
        found = refine(MIRRORED[op], b, a)
        return None if found is None else (found[1], found[0])
    if op == "!=":
        left, right = _without(a, b), _without(b, a)
    elif op == "=":
        left = right = meet(a, b)
    else:
        gap = 1 if op == "<" else 0
        left = meet(a, (INT_MIN, b[1] - gap))
        right = meet(b, (a[0] + gap, INT_MAX))
    return None if left is None or right is None else (left, right)


def _without(a: Interval, b: Interval) -> Interval | None:
    """`a` without the integer that `b` is."""
    number, other = b
    if number != other:
        return a
    low = a[0] + 1 if a[0] == number else a[0]
    high = a[1] - 1 if a[1] == number else a[1]
    return (low, high) if low <= high else None


GROWTH: Final = 3
"""How often an interval may grow before it is widened."""


class GrowingIntervals:
    """The intervals of variables, while what is assigned to them is walked through again and again.

    `found` are the least that hold for what was received; one that is missing has received nothing.
    Where `passed` is there, what is received is collected in it instead, which takes back what
    widening went too far.
    """

    def __init__(self) -> None:
        self.found: dict[str, Interval] = {}
        self.passed: dict[str, Interval] | None = None
        self.changed = True
        """Whether one has grown since this was made False."""
        self.widened = False
        self._growth: dict[str, int] = {}

    def receive(self, name: str, value: Interval) -> None:
        """A variable may have a value in an interval, too."""
        if self.passed is not None:
            earlier = self.passed.get(name)
            self.passed[name] = value if earlier is None else join(earlier, value)
            return
        old = self.found.get(name)
        if old is not None:
            value = join(old, value)
        if value == old:
            return
        count = self._growth[name] = self._growth.get(name, 0) + 1
        if old is not None and count > GROWTH:
            value = widen(old, value)
            self.widened = True
        self.found[name] = value
        self.changed = True
