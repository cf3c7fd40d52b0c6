"""Procedures that work on the interpreted program as on data of the run (`advice.libraries`)."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen import binding_times
from cogen.binding_times import parse_bt
from cogen.lang.datum import Datum, from_iterable, symbol
from cogen.lang.ilcheck import check
from cogen.lang.load import loads
from cogen.specializer.advice.advise import Advice
from cogen.specializer.advice.advisedprogram import LIBRARY, AdvisedProgram
from tests.cogen.residualways import result

pytestmark = pytest.mark.quick

MATCHER: Final = """
;; Which of the rules' patterns are unified with the input: variables are (? name).
(define (run rules input)
  (if (null? rules)
      '()
      (let ((s (unify (car rules) input (list (cons '(? seed) 1)))))
        (cons (if s (resolve (car rules) s) 'no) (run (cdr rules) input)))))
(define (variable? t) (and (pair? t) (eq? (car t) '?)))
(define (walk t s)
  (if (variable? t)
      (let ((found (assoc t s))) (if found (walk (cdr found) s) t))
      t))
(define (unify a b s)
  (let ((a (walk a s)) (b (walk b s)))
    (cond ((equal? a b) s)
          ((variable? a) (cons (cons a b) s))
          ((variable? b) (cons (cons b a) s))
          ((and (pair? a) (pair? b))
           (let ((s (unify (car a) (car b) s))) (and s (unify (cdr a) (cdr b) s))))
          (else #f))))
(define (resolve t s)
  (let ((t (walk t s)))
    (if (pair? t) (cons (resolve (car t) s) (resolve (cdr t) s)) t)))
"""

EVALUATOR: Final = """
(define (run e x)
  (cond ((number? e) e)
        ((symbol? e) x)
        (else (let ((a (run (car e) x)) (b (run (cdr e) x))) (if (< a 0) b (+ a b))))))
"""

COUNTING: Final = "(define steps (vector 0))" + MATCHER.replace(
    "(cond ((equal? a b) s)",
    "(vector-set! steps 0 (+ 1 (vector-ref steps 0))) (cond ((equal? a b) s)",
)
"""The same, but `unify` changes something."""


def library_step(text: str, static: Datum) -> AdvisedProgram | None:
    """The program with its library procedures called, if it has any."""
    times = [binding_times.Static(static), parse_bt("_")]
    steps = [step for step in Advice(loads(text), "run", times).steps if step.of == LIBRARY]
    return steps[0] if steps else None


_LEAVES: Final = st.one_of(
    st.sampled_from("abc").map(symbol),
    st.sampled_from("xy").map(lambda name: from_iterable([symbol("?"), symbol(name)])),
    st.just(from_iterable([])),
)
TERMS: Final = st.recursive(
    _LEAVES, lambda t: st.lists(t, min_size=1, max_size=3).map(from_iterable)
)
GROUND: Final = st.recursive(
    st.sampled_from("abc").map(symbol),
    lambda t: st.lists(t, min_size=1, max_size=3).map(from_iterable),
)
RULES: Final = st.lists(TERMS, min_size=1, max_size=3).map(from_iterable)


@given(rules=RULES, term=GROUND)
@settings(max_examples=8, deadline=None)
def test_the_program_means_the_same(rules: Datum, term: Datum) -> None:
    step = library_step(MATCHER, rules)
    assert step is not None
    check(step.program)
    assert result(step.program, rules, term) == result(loads(MATCHER), rules, term)


@pytest.mark.slow
@given(rules=RULES, term=GROUND)
@settings(max_examples=8, deadline=None)
def test_residual_programs_give_what_the_program_gives(rules: Datum, term: Datum) -> None:
    step = library_step(MATCHER, rules)
    assert step is not None
    residual = cogen.specialize(step.program, "run", binding_times.Static(rules), parse_bt("_"))
    assert result(residual.program.program, term) == result(loads(MATCHER), rules, term)


def test_what_is_known_is_compared_and_the_rest_is_called() -> None:
    """The procedures stand once, however many rules there are: these add calls."""

    def size(count: int) -> int:
        names = map(symbol, "ab"[:1] * count)
        rule = from_iterable([*names, from_iterable(map(symbol, "?x"))])
        step = library_step(MATCHER, from_iterable([rule] * count))
        assert step is not None
        assert {"unify", "walk", "resolve"} <= step.called
        static = binding_times.Static(from_iterable([rule] * count))
        residual = cogen.specialize(step.program, "run", static, parse_bt("_"))
        return residual.scheme.count("(equal? ")

    assert size(1) == size(2) == size(4)


def test_what_the_interpreted_program_steers_is_no_library() -> None:
    """An evaluator takes nothing but the program apart, however much data it computes with."""
    program = from_iterable([1, symbol("x")], 2)
    assert library_step(EVALUATOR, program) is None


def test_what_changes_something_is_no_library() -> None:
    step = library_step(COUNTING, from_iterable([symbol("a")]))
    assert step is not None
    assert "walk" in step.called
    assert "unify" not in step.called
