"""Sums of samples, a vector of them at a time: `cogen.backends.kernel.samplewise`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.specialized import Residual

VECTORS = "cogen_added_"
MEMORY = cogen.dynamic("memory")

DELTA = """
(import (signals))
(define (signal memory to size signed?)
  (let ((s (packed-signal memory 0 to size))) (if signed? (signed-signal s) s)))
(define (encode in out to size signed?)
  (delta-encode! (signal in to size signed?) (signal out to size signed?)))
(define (decode in out to size signed?)
  (delta-decode! (signal in to size signed?) (signal out to size signed?)))
"""

COUNTS = (0, 1, 2, 15, 16, 17, 63, 64, 65, 200)


def specialized(text: str, entry: str, word_size: int, *known: Any) -> Residual:
    """A procedure of two buffers of words, a number, which is an address of whole words if it is of
    signals, and what is known."""
    program = cogen.loads(text)
    number = cogen.cyclic(word_size, 0) if "signal" in text else cogen.dynamic("int")
    types = (MEMORY, MEMORY, number, *map(cogen.static, known))
    return cogen.specialize(program, entry, *types, word_size=word_size)


def agree(residual: Residual, words: Any, count: int, *, stored: int) -> Any:
    """What compiled code stores: as many words as it should, the same as Python does."""
    outs = [np.full(stored + 1, 77, words.dtype) for _ in range(2)]
    results = []
    for way, out in zip((residual.compile(), residual.to_python()), outs, strict=True):
        results.append(way(words, out, count))
    assert outs[0].tolist() == outs[1].tolist()
    assert results[0] == results[1]
    assert outs[0][-1] == 77
    return outs[0][:-1]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("size", "word_size", "signed"),
    [(16, 32, False), (16, 32, True), (8, 32, True), (16, 64, True), (32, 64, False)],
)
def test_differences_and_sums_of_samples(size: int, word_size: int, signed: bool):
    encode = specialized(DELTA, "encode", word_size, size, signed)
    decode = specialized(DELTA, "decode", word_size, size, signed)
    assert VECTORS in encode.c
    assert VECTORS in decode.c
    each = word_size // size
    rng = np.random.default_rng(size)
    for words in COUNTS:
        samples = rng.integers(0, 1 << size, words * each, np.uint64).astype(f"u{size // 8}")
        packed = samples.view(f"u{word_size // 8}")
        coded = agree(encode, packed, words * word_size, stored=words)
        first = np.zeros(1, samples.dtype)
        wanted = samples - np.concatenate([first, samples[:-1]])[: len(samples)]
        assert coded.view(samples.dtype).tolist() == wanted.tolist()
        again = agree(decode, coded, words * word_size, stored=words)
        assert again.view(samples.dtype).tolist() == samples.tolist()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("size", [8, 16])
def test_sums_of_words_that_are_samples(size: int):
    decode = specialized(DELTA, "decode", size, size, False)
    encode = specialized(DELTA, "encode", size, size, False)
    assert VECTORS in decode.c
    assert VECTORS not in encode.c  # compilers see such vectors
    for count in COUNTS:
        given = np.random.default_rng(count).integers(0, 1 << size, count, np.uint64)
        given = given.astype(f"u{size // 8}")
        sums = agree(decode, given, size * count, stored=count)
        assert sums.tolist() == np.cumsum(given, dtype=given.dtype).tolist()


LOOP = """
(define (low w) (bitwise-and w 65535))
(define (high w) (arithmetic-shift w -16))
(define (both a b)
  (bitwise-ior (bitwise-and a 65535) (arithmetic-shift (bitwise-and b 65535) 16)))
(define (f in out n)
  (let go ((i 0) (s 5))
    (if (< i n)
        (let ((a (load-word in i)) (b (load-word in (+ i 1))))
          (store-word! out i {value})
          (go (+ i 1) {state}))
        {end})))
"""

STENCILS = [
    "(both (word-sub (low b) (high a)) (word-sub (high b) (low b)))",
    "(both (word-add (low a) (word-add (high a) 7)) (word-add (high a) (word-add 7 (low b))))",
    "(both (+ (low a) (low a) (low b)) (+ (high a) (high a) (high b)))",
    "(both (- (high a) (+ (low a) (low b))) (- (low b) (+ (high a) (high b))))",
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("value", STENCILS)
def test_sums_of_samples_around(value: str):
    residual = specialized(LOOP.format(value=value, state="s", end="0"), "f", 32)
    assert VECTORS in residual.c
    for count in COUNTS:
        words = np.random.default_rng(count).integers(0, 1 << 32, count + 1, np.uint32)
        agree(residual, words, count, stored=count)


RUNNING = "(both (word-add s (low a)) (word-add (word-add s (low a)) (high a)))"
NEXT = "(word-add (word-add s (low a)) (high a))"


def test_sums_go_on_behind_the_vectors():
    residual = specialized(LOOP.format(value=RUNNING, state=NEXT, end="0"), "f", 32)
    assert VECTORS in residual.c
    for count in COUNTS:
        words = np.random.default_rng(count).integers(0, 1 << 32, count + 1, np.uint32)
        sums = agree(residual, words, count, stored=count).view(np.uint16)
        halves = words[:count].view(np.uint16)
        assert sums.tolist() == (5 + np.cumsum(halves, dtype=np.uint16)).tolist()


@pytest.mark.parametrize(
    ("value", "state", "end"),
    [
        (RUNNING, NEXT, "s"),  # all bits of the sum are asked for
        (RUNNING, "(word-add s (low a))", "0"),  # the state is not what was stored last
        ("(both (word-add s (low a)) (word-add s (high a)))", NEXT, "0"),
        ("(both (word-add s (low a)) (word-add (word-add s (low a)) (low a)))",
         "(word-add (word-add s (low a)) (low a))", "0"),
        ("(both (word-sub (low b) (high a)) (word-sub (high b) (high a)))", "s", "0"),
        ("(both (arithmetic-shift (word-add (low a) (high a)) -1)"
         " (arithmetic-shift (word-add (high a) (low b)) -1))", "s", "0"),
    ],
)  # fmt: skip
def test_what_is_left_to_the_loop(value: str, state: str, end: str):
    residual = specialized(LOOP.format(value=value, state=state, end=end), "f", 32)
    assert VECTORS not in residual.c


def test_the_benchmark_has_vectors():
    program = cogen.load(Path(cogen.__file__).parent / "bench" / "programs.scm")
    bits = cogen.cyclic(32, 0)
    for entry in ("differences!", "sums!"):
        made = cogen.specialize(program, entry, MEMORY, bits, bits, MEMORY, bits, bits)
        assert VECTORS in made.c
