"""The printer: written data read back, displayed data is for people."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.lang.datum import EOF, NIL, UNSPECIFIED, Char, Datum, Pair, Record, RecordType, symbol
from cogen.lang.lexical import parse_number
from cogen.lang.printer import display_datum, format_float, write_datum, write_shared
from cogen.lang.reader import read_datum
from tests.strategies import data, same

pytestmark = pytest.mark.quick

POINT = RecordType("point", ("x", "y"))


@given(data)
def test_what_is_written_reads_back(datum: Datum) -> None:
    assert same(read_datum(write_datum(datum)), datum)


@given(st.floats())
def test_floats_read_back(x: float) -> None:
    text = format_float(x)
    back = parse_number(text)
    assert type(back) is float
    assert repr(back) == repr(x)


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (0.1, "0.1"),
        (100.0, "100.0"),
        (1e21, "1e21"),
        (1.5e-7, "1.5e-7"),
        (1e-10, "1e-10"),
        (1e100, "1e100"),
        (math.inf, "+inf.0"),
        (-math.inf, "-inf.0"),
        (math.nan, "+nan.0"),
    ],
)
def test_floats(x: float, text: str) -> None:
    assert format_float(x) == text


@pytest.mark.parametrize(
    ("datum", "written", "displayed"),
    [
        (True, "#t", "#t"),
        (False, "#f", "#f"),
        (12, "12", "12"),
        ('a\n"b\\\x01', '"a\\n\\"b\\\\\\x1;"', 'a\n"b\\\x01'),
        ("é\u200b", '"é\\x200b;"', "é\u200b"),
        (Char("a"), "#\\a", "a"),
        (Char(" "), "#\\space", " "),
        (Char("\x01"), "#\\x1", "\x01"),
        (Char("\u0301"), "#\\x301", "\u0301"),
        (Char("("), "#\\(", "("),
        (symbol("a b"), "|a b|", "a b"),
        (symbol(""), "||", ""),
        (symbol("a|b"), "|a\\|b|", "a|b"),
        (symbol("A"), "A", "A"),
        (symbol("12"), "|12|", "12"),
        (symbol("1/2"), "|1/2|", "1/2"),
        (NIL, "()", "()"),
        ([], "#()", "#()"),
        ([1, "a"], '#(1 "a")', "#(1 a)"),
        (bytearray(b"\x01\xff"), "#u8(1 255)", "#u8(1 255)"),
        (bytes(2), "#u8(0 0)", "#u8(0 0)"),
        (memoryview(b"ab"), "#u8(97 98)", "#u8(97 98)"),
        (Pair("a", Char("b")), '("a" . #\\b)', "(a . b)"),
        (Record(POINT, [1, "b"]), '#<point x: 1 y: "b">', "#<point x: 1 y: b>"),
        (Record(RecordType("unit", ()), []), "#<unit>", "#<unit>"),
        (POINT, "#<record-type point>", "#<record-type point>"),
        (UNSPECIFIED, "#<unspecified>", "#<unspecified>"),
        (EOF, "#<eof>", "#<eof>"),
        (len, "#<procedure len>", "#<procedure len>"),
        (object(), "#<object>", "#<object>"),
    ],
)
def test_data(datum: Datum, written: str, displayed: str) -> None:
    assert write_datum(datum) == written
    assert display_datum(datum) == displayed


@pytest.mark.parametrize(
    "text",
    [
        "(quote)",
        "(quote a b)",
        "(quote . a)",
        "(a quote b)",
        "(quote a . b)",
        "'()",
        ",|@x|",
        "',a",
    ],
)
def test_quotations_are_abbreviated_only_where_they_are_quotations(text: str) -> None:
    assert write_datum(read_datum(text)) == text.replace("(a quote b)", "(a quote b)")


def test_circular_data_get_labels() -> None:
    loop = Pair(1, NIL)
    loop.cdr = Pair(2, loop)
    assert write_datum(loop) == "#0=(1 2 . #0#)"
    vector: list[Any] = [1]
    vector.append(vector)
    assert write_datum(vector) == "#0=#(1 #0#)"
    record = Record(POINT, [0, NIL])
    record.values[1] = record
    assert display_datum(record) == "#0=#<point x: 0 y: #0#>"
    quotation = Pair(symbol("quote"), Pair(NIL, NIL))
    quotation.cdr.car = quotation
    assert write_datum(quotation) == "#0='#0#"
    lasso = Pair(0, loop)
    assert write_datum(lasso) == "(0 . #0=(1 2 . #0#))"
    two = Pair(vector, Pair(loop, NIL))
    assert write_datum(two) == "(#0=#(1 #0#) #1=(1 2 . #1#))"


def test_the_middle_of_a_quotation_may_be_the_cycle() -> None:
    rest = Pair(NIL, NIL)
    rest.car = rest
    assert write_datum(Pair(symbol("quote"), rest)) == "(quote . #0=(#0#))"


def test_shared_data_are_written_out() -> None:
    shared = Pair(1, NIL)
    assert write_datum([shared, shared]) == "#((1) (1))"


def test_write_shared_labels_what_stands_at_several_places() -> None:
    shared = Pair(1, NIL)
    assert write_shared([shared, shared]) == "#(#0=(1) #0#)"
    assert write_shared(Pair(0, Pair(shared, shared))) == "(0 #0=(1) . #0#)"
    assert write_shared(Pair(1, Pair(1, NIL))) == "(1 1)"
    assert write_shared(5) == "5"
    loop = Pair(1, NIL)
    loop.cdr = loop
    assert write_shared([loop, shared, shared]) == "#(#0=(1 . #0#) #1=(1) #1#)"
    rest = Pair(symbol("a"), NIL)
    quotations = [Pair(symbol("quote"), rest), Pair(symbol("quote"), rest)]
    assert write_shared(quotations) == "#((quote . #0=(a)) (quote . #0#))"


@pytest.mark.slow
def test_deep_and_long_data() -> None:
    depth = 20_000
    text = "(" * depth + ")" * depth
    assert write_datum(read_datum(text)) == text
    vectors = "#(" * depth + ")" * depth
    assert write_datum(read_datum(vectors)) == vectors
    items = "(" + "a " * depth + "b)"
    assert write_datum(read_datum(items)) == items
    quotes = "'" * depth + "a"
    assert write_datum(read_datum(quotes)) == quotes
