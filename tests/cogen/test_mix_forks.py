"""The specializer in the language: known values that come out of unknown conditionals."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogen.lang.datum import Datum, from_iterable, symbol
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.primtable.equivalence import equal
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.mix.futamura import compile_with_any, generator
from cogen.mix.system import CARE, MixProgram

MACHINE: Final = """
(define (run program x)
  (let loop ((pc 0) (x x) (fuel 20))
    (if (or (>= pc (length program)) (= fuel 0))
        x
        (let ((i (list-ref program pc)))
          (let ((next (next-pc i pc x)))
            (loop next (operate i x) (lift (- fuel 1))))))))
(define (next-pc i pc x)
  (case (car i)
    ((positive) (if (> x 0) (cadr i) (+ pc 1)))
    ((jump) (cadr i))
    (else (+ pc 1))))
(define (operate i x)
  (case (car i) ((add) (+ x (cadr i))) ((times) (* x (cadr i))) (else x)))"""
"""A machine whose place in the program is found by a procedure with an unknown test."""

MATCHER: Final = """
(define (run rules x)
  (cond ((null? rules) 'none)
        ((match (caar rules) x '()) => (lambda (found) (build (cadar rules) found)))
        (else (run (cdr rules) x))))
(define (match p x found)
  (cond ((pair? p) (and (pair? x) (match-rest p x (match (car p) (car x) found))))
        ((symbol? p)
         (let ((old (assq p found)))
           (if old (and (equal? (cdr old) x) found) (cons (cons p x) found))))
        (else (and (equal? p x) found))))
(define (match-rest p x found) (and found (match (cdr p) (cdr x) found)))
(define (build e found)
  (cond ((symbol? e) (let ((old (assq e found))) (if old (cdr old) e)))
        ((pair? e) (cons (build (car e) found) (build (cdr e) found)))
        (else e)))"""
"""Patterns: what was found is a list with known names, or #f."""


def value(text: str, *arguments: Datum) -> Datum:
    interpreter = Interpreter(loads(text))
    interpreter.run()
    return interpreter.call("run", list(arguments))


def target(text: str, known: Datum) -> MixProgram:
    """The target, which all compilers make as well."""
    annotated = MixProgram.loads(text).annotate("run", "sd")
    made = annotated.specialize([known])
    compilers = [generator().compiler_by_cogen(level) for level in annotated.levels]
    assert compile_with_any(compilers, annotated, [known]).text == made.text
    return made


def test_a_place_in_a_program_is_known() -> None:
    program = read_datum("((add 1) (positive 4) (times -1) (jump 5) (add 10) (positive 0))", "test")
    made = MixProgram.loads(MACHINE).annotate("run", "sd").specialize([program])
    for word in ("list-ref", "length", "positive", "car"):
        assert word not in made.text
    for x in (-40, -1, 0, 3):
        assert made.run("run", [x]) == value(MACHINE, program, x)


def instructions() -> st.SearchStrategy[list[tuple[str, int]]]:
    places = st.tuples(st.sampled_from(["positive", "jump"]), st.integers(0, 6))
    numbers = st.tuples(st.sampled_from(["add", "times"]), st.integers(-3, 3))
    return st.lists(places | numbers, min_size=1, max_size=6)


@settings(max_examples=max(5, settings().max_examples // 4))
@given(instructions(), st.integers(-5, 5))
def test_machines_that_jump_do_the_same(program: list[tuple[str, int]], x: int) -> None:
    known = from_iterable(from_iterable([symbol(name), number]) for name, number in program)
    made = MixProgram.loads(MACHINE).annotate("run", "sd").specialize([known])
    assert made.run("run", [x]) == value(MACHINE, known, x)


def test_what_a_pattern_finds_is_known() -> None:
    rules = read_datum(
        '((("add" 0 x) x) (("add" x x) ("twice" x)) (("add" x y) ("sum" y x)))', "test"
    )
    made = target(MATCHER, rules)
    for word in ("assq", "match", "build", "'x", "'y"):
        assert word not in made.text
    for text in ('("add" 0 7)', '("add" 4 4)', '("add" (a) (b))', '("sub" 1 2)', '("add" 1)', "5"):
        x = read_datum(text, "test")
        assert equal(made.run("run", [x]), value(MATCHER, rules, x))


ENDLESS: Final = """
(define (run table x) (list-ref table (seek 0 x)))
(define (seek n x) (if (> x 100) n (seek (if (odd? x) 1 2) (+ x 1))))"""

KNOWN_PARTS_THAT_FAIL: Final = """
(define-record-type box (make-box value) box? (value value-of))
(define (run table x)
  (let ((found (choose table x)))
    (if (> x 0) (value-of found) (cadr found))))
(define (choose table x) (if (> x 0) (make-box (car table)) (list 1 (cadr table))))"""


@pytest.mark.parametrize(
    "text",
    [pytest.param(ENDLESS, id="no end"), pytest.param(KNOWN_PARTS_THAT_FAIL, id="failing parts")],
)
def test_what_cannot_fork_is_code(text: str) -> None:
    """A procedure that forks might go on for ever; or an arm cannot be done with a value that it
    never has."""
    table = read_datum("(10 20 30)", "test")
    made = target(text, table)
    for x in (-7, 98, 99, 200):
        assert made.run("run", [x]) == value(text, table, x)


def test_nothing_forks_with_more_care() -> None:
    annotated = MixProgram.loads(MATCHER).annotate("run", "sd")
    forking = [
        level.care for level in annotated.levels if "(fork " in write_datum(level.definitions)
    ]
    assert forking == [CARE[0]]


def test_what_is_only_true_or_not_does_not_fork() -> None:
    """Nothing is won by it, since it decides nothing but a conditional."""
    text = """(define (run l x) (if (near? x) (car l) (cadr l)))
      (define (near? x) (if (> x 0) (< x 10) #f))"""
    annotated = MixProgram.loads(text).annotate("run", "sd")
    assert "(fork " not in write_datum(annotated.definitions)


def test_an_error_of_a_known_part_is_told_if_it_is_one_for_all() -> None:
    text = "(define (run table x) (+ x (car (cdr table))))"
    with pytest.raises(CogenError, match="car: expected a pair"):
        MixProgram.loads(text).annotate("run", "sd").specialize([read_datum("(1)", "test")])


def test_arms_that_are_the_same_need_no_test() -> None:
    """Nor what they would have taken apart."""
    text = """(define (run x)
      (let loop ((n 0) (x x))
        (cond ((= n 3) (memo x))
              ((pair? x) (let ((y (cdr x))) (loop (+ n 1) x)))
              (else (loop (+ n 1) x)))))
      (define (memo x) (if (null? x) 1 2))"""
    made = MixProgram.loads(text).annotate("run", "d").specialize([])
    assert "pair?" not in made.text
    for x in (read_datum("()", "test"), read_datum("(1 2)", "test"), 5):
        assert made.run("run", [x]) == value(text, x)
