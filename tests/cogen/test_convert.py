"""Python values and data of the language stand for each other."""

from __future__ import annotations

from array import array
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.convert import datum, from_datum, to_argument, to_datum
from cogen.lang.datum import INT_MAX, INT_MIN, UNSPECIFIED, Pair, Record, RecordType, symbol
from cogen.lang.errors import CogenError
from cogen.lang.printer import write_datum
from cogen.lang.values import MultipleValues

pytestmark = pytest.mark.quick

SIGNED = memoryview(bytes(4)).cast("b")


class Gear(IntEnum):
    LOW = 1


class Name(str):
    __slots__ = ()


class Point(NamedTuple):
    x: int
    y: int


class Metres(np.ndarray[Any, Any]):
    pass


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
        (np.float32(0.1), "0.10000000149011612"),
        (np.float16(0.5), "0.5"),
        (np.longdouble(0.5), "0.5"),
        (np.str_("a"), '"a"'),
        (np.array(7), "7"),
        (np.array([1, 2], dtype=np.uint8), "#u8(1 2)"),
        (np.array([[1, 2], [3, 4]], dtype=np.uint8), "#(#u8(1 2) #u8(3 4))"),
        (np.array([0.25, 0.5]), "#(0.25 0.5)"),
        (np.array([0.5, np.nan, -np.inf], np.longdouble), "#(0.5 +nan.0 -inf.0)"),
        (np.array([[1, -2], [3, 4]], ">i2").T, "#(#(1 3) #(-2 4))"),
        (np.array([True, False]), "#(#t #f)"),
        (np.zeros((2, 0), np.int64), "#(#() #())"),
        ([np.array([1]), (np.int8(2),)], "(#(1) #(2))"),
        (bytearray(b"a"), "#u8(97)"),
        (memoryview(b"abcd")[::2], "#u8(97 99)"),
        (array("B", [1]), "#u8(1)"),
        (None, "#<unspecified>"),
        (float("nan"), "+nan.0"),
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
        (Fraction(1, 3), "a Python Fraction is no datum"),
        (Decimal(1), "a Python Decimal is no datum"),
        (range(3), "a Python range is no datum"),
        (Gear.LOW, "a Python Gear is no datum"),
        (Name("a"), "a Python Name is no datum"),
        (Point(1, 2), "a Python Point is no datum"),
        (object, "a Python type is no datum"),
        (np.array([2**63], np.uint64), "integer out of range: integers lie in [-2^63, 2^63)"),
        (np.uint64(2**63), "integer out of range: integers lie in [-2^63, 2^63)"),
        (np.complex128(1), "a Python complex128 is no datum"),
        (np.datetime64(5, "ns"), "a Python datetime64 is no datum"),
        (np.timedelta64(5, "ns"), "a Python timedelta64 is no datum"),
        (np.zeros(2, complex), "an array of complex128 is no datum"),
        (np.zeros(2, "M8[ns]"), "an array of datetime64[ns] is no datum"),
        (np.array([1, "a"], object), "an array of object is no datum"),
        (np.array(["ab"]), "an array of <U2 is no datum"),
        (np.array(None), "a Python ndarray is no datum"),
        (np.zeros(1, [("a", "i4")])[0], "a Python void is no datum"),
        (np.zeros(1, [("a", "i4")]), "an array of [('a', '<i4')] is no datum"),
        (np.zeros(2).view(Metres), "an array of the class Metres is no datum"),
        (np.array(1.0).view(Metres), "a Python Metres is no datum"),
        (np.ma.array([1, 2], mask=[0, 1]), "an array must not be masked"),
        (np.ma.masked, "a value must not be masked"),
        (array("d", [0.25]), "an array of 'd' is no datum: only bytes in one dimension are"),
        (
            memoryview(bytes(4)).cast("b"),
            "a memoryview of 'b' is no datum: only bytes in one dimension are",
        ),
    ],
)
def test_refused(value: object, message: str) -> None:
    with pytest.raises(CogenError) as caught:
        to_datum(value)
    assert caught.value.message == message


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="long doubles are doubles here")
def test_floats_that_are_no_doubles() -> None:
    third = np.longdouble(1) / 3
    for value in (third, np.array([0.5, third])):
        with pytest.raises(CogenError, match="is no float of 64 bits"):
            to_datum(value)


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
    with pytest.raises(CogenError, match="a Python datetime64 is no datum"):
        to_argument(np.datetime64(5, "ns"))


@pytest.mark.slow
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
