"""Procedures that C calls directly: which they are, and that leaving them is seen by nobody."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogen.api import loads
from cogen.backends.native.compile import PASSES, c_text
from cogen.backends.native.module import ProgramText
from tests.cogen.nativecode.running import Run, agree, native


def _module(text: str) -> ProgramText:
    program = loads(text, "test.scm")
    for _, run in PASSES:
        program = run(program, None)
    return ProgramText(program, None, 32)


def _direct(text: str) -> set[str]:
    """The names of the direct procedures of a program."""
    return {p.function.label or p.function.name for p in _module(text).procedures if p.direct}


FIB = "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))\n"

SUM = "(define (sum l) (if (pair? l) (+ (car l) (sum (cdr l))) 0))\n"

UP = "(define (up n m) (if (< n m) (cons n (up (+ n 1) m)) '()))\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (FIB + "(write (fib 20))", {"fib"}),
        (SUM + UP + "(write (sum (up 0 9)))", {"sum"}),  # what makes a list gains nothing
        (
            "(define (f n) (if (= n 0) '() (cons (g n) (f (- n 1)))))"
            "(define (g n) (if (= n 0) 0 (if (odd? n) (f (- n 1)) (g (- n 2)))))"
            "(write (f 5))",
            {"f", "g"},
        ),
        ("(define (f n) (if (= n 0) 0 (f (- n 1)))) (write (f 9))", set()),  # a loop
        (
            "(define (f n) (if (= n 0) 0 (begin (write n) (+ 1 (f (- n 1)))))) (write (f 5))",
            set(),  # done by the run time
        ),
        (
            "(define v (vector 0 0))(define (f n) (if (= n 0) 0 (begin (vector-set! v 0 n)"
            " (+ 1 (f (- n 1)))))) (write (f 5))",
            {"f"},
        ),
        (
            "(define (f g n) (if (= n 0) 0 (+ (g n) (f g (- n 1))))) (write (f (lambda (x) x) 5))",
            set(),  # a call of what is not known
        ),
        (
            "(define (f n) (if (< n 2.0) n (+ (f (- n 1.0)) (f (- n 2.0))))) (write (f 9.0))",
            set(),  # floats
        ),
    ],
)
def test_direct_procedures(text: str, names: set[str]) -> None:
    assert _direct(text) == names
    assert ('#include "direct.h"' in c_text(loads(text, "test.scm")).text) == bool(names)


def test_parameters_and_results_that_are_small_integers() -> None:
    """Those that are computed with, if no direct call passes anything else."""
    module = _module(
        FIB + "(define (f n l) (if (= n 0) l (f (fib n) (cons n (f (- n 1) l)))))"
        "(define (g n x) (if (= n 0) x (g (- n 1) (g (- n 1) (if (= x 1) 'a x)))))"
        "(write (list (fib 9) (f 3 '()) (g 0 4)))"
    )
    known = {
        p.function.name: [
            *(name in module.fixnums.names for name in p.function.parameters),
            id(p) in module.fixnums.results,
        ]
        for p in module.procedures.of_global.values()
    }
    assert known == {
        "fib": [True, True],
        "f": [True, False, False],
        "g": [True, False, False],
    }


def test_a_recursion_in_which_the_heap_fills() -> None:
    """Deeper than C's stack, and long enough for collections in the middle."""
    done = native(
        loads(
            "(define (up n m) (if (> n m) '() (cons n (up (+ n 1) m))))"
            "(define (without n l) (cond ((null? l) '())"
            "  ((= (remainder (car l) n) 0) (without n (cdr l)))"
            "  (else (cons (car l) (without n (cdr l))))))"
            "(define (sieve l) (if (null? l) '() (cons (car l) (sieve (without (car l) (cdr l))))))"
            "(define (repeat n r) (if (= n 0) r (repeat (- n 1) (length (sieve (up 2 20000))))))"
            "(write (repeat 3 0))",
            "test.scm",
        )
    )
    assert done == Run("2262", "", 0)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "text",
    [
        FIB + "(write (fib 15)) (write (fib 15.0)) (write (fib 'a))",
        SUM + UP + "(write (sum (up 0 20000))) (write (sum (up 0 70)))",  # deeper than C's stack
        SUM + "(write (sum '(1 2.5 3))) (write (sum (list 4611686018427387903 1)))",
        SUM + "(write (sum '(1 2 . 3))) (write (sum '(1 (2) 3)))",
        "(define (power n) (if (= n 0) 1 (* 4 (power (- n 1))))) (write (power 31)) (power 32)",
        # the place where the program called the library is told
        "(define (f l n) (if (= n 0) (append l l) (append (f l (- n 1)) l)))"
        "(write (length (f '(1 2) 3))) (write (f '(1 2 . 3) 2))",
        "(define (f l n) (if (= n 0) (length l) (+ 1 (f l (- n 1)))))"
        "(write (f '(1 2) 3)) (write (f 5 3))",
        # a loop around calls, with many variables, and one that is left within
        "(define (f n) (if (< n 1) 1 (let loop ((k 0) (a n) (b 2) (c 3) (d 4) (l '()))"
        " (if (< k n) (loop (+ k 1) b (+ c (f (- n 2))) d (+ a k) (cons (f (- n 3)) l))"
        "     (+ a (+ b (+ c (+ d (length l)))))))))"
        "(write (f 9))",
        # in the middle of a recursion an error that is caught, and another call afterwards
        SUM + "(define (try l) (call/cc (lambda (k) (with-exception-handler"
        " (lambda (e) (k 'wrong)) (lambda () (sum l))))))"
        "(write (map try '((1 2) (1 a) (3 4)))) (write (sum '(1 b)))",
        '(define (f n) (cond ((= n 0) (error "too small:" n)) (else (+ 1 (f (- n 1))))))'
        "(write (call/cc (lambda (k) (with-exception-handler (lambda (e) (k 'no))"
        " (lambda () (f 5)))))) (f 3)",
        # what a global holds is not there yet
        "(define (f n) (if (= n 0) limit (+ 1 (f (- n 1))))) (write (f 3)) (define limit 5)",
        # effects are not done again when what follows them cannot be done in line
        "(define count 0) (define v (vector 0 0 1 'a))"
        "(define (f n l) (if (< n 0) 0 (begin (set! count (+ count 1))"
        " (vector-set! v 0 (+ (vector-ref v 0) (vector-ref v n))) (vector-set! v 1 (+ count 0.5))"
        " (+ (f (- n 1) l) (begin (set! count (+ count 1)) (* n 1.5))))))"
        "(write (f 2 '())) (write (list count v)) (set! count 4611686018427387902)"
        "(write (f 2 '())) (write (list count v)) (f 3 '())",
        "(define-record-type thing (make-thing a b) thing? (a thing-a set-thing-a!) (b thing-b))"
        "(define (f t l n) (if (< n 1) (thing-a t) (begin (set-thing-a! t (cons n (thing-a t)))"
        " (set-car! l n) (set-cdr! l (thing-a t)) (length (f t l (- n (length (f t l 0))))))))"
        "(define one (make-thing '(0) 2)) (define l (list 1 2))"
        "(write (f one l 3)) (write (list (thing-a one) l)) (f one '() 2)",
        "(define b (bytevector 1 2 3)) (define s (make-string 3 #\\a))"
        "(define (f n) (if (< n 0) 0 (begin (bytevector-u8-set! b n (+ n 7))"
        ' (string-set! s n (string-ref "xyz" n))'
        " (+ (bytevector-u8-ref b n) (f (- n 1)) (f (- n 2))))))"
        "(write (f 2)) (write (list b s)) (f 3)",
        # a procedure within another one, which needs what that has
        "(define (f m l) (define (g n) (if (< n 1) m (+ (g (- n 1)) (g (- n m)))))"
        " (if (pair? l) (cons (g (car l)) (f m (cdr l))) '()))"
        "(write (f 1 '(5 6))) (write (f 1.5 '(3))) (write (f 'a '(3)))",
    ],
)
def test_direct_code_does_what_the_interpreter_does(text: str) -> None:
    """Output, errors and the calls that they tell, where the heap is full all the time, too."""
    agree(text)


