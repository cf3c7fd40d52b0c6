"""Strings in staged functions: what only a run knows of them is what Python's strings say."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen


def told(s: str) -> Any:
    return [
        (c.isalpha(), c.isdigit(), c.isdecimal(), c.isnumeric(), c.isspace(), c.isupper(),
         c.islower(), c.isalnum(), c.isprintable(), c.isascii())
        for c in s
    ]  # fmt: skip


def whole(s: str) -> Any:
    return (
        s.isalpha(), s.isdigit(), s.isspace(), s.isupper(), s.islower(), s.isalnum(),
        s.isprintable(), s.isascii(), len(s), s[::-1], s[1:-1], s.strip(), s.lstrip(),
        s.rstrip("a "),
    )  # fmt: skip


def cases(s: str) -> Any:
    return s.upper(), s.lower(), s.swapcase(), [c.upper() for c in s], "".join(c.lower() for c in s)


def parts(s: str, t: str) -> Any:
    return (
        t in s, s.find(t), s.rfind(t), s.count(t), s.startswith(t), s.endswith(t), s.find(t, 1),
        s.replace("ab", "x"), s.replace("b", "yz"), s.replace("a", "c"), s.startswith(("b", t)),
        "a" in s, s + t, t * 3, s == t, s != t, s < t, s <= t, s > t, s >= t, s == "ab", s > "ab",
        max(s, t), "-".join(s), "".join(reversed(s)), bool(t), s or "none",
    )  # fmt: skip


def numbers(n: int) -> Any:
    return str(n), int(str(n)), str(n)[::-1], sum(int(c) for c in str(abs(n))), str(n > 3)


def caesar(s: str, k: int) -> str:
    out = ""
    for c in s:
        if "a" <= c <= "z":
            out += chr((ord(c) - ord("a") + k) % 26 + ord("a"))
        elif c.isupper():
            out = out + chr((ord(c) - 65 + k) % 26 + 65)
        else:
            out += c
    return out


def run_lengths(s: str) -> str:
    out, i = "", 0
    while i < len(s):
        j = i
        while j < len(s) and s[j] == s[i]:
            j += 1
        out += s[i] + str(j - i)
        i = j
    return out


def tokens(s: str) -> Any:
    kinds, state = [], "start"
    for c in s:
        before = state
        state = "number" if c.isdigit() else "word" if c.isalpha() else "space"
        if state != before and state != "space":
            kinds.append(c)
    return kinds, state


def counted(s: str) -> Any:
    seen = {"a": 100}
    for c in s:
        seen[c] = seen.get(c, 0) + 1
    return seen, Counter(s).most_common(2), {c for c in s if c != "b"}, sorted(s), list(s)


def looked_up(s: str) -> Any:
    values = {"I": 1, "V": 5, "X": 10}
    alphabet = "IVXLC"
    total = 0
    for c in s:
        if c in values and c in alphabet:
            total = total * 7 + values[c] + alphabet.index(c)
    return total, ["LXIV"[len(s) % 4], "XY"[0]]


def balanced(s: str) -> bool:
    stack, pairs = [], {")": "(", "]": "["}
    for c in s:
        if c in "([":
            stack.append(c)
        elif c in pairs and (not stack or stack.pop() != pairs[c]):
            return False
    return not stack


def fizz(n: int) -> str:
    return "fizz" if n % 3 == 0 else "b" if n % 5 == 0 else str(n)


def mixed(s: str, x: int) -> Any:
    first = s[0] if x > 0 else "none"
    last = "z" if x > 1 else s[-1]
    second = s[1:2] if x > 2 else s[0]
    return first, last, second, s == x, s[0] == 97, isinstance(s[0], str), sum(map(ord, s))


ASCII = st.text(st.sampled_from("abAB 1\t_"), max_size=8)


def staged(function: Any, *arguments: Any) -> Any:
    """What a staged function gives without a compiler."""
    return cogen.stage(function).program(*arguments).run(*copy.deepcopy(arguments))


@given(ASCII)
def test_what_is_told_of_characters(s: str) -> None:
    assert TOLD.program(s).run(s) == (told(s), whole(s), cases(s))


TOLD = cogen.stage(lambda s: (told(s), whole(s), cases(s)))


def test_characters_beyond_ascii() -> None:
    s = "Größe é ßⅧ ǅ x9²½\u3000\U0001f600ab"
    assert staged(lambda s: (told(s), whole(s), s, s[4], s + "é"), s) == (
        told(s), whole(s), s, s[4], s + "é",
    )  # fmt: skip
    assert staged(lambda n: chr(n).isalpha(), 0xE9)
    with pytest.raises(cogen.CogenError, match=r"upper\(\) of a character that is not in ASCII"):
        staged(lambda s: s.upper(), "aé")


PARTS = cogen.stage(parts)


@given(st.text("ab", max_size=6), st.text("ab", max_size=3))
def test_parts_of_strings(s: str, t: str) -> None:
    assert PARTS.program(s, t).run(s, t) == parts(s, t)


NUMBERS = cogen.stage(numbers)


@pytest.mark.parametrize("n", [0, 7, -12, 907, 2**63 - 1, -(2**63) + 1])
def test_numbers_as_text(n: int) -> None:
    assert NUMBERS.program(n).run(n) == numbers(n)


@pytest.mark.parametrize(("text", "value"), [(" -42\n", -42), ("+7", 7), (str(-(2**63)), -(2**63))])
def test_texts_as_numbers(text: str, value: int) -> None:
    assert staged(lambda s: int(s), text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "no number"), ("1a", "no number"), ("-", "no number"), (str(2**63), "beyond 64 bits")],
)
def test_texts_that_are_no_numbers(text: str, why: str) -> None:
    with pytest.raises(cogen.CogenError, match=why):
        staged(lambda s: int(s), text)
    with pytest.raises(cogen.CogenError, match="a character that is no digit"):
        staged(lambda s: int(s[0]), "x")


PROGRAMS = [
    (caesar, [("Hello, World", 3), ("", 1), ("xyz", 5)]),
    (run_lengths, [("aaabccd",), ("",), ("z",)]),
    (tokens, [("ab 12x  7",), ("",), (" ",)]),
    (counted, [("abcabca",), ("",)]),
    (looked_up, [("XIVIXA",), ("",)]),
    (balanced, [("([])[]",), ("([)]",), ("(",), ("",)]),
    (fizz, [(9,), (10,), (7,), (1234,)]),
    (mixed, [("abc", 0), ("abc", 1), ("abc", 2), ("abc", 3)]),
]


@pytest.mark.parametrize(("function", "every"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_programs(function: Any, every: list[Any]) -> None:
    made = cogen.stage(function)
    for arguments in every:
        assert made.program(*arguments).run(*arguments) == function(*arguments)


def test_compiled() -> None:
    made = cogen.stage(lambda s, k: (caesar(s, k), run_lengths(s), tokens(s), s.upper(), s[0]))
    for s in ("Hello aab 12", "x"):
        expected = caesar(s, 2), run_lengths(s), tokens(s), s.upper(), s[0]
        assert made(s, 2) == expected
    assert made.program("a", 1).compile()("a", 1) == ("b", "a1", (["a"], "word"), "A", "a")


def test_strings_that_grow_do_not_copy_all_in_each_round() -> None:
    """The array has room: as for lists, what is made is a loop that stores into it."""

    @cogen.stage
    def doubled(s: str) -> str:
        out = ""
        for c in s:
            out += c
            if c == "a":
                out += "bc"
        return out

    assert doubled.program("aba").run("aba") == "abcbabc"
    text = doubled.program("aba").text
    assert text.count("concat") == 3  # of room: for the first character, and for either of "bc"


def test_characters_of_elements() -> None:
    assert staged(lambda s: cogen.map(lambda c: c.isupper(), s).sum(), "aBC") == 2
    assert staged(lambda s: cogen.map(lambda c: c.upper(), s), "aBc") == "ABC"
    assert staged(lambda s: cogen.filter(lambda c: c != "B", s), "aBc") == "ac"
    names = np.array(["ab", "", "A"])
    assert staged(lambda a: cogen.map(lambda s: s.islower(), a), names).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("function", "arguments", "why"),
    [
        (lambda s: s.split(), ("a b",), "`split` of a string that only a run knows"),
        (lambda s: s.title(), ("a",), "staged strings have no `title`"),
        (lambda s: s + 1, ("a",), r"unsupported operand type\(s\) for \+: a staged string"),
        (lambda x: x.isdigit(), (3,), "a staged number has no `isdigit`"),
        (lambda x: "a" + x, (3,), 'not "?a staged number'),
        (lambda s: [s, s + "a"][len(s)], ("a",), "a string is an element of what"),
        (lambda s: float(s), ("1",), "string is no number"),
        (lambda x: str(x * 0.5), (3,), "the text of a float"),
        (lambda x: {"word": 1, "b": 2}[x], ("b",), "cannot be a key of a dictionary"),
    ],
)
def test_what_strings_do_not_do(function: Any, arguments: Any, why: str) -> None:
    with pytest.raises(cogen.CogenError, match=why) as told_of:
        staged(function, *arguments)
    assert told_of.value.span is not None
    assert told_of.value.span.source.name == __file__


def test_other_exceptions_are_the_programs_own() -> None:
    def fails(x: int) -> int:
        raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        cogen.stage(fails)(1)
