"""Which states and calls are like others, found by names and pieces of the program: as a look at
each of them would find."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.lang import il
from cogen.lang.datum import Pair, symbol
from cogen.specializer.values.calls_around import Led, constants_among, may_be_like
from cogen.specializer.values.domain import Activation, Dynamic, PartialPair, Static, Stop
from cogen.specializer.values.kindred import Kindred
from cogen.specializer.versions.embedding import EmbeddedState, is_like

pytestmark = pytest.mark.quick

PIECES = [Pair(1, 2), Pair(1, 2), symbol("a"), symbol("b")]
PAIR = PartialPair(Dynamic("x"), Dynamic("y"))
VALUES = st.sampled_from([Dynamic("x"), PAIR, *map(Static, (1, 2, 2.0, True, "s", *PIECES))])
ARGUMENTS = st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=12)


def named(values: tuple[Any, ...]) -> list[tuple[str, Any]]:
    return [("", value) for value in values]


@given(ARGUMENTS, st.tuples(VALUES, VALUES, VALUES))
def test_states(states: list[tuple[Any, ...]], state: tuple[Any, ...]) -> None:
    kindred: Kindred[int] = Kindred()
    for number, values in enumerate(states):
        for _ in range(2):
            kindred.add(number, named(values))
    kindred.add(-1, named(state[:2]))
    new = EmbeddedState(named(state), {})
    alike = [n for n, v in enumerate(states) if is_like(EmbeddedState(named(v), {}), new)]
    assert kindred.like(named(state)) == alike[::-1]


@given(ARGUMENTS, st.tuples(VALUES, VALUES, VALUES), st.lists(st.booleans(), max_size=12))
def test_calls(calls: list[tuple[Any, ...]], call: tuple[Any, ...], waits: list[bool]) -> None:
    function = il.Function("f", ("x", "y", "z"), None, "k", il.Block((), il.Jump("k", ())))
    around = [Activation(function, (None, *values), Stop(), None, None, "f") for values in calls]  # type: ignore[arg-type]
    waiting = [*waits, *[True] * 12][: len(calls)]
    led = Led((one, w, False, False) for one, w in zip(around, waiting, strict=True))
    alike = [
        one
        for one, values, w in zip(around, calls, waiting, strict=True)
        if w and may_be_like(call, values)
    ]
    assert led.like(call) == alike
    same = [one for one, _ in led.equal.get(constants_among(call), [])]
    assert same == [
        one
        for one, values in zip(around, calls, strict=True)
        if constants_among(values) == constants_among(call)
    ]
    assert led.nearest is around[0]


def test_what_others_wait_for_hides_those_around() -> None:
    function = il.Function("f", (), None, "k", il.Block((), il.Jump("k", ())))
    first, passed, last = [Activation(function, (None,), Stop(), None, None, "f") for _ in range(3)]  # type: ignore[arg-type]
    rows = [(first, True, False, False), (passed, False, True, False), (last, True, True, True)]
    led = Led(iter(rows))
    assert (led.waiting, led.ends) == ([first], True)
