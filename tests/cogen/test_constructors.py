"""Values with a tag, `(cons 'Node parts)`, of an interpreted program are data of the run."""

from __future__ import annotations

import cogen
from cogen.binding_times import parse_bt
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.specializer.advice.advise import Advice
from tests.cogen.textbook import call, residual_of, text_of

TERMS = """
(define (value e env functions)
  (cond ((number? e) e)
        ((symbol? e) (cdr (assq e env)))
        (else
         (case (car e)
           ((+) (+ (value (cadr e) env functions) (value (caddr e) env functions)))
           ((if) (if (= 0 (value (cadr e) env functions))
                     (value (caddr e) env functions)
                     (value (cadddr e) env functions)))
           ((make)
            (cons (cadr e) (map (lambda (x) (value x env functions)) (cddr e))))
           ((match)
            (let ((v (value (cadr e) env functions)))
              (let find ((clauses (cddr e)))
                (if (eq? (car v) (car (car (car clauses))))
                    (value (cadr (car clauses))
                           (append (map cons (cdr (car (car clauses))) (cdr v)) env)
                           functions)
                    (find (cdr clauses))))))
           (else
            (let ((f (assq (car e) functions)))
              (value (caddr f)
                     (map (lambda (p x) (cons p (value x env functions))) (cadr f) (cdr e))
                     functions)))))))
(define (run n)
  (value '(total (build n (make One 1)))
         (list (cons 'n n))
         '((build (n t) (if n t (build (+ n -1) (make Two t (+ (size t) 1)))))
           (size (t) (match t ((One a) a) ((Two a b) b)))
           (total (t) (match t ((One a) a) ((Two a b) (+ b (total a))))))))
"""


def given_up(text: str) -> list[str]:
    """The places where values that values are put into are made dynamic, in the first advice."""
    advice = Advice(cogen.loads(text), "run", [parse_bt("_")])
    return [
        lift.place.source.text[lift.place.start : lift.place.end]
        for lift in advice.steps[0].lifts
        if lift.reason.startswith("is a value, and") and lift.place is not None
    ]


def test_terms_that_are_built_round_a_loop() -> None:
    assert [place.split()[0] for place in given_up(TERMS)] == ["(cons"]
    residual = residual_of(TERMS, "run", "_")
    text = text_of(residual)
    for name in ("assq", "functions", "build", "'match", "'a", "'t"):
        assert name not in text
    machine = Interpreter(cogen.loads(TERMS))
    machine.run()
    for n in (0, 1, 7):
        assert write_datum(call(residual, n)) == write_datum(machine.call("run", [n]))


def test_the_class_of_an_object_is_no_tag() -> None:
    """It is searched for, so it steers what is interpreted: it stays known."""
    text = """
    (define (value e env classes)
      (cond ((number? e) e)
            ((symbol? e) (cdr (assq e env)))
            ((eq? (car e) 'new) (cons (cadr e) (list (value (caddr e) env classes))))
            ((eq? (car e) '+) (+ (value (cadr e) env classes) (value (caddr e) env classes)))
            ((eq? (car e) 'if)
             (if (= 0 (value (cadr e) env classes))
                 (value (caddr e) env classes)
                 (value (cadddr e) env classes)))
            (else
             (let ((v (value (cadr e) env classes)))
               (value (cadr (assq (car v) classes))
                      (list (cons 'self v) (cons 'n (cadr v)))
                      classes)))))
    (define (run n)
      (value '(send (if n (new counter n) (new double (new counter n))))
             (list (cons 'n n))
             '((counter n) (double (+ (send n) (send n))))))
    """
    assert given_up(text) == []
    residual = residual_of(text, "run", "_")
    machine = Interpreter(cogen.loads(text))
    machine.run()
    for n in (0, 3):
        assert write_datum(call(residual, n)) == write_datum(machine.call("run", [n]))
