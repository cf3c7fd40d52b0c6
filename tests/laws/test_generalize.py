"""--generalize is sound and ends, on random programs of an interpreter without annotations."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogen import binding_times as bt
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions

pytestmark = pytest.mark.quick

ASSIGNING = """
(define (look x env) (if (eq? x (caar env)) (cdar env) (look x (cdr env))))
(define (put x v env)
  (if (eq? x (caar env)) (cons (cons x v) (cdr env)) (cons (car env) (put x v (cdr env)))))
(define (value e env)
  (cond ((symbol? e) (look e env))
        ((pair? e)
         (let ((a (value (cadr e) env)) (b (value (caddr e) env)))
           (case (car e) ((+) (+ a b)) ((-) (- a b)) (else (cons a b)))))
        (else e)))
(define (do-all cs env)
  (cond ((null? cs) env)
        ((eq? (caar cs) 'if)
         (if (< 0 (value (cadar cs) env))
             (do-all (cons (caddar cs) (cdr cs)) env)
             (do-all (cdr cs) env)))
        (else (do-all (cdr cs) (put (caar cs) (value (cadar cs) env) env)))))
(define (run body n)
  (let loop ((env (list (cons 'n n) (cons 'i 0) (cons 'j 1) (cons 'l '()) (cons 'm 'none))))
    (if (< 0 (look 'n env)) (loop (do-all body env)) env)))
"""


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """The body of a loop that is interpreted: it counts and collects."""

    def number() -> str:
        leaf = st.sampled_from(("i", "j", "n", "1", "2"))
        if draw(st.booleans()):
            return draw(leaf)
        return f"({draw(st.sampled_from('+-'))} {draw(leaf)} {draw(leaf)})"

    def command() -> str:
        target = draw(st.sampled_from("ijlm"))
        if target in "ij":
            return f"({target} {number()})"
        tail = draw(st.sampled_from(("l", "m", "()")))
        return f"({target} {draw(st.sampled_from((tail, f'(cons {number()} {tail})')))})"

    def conditional() -> str:
        return f"(if {number()} {command()})" if draw(st.booleans()) else command()

    return f"({' '.join(conditional() for _ in range(draw(st.integers(1, 4))))} (n (- n 1)))"


@pytest.mark.slow
@given(bodies())
@settings(max_examples=max(20, settings().max_examples // 50))
def test_interpreters_without_annotations_are_generalized_soundly(body: str) -> None:
    program, known = loads(ASSIGNING), read_datum(body)
    bts = [bt.Static(known), bt.Dynamic("int")]
    residual = specialize(program, "run", bts, SpecializerOptions(generalize=True, max_time=60.0))
    source = Interpreter(program)
    source.run()
    target = Interpreter(residual.program)
    target.run()
    for n in (0, 1, 2, 5, 9):
        wanted = write_datum(source.call("run", [known, n]))
        assert write_datum(target.call(residual.entry, [n])) == wanted
