"""Small helpers in place of their calls (`advice.spelling`)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogen.lang import il, ilcheck
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError
from cogen.lang.ilutil import all_blocks
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.specializer.advice.spelling import spelled_out, with_tests_in_place
from tests.corpus.cases import interpreter

HELPERS = """
(define (tagged? x tag) (and (pair? x) (eq? (car x) tag)))
(define (either? x a b) (or (tagged? x a) (tagged? x b)))
(define (same-head? x y) (if (pair? x) (and (pair? y) (eq? (car x) (car y))) (null? x)))
(define (second x) (car (cdr x)))
(define (make a b) (list 'made a (cons a b)))
(define (made? x) (and (pair? x) (eq? (car x) 'made)))
(define (rest x) (if (tagged? x 'made) (cdr x) (second x)))
(define (forever x) (if (pair? x) (forever (cdr x)) x))
(define (two . xs) (second xs))
"""
DATA = ["()", "a", "(a)", "(a b)", "(made a)", "(made 1 b)", "((a) made)", "#f", "7"]


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    """Expressions over x and y that call helpers, in tests too."""
    if depth == 0:
        return draw(st.sampled_from(["x", "y", "'a", "'made", "#t", "#f", "'(a b)"]))
    forms = [
        "(tagged? {} 'made)",
        "(either? {} 'made 'a)",
        "(made? {})",
        "(same-head? {} {})",
        "(second {})",
        "(make {} {})",
        "(rest {})",
        "(forever {})",
        "(two {} {})",
        "(if (tagged? {} 'a) {} {})",
        "(if (either? {} 'a 'made) (rest {}) {})",
        "(cond ((tagged? {} 'made) {}) ((same-head? {} {}) {}) (else {}))",
        "(not (tagged? {} 'a))",
        "(let ((t (tagged? {} 'a))) (if t (cons t {}) t))",
        "((lambda (f) (f {} 'a)) tagged?)",
    ]
    form = draw(st.sampled_from(forms))
    inner = expressions(depth=depth - 1)
    return form.format(*[draw(inner) for _ in range(form.count("{}"))])


def outcome(program: il.Program, *arguments: Datum) -> str:
    """What `run` gives, or tells."""
    machine = Interpreter(program, max_steps=10_000)
    machine.run()
    try:
        return write_datum(machine.call("run", list(arguments)))
    except CogenError as error:
        return f"{error.span}: {error.message}"


@given(expressions(), st.sampled_from(DATA), st.sampled_from(DATA))
@settings(deadline=None)
def test_the_program_means_the_same(text: str, x: str, y: str) -> None:
    program = loads(f"{HELPERS} (define (run x y) {text})")
    arguments = read_datum(x), read_datum(y)
    for spelled in (spelled_out(program), with_tests_in_place(program)):
        ilcheck.check(spelled)
        assert outcome(spelled, *arguments) == outcome(program, *arguments)


def called(program: il.Program, name: str) -> set[str]:
    """The global procedures that one calls."""
    [item] = [i for i in program.items if isinstance(i, il.Define) and i.name == name]
    one = il.Program((item,))
    return {
        block.tail.function.name
        for block in all_blocks(one)
        if isinstance(block.tail, il.Call) and isinstance(block.tail.function, il.Global)
    }


def test_predicates_that_are_told_what_to_ask_for_are_in_place() -> None:
    spelled = spelled_out(interpreter("sicp").loaded)
    assert "tagged-list?" in called(interpreter("sicp").loaded, "evaluate")
    assert called(spelled, "evaluate").isdisjoint({"tagged-list?", "variable?", "make-procedure"})
    assert "evaluate" in called(spelled, "eval-if")


@pytest.mark.parametrize("name", ["closures-list", "scheme-alist", "prolog"])
def test_programs_without_such_predicates_are_as_they_were(name: str) -> None:
    program = interpreter(name).loaded
    assert spelled_out(program) is program


def test_predicates_that_ask_for_one_symbol_are_in_place_for_values() -> None:
    """And nothing else: `run-function` gives a value where the interpreted program returns."""
    program = interpreter("tables").loaded
    placed = with_tests_in_place(program)
    assert "returned?" in called(program, "run-function")
    assert "returned?" not in called(placed, "run-function")
    assert "env-find" in called(placed, "ev")
    untold = interpreter("scheme-alist").loaded
    assert with_tests_in_place(untold) is untold
