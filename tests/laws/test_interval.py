"""Intervals hold what operations give, and comparisons say what is so for all of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import combinations_with_replacement, product
from operator import add, mul, sub

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from cogen import interval
from cogen.interval import Interval
from cogen.lang.datum import INT_MAX, INT_MIN
from cogen.lang.prims import PRIMITIVES, PrimitiveError

pytestmark = pytest.mark.quick

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


@pytest.mark.slow
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


SMALL = [(low, high) for low in range(-4, 5) for high in range(low, 5)]
EXACT = [
    "+", "-", "*", "min", "max", "word-add", "word-sub", "word-mul", "floor-quotient", "quotient",
    "truncate-quotient",
]  # fmt: skip


def values_of(op: str, *operands: Interval) -> list[int]:
    """What an operation gives on the members of intervals, where it does not fail."""
    found = []
    for numbers in product(*[range(low, high + 1) for low, high in operands]):
        with suppress(PrimitiveError):
            found.append(PRIMITIVES[op].python(*numbers))
    return found


@pytest.mark.parametrize("op", BINARY)
def test_small_results_of_two_operands(op: str) -> None:
    """All that can be is inside; of the operations that are exact nothing else is."""
    for a, b in product(SMALL, SMALL):
        low, high = interval.result(op, (a, b))
        values = values_of(op, a, b)
        if "quotient" in op and b[0] <= 0 <= b[1]:
            assert (low, high) == interval.EVERYTHING
        elif op in EXACT:
            assert (low, high) == (min(values), max(values))
        elif values:
            assert low <= min(values)
            assert max(values) <= high


@pytest.mark.parametrize("op", ["abs", "square", "bitwise-not", "lift"])
def test_small_results_of_one_operand(op: str) -> None:
    for a in SMALL:
        values = values_of(op, a)
        least = 0 if op in ("abs", "square") and a[0] <= 0 <= a[1] else min(values)
        assert interval.result(op, (a,)) == (least, max(values))


EDGES = [INT_MIN, INT_MIN + 1, -1, 0, 1, INT_MAX - 1, INT_MAX]


@pytest.mark.parametrize("op", ["+", "-", "*"])
def test_results_are_cut_to_the_integers_of_the_language(op: str) -> None:
    ways: dict[str, Callable[[int, int], int]] = {"+": add, "-": sub, "*": mul}
    for a, b in product(list(combinations_with_replacement(EDGES, 2)), repeat=2):
        corners = [ways[op](x, y) for x in a for y in b]
        low, high = max(min(corners), INT_MIN), min(max(corners), INT_MAX)
        expected = (low, high) if low <= high else interval.EVERYTHING
        assert interval.result(op, (a, b)) == expected
        inside = min(corners) >= INT_MIN and max(corners) <= INT_MAX
        word = {"+": "word-add", "-": "word-sub", "*": "word-mul"}[op]
        wrapping = (min(corners), max(corners)) if inside else interval.EVERYTHING
        assert interval.result(word, (a, b)) == wrapping


@pytest.mark.parametrize("op", sorted(PYTHON))
def test_small_comparisons(op: str) -> None:
    """A comparison is decided where all pairs agree, and narrows both to the pairs that hold."""
    for a, b in product(SMALL, SMALL):
        pairs = list(product(range(a[0], a[1] + 1), range(b[0], b[1] + 1)))
        held = [pair for pair in pairs if PYTHON[op](*pair)]
        decided = {0: False, len(pairs): True}.get(len(held))
        assert interval.compare(op, a, b) is decided
        narrowed = interval.refine(op, a, b)
        if not held:
            assert narrowed is None
            continue
        left, right = [x for x, _ in held], [y for _, y in held]
        assert narrowed == ((min(left), max(left)), (min(right), max(right)))


def test_small_sets_of_integers() -> None:
    for a, b in product(SMALL, SMALL):
        covered = {*range(a[0], a[1] + 1)}, {*range(b[0], b[1] + 1)}
        assert interval.join(a, b) == (min(a + b), max(a + b))
        common = covered[0] & covered[1]
        assert interval.meet(a, b) == ((min(common), max(common)) if common else None)
        assert interval.within(a, b) is (covered[0] <= covered[1])
        mask = (1 << a[1].bit_length()) - 1
        assert interval.bits_of(a) == (mask if a[0] >= 0 else -1)


@pytest.mark.parametrize("factor", [-3, -1, 0, 2])
def test_small_linear_terms(factor: int) -> None:
    for a in SMALL:
        ends = sorted(factor * x + 5 for x in a)
        assert interval.linear(factor, a, 5) == (ends[0], ends[1])
        assert interval.shifted(a, 5) == (a[0] + 5, a[1] + 5)


@pytest.mark.parametrize(
    ("op", "operands", "expected"),
    [
        ("floor-remainder", ((0, 3), (4, 9)), (0, 3)),
        ("floor-remainder", ((0, 4), (4, 9)), (0, 4)),
        ("floor-remainder", ((0, 20), (4, 9)), (0, 8)),
        ("floor-remainder", ((1, 3), (4, 4)), (1, 3)),
        ("floor-remainder", ((-1, 3), (4, 9)), (0, 8)),
        ("floor-remainder", ((-9, 9), (1, 1)), (0, 0)),
        ("floor-remainder", ((-9, 9), (-4, -2)), (-3, 0)),
        ("floor-remainder", ((-9, 9), (-4, -1)), (-3, 0)),
        ("floor-remainder", ((-9, 9), (-4, 0)), (-4, 0)),
        ("floor-remainder", ((-9, 9), (-4, 7)), (-4, 7)),
        ("floor-remainder", ((-9, 9), (0, 7)), (0, 7)),
        ("remainder", ((-9, 9), (-4, 7)), (-6, 6)),
        ("remainder", ((-9, 9), (-8, 7)), (-7, 7)),
        ("remainder", ((2, 9), (3, 3)), (0, 2)),
        ("remainder", ((-9, -2), (3, 3)), (-2, 0)),
        ("remainder", ((-1, 1), (9, 9)), (-1, 1)),
        ("remainder", ((-9, 9), (1, 1)), (0, 0)),
        ("remainder", ((-9, 9), (0, 0)), interval.EVERYTHING),
        ("bitwise-and", ((-5, 5), (-9, 300)), (-512, 300)),
        ("bitwise-and", ((-5, -4), (-3, -2)), (-8, -2)),
        ("bitwise-and", ((0, 5), (-9, 300)), (0, 5)),
        ("bitwise-and", ((-9, 300), (0, 5)), (0, 5)),
        ("bitwise-and", ((0, 300), (0, 5)), (0, 5)),
        ("bitwise-ior", ((1, 5), (2, 300)), (2, 511)),
        ("bitwise-ior", ((3, 5), (2, 4)), (3, 7)),
        ("bitwise-ior", ((0, 5), (0, 2)), (0, 7)),
        ("bitwise-ior", ((-1, 5), (2, 3)), (-8, 7)),
        ("bitwise-ior", ((2, 3), (-9, 5)), (-16, 15)),
        ("bitwise-xor", ((0, 8), (0, 3)), (0, 15)),
        ("bitwise-xor", ((0, 0), (0, 0)), (0, 0)),
        ("bitwise-xor", ((-8, 7), (0, 3)), (-8, 7)),
        ("bitwise-xor", ((0, 3), (-9, 3)), (-16, 15)),
        ("arithmetic-shift", ((-5, 9), (0, 0)), (-5, 9)),
        ("arithmetic-shift", ((-5, 9), (-1, -1)), (-3, 4)),
        ("arithmetic-shift", ((-5, 9), (3, 3)), (-40, 72)),
        ("arithmetic-shift", ((0, 1), (62, 62)), (0, 1 << 62)),
        ("arithmetic-shift", ((0, 1), (63, 63)), (0, INT_MAX)),
        ("arithmetic-shift", ((-1, 0), (63, 63)), (INT_MIN, 0)),
        ("arithmetic-shift", ((1, 1), (64, 64)), interval.EVERYTHING),
        ("arithmetic-shift", ((-1, -1), (63, 63)), (INT_MIN, INT_MIN)),
        ("arithmetic-shift", ((-1, -1), (64, 64)), interval.EVERYTHING),
        ("arithmetic-shift", ((INT_MIN, INT_MAX), (-62, -62)), (-2, 1)),
        ("arithmetic-shift", ((INT_MIN, INT_MAX), (-63, -63)), (-1, 0)),
        ("arithmetic-shift", ((INT_MIN, INT_MAX), (-99, -99)), (-1, 0)),
        ("arithmetic-shift", ((3, 9), (-3, -1)), (0, 9)),
        ("arithmetic-shift", ((-9, -3), (-3, -1)), (-9, -1)),
        ("arithmetic-shift", ((-9, 3), (-3, 0)), (-9, 3)),
        ("arithmetic-shift", ((0, 3), (0, 2)), (0, INT_MAX)),
        ("arithmetic-shift", ((-1, 3), (0, 2)), interval.EVERYTHING),
        ("word-shift-left", ((-5, 9), (3, 3)), (-40, 72)),
        ("word-shift-left", ((-5, 9), (0, 0)), (-5, 9)),
        ("word-shift-left", ((-1, 0), (63, 63)), (INT_MIN, 0)),
        ("word-shift-left", ((0, 1), (63, 63)), interval.EVERYTHING),
        ("word-shift-left", ((0, INT_MAX), (0, 0)), (0, INT_MAX)),
        ("word-shift-left", ((-2, 0), (63, 63)), interval.EVERYTHING),
        ("word-shift-left", ((0, 0), (63, 63)), (0, 0)),
        ("word-shift-left", ((0, 0), (64, 64)), interval.EVERYTHING),
        ("word-shift-left", ((0, 0), (-1, -1)), interval.EVERYTHING),
        ("word-shift-left", ((0, 1), (2, 3)), interval.EVERYTHING),
        ("word-shift-left", ((0, INT_MAX >> 1), (1, 1)), (0, INT_MAX - 1)),
        ("word-shift-right", ((0, 99), (3, 3)), (0, 12)),
        ("word-shift-right", ((5, 99), (0, 3)), (0, 99)),
        ("word-shift-right", ((5, 99), (-1, 3)), interval.EVERYTHING),
        ("word-shift-right", ((-1, 99), (1, 1)), (0, INT_MAX)),
        ("word-shift-right", ((-1, 99), (2, 3)), (0, (1 << 62) - 1)),
        ("word-shift-right", ((-1, 99), (63, 63)), (0, 1)),
        ("word-shift-right", ((-1, 99), (64, 64)), interval.EVERYTHING),
        ("word-shift-right", ((-1, 99), (0, 3)), interval.EVERYTHING),
        ("abs", ((INT_MIN, -3),), (3, INT_MAX)),
        ("abs", ((INT_MIN, INT_MIN),), interval.EVERYTHING),
        ("abs", ((INT_MIN, 0),), (0, INT_MAX)),
        ("abs", ((-1, INT_MAX),), (0, INT_MAX)),
        ("square", ((-(1 << 40), 2),), (0, INT_MAX)),
        ("quotient", ((INT_MIN, INT_MIN), (-1, -1)), interval.EVERYTHING),
        ("quotient", ((INT_MIN, 9), (-1, -1)), (-9, INT_MAX)),
        ("floor-quotient", ((INT_MIN, 9), (-1, -1)), (-9, INT_MAX)),
        ("gcd", ((4, 6), (3, 3)), (0, INT_MAX)),
        ("bit-count", ((4, 6),), (0, 64)),
        ("bytevector-u8-ref", ((4, 6), (0, 1)), (0, 255)),
        ("bytevector-length", ((4, 6),), (0, INT_MAX)),
        ("vector-length", ((4, 6),), (0, INT_MAX)),
        ("string-length", ((4, 6),), (0, INT_MAX)),
        ("char->integer", ((4, 6),), (0, 0x10FFFF)),
        ("set-base", ((4, 6), (8, 8)), (4, 6)),
        ("cyclic-quotient", ((3, 35), (8, 8), (3, 3)), (0, 4)),
        ("cyclic-quotient", ((11, 35), (8, 8), (3, 3)), (1, 4)),
        ("cyclic-quotient", ((-5, 35), (1, 1), (-5, -5)), (0, 40)),
        ("cyclic-quotient", ((3, 35), (8, 9), (3, 3)), interval.EVERYTHING),
        ("cyclic-quotient", ((3, 35), (8, 8), (2, 3)), interval.EVERYTHING),
        ("cyclic-quotient", ((3, 35), (0, 0), (3, 3)), interval.EVERYTHING),
    ],
)  # fmt: skip
def test_bounds_of_results(op: str, operands: tuple[Interval, ...], expected: Interval) -> None:
    assert interval.result(op, operands) == expected


def test_what_nothing_is_known_of() -> None:
    assert interval.cut(INT_MIN - 5, INT_MAX + 5) == (INT_MIN, INT_MAX)
    assert interval.cut(INT_MIN - 5, INT_MIN) == (INT_MIN, INT_MIN)
    assert interval.cut(INT_MAX, INT_MAX + 1) == (INT_MAX, INT_MAX)
    assert interval.cut(INT_MAX + 1, INT_MAX + 9) == interval.EVERYTHING
    assert interval.shifted(interval.EVERYTHING, 7) == interval.EVERYTHING
    assert interval.shifted((INT_MIN, 0), 7) == (INT_MIN + 7, 7)
    assert interval.point(7) == (7, 7)
    assert [interval.word(size) for size in (64, 63, 8)] == [
        interval.EVERYTHING, (0, INT_MAX), (0, 255),
    ]  # fmt: skip


@given(*[st.tuples(st.integers(-300, 300), st.integers(0, 300))] * 2)
def test_what_is_widened_covers_and_grows_no_more(a: tuple[int, int], b: tuple[int, int]) -> None:
    old, other = [(low, low + size) for low, size in (a, b)]
    new = interval.join(old, other)
    wide = interval.widen(old, new)
    assert interval.within(new, wide)
    assert interval.widen(wide, wide) == wide


def test_a_bound_that_has_moved_is_none() -> None:
    assert interval.widen((3, 9), (1, 9)) == interval.widen((3, 9), (0, 9)) == (0, 9)
    assert interval.widen((3, 9), (-1, 9)) == (INT_MIN, 9)
    assert interval.widen((-3, 9), (-4, 9)) == (INT_MIN, 9)
    assert interval.widen((-3, 9), (-3, 10)) == (-3, INT_MAX)
