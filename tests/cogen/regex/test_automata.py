"""Automata: their sizes, and what the matcher's C looks like."""

from __future__ import annotations

import pytest

import cogen.regex
from cogen.regex import naive
from cogen.regex.automaton import determinise
from cogen.regex.machine import filters, windows
from cogen.regex.parse import parse


@pytest.mark.parametrize(
    ("pattern", "states"),
    [(b"(a|b)*abb", 5), (b"(a|a)*b", 3), (b"(a*)*b", 3), (b"a{3}", 5), (b".*", 2), (b"", 2),
     (b"(a|b)*a(a|b){7}", 257), (b"((a|aa)*)*$", 3)],
)  # fmt: skip
def test_states(pattern: bytes, states: int) -> None:
    """The least number, whatever the expression looks like."""
    assert determinise(parse(pattern), "whole").states <= states


def test_windows_are_where_matches_have_rare_bytes() -> None:
    dates = windows(determinise(parse(rb"\d{4}-\d\d-\d\d"), "whole"))
    assert {offset for offset, _ in dates} >= {4, 7}
    assert windows(determinise(parse(rb"[a-z]*x?"), "whole")) == []


def test_filters_are_of_states_that_stay() -> None:
    automaton = determinise(parse(rb"[^\n]*\n"), "whole")
    assert next((one.stays, one.windows) for one in filters(automaton)) == (
        False,
        [(0, [(10, 10)])],
    )


def test_no_byte_is_checked() -> None:
    """In the loops over the text no index is tested; a block is looked at in one loop of bytes."""
    text = cogen.regex.compile(rb"(?:a|b)*abb").residual("fullmatch").c
    assert "uint8_t worst" in text
    assert text.count("cogen_fail(error") == 1  # of the text that does not lie in the buffer
    steps = [line for line in text.splitlines() if "buf[" in line]
    assert len(steps) > 16


def test_the_naive_matcher_becomes_the_same_automaton() -> None:
    residual = naive.residual(rb"(a|b)*abb")
    run = residual.to_python()
    for text in (b"", b"abb", b"aababb", b"abba", b"xabb"):
        assert run(text, 0, len(text)) == (text.endswith(b"abb") and set(text) <= set(b"ab"))
    assert "vector-ref" not in residual.scheme
    assert residual.scheme.count("(load-word buf i") <= 8  # one for each state, some unrolled
