"""Loops that look up in a part of a buffer, with and without checks:
`cogen.backends.kernel.loop_versions`."""

from __future__ import annotations

import random

import pytest

import cogen
from cogen.backends.kernel.c import emit
from cogen.residual import ResidualProgram
from tests.cogen.native import agree

COUNT = """
(define (f in n bins at)
  (let go ((i 0))
    (if (< i n)
        (let* ((w (load-word in i)) (k (+ at (bitwise-and w 7))))
          (store-word! bins k (+ (load-word bins k) 1))
          (go (+ i 1)))
        at)))
"""

SEARCH = """
(define (f in n table at)
  (let go ((i 0) (sum 0))
    (cond ((= i n) sum)
          ((= (load-word table (- at (bitwise-and (load-word in i) 7))) 99) (- -1 i))
          (else (go (+ i 1) (+ sum (load-word table (+ at 2 (bitwise-and i 3)))))))))
"""


def specialized(text: str, word_size: int = 32) -> ResidualProgram:
    memory, number = cogen.dynamic("memory"), cogen.dynamic("int")
    types = (memory, number, memory, number)
    return cogen.specialize(cogen.loads(text), "f", *types, word_size=word_size).program


def words(numbers: list[int], word_size: int) -> bytes:
    return b"".join(n.to_bytes(word_size // 8, "little") for n in numbers)


def checked_accesses(text: str) -> list[int]:
    """How many checks of an index each version of the loop has."""
    first, _, second = text[text.index("if (at >=") :].partition("goto")
    return [part.count("(uint64_t)table_words") for part in (first, second)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("word_size", [8, 32, 64])
@pytest.mark.parametrize("text", [COUNT, SEARCH])
def test_versions_agree_with_the_program(text: str, word_size: int):
    """Where all of the part is there, where some of it is not, and where that is not looked up."""
    program = specialized(text, word_size)
    rng = random.Random(word_size)
    runs = []
    for at in (-9, -8, -7, -3, -1, 0, 1, 3, 7, 8, 12, 1 << 62, -(1 << 62)):
        for most in (0, 3, 7):
            given = [rng.randrange(most + 1) for _ in range(rng.choice([0, 1, 5]))]
            bins = [rng.choice([5, 6, 99]) for _ in range(rng.choice([0, 8, 12, 15]))]
            table = bytearray(words(bins, word_size))
            arguments = [words(given, word_size), len(given), table, at]
            runs.append(arguments)
    agree(program, *runs)


def test_the_first_version_checks_no_index():
    text = emit(specialized(SEARCH)).text
    assert checked_accesses(text) == [0, 2]
    assert "if (at >= 7)" in text
    assert "if (at <= table_words - 6)" in text


@pytest.mark.parametrize(
    "text",
    [
        COUNT.replace("(bitwise-and w 7)", "w"),  # any word
        COUNT.replace("(+ at (bitwise-and w 7))", "(bitwise-and w 7)"),  # no start
        COUNT.replace("(+ at (bitwise-and w 7))", "(+ at i (bitwise-and w 7))"),  # it moves
        COUNT.replace("(bitwise-and w 7)", "(bitwise-and w 1048575)"),  # too large a part
    ],
)
def test_loops_without_such_a_part_are_there_once(text: str):
    made = emit(specialized(text)).text
    assert made.count("for (") + made.count("while (") == 1
