"""Progressions -> a C function that stores them in vectors of samples.

    int64_t NAME(uint8_t *to, int64_t rounds, int64_t state);

does the first rounds of a loop (`cogen.backends.kernel.progressions`), says how many, and leaves
the others to the loop itself.  No memory is asked for ahead: that gives nothing in the L2 cache
where nothing is loaded, and takes a quarter longer beyond.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CAssign,
    CBinary,
    CCast,
    CDeclare,
    CVariable,
    CWhile,
    Expr,
    Item,
    Statement,
)
from cogen.backends.ctree.types import CBasic
from cogen.backends.kernel.csamplewise import STATE_GIVEN, no_samples
from cogen.backends.kernel.cturns import (
    DONE,
    ROUNDS,
    TO,
    TURN,
    first_rounds,
    short_turn,
)
from cogen.backends.kernel.cvectormachines import COMPILERS, MACHINES, VectorMachine
from cogen.backends.kernel.cvectortypes import lane_number, table_of, vector_at
from cogen.backends.kernel.progressions import Progression

VECTORS: Final = 4
"""The vectors that a turn stores."""


def stepping(name: str, made: Progression, word_size: int) -> list[Item]:
    """The function, with the types that it needs."""
    types: set[str] = set()
    loops = [
        (f"{COMPILERS} && {machine.test}", tuple(_loop(made, word_size, machine, types)))
        for machine in MACHINES
    ]
    comment = (
        "The first rounds of a loop that stores a progression, in vectors; the value is how many."
    )
    return first_rounds(name, (TO, ROUNDS, STATE_GIVEN), loops, comment, types)


def _loop(
    made: Progression, word_size: int, machine: VectorMachine, types: set[str]
) -> Iterator[Statement]:
    """The loop for one kind of processor."""
    each, size, every = made.written * word_size // 8, machine.vector, 1 << made.size
    lanes = 8 * size // made.size
    kind = CBasic(f"cogen_u{made.size}x{lanes}")
    types.add(kind.name)
    rounds = max(1, VECTORS * size // each)
    vectors = rounds * each // size
    now, more = CVariable("now", kind), CVariable("more", kind)
    first: Expr = CBinary("*", STATE_GIVEN, small(made.factor))
    first = CBinary("+", first, small(made.start))
    table = table_of(kind, [i * made.step % every for i in range(lanes)], made.size)
    yield from short_turn(rounds, each, min(size, rounds * each))
    yield CDeclare(
        kind, now.name, CBinary("+", CBinary("+", no_samples(kind), table), _low(first, made))
    )
    steps: Expr = CBinary("*", TURN, small(made.count * made.step))
    yield CDeclare(kind, more.name, CBinary("+", no_samples(kind), _low(steps, made)))
    turn: list[Statement] = []
    for number in range(vectors):
        further = lane_number(number * lanes * made.step % every, made.size)
        value: Expr = CBinary("+", now, further) if number else now
        turn.append(CAssign(vector_at(TO, kind, number * size), value))
    whole = lane_number(rounds * made.count * made.step % every, made.size)
    yield CWhile(
        CBinary("<=", CBinary("+", DONE, small(rounds)), ROUNDS),
        (
            *turn,
            CAssign(now, more, "+="),
            CAssign(TO, CBinary("*", TURN, small(each)), "+="),
            CAssign(DONE, TURN, "+="),
            CAssign(TURN, small(rounds)),
            CAssign(more, CBinary("+", no_samples(kind), whole)),
        ),
    )


def _low(number: Expr, made: Progression) -> Expr:
    """The low bits of an integer."""
    return CCast(CBasic(f"uint{made.size}_t"), number)
