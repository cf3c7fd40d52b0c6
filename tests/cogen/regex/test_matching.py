"""Matches are those of Python's `re`: on random pairs, of the matcher as it is and specialized."""

from __future__ import annotations

import mmap
import re
import struct
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import cogen
import cogen.regex
from cogen.regex.pattern import PROGRAM, Pattern
from tests.cogen.regex import patterns

CHOSEN = (
    rb"(a|b)*abb",
    rb".*aab",
    rb"[a-z]+@[a-z]+\.(com|org)",
    rb"\d{4}-\d\d-\d\d",
    rb"(?m)^\w+\b.*$",
    rb"a*?b|\Z",
    rb"\B|$",
)


@cache
def unspecialized(entry: str, parameters: int) -> Any:
    """An entry of the matcher, of which nothing is known, in Python."""
    unknown = [cogen.dynamic("any")] * parameters
    program = cogen.load(PROGRAM)
    return cogen.specialize(program, entry, *unknown, word_size=8).to_python()


def spans(search: Any, known: tuple[Any, ...], text: bytes, pos: int) -> list[tuple[int, int]]:
    out = bytearray(16 * (2 * len(text) + 3))
    found = search(*known, text, 0, pos, len(text), False, out)
    return [struct.unpack_from("<qq", out, 16 * k) for k in range(found)]


def unspecialized_spans(pattern: Pattern, text: bytes, pos: int) -> list[tuple[int, int]]:
    return spans(unspecialized("find-all", 9), pattern._searching, text, pos)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(4))
def test_random_pairs_without_specialization(seed: int) -> None:
    random = Random(seed)
    for _ in range(8):
        expression = patterns.compiled(random)
        pattern = cogen.regex.compile(expression.pattern)
        for _ in range(4):
            text = patterns.text(random, expression)
            pos = random.choice((0, 0, random.randrange(len(text) + 1)))
            whole = unspecialized("full-match", 4)(pattern._deciding, text, 0, len(text))
            assert whole == bool(expression.fullmatch(text)), (expression, text)
            expected = [match.span() for match in expression.finditer(text, pos)]
            assert unspecialized_spans(pattern, text, pos) == expected, (expression, text, pos)


TEXTS = (
    b"", b"b", b"ab", b"aaab", b"abbabb", b"x ababb\n", b"me@example.org, you@a.com\n\n",
    b"on 2026-11-23 or 2026-11-24.", b"a" * 700 + b"bb" + b"-" * 30 + b"abb" + b"\n" * 3,
    b"word" * 40 + b" " * 600 + b"a@" + b"z" * 90 + b".com" + b"12-" * 700,
)  # fmt: skip


def check(pattern: Pattern, expression: re.Pattern[bytes], text: bytes) -> None:
    """All operations on a text."""
    expected = [match.span() for match in expression.finditer(text)]
    assert list(map(tuple, pattern.spans(text).tolist())) == expected, text
    assert list(pattern.finditer(text)) == expected
    assert pattern.findall(text) == [text[start:end] for start, end in expected]
    assert pattern.count(text) == len(expected)
    assert pattern.contains(text) == bool(expected)
    assert pattern.fullmatch(text) == bool(expression.fullmatch(text)), text
    for pos in (0, 1, len(text)):
        match = expression.search(text, pos)
        assert pattern.search(text, pos) == (match and match.span()), (text, pos)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("chosen", CHOSEN[:2])
def test_native_code(chosen: bytes) -> None:
    pattern, expression = cogen.regex.compile(chosen), re.compile(chosen)
    for text in TEXTS:
        check(pattern, expression, text)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("chosen", CHOSEN[4:])
def test_residual_python(chosen: bytes) -> None:
    pattern, expression = cogen.regex.compile(chosen), re.compile(chosen)
    find = pattern.residual("spans").to_python()
    for text in TEXTS:
        expected = [match.span() for match in expression.finditer(text)]
        assert spans(find, (), text, 0) == expected
    whole = pattern.residual("fullmatch").to_python()
    assert [whole(text, 0, len(text)) for text in TEXTS] == [
        bool(expression.fullmatch(text)) for text in TEXTS
    ]


def test_random_pairs_in_native_code(request: pytest.FixtureRequest) -> None:
    """100,000 pairs with --long."""
    number, each = (400, 250) if request.config.getoption("--long") else (1, 60)
    random = Random(2026)
    for _ in range(number):
        expression = patterns.compiled(random)
        pattern = cogen.regex.compile(expression.pattern)
        for _ in range(each):
            text = patterns.text(random, expression)
            expected = [match.span() for match in expression.finditer(text)]
            assert list(pattern.finditer(text)) == expected, (expression, text)
            assert pattern.fullmatch(text) == bool(expression.fullmatch(text)), (expression, text)


def test_nothing_is_exponential() -> None:
    pattern = cogen.regex.compile(rb"(a|a)*b")
    assert not pattern.fullmatch(b"a" * 100_000)
    assert pattern.fullmatch(b"a" * 100_000 + b"b")


def test_flags_and_characters() -> None:
    assert cogen.regex.compile("straße|[à-ü]+", re.IGNORECASE).fullmatch("STRAßE".encode())
    dot = cogen.regex.compile(".\\W")
    assert dot.findall("aé€b\U0001f600".encode()) == ["aé".encode(), "b\U0001f600".encode()]


def test_buffers(tmp_path: Path) -> None:
    pattern = cogen.regex.compile(rb"b+")
    file = tmp_path / "text"
    file.write_bytes(b"aabbab")
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as map_:
        assert pattern.spans(map_).tolist() == [[2, 4], [5, 6]]
    assert pattern.search(bytearray(b"ab")) == (1, 2)
    assert pattern.count(memoryview(b"xbxb")) == 2
    with pytest.raises(cogen.CogenError, match=r"bytes, not a str.*\n.*encode"):
        pattern.count("b")
    with pytest.raises(cogen.CogenError, match="must be a buffer, not an int"):
        pattern.fullmatch(7)


def test_strings_of_arrow() -> None:
    arrow = pytest.importorskip("pyarrow", reason="strings are pyarrow's")
    texts = ["abb", None, "b", "xabbyabb", ""]
    pattern = cogen.regex.compile("a?bb")
    for strings in (
        arrow.array(texts),
        arrow.array(["cut", *texts], arrow.large_string()).slice(1),
        arrow.chunked_array([texts[:2], texts[2:]]),
    ):
        assert pattern.fullmatch_each(strings).tolist() == [True, False, False, False, False]
        assert pattern.contains_each(strings).tolist() == [True, False, False, True, False]
        assert pattern.count_each(strings).tolist() == [1, 0, 0, 2, 0]
    with pytest.raises(cogen.CogenError, match="not int64"):
        pattern.count_each(arrow.array([1]))
