"""Numbers that count while only a run decides how often are made dynamic, in structures too."""

from __future__ import annotations

import pytest

import cogen
from cogen.binding_times import parse_bt
from cogen.lang.datum import Pair
from cogen.lang.printer import write_datum
from cogen.specializer.advice.advise import Advice
from tests.cogen.textbook import call, residual_of, text_of

MACHINE = """
(define (lookup r regs) (cdr (assq r regs)))
(define (update r v regs)
  (cond ((null? regs) (list (cons r v)))
        ((eq? (caar regs) r) (cons (cons r v) (cdr regs)))
        (else (cons (car regs) (update r v (cdr regs))))))
(define (find label program)
  (if (eq? (car program) label) (cdr program) (find label (cdr program))))
(define (step code program regs input log)
  (if (null? code)
      (list regs (reverse log))
      (let ((i (car code)))
        (if (symbol? i)
            (step (cdr code) program regs input log)
            (let ((rest (cdr code)))
              (case (car i)
                ((inc)
                 (step rest program (update (cadr i) (+ 1 (lookup (cadr i) regs)) regs) input log))
                ((print) (step rest program regs input (cons (lookup (cadr i) regs) log)))
                ((jump) (step (find (cadr i) program) program regs input log))
                (else
                 (cond ((null? input) (list regs (reverse log)))
                       ((car input) (step rest program regs (cdr input) log))
                       (else (step (find (cadr i) program) program regs (cdr input) log))))))))))
(define (run input)
  (let ((p '(top (read no) (inc yes) (print yes) (jump top) no (inc no) (jump top))))
    (step p p '((yes . 0) (no . 0)) input '())))
"""


def lifted(text: str, entry: str, *times: str) -> set[str]:
    """The variables that are lifted because they count, or hold what does."""
    bts = [parse_bt(time) for time in times]
    return {
        lift.name.partition(".")[0]
        for step in Advice(cogen.loads(text), entry, bts).steps
        for lift in step.lifts
        if lift.reason.startswith("counts")
    }


def test_a_machine_with_registers_in_a_list() -> None:
    residual = residual_of(MACHINE, "run", "_")
    text = text_of(residual)
    assert text.count("(if") + text.count("(cond") == 1
    assert text.count("define") == 1
    for name in ("lookup", "assq", "update", "find", "read", "jump"):
        assert name not in text
    found = call(residual, "(#t #f #t #t #f)")
    assert isinstance(found, Pair)
    assert write_datum(found) == "(((yes . 3) (no . 2)) (1 2 3))"


@pytest.mark.parametrize(
    ("definitions", "names"),
    [
        # in a list; in an argument of its own, which is known to be no use
        ("(define (f l) (go l 0)) (define (go l n) (if (null? l) n (go (cdr l) (+ n 1))))", set()),
        (
            "(define (f l) (go l (list 'n 0)))"
            "(define (go l s) (if (null? l) s (go (cdr l) (list 'n (+ (cadr s) 1)))))",
            {"s"},
        ),
        # nothing counts, something static gets smaller, what counts is an index
        (
            "(define (f l) (go l (list 0)))"
            "(define (go l s) (if (null? l) s (go (cdr l) (list (car l)))))",
            set(),
        ),
        (
            "(define (f x) (go '(1 2 3) (list 0) x))"
            "(define (go l s x) (if (null? l) (+ (car s) x) (go (cdr l) (list (+ (car s) 1)) x)))",
            set(),
        ),
        (
            "(define (f l) (go l (list 0)))"
            "(define (go l s) (if (null? l) s (go (cdr l) (list (vector-ref #(1 2 0) (car s))))))",
            set(),
        ),
        (
            "(define (f l) (go l (list 0))) (define (go l s)"
            "  (if (null? l) (list-ref '(1 0) (car s)) (go (cdr l) (list (+ (car s) 1)))))",
            set(),
        ),
    ],
)
def test_what_counts(definitions: str, names: set[str]) -> None:
    assert lifted(definitions, "f", "_") == names


def test_loops_that_known_numbers_end_stay_unfolded() -> None:
    text = "(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))"
    residual = text_of(residual_of(text, "power", "_", "(static 60)"))
    assert residual.count("(* ") == 60


OBJECTS = """
(define-record-type point (make-point name h v) point? (name name-of) (h h-of) (v v-of))
(define (f x)
  (let* ((p (make-point 'p 1 2.5))
         (q (%lift-numbers (list 'a "b" #\\c p (vector 3 4) '(5 (6 . d)) x))))
    (list (eq? 'a (car q)) (name-of (list-ref q 3)) (+ (h-of (list-ref q 3)) (v-of (list-ref q 3)))
          (vector-ref (list-ref q 4) 0) (list-ref q 5) (string? (cadr q)) (list-ref q 6))))
"""


def test_numbers_become_dynamic_and_structures_do_not() -> None:
    residual = residual_of(OBJECTS, "f", "_")
    assert write_datum(call(residual, "7")) == "(#t p 3.5 3 (5 (6 . d)) #t 7)"
    text = text_of(residual)
    for name in ("record", "list-ref", "vector", "string?"):
        assert name not in text
