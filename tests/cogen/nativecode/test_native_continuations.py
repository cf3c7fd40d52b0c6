"""`call/cc` of known procedures in native code: the continuation is made in line, the procedure is
called with it directly."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogen.api import loads
from cogen.backends.native.compile import c_text
from tests.cogen.nativecode.running import agree

CALLS = """
(define kept '())
(define (keep k) (set! kept (cons k kept)))
(define (leave k x) (k x))
(define (receive k) (keep k) (k 3))
(define (not-tail x) (* 2 (call/cc (lambda (k) (keep k) (leave k (+ x 1))))))
(define (tail x) (call/cc (lambda (k) (keep k) (leave k (+ x 1)))))
(define (many a b c d e)
  (let* ((x (call/cc (lambda (k) (keep k) (leave k (list a b c d e)))))
         (y (call/cc (lambda (k) (if (pair? x) (leave k (cons e x)) (list a x))))))
    (list a b c d e x y)))
(define (down n) (if (= n 0) (* 2 (call/cc (lambda (k) (keep k) (k 3)))) (down (- n 1))))
(define (above-a-word n) (call/cc (lambda (k) (keep k) (+ 1 (down n)))))
(define (above-frames n x) (if (= n 0) (list (tail x)) (cons n (above-frames (- n 1) x))))
(define (in-a-loop n)
  (let loop ((i 0) (sum 0))
    (if (= i n) sum (loop (+ i 1) (+ sum (call/cc (lambda (k) (if (odd? i) (k i) (- i)))))))))
(define (of-floats x)
  (define (half k) (if (procedure? k) (k (* x 0.5)) (* k 0.5)))
  (list (half 3.0) (call/cc half) (call/cc (lambda (k) (+ x 0.25)))))
(define (also-a-value x)
  (define (take k) (if (procedure? k) (k x) (list 'taken k)))
  (list (call/cc take) (map take '(1 2)) (+ 1 (call/cc take))))
(define (all)
  (list (not-tail 1) (tail 2) (many 1 2 3 4 5) (above-frames 3 7) (above-a-word 2) (in-a-loop 9)
        (of-floats 3.0) (also-a-value 5) (call/cc receive)
        (call-with-current-continuation receive)))
(define rounds 0)
(let ((found (all)))
  (write found)
  (newline)
  (set! rounds (+ rounds 1))
  (if (< rounds 12) ((list-ref kept (quotient (* rounds (length kept)) 13)) rounds)))
"""
"""Calls in all positions, of procedures of all kinds; continuations are entered again."""


def test_continuations_of_calls_in_all_positions() -> None:
    done = agree(CALLS)
    assert done.out.startswith("(4 3 (1 2 3 4 5 (1 2 3 4 5) (5 1 2 3 4 5)) (3 2 1 8) 7 -4 ")
    assert done.out.count("\n") == 12


def test_a_known_procedure_makes_no_closure() -> None:
    text = c_text(loads("(define (f x) (+ 1 (call/cc (lambda (k) (k x))))) (write (f 2))")).text
    assert "CAPTURE_FRAME" in text
    assert "control_call_cc" not in text
    assert "CLOSURE_OF" not in text


@pytest.mark.parametrize(
    "call",
    [
        "(+ 1 (call/cc (lambda (k) (car x))))",
        "(call/cc (lambda (k) (car x)))",
        "(+ 1 (call/cc (lambda (k) (k (car x)))))",
        "(list (call/cc (lambda (k) (inner k x))))",
        "(call/cc (lambda (k) (inner k x)))",
        "(call/cc later)",
    ],
)
def test_errors_tell_the_same_calls(call: str) -> None:
    text = f"""(define (inner k x) (k (+ 1 (vector-ref x 0))))
(define (f x) {call})
(define (g n x) (if (= n 0) (f x) (list n (g (- n 1) x))))
(display (g 3 5))
(define later (lambda (k) 1))
"""
    done = agree(text)
    assert done.status == 1
    assert "called from test.scm:3" in done.err or "later is used before" in done.err


def test_loops_of_continuations_need_no_space() -> None:
    """Neither those that are entered nor those that are only made."""
    text = """
    (define (tail n) (if (= n 0) 'done (call/cc (lambda (k) (tail (- n 1))))))
    (define (entered n sum) (if (= n 0) sum (entered (- n 1) (+ sum (call/cc (lambda (k) (k 1)))))))
    (define (given k n) (if (= n 0) (k 'given) (call/cc (lambda (other) (given k (- n 1))))))
    (write (list (tail 300000) (entered 300000 0) (call/cc (lambda (k) (given k 300000)))))
    """
    assert agree(text, stress=False).out == "(done 300000 given)"


_LEAVES = st.sampled_from(["1", "x", "y", "(k x)", "(k 7)", "(j y)", "(j 2)", "(set-x! 5)"])


def _larger(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    one, two = st.tuples(parts), st.tuples(parts, parts)
    return st.one_of(
        one.map(lambda p: f"(call/cc (lambda (k) {p[0]}))"),
        one.map(lambda p: f"(call/cc (lambda (j) {p[0]}))"),
        two.map(lambda p: f"(+ {p[0]} {p[1]})"),
        two.map(lambda p: f"(let ((x {p[0]})) {p[1]})"),
        two.map(lambda p: f"(let ((y (+ 1 {p[0]}))) (call/cc (lambda (k) {p[1]})))"),
        two.map(lambda p: f"(if (odd? {p[0]}) {p[1]} (id (lambda () {p[0]})))"),
        one.map(lambda p: f"(call/cc (lambda (k) (call k {p[0]})))"),
    )


_EXPRESSIONS = st.recursive(_LEAVES, _larger, max_leaves=12)


@settings(
    max_examples=max(1, settings().max_examples // 500),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(_EXPRESSIONS, min_size=12, max_size=12))
def test_expressions_that_leave_and_return(expressions: list[str]) -> None:
    """Random expressions in which continuations of all positions are entered."""
    lines = [
        f"(define (f{i} x y k j) (define (set-x! z) (set! x z) z) {e})\n"
        f"(write (list (call/cc (lambda (k) (call/cc (lambda (j) (f{i} 1 2 k j)))))"
        f" (+ 1 (call/cc (lambda (k) (f{i} 3 4 k k))))))\n"
        for i, e in enumerate(expressions)
    ]
    text = "(define (id f) (f))\n(define (call k x) (k x))\n" + "".join(lines)
    assert agree(text, keep=False).status == 0
