"""Patterns: what is accepted, and where an error is told."""

from __future__ import annotations

import re

import pytest

import cogen.regex
from cogen.lang.errors import CogenError
from cogen.regex.parse import parse
from cogen.regex.tree import Bytes, Choice, Repeat, Sequence, of_ranges


def letters(text: str) -> list[Bytes]:
    return [Bytes(1 << ord(letter)) for letter in text]


def test_trees() -> None:
    a, b = letters("ab")
    assert parse(b"ab|") == Choice((Sequence((a, b)), Sequence()))
    assert parse(b"(a+?)*") == Repeat(Repeat(a, 1, None, False), 0, None)
    assert parse(b"a{2}b{,3}") == Sequence((Repeat(a, 2, 2), Repeat(b, 0, 3)))
    assert parse(b"[^\\x00-`c-\\xff]") == Bytes(of_ranges((97, 98)))
    assert parse(b"(?x) a # first\n b") == Sequence((a, b))
    assert parse("é") == Sequence((Bytes(1 << 0xC3), Bytes(1 << 0xA9)))


@pytest.mark.parametrize("text", ["a{", "{", "a{,", "x{1", "[]a]", "[^]]", "a|*?"[:2], r"\07\x41"])
def test_braces_and_brackets_that_are_letters(text: str) -> None:
    assert parse(text.encode()) is not None
    assert re.compile(text)


@pytest.mark.parametrize(
    ("pattern", "problem", "column"),
    [
        ("a(b", "this `(` is not closed", 2),
        ("a)b", "closes nothing", 2),
        ("ab[c", "this `[` is not closed", 3),
        ("*a", "nothing to repeat", 1),
        ("a**", "a repetition cannot be repeated", 3),
        ("a{3,2}", "the least number of repetitions is greater", 1),
        ("[z-a]", "this range ends before it starts", 2),
        (r"(a)\1", "references to groups are not regular", 4),
        ("a(?=b)", "no group of regular expressions starts so", 2),
        (r"a\q", r"there is no escape \q", 2),
        ("a++", "possessive", 3),
        ("a{1001}", "repeated too often", 1),
    ],
)
def test_errors(pattern: str, problem: str, column: int) -> None:
    with pytest.raises(CogenError, match=re.escape(problem)) as caught:
        cogen.regex.compile(pattern)
    assert str(caught.value).startswith(f"<pattern>:1:{column}: ")


def test_other_errors() -> None:
    with pytest.raises(CogenError, match="no flag"):
        cogen.regex.compile("a", re.LOCALE)
    with pytest.raises(CogenError, match="a pattern is a str or bytes, not int"):
        cogen.regex.compile(7)  # type: ignore[arg-type]  # that is the point
    with pytest.raises(CogenError, match="over 10000 states"):
        cogen.regex.compile(b"(a|b)*a(a|b){14}").fullmatch(b"a")
