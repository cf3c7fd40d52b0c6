"""Vectors of a known length that a procedure keeps to itself, as arrays of C."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import cogen
from cogen import signals
from cogen.backends.kernel.c import emit
from cogen.lang.errors import LimitationError
from tests.cogen.native import agree, residual, residual_of

COUNTS = """
(define counts (lambda (buf n i) k (
  (let bins (make-vector '16 '0))
  (conts (again (q) (
    (let t (= q n))
    (if t (
      (let found (vector-ref bins i))
      (let all (vector-length bins))
      (let r (- found all))
      (jump k r)) (
      (let w (load-word buf q))
      (let x (bitwise-and w '15))
      (let old (vector-ref bins x))
      (let new (+ old '1))
      (let u (vector-set! bins x new))
      (let q1 (+ q '1))
      (jump again q1))))))
  (jump again '0))))
"""


def test_counts_are_an_array() -> None:
    data = np.arange(99, dtype=np.uint32).tobytes()
    runs = [
        [data, 99, 3],
        [data, 0, 0],
        [data, 99, 15],
        [data, 99, 16],
        [data, 99, -1],
        [data, 100, 1],
    ]
    function = agree(residual(COUNTS, "counts", "memory", "int", "int"), *runs)
    assert "int64_t bins[16];" in function.source
    assert function.source.count(">= 16") == 1  # of `i`; a number of four bits needs no test
    assert "overflow" not in function.source  # nor does a count


def in_c(text: str, *parameters: str, entry: str = "f") -> cogen.Residual:
    """A procedure specialized with nothing known, whose C is that of a kernel."""
    made = cogen.specialize(cogen.loads(text), entry, *map(cogen.dynamic, parameters))
    emit(made.program)
    return made


def test_elements_of_all_types() -> None:
    text = """(define (f x i j)
      (let ((reals (make-vector 9 x)) (bits (make-vector 9 #f)) (three (vector i j 7)))
        (vector-set! reals i (* x 2.0))
        (vector-set! bits j #t)
        (vector-set! three (modulo i 3) 40)
        (if (vector-ref bits i) (vector-ref reals j)
          (inexact (+ (vector-ref three j) (vector-length three))))))"""
    made = in_c(text, "float", "int", "int")
    for i, j in [(1, 1), (1, 2), (2, 1), (0, 0), (9, 1), (1, 9), (1, 8)]:
        program = residual_of(made.program.program, "f", ["float", "int", "int"])
        agree(program, [1.5, i, j])


def test_one_that_is_made_in_each_round_is_filled_again() -> None:
    text = """(define (f n i)
      (let next ((k 0) (sum 0))
        (if (= k n) sum
          (let ((v (make-vector 5 k)))
            (vector-set! v i (* 100 k))
            (next (+ k 1) (+ sum (vector-ref v 0) (vector-ref v (modulo k 5))))))))"""
    made = in_c(text, "int", "int")
    agree(residual_of(made.program.program, "f", ["int", "int"]), [7, 0], [7, 4], [0, 9], [3, 9])


def test_what_was_read_before_a_change_is_what_it_was() -> None:
    text = """
    (define f (lambda (i j) k (
      (let v (vector i j '3))
      (let before (vector-ref v i))
      (let u (vector-set! v j '50))
      (let after (vector-ref v i))
      (let high (* before '1000))
      (let r (+ high after))
      (jump k r))))
    """
    agree(residual(text, "f", "int", "int"), [0, 0], [1, 1], [2, 2], [0, 1], [3, 0], [0, 3])


def test_numbers_that_leave_64_bits_are_told() -> None:
    text = (
        "(define (f x i) (let ((v (make-vector 2 x))) (vector-set! v i 1) (* x (vector-ref v 0))))"
    )
    made = in_c(text, "int", "int")
    agree(residual_of(made.program.program, "f", ["int", "int"]), [1 << 40, 0], [1 << 40, 1])


@pytest.mark.parametrize(
    "body",
    [
        "(let ((v (make-vector 3 x))) (vector-set! v i x) v)",
        "(let ((v (make-vector 3 x))) (vector-set! v i v) 1)",
        "(let ((v (make-vector 3 x))) (vector-set! v i 2.5) (vector-ref v 0))",
        "(let ((v (make-vector 9000 x))) (vector-set! v i 2) (vector-ref v 0))",
        "(let ((v (make-vector i x))) (vector-set! v x 2) (vector-ref v 0))",
        "(let ((v (make-vector 3))) (vector-set! v i 2) (vector-ref v x))",
        "(let ((v (make-vector 3 x))) (vector-set! v i 2) (error \"which\" v))",
        "(let ((v (make-vector 3 x))) (vector-set! v i 2) (+ (vector-ref v 0) (dcall g i x)))",
    ],
)  # fmt: skip
def test_others_are_left_to_whole_programs(body: str) -> None:
    text = f"(define (g n x) (if (= n 0) x (+ 1 (dcall g (- n 1) x)))) (define (f x i) {body})"
    made = cogen.specialize(cogen.loads(text), "f", cogen.dynamic("int"), cogen.dynamic("int"))
    with pytest.raises(LimitationError, match="cannot express"):
        emit(made.program)


def test_a_parameter_of_any_type_is_left_to_them() -> None:
    text = (
        "(define (f x i) (let ((v (make-vector 3 0))) (vector-set! v i x) (* x (vector-ref v 1))))"
    )
    made = cogen.specialize(cogen.loads(text), "f", cogen.dynamic(), cogen.dynamic())
    assert made.compile()(2.5, 1) == 6.25
    assert made.compile()(3, 1) == 9


def random_body(rng: random.Random, depth: int = 0) -> str:
    """Statements on the vectors `v` and `w` and the numbers `x` and `i`."""
    vector, other = rng.choice(["v", "w"]), rng.choice(["v", "w"])
    index = rng.choice(["i", "0", "(modulo x 4)", f"(modulo (vector-ref {other} i) 4)", "(+ i 1)"])
    value = rng.choice(
        ["x", "7", f"(vector-ref {other} {index})", f"(+ (vector-ref {other} (modulo i 4)) x)"]
    )
    change = f"(vector-set! {vector} {index} {value})"
    if depth > 2 or rng.random() < 0.3:
        return change
    more = random_body(rng, depth + 1)
    return rng.choice(
        [
            f"{change} {more}",
            f"(if (< (vector-ref {vector} {index}) x) (begin {more}) (begin {change}))",
            f"(let ((old (vector-ref {vector} {index}))) {more} (vector-set! {other} 3 old))",
            f"(let loop ((i 0)) (if (< i 3) (begin {more} (loop (+ i 1))) {change}))",
        ]
    )


@given(st.integers(0, 1 << 30))
def test_random_programs_do_what_they_do_interpreted(seed: int) -> None:
    rng = random.Random(seed)
    text = f"""(define (f x i) (let ((v (make-vector 4 x)) (w (vector 1 x 3 i))) {random_body(rng)}
      (+ (vector-ref v 0) (* 3 (vector-ref v 3)) (* 5 (vector-ref w 1)) (vector-ref w i))))"""
    try:
        made = cogen.specialize(cogen.loads(text), "f", cogen.dynamic("int"), cogen.dynamic("int"))
        emit(made.program)
    except cogen.CogenError:
        reject()  # it fails in any case, or one vector becomes another's name
    program = residual_of(made.program.program, "f", ["int", "int"])
    agree(program, *[[rng.randint(-9, 9), i] for i in (0, 1, 3, 4)])


def test_a_processor_counts_in_a_vector() -> None:
    text = """(import (signals))
      (define (counts s out)
        (let ((bins (make-vector 16 0)))
          (signal-fold (lambda (all x) (vector-set! bins x (+ 1 (vector-ref bins x))) all) 0 s)
          (let put ((out out) (k 0))
            (if (< k 16)
              (begin (signal-put! out (vector-ref bins k)) (put (signal-next out) (+ k 1)))
              0))))"""
    counts = signals.compile(
        cogen.loads(text), "counts", "size=4", signals.Out(signals.Layout(32), length=16)
    )
    data = np.random.default_rng(1).integers(0, 256, 5000, np.uint8)
    expected = np.bincount(signals.unpack(data, "size=4"), minlength=16)
    assert np.array_equal(counts(data), expected)
    assert "int64_t vector[16];" in counts.c
