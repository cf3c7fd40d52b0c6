"""Words that a program asks for and never meets (`cogen.specializer.advice.absent`)."""

from __future__ import annotations

import pytest

import cogen
from cogen.binding_times import parse_bt
from cogen.convert import to_datum
from cogen.lang import il
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from cogen.specializer.advice.absent import find_absent
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.values import DATA

ASKS = "(if (eq? (car l) 'a) 1 (if (eq? (cadr l) 'b) 2 (if (eq? x 'c) 3 4)))"


def absent(text: str, *times: str) -> list[str]:
    found = find_absent(cogen.loads(text), "f", list(map(parse_bt, times)))
    return sorted(map(write_datum, found))


@pytest.mark.parametrize(
    ("body", "time", "wanted"),
    [
        (ASKS, "(static (a x))", ["b", "c"]),
        (ASKS, "(static (x #(y b)))", ["a", "c"]),
        (ASKS, "(cons (static (a)) _)", ["b", "c"]),
        (f"(list 'c {ASKS})", "(static ())", ["a", "b"]),  # it is a constant elsewhere
        (f"(memq x '(b c)) {ASKS}", "(static ())", ["a"]),
        (f"(string->symbol x) {ASKS}", "(static ())", ["a", "b", "c"]),
        (f"(string->symbol x) {ASKS}", '(static ("ab"))', ["c"]),  # it may be a part of a text
        (f"(string->symbol (string-append x l)) {ASKS}", "(static ())", []),
        ('(if (string=? x "dup") 1 (string=? x "rot"))', '(static ("1 dup"))', ['"rot"']),
        ('(string=? (string-append x x) "rot")', "(static ())", []),
        ('(string=? (symbol->string x) "rot")', "(static ())", []),
    ],
)
def test_what_is_nowhere_else(body: str, time: str, wanted: list[str]) -> None:
    assert absent(f"(define (f l x) {body})", time, "_") == wanted


def test_what_comes_later_may_hold_any_word() -> None:
    program = cogen.loads(f"(define (f l x) {ASKS})")
    assert find_absent(program, "f", [cogen.static(), parse_bt("_")]) == frozenset()


def test_procedures_that_nothing_mentions_say_nothing() -> None:
    text = "(define (f l) (eq? (car l) 'a)) (define (g) (string-append \"a\" (h))) (define (h) 'a)"
    assert absent(text, "(static (b))") == ["a"]


def test_what_is_in_such_an_arm_is_not_made() -> None:
    text = """(define (f l x) (loop l x '()))
      (define (loop l x s)
        (cond ((null? l) s)
              ((eq? (car l) 'push) (loop (cdr l) x (cons x s)))
              (else (loop (cdr l) x (cons (car l) s)))))"""
    for program, is_data in (("(a b)", False), ("(a push)", True)):
        flow = Flow(cogen.loads(text), "f", [parse_bt(f"(static {program})"), parse_bt("_")])
        held = {
            token
            for made in flow.solution.made.values()
            for node in made.parts.values()
            for token in node.tokens
        }
        assert (DATA in held) == is_data


FORTH = """
(define (words text)
  (let loop ((i 0) (from 0) (found '()))
    (define (more) (if (= from i) found (cons (substring text from i) found)))
    (cond ((= i (string-length text)) (reverse (more)))
          ((char=? (string-ref text i) #\\space) (loop (+ i 1) (+ i 1) (more)))
          (else (loop (+ i 1) from found)))))
(define (run text n) (go (words text) (list n) '() '()))
(define (body ws) (if (string=? (car ws) ";") '() (cons (car ws) (body (cdr ws)))))
(define (after ws) (if (string=? (car ws) ";") (cdr ws) (after (cdr ws))))
(define (go ws data returns dictionary)
  (if (null? ws)
      (if (null? returns) (car data) (go (car returns) data (cdr returns) dictionary))
      (let ((w (car ws)) (ws (cdr ws)))
        (cond ((string->number w) => (lambda (n) (go ws (cons n data) returns dictionary)))
              ((string=? w ":")
               (go (after ws) data returns (cons (cons (car ws) (body (cdr ws))) dictionary)))
              ((assoc w dictionary) => (lambda (d) (go (cdr d) data (cons ws returns) dictionary)))
              ((string=? w "dup") (go ws (cons (car data) data) returns dictionary))
              ((string=? w "-") (go ws (cons (- (cadr data) (car data)) (cddr data)) returns
                                    dictionary))
              ((string=? w "0?") (if (= (car data) 0) (go ws data returns dictionary)
                                     (go (cdr ws) data returns dictionary)))
              ((string=? w "exit") (go (car returns) data (cdr returns) dictionary))
              ((string=? w ">r") (go ws (cdr data) (cons (car data) returns) dictionary))
              ((string=? w "r>") (go ws (cons (car returns) data) (cdr returns) dictionary))
              (else (error "what?" w))))))
"""


PLAIN = ": down 0? exit 1 - down ; : twice down down ; twice"
MOVING = ": down 0? exit 1 - down ; dup >r down r> down -"


@pytest.mark.parametrize("texts", [(PLAIN, MOVING), (MOVING, PLAIN)])
def test_a_word_that_a_program_does_not_use_makes_no_difference(texts: tuple[str, ...]) -> None:
    """`>r` puts data where there are words of the program, in other programs."""
    program = cogen.loads(FORTH)
    for text in texts:
        check(program, text)


def check(program: il.Program, text: str) -> None:
    residual = cogen.specialize(program, "run", cogen.static(text), cogen.dynamic("int"))
    assert text is not PLAIN or '"' not in residual.scheme.replace("; from", "")
    for n in (0, 3):
        machine, left = Interpreter(program), Interpreter(residual.program.program)
        machine.run()
        left.run()
        assert left.call("run", (n,)) == machine.call("run", (to_datum(text), n)) == 0
