"""What loops over vectors have in common in C: they go on by turns of several rounds, through two
buffers.

    int64_t NAME(const uint8_t *from, uint8_t *to, int64_t rounds)

gives how many rounds are done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CAlternatives,
    CAssign,
    CBinary,
    CCast,
    CComment,
    CDeclare,
    CDo,
    CFunction,
    CInvoke,
    CReturn,
    CVariable,
    CWhile,
    Expr,
    Item,
    Statement,
)
from cogen.backends.ctree.types import ADDRESS, I64, U8, VOID, CPointer
from cogen.backends.kernel.cvectortypes import vector_types

AHEAD: Final = 512
"""How many bytes ahead of what it moves a loop asks for memory: in the L2 cache it takes 0.8 of the
time then."""

LINE: Final = 64
"""The bytes of a line of a cache."""

TO: Final = CVariable("to", CPointer(U8, restrict=True))
ROUNDS: Final = CVariable("rounds", I64)
DONE: Final = CVariable("done", I64)
TURN: Final = CVariable("turn", I64)


def first_rounds(
    name: str,
    taken: Sequence[CVariable],
    loops: Sequence[tuple[str, tuple[Statement, ...]]],
    comment: str,
    types: Set[str],
) -> list[Item]:
    """A function of what a loop takes, with a form of it for each kind of processor, told by a test
    of the preprocessor, and the vector types that it needs."""
    body: tuple[Statement, ...] = (
        CDeclare(I64, DONE.name, small(0)),
        CAlternatives(tuple(loops)),
        *[CDo(CCast(VOID, variable)) for variable in taken],
        CReturn(DONE),
    )
    inline = CFunction(I64, name, tuple(taken), body, comment, qualifiers="static inline")
    return [*vector_types(types), inline]


def short_turn(rounds: int, each: int, size: int) -> Iterator[Statement]:
    """The number of rounds, at most so many, by which the first turn goes on, so that stores of
    `size` bytes are aligned then; a round stores `each`."""
    stored = CBinary("+", CCast(ADDRESS, TO), CBinary("*", TURN, small(each)))
    unaligned = CBinary("!=", CBinary("%", stored, small(size)), small(0))
    yield CComment("The first turn is short, so that stores are aligned then.")
    yield CDeclare(I64, TURN.name, small(1))
    yield CWhile(
        CBinary("&&", CBinary("<", TURN, small(rounds)), unaligned),
        (CAssign(TURN, small(1), "+="),),
    )


def prefetched(base: CVariable, count: int, *how: Expr) -> Iterator[Statement]:
    """Ask for so many bytes of what comes later."""
    for start in range(AHEAD, AHEAD + count, LINE):
        place = CBinary("+", base, small(start))
        yield CDo(CInvoke("__builtin_prefetch", (place, *how), VOID))
