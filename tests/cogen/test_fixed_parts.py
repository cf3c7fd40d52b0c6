"""Parts of objects of the residual program that stay known (`values.fixed`), and elements that
nothing reads (`passes.elements`)."""

from __future__ import annotations

import pytest

import cogen
from cogen.lang.printer import write_datum
from tests.cogen.test_families import left, residual, result

COUNTER = """
(define (f n) (let ((store (list (cons 'a 0) (cons 'b 1)))) (loop n store)))
(define (loop n store)
  (if (= n 0)
      (list (cdr (assq 'a store)) (cdr (assq 'b store)))
      (begin (set-cdr! (assq 'a store) (+ (cdr (assq 'a store)) (cdr (assq 'b store))))
             (set-cdr! (assq 'b store) n)
             (if (odd? n) (loop (- n 1) store) (begin (loop 0 store) (loop (- n 1) store))))))
"""


def test_names_in_pairs_that_are_assigned_stay_known() -> None:
    made = residual(COUNTER, "f", "_")
    program = cogen.loads(COUNTER)
    for n in range(5):
        assert write_datum(left(made, n)) == write_datum(result(program, "f", n))
    assert "eq?" not in made.scheme
    assert "assq" not in made.scheme


def test_names_that_are_assigned_too_are_looked_at() -> None:
    """Here the name of a pair is another one after the first round."""
    text = COUNTER.replace("(if (odd? n)", "(set-car! (car store) 'c) (if (odd? n)").replace(
        "(assq 'a store)", "(car store)"
    )
    text = text.replace("(list (cdr (car store))", "(list (car (car store)) (cdr (car store))")
    made, program = residual(text, "f", "_"), cogen.loads(text)
    results = [result(program, "f", n) for n in range(4)]
    assert [write_datum(left(made, n)) for n in range(4)] == list(map(write_datum, results))
    assert write_datum(results[0]).startswith("(a ")
    assert write_datum(results[2]).startswith("(c ")


def test_records_with_names_that_nothing_assigns() -> None:
    text = """
    (define-record-type slot (make-slot name value) slot? (name slot-name) (value slot-value set!))
    (define (find name slots)
      (if (eq? name (slot-name (car slots))) (car slots) (find name (cdr slots))))
    (define (f n) (loop n (list (make-slot 'a 0) (make-slot 'b 1))))
    (define (loop n slots)
      (if (= n 0)
          (slot-value (find 'b slots))
          (begin (set! (find 'b slots) (+ n (* 2 (slot-value (find 'b slots)))))
                 (if (odd? n) (loop (- n 1) slots) (begin (loop 0 slots) (loop (- n 1) slots))))))
    """.replace("set!", "set-value!")
    made, program = residual(text, "f", "_"), cogen.loads(text)
    assert [left(made, n) for n in range(5)] == [result(program, "f", n) for n in range(5)]
    assert "eq?" not in made.scheme


def same(text: str, *, runs: int = 5) -> str:
    """The residual text of (f n), which gives what the program gives."""
    made, program = residual(text, "f", "_"), cogen.loads(text)
    for n in range(runs):
        assert write_datum(left(made, n)) == write_datum(result(program, "f", n)), n
    return made.scheme


VECTOR = """
(define (f n) (let ((v (vector 'a 'b 0))) (g n v) (g (+ n 1) v)))
(define (g n v)
  (if (< n 1)
      (list (eq? (vector-ref v 0) 'a) (eq? (vector-ref v 1) 'b) (vector-ref v 2))
      (begin
        (vector-set! v 2 n)
        OTHER
        (cons (vector-ref v 2) (g (- n 1) v)))))
"""


@pytest.mark.parametrize(
    ("other", "tests"),
    [("n", 0), ("(if (= n 2) (vector-set! v 1 'c))", 1), ("(vector-set! v (modulo n 3) 'd)", 2)],
    ids=["none", "one", "any"],
)
def test_elements_are_known_if_nothing_assigns_them(other: str, tests: int) -> None:
    """What is assigned is found out on the way: then all begins again."""
    assert same(VECTOR.replace("OTHER", other)).count("(eq? ") == tests


def test_classes_of_objects_that_are_vectors_stay_known() -> None:
    text = """
    (define-record-type class (make-class name methods) class? (name name-of) (methods methods-of))
    (define counter (make-class 'counter '((up . 1) (down . -1))))
    (define (method o name) (cdr (assq name (methods-of (vector-ref o 0)))))
    (define (send o name) (vector-set! o 1 (+ (vector-ref o 1) (method o name))))
    (define (f n) (let ((o (vector counter 0))) (go n o) (vector-ref o 1)))
    (define (go n o)
      (if (> n 0)
          (begin (send o (if (odd? n) 'up 'down)) (go (- n 1) o) (send o 'up))))
    """
    made = same(text)
    for name in ("assq", "counter", "make-class"):
        assert name not in made


def test_elements_that_nothing_reads_are_left_out() -> None:
    text = """
    (define (f n) (go n (vector 'unread (list n n) n)))
    (define (go n v)
      (if (= n 0)
          (vector-ref v 2)
          (begin (vector-set! v 1 n) (vector-set! v 2 (* 2 (vector-ref v 2)))
                 (if (= n 2) (begin (go 0 v) (go (- n 1) v)) (go (- n 1) v)))))
    """
    made = same(text)
    assert "list" not in made
    assert "unread" not in made


@pytest.mark.parametrize("use", ["(list v)", "(vector-ref v (modulo (vector-ref v 2) 3))", "v"])
def test_elements_of_vectors_that_leave_stay(use: str) -> None:
    text = f"""
    (define (f n) (go n (vector 'unread (list n n) n)))
    (define (go n v)
      (if (= n 0)
          {use}
          (begin (vector-set! v 2 (* 2 (vector-ref v 2)))
                 (if (= n 2) (begin (go 0 v) (go (- n 1) v)) (go (- n 1) v)))))
    """
    assert "unread" in same(text)
