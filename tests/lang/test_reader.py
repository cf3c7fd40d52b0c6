"""The reader: what it reads, where things are, and how it refuses."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.lang.datum import NIL, Char, Datum, Pair, Symbol, symbol
from cogen.lang.errors import CogenError, LimitationError, Source
from cogen.lang.lexical import is_plain_symbol, parse_number
from cogen.lang.printer import write_datum
from cogen.lang.reader import MAX_DEPTH, read, read_datum
from cogen.lang.syntax import Syntax, SyntaxList, SyntaxVector, to_datum
from tests.strategies import data


def refused(text: str) -> CogenError:
    with pytest.raises(CogenError) as caught:
        read(Source("f.scm", text))
    return caught.value


def excerpt(syntax: Syntax) -> str:
    return syntax.span.source.text[syntax.span.start : syntax.span.end]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-12", -12),
        ("+5", 5),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("0" * 10_000 + "7", 7),
        ("#xFF", 255),
        ("#X-ff", -255),
        ("#b101", 5),
        ("#o17", 15),
        ("#d10", 10),
        ("#e#x10", 16),
        ("#x#e10", 16),
        ("#e1e3", 1000),
        ("#e2.50e1", 25),
        ("#e5.00", 5),
        ("#e0.0e99999999999", 0),
        ("#e-7.", -7),
        ("1.5", 1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5e-3", -0.0005),
        ("1E3", 1000.0),
        ("#i7", 7.0),
        ("#i#x10", 16.0),
        ("#i1e2", 100.0),
        ("-0.0", -0.0),
        ("+inf.0", math.inf),
        ("-INF.0", -math.inf),
        ("#i" + "9" * 400, math.inf),
        ("#i#x-" + "f" * 400, -math.inf),
    ],
)
def test_numbers(text: str, value: float) -> None:
    found = read_datum(text)
    assert type(found) is type(value)
    assert repr(found) == repr(value)


@pytest.mark.parametrize("text", ["+nan.0", "-nan.0", "+NaN.0"])
def test_not_a_number(text: str) -> None:
    assert math.isnan(read_datum(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("#t", True),
        ("#true", True),
        ("#T", True),
        ("#f", False),
        ("#false", False),
        (r"#\a", Char("a")),
        (r"#\A", Char("A")),
        (r"#\space", Char(" ")),
        (r"#\ ", Char(" ")),
        (r"#\newline", Char("\n")),
        (r"#\nul", Char("\0")),
        (r"#\x41", Char("A")),
        (r"#\x", Char("x")),
        (r"#\x1F600", Char("\U0001f600")),
        (r"#\(", Char("(")),
        (r"#\)", Char(")")),
        (r"#\;", Char(";")),
        (r"#\"", Char('"')),
        (r"#\#", Char("#")),
        (r"#\|", Char("|")),
        ("#\\λ", Char("λ")),
        ('""', ""),
        ('"a b"', "a b"),
        (r'"\a\b\t\n\r\"\\\|"', '\a\b\t\n\r"\\|'),
        (r'"\x41;\x3bb;"', "Aλ"),
        ('"one \\\n    line"', "one line"),
        ('"one \\  \n    line"', "one line"),
        ('"two\nlines"', "two\nlines"),
        ('"two\r\nlines\rthree"', "two\nlines\nthree"),
        ("#u8()", bytearray()),
        ("#u8(0 #xff 7)", bytearray([0, 255, 7])),
        ("#U8(1)", bytearray([1])),
    ],
)
def test_other_atoms(text: str, value: Datum) -> None:
    found = read_datum(text)
    assert type(found) is type(value)
    assert found == value


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("...", "..."),
        ("+", "+"),
        ("-", "-"),
        ("->x", "->x"),
        ("1+", "1+"),
        ("-1+", "-1+"),
        ("+.x", "+.x"),
        ("..", ".."),
        ("a.b", "a.b"),
        ("a/b", "a/b"),
        ("call/cc", "call/cc"),
        ("<=?", "<=?"),
        ("!$%&*/:<=>?^_~", "!$%&*/:<=>?^_~"),
        ("x#1", "x#1"),
        ("λ", "λ"),
        ("été", "été"),
        ("Case", "Case"),
        ("inf.0", "inf.0"),
        ("nil", "nil"),
        ("t", "t"),
        ("|a b|", "a b"),
        ("||", ""),
        (r"|a\|b\x41;\n|", "a|bA\n"),
        ("|two\nlines|", "two\nlines"),
        ("|1|", "1"),
    ],
)
def test_symbols(text: str, name: str) -> None:
    assert read_datum(text) is symbol(name)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("()", "()"),
        ("( )", "()"),
        ("(a . b)", "(a . b)"),
        ("(a b . c)", "(a b . c)"),
        ("(a . (b . (c . ())))", "(a b c)"),
        ("(a .b)", None),
        ("#()", "#()"),
        ("#(1 (2) #(3))", "#(1 (2) #(3))"),
        ("'a", "'a"),
        ("(quote a)", "'a"),
        ("`(a ,b ,@(c))", "`(a ,b ,@(c))"),
        ("''a", "''a"),
        ("' a", "'a"),
        ("'#(a)", "'#(a)"),
        ("(a ; comment ) \n b)", "(a b)"),
        ("(a #| c #| nested |# |# b)", "(a b)"),
        ("(a #;b c)", "(a c)"),
        ("(a #; (b c) d)", "(a d)"),
        ("(a #;#;b c d)", "(a d)"),
        ("(a #;'b c)", "(a c)"),
        ("(a . #;b c)", "(a . c)"),
        ("(a . b #;c)", "(a . b)"),
        ("#;a ()", "()"),
        ("(a\u00a0b)", "(a b)"),
        ("(#\\()", "(#\\()"),
        ("(#t)", "(#t)"),
        ('(a"b"c)', '(a "b" c)'),
        ("a ;", "a"),
        ("#!no-fold-case A", "A"),
        ("(4/2 -0/5 #x-a/5 #i1/4)", "(2 0 -2 0.25)"),
        (
            "#!fold-case (Ab #\\SPACE #\\A |Ab| STRAßE #!no-fold-case Ab)",
            "(ab #\\space #\\A Ab strasse Ab)",
        ),
        ("#0=(a)", "(a)"),
        ("(#0=(a) #0# #1=b #1#)", "((a) (a) b b)"),
        ("(#0=a #;#1=b . #0#)", "(a . a)"),
        ("#0=(a . #0#)", "#0=(a . #0#)"),
        ("#7=#(#8=(#7# . #8#) #7#)", "#0=#(#1=(#0# . #1#) #0#)"),
        ("(#0=a #1=#2=(b #1# #2#))", "(a #0=(b #0# #0#))"),
        ("'#0=(a '#0#)", "'#0=(a '#0#)"),
        ("#!/usr/bin/env cogen run\n7", "7"),
        ("\ufeff7", "7"),
    ],
)
def test_structure(text: str, written: str | None) -> None:
    if written is None:
        assert "`.b`" not in str(read(Source("x", text)))
        written = "(a .b)"
    assert write_datum(read_datum(text)) == written


def test_several_data_and_none() -> None:
    assert [write_datum(read_datum(excerpt(s))) for s in read(Source("x", "a (b) 1"))] == [
        "a",
        "(b)",
        "1",
    ]
    assert read(Source("x", "")) == []
    assert read(Source("x", " ; nothing\n #| here |# #;gone")) == []


def test_spans_cover_exactly_the_text() -> None:
    text = '(define (f x)\n  \'(a . "b") #(1 #\\a) #u8(1)) ; end'
    (form,) = read(Source("f.scm", text))
    assert excerpt(form) == text[:-6]
    items = form.value.items
    assert [excerpt(item) for item in items] == [
        "define", "(f x)", "'(a . \"b\")", "#(1 #\\a)", "#u8(1)",
    ]  # fmt: skip
    quotation = items[2].value
    assert isinstance(quotation, SyntaxList)
    assert [excerpt(item) for item in quotation.items] == ["'", '(a . "b")']
    inner = quotation.items[1].value
    assert excerpt(inner.tail) == '"b"'
    assert str(inner.tail.span) == "f.scm:2:9"
    vector = items[3].value
    assert isinstance(vector, SyntaxVector)
    assert [excerpt(item) for item in vector.items] == ["1", "#\\a"]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("(", 1, 1, "unclosed `(`"),
        ("(a\n (b c)", 1, 1, "unclosed `(`"),
        ("(a\n (b c", 2, 2, "unclosed `(`"),
        ("#(1 2", 1, 1, "unclosed `#(`"),
        ("#u8(1", 1, 1, "unclosed `#u8(`"),
        ("a\n )", 2, 2, "unexpected `)`"),
        ("(a))", 1, 4, "unexpected `)`"),
        ('(a "bc\n)', 1, 4, "unterminated string"),
        ("\n  |ab", 2, 3, "unterminated `|`"),
        ("a #| #| |#", 1, 3, "unterminated comment"),
        ("#\\", 1, 1, "the text ends inside a character"),
        ("'", 1, 1, "no datum after `'`"),
        ("(a ,@)", 1, 4, "no datum after `,@`"),
        ("(a '#;b)", 1, 4, "no datum after `'`"),
        ("#;", 1, 1, "no datum after `#;`"),
        ("(#;)", 1, 2, "no datum after `#;`"),
        ("(. a)", 1, 2, "a dot may only stand in a list, after at least one datum"),
        (".", 1, 1, "a dot may only stand in a list, after at least one datum"),
        ("#(a . b)", 1, 5, "a dot may only stand in a list, after at least one datum"),
        ("(a . '. b)", 1, 7, "a dot may only stand in a list, after at least one datum"),
        ("(a . )", 1, 4, "no datum after the dot"),
        ("(a . b c)", 1, 8, "more than one datum after a dot"),
        ("(a . b . c)", 1, 8, "a second dot in one list"),
        ("[a]", 1, 1, "`[` is no bracket of the language"),
        ("(a]", 1, 3, "`]` is no bracket of the language"),
        ("{", 1, 1, "`{` has no meaning in the language"),
        ("#u8(256)", 1, 5, "a bytevector holds integers from 0 to 255 only"),
        ("#u8(1 -1)", 1, 7, "a bytevector holds integers from 0 to 255 only"),
        ("#u8(1 a)", 1, 7, "a bytevector holds integers from 0 to 255 only"),
        ("#u8(#t)", 1, 5, "a bytevector holds integers from 0 to 255 only"),
        ("#u8 (1)", 1, 1, "`#u8` starts nothing that is known"),
        ("#foo", 1, 1, "`#foo` starts nothing that is known"),
        ("#", 1, 1, "`#` starts nothing that is known"),
        ("#xyz", 1, 1, "`#xyz` starts nothing that is known"),
        ("#b12", 1, 1, "`#b12` starts nothing that is known"),
        ("#e#e1", 1, 1, "`#e#e1` starts nothing that is known"),
        (r"#\foo", 1, 1, r"unknown character `#\foo`"),
        (r"#\xD800", 1, 1, r"unknown character `#\xD800`"),
        (r"#\x110000", 1, 1, r"unknown character `#\x110000`"),
        (r"#\SPACE", 1, 1, r"unknown character `#\SPACE`"),
        (r'"ab\q"', 1, 4, r"unknown escape `\q`"),
        (r'"\xD800;"', 1, 2, r"`\xD800;` is no Unicode scalar value"),
        (r'"\x41"', 1, 2, r"`\x` needs hexadecimal digits and a `;`, as in `\x41;`"),
        (r"|\q|", 1, 2, r"unknown escape `\q`"),
        ("|a\\\n b|", 1, 3, "unknown escape `\\\n`"),
        ("1.2.3", 1, 1, "`1.2.3` is no number"),
        ("1" * 60 + "x", 1, 1, f"`{'1' * 50}...` is no number"),
        ("(a 12ab)", 1, 4, "`12ab` is no number"),
        ("9223372036854775808", 1, 1, "integer out of range: integers lie in [-2^63, 2^63)"),
        ("-9223372036854775809", 1, 1, "integer out of range: integers lie in [-2^63, 2^63)"),
        ("9" * 100_000, 1, 1, "integer out of range: integers lie in [-2^63, 2^63)"),
        ("#e1e99999999999", 1, 1, "integer out of range: integers lie in [-2^63, 2^63)"),
        ("#x1" + "0" * 16, 1, 1, "integer out of range: integers lie in [-2^63, 2^63)"),
        ("a'b", 1, 2, "`'` cannot be part of a symbol"),
        ("a,b", 1, 2, "`,` cannot be part of a symbol"),
        (r"a\b", 1, 2, r"`\` cannot be part of a symbol"),
        ("“a”", 1, 1, "`“` cannot be part of a symbol"),
        ("a\u200bb", 1, 2, "`U+200B` cannot be part of a symbol"),
        ("a\x00", 1, 2, "`U+0000` cannot be part of a symbol"),
        ('"a\ud800"', 1, 3, "a lone surrogate is no character"),
    ],
)
def test_errors(text: str, line: int, column: int, message: str) -> None:
    error = refused(text)
    assert error.span is not None
    assert (error.span.line, error.span.column) == (line, column)
    assert error.message == message
    assert not isinstance(error, LimitationError)
    assert error.render().startswith(f"f.scm:{line}:{column}: error: {message}")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("1/2", 1, "`1/2`: there are no rational or complex numbers"),
        ("-1/2", 1, "`-1/2`: there are no rational or complex numbers"),
        ("(1+2i)", 2, "`1+2i`: there are no rational or complex numbers"),
        ("-i", 1, "`-i`: there are no rational or complex numbers"),
        ("1@2", 1, "`1@2`: there are no rational or complex numbers"),
        ("+inf.0-nan.0i", 1, "`+inf.0-nan.0i`: there are no rational or complex numbers"),
        ("#e0.5", 1, "`#e0.5`: there are no rational or complex numbers"),
        ("#xA/B", 1, "`#xA/B`: there are no rational or complex numbers"),
        ("#d#e.5", 1, "`#d#e.5`: there are no rational or complex numbers"),
        ("#e1/3", 1, "`#e1/3`: there are no rational or complex numbers"),
        ("#b1/101", 1, "`#b1/101`: there are no rational or complex numbers"),
        ("#i1/0", 1, "`#i1/0`: there are no rational or complex numbers"),
        ("#!eof", 1, "unknown directive `#!eof`"),
    ],
)
def test_limitations(text: str, column: int, message: str) -> None:
    error = refused(text)
    assert isinstance(error, LimitationError)
    assert error.span is not None
    assert (error.span.line, error.span.column) == (1, column)
    assert error.message == message


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "(define (f x)\n  (+ x 1)\n\n; about g\n(define (g) 1)\n",
            "by the indentation, the `)` is missing before line 5",
        ),
        ("(define (f x)\n  (+ x 1)", "a `)` is missing before the end"),
        ("  (a\n     b\n  c", "by the indentation, the `)` is missing before line 3"),
        ("[a]", "write `(` and `)`"),
        (r"#\Space", r"names of characters are in lower case: `#\space`"),
        ("“a”", 'strings are written with straight quotation marks, "like this"'),
        ("#x", "`#x` starts a number, but no number follows"),
        ("1x", "the symbol of that name is written `|1x|`"),
    ],
)
def test_hints(text: str, hint: str) -> None:
    assert refused(text).hint == hint


def test_other_unclosed_openers_are_named() -> None:
    error = refused("(a\n  (b\n    (c")
    assert str(error.span) == "f.scm:3:5"
    assert [(note.message, str(note.span)) for note in error.notes] == [
        ("this and 1 more inside it are unclosed too", "f.scm:1:1")
    ]


def test_one_datum_is_asked_for() -> None:
    with pytest.raises(CogenError) as none:
        read_datum("  ; nothing")
    assert str(none.value.span) == "<datum>:1:1"
    assert none.value.message == "a datum was expected, but there is none"
    with pytest.raises(CogenError) as two:
        read_datum("a b", "argument")
    assert str(two.value.span) == "argument:1:3"
    assert two.value.message == "one datum was expected, but another follows"


@pytest.mark.parametrize(("opener", "closer"), [("(", ")"), ("#(", ")"), ("'", ""), ("#;", "")])
def test_nesting_has_a_limit(opener: str, closer: str) -> None:
    deep = opener * MAX_DEPTH + ("" if opener == "'" else " ") + "a" + closer * MAX_DEPTH
    if opener != "#;":
        assert len(read(Source("x", deep))) == 1
    error = refused(opener + deep)
    assert isinstance(error, LimitationError)
    assert error.span is not None
    assert error.span.column == 1 + MAX_DEPTH * len(opener)
    assert error.message == "nesting deeper than 100,000 levels"


def test_long_input_is_read() -> None:
    (form,) = read(Source("x", "(" + "a " * 200_000 + ")"))
    assert len(form.value.items) == 200_000
    assert refused('"' + "\\" * 100_001).message == "unterminated string"
    assert refused("1" * 200_000 + "x").message.endswith("is no number")
    assert refused("1." * 200_000).message.endswith("is no number")
    assert refused("#|" * 100_000).message == "unterminated comment"


@given(st.text(alphabet="()'`,@#\\|;\" \nax01.+-eut8!=", max_size=40))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    try:
        spans = [form.span for form in read(Source("x", text))]
    except CogenError as error:
        spans = [error.span] if error.span else []
        assert spans, "an error without a place"
    assert all(0 <= span.start < span.end <= len(text) for span in spans)


@given(data)
def test_the_span_of_a_datum_reads_as_the_datum(datum: Datum) -> None:
    text = write_datum(datum)
    (form,) = read(Source("x", f" {text} "))
    assert excerpt(form) == text


@given(st.text(max_size=6))
def test_plain_symbols_are_what_the_reader_takes_for_symbols(name: str) -> None:
    try:
        forms = read(Source("x", name))
    except CogenError:
        forms = []
    value = forms[0].value if len(forms) == 1 and excerpt(forms[0]) == name else None
    plain = isinstance(value, Symbol) and value.name == name
    assert plain or not is_plain_symbol(name)


def test_numbers_in_other_radixes_for_string_to_number() -> None:
    assert parse_number("ff", 16) == 255
    assert parse_number("#d12", 16) == 12
    assert parse_number("12", 2) is None
    assert parse_number("1.5", 16) is None
    assert parse_number("abc") is None
    assert parse_number("") is None
    assert parse_number("#e+inf.0") is None
    assert parse_number("²") is None


def test_pairs_are_fresh() -> None:
    first, second = read_datum("(a)"), read_datum("(a)")
    assert isinstance(first, Pair)
    assert first is not second
    assert first.cdr is NIL


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("#0#", 1, "`#0#` refers to no datum"),
        ("(a #12#)", 4, "`#12#` refers to no datum"),
        ("(#1# #1=a)", 2, "`#1#` refers to no datum"),
        ("(#;#0=b #0#)", 9, "`#0#` refers to no datum"),
        ("(#0=a #00=b)", 7, "`#0=` labels two data"),
        ("#0=#0#", 1, "`#0=` labels itself"),
        ("(a #0=#1=#0#)", 4, "`#0=` labels itself"),
        ("(a #0=)", 4, "no datum after `#0=`"),
        ("#u8(#0=1 #0#)", 5, "a bytevector holds integers from 0 to 255 only"),
        ("#1234567890123456789=a", 1, "`#1234567890123456789=a` starts nothing that is known"),
    ],
)
def test_wrong_labels(text: str, column: int, message: str) -> None:
    error = refused(text)
    assert error.span is not None
    assert (error.span.column, error.message) == (column, message)


def test_labels_end_with_the_outermost_datum() -> None:
    first, second = read(Source("test", "(#0=a #0#) (#0=b #0#)"))
    assert [write_datum(to_datum(form)) for form in (first, second)] == ["(a a)", "(b b)"]


def test_what_is_labelled_is_one_object() -> None:
    datum = read_datum("(#0=(a) #(#0#))")
    assert datum.car is datum.cdr.car[0]


def test_deep_and_long_data_with_labels() -> None:
    deep = read_datum("(" * 50_000 + "#0=#(#0#)" + ")" * 50_000)
    for _ in range(50_000):
        deep = deep.car
    assert deep[0] is deep
    long = read_datum(f"#0=({'a ' * 200_000}. #0#)")
    for _ in range(199_999):
        long = long.cdr
    assert long.cdr.car is symbol("a")
