"""Staged functions that assign variables and elements give the graphs of their functional twins;
what is read in reverse, in part, by rows and by columns is computed once, and not stored."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.array.schedule.showschedule import show

A = np.arange(5)


def assigned(a: Any) -> Any:
    x = 7
    y = x + 1
    x = 5
    return a + x * y


def not_assigned(a: Any) -> Any:
    return a + 40


def summed(a: Any) -> Any:
    s = 0
    for i in range(len(a)):
        s += a[i]
    return s


def looped(a: Any) -> Any:
    return cogen.loop(len(a), lambda i, s: s + a[i], 0)


def filled(n: Any) -> Any:
    h = np.zeros(n)
    for i in range(n):
        h[i] = i * 2.0
    return h.sum()


def carried(n: Any) -> Any:
    def step(i: Any, h: Any) -> Any:
        k = h.copy()
        k[i] = i * 2.0
        return k

    return cogen.loop(n, step, np.zeros(n)).sum()


def branched(a: Any, c: Any) -> Any:
    x = 0
    if c:  # noqa: SIM108 -- that each arm assigns is the point
        x = a[0]
    else:
        x = a[1]
    return a + x


def chosen(a: Any, c: Any) -> Any:
    return a + (a[0] if c else a[1])


TWINS: list[tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]] = [
    (assigned, not_assigned, (A,)),
    (summed, looped, (A,)),
    (filled, carried, (4,)),
    (branched, chosen, (A, True)),
]


@pytest.mark.parametrize("number", range(len(TWINS)))
def test_assignments_give_the_graph_of_the_functional_twin(number: int) -> None:
    *functions, arguments = TWINS[number]
    texts = []
    for function in functions:
        staged = cogen.stage(function)  # type: ignore[arg-type]
        text = show(staged.program(*arguments).graph(function.__name__))  # type: ignore[attr-defined]
        texts.append(re.sub(r"<c[0-9, c]*> ", "", text.split("\n", 1)[1]))
        wanted = functions[0](*arguments)  # type: ignore[operator]
        assert np.array_equal(staged(*arguments), wanted)
    assert texts[0] == texts[1]


def reverse(a: Any) -> Any:
    b = np.exp(a)
    return b[::-1] + 1.0


def last(a: Any) -> Any:
    return np.cumsum(np.exp(a))[-1]


def tail(a: Any) -> Any:
    return np.exp(a)[2:].sum()


def overwritten(a: Any) -> Any:
    h = a.copy()
    h[0] = 1.0
    h[0] = 2.0
    return h[0]


def both_sums(a: Any) -> Any:
    return a.sum(axis=0), a.sum(axis=1)


@pytest.mark.parametrize(
    ("function", "argument", "loops", "arrays"),
    [
        (reverse, A * 0.5, ["map"], 0),
        (last, A * 0.5, ["redomap"], 0),
        (tail, A * 0.5, ["redomap"], 0),
        (overwritten, A * 0.5, [], 0),
        (both_sums, np.ones((3, 4)), ["reduce+map"], 1),
    ],
)
def test_elements_are_computed_where_they_are_read(
    function: Callable[[Any], Any], argument: Any, loops: list[str], arrays: int
) -> None:
    staged = cogen.stage(function)
    found = staged.program(argument).report()
    assert [loop["kind"] for loop in found["soacs"] if not loop["path"]] == loops
    assert found["arrays"] == arrays
    wanted, given = function(argument), staged(argument)
    pairs = zip(given, wanted, strict=True) if isinstance(wanted, tuple) else [(given, wanted)]
    assert all(np.allclose(a, b) for a, b in pairs)
