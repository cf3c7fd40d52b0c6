"""What the top level does before the entry is called is known: tables are filled by expressions."""

from __future__ import annotations

import pytest

import cogen
from cogen import binding_times
from cogen.binding_times import parse_bt
from cogen.lang.errors import Warnings
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.printer import write_datum
from cogen.residual import ResidualProgram
from cogen.specializer.specialize import specialize

FILLED = {
    "an assigned list": """
      (define table '())
      (define (put! name value) (set! table (cons (cons name value) table)))
      (put! 'double (lambda (x) (* x 2)))
      (put! 'offset 40)
      (define (run n) (+ ((cdr (assq 'double table)) n) (cdr (assq 'offset table))))
    """,
    "a hash table, by a macro": """
      (import (srfi 69))
      (define table (make-hash-table eq?))
      (define-syntax known
        (syntax-rules () ((_ name ...) (begin (hash-table-set! table 'name name) ...))))
      (known + - *)
      (define (run n) ((hash-table-ref table '- (lambda () car)) n 1))
    """,
    "pairs of a procedure's own": """
      (define (make-table)
        (let ((local (list '*table*)))
          (lambda (what name . value)
            (if (eq? what 'put)
                (set-cdr! local (cons (cons name (car value)) (cdr local)))
                (cdr (assq name (cdr local)))))))
      (define operations (make-table))
      (define (install)
        (operations 'put 'square (lambda (x) (* x x)))
        'done)
      (install)
      (define (run n) ((operations 'get 'square) n))
    """,
    "a vector, in a loop": """
      (define squares (make-vector 10 0))
      (do ((i 0 (+ i 1))) ((= i 10)) (vector-set! squares i (* i i)))
      (define (run n) (+ n (vector-ref squares 7)))
    """,
    "a record's field": """
      (define-record-type machine (make-machine pc) machine? (pc pc set-pc!))
      (define m (make-machine 0))
      (set-pc! m 5)
      (define (run n) (+ n (pc m)))
    """,
    "and it is written, which is left out": """
      (define count 0)
      (define (next) (set! count (+ count 1)) count)
      (display (next))
      (newline)
      (display (next))
      (define (run n) (+ n (next)))
    """,
    "between definitions": """
      (define x 1)
      (set! x 2)
      (define y (+ x 10))
      (set! x 3)
      (define (run n) (list n x y))
    """,
}


def made(text: str, warnings: Warnings | None = None) -> ResidualProgram:
    return specialize(loads(text), "run", [parse_bt("(dynamic int)")], warnings=warnings)


def given(program: object, argument: int) -> str:
    machine = Interpreter(program)  # type: ignore[arg-type]
    machine.run()
    return write_datum(machine.call("run", [argument]))


@pytest.mark.parametrize("how", FILLED)
def test_what_expressions_have_filled_is_known(how: str) -> None:
    program, residual = loads(FILLED[how]), made(FILLED[how])
    assert given(residual.program, 6) == given(program, 6)
    assert len(residual.program.items) == 1
    text = cogen.specialize(loads(FILLED[how]), "run", cogen.dynamic("int")).scheme
    assert not any(word in text for word in ("assq", "cdr", "vector-ref", "hash", "set!"))
    extension = cogen.generate(loads(FILLED[how]), "run", binding_times.Dynamic("int"))
    assert extension(cogen.dynamic("int")).scheme == text


@pytest.mark.parametrize(
    "expression",
    [
        "(set! x (read))",
        "(if (read) (set! x 2))",
        "(let () (set! x 2) (display (list 1 2 (read))))",
        "(let loop () (set! x (+ x 1)) (loop))",
        '(let () (set! x 2) (error "it fails"))',
        "(with-exception-handler (lambda (e) 1) (lambda () (set! x 2)))",
    ],
)
def test_what_only_a_run_can_do_is_left_out_as_a_whole(expression: str) -> None:
    warnings = Warnings()
    text = f"(define x 1)\n{expression}\n(define (run n) (+ n x))"
    residual = made(text, warnings)
    (warning,) = warnings.messages
    assert warning.message == "this top-level expression is left out"
    assert given(residual.program, 4) == "5"


def test_what_was_left_out_is_not_tried_in_each_attempt() -> None:
    """What changes nothing that there is, is not even carried out once."""
    text = """
      (define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
      (fib 40)
      (define (run n) (fib n))
    """
    assert made(text).statistics["calls unfolded"] < 100
