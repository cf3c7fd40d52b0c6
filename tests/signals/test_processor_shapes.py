"""What is left of processors: words loaded once a round, tests, constants (see also
`test_signal_shapes`)."""

from __future__ import annotations

import pytest

import cogen
from tests.signals.test_signal_shapes import address, operations

pytestmark = pytest.mark.quick

SOURCE = """
(import (signals))

(define (s16 buffer from to) (signed-signal (packed-signal buffer from to 16)))

(define (fir in in-from in-to out out-from out-to)
  (signal-fir-valid! (s16 in in-from in-to) (s16 out out-from out-to) '(1 -3 0 7) 2))

(define (identity in in-from in-to out out-from out-to)
  (signal-fir! (s16 in in-from in-to) (s16 out out-from out-to) '(1) 0))

;; The redundant conjunction of two ends: strides of 8 and 12 in words of 24 bits.
(define (dot a a-from a-to b b-from b-to)
  (let next ((a (packed-signal a a-from a-to 8)) (b (packed-signal b b-from b-to 12))
             (total (lift 0)))
    (if (and (signal-end? a) (signal-end? b))
        total
        (next (signal-next a) (signal-next b) (+ total (* (signal-get a) (signal-get b)))))))

;; The same with lengths that are known to be equal: what is known ahead is asked first.
(define (checked-dot a a-from a-to b b-from b-to)
  (signal-dot (packed-signal a a-from a-to 8) (packed-signal b b-from b-to 12)))

(define (sum-escaped in from to)
  (escaped-sum (packed-signal in from to 8)))

(define (fold-escaped in from to)
  (escaped-fold + 0 (packed-signal in from to 8)))
"""


@pytest.fixture(scope="module")
def program() -> cogen.il.Program:
    return cogen.loads(SOURCE, "processor-shapes.scm")


def signal(word: int, remainder: int = 0) -> list[cogen.bt.BT]:
    return [cogen.dynamic("memory"), address(word), address(word, remainder)]


def test_words_of_24_bits_with_strides_of_8_and_12_are_unrolled_six_times(
    program: cogen.il.Program,
) -> None:
    for entry, products in (("dot", 6), ("checked-dot", 6 + 2)):
        residual = cogen.specialize(program, entry, *signal(24), *signal(24), word_size=24)
        counts = operations(residual.program.program)
        assert counts["*"] == products  # two compare the lengths
        assert counts["load-word"] == 5  # each once, also behind the tests within a word
        assert counts["if"] == 2


def test_a_tap_of_0_is_not_loaded_and_one_of_1_not_multiplied(program: cogen.il.Program) -> None:
    residual = cogen.specialize(program, "fir", *signal(16), *signal(16), word_size=16)
    loop = operations(residual.program.program)
    assert loop["load-word"] == 3
    assert loop["*"] == 2
    assert loop["store-word!"] == 1


def test_a_filter_of_one_tap_of_1_is_a_copy(program: cogen.il.Program) -> None:
    residual = cogen.specialize(program, "identity", *signal(32), *signal(32))
    counts = operations(residual.program.program)
    assert counts["load-word"] == counts["store-word!"] == 1
    assert counts["*"] == 0


def test_escaped_values_keep_their_shifts_known(program: cogen.il.Program) -> None:
    """Both sides of the conditional are specialized, one for each alignment (seed 004)."""
    residual = cogen.specialize(program, "fold-escaped", *signal(32))
    text = residual.scheme
    assert "floor-remainder" not in text
    assert "floor-quotient" not in text
    for shift in (-8, -16, -24):
        assert f"{shift})" in text


def test_the_sum_of_escaped_values_has_no_conditional_for_a_value(
    program: cogen.il.Program,
) -> None:
    residual = cogen.specialize(program, "sum-escaped", *signal(64), word_size=64)
    counts = operations(residual.program.program)
    assert counts["<"] <= 1
    assert counts["load-word"] == 2  # a whole word in the loop; the samples before and after


INDEXED = """
(import (signals))
(define (at buffer from i) (signal-ref (packed-signal buffer from 0 32) i))
(define (put-four! out from x)
  (let put ((s (packed-signal out from 0 8)) (k 0))
    (if (< k 4)
        (begin (signal-put! s (+ x k)) (put (signal-next s) (+ k 1))))))
"""


def test_an_index_that_is_not_known_needs_no_case_analysis() -> None:
    """A product with the word size is cyclic."""
    program = cogen.loads(INDEXED, "indexed.scm")
    residual = cogen.specialize(
        program, "at", cogen.dynamic("memory"), address(32), cogen.dynamic("int")
    )
    counts = operations(residual.program.program)
    assert counts["load-word"] == 1
    assert counts["if"] == 0


def test_stores_at_an_address_known_modulo_several_words_become_one() -> None:
    program = cogen.loads(INDEXED, "indexed.scm")
    residual = cogen.specialize(
        program, "put-four!", cogen.dynamic("memory"), cogen.cyclic(128, 32), cogen.dynamic("int")
    )
    counts = operations(residual.program.program)
    assert counts["store-word!"] == 1
    assert counts["load-word"] == 0
