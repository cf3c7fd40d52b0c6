"""C's tables of characters say what Python says."""

from __future__ import annotations

import re
import unicodedata
from random import Random

import pytest

from cogen.backends.native.unicode import _CHANGES, _PROPERTIES, tables


@pytest.fixture(scope="module")
def ranges() -> list[list[tuple[int, int]]]:
    """What the tables say, read once."""
    return [
        [(int(first), int(last)) for first, last in re.findall(r"\{(\d+),\s*(\d+)\}", table)]
        for table in re.findall(r"const range property\d+\[\] = \{(.*?)\};", tables(), re.DOTALL)
    ]


def test_there_are_tables(ranges: list[list[tuple[int, int]]]) -> None:
    assert [bool(of_one) for of_one in ranges] == [True] * len(_PROPERTIES)


@pytest.mark.parametrize("number", range(len(_PROPERTIES)))
def test_properties(
    number: int, ranges: list[list[tuple[int, int]]], request: pytest.FixtureRequest
) -> None:
    """Of 4000 characters; of all with `--long`."""
    every = range(0x110000)
    some = every if request.config.getoption("--long") else Random(number).sample(every, 4000)
    for code in some:
        if not 0xD800 <= code < 0xE000:
            found = any(first <= code <= last for first, last in ranges[number])
            assert found == _PROPERTIES[number](chr(code)), hex(code)


def test_what_is_not_assigned_has_no_case() -> None:
    for code in Random(1).sample(range(0x110000), 20_000):
        if unicodedata.category(chr(code)) in ("Cn", "Co"):
            assert all(change(chr(code)) == chr(code) for change in _CHANGES)
