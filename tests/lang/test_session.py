"""Conversations: what forms mean one after the other, and what is left when one fails."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import CogenError, LimitationError, Source
from cogen.lang.ilutil import primitives
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.lang.reader import read
from cogen.lang.session import Session

pytestmark = pytest.mark.quick


class Talk:
    """A session, and what it says to texts."""

    def __init__(self) -> None:
        self.output = io.StringIO()
        self.session = Session(output=self.output)

    def __call__(self, text: str) -> str:
        """The value of the last form of a text, of which each is evaluated by itself."""
        value = UNSPECIFIED
        for form in read(Source("<repl>", text)):
            value = self.session.evaluate([form])
        return write_datum(value)

    def fails(self, text: str) -> CogenError:
        with pytest.raises(CogenError) as caught:
            self(text)
        return caught.value

    def run_program(self, call: str) -> str:
        """The value of a call in the program that the definitions are."""
        program = self.session.program()
        interpreter = Interpreter(program, output=io.StringIO())
        interpreter.run()
        name, *arguments = call.split()
        return write_datum(interpreter.call(name, [int(a) for a in arguments]))


@pytest.fixture
def talk() -> Talk:
    return Talk()


def test_definitions_stay(talk: Talk) -> None:
    talk("(define y 3) (define (f x) (* x y))")
    assert talk("(f 2)") == "6"
    assert talk("(set! y 4) (f 2)") == "8"
    assert talk("(let loop ((i 0)) (if (< i 1000) (loop (+ i 1)) i))") == "1000"


def test_who_uses_a_procedure_uses_its_new_definition(talk: Talk) -> None:
    talk("(define (g) 'old) (define (f) (g))")
    assert talk("(f)") == "old"
    assert talk("(define (g) 'new) (f)") == "new"
    assert talk("(define g car) (g '(1))") == "1"
    assert talk("(define (g x) (+ x 1)) (define (f) (g 1)) (f)") == "2"


def test_procedures_may_be_defined_in_any_order(talk: Talk) -> None:
    talk("(define (ev? n) (if (= n 0) #t (od? (- n 1))))")
    (warning,) = talk.session.warnings.messages
    assert warning.message == "`od?` is not defined yet (did you mean `odd?`?)"
    assert str(warning.span) == "<repl>:1:33"
    assert talk("(ev? 0)") == "#t"
    assert talk.fails("(ev? 1)").message == "od? is used before its definition"
    assert talk.fails("(od? 1)").message == "unbound name `od?`"
    talk("(define (od? n) (if (= n 0) #f (ev? (- n 1))))")
    assert talk("(list (ev? 10) (ev? 7))") == "(#t #f)"
    talk("(define (h) (ev? 1))")
    assert talk.session.warnings.messages == []


def test_values_need_what_they_are_made_of_now(talk: Talk) -> None:
    error = talk.fails("(define z (foo 1))")
    assert (error.message, str(error.span)) == ("unbound name `foo`", "<repl>:1:12")
    assert talk.fails("z").message == "unbound name `z`"
    assert talk.fails("(map (lambda (x) (foo x)) '(1))").message == "unbound name `foo`"


@pytest.mark.parametrize("bad", ["(define f (car '()))", "(define (f) (if))", "(define f (nope))"])
def test_a_failing_definition_leaves_the_earlier_one(talk: Talk, bad: str) -> None:
    talk("(define (f) 1) (define (g) (f))")
    talk.fails(bad)
    assert talk("(list (f) (g))") == "(1 1)"
    assert talk.run_program("g") == "1"


def test_a_form_that_fails_half_way_defines_nothing(talk: Talk) -> None:
    talk("(define a 1)")
    talk.fails("(begin (define a 2) (define b 3) (car '()))")
    assert talk("a") == "1"
    assert talk.fails("b").message == "unbound name `b`"
    talk.fails("(begin (set! a 5) (car '()))")
    assert talk("a") == "5"  # what was done is done


def test_macros_and_records_may_be_defined_again(talk: Talk) -> None:
    talk("(define-syntax m (syntax-rules () ((_ a) (list a 1))))")
    assert talk("(m 2)") == "(2 1)"
    talk("(define-syntax m (syntax-rules () ((_ a) (list a 2))))")
    assert talk("(m 2)") == "(2 2)"
    assert talk("(define (m x) x) (m 3)") == "3"
    talk("(define-record-type point (make-point x) point? (x point-x))")
    talk("(define old (make-point 1))")
    talk("(define-record-type point (make-point y x) point? (x point-x) (y point-y))")
    assert talk("(list (point-x (make-point 1 2)) (point? old))") == "(2 #f)"
    assert talk("(define car cdr) (car '(1 2))") == "(2)"
    assert talk("(define if list) (if 1 2 3)") == "(1 2 3)"


def test_procedures_of_the_language_may_be_defined_again(talk: Talk) -> None:
    assert talk("(map - '(1 2))") == "(-1 -2)"
    talk("(define (uses) (map - '(3)))")
    talk("(define (map f l) 'mine)")
    assert talk("(map - '(1 2))") == "mine"
    assert talk("(vector-map - #(1))") == "#(-1)"


def test_a_continuation_of_an_earlier_form(talk: Talk) -> None:
    talk("(define k #f) (define n 0)")
    assert talk("(+ 1 (call/cc (lambda (c) (set! k c) 1)))") == "2"
    talk("(set! n (+ n 1))")
    assert talk("(k 10)") == "11"
    assert talk("n") == "1"  # the form after the first was not evaluated again
    talk("(define x (call/cc (lambda (c) (set! k c) 1)))")
    assert talk("(k 7) x") == "7"


def test_winding_counts_from_when_it_is_used(talk: Talk) -> None:
    talk("(define (f) (call/cc (lambda (k) (k 1))))")
    assert talk("(f)") == "1"
    talk("(define log '())")
    talk(
        "(define (g) (call/cc (lambda (k) (dynamic-wind (lambda () #f) (lambda () (k 2))"
        " (lambda () (set! log (cons 'out log)))))))"
    )
    assert talk("(list (g) log)") == "(2 (out))"


def test_libraries(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "lib.scm").write_text(
        "(define-library (lib) (export twice count) (begin"
        " (define made 0) (define (count) (set! made (+ made 1)) made)"
        " (define (twice x) (helper x x)) (define (helper a b) (+ a b))))"
    )
    session = Session([tmp_path], output=talk.output)
    talk.session = session
    talk("(import (lib))")
    assert talk("(twice 4)") == "8"
    assert talk("(count) (count)") == "2"
    assert talk("(import (lib)) (count)") == "3"
    talk("(define (twice x) 'mine)")
    assert talk("(twice 1)") == "mine"
    assert talk.fails("(import (nope))").message == "there is no library (nope)"
    assert talk("(count)") == "4"


def test_libraries_of_the_language(talk: Talk) -> None:
    talk("(import (srfi 1))")
    assert talk("(fold + 0 (iota 5))") == "10"
    talk("(define (all) (fold * 1 '(1 2 3)))")
    assert talk("(define (fold f a b) 'mine) (list (fold 1 2 3) (all))") == "(mine 6)"


def test_a_library_that_fails_is_as_if_it_was_not_imported(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "bad.scm").write_text("(define (f) 1) (define x (car '()))")
    talk.session = Session([tmp_path], output=talk.output)
    for _ in range(2):
        assert talk.fails("(import (bad))").message == "car: expected a pair, got ()"
    assert talk.fails("(f)").message == "unbound name `f`"


def test_files_are_checked_as_programs_are(talk: Talk) -> None:
    talk("(define (f) 1)")
    with pytest.raises(CogenError) as caught:
        talk.session.load(Source("a.scm", "(define (f) (later)) (define (g) 2)"))
    assert str(caught.value.span) == "a.scm:1:14"
    assert talk("(f)") == "1"
    talk.session.load(Source("a.scm", '(define (f) (g)) (display "hi") (define (g) 2)'))
    assert talk("(f)") == "2"
    assert talk.output.getvalue() == "hi"


def test_errors_tell_the_calls_through_several_forms(talk: Talk) -> None:
    talk("(define (inner x) (+ 1 (car x)))")
    talk("(define (outer x) (+ 1 (inner x)))")
    lines = talk.fails("(outer 5)").render().splitlines()
    assert lines[0] == "<repl>:1:24: error: car: expected a pair, got 5"
    assert lines[-2:] == [
        "  called from <repl>:1:24: (inner x)",
        "  called from <repl>:1:1: (outer 5)",
    ]


def test_left_out_names_are_told_at_once(talk: Talk) -> None:
    error = talk.fails("(define (f) (syntax-case 5))")
    assert isinstance(error, LimitationError)


def test_a_wrong_number_of_arguments(talk: Talk) -> None:
    talk("(define (f x) x)")
    assert talk.fails("(f 1 2)").message == "`f` takes 1 argument, but is given 2"
    talk("(define (change!) (set! f (lambda () 1)))")
    talk("(define (f x) x) (change!)")
    assert talk("(f)") == "1"


# The program


def test_the_program_has_the_last_definitions(talk: Talk) -> None:
    talk("(define (f x) 'old) (f 1) (define data '(1 2))")
    talk("(define (f x) (+ x (car data)))")
    talk('(display "no part of it")')
    program = talk.session.program()
    assert [item.name for item in program.items] == ["data", "f"]  # type: ignore[union-attr]
    assert talk.run_program("f 4") == "5"


def test_the_program_keeps_what_values_were_made_of(talk: Talk) -> None:
    talk("(define (f) 1) (define y (f)) (define (f) 2)")
    talk("(define x 1) (define z (+ x 1)) (define x 10) (define x (+ x 1))")
    talk("(define (all) (list (f) y x z))")
    assert talk("(all)") == "(2 1 11 2)"
    assert talk.run_program("all") == "(2 1 11 2)"


def test_a_definition_that_wraps_the_earlier_one(talk: Talk) -> None:
    talk("(define (f) 1) (define f (let ((old f)) (lambda () (+ 1 (old)))))")
    assert talk("(f)") == "2"
    assert talk.run_program("f") == "2"


def test_the_program_is_checked(talk: Talk) -> None:
    talk("(define (f) (later))")
    with pytest.raises(CogenError, match="unbound name `later`"):
        talk.session.program()
    talk("(define (later) 1)")
    assert talk.run_program("f") == "1"


def test_names(talk: Talk) -> None:
    talk("(define (mine) (not-yet))")
    names = talk.session.names()
    assert {"mine", "car", "map", "define"} <= set(names)
    assert "not-yet" not in names


def test_later_forms_change_the_strings_of_earlier_ones(talk: Talk) -> None:
    talk('(define s (string-copy "abc")) (define (f x) (string-append x "!"))')
    assert talk("(string-set! s 0 #\\x) s") == '"xbc"'
    assert talk("(f s)") == '"xbc!"'
    program = talk.session.program()
    assert "%fresh-string" not in primitives(program)
