"""Versions by alignment: one test, fast loops for some alignments, one loop for the rest."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen.lang import il
from cogen.lang.ilutil import all_blocks
from cogen.lang.interp import Interpreter
from tests.signals.test_cache_shapes import accesses

MEMORY, INT = cogen.dynamic("memory"), cogen.dynamic("int")
SOURCE = """
(import (signals signal) (signals layouts) (signals pointwise) (signals loops)
        (signals versions))

(define (sum b from to)
  (by-alignment '(0 8) 0 (list (packed-signal b from to 8))
    (lambda (total signals) (signal-fold + total (car signals)))))

(define (sum-down b from to)
  (by-alignment '(0 24) 0 (list (make-signal b from to 12 -12))
    (lambda (total signals) (signal-fold + total (car signals)))))

(define (copy! b from to c at end)
  (by-alignment '(0 (16 0)) 0 (list (packed-signal b from to 12) (packed-signal c at end 16))
    (lambda (state signals)
      (signal-copy! (car signals) (cadr signals))
      state)))
"""


@pytest.fixture(scope="module")
def program() -> il.Program:
    return cogen.loads(SOURCE, "versions.scm")


@pytest.fixture(scope="module")
def source(program: il.Program) -> Interpreter:
    interpreter = Interpreter(program)
    interpreter.run()
    return interpreter


def residual(program: il.Program, entry: str) -> Any:
    memories = {"sum": 1, "sum-down": 1, "copy!": 2}[entry]
    return cogen.specialize(program, entry, *[MEMORY, INT, INT] * memories)


@pytest.fixture(scope="module")
def compiled(program: il.Program) -> dict[str, Any]:
    return {entry: residual(program, entry).compile() for entry in ("sum", "sum-down", "copy!")}


@settings(max_examples=max(15, settings().max_examples // 60))
@given(content=st.binary(min_size=40, max_size=48), start=st.integers(0, 150), data=st.data())
def test_every_alignment_gives_the_same_sum(
    source: Interpreter, compiled: dict[str, Any], content: bytes, start: int, data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, (8 * len(content) - start) // 8))
    expected = source.call("sum", [bytearray(content), start, start + 8 * count])
    assert compiled["sum"](content, start, start + 8 * count) == expected
    down = data.draw(st.integers(0, start // 12))
    expected = source.call("sum-down", [bytearray(content), start, start - 12 * down])
    assert compiled["sum-down"](content, start, start - 12 * down) == expected


@settings(max_examples=max(15, settings().max_examples // 60))
@given(
    content=st.binary(min_size=48, max_size=48),
    start=st.sampled_from([0, 16, 32, 5, 12, 64]),
    at=st.sampled_from([0, 32, 7, 64, 16]),
    count=st.integers(0, 20),
)
def test_every_alignment_gives_the_same_copy(
    source: Interpreter,
    compiled: dict[str, Any],
    content: bytes,
    start: int,
    at: int,
    count: int,
) -> None:
    results = []
    for call in (lambda *a: source.call("copy!", list(a)), compiled["copy!"]):
        target = bytearray(b"\xaa" * 60)
        call(bytearray(content), start, start + 12 * count, target, at, at + 16 * count)
        results.append(bytes(target))
    assert results[0] == results[1]


def test_the_alignment_is_tested_once_and_only_the_rest_is_slow(program: il.Program) -> None:
    left = residual(program, "sum")
    counts: Counter[str] = Counter(
        binding.op
        for block in all_blocks(left.program.program)
        for binding in block.bindings
        if isinstance(binding, il.Let)
    )
    # two fast loops with 1 and 2 loads, and one loop with 3 loads in its three cases
    assert counts["load-word"] == 1 + 2 + 3
    memory = bytearray(4 * 10)
    assert accesses(left, memory, 0, 320)[0] == 10
    assert accesses(left, memory, 8, 8 + 8 * 36)[0] == 9 + 9  # a word is read again in a round
    assert accesses(left, memory, 0, 320 - 24)[0] == 9 + 1
    assert accesses(left, memory, 16, 320)[0] == 38  # the slow loop, sample by sample
