"""Calls that are left, or that become one: library procedures of which nothing known steers the
loops, and recursions of which nothing is known at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.convert import from_datum, to_datum
from cogen.lang import il
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.specializer.analyses.library import Library
from cogen.specializer.execution.shared import MOST_COPIES, Rounds
from tests.cogen.residualways import WAYS, by_interpreter, fails
from tests.cogen.textbook import residual_of, text_of

pytestmark = pytest.mark.quick

UNKNOWN = [
    ("reverse", "(reverse a)", "((1 2 3))"),
    ("length", "(length a)", "((1 2 3))"),
    ("append", "(append a b)", "((1 2) (3))"),
    ("list-copy", "(list-copy a)", "((1 2))"),
    ("list-tail", "(list-tail a b)", "((1 2 3) 2)"),
    ("list-ref", "(list-ref a b)", "((1 2 3) 2)"),
    ("memq", "(memq 'y a)", "((x y z))"),
    ("memv", "(memv b a)", "((1 2 3) 2)"),
    ("member", "(member b a)", "(((1) (2)) (2))"),
    ("assq", "(assq 'y a)", "(((x . 1) (y . 2)))"),
    ("assv", "(assv b a)", "(((1 . 1) (2 . 2)) 2)"),
    ("assoc", "(assoc '(y) a)", "((((x) . 1) ((y) . 2)))"),
    ("list->vector", "(list->vector a)", "((1 2 3))"),
    ("vector->list", "(vector->list a)", "(#(1 2 3))"),
    ("make-list", "(make-list a b)", "(3 x)"),
]
"""A library procedure, a call of it of which nothing known steers it, and arguments."""

KNOWN = [
    ("(list-ref a 2)", "(define (f a) (car (cdr (cdr a))))"),
    ("(list-tail a 2)", "(define (f a) (cdr (cdr a)))"),
    ("(append '(1 2) a)", "(define (f a) (cons 1 (cons 2 a)))"),
    ("(append a '(1 2))", "(define (f a) (append a '(1 2)))"),
    ("(length (list a a))", "(define (f a) 2)"),
    ("(reverse (list a 1))", "(define (f a) (list 1 a))"),
    ("(map car (list (cons a 1)))", "(define (f a) (list a))"),
    ("(assq 'y (list (cons 'x 1) (cons 'y a)))", "(define (f a) (cons 'y a))"),
    ("(apply append (list (list a) '()))", "(define (f a) (list a))"),
]
"""Calls that what is known decides, and what is left of them."""


def program(call: str) -> str:
    return f"(define (f a b) {call})"


def interpreted(made: Any) -> Callable[..., Any]:
    """A residual program in the interpreter, called with Python values."""
    return lambda *arguments: from_datum(by_interpreter(made)(*map(to_datum, arguments)))


EVERY_WAY = [interpreted, *WAYS[1:]]


def arguments_of(text: str) -> list[Any]:
    """Two arguments, of the list that is written."""
    return [*cogen.datum(text), 0][:2]


def value_of(source: il.Program, arguments: list[Any]) -> Any:
    """What a program gives in the interpreter."""
    interpreter = Interpreter(source)
    interpreter.run()
    return from_datum(interpreter.call("f", [to_datum(value) for value in arguments]))


@pytest.mark.parametrize(("name", "call", "arguments"), UNKNOWN)
def test_what_nothing_steers_is_left_as_it_stands(name: str, call: str, arguments: str) -> None:
    residual = residual_of(program(call), "f", "_", "_")
    text = text_of(residual)
    assert text.count(f"({name} ") == 1
    assert "(define" not in text[1:]  # the library comes with the language


@pytest.mark.one_in(6)
@pytest.mark.slow
@pytest.mark.parametrize("way", EVERY_WAY)
@pytest.mark.parametrize(("name", "call", "arguments"), UNKNOWN)
def test_calls_that_are_left_give_what_the_source_gives(
    way: Callable[..., Any], name: str, call: str, arguments: str
) -> None:
    source, passed = loads(program(call)), arguments_of(arguments)
    residual = cogen.specialize(source, "f", cogen.dynamic(), cogen.dynamic())
    assert name in residual.scheme
    assert way(residual)(*passed) == value_of(source, passed)


@pytest.mark.parametrize("way", EVERY_WAY)
def test_what_the_library_refuses_names_the_users_call(way: Callable[..., Any]) -> None:
    source = loads("(define (f a)\n  (reverse a))")
    error = fails(way(cogen.specialize(source, "f", cogen.dynamic())), 5)
    assert "reverse: expected a list, got 5" in str(error)
    assert ":2:3:" in str(error)


@pytest.mark.parametrize(("call", "expected"), KNOWN)
def test_what_is_known_is_carried_out(call: str, expected: str) -> None:
    text = text_of(residual_of(f"(define (f a) {call})", "f", "_"))
    assert text == expected


def test_a_known_procedure_is_put_into_the_loop() -> None:
    text = text_of(residual_of("(define (f l k) (map (lambda (x) (+ x k)) l))", "f", "_", "_"))
    assert "(cons (+ (car l) k) (f (cdr l) k))" in text


def test_an_unknown_procedure_is_passed_to_the_library() -> None:
    assert text_of(residual_of("(define (f g l) (map g l))", "f", "_", "_")) == (
        "(define (f g l) (map g l))"
    )


def test_what_steers_the_library_is_found_by_dependence() -> None:
    names = ["reverse", "assoc", "list-ref", "list", "cadr", "dynamic-wind", "vector-fill!"]
    source = loads(f"(define (f) (list {' '.join(names)}))")
    library = Library(source, Rounds(source))
    own = {i.name: i.function for i in source.items if isinstance(i, il.Define)}
    assert {name for name in names if library.may_stay(own[name])} == {
        "reverse", "assoc", "list-ref", "vector-fill!"
    }  # fmt: skip


WALK = """
(define (walk t s)
  (if (pair? t) (let ((found (assq (car t) s))) (if found (walk (cdr found) s) t)) t))
