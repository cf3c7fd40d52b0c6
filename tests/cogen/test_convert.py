"""Python values and data of the language stand for each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.convert import datum, from_datum, to_argument, to_datum
from lang.datum import INT_MAX, INT_MIN, UNSPECIFIED, Pair, Record, RecordType, symbol
from lang.errors import CogenError
from lang.printer import write_datum
from lang.values import MultipleValues

values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.integers(INT_MIN, INT_MAX),
        st.floats(allow_nan=False),
        st.booleans(),
        st.text(max_size=5),
        st.binary(max_size=5),
        st.none(),
        st.sampled_from([symbol("a"), datum("#\\a"), datum("(a . b)")]),
    ),
    lambda parts: st.lists(parts, max_size=3) | st.lists(parts, max_size=3).map(tuple),
    max_leaves=10,
)


@given(values)
def test_there_and_back(value: Any) -> None:
    back = from_datum(to_datum(value))
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1, 2.5, True, "a"], '(1 2.5 #t "a")'),
        ((1, (2,), [3]), "#(1 #(2) (3))"),
        (b"\1\2", "#u8(1 2)"),
        ([], "()"),
        ((), "#()"),
        (symbol("a"), "a"),
        (datum("(a . #\\b)"), "(a . #\\b)"),
        (np.int16(-3), "-3"),
        (np.float64(0.5), "0.5"),
        (np.bool_(True), "#t"),
        (np.array([1, 2], dtype=np.uint8), "#u8(1 2)"),
    ],
)
def test_what_stands_for_what(value: object, text: str) -> None:
    assert write_datum(to_datum(value)) == text


def test_datum_gives_python_values() -> None:
    assert datum("(1 #(2 x) ())") == [1, (2, symbol("x")), []]
    assert datum("#u8(1)") == b"\1"
    assert repr(datum("(a . b)")) == "cogen.datum('(a . b)')"
    assert datum("(a . b)") == datum("(a .  b)")
    assert datum("(a . b)") != datum("(a . c)")
    assert len({datum("#\\a"), datum("#\\x61")}) == 1


def test_results_python_has_no_value_for() -> None:
    point = Record(RecordType("point", ("x",)), [1])
    assert str(from_datum(point)) == "#<point x: 1>"
    assert to_datum(from_datum(point)) is point
    loop = Pair(1, UNSPECIFIED)
    loop.cdr = loop
    assert str(from_datum(loop)) == "#0=(1 . #0#)"
    assert from_datum(MultipleValues((1, UNSPECIFIED))) == (1, None)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2**63, "integer out of range: integers lie in [-2^63, 2^63)"),
        ({}, "a Python dict is no datum"),
        ([1, {2}], "a Python set is no datum"),
        (1j, "a Python complex is no datum"),
        ("\ud800", "a string with a lone surrogate is no datum"),
    ],
)
def test_refused(value: object, message: str) -> None:
    with pytest.raises(CogenError) as caught:
        to_datum(value)
    assert caught.value.message == message


def test_circular_lists_are_refused() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    with pytest.raises(CogenError) as caught:
        to_datum(loop)
    assert caught.value.message == "a list that contains itself is no datum"
    shared = [1]
    assert write_datum(to_datum([shared, shared])) == "((1) (1))"


def test_static_data_are_copied_and_buffers_are_passed_on() -> None:
    buffer = bytearray(b"ab")
    assert to_datum(buffer) is not buffer
    assert to_argument(buffer) is buffer
    array = np.zeros(3)
    assert to_argument(array) is array
    assert to_argument(np.int64(3)) == 3
    assert type(to_argument(np.int64(3))) is int
    assert to_argument("text") == "text"


def test_deep_lists() -> None:
    value: list[Any] = []
    for _ in range(20_000):
        value = [value]
    back = from_datum(to_datum(value))
    depth = 0
    while back:
        (back,) = back
        depth += 1
    assert depth == 20_000
