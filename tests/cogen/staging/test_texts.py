"""Arrays of strings of any lengths as arguments of staged functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen


def vowels(s: Any) -> int:
    n = 0
    for c in s:
        if c == "a" or c == "e":
            n = n + 1
    return n


def hashed(s: Any) -> int:
    h = 7
    for c in s:
        h = (31 * h + (c if not isinstance(c, str) else ord(c))) % 997
    return h


@cogen.stage
def of_each(names: Any) -> Any:
    return cogen.map(len, names), cogen.map(vowels, names), cogen.map(hashed, names)


TEXTS = st.lists(st.text(st.sampled_from("abe xé\U0001f600"), max_size=6), max_size=6)


@given(TEXTS)
def test_strings_of_any_lengths(texts: list[str]) -> None:
    """Each is what it is in Python, whether the characters are of 8 bits or of more."""
    names = np.array(texts, dtype="<U8")
    texts = [str(text) for text in names]
    lengths, counts, hashes = of_each.program(names).run(names)
    assert list(lengths) == [len(text) for text in texts]
    assert list(counts) == [vowels(text) for text in texts]
    assert list(hashes) == [hashed([ord(c) for c in text]) for text in texts]


def test_compiled_they_are_read_where_they_lie() -> None:
    names = np.array(["apple", "", "bee", "pear"])
    lengths, counts, _ = of_each(names)
    assert list(lengths) == [5, 0, 3, 4]
    assert list(counts) == [2, 0, 2, 2]
    assert of_each.report(names)["arrays"] == 0
    assert list(of_each(np.array([b"ab", b"", b"e"]))[0]) == [2, 0, 1]
    assert [list(part) for part in of_each(names[:0])] == [[], [], []]
    assert [list(part) for part in of_each(names[:1])] == [[5], [2], [hashed(b"apple")]]


def test_strings_of_arrow() -> None:
    pa = pytest.importorskip("pyarrow", reason="Arrow is an extra")
    texts = pa.array(["apple", "", "bee", "pear"])
    assert list(of_each(texts)[0]) == [5, 0, 3, 4]
    assert list(of_each(texts[1:3])[1]) == [0, 2]
    assert list(of_each(pa.chunked_array([["a"], ["bcé"]]))[0]) == [1, 3]
    assert list(of_each(texts.cast("large_string"))[0]) == [5, 0, 3, 4]
    with pytest.raises(cogen.CogenError, match="has strings that are null"):
        of_each(pa.array(["a", None]))


def test_one_string_of_them() -> None:
    @cogen.stage
    def one(names: Any, k: int) -> Any:
        s = names[k]
        return len(names), len(s), s

    assert one(np.array(["apple", "bee"]), 1) == (2, 3, "bee")


def test_strings_in_records_and_results_are_refused() -> None:
    with pytest.raises(cogen.CogenError, match=r"`names`\['s'\] has strings, which records"):
        of_each(np.array([("ab", 1)], dtype=[("s", "U4"), ("n", "i8")]))
    with pytest.raises(cogen.CogenError, match="groups are no result"):
        cogen.stage(lambda names: names)(np.array(["a", "bc"]))


@cogen.stage
def as_number(s: Any) -> Any:
    number = 0
    for c in s:
        number = 10 * number + int(c)
    return number


@cogen.stage
def as_reals(names: Any) -> Any:
    return cogen.map(lambda name: float(name[0]), names)


def test_an_int_of_a_character_is_its_digit() -> None:
    assert as_number.program("52").run("52") == 52
    with pytest.raises(cogen.CogenError, match="string is no number"):
        as_reals(np.array(["52", "7"]))


def test_an_int_of_a_number_beside_no_strings_is_one() -> None:
    assert as_number([5, 2]) == 52
    assert as_number(np.array([5.5, 2.5])) == 52
