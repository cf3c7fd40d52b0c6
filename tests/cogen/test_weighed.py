"""Sums of products of 16-bit samples, two products at a time: `cogen.backends.kernel.weighed`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen.specialized import Residual

PAIRS = "pmaddwd"


def specialized(text: str, *known: Any) -> Residual:
    """A procedure `f` of two buffers of words and the number of words that are stored."""
    types = (cogen.dynamic("memory"), cogen.dynamic("memory"), cogen.dynamic("int"))
    return cogen.specialize(cogen.loads(text), "f", *types, *known)


def loop(value: str) -> str:
    """A program whose loop stores a value of the words `a`, `b` and `c` from an index on."""
    return f"""
    (define (low w) (- (bitwise-xor (bitwise-and w 65535) 32768) 32768))
    (define (high w) (- (bitwise-xor (arithmetic-shift w -16) 32768) 32768))
    (define (f in out n)
      (let go ((i 0))
        (if (< i n)
            (let ((a (load-word in i)) (b (load-word in (+ i 1))) (c (load-word in (+ i 2))))
              (store-word! out i (bitwise-and {value} 4294967295))
              (go (+ i 1))))))
    """


def ran(residual: Residual, words: np.ndarray[Any, Any], count: int, compiled: bool) -> Any:
    """What it stores, with one word behind that must stay."""
    out = np.full(count + 1, 0xDEADBEEF, np.uint32)
    way = residual.compile() if compiled else residual.to_python()
    way(words, out, count)
    assert out[-1] == 0xDEADBEEF
    return out[:-1]


def samples(seed: int, count: int) -> np.ndarray[Any, Any]:
    """Words, of which many halves are the least and the greatest."""
    rng = np.random.default_rng(seed)
    halves = rng.integers(0, 1 << 16, 2 * count).astype(np.uint16)
    ends = np.array([0, 1, 0x7FFF, 0x8000, 0xFFFF], np.uint16)
    chosen = rng.integers(0, 2, 2 * count).astype(bool)
    halves[chosen] = rng.choice(ends, chosen.sum())
    return halves.view(np.uint32)


VALUES = [
    "(+ (* 3 (low a)) (* -20 (high a)) (* 77 (low b)))",
    "(+ (* 32767 (low a)) (* -32768 (high a)))",
    "(- (+ (low a) (high a)) (+ (low b) (high b)))",
    "(+ (* 5 (bitwise-and a 65535)) (* 7 (arithmetic-shift a -16)) -9)",
    "(arithmetic-shift (+ (* 3 (low a)) (* 5 (high a))) -3)",
    "(arithmetic-shift (+ (* 4 (bitwise-and a 65535)) (arithmetic-shift a -16)) -2)",
    "(max -32768 (min 32767 (arithmetic-shift (+ (* 300 (low a)) (* 5 (high c))"
    " (* -300 (low c))) -8)))",
    "(bitwise-ior (bitwise-and (arithmetic-shift (+ (low a) (high a)) -1) 65535)"
    " (arithmetic-shift (bitwise-and (arithmetic-shift (+ (high a) (low b)) -1) 65535) 16))",
    "(bitwise-xor (+ (low a) (high a)) (arithmetic-shift (- (low b) (high b)) 4))",
    "(* 2 (+ (low a) (high a) (* 3 (+ (low a) (high b)))))",
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("value", VALUES)
def test_sums_of_halves(value: str) -> None:
    residual = specialized(loop(value))
    assert PAIRS in residual.c
    for count in (0, 1, 7, 8, 16, 17, 100):
        words = samples(count, count + 2)
        python = ran(residual, words, count, compiled=False)
        assert ran(residual, words, count, compiled=True).tolist() == python.tolist()


NONE = [
    "(+ (* 3 (low a)) (low b))",  # no two halves of one word
    "(+ (* 40000 (low a)) (* 3 (high a)))",  # more than a half
    "(arithmetic-shift (+ (* 32000 (low a)) (* 32000 (high a)) (* 32000 (low b)) (high b)) -4)",
    # halves with a sign and without
    "(+ (* 5 (bitwise-and a 65535)) (low a) (* 3 (high b)) (* 2 (arithmetic-shift b -16)))",
    "(* (low a) (high a))",
    "(+ (low a) (high a) (quotient (high b) 3))",
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("value", NONE)
def test_what_is_left_to_the_loop(value: str) -> None:
    residual = specialized(loop(value))
    assert PAIRS not in residual.c
    words = samples(3, 42)
    python = ran(residual, words, 40, compiled=False)
    assert ran(residual, words, 40, compiled=True).tolist() == python.tolist()


OCTETS = """
(define (f in out n)
  (let go ((i 0))
    (if (< i n)
        (let* ((at (* {read} i))
               (a (load-word in at)) (b (load-word in (+ at 1))) (c (load-word in (+ at {last}))))
          (store-word! out i (bitwise-and {value} 255))
          (go (+ i 1))))))
