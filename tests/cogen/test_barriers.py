"""Barrier cells: carried unseen, settled before anything observes; early tests and claims."""

from __future__ import annotations

import pytest

from cogen.residual import ResidualProgram
from cogen.spec.alias import buffers_differ, canonical, claimed, facts
from lang.errors import CogenError, LimitationError
from lang.interp import Interpreter
from lang.load import loads
from lang.printer import write_datum
from tests.cogen.textbook import call, operations, residual_of, text_of

SIGNALS = "(import (signals signal) (signals layouts))\n"
MEMORY = "(dynamic memory)"


def cached(text: str, *times: str) -> ResidualProgram:
    return residual_of(SIGNALS + text, "f", *times)


def put(k: int, v: object, buffer: str = "b") -> str:
    """Put v in byte k."""
    return f"(signal-put! (make-signal {buffer} {8 * k} {8 * k} 8 8) {v})"


def get(k: int, buffer: str = "b") -> str:
    return f"(signal-get (make-signal {buffer} {8 * k} {8 * k} 8 8))"


@pytest.mark.parametrize(
    ("what", "stores"),
    [
        (f"{put(0, 1)} {put(1, 2)} 0", 1),
        (f"{put(0, 1)} (load-word b 0) {put(1, 2)} 0", 2),
        (f"{put(0, 1)} (store-word! b 1 5) {put(1, 2)} 0", 2),
        (f"{put(0, 1)} (display x) {put(1, 2)} 0", 2),
        (f"{put(0, 1)} (bytevector-copy b) {put(1, 2)} 0", 2),
        (f"{put(0, 1)} (init-cache 4) {put(1, 2)} 0", 1),
        (f"{put(0, 1)} (buffer-words b) {put(1, 2)} 0", 1),
        (f"{put(0, 1)} (if (odd? x) {put(1, 2)} {put(1, 3)}) {put(2, 4)} 0", 1),
    ],
)
def test_only_what_observes_memory_is_a_barrier(what: str, stores: int) -> None:
    residual = cached(f"(define (f b x) (init-cache 2) {what})", MEMORY, "(dynamic int)")
    assert operations(residual)["store-word!"] == stores


def test_an_unknown_procedure_sees_memory_up_to_date() -> None:
    text = f"(define (f b g) (init-cache 2 'carry) {put(0, 7)} (let ((x (g b))) {put(1, 8)} x))"
    source, residual = loads(SIGNALS + text), cached(text, MEMORY, "_")
    for program in (source, residual.program):
        interpreter = Interpreter(program)
        interpreter.run()
        memory = bytearray(4)
        look = Interpreter(loads("(define (look b) (load-word b 0))"))
        look.run()
        assert interpreter.call("f", [memory, look.machine.globals["look"]]) == 7
        assert memory == bytes([7, 8, 0, 0])


def test_a_procedure_that_escapes_finds_and_leaves_memory_up_to_date() -> None:
    text = f"""
    (define (f b g)
      (init-cache 2 'carry)
      {put(0, 1)}
      (let ((x (g (lambda (v) (let ((old {get(0)})) {put(0, "v")} old)))))
        (+ x {get(0)})))
    """
    residual = cached(text, MEMORY, "_")
    caller = Interpreter(loads("(define (twice k) (+ (* 100 (k 5)) (k 6)))"))
    caller.run()
    interpreter = Interpreter(residual.program)
    interpreter.run()
    memory = bytearray(4)
    assert interpreter.call("f", [memory, caller.machine.globals["twice"]]) == 105 + 6
    assert memory[0] == 6


def test_recursion_starts_and_ends_with_an_empty_cache() -> None:
    text = f"""
    (define (climb b x)
      (if (= x 0)
          {get(0)}
          (begin
            {put(0, "x")}
            (let ((below (climb b (- x 1))))
              {put(1, "below")}
              (+ below {get(0)} {get(1)})))))
    (define (f b x) (init-cache 3 'carry) (climb b x))
    """
    residual = cached(text, MEMORY, "(dynamic int)")
    program = loads(SIGNALS + text)
    for x in (0, 1, 4):
        interpreter = Interpreter(program)
        interpreter.run()
        expected, got = bytearray(4), bytearray(4)
        result = interpreter.call("f", [expected, x])
        assert call(residual, got, x) == result
        assert got == expected


def test_continuations_carry_the_cell() -> None:
    text = f"""
    (define (f b x)
      (init-cache 2 'carry)
      (let ((y (call/cc (lambda (k) {put(0, 1)} (if (odd? x) (k 5)) {put(1, 2)} 6))))
        {put(2, "y")}
        y))
    """
    residual = cached(text, MEMORY, "(dynamic int)")
    assert operations(residual)["load-word"] == 2  # a word for each arm, which byte 3 is kept of
    for x, expected in ((1, [1, 0, 5, 0]), (2, [1, 2, 6, 0])):
        memory = bytearray(4)
        call(residual, memory, x)
        assert list(memory) == expected


def test_programs_that_assign_pairs_may_have_a_cache() -> None:
    text = f"""
    (define (f b x)
      (init-cache 2 'carry)
      (let ((p (list x 2)))
        {put(0, "(car p)")}
        (set-car! p 3)
        {put(1, "(car p)")}
        (if (odd? x) {put(2, 1)})
        (+ {get(0)} {get(1)})))
    """
    residual = cached(text, MEMORY, "(dynamic int)")
    memory = bytearray(4)
    assert call(residual, memory, 7) == 10
    assert list(memory) == [7, 3, 1, 0]