"""


def with_copies(count: int) -> str:
    """A program that calls a recursion of which nothing is known so many times, each under a
    conditional."""
    calls = "".join(f"(if (car s) (cons (walk t s) {i}) {i})" for i in range(count))
    return f"{WALK}(define (f t s) (list {calls}))"


def test_a_recursion_of_which_nothing_is_known_is_one_procedure() -> None:
    text = text_of(residual_of(with_copies(MOST_COPIES + 3), "f", "_", "_"))
    assert text.count("assq") == 1
    assert text.count("(walk ") == MOST_COPIES + 3 + 1  # with its definition


def test_few_copies_stay_where_they_are() -> None:
    text = text_of(residual_of(with_copies(1), "f", "_", "_"))
    assert "(define (walk " not in text


@pytest.mark.parametrize("way", EVERY_WAY)
def test_shared_recursions_give_what_the_source_gives(way: Callable[..., Any]) -> None:
    source = loads(with_copies(MOST_COPIES + 2))
    passed = arguments_of("((a) ((a . (b)) (b . 7)))")
    residual = cogen.specialize(source, "f", cogen.dynamic(), cogen.dynamic())
    assert way(residual)(*passed) == value_of(source, passed)


TIMES = st.sampled_from(["_", "static"])


@given(st.sampled_from(UNKNOWN), st.lists(TIMES, min_size=2, max_size=2))
def test_every_division_gives_the_same(row: tuple[str, str, str], times: list[str]) -> None:
    source, passed = loads(program(row[1])), arguments_of(row[2])
    division = [
        cogen.static(value) if time == "static" else cogen.dynamic()
        for time, value in zip(times, passed, strict=True)
    ]
    residual = cogen.specialize(source, "f", *division)
    rest = [value for time, value in zip(times, passed, strict=True) if time != "static"]
    assert interpreted(residual)(*rest) == value_of(source, passed)
