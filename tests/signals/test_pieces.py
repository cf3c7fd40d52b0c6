"""Samples at indices that are not known: one load of their own size where they lie in one word."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest

import cogen

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

SOURCE = """
(import (signals))
(define (at buffer from to i size stride)
  (signal-ref (signed-signal (make-signal buffer from to size stride)) i))
(define (put! buffer from to i size stride v)
  (signal-set! (make-signal buffer from to size stride) i v))
"""


@pytest.fixture(scope="module")
def program() -> Any:
    return cogen.loads(SOURCE, "pieces.scm")


def binding_times(word: int, size: int, stride: int, *more: Any) -> list[Any]:
    ends = [cogen.cyclic(word, 0), cogen.cyclic(word, 0)]
    known = [cogen.static(size), cogen.static(stride)]
    return [cogen.dynamic("memory"), *ends, cogen.dynamic("int"), *known, *more]


CASES = [
    (word, size, stride)
    for word in (16, 32, 64)
    for size, stride in ((8, 8), (16, 16), (8, 16), (32, 32), (4, 4), (12, 16), (12, 12))
]


@pytest.mark.one_in(12)
@pytest.mark.parametrize(("word", "size", "stride"), CASES)
def test_samples_at_any_index(program: Any, word: int, size: int, stride: int) -> None:
    data = np.random.default_rng(6).integers(0, 256, 192, np.uint8).tobytes()
    bits = int.from_bytes(data, "little")
    residual = cogen.specialize(program, "at", *binding_times(word, size, stride), word_size=word)
    at = residual.compile()
    for start in (0, 64):
        for i in (0, 1, 2, 3, 4, 5, 7, 8, 30, 31):
            sample = bits >> (start + i * stride) & (1 << size) - 1
            sign = 1 << (size - 1)
            assert at(data, start, start, i) == (sample ^ sign) - sign
    with pytest.raises(cogen.CogenError, match="load-word"):
        at(data, 0, 0, 192 * 8 // stride)
    with pytest.raises(cogen.CogenError, match="load-word"):
        at(data, 0, 0, -1)


@pytest.mark.parametrize(("word", "size"), [(32, 8), (32, 16), (64, 8), (64, 16), (64, 32)])
def test_one_load_of_its_size(program: Any, word: int, size: int) -> None:
    times = binding_times(word, size, size)
    text = cogen.specialize(program, "at", *times, word_size=word).c
    assert f"((const word{size} *)buffer)[" in text
    assert "cogen_shift(" not in text


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("word", "size", "stride"), CASES)
def test_stores_at_any_index(program: Any, word: int, size: int, stride: int) -> None:
    times = binding_times(word, size, stride, cogen.dynamic("int"))
    put = cogen.specialize(program, "put!", *times, word_size=word).compile()
    data = bytearray(np.random.default_rng(7).integers(0, 256, 192, np.uint8).tobytes())
    for i in (0, 1, 2, 3, 5, 8, 31):
        bits = int.from_bytes(data, "little")
        mask = (1 << size) - 1 << (i * stride)
        expected = bits & ~mask | (0x5A5A5A5B << (i * stride)) & mask
        put(data, 0, 0, i, 0x5A5A5A5B)
        assert int.from_bytes(data, "little") == expected
