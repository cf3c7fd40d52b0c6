"""`eval` and `load`, and what refuses them."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

import cogen
from cogen.backends.native.compile import compile_program
from cogen.lang.datum import UNSPECIFIED, symbol
from cogen.lang.errors import CogenError, Source
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.lang.reader import read
from cogen.lang.session import Session
from tests.cogen.nativecode.running import native

SETUP = """
(import (scheme base) (scheme eval) (scheme repl) (scheme load) (scheme write))
(define env (environment '(scheme base)))
(define-record-type point (make-point x y) point? (x point-x) (y point-y))
(define y 10)
(define (g x) (* x y))
(define (show thunk)
  (guard (e ((error-object? e) (display (error-object-message e)))
            (#t (write (list 'raised e))))
    (write (thunk)))
  (newline))
"""

CASES = {
    "(eval '(* 7 3) env)": "21",
    "((eval '(lambda (f x) (f x x)) (scheme-report-environment 5)) + 10)": "20",
    "(eval '(begin (define z 5) (set! z (+ z 1)) z) env)": "6",
    "(eval 'z env)": "6",
    "(eval 'z (environment '(scheme base)))": "eval: unbound name `z`",
    "(eval '(define (fact n) (if (= n 0) 1 (* n (fact (- n 1))))))": "#<unspecified>",
    "(eval '(fact 10) (interaction-environment))": "3628800",
    "(eval '(g 4))": "40",
    "(eval '(point-x (make-point 1 2)))": "1",
    "(eval '(set! y 20))": "#<unspecified>",
    "(g 1)": "20",
    "(eval '(let ((x)) x))": "eval: malformed binding of `let`",
    "(eval '(car 5))": "car: expected a pair, got 5",
    "(eval '(raise 'boom))": "(raised boom)",
    "(eval (list 'quote car))": "eval: `#<procedure` starts nothing that is known",
    "(eval 5 6)": "eval: expected an environment, got 6",
    "(+ 1 (call/cc (lambda (k) (eval (list k 41)) 0)))":
        "eval: `#<procedure` starts nothing that is known",
    "(eval '(call/cc (lambda (k) (+ 1 (k 7)))))": "7",
    "(eval '(let loop ((i 0)) (if (< i 100000) (loop (+ i 1)) i)))": "100000",
    "(eval '(begin (import (srfi 1)) (fold + 0 '(1 2 3))))": "6",
    "(eval '(let ((s (make-string 2 #\\a))) (string-set! s 0 #\\b) s))": '"ba"',
    "(eval '(dynamic-wind (lambda () (display 1)) (lambda () 5) (lambda () (display 2))))": "125",
    "(eval '(define-syntax swapped (syntax-rules () ((_ a b) (list b a)))))": "#<unspecified>",
    "(eval '(swapped 1 2))": "(2 1)",
    "(eval '(guard (e (#t (list 'caught e))) (raise 1)))": "(caught 1)",
    "(environment '(no such library))": "environment: there is no library (no such library)",
    "(environment '(only (scheme base) car))": "#<environment>",
    "(let loop ((i 0)) (eval `(define h ,i)) (if (< i 9) (loop (+ i 1)) (eval 'h)))": "9",
    "(call-with-values (lambda () (eval '(values 1 2))) list)": "(1 2)",
    "(eval ''#(a (b . \"c\")))": '#(a (b . "c"))',
}  # fmt: skip


def output_of(text: str) -> str:
    output = StringIO()
    Interpreter(cogen.loads(text, "test.scm"), output=output).run()
    return output.getvalue()


def test_what_is_evaluated() -> None:
    calls = "".join(f"(show (lambda () {case}))\n" for case in CASES)
    assert output_of(SETUP + calls).splitlines() == list(CASES.values())


def test_errors_tell_the_place_in_the_datum_and_who_evaluated_it() -> None:
    with pytest.raises(CogenError) as caught:
        output_of("(define (f x) (+ 1 (eval `(display (car ,x)))))\n(display (f 5))")
    assert caught.value.render().splitlines() == [
        "<eval>:1:10: error: car: expected a pair, got 5",
        " 1 | (display (car 5))",
        "   |          ^^^^^^^",
        "  called from test.scm:1:20: (eval `(display (car ,x)))",
        "  called from test.scm:2:10: (f 5)",
    ]


def test_continuations_and_tail_calls_are_those_of_the_program() -> None:
    text = """
    (define k #f)
    (define n 0)
    (display (+ 1 (eval '(call/cc (lambda (c) (set! k c) 1)))))
    (set! n (+ n 1))
    (if (< n 3) (k n))
    (define (loop i) (if (< i 20000) (eval (list 'loop (+ i 1)) env) i))
    (define env (interaction-environment))
    (display (loop 19000))
    """
    assert output_of(text) == "22320000"


def test_load(tmp_path: Path) -> None:
    (tmp_path / "part.scm").write_text(
        "(define (twice x) (* 2 x)) (display (twice 4)) (define w 1)"
    )
    text = f'''(load "{tmp_path / "part.scm"}") (display (eval '(+ w (twice 5))))'''
    assert output_of(text) == "811"
    with pytest.raises(CogenError, match="cannot open /no/such/file"):
        output_of('(load "/no/such/file.scm")')


def test_a_conversation_is_its_own_environment() -> None:
    session = Session(output=StringIO())
    value = UNSPECIFIED
    text = "(define (f x) (+ x y)) (eval '(define y 3)) (define y (+ y 2)) (list (eval '(f 4)) y)"
    for form in read(Source("<repl>", text)):
        value = session.evaluate([form])
    assert write_datum(value) == "(9 5)"


REFUSED = "eval: native programs cannot evaluate data; `cogen run` can run the program"


def test_native_programs_refuse_to_evaluate() -> None:
    program = cogen.loads("(define (f x) (eval x)) (define (g x) (environment x))")
    residual = cogen.specialize(program, "f", cogen.dynamic())
    assert residual.to_python()([symbol("+"), 1, 2]) == 3
    with pytest.raises(CogenError) as caught:
        residual.compile()(1)
    assert caught.value.message == REFUSED
    again = cogen.loads(residual.scheme)
    interpreter = Interpreter(again)
    interpreter.run()
    assert interpreter.call("f", [7]) == 7
    whole = cogen.loads("(display (eval '(+ 1 2)))")
    done = native(whole)
    assert REFUSED in done.err
    compile_program(whole).unlink()
