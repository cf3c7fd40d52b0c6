"""Moved bits of which less is stored than is loaded, as of samples that are packed -> a loop that
stores whole vectors, though they are not filled.  Where bytes change places within parts of vectors
only (AVX2), each part is stored for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.template import template
from cogen.backends.ctree.tree import (
    CAssign,
    CBinary,
    CCast,
    CComment,
    CVariable,
    CWhile,
    Expr,
    Statement,
)
from cogen.backends.ctree.types import CBasic
from cogen.backends.kernel.cturns import DONE, ROUNDS, TO, prefetched
from cogen.backends.kernel.cvectorloop import VectorLoop, further
from cogen.backends.kernel.cvectortypes import FROM, lane_number, shuffled, table_of, vector_at
from cogen.backends.kernel.provenance import Bits
from cogen.backends.kernel.shuffles import MOST_TERMS, best_merge, windows

Windows = tuple[tuple[int, ...], tuple[int, ...]]
"""For each byte the first bit of its window, and what is kept of it."""


@dataclass(slots=True)
class NarrowingLoop(VectorLoop):
    """What comes next is stored over what is not filled."""

    def body(self) -> list[Statement] | None:
        """The loop where less is stored than is loaded: a vector is stored whole, though it is not
        filled; what comes next is stored over the rest.  None if it cannot be made so."""
        moved, word, size = self.moved, self.word_size // 8, self.machine.vector
        read, written, granule = moved.read * word, moved.written * word, self.machine.granule
        if self.storing is not None or read <= written or self.compares:
            return None
        plan = self._plan(read, written) if moved.reach < moved.read else None
        if plan is None:
            return None
        rounds, vectors, each = plan
        parts, bits = size // granule, self.bits(rounds, 8)
        stores: list[Statement] = []
        for number in range(vectors):
            mine = bits[8 * number * parts * each :][: 8 * parts * each]
            near = tuple(further(bit, -8 * number * size) for bit in mine)
            made = self._stored(near, number * size, number * parts * each, each)
            if made is None:
                return None
            stores += made
        last = (vectors * parts - 1) * each + granule
        more = CBinary("+", DONE, small(max(-(-last // written), rounds)))
        self.look(rounds * read)
        turn = (
            *self.looking,
            *self.out,
            *stores,
            *prefetched(TO, rounds * written, small(1)),
            *prefetched(FROM, rounds * read),
            CAssign(FROM, small(rounds * read), "+="),
            CAssign(TO, small(rounds * written), "+="),
            CAssign(DONE, small(rounds), "+="),
        )
        return [
            CComment(f"Of each vector {rounds * written} bytes are right; others are stored over."),
            CWhile(CBinary("<=", more, ROUNDS), turn),
        ]

    def _plan(self, read: int, written: int) -> tuple[int, int, int] | None:
        """How many rounds a turn does, by how many vectors, and how many bytes are stored of each
        part of a vector, where a round reads and stores so many; None if that does not come out
        even."""
        size, granule = self.machine.vector, self.machine.granule
        if granule == size:
            rounds = size // read
            return (rounds, 1, rounds * written) if rounds else None
        if granule % read == 0:
            rounds = granule // read
            return rounds * (size // granule), 1, rounds * written
        if read % size == 0 and written % (read // granule) == 0:
            return 1, read // size, written // (read // granule)
        return None

    def _stored(self, bits: Bits, source: int, target: int, each: int) -> list[Statement] | None:
        """What stores so many bytes of each part of the vector that is `source` bytes further on;
        None if they are of another part, or it takes too much."""
        size, granule = self.machine.vector, self.machine.granule
        byte = self.vector_type("u", 8, size)
        put = self._put_together(bits, byte, source)
        if put is None:
            return None
        one, other, found = put
        if granule == size:
            places = [*found, *range(len(found), size)]
            return [CAssign(vector_at(TO, byte, target), shuffled(one, other, places))]
        places = []
        for start in range(0, size, granule):
            mine = found[start // granule * each :][:each]
            if any(not start <= place < start + granule for place in mine):
                return None
            places += [*mine, *range(start + each, start + granule)]
        kind = self.vector_type("u", 8, granule)
        value = self.named(byte, shuffled(one, other, places))
        return [
            CAssign(
                vector_at(TO, kind, target + start // granule * each),
                shuffled(value, value, range(start, start + granule)),
            )
            for start in range(0, size, granule)
        ]

    def _put_together(
        self, bits: Bits, byte: CBasic, source: int
    ) -> tuple[CVariable, CVariable, tuple[int, ...]] | None:
        """Two vectors, perhaps the same, of the source's bytes with what is stored beside each
        other in their words, and at which of their bytes that is; None if it takes too much."""
        size = self.machine.vector
        merge = best_merge(bits, self.machine.sizes)
        cut = windows(bits, size) if self.machine.windows else None
        most = MOST_TERMS if merge is None else len(merge.moves) - 1
        if cut is not None and cut.cost <= most:
            one = self.named(byte, self._windowed(cut.terms, byte))
            return one, one if cut.summed is None else self._sums(cut.summed, byte), cut.places
        if merge is None:
            return None
        kind = self.vector_type("u", merge.size, size)
        lanes = self.named(kind, CCast(kind, vector_at(FROM, byte, source)))
        parts: list[Expr] = []
        for shift, mask in merge.moves:
            operator = "<<" if shift > 0 else ">>"
            part = CBinary(operator, lanes, small(abs(shift))) if shift else lanes
            parts.append(CBinary("&", part, lane_number(mask, merge.size)))
        one = self.named(byte, CCast(byte, reduce(lambda a, b: CBinary("|", a, b), parts)))
        return one, one, merge.places

    def _windowed(self, terms: Sequence[Windows], byte: CBasic) -> Expr:
        """The union of windows."""
        source = self.named(byte, vector_at(FROM, byte, 0))
        parts: list[Expr] = []
        for starts, masks in terms:
            taken = template(self.machine.windows)([table_of(byte, starts, 8), source])
            part: Expr = CCast(byte, taken)
            if len(terms) > 1 or {*masks} - {0, 255}:  # else what is not kept is not stored
                part = CBinary("&", part, table_of(byte, masks, 8))
            parts.append(part)
        return reduce(lambda a, b: CBinary("|", a, b), parts)

    def _sums(self, summed: Windows, byte: CBasic) -> CVariable:
        """The sums of the bytes of each word, of windows that have no bits in common."""
        starts, masks = summed
        source = self.named(byte, vector_at(FROM, byte, 0))
        taken = template(self.machine.windows)([table_of(byte, starts, 8), source])
        kept = self.named(byte, CBinary("&", CCast(byte, taken), table_of(byte, masks, 8)))
        return self.named(byte, CCast(byte, template(self.machine.sums)([kept])))
