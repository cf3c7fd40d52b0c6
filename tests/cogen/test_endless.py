"""Specializations without an end: what grows is told at the place that builds it, in time, and what
the diagnostic says to write makes the program end."""

from __future__ import annotations

import re
from time import process_time
from typing import NamedTuple

import pytest

from cogen.binding_times import BT, parse_bt
from cogen.lang.errors import CogenError
from cogen.lang.load import loads
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions
from tests.cogen.textbook import text_of

SECONDS = 3.0
"""Of a busy machine; each takes some tenths of one by itself."""


class Growing(NamedTuple):
    """A program with the place marked that is to be told, and what grows there."""

    program: str
    times: str = "_"
    what: str = ""


GROWING = {
    "up": Growing(
        "(define (f n x) (if (= n -1) x (f «(+ n 1)» x)))(define (main x) (f 0 x))", what="n"
    ),
    "past the end": Growing(
        "(define (fact n) (if (= n 0) 1 (* n (fact «(- n 1)»))))(define (main x) (+ x (fact -1)))",
        what="n",
    ),
    "no test": Growing(
        "(define (fact n) (* n (fact «(- n 1)»)))(define (main x) (+ x (fact 5)))", what="n"
    ),
    "by threes": Growing(
        "(define (main x) (let loop ((i 1)) (if (= i 3000) x (loop «(+ i 3)»))))(define k 3001)",
        what="i",
    ),
    "a text": Growing(
        '(define (f s x) (if (string=? s "b") x (f «(string-append s "a")» x)))'
        '(define (main x) (f "" x))',
        what="s",
    ),
    "a text that doubles": Growing(
        '(define (f s x) (if (string=? s "b") x (f «(string-append s s)» x)))'
        '(define (main x) (f "a" x))',
        what="s",
    ),
    "procedures and numbers": Growing(
        "(define (f k n) (if (= n -1) (k 0) (f (lambda (v) (k (+ v n))) «(+ n 1)»)))"
        "(define (main x) (f (lambda (v) (+ v x)) 0))",
        what="n",
    ),
    "macros": Growing(
        "(define (expand e) (if (pair? e) (case (car e)"
        " ((twice) (expand (list 'twice «(list 'begin (cadr e) (cadr e))»)))"
        " (else (cons (car e) (map expand (cdr e))))) e))"
        "(define (main x) (cons x (expand '(twice a))))",
        what="e",
    ),
    "names": Growing(
        "(define (main n) (let f ((s 'a) (n n)) (if (= n 0) (if (eq? s 'a1) 1 0)"
        ' (f «(string->symbol (string-append (symbol->string s) "1"))» (- n 1)))))',
        what="s",
    ),
    "two procedures": Growing(
        "(define (ping n x) (if (eqv? n 'end) x (pong «(+ n 1)» x)))"
        "(define (pong n x) (ping n x))(define (main x) (ping 0 x))",
        what="n",
    ),
    "an assigned variable": Growing(
        "(define (main x) (let ((n 0)) (let loop () (if (= n -1) x"
        " (begin (set! n «(+ n 1)») (loop))))))",
    ),
    "lists for the library": Growing(
        "(define (main x) (let loop ((n 5) (l '(1))) (if (= n 0) (apply + x l)"
        " (loop «(+ n (length l))» (map abs l)))))",
        what="n",
    ),
}


def residual_of(program: str, times: str = "_") -> str:
    bts: list[BT] = [parse_bt(time) for time in times.split()]
    return text_of(specialize(loads(program), "main", bts, SpecializerOptions()))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", GROWING)
