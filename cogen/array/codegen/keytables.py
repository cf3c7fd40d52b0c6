"""Tables that number keys, which are tuples of scalars, in the order in which they first occur.

Characters, booleans and ints that are known to be small (samples of packed memory) are packed into
one int, as many as fit. What remains are one or several ints, which one table numbers; of more than
`MOST_PARTS`, the first ones get a number, which stands for them in the key of a second table. Keys
are compared as a whole, so nothing depends on luck with hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from cogen.array.codegen.emitter import Emitter
from cogen.array.ir.graphtypes import ScalarType
from cogen.array.l0.runerrors import OUT_OF_MEMORY
from cogen.array.loops.expressions import ZERO, convert, less, minus, natural, over, plus, times
from cogen.array.loops.functions import MOST_PARTS
from cogen.array.loops.joining import key_in, number_in, number_of_small
from cogen.array.loops.tree import I64, NUMBERS, Address, Const, Expr, Invoke

BITS: Final = {"bool": 1, "cert": 1, "char": 21}
"""The bits of what is packed."""

SMALL: Final = 16
"""Tables for keys of one int find those of so many bits by value, if there are many iterations."""

MOST_BITS: Final = 63
"""The bits of an int that is not negative."""


Limits = tuple[int, int]
"""The least and the greatest value of an int."""


def bits_of(t: ScalarType, limits: Limits | None = None) -> int | None:
    """How many bits a part of a key needs; None for an int of any size."""
    if limits is not None:
        return (limits[1] - limits[0]).bit_length()
    return BITS.get(t.kind)


def packed(types: Sequence[ScalarType], limits: Sequence[Limits | None] = ()) -> list[list[int]]:
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

    emitter: Emitter
    types: Sequence[ScalarType]
    limits: Sequence[Limits | None] = ()
    """What is known of the parts, as far as it is."""
    groups: list[list[int]] = field(init=False)
    widths: list[int] = field(init=False)
    """How many ints the keys of each table have; of the tables, the last numbers whole keys."""
    tables: list[Expr] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.limits = self.limits or [None] * len(self.types)
        self.groups = packed(self.types, self.limits)
        left = len(self.groups)
        self.widths = [min(left, MOST_PARTS)]
        while left > MOST_PARTS:
            left -= MOST_PARTS - 1
            self.widths.append(min(left, MOST_PARTS))

    def begin(self, size: Expr) -> None:
        """Make the tables, for keys of at most so many iterations."""
        e = self.emitter
        for width in self.widths:
            table = Address(e.variable(NUMBERS, "table"))
            e.try_("numbers_begin", table, size, natural(width))
            self.tables.append(table)

    @property
    def last(self) -> Expr:
        """The table that numbers whole keys."""
        return self.tables[-1]

    def number(self, parts: Sequence[Expr]) -> Expr:
        """The number of a key."""
        parts = [convert(I64, part) for part in parts]
        codes = [self._packed([parts[i] for i in group], group) for group in self.groups]
        for table, width in zip(self.tables, self.widths, strict=True):
            codes = [self._looked_up(table, codes[:width]), *codes[width:]]
        return codes[0]

    def _looked_up(self, table: Expr, key: Sequence[Expr]) -> Expr:
        e = self.emitter
        number = number_of_small(table, key[0]) if self._is_small() else number_in(table, key)
        found = e.define(I64, "number", number)
        e.fail_if(less(found, ZERO), OUT_OF_MEMORY, e.span)
        return found

    def _is_small(self) -> bool:
        """Whether keys are one int of so few bits that tables find it by value."""
        bits = [bits_of(*part) for part in zip(self.types, self.limits, strict=True)]
        return len(self.groups) == 1 and sum([SMALL + 1 if b is None else b for b in bits]) <= SMALL

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
        e = self.emitter
        codes: list[Expr] = [number]
        for table, width in zip(reversed(self.tables), reversed(self.widths), strict=True):
            own = [e.define(I64, "code", code) for code in key_in(table, codes[0], width)]
            codes = [*own, *codes[1:]]
        parts: dict[int, Expr] = {}
        for code, group in zip(codes, self.groups, strict=True):
            rest = code
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

    def count(self) -> Expr:
        """How many keys there are."""
        return self.emitter.define(I64, "count", Invoke("numbers_count", (self.last,), I64))

    def end(self) -> None:
        """Give the tables back."""
        for table in self.tables:
            self.emitter.do("numbers_end", table)
