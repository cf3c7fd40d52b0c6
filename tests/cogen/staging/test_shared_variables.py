"""Variables that functions share: assigned by one that is called where a run decides whether."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cogen


def skipped(text: Any) -> Any:
    at = 0

    def advance() -> None:
        nonlocal at
        at += 1

    def skip() -> None:
        while at < len(text) and text[at] == 32:
            advance()

    skip()
    return at


def marked(x: Any) -> Any:
    found = False

    def mark() -> None:
        nonlocal found
        found = True

    def look(x: Any) -> None:
        if x > 0:
            mark()

    look(x)
    return found


def counted(xs: Any) -> Any:
    n, total = 0, 0.0

    def see(x: Any) -> None:
        nonlocal n, total
        n += 1
        total += x

    def each(f: Any, xs: Any) -> None:
        for x in xs:
            if x > 0:
                f(x)

    each(see, xs)
    return n, total


def within(xs: Any) -> Any:
    """A variable that each round of a loop makes anew."""

    def evens(x: Any) -> Any:
        left, count = x, 0

        def halve() -> None:
            nonlocal left, count
            left, count = left // 2, count + 1

        def go() -> None:
            while left > 0 and left % 2 == 0:
                halve()

        go()
        return count

    out = []
    for x in xs:
        out.append(evens(x))
    return out


def sum_of(text: Any) -> Any:
    """A parser of sums and products, as people write it."""
    at = 0

    def peek() -> Any:
        return text[at] if at < len(text) else 0

    def number() -> Any:
        nonlocal at
        value = 0
        while 48 <= peek() <= 57:
            value = value * 10 + peek() - 48
            at += 1
        return value

    def take(c: Any) -> Any:
        nonlocal at
        if peek() == c:
            at += 1
            return True
        return False

    def product() -> Any:
        value = number()
        while take(ord("*")):
            value *= number()
        return value

    value = product()
    while take(ord("+")):
        value += product()
    return value


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (skipped, [b"   a", b"a", b"", b"    "]),
        (marked, [1, -1]),
        (counted, [np.array([1, -2, 3]), np.zeros(0), np.array([-1.5])]),
        (within, [np.array([8, 5, 12, 0]), np.zeros(0, int)]),
        (sum_of, [b"2*3+4*5*6", b"7", b"", b"1+1+1"]),
    ],
)
def test_what_a_function_assigns_of_another_is_there_after_it(function: Any, inputs: Any) -> None:
    staged = cogen.stage(function)
    for x in inputs:
        assert staged(x) == function(x)


CALLS = 0


def test_global_variables_are_not_assigned() -> None:
    @cogen.stage
    def counts(x: Any) -> Any:
        global CALLS
        CALLS += 1
        return x

    with pytest.raises(cogen.CogenError, match="the global variable `CALLS` is assigned"):
        counts(1)
    assert CALLS == 0


def test_elements_do_not_assign_what_all_share() -> None:
    @cogen.stage
    def last(xs: Any) -> Any:
        found = 0

        def see(x: Any) -> Any:
            nonlocal found
            found = x
            return x

        cogen.map(see, xs)
        return found

    with pytest.raises(cogen.CogenError, match="`found` is changed in a function"):
        last(np.array([1, 2]))
