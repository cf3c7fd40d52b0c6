"""Fields moved by one multiplication lie where they were to be moved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.specializer.rules.gather import FULL, Gather, gather
from tests.cogen.textbook import call, operations, residual_of

pytestmark = pytest.mark.quick


def moved(value: int, moves: list[tuple[int, int]]) -> int:
    """What the moves mean."""
    return sum(((value << k if k >= 0 else value >> -k) & mask) for k, mask in moves)


def multiplied(value: int, plan: Gather) -> int:
    value >>= plan.first
    value = value if plan.kept is None else value & plan.kept
    value = (value * plan.factor & FULL) >> plan.last
    return value if plan.rest is None else value & plan.rest


@st.composite
def regular_moves(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Fields at regular distances, and where they come to lie at regular distances."""
    size, count = draw(st.integers(1, 4)), draw(st.integers(4, 9))
    source, target = draw(st.integers(1, 9)), draw(st.integers(1, 12))
    start, end = draw(st.integers(0, 20)), draw(st.integers(0, 20))
    down = draw(st.booleans())
    places = range(count - 1, -1, -1) if down else range(count)
    moves: dict[int, int] = {}
    for i, place in enumerate(places):
        low, lies = start + i * max(source, size), end + place * max(target, size)
        if max(low, lies) + size <= 64:
            mask = ((1 << size) - 1) << lies
            moves[lies - low] = moves.get(lies - low, 0) | mask
    return list(moves.items())


@given(moves=regular_moves(), value=st.integers(0, FULL), size=st.sampled_from([16, 32, 64]))
def test_a_plan_moves_the_fields(moves: list[tuple[int, int]], value: int, size: int) -> None:
    possible = (1 << size) - 1
    plan = gather(possible, moves)
    value &= possible
    assert plan is None or multiplied(value, plan) == moved(value, moves)


def test_bits_of_bytes_are_found_and_a_few_moved_apart_are_not() -> None:
    down = gather((1 << 64) - 1, [(-7 * i, 1 << i) for i in range(8)])
    assert down is not None
    assert down.steps <= 5
    assert gather((1 << 32) - 1, [(7 * i - 4, 1 << (8 * i)) for i in range(4)]) is None


def test_bits_that_would_carry_are_refused() -> None:
    assert gather(FULL, [(7 * i, 1 << (8 * i)) for i in range(8)]) is None
    assert gather(FULL, [(0, 1), (-1, 2)]) is None


@pytest.mark.parametrize("word_size", [32, 64])
@given(data=st.data())
def test_a_program_that_packs_the_bits_of_bytes(word_size: int, data: st.DataObject) -> None:
    count = word_size // 8
    pieces = " ".join(
        f"(arithmetic-shift (bitwise-and 1 (arithmetic-shift v {-8 * i})) {i})"
        for i in range(count)
    )
    residual = residual_of(
        f"(define (f a) (let ((v (load-word a 0))) (bitwise-ior {pieces})))",
        "f", "(dynamic memory)", word_size=word_size,
    )  # fmt: skip
    assert operations(residual)["word-mul"] == 1
    assert sum(operations(residual).values()) <= 5
    content = data.draw(st.binary(min_size=count, max_size=count))
    assert call(residual, content) == sum((byte & 1) << i for i, byte in enumerate(content))
