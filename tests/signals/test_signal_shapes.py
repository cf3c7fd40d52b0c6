"""What is left of signal programs: each word loaded once, one test a round, constants only."""

from __future__ import annotations

from collections import Counter
from math import lcm

import pytest

import cogen
from cogen.lang import il
from cogen.lang.ilutil import all_blocks

pytestmark = pytest.mark.quick

SOURCE = """
(import (signals))

(define (sum buffer from to size stride)
  (signal-sum (make-signal buffer from to size stride)))

(define (sum-of kind order buffer from to size stride)
  (signal-sum (signal-with-order (signal-with-kind (make-signal buffer from to size stride) kind)
                                 order)))

(define (mix! a a-from a-to a-size b b-from b-to b-size out out-from out-to out-size)
  (signal-mix! (signed-signal (packed-signal a a-from a-to a-size))
               (signed-signal (packed-signal b b-from b-to b-size))
               (signed-signal (packed-signal out out-from out-to out-size))))
"""


def operations(program: il.Program) -> Counter[str]:
    """How often each primitive, `if` and procedure definition stands in a program."""
    counts: Counter[str] = Counter()
    for block in all_blocks(program):
        for binding in block.bindings:
            if isinstance(binding, il.Let):
                counts[binding.op] += 1
            elif isinstance(binding, il.Fix):
                counts["fix"] += len(binding.functions)
        if isinstance(block.tail, il.If):
            counts["if"] += 1
        elif isinstance(block.tail, il.Call):
            counts["call"] += 1
    return counts


@pytest.fixture(scope="module")
def program() -> il.Program:
    return cogen.loads(SOURCE, "shapes.scm")


def address(word: int, remainder: int = 0) -> cogen.bt.BT:
    return cogen.cyclic(word, remainder)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("word", [8, 16, 32, 64])
@pytest.mark.parametrize(
    ("size", "stride"), [(1, 1), (8, 8), (12, 12), (10, 10), (16, 16), (24, 24), (8, 24), (5, 16)]
)
def test_a_sum_loads_each_word_once_and_tests_once(
    program: il.Program, word: int, size: int, stride: int
) -> None:
    residual = cogen.specialize(
        program, "sum", cogen.dynamic("memory"), address(word), address(word),
        cogen.static(size), cogen.static(stride), word_size=word,
    )  # fmt: skip
    period = lcm(stride, word)
    touched = {(start + bit) // word for start in range(0, period, stride) for bit in range(size)}
    counts = operations(residual.program.program)
    assert counts["load-word"] == len(touched)
    assert counts["if"] == 1
    assert counts["call"] == 0
    assert not {"floor-quotient", "floor-remainder", "quotient", "remainder"} & set(counts)
    assert counts["*"] == 0


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize(("kind", "size"), [("unsigned", 12), ("signed", 24), ("float", 32)])
def test_order_and_kind_cost_no_further_loads_or_tests(
    program: il.Program, order: str, kind: str, size: int
) -> None:
    residual = cogen.specialize(
        program, "sum-of", cogen.static(cogen.symbol(kind)), cogen.static(cogen.symbol(order)),
        cogen.dynamic("memory"), address(32), address(32), cogen.static(size), cogen.static(size),
    )  # fmt: skip
    counts = operations(residual.program.program)
    assert counts["load-word"] == lcm(size, 32) // 32
    assert counts["if"] == 1


def test_an_offset_gives_a_prelude_before_the_loop(program: il.Program) -> None:
    residual = cogen.specialize(
        program, "sum", cogen.dynamic("memory"), address(32, 24), address(32),
        cogen.static(8), cogen.static(8),
    )  # fmt: skip
    counts = operations(residual.program.program)
    assert counts["load-word"] == 2
    assert counts["if"] == 1


def test_a_loop_over_several_signals_tests_once_a_round(program: il.Program) -> None:
    def packed(size: int) -> list[cogen.bt.BT]:
        return [cogen.dynamic("memory"), address(32), address(32), cogen.static(size)]

    residual = cogen.specialize(program, "mix!", *packed(24), *packed(16), *packed(24))
    counts = operations(residual.program.program)
    assert counts["if"] == 2 + 1  # the lengths, then the loop
    assert counts["store-word!"] == 3  # each word of the result once
    assert not {"floor-quotient", "floor-remainder"} & set(counts)


def test_the_redundant_conjunction_costs_one_test_a_round() -> None:
    program = cogen.loads(
        """
        (import (signals))
        (define (dot a a-from a-to b b-from b-to)
          (let loop ((a (packed-signal a a-from a-to 16)) (b (packed-signal b b-from b-to 8))
                     (r (lift 0)))
            (if (and (signal-end? b) (signal-end? a))
                r
                (loop (signal-next a) (signal-next b) (+ r (* (signal-get a) (signal-get b)))))))
        """
    )
    signal = [cogen.dynamic("memory"), address(32), address(32)]
    residual = cogen.specialize(program, "dot", *signal, *signal)
    counts = operations(residual.program.program)
    assert counts["if"] == 2
    assert counts["load-word"] == 2 + 1
