"""Constants of arms of conditionals that only tests of the run look at: there are few versions."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen import binding_times
from cogen.lang.reader import read_datum
from tests.cogen.residualways import result

pytestmark = pytest.mark.quick

MACHINE: Final = """
;; Statements (name op a b) assign a variable of a store.
(define (run program x y)
  (let loop ((program program) (store (list (cons 'x x) (cons 'y y) (cons 'a 0) (cons 'b 1))))
    (if (null? program)
        (map cdr store)
        (loop (cdr program) (assign (caar program) (value (cdar program) store) store)))))
(define (value e store)
  (cond ((symbol? e) (cdr (assq e store)))
        ((number? e) e)
        (else
         (let ((a (value (cadr e) store)) (b (value (caddr e) store)))
           (case (car e)
             ((+) (+ a b))
             ((-) (- a b))
             ((<) (if (< a b) 1 0))
             (else (if (= a b) (value (cadddr e) store) b)))))))
(define (assign name v store)
  (if (eq? name (caar store))
      (cons (cons name v) (cdr store))
      (cons (car store) (assign name v (cdr store)))))
"""
INTERPRETER: Final = cogen.loads(MACHINE)


def residual(program: str) -> cogen.Residual:
    known = binding_times.Static(read_datum(program))
    return cogen.specialize(INTERPRETER, "run", known, *[cogen.dynamic("int")] * 2)


names = st.sampled_from(["x", "y", "a", "b"])
atoms = names | st.integers(-1, 2).map(str)
values = atoms | st.builds("({} {} {})".format, st.sampled_from("+-<"), atoms, atoms)
tests = st.builds("(? {} {} {})".format, atoms, atoms, atoms)
statements = st.builds("({} . {})".format, names, values | tests)


@given(st.lists(statements, min_size=1, max_size=12), st.integers(-2, 2), st.integers(-2, 2))
@settings(max_examples=25)
def test_the_residual_program_gives_what_the_source_does(
    program: list[str], x: int, y: int
) -> None:
    text = f"({' '.join(program)})"
    found = residual(text).to_python()(x, y)
    wanted = result(INTERPRETER, read_datum(text), x, y)
    assert f"({' '.join(map(str, found))})" == wanted


def test_what_a_run_counts_is_one_number() -> None:
    """A count has a value for each conditional, not a version of what follows for each count."""
    tests = [f"(if (less? 49 x{i}) 1 0)" for i in range(6)]
    text = f"""
    (define (run {" ".join(f"x{i}" for i in range(6))})
      (let ((n (+ {" ".join(tests)})))
        (if (less? 2 n) (list x0 x1) (list n x2))))
    (define (less? a b) (< a b))
    """
    made = cogen.specialize(cogen.loads(text), "run", *[cogen.dynamic("int")] * 6)
    assert made.scheme.count("(< 2 ") == 1
    assert made.scheme.count("(< 49 ") == 6
    assert made.to_python()(60, 50, 49, 1, 50, 0) == [60, 50]
    assert made.to_python()(60, 50, 49, 1, 2, 0) == [2, 49]


def test_what_steers_stays_known() -> None:
    """A number that decides, known, when a loop ends is no data, though a run changes what else
    is there."""
    text = """
    (define (run x n)
      (let loop ((i 0) (s 1))
        (if (= i 6) s (loop (+ i 1) (if (< s n) (* s x) (+ s i))))))
    """
    made = cogen.specialize(cogen.loads(text), "run", cogen.dynamic("int"), cogen.dynamic("int"))
    assert "(= " not in made.scheme
    assert made.to_python()(3, 50) == int(result(cogen.loads(text), 3, 50))
