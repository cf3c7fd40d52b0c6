"""Calls of which everything is known, run by the interpreter: what comes out is the same."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.lang import il
from cogen.lang.load import loads
from cogen.specializer.analyses import outright
from cogen.specializer.analyses.outright import COMPUTING, Computing
from cogen.specializer.versions.effort import usual_effort, usual_size

pytestmark = pytest.mark.quick

INDEX = """
(define (index name names)
  (let loop ((names names) (i 0))
    (cond ((null? names) #f) ((eq? name (car names)) i) (else (loop (cdr names) (+ i 1))))))
"""
SORT = """
(define (insert x l)
  (if (or (null? l) (<= x (car l))) (cons x l) (cons (car l) (insert x (cdr l)))))
(define (sorted l) (if (null? l) '() (insert (car l) (sorted (cdr l)))))
"""


def both(text: str) -> tuple[cogen.Residual, cogen.Residual]:
    """The residual programs of f with calls that are run, and with none."""
    run = cogen.specialize(loads(text), "f", cogen.dynamic())
    with patch.object(Computing, "needs", lambda self, function: None):
        unfolded = cogen.specialize(loads(text), "f", cogen.dynamic())
    return run, unfolded


PROGRAMS = [
    INDEX + "(define (f x) (if (< (index 'c '(a b c)) 2) x (vector-ref x (index 'c '(a b c)))))",
    SORT + "(define (f x) (map (lambda (y) (+ x y)) (sorted '(3 1 2))))",
    SORT + "(define (f x) (equal? x (sorted '(3 1 2))))",
    "(define (f x) (let ((l '((a 1) (b 2)))) (if (eq? (assq 'b l) (cadr l)) x 'other)))",
    """(define (copy l) (if (null? l) l (cons (car l) (copy (cdr l)))))
       (define (f x) (let ((l '(1 2))) (if (eq? (copy l) l) x (append (copy l) x))))""",
    "(define (f x) (append (append '(1) '(2 3) (list 4)) x))",
    """(define (sum . l) (if (null? l) 0 (+ (car l) (apply sum (cdr l)))))
       (define (f x) (+ x (sum 1 2 3)))""",
    "(define table '((a . 1) (b . 2))) (define (f x) (+ x (cdr (assq 'b table))))",
    """(define n 3) (define (down i) (if (= i 0) n (down (- i 1))))
       (define (f x) (set! n x) (+ n (down 4)))""",
    """(define (g l) (if (null? l) (error "none" l) (g (cdr l))))
       (define (f x) (if (= x 0) (g '(1)) x))""",
    "(define (f l) (let ((p (list 1 2))) (set-car! p 5) (cons (length p) (list-tail p 1))))",
    """(define (rev l a) (if (null? l) a (rev (cdr l) (cons (car l) a))))
       (define (f l) (let ((p (rev '(1 2) '()))) (set-car! p l) p))""",
    """(define (strings n) (if (= n 0) "" (string-append "ab" (strings (- n 1)))))
       (define (f x) (cons x (strings 3)))""",
    """(define (curry n) (if (= n 0) (lambda (y) y) (curry (- n 1))))
       (define (f x) ((curry 3) x))""",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_the_residual_text_is_the_same(text: str) -> None:
    run, unfolded = both(text)
    assert run.scheme == unfolded.scheme
    extension = cogen.generate(loads(text), "f", cogen.dynamic())
    assert extension().scheme == run.scheme


LOOKUPS = [
    INDEX + "(define (f x) (vector-ref x (index 'c '(a b c))))",
    INDEX + "(define (f x) (let ((g index)) (vector-ref x (g 'c '(a b c)))))",
    INDEX
    + """(define (value e names x)
           (if (pair? e)
               (+ (value (car e) names x) (value (cdr e) names x))
               (vector-ref x (index e names))))
         (define (f x) (value '((a . b) . (c . (b . a))) '(a b c) x))""",
    """(define (nth l i) (if (= i 0) (car l) (nth (cdr l) (- i 1))))
       (define (sum i x) (if (= i 5) x (sum (+ i 1) (+ x (nth '(5 4 3 2 1) i)))))
       (define (f x) (sum 0 x))""",
]


@pytest.mark.parametrize("text", LOOKUPS)
def test_compilers_unfold_as_many_calls(text: str) -> None:
    """What an attempt may cost is the same, so is which attempt leads to the residual program."""
    residual = cogen.specialize(loads(text), "f", cogen.dynamic())
    extension = cogen.generate(loads(text), "f", cogen.dynamic())
    calls = residual.statistics["calls unfolded"]
    assert extension().statistics["calls unfolded"] == calls


def test_equal_strings_are_no_more_effort_than_one() -> None:
    """They are one object in compilers, and may be several in a program."""
    text = """(define (f x) (if (< x 0) (error "none" x) (g x)))
              (define (g x) (if (> x 9) (error "none" x) x))"""
    once = text.replace('(error "none" x) x', "'none x")
    efforts = [usual_effort(usual_size(loads(text), [])) for text in (text, once)]
    assert efforts[0] == efforts[1]


@given(st.lists(st.integers(-9, 9), max_size=8), st.integers(-9, 9))
def test_data_that_are_made(numbers: list[int], x: int) -> None:
    text = SORT + f"(define (f x) (insert x (sorted '({' '.join(map(str, numbers))}))))"
    run, unfolded = both(text)
    assert run.scheme == unfolded.scheme
    assert list(run.to_python()(x)) == sorted([*numbers, x])


def test_it_is_far_less_work() -> None:
    text = SORT + "(define (f x) (cons x (sorted '(9 8 7 6 5 4 3 2 1))))"
    run, unfolded = both(text)
    assert run.statistics["calls unfolded"] * 10 < unfolded.statistics["calls unfolded"]


@pytest.mark.parametrize("call", ["(g '(1 2))", "(car (g '(1 2)))"])
def test_what_fails_is_told_as_ever(call: str) -> None:
    text = f"(define (g l) (if (null? l) (car l) (g (cdr l))))\n(define (f x) {call})"
    told = []
    for needs in (Computing.needs, lambda self, function: None):
        with (
            patch.object(Computing, "needs", needs),
            pytest.raises(cogen.CogenError) as refused,
        ):
            cogen.specialize(loads(text), "f", cogen.dynamic())
        told.append(str(refused.value))
    assert told[0] == told[1]
    assert "car: expected a pair" in told[0]


def test_what_takes_long_is_unfolded() -> None:
    text = SORT + "(define (f x) (cons x (sorted '(9 8 7 6 5 4 3 2 1))))"
    with patch.object(outright, "MOST_STEPS", 1):
        run, unfolded = both(text)
    assert run.scheme == unfolded.scheme
    assert run.statistics["calls unfolded"] > 20


@pytest.mark.parametrize(
    ("body", "computes"),
    [
        ("(if (= n 0) 1 (* n (g (- n 1))))", True),
        ("(let loop ((i 0)) (if (= i n) i (loop (+ i 1))))", True),
        ("(+ n 1)", False),
        ("(begin (display n) (g n))", False),
        ("(let ((v (make-vector 3 0))) (vector-set! v 0 n) (g v))", False),
        ("(g (lift n))", False),
        ("(call/cc (lambda (k) (g k)))", False),
        ("(apply g n)", True),
        ("(if (= n 0) (h n) (g (- n 1)))", False),
        ("(map (lambda (x) (g x)) n)", True),
    ],
)
def test_which_procedures_only_compute(body: str, computes: bool) -> None:
    program = loads(f"(define (h n) (newline) n) (define (g n) {body})")
    (function,) = [
        item.function for item in program.items if type(item) is il.Define and item.name == "g"
    ]
    assert (Computing(program).needs(function) is not None) == computes


def unwanted() -> Iterator[str]:
    """Operations with effects, or that depend on more than their operands."""
    yield from ("display", "vector-set!", "set-car!", "read-char", "load-word", "current-second")
    yield from ("lift", "%lift-value", "set-base", "word-size", "global-get", "make-vector")


def test_what_computing_is() -> None:
    assert COMPUTING.isdisjoint(unwanted())
    assert {"+", "cons", "car", "equal?", "string-append"} <= COMPUTING


def test_what_standard_output_was_may_be_closed() -> None:
    """A program that is specialized again has the interpreter that ran for it before."""
    program = loads(PROGRAMS[0])
    with io.TextIOWrapper(io.BytesIO()) as other, contextlib.redirect_stdout(other):
        first = cogen.specialize(program, "f", cogen.dynamic())
    assert cogen.specialize(program, "f", cogen.dynamic()).scheme == first.scheme
