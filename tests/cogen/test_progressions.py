"""Numbers that go up by steps, stored in vectors: `cogen.backends.kernel.progressions`."""

from __future__ import annotations

import numpy as np
import pytest

import cogen

VECTORS = "cogen_stepped_"

RAMP = """
(import (signals))
(define (ramp out from to start step size)
  (signal-ramp! (signed-signal (packed-signal out from to size)) start step))
"""
COUNTS = (0, 1, 3, 4, 15, 16, 17, 63, 64, 65, 66, 127, 300)


def ramp(word_size: int, size: int, start: int | None, step: int) -> cogen.Residual:
    """Specialized to the sizes and the step, perhaps to where it starts."""
    whole = cogen.cyclic(word_size, 0)
    first = cogen.dynamic("int") if start is None else cogen.static(start)
    times = (whole, whole, first, cogen.static(step), cogen.static(size))
    program = cogen.loads(RAMP)
    return cogen.specialize(program, "ramp", cogen.dynamic("memory"), *times, word_size=word_size)


def wanted(start: int, step: int, count: int, size: int) -> list[int]:
    return [(start + i * step) % (1 << size) for i in range(count)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("word_size", "size", "start", "step"),
    [
        (32, 8, 0, 1),
        (32, 8, None, -3),
        (32, 16, 7, 1000),
        (64, 16, None, 1),
        (64, 32, -5, 1 << 20),
        pytest.param(16, 8, None, 77, marks=pytest.mark.long),
    ],
)
def test_progressions_of_samples(word_size: int, size: int, start: int | None, step: int) -> None:
    residual = ramp(word_size, size, start, step)
    assert VECTORS in residual.c
    way, each = residual.compile(), word_size // size
    for words in COUNTS:
        for at in (0, 1, 3):
            out = np.full(words + 5, 77, f"u{word_size // 8}")
            given = () if start is not None else (-(1 << 40) + 3,)
            first = given[0] if given else start
            bits = word_size * at, word_size * (at + words)
            assert way(out, *bits, *given) == first + step * words * each
            samples = out.view(f"u{size // 8}").tolist()
            assert samples[at * each : (at + words) * each] == wanted(
                first, step, words * each, size
            )
            assert set(out[:at].tolist() + out[at + words :].tolist()) == {77}


def test_what_is_no_progression() -> None:
    """Samples of other sizes, or with gaps between, and those that are squares."""
    for size in (12, 4, 1):
        assert VECTORS not in ramp(32, size, 0, 1).c
    squares = """
    (import (signals))
    (define (f out from to)
      (let next ((o (packed-signal out from to 8)) (n 0))
        (unless (signal-end? o)
          (signal-put! o (* n n))
          (next (signal-next o) (+ n 1)))))
    """
    whole = cogen.cyclic(32, 0)
    found = cogen.specialize(cogen.loads(squares), "f", cogen.dynamic("memory"), whole, whole)
    assert VECTORS not in found.c
    out = np.zeros(50, np.uint32)
    found.compile()(out, 32, 32 * 49)
    assert out.view(np.uint8)[4:-4].tolist() == [n * n % 256 for n in range(48 * 4)]