def test_what_grows_is_told_where_it_is_built(name: str) -> None:
    case = GROWING[name]
    before, inside, after = re.split("[«»]", case.program)
    start = process_time()
    with pytest.raises(CogenError, match="does not seem to end") as caught:
        residual_of(before + inside + after, case.times)
    assert process_time() - start < SECONDS
    error = caught.value
    place = error.span
    assert place is not None
    assert place.source.text[place.start : place.end] == inside
    assert place.start == len(before)
    assert f"write (lift {inside}) here" in (error.hint or "")
    values = error.notes[0].message
    assert values.startswith(f"{case.what or 'n'} was ")
    assert values.count(", then ") == 2
    assert residual_of(f"{before}(lift {inside}){after}", case.times)


@pytest.mark.parametrize(
    ("program", "changed"),
    [
        ("(define (main x) (let loop () (loop)))", "(dcall loop)"),
        (
            "(define (steps n) (if (= n 0) 0 (+ 1 (steps (if (even? n) (quotient n 2) 4)))))"
            "(define (main x) (+ x (steps 4)))",
            "(dcall steps (if (even? n) (quotient n 2) 4))",
        ),
    ],
)
def test_where_nothing_grows(program: str, changed: str) -> None:
    start = process_time()
    with pytest.raises(CogenError, match="is called again and again, and no test") as caught:
        residual_of(program)
    assert process_time() - start < SECONDS
    place = caught.value.span
    assert place is not None
    text = place.source.text[place.start : place.end]
    assert "write (dcall …) for this call" in (caught.value.hint or "")
    assert residual_of(program.replace(text, changed))


def test_data_of_a_run_may_go_round_for_ever() -> None:
    """The residual program does not end, as the source does not."""
    loop = residual_of("(define (ping x) (pong x))(define (pong x) (ping x))(define main ping)")
    assert "(let" in loop
    fact = residual_of("(define (main n) (* n (main (lift (- n 1)))))")
    assert fact.count("*") == 1


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "program",
    [
        "(define (main x) (let loop ((i 0)) (if (= i 9000) x (loop (+ i 1)))))",
        "(define (main x) (let loop ((i 20000)) (if (< i 7) x (loop (- i 3)))))",
        "(define (main x) (let loop ((i 1) (n 0)) (if (= n 9000) (+ x i)"
        " (loop (modulo (* i 75) 65537) (+ n 1)))))",
        "(define (main x) (let loop ((i 1)) (if (= i 0) x (loop (modulo (+ i 1) 9000)))))",
        # what grows faster and faster, and turns in the end
        "(define (main x) (let loop ((n 0)) (if (< (* n n (- 20000 n)) 0) x (loop (+ n 1)))))",
        "(define (main x) (let loop ((n 0) (s 0) (t 0)) (if (< (* 9000 s) (* 2 t)) x"
        " (loop (+ n 1) (+ s n) (+ t s)))))",
        "(define (main x) (let loop ((n 0) (s 0) (t 0)) (if (< (- (* 9000 s) t) 0) x"
        " (loop (+ n 1) (+ s n) (+ t s)))))",
        "(define (main x) (let loop ((l (vector->list (make-vector 9000 1))) (n 0))"
        " (if (null? l) (+ x n) (loop (cdr l) (+ n (car l))))))",
        "(define (main x) (let loop ((v (make-vector 9 9)) (n 0)) (if (= n 9000) x"
        " (begin (vector-set! v 0 n) (loop v (+ 1 (vector-ref v 0)))))))",
    ],
)
def test_what_ends_after_many_rounds_is_carried_out(program: str) -> None:
    assert "loop" not in residual_of(program)


def test_several_places() -> None:
    """What shows only when something else is dynamic is told too."""
    program = (
        "(define (main n) (let f ((s 'a) (t 'b) (n n))"
        " (if (= n 0) (if (eq? s 'a1) (if (eq? t 'b1) 0 1) 2)"
        ' (f (string->symbol (string-append (symbol->string s) "1"))'
        ' (string->symbol (string-append (symbol->string t) "1")) (- n 1)))))'
    )
    with pytest.raises(CogenError, match="does not seem to end") as caught:
        residual_of(program)
    assert (caught.value.hint or "").count("(lift ") == 2
