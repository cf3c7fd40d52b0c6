"""Intervals hold what operations give, and comparisons say what is so for all of them."""

from __future__ import annotations

from hypothesis import assume, example, given
from hypothesis import strategies as st

from cogen import interval
from cogen.interval import Interval
from lang.datum import INT_MAX, INT_MIN
from lang.prims import PRIMITIVES, PrimitiveError

ends = st.one_of(
    st.integers(-20, 20),
    st.integers(INT_MIN, INT_MAX),
    st.sampled_from([INT_MIN, INT_MAX, 255, 256, -256, 1 << 32, 63, 64]),
)
BINARY = [
    "+", "-", "*", "min", "max", "floor-quotient", "floor-remainder", "modulo", "quotient",
    "truncate-quotient", "remainder", "truncate-remainder", "gcd", "bitwise-and", "bitwise-ior",
    "bitwise-xor", "arithmetic-shift", "word-add", "word-sub", "word-mul", "word-shift-left",
    "word-shift-right",
]  # fmt: skip
UNARY = ["abs", "square", "bitwise-not", "bit-count", "lift"]
PYTHON = {
    "=": int.__eq__, "!=": int.__ne__, "<": int.__lt__, ">": int.__gt__, "<=": int.__le__,
    ">=": int.__ge__,
}  # fmt: skip


@st.composite
def members(draw: st.DrawFn) -> tuple[Interval, int]:
    """An interval and a number in it."""
    low, middle, high = sorted(draw(st.tuples(ends, ends, ends)))
    return (low, high), draw(st.sampled_from([low, middle, high]))


@given(op=st.sampled_from(BINARY), left=members(), right=members())
@example("arithmetic-shift", ((-5, 3), -5), ((-70, -2), -70))
@example("quotient", ((-7, 7), -7), ((2, 3), 2))
@example("floor-remainder", ((-7, 7), -7), ((3, 5), 3))
@example("word-shift-right", ((-1, 5), -1), ((1, 3), 1))
def test_results_of_two_operands_are_inside(
    op: str, left: tuple[Interval, int], right: tuple[Interval, int]
) -> None:
    (a, x), (b, y) = left, right
    try:
        value = PRIMITIVES[op].python(x, y)
    except PrimitiveError:
        assume(False)
    low, high = interval.result(op, (a, b))
    assert INT_MIN <= low <= value <= high <= INT_MAX


@given(op=st.sampled_from(UNARY), operand=members())
def test_results_of_one_operand_are_inside(op: str, operand: tuple[Interval, int]) -> None:
    a, x = operand
    try:
        value = PRIMITIVES[op].python(x)
    except PrimitiveError:
        assume(False)
    low, high = interval.result(op, (a,))
    assert low <= value <= high


@given(op=st.sampled_from(sorted(PYTHON)), left=members(), right=members())
def test_comparisons_decide_and_refine(
    op: str, left: tuple[Interval, int], right: tuple[Interval, int]
) -> None:
    (a, x), (b, y) = left, right
    holds = PYTHON[op](x, y)
    assert interval.compare(op, a, b) in (None, holds)
    refined = interval.refine(op if holds else interval.NEGATED[op], a, b)
    assert refined is not None
    assert refined[0][0] <= x <= refined[0][1]
    assert refined[1][0] <= y <= refined[1][1]
    assert interval.within(refined[0], a)
    assert interval.within(refined[1], b)


@given(left=members(), offset=st.integers(-100, 100), factor=st.sampled_from([-8, -1, 1, 3, 32]))
def test_linear_terms_are_inside(left: tuple[Interval, int], offset: int, factor: int) -> None:
    a, x = left
    value = factor * x + offset
    assume(INT_MIN <= value <= INT_MAX)
    assert interval.within((value, value), interval.linear(factor, a, offset))
    if factor == 1:
        assert interval.within((value, value), interval.shifted(a, offset))


def test_what_is_known_exactly() -> None:
    assert interval.result("bitwise-and", ((-5, 5), (0, 255))) == (0, 255)
    assert interval.result("+", ((0, 255), (0, 255))) == (0, 510)
    assert interval.result("floor-remainder", ((-9, 9), (10, 10))) == (0, 9)
    assert interval.result("unknown", ((1, 2),)) == interval.EVERYTHING
    assert interval.compare("<", (0, 9), (10, 20)) is True
    assert interval.compare("!=", (0, 9), (10, 20)) is True
    assert interval.bits_of((3, 200)) == 255
    assert interval.bits_of((-1, 200)) == -1