CONSTANTS = ["0", "1", "-3", "4611686018427387903", "'()", "2.5", "'(1 2)"]

_expressions = st.recursive(
    st.sampled_from(["n", "n", "a", "l", *CONSTANTS]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, st.sampled_from(["+", "-", "*", "cons"]), inner, inner),
        st.builds("({} {})".format, st.sampled_from(["car", "cdr", "list"]), inner),
        st.builds(
            "(if ({} {}) {} {})".format, st.sampled_from(["pair?", "null?"]), inner, inner, inner
        ),
        st.builds("(if (< {} {}) {} {})".format, inner, inner, inner, inner),
        st.builds("({} (- n 1) {} {})".format, st.sampled_from(["f", "g"]), inner, inner),
        st.builds("(let ((a {})) {})".format, inner, inner),
    ),
    max_leaves=12,
)


def _law(f: str, g: str, start: str) -> None:
    text = (
        f"(define (f n a l) (if (< n 1) a {f}))\n(define (g n a l) (if (< n 1) l {g}))\n"
        f"(define (try t) (call/cc (lambda (k) (with-exception-handler (lambda (e) (k 'no)) t))))\n"
        f"(write (try (lambda () (f 4 {start} '(1 2))))) (write (g 4 1 {start}))\n"
    )
    agree(text, keep=False)


@given(_expressions, _expressions, st.sampled_from(CONSTANTS))
@settings(
    max_examples=max(3, settings.default.max_examples // 20 if settings.default else 3),
    deadline=None,
)
def test_random_recursions_do_what_the_interpreter_does(f: str, g: str, start: str) -> None:
    _law(f, g, start)
