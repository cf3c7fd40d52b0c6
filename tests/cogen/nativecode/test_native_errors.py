"""Errors of native programs: the text, the place and the exit status of the interpreter."""

from __future__ import annotations

import pytest

from cogen.lang.errors import CogenError
from tests.cogen.nativecode.running import Run, agree
from tests.lang.test_run_errors import ERRORS, HINTS


@pytest.mark.parametrize("index", range(8))
def test_errors_are_those_of_the_interpreter(index: int, request: pytest.FixtureRequest) -> None:
    """Every error of the interpreter's tests in the long profile, one of eight in the everyday."""
    step = 8 if request.config.getoption("--long") else 64
    compared = 0
    for text, message in ERRORS[index::step]:
        try:
            done = agree(text.replace("«", ""))
        except CogenError:
            continue  # found when the program is loaded
        assert done.status == 1
        assert f"error: {message}\n" in done.err
        compared += 1
    assert compared


@pytest.mark.parametrize("index", range(4))
def test_hints_are_those_of_the_interpreter(index: int, request: pytest.FixtureRequest) -> None:
    """Of all in the long profile, of one in eight in the everyday."""
    step = 4 if request.config.getoption("--long") else 8
    compared = 0
    for text, hint in HINTS[index::step]:
        try:
            done = agree(text, stress=False)
        except CogenError:
            continue  # found when the program is loaded
        assert done.err.endswith(f"hint: {hint}\n") if hint else "hint:" not in done.err
        compared += 1
    assert compared


UNCAUGHT = [
    "(raise 'stop)",
    '(raise (list 1 "two"))',
    "(with-exception-handler (lambda (e) 1) (lambda () (car 5)))",
    "(with-exception-handler (lambda (e) (display 'seen) 1) (lambda () (raise 'x)))",
    "(with-exception-handler (lambda (e) (car e)) (lambda () (vector-ref (vector) 0)))",
    "(with-exception-handler 5 (lambda () 1))",
    "(with-exception-handler (lambda () 1) (lambda () (raise 'x)))",
    "(guard (e ((string? e) e)) (raise 'not-a-string))",
    "(define (f x) (map car x))\n(define (g) (f '(1 2)))\n(g)",
    "(define (f l) (if (null? l) (length 7) (f (cdr l))))\n(display 1)\n(+ 1 (f '(1 2 3)))",
    "(define k #f)\n(display (+ 1 (call/cc (lambda (c) (set! k c) 1))))\n"
    "(let ((c k)) (set! k car) (c 2))",
    "(vector-for-each (lambda (x) (length x)) #(() 5))",
    "(define (loop n) (if (= n 0) (list-tail '(1) 3) (loop (- n 1))))\n(loop 100000)",
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", UNCAUGHT)
def test_what_no_handler_takes(text: str) -> None:
    agree(text)


def test_the_wrong_number_of_arguments_for_the_entry() -> None:
    done = agree("(display 1)\n(define (f x) x)", "f", [1, 2])
    assert done == Run("1", "test.scm:2:1: error: f: expected 1 argument, got 2\n"
                       " 2 | (define (f x) x)\n   | ^^^^^^^^^^^^^^^^\n", 1)  # fmt: skip
