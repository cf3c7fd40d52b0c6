"""Stacks that `append` makes: its pairs are the program's own (`advice.ownlists`)."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen import binding_times
from cogen.binding_times import parse_bt
from cogen.lang import il
from cogen.lang.datum import Datum, from_iterable, symbol
from cogen.lang.ilcheck import check
from cogen.lang.ilutil import all_blocks
from cogen.lang.load import loads
from cogen.lang.prelude import in_prelude
from cogen.specializer.advice.advise import Advice
from cogen.specializer.advice.ownlists import with_own_lists
from tests.cogen.residualways import result

pytestmark = pytest.mark.quick

PUSH: Final = """
(define (run todo n)
  (let loop ((stack (list 'a n)) (todo todo) (made '()))
    (cond ((null? todo) (list made stack))
          ((eq? (car todo) 'pop) (loop (cdr stack) (cdr todo) (cons (car stack) made)))
          (else (loop (append (car todo) stack) (cdr todo) made)))))
"""


def calls_of(program: il.Program, name: str) -> int:
    """How many calls of a global procedure there are in the program's own code."""
    return sum(
        type(block.tail) is il.Call
        and block.tail.function == il.Global(name)
        and not in_prelude(block.tail.span)
        for block in all_blocks(program)
    )


_STEPS: Final = st.one_of(
    st.just("pop"), st.lists(st.integers(0, 9), max_size=3).map(from_iterable), st.just(7)
)


@given(st.lists(_STEPS, max_size=6))
@settings(max_examples=max(12, settings().max_examples // 80), deadline=None)
def test_the_program_means_the_same(todo: list[Datum]) -> None:
    """Law: errors of `append` and of empty stacks are the same, too."""
    program = loads(PUSH)
    own = with_own_lists(program)
    check(own)
    steps = from_iterable([symbol(s) if type(s) is str else s for s in todo])
    assert result(own, steps, 5) == result(program, steps, 5)


def test_which_calls_are_the_programs_own() -> None:
    program = loads(PUSH)
    assert calls_of(program, "append") == 1
    assert calls_of(with_own_lists(program), "append") == 0
    others = loads("(define (run x y) (list (append x '(1)) (append x y x) (apply append x)))")
    assert with_own_lists(others) is others


def test_a_stack_that_append_makes_grows_in_boxes() -> None:
    text = """
    (define (run rules input)
      (let loop ((stack (list (caar rules))) (input input))
        (cond ((null? stack) input)
              ((assq (car stack) rules)
               => (lambda (rule) (if (pair? input)
                                     (loop (append (cdr rule) (cdr stack)) (cdr input))
                                     #f)))
              (else (loop (cdr stack) input)))))
    """
    rules = parse_bt("(static ((s s t) (t x)))")
    advice = Advice(loads(text), "run", [rules, binding_times.dynamic()])
    assert any("stack" in {lift.name for lift in step.lifts} for step in advice.steps)
    residual = cogen.specialize(loads(text), "run", rules, binding_times.dynamic())
    assert "append" not in residual.scheme
    assert "assq" not in residual.scheme
