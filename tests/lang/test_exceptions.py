"""Exceptions, dynamic-wind, parameters: what handlers see, what is put back."""

from __future__ import annotations

import pytest

from tests.lang.running import failure, output, value

pytestmark = pytest.mark.quick

VALUES = {
    # raise and guard
    "(guard (e (#t (list 'caught e))) (raise 'boom))": "(caught boom)",
    "(guard (e ((symbol? e) 'symbol) ((string? e) 'string)) (raise \"s\"))": "string",
    "(guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise (list (cons 'a 42))))": "42",
    "(guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise (list (cons 'b 23))))": "(b . 23)",
    "(guard (e (else 'else)) (raise 1))": "else",
    "(guard (e (#f 'never)) 'fine)": "fine",
    "(guard (e ((string? e) (list 'outer e))) (guard (f ((number? f) 'inner)) (raise \"s\")))": (
        '(outer "s")'
    ),
    "(guard (e ((string? e) 'outer)) (guard (f ((number? f) 'inner)) (raise 1)))": "inner",
    "(+ 1 (guard (e (#t 10)) (+ 100 (raise 'x))))": "11",
    "(call-with-values (lambda () (guard (e (#t 0)) (values 1 2))) list)": "(1 2)",
    # error objects
    "(guard (e ((error-object? e) (list (error-object-message e) (error-object-irritants e))))"
    ' (error "bad:" 1 \'two))': '("bad:" (1 two))',
    "(guard (e (#t (error-object? e))) (raise 5))": "#f",
    # failing primitives raise error objects
    "(guard (e ((error-object? e) (error-object-message e))) (car 5))": (
        '"car: expected a pair, got 5"'
    ),
    "(guard (e (#t (error-object-message e))) (vector-ref (vector 1 2) 2))": (
        '"vector-ref: index 2 is not in 0 to 1"'
    ),
    "(guard (e (#t (error-object-message e))) (* 4611686018427387904 2))": (
        '"*: the result does not fit in 64 bits"'
    ),
    "(guard (e (#t (error-object-message e))) (quotient 1 0))": '"quotient: division by zero"',
    "(guard (e (#t (error-object-irritants e))) (car 5))": "()",
    "(guard (e (#t (error-object-message e))) (apply car '(1 2)))": (
        '"car: expected 1 argument, got 2"'
    ),
    "(guard (e (#t (error-object-message e))) ((car (list 5)) 1))": (
        '"expected a procedure to call, got 5"'
    ),
    "(guard (e (#t (error-object-message e))) (letrec ((a b) (b 1)) a))": (
        '"b is used before its definition"'
    ),
    # handlers
    "(with-exception-handler (lambda (e) 42) (lambda () (+ (raise-continuable 'oops) 1)))": "43",
    "(call/cc (lambda (k) (with-exception-handler (lambda (e) (k (list 'got e)))"
    " (lambda () (raise 7)))))": "(got 7)",
    "(with-exception-handler (lambda (e) 1) (lambda () 5))": "5",
    # a handler runs with the outer handlers
    "(with-exception-handler (lambda (e) (list 'outer e)) (lambda ()"
    " (with-exception-handler (lambda (e) (raise-continuable (list 'inner e)))"
    " (lambda () (raise-continuable 'x)))))": "(outer (inner x))",
    # and its own handlers are there again afterwards
    "(with-exception-handler (lambda (e) 10) (lambda ()"
    " (let* ((a (raise-continuable 1)) (b (raise-continuable 2))) (+ a b))))": "20",
    # handlers belong to continuations
    "(let ((k #f) (n 0)) (with-exception-handler (lambda (e) 'outer) (lambda ()"
    " (let ((r (call/cc (lambda (c) (set! k c) 'first)))) (set! n (+ n 1))"
    " (if (= n 1) (with-exception-handler (lambda (e) 'inner) (lambda () (k 'again)))"
    " (list r (raise-continuable 0)))))))": "(again outer)",
    # the secondary exception of a handler that returns goes to the outer handler
    "(guard (e (#t (error-object-message e)))"
    " (with-exception-handler (lambda (e) 'ignored) (lambda () (raise 'stop))))": (
        '"the handler returned, but the exception cannot be continued: uncaught exception: stop"'
    ),
    # an exception in a handler goes to the outer handler
    "(guard (e (#t (list 'second e)))"
    " (with-exception-handler (lambda (e) (raise 'b)) (lambda () (raise 'a))))": "(second b)",
    "(guard (e (#t (error-object-message e)))"
    " (with-exception-handler car (lambda () (raise 'a))))": '"car: expected a pair, got a"',
    "(guard (e (#t (error-object-message e)))"
    " (with-exception-handler (lambda () 1) (lambda () (raise 'a))))": (
        '"lambda: expected 0 arguments, got 1"'
    ),
}


