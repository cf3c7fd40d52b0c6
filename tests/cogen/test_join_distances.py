"""Loop variables at a known distance become one, with the same meaning and the same errors."""

from __future__ import annotations

import re
import shutil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen.lang.interp import Interpreter
from tests.cogen.native import agree, residual_of

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

ROWS = """
(define (f buf from rows)
  (let row ((first from) (last (+ from 3)) (rows rows) (total 0))
    (if (= rows 0)
        (+ total last)
        (let column ((p first) (total total))
          (if (= p last)
              (row (+ first 5) (+ last 5) (- rows 1) total)
              (column (+ p 1) (+ total (* (- last p) (load-word buf p)))))))))
"""


def residual(text: str, *bts: Any) -> cogen.Residual:
    return cogen.specialize(cogen.loads(text), "f", *bts)


def rows() -> cogen.Residual:
    return residual(ROWS, cogen.dynamic("memory"), cogen.dynamic("int"), cogen.dynamic("int"))


def test_one_end_of_a_row_is_carried() -> None:
    text = rows().c
    assert text.count("+= 5") == 1
    loop = re.search(r"for \(int64_t (\w+) = (\w+); \1 < \2 \+ 3; \1\+\+\)", text)
    assert loop is not None  # the C compiler sees that there are three rounds


@pytest.mark.parametrize(("start", "count"), [(0, 0), (0, 1), (1, 3), (2, 4), (20, 1), (-1, 2)])
def test_rows_are_as_interpreted(start: int, count: int) -> None:
    program = rows().program
    for length in (64, 67, 80, 12):
        agree(program, [bytes(range(length)), start, count])


LOOP = """
(define (f buf n)
  (let loop ((a {a}) (b {b}) (c {c}) (n n) (total (lift 0)))
    (if {test}
        (+ total (* 3 a) (* 5 b) c)
        (begin
          (store-word! buf (bitwise-and b 3) (+ total c))
          (if (= (bitwise-and (load-word buf 1) 1) 0)
              (loop (+ a {x}) (+ b {y}) (+ c {x}) (- n 1) (+ total (* a c)))
              (loop (+ a {x}) (+ b {y}) (+ c {z}) (- n 1) (- total b)))))))
"""
starts = st.sampled_from(["n", "(+ n 1)", "(- n 4)", "(* 2 n)", "(lift 7)", "(lift 9)"])
steps = st.sampled_from([-2, 1, 3])
tests = st.sampled_from(["(= n 0)", "(or (= n 0) (> total 99))", "(<= n (bitwise-and b 1))"])


@settings(max_examples=10)
@given(
    a=starts, b=starts, c=starts, test=tests, x=steps, y=steps, z=steps,
    data=st.binary(min_size=16, max_size=16), n=st.integers(0, 9),
)  # fmt: skip
def test_loops_are_as_interpreted(data: bytes, n: int, **parts: Any) -> None:
    program = residual(LOOP.format(**parts), cogen.dynamic("memory"), cogen.dynamic("int")).program
    agree(program, [bytearray(data), n])
    source = Interpreter(cogen.loads(LOOP.format(**parts)), 32)
    source.run()
    own, other = bytearray(data), bytearray(data)
    left = Interpreter(program.program, 32)
    left.run()
    assert source.call("f", [own, n]) == left.call(program.entry, [other, n])
    assert own == other


def test_with_checks_for_overflow_all_stay() -> None:
    found = rows().program
    checked = residual_of(found.program, found.entry, [p.type for p in found.parameters], 32, True)
    agree(checked, [bytes(64), 1, 3])