"""

OF_OCTETS = [
    ("(arithmetic-shift (+ (* 77 a) (* 150 b) (* 29 c)) -8)", 3, 2),
    ("(arithmetic-shift (+ (* 77 a) (* 150 b) (* 29 c)) -8)", 4, 3),
    ("(arithmetic-shift (+ a (* 2 b) c 2) -2)", 2, 2),
    ("(arithmetic-shift (+ a (* 2 b) c 2) -2)", 2, 60),
    ("(+ (arithmetic-shift (- (* 66 a) (* 38 b) (* 74 c)) -8) 128)", 3, 2),
    ("(bitwise-xor (+ (* 3 a) (* -5 b)) (arithmetic-shift c 2))", 2, 1),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("value", "read", "last"), OF_OCTETS)
def test_sums_of_bytes(value: str, read: int, last: int) -> None:
    text = OCTETS.format(value=value, read=read, last=last)
    types = (cogen.dynamic("memory"), cogen.dynamic("memory"), cogen.dynamic("int"))
    residual = cogen.specialize(cogen.loads(text), "f", *types, word_size=8)
    assert "cogen_weighed_" in residual.c
    compiled, python = residual.compile(), residual.to_python()
    for count in (0, 1, 31, 32, 33, 100):
        size = max(read * (count - 1) + max(last, 1) + 1, 0)
        given = np.random.default_rng(count).choice(np.array([0, 1, 127, 128, 255]), size)
        stored = [np.full(count + 1, 77, np.uint8) for _ in range(2)]
        for way, out in zip((compiled, python), stored, strict=True):
            way(given.astype(np.uint8), out, count)
        assert stored[0].tolist() == stored[1].tolist()
        assert stored[0][-1] == 77


@pytest.mark.parametrize(
    ("value", "read", "last"),
    [
        ("(arithmetic-shift (+ (* 77 a) (* 150 b) (* 290 c)) -8)", 3, 2),  # more than 16 bits
        ("(arithmetic-shift (+ a b c) -2)", 4, 5),  # more than 128 bytes for 32 rounds
        ("(arithmetic-shift (+ a b c) -2)", 1, 2),
        ("(arithmetic-shift (* a b) -8)", 2, 1),
    ],
)
def test_bytes_that_are_left_to_the_loop(value: str, read: int, last: int) -> None:
    text = OCTETS.format(value=value, read=read, last=last)
    types = (cogen.dynamic("memory"), cogen.dynamic("memory"), cogen.dynamic("int"))
    residual = cogen.specialize(cogen.loads(text), "f", *types, word_size=8)
    assert "cogen_weighed_" not in residual.c


FILTER = """
(import (signals))
(define (f in out n taps shift signed?)
  (let ((in (packed-signal in 0 (* 16 (+ n n (length taps) -1)) 16))
        (out (packed-signal out 0 (* 32 n) 16)))
    (if signed?
        (signal-fir-valid! (signed-signal in) (signed-signal out) taps shift)
        (signal-fir-valid! in out taps shift))))
"""


@pytest.mark.slow
@settings(max_examples=max(3, settings().max_examples // 300))
@given(
    st.lists(st.integers(-300, 300), min_size=2, max_size=9),
    st.integers(0, 12),
    st.booleans(),
    st.integers(1, 70),
)
def test_filters(taps: list[int], shift: int, signed: bool, count: int) -> None:
    known = [cogen.static(taps), cogen.static(shift), cogen.static(signed)]
    residual = specialized(FILTER, *known)
    size = 2 * count + len(taps) - 1
    halves = samples(count, size // 2 + 1).view(np.uint16)
    x = (halves.view(np.int16) if signed else halves).astype(int)[:size]
    low, high = (-32768, 32767) if signed else (0, 65535)
    wanted = np.clip(np.convolve(x, taps, "valid") >> shift, low, high).astype(np.uint16)
    stored = ran(residual, halves.view(np.uint32), count, compiled=True)
    assert stored.view(np.uint16).tolist() == wanted.tolist()


def test_the_same_buffer_is_gone_through_one_by_one() -> None:
    """What is stored there may be what the next round loads."""
    text = loop("(+ (low a) (high a))").replace("(f in out n)", "(g in out n)")
    text += "(define (f m out n) (g m m n))"
    residual = specialized(text)
    assert PAIRS not in residual.c


def test_benchmark_is_of_pairs() -> None:
    program = cogen.load(Path(cogen.__file__).parent / "bench" / "programs.scm")
    memory, bits = cogen.dynamic("memory"), cogen.cyclic(32, 0)
    known = cogen.static(16)
    made = cogen.specialize(
        program, "smooth!", memory, bits, bits, known, memory, bits, bits, known
    )
    assert made.c.count("__builtin_ia32_pmaddwd256(") == 2 * 6  # for gcc and for Clang