OWN = """
(define cell (make-barrier-cell 0 (lambda () (cell-set! cell 0) {handler})))
(define (f x) (cell-set! cell (+ x 1)) {body})
"""


def test_a_handler_runs_before_output_and_at_the_end_only_if_it_must() -> None:
    handler = "(display 'settled)"
    residual = residual_of(
        OWN.format(handler=handler, body="(cell-ref cell)"), "f", "(dynamic int)"
    )
    assert text_of(residual) == "(define (f x) (display 'settled) (+ x 1))"
    clean = OWN.format(handler=handler, body="(cell-set! cell 0) x")
    assert text_of(residual_of(clean, "f", "(dynamic int)")) == "(define (f x) x)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OWN.format(handler="(cell-set! cell 3)", body="x"), "leaves something in its cell"),
        (OWN.format(handler="(if (odd? count) (display 1))", body="(set! count x) x")
         + "(define count 0)", "depends on something that only a run can know"),
        ("(define (f x) (make-barrier-cell x (lambda () 0)))", "for definitions of the top level"),
        ("(define c (make-barrier-cell (list 1 2) 5)) (define (f x) (cell-ref c))",
         "expected a constant and procedures"),
        ("(define c (make-barrier-cell 0 (lambda () 0))) (define (f x) (display c))",
         "cannot become a value of a run"),
    ],
)  # fmt: skip
def test_what_a_barrier_cell_must_not_do(text: str, message: str) -> None:
    with pytest.raises((CogenError, LimitationError), match=message):
        residual_of(text, "f", "(dynamic int)")


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        ("x", "x", False),
        ("x", "(+ x 1)", True),
        ("(+ x 3)", "(- x 1)", True),
        ("x", "y", False),
        ("c", "d", True),
        ("c", "(+ d 1)", False),
        ("c", "(+ (* 2 d) 3)", True),
        ("c", "7", True),
        ("c", "4", False),
        ("3", "4", True),
        ("b", "b", False),
        ("b", "e", True),
        ("'a", "'b", True),
        ("x", "'b", True),
    ],
)
def test_what_is_known_to_be_different(a: str, b: str, answer: bool) -> None:
    text = f"(define (f x y c d b e) (early-different? {a} {b}))"
    integer = "(dynamic int)"
    times = [integer, integer, "(cyclic 4 0)", "(cyclic 4 3)", MEMORY, MEMORY]
    shown = "#t" if answer else "#f"
    assert text_of(residual_of(text, "f", *times)).endswith(f" {shown})")


def test_what_is_known() -> None:
    text = "(define (f x) (list (known? x) (known? 1) (known? (list 1 2)) (known? (= x 1))))"
    assert "'(#f #t #t #f)" in text_of(residual_of(text, "f", "(dynamic int)"))


def test_claims_hold_between_their_two_sides_only() -> None:
    text = """
    (define (f b c x)
      (let*-values (((p q) (assume-disjoint b b))
                    ((r s) (assume-disjoint b q)))
        (let loop ((i x))
          (if (> i 0)
              (loop (- i 1))
              (list (early-different? p q) (early-different? q s) (early-different? r s)
                    (early-different? p s) (early-different? p r) (early-different? b p)
                    (early-different? c r) (eq? b p))))))
    """
    shown = text_of(residual_of(text, "f", MEMORY, MEMORY, "(dynamic int)"))
    assert "#t #f #t #t #f #f #t" in shown


def test_types_of_buffers() -> None:
    assert facts("int") is None
    assert facts("memory:2/7.0/9.1") == ("2", {"7": "0", "9": "1"})
    assert buffers_differ("memory:1", "memory:2")
    known = ["any", "memory", "memory:1", "memory:1/7.0"]
    assert {buffers_differ(a, b) for a in known for b in known} == {False}
    left, right = claimed("memory", 7, 0), claimed("memory:3", 7, 1)
    assert buffers_differ(left, right)
    assert not buffers_differ(left, claimed("memory", 8, 1))
    claims: dict[str, str] = {}
    assert canonical(left, claims) == "memory:/0.0"
    assert canonical(right, claims) == "memory:3/0.1"
    assert canonical("memory:/9.1", claims) == "memory:/1.1"


def test_a_run_has_no_cache() -> None:
    program = loads(f"{SIGNALS}(define (f b) (init-cache 3) {put(0, 1)} (cache-lines))")
    interpreter = Interpreter(program)
    interpreter.run()
    memory = bytearray(1)
    assert interpreter.call("f", [memory]) == 0
    assert memory[0] == 1


@pytest.mark.parametrize("x", [1, 2])
def test_objects_of_the_top_level_live_beyond_conditionals(x: int) -> None:
    text = """
    (define table (vector 10 20))
    (define count (let ((n 0)) (lambda () (set! n (+ n 1)) n)))
    (define (f x)
      (count)
      (if (odd? x) (vector-set! table 0 x) (count))
      (list (vector-ref table 0) (vector-ref table (bitwise-and x 1)) (count)))
    """
    residual = residual_of(text, "f", "(dynamic int)")
    interpreter = Interpreter(loads(text))
    interpreter.run()
    assert write_datum(call(residual, x)) == write_datum(interpreter.call("f", [x]))
