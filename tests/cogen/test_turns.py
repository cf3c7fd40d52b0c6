"""Objects of one place, of which those that a program makes when it starts stay as they are, and
others are assigned (`Cell.turn`, `paths.leaving`)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen import binding_times
from cogen.binding_times import parse_bt
from cogen.lang.reader import read_datum
from tests.cogen.test_families import left, result
from tests.corpus.cases import interpreter

COUNTER = "(define make-counter (lambda (n) (lambda (k) (begin (set! n (+ n k)) n))))"
MAKE = "(define make (lambda (n) (if (= n 0) '() (cons MADE (make (- n 1))))))"
GO = "(define go (lambda (cs s) (if (null? cs) s (begin EFFECT (go (cdr cs) (+ s ((car cs) 1)))))))"
MAIN = "(define main (lambda (x) RESULT))"

MADE = ["(make-counter n)", "(lambda (k) (begin (set! total (+ total k)) total))", "first"]
EFFECTS = [
    "((car cs) s)",
    "(set! total (+ total s))",
    "(set! first (car cs))",
    "(set! make-counter (lambda (n) (lambda (k) (+ n k))))",
    "(set! s (+ s total))",
]
RESULTS = [
    "(go (make x) 1)",
    "(let ((c (make-counter x))) (begin (c 2) (go (cons c (make x)) 1)))",
    "(begin (set! total x) (+ (go (make x) 1) total))",
    "(+ (go (make x) 1) (go (cons first (make 1)) total))",
]


WAYS = ["closures-boxes", "closures-alist", "closures-locations"]
"""Interpreters that keep variables in vectors, pairs and records."""


def residual(way: str, made: str, effect: str, shown: str) -> tuple[cogen.Residual, object]:
    texts = [COUNTER, MAKE.replace("MADE", made), GO.replace("EFFECT", effect)]
    texts += ["(define total 0)", "(define first (lambda (k) k))", MAIN.replace("RESULT", shown)]
    static = read_datum(f"({' '.join(texts)})")
    program = interpreter(way).loaded
    return cogen.specialize(program, "run", binding_times.Static(static), parse_bt("_")), static


@given(
    st.sampled_from(WAYS), st.sampled_from(MADE), st.sampled_from(EFFECTS), st.sampled_from(RESULTS)
)
@settings(max_examples=max(1, settings().max_examples // 32), deadline=None)
def test_variables_hold_what_was_last_assigned(
    way: str, made: str, effect: str, shown: str
) -> None:
    found, static = residual(way, made, effect, shown)
    source = interpreter(way).loaded
    for n in (0, 1, 3):
        assert left(found, n) == result(source, "run", static, n)


@pytest.mark.parametrize("shown", RESULTS[:2])
def test_what_the_program_sets_up_is_known(shown: str) -> None:
    """Variables of counters are assigned, globals are not, and one place makes the boxes of all."""
    text = residual(WAYS[0], MADE[0], EFFECTS[0], shown)[0].scheme
    assert "lookup" not in text
    assert "quote" not in text
    assert "'" not in text.replace("'()", "")


COUNTED = """
((define calls 0)
 (define fib (lambda (n)
   (begin (set! calls (+ calls 1)) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))))
 (define main (lambda (n) (let ((r (fib n))) (+ (* 1000 r) calls)))))
"""


@pytest.mark.parametrize("way", WAYS)
def test_globals_beside_one_that_is_assigned_are_known(way: str) -> None:
    """One place makes what holds the globals: `calls` is assigned in each round of a recursion,
    the first of them, and the procedures behind it are known all the same."""
    program = interpreter(way).loaded
    static = read_datum(COUNTED)
    found = cogen.specialize(program, "run", binding_times.Static(static), parse_bt("_"))
    assert left(found, 6) == result(program, "run", static, 6) == 8025
    assert not re.search(r"assq|lookup|lambda|apply-primitive|'fib", found.scheme)
