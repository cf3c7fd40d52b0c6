"""Moved bits -> a C function that moves them in vectors, as many rounds as it can.

    int64_t NAME(const uint8_t *from, uint8_t *to, int64_t rounds);

does the first rounds of a loop that only moves bits (`cogen.backends.kernel.provenance`), says how
many, and leaves the others to the loop itself.  It is written with vector types, which gcc (from
12 on) and Clang have, once for each kind of processor that takes bytes of a vector in any order;
for others it does nothing.  What is loaded besides is memory that the rounds left over load
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd
from typing import Final

from cogen.backends.ctree import tree
from cogen.backends.ctree.literals import small
from cogen.backends.ctree.template import template
from cogen.backends.ctree.types import (
    DOUBLE,
    I64,
    U32,
    U64,
    VOID,
    CBasic,
    CConst,
)
from cogen.backends.kernel.cmacros import Gathering, Storing
from cogen.backends.kernel.cnarrowing import NarrowingLoop
from cogen.backends.kernel.cturns import DONE, ROUNDS, TO, TURN, prefetched, short_turn
from cogen.backends.kernel.cvectorloop import VectorLoop
from cogen.backends.kernel.cvectormachines import COMPILERS, LIBRARY, MACHINES
from cogen.backends.kernel.cvectortypes import (
    FROM,
    converted,
    shuffled,
    table_of,
    vector_at,
    vector_of,
    vector_types,
)
from cogen.backends.kernel.provenance import Bit, Bits, Moved, Reached
from cogen.backends.kernel.shuffles import (
    ShuffleTerm,
    best_shuffle,
    starts_of,
)

MOST_VECTORS: Final = 8
"""The vectors that are stored in one turn, at most."""

FACTOR: Final = tree.CVariable("factor", DOUBLE)


def shuffling(
    name: str,
    moved: Moved,
    word_size: int,
    storing: Storing | None,
    gathering: Gathering | None = None,
) -> list[tree.Item] | None:
    """The function, with the types that it needs; None if there is nothing to gain."""
    if storing is None and _is_copy(moved):
        return None
    if storing is not None and storing.factor and storing.value[0] != "f":
        return None  # products become integers one by one
    loops: list[tuple[str, tuple[tree.Statement, ...]]] = []
    types: set[str] = set()
    for machine in MACHINES:
        for kind in (NarrowingLoop, _ShuffleLoop):
            loop = kind(moved, word_size, storing, machine, types, gathering)
            found = loop.body()
            if found is not None:
                found = loop.with_what_is_told(found)
                loops.append((f"{COMPILERS} && {machine.test}", tuple(found)))
                break
    if not loops:
        return None
    factor = storing.factor if storing is not None else ""
    scale = (
        [tree.CDeclare(CConst(DOUBLE), FACTOR.name, tree.CConstant(factor, DOUBLE))]
        if factor
        else []
    )
    taken = [FROM, TO, ROUNDS, *([FACTOR] if factor else [])]
    body: tuple[tree.Statement, ...] = (
        tree.CDeclare(I64, DONE.name, small(0)),
        *scale,
        tree.CAlternatives(tuple(loops)),
        *[tree.CDo(tree.CCast(VOID, variable)) for variable in taken],
        tree.CReturn(DONE),
    )
    function = tree.CFunction(
        I64, name, (FROM, TO, ROUNDS), body,
        "The first rounds of a loop that only moves bits, in vectors; the value is how many.",
        qualifiers="static inline",
    )  # fmt: skip
    used = tree.invoked(function)
    header: list[tree.Item] = [
        tree.CLibrary(text)
        for names, text in LIBRARY.items()
        if any(name.startswith(names) for name in used)
    ]
    return [*header, *vector_types(types), function]


def _is_copy(moved: Moved) -> bool:
    """Whether all bits stay side by side, which C compilers see themselves."""
    first = moved.bits[0]
    if not isinstance(first, tuple):
        return False
    return all(bit == (first[0] + i, False) for i, bit in enumerate(moved.bits))


@dataclass(slots=True)
class _ShuffleLoop(VectorLoop):
    """The loop that stores whole vectors, each of bytes from anywhere near."""

    end: int = 0
    """The bytes behind `from` that one turn loads."""

    def body(self) -> list[tree.Statement] | None:
        """The loop; None if it cannot be made of few operations."""
        moved, word = self.moved, self.word_size // 8
        lane, count = self._lanes()
        made = moved.written * (self.word_size if self.storing is None else lane)
        rounds = lane * count // gcd(lane * count, made)
        vectors = rounds * made // (lane * count)
        if vectors > MOST_VECTORS:
            return None
        bits = self.bits(rounds, lane)
        ways = [self._single, self._vector, self._tested]
        if self.compares:
            ways = [self._reached]
        for number in range(vectors):
            part = bits[number * lane * count : (number + 1) * lane * count]
            if not any(self._tried(way, number, part) for way in ways):
                return None
        read = moved.read * word
        spare = -(-(self.end - (moved.reach + 1) * word) // read) + 1
        each = moved.written * (word if self.storing is None else self.storing.bytes)
        size = self.machine.vector
        turns = small(rounds)
        more = tree.CBinary("<=", tree.CBinary("+", DONE, small(max(rounds, spare))), ROUNDS)
        if rounds * read >= size:  # nothing is loaded that is not the source's
            self.look(rounds * read)
        turn = (
            *self.looking,
            *self.out,
            *prefetched(TO, rounds * each, small(1)),
            *prefetched(FROM, rounds * read),
            tree.CAssign(FROM, tree.CBinary("*", TURN, small(read)), "+="),
            tree.CAssign(TO, tree.CBinary("*", TURN, small(each)), "+="),
            tree.CAssign(DONE, TURN, "+="),
            tree.CAssign(TURN, turns),
        )
        return [
            *short_turn(rounds, each, min(size, rounds * each)),
            tree.CWhile(more, turn),
        ]

    def _tried(self, way: Callable[[int, Bits], bool], number: int, bits: Bits) -> bool:
        """Whether a way to store a vector can be gone; if not, nothing of it is left."""
        before, end = len(self.out), self.end
        if way(number, bits):
            return True
        del self.out[before:]
        self.end = end
        return False

    def _lanes(self) -> tuple[int, int]:
        """The bits of a lane, and how many lanes are stored at a time; lanes of words that become
        numbers are as large as what is converted, others are cut as it suits."""
        size, storing = self.machine.vector, self.storing
        if self.compares:  # of a vector comes as many bits
            return 8, size // 8
        if storing is None:
            return 8, size
        if storing.value[0] != "f":
            return 8 * storing.bytes, size // storing.bytes
        lane = max(32, self.word_size)
        return lane, size // max(lane // 8, storing.bytes, 8 if storing.factor else 0)

    def _vector(self, number: int, bits: Bits) -> bool:
        """Add what stores one vector of lanes; False if that is too much."""
        sizes = self.machine.sizes if self.storing is None else (self._lanes()[0],)
        found = best_shuffle(bits, sizes, self.machine.shifting)
        if found is None:
            return False
        total = len(bits) // 8
        parts: list[tree.Expr] = []
        starts = starts_of(found.terms, found.size, min(self.machine.granule, total))
        for term in found.terms:
            part = self._term(term, found.size, total, starts)
            if part is None:
                return False
            parts.append(part)
        kind = self.vector_type("u", found.size, total)
        value = reduce(lambda a, b: tree.CBinary("|", a, b), parts)
        if found.spread:
            signed = tree.CCast(self.vector_type("i", found.size, total), value)
            value = tree.CCast(kind, tree.CBinary(">>", signed, small(found.spread)))
        if any(found.flipped):
            value = tree.CBinary("^", value, table_of(kind, found.flipped, found.size))
        if any(found.signs):
            items = self.vector_type("u", found.item, total)
            table = table_of(items, found.signs, found.item)
            value = tree.CCast(kind, tree.CBinary("-", tree.CCast(items, value), table))
        self._store(number, self.named(kind, value), found.size, bits)
        return True

    def _single(self, number: int, bits: Bits) -> bool:
        """Add what stores one vector of bytes that are a bit each; False if they are not."""
        first = bits[::8]
        others = (bit for place in range(1, 8) for bit in bits[place::8])
        if self.storing is not None or any(bit is not False for bit in others):
            return False
        found = self._bytes_of(first)
        if found is None:
            return False
        value, masks = found
        kind = self.vector_type("u", 8, len(first))
        value = tree.CCast(kind, template(self.machine.single)([tree.CBinary("&", value, masks)]))
        flipped = tuple(int(_is_true(bit)) for bit in first)
        if any(flipped):
            value = tree.CBinary("^", value, table_of(kind, flipped, 8))
        self.out.append(tree.CAssign(vector_at(TO, kind, number * len(first)), value))
        return True

    def _tested(self, number: int, bits: Bits) -> bool:
        """Add what stores one vector bit by bit: each is a test of a byte; False if bytes come from
        too far away."""
        if self.storing is not None:
            return False
        width = self.machine.vector
        for start in range(0, len(bits), width):
            part = bits[start : start + width]
            found = self._bytes_of(part)
            if found is None:
                return False
            value, masks = found
            test = template(self.machine.tested)([value, masks])
            self._store_test(test, [*map(_is_true, part)], (number * len(bits) + start) // 8)
        return True

    def _reached(self, number: int, bits: Bits) -> bool:
        """Add what stores one vector bit by bit: each compares a byte with a number; False if one
        is anything else, or comes from too far away."""
        if self.storing is not None or any(isinstance(bit, tuple) for bit in bits):
            return False
        width = self.machine.vector
        for start in range(0, len(bits), width):
            part = bits[start : start + width]
            found = self._bytes_of(
                [(b.address, False) if isinstance(b, Reached) else b for b in part]
            )
            if found is None:
                return False
            kind = self.vector_type("u", 8, width)
            least = [small(b.least if isinstance(b, Reached) else 0) for b in part]
            test = template(self.machine.reached)([found[0], vector_of(kind, least)])
            opposite = [b.inverted if isinstance(b, Reached) else not b for b in part]
            self._store_test(test, opposite, (number * len(bits) + start) // 8)
        return True

    def _store_test(self, test: tree.Expr, opposite: Sequence[bool], at: int) -> None:
        """Store the bits of a test, some of them the opposite."""
        width = self.machine.vector
        flipped = sum(1 << i for i, flip in enumerate(opposite) if flip)
        if flipped:
            t = U32 if flipped < 1 << 32 else U64
            test = tree.CBinary("^", test, tree.CNumber(flipped, t, hexadecimal=True))
        self.out.append(
            tree.CAssign(vector_at(TO, self.vector_type("u", width, width // 8), at), test)
        )

    def _bytes_of(self, bits: Sequence[Bit]) -> tuple[tree.Expr, tree.Expr] | None:
        """A vector of the bytes that bits are in, and one of their places there; None if they come
        from too far away."""
        places = [bit[0] if isinstance(bit, tuple) else None for bit in bits]
        taken = tuple((None if p is None else p // 8,) for p in places)
        term = ShuffleTerm(taken, (0,) * len(bits), None)
        common = starts_of([term], 8, min(self.machine.granule, len(bits)))
        value = self._term(term, 8, len(bits), common)
        kind = self.vector_type("u", 8, len(bits))
        masks = [small(0 if p is None else 1 << p % 8) for p in places]
        return None if value is None else (value, vector_of(kind, masks))

    def _store(self, number: int, lanes: tree.Expr, size: int, bits: Bits) -> None:
        """Store a vector of lanes, perhaps as numbers."""
        storing, total = self.storing, len(bits) // 8
        if storing is None:
            kind, value = self.vector_type("u", size, total), lanes
        else:
            count = 8 * total // size
            kind = self.vector_type(storing.value[0], 8 * storing.bytes, count * storing.bytes)
            value = tree.CCast(kind, lanes)
            if storing.value[0] == "f":
                negative = storing.signed or all(b is False for b in bits[size - 1 :: size])
                value = tree.CCast(self.vector_type("i" if negative else "u", size, total), lanes)
                if storing.factor:
                    wide = self.vector_type("f", 64, 8 * count)
                    value = tree.CBinary("*", converted(value, wide), FACTOR)
                if not storing.factor or storing.bytes != 8:
                    value = converted(value, kind)
            total = count * storing.bytes
        self.out.append(tree.CAssign(vector_at(TO, kind, number * total), value))

    def _term(
        self, term: ShuffleTerm, size: int, total: int, common: Sequence[int | None]
    ) -> tree.Expr | None:
        """The expression of a term; `common` says where granules of the source begin if one serves
        for all terms."""
        granule = total // len(common)
        lanes = len(term.bytes) // len(common)
        first: list[int] = []
        second: list[int] = []
        places: list[int] = []
        for number, start in enumerate(common):
            mine = term.bytes[number * lanes : (number + 1) * lanes]
            taken = [byte for lane in mine for byte in lane if byte is not None]
            low, high = min(taken, default=0), max(taken, default=0)
            if start is None:
                start = low
            after = max(start, high + 1 - granule)
            if after > start + granule:
                return None
            first.append(start)
            second.append(after if high >= start + granule else start)
            for byte in (b for lane in mine for b in lane):
                at = number * granule
                if byte is not None:
                    near = byte < start + granule
                    at += byte - start if near else total + byte - after
                places.append(at)
        kind = self.vector_type("u", size, total)
        if second == first and places == [*range(total)]:
            return self._after(tree.CCast(kind, self._loaded(first, granule)), term, kind, size)
        one = self._loaded(first, granule)
        other = one if second == first else self._loaded(second, granule)
        return self._after(tree.CCast(kind, shuffled(one, other, places)), term, kind, size)

    def _after(self, value: tree.Expr, term: ShuffleTerm, kind: CBasic, size: int) -> tree.Expr:
        """The bytes of a term, moved and masked."""
        if any(term.shifts):
            operator = "<<" if max(term.shifts) > 0 else ">>"
            value = tree.CBinary(
                operator, value, table_of(kind, [abs(s) for s in term.shifts], size)
            )
        if term.masks is not None:
            value = tree.CBinary("&", value, table_of(kind, term.masks, size))
        return value

    def _loaded(self, starts: Sequence[int], granule: int) -> tree.Expr:
        """Bytes of the source, each granule from its start on."""
        self.end = max(self.end, *(start + granule for start in starts))
        kind = self.vector_type("u", 8, granule)
        parts = [vector_at(FROM, kind, start) for start in starts]
        if len(parts) == 2:
            whole = self.vector_type("u", 8, 2 * granule)
            return self.named(whole, shuffled(parts[0], parts[1], range(32)))
        return self.named(kind, parts[0])


def _is_true(bit: Bit) -> bool:
    """Whether it is 1, or the opposite of a bit."""
    return bit is True or (isinstance(bit, tuple) and bit[1])
