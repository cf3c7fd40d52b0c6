"""Residual programs held against the textbook.

Jones, Gomard, Sestoft, "Partial Evaluation and Automatic Program Generation" (1993) for power,
Ackermann, the matchers and the interpreters; Draves for cyclic values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cogen.binding_times import parse_bt
from cogen.lang import il
from cogen.lang.datum import Datum, iterate
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import load, loads
from cogen.lang.prims import PRIMITIVES
from cogen.lang.reader import read_datum
from cogen.specializer.specialize import specialize
from tests.cogen.textbook import (
    EXAMPLES,
    call,
    loop_heads,
    operations,
    residual_of,
    running,
    text_of,
)

POWER = "(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))"
ACKERMANN = """
(define (ack m n)
  (cond ((= m 0) (+ n 1))
        ((= n 0) (ack (- m 1) 1))
        (else (ack (- m 1) (ack m (- n 1))))))
"""


def test_power_of_a_known_exponent_is_a_product() -> None:
    residual = residual_of(POWER, "power", "(dynamic int)", "(static 5)")
    assert text_of(residual) == "(define (power x) (* x (* x (* x (* x x)))))"
    assert call(residual, 3) == 243


def test_power_of_an_unknown_exponent_is_a_recursive_procedure() -> None:
    residual = residual_of(POWER, "power", "(static 2)", "(dynamic int)")
    assert text_of(residual) == "(define (power n) (if (= n 0) 1 (* 2 (power (- n 1)))))"


@pytest.mark.parametrize(
    ("program", "entry", "times", "expected"),
    [
        (
            "(define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))",
            "fact",
            ["_"],
            "(define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))",
        ),
        (
            "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))",
            "fib",
            ["(dynamic int)"],
            "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))",
        ),
        (
            "(define (app a b) (if (null? a) b (cons (car a) (app (cdr a) b))))",
            "app",
            ["_", "_"],
            "(define (app a b) (if (null? a) b (cons (car a) (app (cdr a) b))))",
        ),
    ],
)
def test_recursion_that_is_not_a_loop_stays(
    program: str, entry: str, times: list[str], expected: str
) -> None:
    assert text_of(residual_of(program, entry, *times)) == expected


def test_a_recursive_procedure_called_from_outside_is_not_unrolled_once() -> None:
    program = """
    (define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))
    (define (f x) (+ 1 (fact x)))
    """
    text = text_of(residual_of(program, "f", "_"))
    assert text == (
        "(define (f x) (+ 1 (fact x))) (define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))"
    )


def test_mutual_recursion_keeps_one_of_the_procedures() -> None:
    program = """
    (define (f n) (if (= n 0) 0 (+ 1 (g (- n 1)))))
    (define (g n) (if (= n 0) 0 (* 2 (f (- n 1)))))
    """
    residual = residual_of(program, "f", "(dynamic int)")
    assert len(residual.program.items) == 1
    assert operations(residual)["call"] == 1
    assert [call(residual, n) for n in range(6)] == [0, 1, 1, 3, 3, 7]


def test_mutual_tail_recursion_is_a_loop() -> None:
    program = """
    (define (even? n) (if (= n 0) #t (odd? (- n 1))))
    (define (odd? n) (if (= n 0) #f (even? (- n 1))))
    """
    residual = residual_of(program, "even?", "(dynamic int)")
    assert operations(residual)["call"] == 0
    assert len(loop_heads(residual)) == 1
    assert [call(residual, n) for n in range(4)] == [True, False, True, False]


def test_ackermann() -> None:
    residual = residual_of(ACKERMANN, "ack", "(static 3)", "(dynamic int)")
    names = [item.name for item in residual.program.items]
    assert names == ["ack", "ack-1", "ack-2"]  # one procedure for each m > 0
    assert operations(residual)["if"] == 3  # no test of m is left
    assert [call(residual, n) for n in range(4)] == [5, 13, 29, 61]


# -- string and regular-expression matchers ----------------------------------------------------


def kmp_tests(pattern: str, text: str) -> tuple[int, int]:
    """The index and the number of character tests of Knuth, Morris and Pratt's matcher, with
    the failure function that never tries the same character again."""
    fail = [strong_fail(pattern, j) for j in range(len(pattern))]
    i = j = tests = 0
    while j < len(pattern):
        if i == len(text):
            return -1, tests
        tests += 1
        if text[i] == pattern[j]:
            i, j = i + 1, j + 1
        elif fail[j] < 0:
            i, j = i + 1, 0
        else:
            j = fail[j]
    return i - j, tests


def strong_fail(pattern: str, j: int) -> int:
    """The longest border of the first j characters that goes on with another character."""
    borders = (k for k in range(j - 1, -1, -1) if pattern[:k] == pattern[j - k : j])
    return next((k for k in borders if pattern[k] != pattern[j]), -1)


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[tuple[Datum, ...]]]:
    """Records the arguments of every run of a primitive."""

    def trace(name: str) -> list[tuple[Datum, ...]]:
        row, calls = PRIMITIVES[name], []

        def python(*arguments: Any) -> Any:
            calls.append(arguments)
            return row.python(*arguments)

        monkeypatch.setitem(PRIMITIVES, name, replace(row, python=python))
        return calls

    return trace


@pytest.mark.parametrize("pattern", ["abaabab", "aaa", "aab", "abab", "a"])
def test_the_naive_matcher_becomes_kmp(
    pattern: str, traced: Callable[[str], list[tuple[Datum, ...]]]
) -> None:
    residual = residual_of("kmp.scm", "search", f'(static "{pattern}")', "_")
    reads, tests = traced("string-ref"), traced("char=?")
    interpreter = running(residual)
    for text in map("".join, itertools.product("ab", repeat=8)):
        reads.clear()
        tests.clear()
        found = interpreter.call("search", [text])
        assert found == text.find(pattern)
        positions = [index for _, index in reads]
        assert positions == sorted(set(positions))  # never backs up in the text
        assert (found, len(tests)) == kmp_tests(pattern, text)


def test_the_regular_expression_matcher_becomes_an_automaton() -> None:
    expression = r"(seq (star (or #\a #\b)) #\a #\b #\b)"
    residual = residual_of("regex.scm", "match?", f"(static {expression})", "_")
    left = operations(residual)
    assert left["string-ref"] <= 4  # the four states of the textbook's automaton
    assert not {"pair?", "car", "cdr", "cons", "equal?", "eq?", "eqv?"} & set(left)
    for text in map("".join, itertools.product("abc", repeat=5)):
        assert call(residual, f'"{text}"') is (text.endswith("abb") and "c" not in text)


# -- interpreters ------------------------------------------------------------------------------

DATA_OPERATIONS = {"pair?", "null?", "car", "cdr", "cons", "eq?", "eqv?", "equal?", "symbol?"}
GCD = "((a b) (while b (begin (:= t (remainder a b)) (:= a b) (:= b t))) a)"


def test_the_imperative_interpreter_becomes_a_compiler() -> None:
    residual = residual_of(
        "imp.scm", "run", f"(static {GCD})", "(list (dynamic int) (dynamic int))"
    )
    left = operations(residual)
    assert not DATA_OPERATIONS & set(left)  # no environment is searched, no form taken apart
    assert left["call"] == 0
    assert left["remainder"] <= 2
    assert len(loop_heads(residual)) == 1
    assert call(residual, 12, 18) == 6


def test_the_lambda_interpreter_leaves_the_term() -> None:
    term = "(lambda n ((lambda f (f (f n))) (lambda x (+ x x))))"
    residual = residual_of("lambda.scm", "run", f"(static {term})", "(dynamic int)")
    assert text_of(residual) == "(define (run input) (let ((t (+ input input))) (+ t t)))"


def test_the_lambda_interpreter_leaves_recursive_functions() -> None:
    term = "(fix fact n (if n (* n (fact (- n 1))) 1))"
    residual = residual_of("lambda.scm", "run", f"(static {term})", "(dynamic int)")
    assert not DATA_OPERATIONS & set(operations(residual))
    assert call(residual, 5) == 120


def test_the_turing_machine_interpreter_leaves_its_tape() -> None:
    machine = "((if 0 goto 3) (right) (goto 0) (write 1))"
    residual = residual_of("turing.scm", "run", f"(static {machine})", "_")
    left = operations(residual)
    assert not {"eq?", "eqv?", "equal?", "symbol?", "call"} & set(left)
    assert list(iterate(call(residual, "(1 1 0 1)"))) == [1, 1]
    source = Interpreter(load(EXAMPLES / "turing.scm"))
    source.run()
    expected = source.call("run", [read_datum(machine), read_datum("(2 1 0 0)")])
    assert list(iterate(call(residual, "(2 1 0 0)"))) == list(iterate(expected))


# -- cyclic values, early equality, set-base ---------------------------------------------------

EARLY = """
(define (f start n)
  (let ((y (set-base start 4)))
    (let loop ((x y) (z y) (n n))
      (if (= n 0) (early= (+ x 4) (+ z 4)) (loop (+ x 4) (+ z 4) (- n 1))))))
"""


def test_early_equality_through_a_fixed_point() -> None:
    residual = residual_of(EARLY, "f", "(cyclic 4 0)", "(dynamic int)")
    assert operations(residual)["early="] == 0
    assert call(residual, 8, 5) is True


def test_early_equality_does_not_claim_too_much() -> None:
    residual = residual_of("(define (f x y) (early= x y))", "f", "(dynamic int)", "(dynamic int)")
    assert text_of(residual) == "(define (f x y) #f)"


def test_set_base_gives_a_prelude_for_each_remainder_and_one_loop() -> None:
    program = """
    (define (steps from to)
      (let loop ((i (set-base from 4)) (to (set-base to 4)) (n (lift 0)))
        (if (= i to) n (loop (+ i 1) to (+ n 1)))))
    """
    residual = residual_of(program, "steps", "(dynamic int)", "(cyclic 4 0)")
    assert len(loop_heads(residual)) == 1
    assert operations(residual)["floor-remainder"] == 1
    assert [call(residual, i, 24) for i in range(8, 14)] == [16, 15, 14, 13, 12, 11]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(floor-remainder (+ x 5) 4)", 2),
        ("(floor-remainder (* x 3) 8)", 7),
        ("(= x 12)", False),
        ("(= (+ x 3) (+ x 3))", True),
        ("(bitwise-and x 7)", 5),
        ("(- (+ x 9) x)", 9),
        ("(floor-remainder (+ x y) 4)", 3),
        ("(= x y)", False),
        ("(odd? x)", True),
        ("(modulo (- 1 x) 8)", 4),
        ("(bitwise-and (bitwise-ior x 2) 7)", 7),
        ("(bitwise-and (bitwise-xor x 1) 7)", 4),
        ("(bitwise-and (bitwise-not x) 7)", 2),
        ("(bitwise-and (arithmetic-shift x 2) 31)", 20),
        ("(< x (+ x 1))", True),
        ("(floor-remainder (* x y) 2)", 0),
        ("(remainder (- x 5) 8)", 0),
    ],
)
def test_rules_on_cyclic_values_decide(expression: str, expected: Datum) -> None:
    """x = 8q + 5 and y = 12p + 2."""
    program = f"(define (f x y) {expression})"
    residual = residual_of(program, "f", "(cyclic 8 5)", "(cyclic 12 2)")
    left = set(operations(residual)) - {"cyclic-quotient"}
    assert not left
    assert call(residual, 21, 26) == expected


def test_a_cyclic_value_whose_remainder_fits_leaves_one_test_on_quotients() -> None:
    residual = residual_of("(define (f x y) (= x y))", "f", "(cyclic 8 5)", "(cyclic 8 5)")
    assert operations(residual) == {"cyclic-quotient": 2, "=": 1}


def test_where_the_base_does_not_fit_the_result_is_dynamic() -> None:
    residual = residual_of("(define (f x) (floor-remainder x 3))", "f", "(cyclic 8 5)")
    assert operations(residual)["floor-remainder"] == 1
    assert call(residual, 21) == 0


# -- dcall, lift, effects, limits --------------------------------------------------------------


def test_dcall_is_a_memo_point() -> None:
    program = """
    (define (read-esc buffer from to total)
      (if (= from to)
          total
          (let ((v (bitwise-and (load-word buffer from) 255)))
            (if (< v 128)
                (read-esc buffer (+ from 1) to (+ v total))
                (dcall read-esc buffer (+ from 2) to (+ v total))))))
    """
    residual = residual_of(
        program, "read-esc", "(dynamic memory)", "(dynamic int)", "(dynamic int)", "(dynamic int)"
    )
    assert len(loop_heads(residual)) == 1


def test_effects_keep_their_order_and_number() -> None:
    program = """
    (define (show x) (display x) x)
    (define (f x) (+ (show 1) (show x) (if (> x 0) (show x) (show (* x x))) (show 4)))
    """
    residual = residual_of(program, "f", "(dynamic int)")
    assert operations(residual)["display"] == 5


def test_a_dynamic_argument_used_twice_is_computed_once() -> None:
    program = "(define (twice x) (+ x x)) (define (f a b) (twice (* a b)))"
    residual = residual_of(program, "f", "(dynamic int)", "(dynamic int)")
    assert text_of(residual) == "(define (f a b) (let ((t (* a b))) (+ t t)))"


def test_twenty_conditionals_in_a_row_stay_linear() -> None:
    body = " ".join(f"(if (> (vector-ref v {i}) 0) (display {i}))" for i in range(20))
    residual = residual_of(f"(define (f v) {body})", "f", "_")
    assert operations(residual)["if"] == 20


def test_an_error_under_a_dynamic_conditional_is_left_there() -> None:
    residual = residual_of("(define (f x) (if (> x 0) (car 5) x))", "f", "(dynamic int)")
    assert call(residual, 0) == 0
    with pytest.raises(CogenError, match="car: expected a pair, got 5"):
        call(residual, 1)


def test_a_certain_error_is_a_diagnostic() -> None:
    with pytest.raises(CogenError, match="car: expected a pair, got 5") as caught:
        residual_of("(define (f x)\n  (+ x (car 5)))", "f", "(dynamic int)")
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (2, 8)


LOOP = "(define (f i n) (if (= i n) i (f (+ i 1) n)))"


def test_a_limit_shows_what_came_about() -> None:
    program = "(define (f x keys) (if (pair? keys) (or (eq? x (car keys)) (f x (cdr keys))) #f))"
    keys = "(static (a b c d e f g h i j))"
    with pytest.raises(CogenError, match="more than 5 versions of f") as caught:
        residual_of(program, "f", "_", keys, max_variants=5)
    notes = [note.message for note in caught.value.notes]
    assert any("keys = (f g h i j)" in note for note in notes)
    assert any("keys = (e f g h i j)" in note for note in notes)


@pytest.mark.parametrize("generalize", [False, True])
def test_what_only_counts_is_dynamic_from_the_start(generalize: bool) -> None:
    residual = residual_of(LOOP, "f", "(static 0)", "(dynamic int)", generalize=generalize)
    assert text_of(residual) == ("(define (f n) (let f-1 ((i 0)) (if (= i n) i (f-1 (+ i 1)))))")


def test_an_endless_unfolding_shows_the_chain_of_calls() -> None:
    program = "(define (g n) (+ 1 (g (+ n 1))))\n(define (f x) (g 0))"
    with pytest.raises(CogenError, match="calls were unfolded") as caught:
        residual_of(program, "f", "_", max_unfoldings=50)
    assert any("in the call of g (n = 49)" in note.message for note in caught.value.notes)


def test_a_loop_keeps_only_what_changes() -> None:
    program = """
    (define (sum v n) (let loop ((i (lift 0)) (total 0))
      (if (= i n) total (loop (+ i 1) (+ total (vector-ref v i))))))
    """
    residual = residual_of(program, "sum", "_", "(dynamic int)")
    (head,) = loop_heads(residual)
    assert len(head.parameters) == 2


def test_definitions_are_evaluated_once_ahead() -> None:
    program = """
    (define (make-adder n) (lambda (x) (+ x n)))
    (define add (make-adder 3))
    (define table (list->vector (map (lambda (x) (* x x)) '(1 2 3))))
    (define (f x) (+ (add x) (vector-ref table 2)))
    """
    assert text_of(residual_of(program, "f", "(dynamic int)")) == "(define (f x) (+ x 12))"


def test_a_bytevector_of_the_top_level_is_a_table() -> None:
    program = """
    (define table (bytevector 10 20 30 40))
    (define (f i) (+ (bytevector-u8-ref table i) (bytevector-u8-ref table 1)))
    """
    residual = residual_of(program, "f", "(dynamic int)")
    assert operations(residual)["bytevector"] == 0
    assert call(residual, 3) == 60


def test_a_definition_with_a_handler_is_evaluated_by_a_run() -> None:
    program = "(define n (guard (e (#t 7)) (car '()))) (define (f x) (+ x n))"
    assert text_of(residual_of(program, "f", "(dynamic int)")) == "(define (f x) (+ x 7))"


def test_globals_that_are_assigned_start_anew_at_each_call() -> None:
    program = """
    (define count 10)
    (define (tick!) (set! count (+ count 1)) count)
    (define (f x) (if (> x 0) (tick!)) (tick!))
    """
    residual = specialize(loads(program), "f", [parse_bt("(dynamic int)")])
    interpreter = running(residual)
    assert [interpreter.call("f", [x]) for x in (1, 1, 0, 1)] == [12, 12, 11, 12]


def test_what_a_loop_collects_is_generalized_by_itself() -> None:
    program = """
    (define (turned l)
      (let loop ((l l) (made '())) (if (pair? l) (loop (cdr l) (cons (car l) made)) made)))
    (define (f x) (turned x))
    """
    assert text_of(residual_of(program, "f", "_")) == (
        "(define (f x) (let loop-1 ((l x) (made '())) "
        "(if (pair? l) (loop-1 (cdr l) (cons (car l) made)) made)))"
    )


def test_generalize_collects_a_list_in_a_loop() -> None:
    program = "(define (f n) (do ((i 0 (+ i 1)) (l '() (cons i l))) ((= i n) l)))"
    residual = residual_of(program, "f", "(dynamic int)", generalize=True)
    assert text_of(residual) == (
        "(define (f n) (let do-1 ((l '()) (i 0)) (if (= i n) l (do-1 (cons i l) (+ i 1)))))"
    )


# -- recursion of an interpreted program ---------------------------------------------------------

INTERPRETER = """
(define (evaluate e x body)
  (cond ((eq? e 'x) x)
        ((not (pair? e)) e)
        ((eq? (car e) 'if)
         (if (evaluate (cadr e) x body)
             (evaluate (caddr e) x body)
             (evaluate (cadddr e) x body)))
        ((eq? (car e) '<) (< (evaluate (cadr e) x body) (evaluate (caddr e) x body)))
        ((eq? (car e) '-) (- (evaluate (cadr e) x body) (evaluate (caddr e) x body)))
        ((eq? (car e) '+) (+ (evaluate (cadr e) x body) (evaluate (caddr e) x body)))
        (else CALL)))
"""
FIBONACCI = "(static (if (< x 2) x (+ (f (- x 1)) (f (- x 2)))))"


@pytest.mark.parametrize(
    ("call", "entry"),
    [
        ("(apply-to body (evaluate (cadr e) x body))", "(define (run e n) (apply-to e n))"),
        ("(evaluate body (evaluate (cadr e) x body) body)", "(define (run e n) (evaluate e n e))"),
    ],
    ids=["by-a-procedure", "by-itself"],
)
def test_recursion_is_found_through_tail_calls(call: str, entry: str) -> None:
    """The interpreter has left the first call by tail calls when it comes to the next."""
    program = f"{INTERPRETER.replace('CALL', call)}{entry}(define (apply-to b x) (evaluate b x b))"
    residual = residual_of(program, "run", FIBONACCI, "_")
    assert text_of(residual) == ("(define (run n) (if (< n 2) n (+ (run (- n 1)) (run (- n 2)))))")


def test_recursion_through_many_rounds_of_tail_calls() -> None:
    """Each level of a nested conditional is a round of the interpreter's loop."""
    program = (
        INTERPRETER.replace("CALL", "(evaluate body (evaluate (cadr e) x body) body)")
        + "(define (run e n) (evaluate e n e))"
    )
    body = "(+ (f (- x 9)) 1)"
    for number in range(8, 0, -1):
        body = f"(if (< x {number}) {number} {body})"
    residual = residual_of(program, "run", f"(static {body})", "_")
    assert text_of(residual).count("(< ") == 8
    assert len(residual.program.items) == 1


# -- found by looking from outside -------------------------------------------------------------


def test_a_residual_procedure_is_called_after_one_of_the_program() -> None:
    program = """
    (define (h n)
      (if (= n 0) (values 0 1) (let-values (((a b) (h (- n 1)))) (values b (+ a b)))))
    """
    residual = residual_of(program, "h", "_")
    names = [item.name.partition("-")[0] for item in residual.program.items]
    assert set(names) == {"h"}


def test_an_endless_loop_without_a_test_is_one_round() -> None:
    program = "(define (f n) (display n) (f (+ n 1)))"
    assert operations(residual_of(program, "f", "(dynamic int)")) == {"display": 1, "+": 1}


def test_lists_of_a_program_that_assigns_pairs_are_built_at_once() -> None:
    program = "(define (f a) (let ((p (list a 2))) (set-car! p 5) (list a p)))"
    left = operations(residual_of(program, "f", "_"))
    assert set(left) == {"cons"}


def test_a_known_buffer_that_is_stored_into_is_copied_at_each_call() -> None:
    program = "(define (f b) (store-word! b 0 (+ (load-word b 0) 1)) (load-word b 0))"
    residual = residual_of(program, "f", "(static #u8(1 0 0 0))")
    interpreter = running(residual)
    assert [interpreter.call("f", []) for _ in range(2)] == [2, 2]


def test_known_strings_are_taken_apart_ahead() -> None:
    program = """
    (define (f)
      (let ((n '())) (string-for-each (lambda (c) (set! n (cons c n))) "abc") n))
    """
    assert text_of(residual_of(program, "f")) == r"(define (f) '(#\c #\b #\a))"


def test_an_error_in_the_prelude_is_told_at_the_call() -> None:
    with pytest.raises(CogenError, match="expected a procedure to call, got 0") as caught:
        residual_of("(define (f x)\n  (dynamic-wind 0 1 x))", "f", "_")
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (2, 3)


def test_mutable_lists_under_generalize() -> None:
    program = """
    (define (f c)
      (map (lambda (m) (+ (let ((l (list c))) (set-car! l m) 0) (car (map (lambda (m) -2) '(2 0)))))
           (list 0)))
    """
    residual = residual_of(program, "f", "_", generalize=True)
    assert list(iterate(call(residual, 5))) == [-2]


@pytest.mark.parametrize(
    ("expression", "x", "expected"),
    [
        ("(* (+ x 1000000000000000000) 100)", -(10**18), 0),
        ("(+ (+ x 9223372036854775807) 9223372036854775807)", -(2**63), 2**63 - 2),
        ("(+ (- x 10) y)", 2**63 - 1, 2**63 - 11 + 5),
        ("(- -9223372036854775808 (- x 1))", 1, -(2**63)),
    ],
)
def test_no_overflow_that_the_source_has_not(expression: str, x: int, expected: int) -> None:
    program = f"(define (f x y) {expression})"
    residual = residual_of(program, "f", "(dynamic int)", "(dynamic int)")
    assert call(residual, x, 5) == expected


def test_a_dynamic_address_with_set_base_32() -> None:
    """A prelude for each alignment of 8 bits that can reach the end, then one shared loop; an
    address that never meets the end fails as the source does."""
    program = """
    (define (load-sample buffer p size)
      (bitwise-and (- (arithmetic-shift 1 size) 1)
                   (arithmetic-shift (load-word buffer (floor-quotient p 32))
                                     (- (floor-remainder p 32)))))
    (define (sum buffer from to r)
      (if (= from to) r (sum buffer (+ from 8) to (+ r (load-sample buffer from 8)))))
    (define (f buffer from to) (sum buffer (set-base from 32) to 0))
    """
    residual = residual_of(program, "f", "(dynamic memory)", "(dynamic int)", "(cyclic 32 0)")
    left = operations(residual)
    assert left["floor-remainder"] == 1
    assert left["cyclic-quotient"] == 1
    tested = [head for head in loop_heads(residual) if isinstance(head.body.tail, il.If)]
    assert len(tested) == 1  # the loops of other alignments end by an index error only
    buffer = bytearray(range(1, 17))
    for start in range(0, 17):
        assert call(residual, buffer, 8 * start, 128) == sum(buffer[start:])
    with pytest.raises(CogenError, match="load-word"):
        call(residual, buffer, 3, 128)
