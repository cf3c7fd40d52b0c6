"""Loops that store sums of products of samples -> these sums, as terms and constants.

    out[i] = ((in[i] & 65535) * 3 + (in[i] >> 16) * -20 + (in[i + 1] & 65535) * 77) >> 8 & 65535 | …

A filter of 16-bit samples in words of 32 bits is such a loop.  Processors have one operation for
the two products of a word, and their sum (`vpmaddwd`), for each word of a vector; C compilers do
not find it in such sums.  Nothing here knows of filters: a value is followed as

    Sum(terms, constant)    constant + sum of coefficient * half
    Lane(op, operands)      any other operation on integers of 32 bits
    WeighedWord(place)             a word that is loaded, as it is

    half ::= Half(place, upper, signed)     16 bits of the word at a place of those that are loaded
           | Octet(place)                   the word, where words have 8 bits

With words of 8 bits, of which a round loads several, as the colours of a pixel, vectors have lanes
of 16 bits: C compilers widen bytes to 32, and separate colours after that.

All is computed modulo 2^32, or 2^16, in lanes of vectors; where an operation asks for more than the
low bits of its operands (what is moved down, compared), their intervals show that these fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Final

from cogen.backends.kernel import structured as st
from cogen.backends.kernel.provenance import Through, round_of
from cogen.interval import Interval, linear, point, result, within
from cogen.lang import il
from cogen.lang.prims import BITWISE, CHOOSING

SIGNED: Final[Interval] = (-(1 << 31), (1 << 31) - 1)
UNSIGNED: Final[Interval] = (0, (1 << 32) - 1)
LIMITS: Final = {32: (SIGNED, UNSIGNED), 16: ((-(1 << 15), (1 << 15) - 1), (0, (1 << 16) - 1))}
"""The numbers of lanes, with a sign and without."""

READS: Final = (2, 4)
"""So many words of 8 bits a round goes on by, at least and at most."""

MOST_OCTETS: Final = 128
"""The words of 8 bits that 32 rounds load, at most: two vectors of 64."""

COEFFICIENTS: Final[Interval] = (-(1 << 15), (1 << 15) - 1)


@dataclass(frozen=True, slots=True, order=True)
class Half:
    """16 bits of a word, with a sign or without."""

    place: int
    upper: bool
    signed: bool

    @property
    def interval(self) -> Interval:
        """What it may be."""
        return (-(1 << 15), (1 << 15) - 1) if self.signed else (0, (1 << 16) - 1)


@dataclass(frozen=True, slots=True, order=True)
class Octet:
    """A word of 8 bits, without a sign."""

    place: int

    @property
    def interval(self) -> Interval:
        """What it may be."""
        return 0, 255


@dataclass(frozen=True, slots=True)
class WeighedWord:
    """A word that is loaded."""

    place: int


@dataclass(frozen=True, slots=True)
class Sum:
    """A constant and products; no half is there twice, none has the coefficient 0."""

    constant: int
    terms: tuple[tuple[Half | Octet, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Lane:
    """An operation on integers of 32 bits; `signed` tells whether the first operand of one that
    moves down has a sign."""

    op: str
    operands: tuple[Followed, ...]
    signed: bool = True


Followed = Sum | Lane | WeighedWord


@dataclass(frozen=True, slots=True)
class Weighed(Through):
    """What a round of such a loop stores: one word, computed in lanes of so many bits."""

    value: Followed
    lane: int


def weighed_sums(loop: st.KernelLoop, word_size: int) -> Weighed | None:
    """What a counted loop stores, if sums of products gain by it, and it does nothing else."""
    found = round_of(loop, OPERATIONS) if word_size in (8, 32) else None
    if found is None or found.through.written != 1:
        return None
    lane, reads = (32, (1, 1)) if word_size == 32 else (16, READS)
    through = found.through
    if not reads[0] <= through.read <= reads[1]:
        return None
    if lane == 16 and 31 * through.read + through.reach >= MOST_OCTETS:
        return None
    values: dict[str, tuple[Followed, Interval]] = {}
    for operation in found.operations:
        if operation.op == "load-word":
            place = found.loaded[operation]
            octet = Sum(0, ((Octet(place), 1),)), (0, 255)
            values[operation.name] = octet if lane == 16 else (WeighedWord(place), UNSIGNED)
        elif operation.op != "store-word!":
            made = _followed(operation, values, lane)
            if made is not None:  # others are indices
                values[operation.name] = made
    (store,) = found.stored
    stored = _of_atom(store.arguments[2], values)
    if stored is None or not (_has_pairs if lane == 32 else _has_products)(stored[0]):
        return None
    t = through
    return Weighed(
        t.source, t.target, t.source_index, t.target_index, t.read, t.written, t.reach, stored[0],
        lane,
    )  # fmt: skip


def _of_atom(
    atom: il.Atom, values: Mapping[str, tuple[Followed, Interval]]
) -> tuple[Followed, Interval] | None:
    if isinstance(atom, il.Const) and type(atom.value) is int:
        return Sum(atom.value), point(atom.value)
    return values.get(atom.name) if isinstance(atom, il.Var) else None


def _followed(
    operation: st.Op, values: Mapping[str, tuple[Followed, Interval]], bits: int
) -> tuple[Followed, Interval] | None:
    """What an operation gives; None if lanes of so many bits do not hold it."""
    operands = [_of_atom(atom, values) for atom in operation.arguments]
    if any(operand is None for operand in operands):
        return None
    given = [operand for operand in operands if operand is not None]
    if all(isinstance(value, Sum) for value, _ in given):
        total = OPERATIONS[operation.op](*[v for v, _ in given if isinstance(v, Sum)])
    else:
        total = _half(operation.op, *[value for value, _ in given])
    if total is not None:
        found: tuple[Followed, Interval] = total, interval_of(total)
    else:
        lane = _lane(operation.op, given, bits)
        if lane is None:
            return None
        found = lane, result(operation.op, [interval for _, interval in given])
    return found if any(within(found[1], limits) for limits in LIMITS[bits]) else None


def interval_of(total: Sum) -> Interval:
    """What a sum may be."""
    low = high = total.constant
    for half, coefficient in total.terms:
        least, most = linear(coefficient, half.interval, 0)
        low, high = low + least, high + most
    return low, high


def _half(op: str, value: Followed, other: Followed | None = None) -> Sum | None:
    """The half of a word that an operation takes, if it takes one."""
    if not isinstance(value, WeighedWord):
        return (
            _half(op, other, value)
            if op == "bitwise-and" and isinstance(other, WeighedWord)
            else None
        )
    if op == "bitwise-and" and other == Sum(65535):
        return Sum(0, ((Half(value.place, False, False), 1),))
    if op == "arithmetic-shift" and other == Sum(-16):
        return Sum(0, ((Half(value.place, True, False), 1),))
    return None


def _lane(op: str, given: list[tuple[Followed, Interval]], bits: int) -> Lane | None:
    """An operation on lanes; None if there is none, or it needs more bits."""
    value, other = given[0], given[-1]
    signed, unsigned = LIMITS[bits]
    if op == "arithmetic-shift":
        count = other[0]
        if not isinstance(count, Sum) or count.terms or abs(count.constant) >= bits:
            return None
        if count.constant >= 0:
            return Lane("<<", (value[0], count))
        if not within(value[1], signed) and not within(value[1], unsigned):
            return None
        return Lane(">>", (value[0], Sum(-count.constant)), within(value[1], signed))
    if op in CHOOSING:
        fits = bits == 32 and all(within(interval, signed) for _, interval in given)
        return Lane(op, (value[0], other[0])) if fits and len(given) == 2 else None
    if op in LANES and len(given) == 2:
        return Lane(LANES[op], (value[0], other[0]))
    return None


LANES: Final = {"+": "+", "-": "-", "*": "*", **BITWISE}
"""Operations whose low bits need the low bits of their operands only."""


# Sums.


def _sum(a: Sum, b: Sum, factor: int = 1) -> Sum:
    terms = dict(a.terms)
    for half, coefficient in b.terms:
        terms[half] = terms.get(half, 0) + factor * coefficient
    kept = tuple(sorted((h, c) for h, c in terms.items() if c))
    return Sum(a.constant + factor * b.constant, kept)


def _difference(a: Sum, b: Sum | None = None) -> Sum:
    return _sum(Sum(0), a, -1) if b is None else _sum(a, b, -1)


def _product(a: Sum, b: Sum) -> Sum | None:
    if a.terms and b.terms:
        return None
    total, factor = (a, b.constant) if a.terms else (b, a.constant)
    return _sum(Sum(0), total, factor)


def _moved(a: Sum, count: Sum) -> Sum | None:
    """A sum moved up is one."""
    if count.terms or not 0 <= count.constant < 32:
        return None
    return _sum(Sum(0), a, 1 << count.constant)


def _flipped(a: Sum, b: Sum) -> Sum | None:
    """A half without a sign whose highest bit is turned: one with a sign, and 2^15."""
    total, mask = (b, a) if b.terms else (a, b)
    if mask != Sum(1 << 15) or len(total.terms) != 1 or total.constant:
        return None
    ((half, coefficient),) = total.terms
    if not isinstance(half, Half) or half.signed or coefficient != 1:
        return None
    return Sum(1 << 15, ((Half(half.place, half.upper, True), 1),))


def _none(*sums: Sum) -> None:
    return None


OPERATIONS: Final[Mapping[str, Callable[..., Sum | None]]] = {
    **dict.fromkeys((*BITWISE, *CHOOSING), _none),
    "+": _sum,
    "-": _difference,
    "*": _product,
    "arithmetic-shift": _moved,
    "bitwise-xor": _flipped,
    "lift": lambda a: a,
}
"""What is known of operations on sums; there are no others in such a loop."""


# What is gained.


def sums_in(value: Followed) -> Iterator[Sum]:
    """The sums that have terms, each once."""
    found: dict[Followed, None] = {}
    work = [value]
    while work:
        value = work.pop()
        if value not in found:
            found[value] = None
            work += value.operands if isinstance(value, Lane) else ()
    return (total for total in found if isinstance(total, Sum) and total.terms)


def pairs_of(total: Sum) -> dict[tuple[int, bool], tuple[int, int]]:
    """For each word, and whether its halves have signs, the coefficients of the lower and the
    upper half."""
    found: dict[tuple[int, bool], tuple[int, int]] = {}
    for half, coefficient in total.terms:
        assert isinstance(half, Half)
        low, high = found.get((half.place, half.signed), (0, 0))
        found[half.place, half.signed] = (
            (low, high + coefficient) if half.upper else (low + coefficient, high)
        )
    return found


def _has_products(value: Followed) -> bool:
    """Whether there is a sum of several products."""
    return any(len(total.terms) > 1 for total in sums_in(value))


def _has_pairs(value: Followed) -> bool:
    """Whether there are fewer pairs than products, and all coefficients fit into halves."""
    totals = list(sums_in(value))
    fit = all(within(point(c), COEFFICIENTS) for total in totals for _, c in total.terms)
    products = reduce(lambda n, total: n + len(total.terms), totals, 0)
    pairs = reduce(lambda n, total: n + len(pairs_of(total)), totals, 0)
    return fit and pairs < products