@pytest.mark.parametrize(("text", "expected"), VALUES.items())
def test_values(text: str, expected: str) -> None:
    assert value(text) == expected


def test_guards_do_not_grow_the_stack() -> None:
    text = """
    (define (loop n caught)
      (if (= n 0)
          caught
          (loop (- n 1) (+ caught (guard (e ((number? e) e)) (raise 1))))))
    (write (loop 20000 0))
    """
    assert output(text) == "20000"


def test_dynamic_wind() -> None:
    text = """
    (let ((path '()) (c #f))
      (define (add s) (set! path (cons s path)))
      (dynamic-wind
        (lambda () (add 'connect))
        (lambda () (add (call/cc (lambda (c0) (set! c c0) 'talk1))))
        (lambda () (add 'disconnect)))
      (if (< (length path) 4) (c 'talk2) (reverse path)))
    """
    assert value(text) == "(connect talk1 disconnect connect talk2 disconnect)"


def test_an_escape_leaves_every_wind() -> None:
    text = """
    (define (say . words) (display words))
    (define (wind name thunk)
      (dynamic-wind (lambda () (say name 'in)) thunk (lambda () (say name 'out))))
    (define k #f)
    (call/cc (lambda (out) (wind 'a (lambda () (wind 'b (lambda () (out 1)))))))
    (newline)
    (define first #t)
    (wind 'c (lambda () (wind 'd (lambda () (call/cc (lambda (c) (set! k c)))))))
    (newline)
    (if first (begin (set! first #f) (wind 'e (lambda () (k 2)))))
    """
    assert output(text) == (
        "(a in)(b in)(b out)(a out)\n(c in)(d in)(d out)(c out)\n"
        "(e in)(e out)(c in)(d in)(d out)(c out)\n"
    )


def test_a_guard_unwinds_before_its_clauses() -> None:
    text = """
    (guard (e (#t (display "caught")))
      (dynamic-wind (lambda () (display "in "))
                    (lambda () (raise 'x))
                    (lambda () (display "out "))))
    """
    assert output(text) == "in out caught"


def test_dynamic_wind_passes_several_values() -> None:
    text = """
    (call-with-values
      (lambda () (dynamic-wind (lambda () 1) (lambda () (values 2 3)) (lambda () 4)))
      list)
    """
    assert value(text) == "(2 3)"


def test_parameters() -> None:
    text = """
    (define p (make-parameter 10 (lambda (x) (* x 2))))
    (define q (make-parameter 'q))
    (define before (list (p) (q)))
    (define inside (parameterize ((p 5) (q 'other)) (list (p) (q))))
    (define after-escape
      (begin
        (call/cc (lambda (k) (parameterize ((p 7)) (k 0))))
        (guard (e (#t 0)) (parameterize ((p 8)) (raise 'x)))
        (p)))
    (list before inside after-escape)
    """
    assert value(text) == "((20 q) (10 other) 20)"


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("(raise 'boom)", "uncaught exception: boom", 1),
        ('(raise-continuable (list 1 "a"))', 'uncaught exception: (1 "a")', 1),
        ('(list (error "bad:" 1 "two" \'c))', 'bad: 1 "two" c', 7),
        ('(error \'name "text")', 'name "text"', 1),
        ('(guard (e ((string? e) 1)) (list (error "no string" 5)))', "no string 5", 34),
        (
            "(with-exception-handler (lambda (e) 0) (lambda () (+ 1 (car 2))))",
            "the handler returned, but the exception cannot be continued: "
            "car: expected a pair, got 2",
            56,
        ),
        (
            "(with-exception-handler 5 (lambda () 1))",
            "with-exception-handler: expected a procedure, got 5",
            1,
        ),
    ],
)
def test_uncaught(text: str, message: str, column: int) -> None:
    error = failure(text)
    assert error.message == message
    assert error.span is not None
    assert (error.span.line, error.span.column) == (1, column)
