"""Interpreted = native for loops over floats and integers, wherever floats are out of boxes."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cogen.nativecode.running import agree

ORDER = ("<", ">", "<=", ">=", "=")

CONSTANTS = ("0.0", "-0.0", "1.5", "-2.25", "1e308", "+inf.0", "0", "2", "-3", "(vector-ref v 0)")


def numbers(*names: str) -> st.SearchStrategy[str]:
    """Expressions of numbers, most of them floats, over the variables."""

    def larger(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        tests = st.builds(
            "({} {} {})".format, st.sampled_from(["<", ">", "<=", ">=", "="]), part, part
        )
        signs = st.builds("({} {})".format, st.sampled_from(["zero?", "positive?"]), part)
        return st.one_of(
            st.builds("({} {} {})".format, st.sampled_from("+-*/"), part, part),
            st.builds("({} {})".format, st.sampled_from(["sqrt", "abs", "exact->inexact"]), part),
            st.builds("(if {} {} {})".format, tests | signs, part, part),
            st.builds("(let ((t {})) (* t (+ t {})))".format, part, part),
            st.builds("((lambda () {}))".format, part),
        )

    return st.recursive(st.sampled_from((*names, *CONSTANTS)), larger, max_leaves=6)


@st.composite
def loops(draw: st.DrawFn, number: int) -> str:
    """A loop of two variables that start as floats, with what else is done with them."""
    x, y = (draw(numbers("a", "b")) for _ in "xy")
    next_x, next_y, item, called = (draw(numbers("x", "y", "a", "1.0")) for _ in range(4))
    kept = draw(
        st.sampled_from(["{}", "(list x {})", "((lambda () (vector {} y)))", "(h{n} {} x)"])
    )
    kept = kept.format(item, n=number)
    return f"""
(define (h{number} x y)
  (let ((v (vector x 2.5)) (a 0.5))
    (if (> y 100) (h{number} (* x 0.5) (- 0 y)) (list {called} y))))
(define (f{number} a b v n)
  (let loop ((i 0) (x {x}) (y {y}) (l '()))
    (if (= i n)
        (list x y l)
        (loop (+ i 1) {next_x} {next_y} (cons {kept} l)))))
(for-each (lambda (a)
            (write (guard (e ((error-object? e) (error-object-message e)))
                     (f{number} a 2.5 (vector a 1) 3)))
            (newline))
          '(1.5 -0.0 2))
"""


@st.composite
def programs(draw: st.DrawFn) -> str:
    return "".join(draw(loops(number)) for number in range(6))


@settings(
    max_examples=max(1, settings.default.max_examples // 20 if settings.default else 2),
    suppress_health_check=list(HealthCheck),
)
@given(programs())
def test_loops_over_floats(program: str) -> None:
    agree(program, keep=False)


def test_floats_that_live_across_everything() -> None:
    """Frames, closures, tail calls with many arguments, joins of floats with others."""
    agree(
        """
        (define (sum n x) (if (= n 0) x (+ x (sum (- n 1) (* x 0.5)))))
        (define (many a b c d e f n)
          (if (= n 0) (list a b c d e f) (many b c d e f (+ a 0.25) (- n 1))))
        (define (mixed n)
          (let loop ((i 0) (x 0.5) (y 0))
            (cond ((= i n) (list x y))
                  ((odd? i) (loop (+ i 1) (* x 2) (+ y 1)))
                  (else (loop (+ i 1) (- 0 x) (if (> i 3) 1.5 y))))))
        (define (kept n)
          (let loop ((i 0) (x 0.5) (l '()))
            (if (= i n) (map (lambda (f) (f)) l)
                (loop (+ i 1) (* x 1.5) (cons (lambda () (+ x i)) l)))))
        (define (again x)
          (call/cc (lambda (k) (let loop ((x x)) (if (> x 10.0) (k x) (loop (+ x x)))))))
        (write (list (sum 20 1.0) (many 1. 2. 3. 4. 5. 6. 9) (mixed 9) (kept 5) (again 0.3)))
        (write (let loop ((n 100000) (x 0.0)) (if (= n 0) x (loop (- n 1) (+ x 1.0)))))
        (write (let loop ((n 9) (x -0.0) (y 0.)) (if (= n 0) (/ 1.0 x) (loop (- n 1) (+ 0 x) y))))
        (write (list (/ 0.0 0.0) (/ 1.0 0) (sqrt -1.0) (- 0 0.0) (* 0 1.5) (+ 0 -0.0)))
        """
    )
