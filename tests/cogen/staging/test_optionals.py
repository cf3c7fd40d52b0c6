"""Variables, results and elements that are None or a value, as only a run knows."""

# functions that come to their end give None

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen

N = np.array([3, 1, 4, 1, 5, 9, 2, 6])


def least(a: Any) -> Any:
    best = place = None
    for i, x in enumerate(a):
        if best is None or x < best:
            best, place = x, i
    return best, place


def extent(a: Any) -> Any:
    low = high = None
    for x in a:
        if low is None or x < low:
            low = x
        if high is None or x > high:
            high = x
    return high - low if low is not None and high is not None else 0


def differences(a: Any) -> Any:
    before, out = None, []
    for x in a:
        if before is not None:
            out.append(x - before)
        before = x
    return out


def first_above(a: Any, least: Any) -> Any:
    for i, x in enumerate(a):
        if x > least:
            return i


def found(a: Any, wanted: Any) -> Any:
    place = None
    for i, x in enumerate(a):
        if x == wanted:
            place = i
            break
    return place, -1 if place is None else place * 10, place == 2, place != None, bool(place)  # noqa: E711


def of_results(a: Any) -> Any:
    j = first_above(a, 4)
    if j is None:
        return [], -1
    return [first_above(a, x) for x in a], j + 1


def of_pairs(a: Any) -> Any:
    best: Any = None
    for i, x in enumerate(a):
        if best is None or (x, -i) > best:
            best = (x, -i)
    if not best:
        return None
    x, i = best
    return x - i, best


def of_tables(a: Any) -> Any:
    squares = {x: x * x for x in a}
    return [squares.get(x + 1) for x in a], squares.get(1000)


def of_arrays(a: Any) -> Any:
    row = None
    for k in range(len(a)):
        if a[k] > 3:
            row = a * k
    return None if row is None else row.sum()


def matched(a: Any) -> Any:
    match first_above(a, 3):
        case None:
            return -1
        case k:
            return k


def searched(a: Any) -> Any:
    def at(x: Any) -> Any:
        n = 0
        while True:
            if n * n >= x:
                return n
            n += 1

    return cogen.map(at, a)


def plain(x: Any) -> Any:
    """A result with the types that matter."""
    if isinstance(x, list | tuple):
        return type(x)(map(plain, x))
    return x.item() if isinstance(x, np.generic) else x


FUNCTIONS = [least, extent, differences, of_results, of_pairs, of_tables, of_arrays, matched]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_none_is_what_python_has(function: Any) -> None:
    staged = cogen.stage(function)
    for a in (N, N[:1], N[:0], N - 100, N * 0 + 4):
        expected = function(a if function is of_arrays else a.tolist())
        assert plain(staged(a)) == plain(expected)


def test_a_search_gives_none() -> None:
    staged = cogen.stage(found)
    for wanted in (3, 4, 6, 77):
        assert plain(staged(N, wanted)) == found(N.tolist(), wanted)
    assert cogen.stage(searched)(N).tolist() == [2, 1, 2, 1, 3, 3, 2, 3]


@given(st.lists(st.integers(-5, 5), max_size=8), st.integers(-6, 6))
def test_the_first_above_is_that_of_python(a: list[int], least: int) -> None:
    assert FIRST(np.array(a, int), least) == first_above(a, least)


FIRST = cogen.stage(first_above)


def used(a: Any) -> Any:
    last: Any = None
    for x in a:
        if x > 100:
            last = x
    return last + 1


def in_an_array(a: Any) -> Any:
    return cogen.map(lambda x: None if x > 100 else x, a)


@pytest.mark.parametrize(
    ("function", "says", "line"),
    [
        (used, "this is None, and a value is needed", 5),
        (in_an_array, "None would be an element of an array", 1),
    ],
)
def test_where_a_value_is_needed(function: Any, says: str, line: int) -> None:
    staged = cogen.stage(function)
    a = N + 100 if function is used else N
    assert np.array_equal(staged(a), function(a) if function is used else a)
    with pytest.raises(cogen.CogenError) as refused:
        staged(N if function is used else N + 100)
    assert says in refused.value.message
    span = refused.value.span
    assert span is not None
    assert (span.source.name, span.line) == (__file__, function.__code__.co_firstlineno + line)
