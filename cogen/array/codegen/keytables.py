"""Tables that number keys, which are tuples of scalars, in the order in which they first occur.

A key that is one int is looked up as it is. Characters, booleans and ints that are known to be
small (samples of packed memory) are packed into one int, as many as fit. What remains are several
ints: each is numbered in a table of its own, and the numbers of two are one int, which is numbered
again. So nothing depends on luck with hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.sites import OUT_OF_MEMORY
from cogen.array.loops.build import ZERO, convert, less, minus, natural, over, plus, times
from cogen.array.loops.tree import I64, NUMBERS, Address, Const, Expr, Invoke
from cogen.array.types import Scalar

BITS: Final = {"bool": 1, "cert": 1, "char": 21}
"""The bits of what is packed."""

MOST_BITS: Final = 63
"""The bits of an int that is not negative."""

HALF: Final = natural(1 << 32)
"""More than there are numbers: a table has less than 2^31."""


Limits = tuple[int, int]
"""The least and the greatest value of an int."""


def bits_of(t: Scalar, limits: Limits | None = None) -> int | None:
    """How many bits a part of a key needs; None for an int of any size."""
    if limits is not None:
        return (limits[1] - limits[0]).bit_length()
    return BITS.get(t.kind)


def packed(types: Sequence[Scalar], limits: Sequence[Limits | None] = ()) -> list[list[int]]:
    """The positions of the parts of a key that are one int each."""
    groups: list[list[int]] = []
    room = 0
    known = limits or [None] * len(types)
    for position, (t, own) in enumerate(zip(types, known, strict=True)):
        bits = bits_of(t, own)
        if bits is None:
            groups.append([position])
        elif bits <= room:
            groups[-1].append(position)
            room -= bits
            continue
        else:
            groups.append([position])
        room = 0 if bits is None else MOST_BITS - bits
    return groups


@dataclass(slots=True)
class KeyTables:
    """The tables for keys of some types, while code is made that uses them."""

    e: Emitter
    types: Sequence[Scalar]
    limits: Sequence[Limits | None] = ()
    """What is known of the parts, as far as it is."""
    groups: list[list[int]] = field(init=False)
    tables: list[Expr] = field(default_factory=list)
    """One for each int that is a part; then those of pairs, of which the last numbers the keys."""

    def __post_init__(self) -> None:
        self.limits = self.limits or [None] * len(self.types)
        self.groups = packed(self.types, self.limits)

    def begin(self, size: Expr) -> None:
        """Make the tables, for keys of at most so many iterations."""
        e = self.e
        for _ in range(2 * len(self.groups) - 1):
            table = Address(e.variable(NUMBERS, "table"))
            e.try_("numbers_begin", table, size)
            self.tables.append(table)

    @property
    def last(self) -> Expr:
        """The table that numbers whole keys."""
        return self.tables[-1]

    def number(self, parts: Sequence[Expr]) -> Expr:
        """The number of a key."""
        parts = [convert(I64, part) for part in parts]
        codes = [self._packed([parts[i] for i in group], group) for group in self.groups]
        found = self._looked_up(0, codes[0])
        for k, code in enumerate(codes[1:], 1):
            other = self._looked_up(k, code)
            pair = plus(times(found, HALF), other)
            found = self._looked_up(len(self.groups) - 1 + k, pair)
        return found

    def _looked_up(self, table: int, code: Expr) -> Expr:
        e = self.e
        found = e.define(I64, "number", Invoke("number", (self.tables[table], code), I64))
        e.fail_if(less(found, ZERO), OUT_OF_MEMORY, e.span)
        return found

    def _packed(self, parts: Sequence[Expr], group: Sequence[int]) -> Expr:
        found = self._from_zero(parts[0], group[0])
        for part, position in zip(parts[1:], group[1:], strict=True):
            found = plus(times(found, self._width(position)), self._from_zero(part, position))
        return found

    def _from_zero(self, part: Expr, position: int) -> Expr:
        """A part that is small, counted from the least that it may be."""
        limits = self.limits[position]
        return part if limits is None else minus(part, Const(limits[0], I64))

    def _width(self, position: int) -> Expr:
        bits = bits_of(self.types[position], self.limits[position])
        assert bits is not None
        return natural(1 << bits)

    def key(self, number: Expr) -> list[Expr]:
        """The parts of the key with a number."""
        e = self.e
        count = len(self.groups)
        codes: list[Expr] = []
        found = number
        for k in reversed(range(1, count)):
            pair = e.define(I64, "pair", self._value(count - 1 + k, found))
            first = e.define(I64, "first", over(pair, HALF))
            codes.insert(0, self._value(k, minus(pair, times(first, HALF))))
            found = first
        codes.insert(0, self._value(0, found))
        parts: dict[int, Expr] = {}
        for code, group in zip(codes, self.groups, strict=True):
            rest = e.define(I64, "code", code) if len(group) > 1 else code
            for position in reversed(group[1:]):
                limit = self._width(position)
                before = e.define(I64, "rest", over(rest, limit))
                parts[position] = minus(rest, times(before, limit))
                rest = before
            parts[group[0]] = rest
        return [self._as_it_was(parts[i], i) for i in range(len(self.types))]

    def _as_it_was(self, part: Expr, position: int) -> Expr:
        limits = self.limits[position]
        return part if limits is None else plus(part, Const(limits[0], I64))

    def _value(self, table: int, number: Expr) -> Expr:
        return Invoke("numbers_value", (self.tables[table], number), I64)

    def count(self) -> Expr:
        """How many keys there are."""
        return self.e.define(I64, "count", Invoke("numbers_count", (self.last,), I64))

    def end(self) -> None:
        """Give the tables back."""
        for table in self.tables:
            self.e.do("numbers_end", table)
