"""How loops go through packed memory: loop -> the samples of a strip, and where their bits are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd, lcm
from typing import Final

from cogen.array.l0.storage import Samples
from cogen.array.loops import tree, treewalk
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
)
from cogen.array.loops.samples import in_bytes
from cogen.array.loops.tree import (
    F64,
    Get,
    Put,
    Statement,
)

MOST_SAMPLES: Final = 32
"""So many samples an iteration does at most."""


MOST_STATEMENTS: Final = 800
"""So many statements it has at most."""


WIDE: Final = 32
"""The bits of the words of loops that only reduce."""


JOINS: Final = (tree.Reduced, tree.Kept, tree.Keyed, tree.Grown)
"""The joins that do not ask which iteration it is. What counts keys for sorting does: threads put
in their places what they have counted."""


PLAIN: Final = (tree.Let, tree.Variable, tree.Assign, tree.Store, tree.IfStatement, tree.Put)
"""The statements of loops that are divided."""


def in_groups(sharing: tree.Sharing | None, count: int) -> tree.Sharing | None:
    """How a loop is shared out whose iterations do so many of those before each."""
    return None if sharing is None else replace(sharing, each=sharing.each * count)


@dataclass(frozen=True, slots=True)
class StripPlan:
    """A loop that goes through packed memory."""

    loop: tree.For
    gets: tuple[Get, ...]
    puts: tuple[Put, ...]
    period: int
    bits: int
    """Of words."""

    @property
    def fills(self) -> bool:
        """Whether every byte that the strips go through is stored."""
        return all(put.samples.offset == 0 and self._stores_all(put) for put in self.puts)

    def _stores_all(self, put: Put) -> bool:
        """Whether every byte is stored of the memory that something is put in."""
        own = [other for other in self.puts if other.base == put.base]
        return set(touched_bytes(own, self.period)) == set(
            range(bytes_of(put.samples, self.period))
        )


def plain_statements(loop: tree.For) -> list[Statement] | None:
    """The statements of a loop from 0 on that can be divided; None of another loop."""
    if loop.start != ZERO or loop.step != ONE or not isinstance(loop.mark, tree.Apart | None):
        return None
    joins = () if loop.sharing is None else loop.sharing.joins
    if not all(isinstance(join, JOINS) for join in joins):
        return None
    statements = list(treewalk.all_statements(loop.body))
    return statements if all(isinstance(s, PLAIN) for s in statements) else None


def strip_plan(loop: tree.For) -> StripPlan | None:
    """How a loop goes through packed memory; None if it does not."""
    statements = plain_statements(loop)
    if statements is None:
        return None
    gets = {
        e: None
        for s in statements
        for whole in treewalk.expressions(s)
        for e in treewalk.within(whole)
        if isinstance(e, Get) and e.index == loop.index and is_read_in_words(e)
    }
    puts = [s for s in statements if isinstance(s, Put) and in_bytes(s.samples) is None]
    direct = all(put in loop.body and put.index == loop.index for put in puts)
    if not direct or not (gets or puts):
        return None
    samples = [*[get.samples for get in gets], *[put.samples for put in puts]]
    stores = any(isinstance(s, (tree.Store, Put, tree.IfStatement)) for s in statements)
    for bits in (8,) if stores else (WIDE, 8):
        period = lcm(*[period_of(own, bits) for own in samples])
        most = period <= MOST_SAMPLES and period * len(statements) <= MOST_STATEMENTS
        if most and (bits == 8 or all(_has_whole_words(get.samples, period) for get in gets)):
            return StripPlan(loop, tuple(gets), tuple(puts), period, bits)
    return None


def is_read_in_words(get: Get) -> bool:
    """Whether the samples of a loop are taken out of words."""
    samples = get.samples
    fits = samples.step > 0 and all(a >= 0 for own in samples.pieces for a, _ in own)
    if not fits or in_bytes(samples) is not None or samples.kind == "float":
        return False
    wide = samples.kind == "unsigned" and max(samples.sizes) == 64
    return samples.scale is None or (get.type == F64 and not wide)


def period_of(samples: Samples, bits: int) -> int:
    """The samples after which words of so many bits are used in the same way again."""
    return len(samples.pieces) * (bits // gcd(samples.step, bits))


def bytes_of(samples: Samples, count: int) -> int:
    """The bytes of so many samples, gaps included."""
    return count // len(samples.pieces) * samples.step // 8


def _has_whole_words(samples: Samples, period: int) -> bool:
    """Whether samples of a period are in words of 32 bits of which all bytes are their own."""
    if max(samples.sizes) > WIDE or samples.offset % 8:
        return False
    bits = {bit for j in range(period) for a, n in pieces_of(samples, j) for bit in range(a, a + n)}
    words = {bit // WIDE for bit in bits}
    return {bit // 8 for bit in bits} == {4 * word + k for word in words for k in range(4)}


def pieces_of(samples: Samples, number: int) -> list[tuple[int, int]]:
    """The pieces of a sample of a strip, from the byte that the strip begins with."""
    group, place = divmod(number, len(samples.pieces))
    start = samples.offset % 8 + group * samples.step
    return [(start + address, size) for address, size in samples.pieces[place]]


@dataclass(frozen=True, slots=True)
class WordPart:
    """Bits of a sample in one word: from `low` on in that, from `place` on in the sample."""

    word: int
    low: int
    size: int
    place: int


def word_parts(samples: Samples, number: int, bits: int) -> Iterator[WordPart]:
    """The parts of a sample of a strip, in words of so many bits and the samples' order."""
    left = sum([size for _, size in pieces_of(samples, number)])
    for address, size in pieces_of(samples, number):
        left -= size
        done = 0
        while done < size:
            word, first = divmod(address + done, bits)
            here = min(size - done, bits - first)
            if samples.order == "big":
                yield WordPart(word, bits - first - here, here, left + size - done - here)
            else:
                yield WordPart(word, first, here, left + done)
            done += here


def touched_bytes(puts: Sequence[Put], period: int) -> Iterator[int]:
    for put in puts:
        for number in range(period):
            for part in word_parts(put.samples, number, 8):
                yield part.word
