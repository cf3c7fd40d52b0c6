"""What an assigned variable collects while only a run decides how often is made dynamic."""

from __future__ import annotations

import pytest

import cogen
from cogen.binding_times import parse_bt
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.specializer.advice.advise import Advice
from tests.cogen.textbook import call, residual_of, text_of

INTERPRETER = """
(import (scheme base) (srfi 111))
(define-record-type screen (make-screen lines) screen? (lines screen-lines set-screen-lines!))
{place}
(define (value e env)
  (cond ((number? e) e)
        ((symbol? e) (cdr (assq e env)))
        ((eq? (car e) '<) (< (value (cadr e) env) (value (caddr e) env)))
        (else (+ (value (cadr e) env) (value (caddr e) env)))))
(define (carry-out s env procedures)
  (case (car s)
    ((print) (let ((v (value (cadr s) env))) (emit! v)))
    ((both) (carry-out (cadr s) env procedures) (carry-out (caddr s) env procedures))
    ((when) (if (value (cadr s) env) (carry-out (caddr s) env procedures)))
    (else
     (let ((p (assq (car s) procedures)))
       (carry-out (caddr p)
                  (list (cons (cadr p) (value (cadr s) env)) (assq 'n env))
                  procedures)))))
(define (run n)
  (carry-out '(count 0) (list (cons 'n n))
             '((count i (when (< i n) (both (print (+ i i)) (both (print 7) (count (+ i 1))))))))
  {result})
"""
LIST = "(reverse {})"
PLACES = {
    "a global variable": (
        "(define out '()) (define (emit! v) (set! out (cons v out)))",
        LIST.format("out"),
    ),
    "a box": (
        "(define out (box '())) (define (emit! v) (set-box! out (cons v (unbox out))))",
        LIST.format("(unbox out)"),
    ),
    "a field": (
        "(define out (make-screen '()))"
        "(define (emit! v) (set-screen-lines! out (cons v (screen-lines out))))",
        LIST.format("(screen-lines out)"),
    ),
    "an element": (
        "(define out (vector 0 '()))"
        "(define (emit! v) (vector-set! out 1 (cons v (vector-ref out 1))))",
        LIST.format("(vector-ref out 1)"),
    ),
    "the end of a list": (
        "(define out '()) (define (emit! v) (set! out (append out (list v))))",
        "out",
    ),
    "points": (
        "(define out '()) (define (emit! v) (set! out (cons (cons v (- 0 v)) out)))",
        LIST.format("out"),
    ),
    "a string": (
        '(define out "") (define (emit! v) (set! out (string-append out (number->string v) ";")))',
        "out",
    ),
}


def interpreter(place: str) -> str:
    definitions, result = PLACES[place]
    return INTERPRETER.format(place=definitions, result=result)


def collected(text: str) -> list[str]:
    """The variables that are lifted because they collect, in the first advice."""
    advice = Advice(cogen.loads(text), "run", [parse_bt("_")])
    return [
        lift.name.partition(".")[0]
        for lift in advice.steps[0].lifts
        if lift.reason.startswith("collects")
    ]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_printed_is_collected(place: str) -> None:
    text = interpreter(place)
    assert len(collected(text)) == 1
    residual = residual_of(text, "run", "_")
    found = text_of(residual)
    for name in ("carry-out-2", "assq", "procedures", "when", "both", "print"):
        assert f"{name} " not in found
    assert found.count("(if") + found.count("(cond") <= 3
    for n in (0, 1, 5):
        machine = Interpreter(cogen.loads(text))
        machine.run()
        assert write_datum(call(residual, n)) == write_datum(machine.call("run", [n]))


STACK = """
(define stack '())
(define (push! v) (set! stack (cons v stack)))
(define (pop!) (let ((v (car stack))) (set! stack (cdr stack)) v))
(define (go code n)
  (if (null? code)
      (pop!)
      (begin
        (cond ((number? (car code)) (push! (car code)))
              ((eq? (car code) 'n) (push! n))
              (else (push! (+ (pop!) (pop!)))))
        (go (cdr code) n))))
(define (run n) (go '(1 n + n +) n))
"""
ENVIRONMENT = """
(define globals '())
(define (define! name v) (set! globals (cons (cons name v) globals)))
(define (go program n)
  (if (null? program)
      (cdr (assq 'b globals))
      (begin
        (define! (car program) (if (eq? (car program) 'a) n (cdr (assq 'a globals))))
        (go (cdr program) n))))
(define (run n) (go '(a b) n))
"""


@pytest.mark.parametrize("text", [STACK, ENVIRONMENT], ids=["a stack", "an environment"])
def test_what_is_left_as_it_is(text: str) -> None:
    """A stack, of which something is taken off, and what is searched by names."""
    steps = Advice(cogen.loads(text), "run", [parse_bt("_")]).steps
    assert not any(lift.reason.startswith("collects") for step in steps for lift in step.lifts)
    assert "assq" not in text_of(residual_of(text, "run", "_"))
