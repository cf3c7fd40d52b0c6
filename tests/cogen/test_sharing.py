"""That variables are one in the first call of a recursion alone is worth no version of it."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.residual import ResidualProgram
from tests.cogen.textbook import call, residual_of, text_of

QUERY = """
(define (keep ok? rows)
  (cond ((null? rows) '())
        ((ok? (car rows)) (cons (car rows) (keep ok? (cdr rows))))
        (else (keep ok? (cdr rows)))))
(define (column name names row)
  (if (eq? name (car names)) (car row) (column name (cdr names) (cdr row))))
(define (holds? t names row)
  (case (car t)
    ((not) (not (holds? (cadr t) names row)))
    ((and) (and (holds? (cadr t) names row) (holds? (caddr t) names row)))
    (else (> (column (cadr t) names row) (caddr t)))))
(define (query q rows)
  (case (car q)
    ((from) (cons (cadr q) rows))
    ((where)
     (let ((r (query (caddr q) rows)))
       (cons (car r) (keep (lambda (row) (holds? (cadr q) (car r) row)) (cdr r)))))
    (else
     (let ((r (query (caddr q) rows)))
       (cons (cadr q)
             (map (lambda (row) (map (lambda (c) (column c (car r) row)) (cadr q))) (cdr r)))))))
(define (run rows)
  (query '(select (b) (where (and (> a 3) (not (> b 7))) (from (a b)))) rows))
"""


def test_a_list_that_a_procedure_has_closed_over_too() -> None:
    """The predicate holds the list that is gone through; the rest of it is no longer that."""
    residual = residual_of(QUERY, "run", "_")
    text = text_of(residual)
    assert text.count("(pair? ") == text.count("(null? rows") == 1
    assert text.count("(if ") == 2, "both tests of the predicate lead to the same"
    rows = "((1 2) (4 5) (9 9) (6 1))"
    assert write_datum(call(residual, rows)) == "((b) (5) (1))"


APART = """
(define (walk tree a b)
  (cond ((null? tree) (- a b))
        ((pair? tree) (+ (walk (car tree) a {first}) (walk (cdr tree) {second} b)))
        (else (+ tree a))))
(define (run tree n m) (list (walk tree n n) (walk tree m n)))
"""


@cache
def specialized(text: str) -> ResidualProgram:
    return residual_of(text, "run", "_", "_", "_")


@pytest.mark.parametrize("first", ["b", "(+ b 1)", "a"])
@pytest.mark.parametrize("second", ["a", "(* a 2)", "b"])
@given(
    tree=st.recursive(
        st.integers(-9, 9).map(str),
        lambda inner: st.lists(inner, max_size=3).map(lambda parts: f"({' '.join(parts)})"),
        max_leaves=8,
    ),
    n=st.integers(-9, 9),
    m=st.integers(-9, 9),
)
def test_it_is_the_same_program(first: str, second: str, tree: str, n: int, m: int) -> None:
    text = APART.format(first=first, second=second)
    residual = specialized(text)
    assert text_of(residual).count("(define (walk") == 1
    machine = Interpreter(cogen.loads(text))
    machine.run()
    wanted = write_datum(call(residual, tree, n, m))
    assert write_datum(machine.call("run", [read_datum(tree), n, m])) == wanted
