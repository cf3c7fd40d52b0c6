"""The procedures of the prelude: values, laws against Python, errors."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.lang.datum import NIL, Datum, from_iterable, iterate
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.prelude import prelude_parts, prelude_source
from cogen.lang.printer import write_datum
from cogen.lang.reader import read
from cogen.lang.syntax import SyntaxList, to_datum
from tests.lang.running import failure, output, value

pytestmark = pytest.mark.quick

VALUES = {
    # pairs and lists
    "(list (cadr '(1 2 3)) (cddr '(1 2 3)) (caar '((1) 2)) (cdar '((1) 2)))": "(2 (3) 1 ())",
    "(list (caddr '(1 2 3 4)) (cdddr '(1 2 3 4)) (cadddr '(1 2 3 4)) (cddddr '(1 2 3 4)))": (
        "(3 (4) 4 ())"
    ),
    "(list)": "()",
    "(list 1 (list 2))": "(1 (2))",
    "(make-list 2 'x)": "(x x)",
    "(length (make-list 3))": "3",
    "(map list? (list '() '(1 2) '(1 . 2) 5))": "(#t #t #f #f)",
    "(let ((l (list 1 2 3))) (set-cdr! (cddr l) l) (list? l))": "#f",
    "(let ((l (list 1))) (set-cdr! l l) (list? l))": "#f",
    "(append)": "()",
    "(append '(1))": "(1)",
    "(append '(1) 2)": "(1 . 2)",
    "(append '(1) '() '(2 3) '(4))": "(1 2 3 4)",
    "(let ((l (list 3))) (eq? l (cdr (append '(1) l))))": "#t",
    "(reverse '(1 (2 3) 4))": "(4 (2 3) 1)",
    "(list-tail '(1 2 3) 1)": "(2 3)",
    "(list-tail '(1 2) 2)": "()",
    "(list-ref '(a b c) 2)": "c",
    "(let ((l (list 1 2 3))) (list-set! l 1 'x) l)": "(1 x 3)",
    "(let* ((a (list 1 2)) (b (list-copy a))) (set-car! b 9) (list a b))": "((1 2) (9 2))",
    "(list-copy 5)": "5",
    "(list (memq 'c '(a b c d)) (memq 'x '(a)) (memv 101 '(100 101)) (member \"b\" '(\"b\")))": (
        '((c d) #f (101) ("b"))'
    ),
    "(member 2.0 '(1 2 3) =)": "(2 3)",
    "(list (assq 'b '((a 1) (b 2))) (assv 5 '((2 3) (5 7))) (assoc '(a) '(((a)) ((b)))))": (
        "((b 2) (5 7) ((a)))"
    ),
    "(assoc 2.0 '((1 1) (2 4)) =)": "(2 4)",
    "(assq 'x '())": "#f",
    # higher order
    "(map + '(1 2 3) '(10 20))": "(11 22)",
    "(map (lambda (x) (* x x)) '(1 2 3))": "(1 4 9)",
    "(let ((n 0)) (for-each (lambda (a b) (set! n (+ n (* a b)))) '(1 2 3) '(4 5 6)) n)": "32",
    "(apply map list '((1 2) (3 4)))": "((1 3) (2 4))",
    "(vector-map (lambda (x) (* x x)) #(1 2 3))": "#(1 4 9)",
    "(vector-map + #(1 2 3) #(10 20))": "#(11 22)",
    "(let ((s '())) (vector-for-each (lambda (x) (set! s (cons x s))) #(1 2 3)) s)": "(3 2 1)",
    "(let ((s '())) (vector-for-each (lambda (a b) (set! s (cons (+ a b) s))) #(1 2) #(3 4)) s)": (
        "(6 4)"
    ),
    '(string-map char-upcase "abc")': '"ABC"',
    '(string-map (lambda (a b) (if (char<? a b) a b)) "adc" "bbbb")': '"abb"',
    '(let ((n 0)) (string-for-each (lambda (c) (set! n (+ n (char->integer c)))) "ab") n)': "195",
    '(let ((s \'())) (string-for-each (lambda (a b) (set! s (cons (list a b) s))) "ab" "xyz") s)': (
        "((#\\b #\\y) (#\\a #\\x))"
    ),
    # vectors
    "(vector->list #(1 2 3))": "(1 2 3)",
    "(vector->list #(1 2 3) 1)": "(2 3)",
    "(vector->list #(1 2 3) 1 2)": "(2)",
    "(list->vector '(1 2 3))": "#(1 2 3)",
    "(vector-copy #(1 2 3) 1)": "#(2 3)",
    "(vector-append #(1) #() #(2 3))": "#(1 2 3)",
    "(vector-append)": "#()",
    "(let ((v (vector 1 2 3 4))) (vector-fill! v 0 1 3) v)": "#(1 0 0 4)",
    "(let ((v (vector 1 2 3 4 5))) (vector-copy! v 1 v 0 3) v)": "#(1 1 2 3 5)",
    "(let ((v (vector 1 2 3 4 5))) (vector-copy! v 0 v 2) v)": "#(3 4 5 4 5)",
    # numbers and values
    "(call-with-values (lambda () (floor/ -7 2)) list)": "(-4 1)",
    "(call-with-values (lambda () (truncate/ -7 2)) list)": "(-3 -1)",
    "(call-with-values (lambda () (exact-integer-sqrt 17)) list)": "(4 1)",
    "(call-with-values (lambda () 5) list)": "(5)",
    "(call-with-values values list)": "()",
    # promises
    "(force (delay (+ 1 2)))": "3",
    "(let* ((n 0) (p (delay (begin (set! n (+ n 1)) n)))) (list (force p) (force p)))": "(1 1)",
    "(force 5)": "5",
    "(list (promise? (delay 1)) (promise? 1) (promise? (make-promise 1)))": "(#t #f #t)",
    "(let ((p (make-promise 1))) (eq? p (make-promise p)))": "#t",
    "(let loop ((n 0)) (force (delay-force (if (= n 5) (delay n) (delay (loop (+ n 1)))))))": "5",
    # ports
    '(call-with-port (open-input-string "ab") read-char)': "#\\a",
    "(let ((p (open-output-string))) (call-with-port p (lambda (p) (write 'x p)))"
    " (list (get-output-string p) (output-port-open? p)))": '("x" #f)',
}


@pytest.mark.parametrize(("text", "expected"), VALUES.items())
def test_values(text: str, expected: str) -> None:
    assert value(text) == expected


def test_a_promise_is_forced_once_even_when_it_forces_itself() -> None:
    text = """
    (define x 5)
    (define p (delay (begin (set! x (+ x 1)) (if (> x 7) x (force p)))))
    (write (list (force p) (begin (set! x 10) (force p))))
    """
    assert output(text) == "(8 8)"


def test_chains_of_promises_take_constant_space() -> None:
    text = """
    (define (loop n) (if (= n 0) (delay 'done) (delay-force (loop (- n 1)))))
    (write (force (loop 20000)))
    """
    assert output(text) == "done"


@pytest.fixture(scope="module")
def prelude() -> Interpreter:
    """Calls procedures of the prelude from Python."""
    interpreter = Interpreter(
        loads("""
        (define (root n) (call-with-values (lambda () (exact-integer-sqrt n)) list))
        (define (joined a b) (append a b))
        (define (turned a) (reverse a))
        (define (size a) (length a))
        (define (doubled a) (map (lambda (x) (* 2 x)) a))
        (define (there-and-back a) (vector->list (list->vector a)))
        (define (moved v to from end) (vector-copy! v to v from end) v)
        (define (nth a i) (list-ref a i))
        """)
    )
    interpreter.run()
    return interpreter


def items(datum: Datum) -> list[Any]:
    return list(iterate(datum))


integers = st.integers(-1000, 1000)


@given(st.lists(integers), st.lists(integers))
def test_lists_against_python(prelude: Interpreter, a: list[int], b: list[int]) -> None:
    first, second = from_iterable(a), from_iterable(b)
    assert items(prelude.call("joined", [first, second])) == a + b
    assert items(prelude.call("turned", [first])) == a[::-1]
    assert prelude.call("size", [first]) == len(a)
    assert items(prelude.call("doubled", [first])) == [2 * x for x in a]
    assert items(prelude.call("there-and-back", [first])) == a
    for i, x in enumerate(a):
        assert prelude.call("nth", [first, i]) == x


@given(st.integers(0, (1 << 63) - 1) | st.integers(0, 50) | st.integers(1, 3037000499))
def test_integer_square_root(prelude: Interpreter, n: int) -> None:
    root = math.isqrt(n)
    assert items(prelude.call("root", [n])) == [root, n - root * root]
    if n <= 3037000499:
        assert items(prelude.call("root", [n * n])) == [n, 0]


@given(st.lists(integers, min_size=1, max_size=8), st.data())
def test_parts_of_vectors_move_within_them(
    prelude: Interpreter, v: list[int], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(v)))
    end = data.draw(st.integers(start, len(v)))
    to = data.draw(st.integers(0, len(v) - (end - start)))
    expected = v[:]
    expected[to : to + end - start] = v[start:end]
    assert prelude.call("moved", [v[:], to, start, end]) == expected


@pytest.mark.slow
def test_long_lists(prelude: Interpreter) -> None:
    long = from_iterable(range(100_000))
    assert prelude.call("size", [prelude.call("joined", [long, long])]) == 200_000
    assert prelude.call("doubled", [NIL]) is NIL


ERRORS = {
    "(length 5)": "length: expected a list, got 5",
    "(length '(1 . 2))": "length: expected a list, got (1 . 2)",
    "(append '(1 . 2) '(3))": "append: expected a list, got 2",
    "(reverse 'a)": "reverse: expected a list, got a",
    "(list-tail '(1 2) 3)": "list-tail: expected a pair, got ()",
    "(list-ref '(1 2) 2)": "list-ref: expected a pair, got ()",
    "(list-ref '(1 2) -1)": "list-ref: expected an index that is not negative, got -1",
    "(list-set! (list) 0 1)": "list-set!: expected a pair, got ()",
    "(make-list -1)": "make-list: expected a size that is not negative, got -1",
    "(make-list 1 2 3)": "make-list: too many arguments",
    "(memq 'a 5)": "memq: expected a list, got 5",
    "(memv 1 '(2 . 3))": "memv: expected a list, got (2 . 3)",
    "(member 1 2)": "member: expected a list, got 2",
    "(assq 'a '(1))": "assq: expected a pair, got 1",
    "(assv 'a 7)": "assv: expected a list, got 7",
    '(assoc \'a "s")': 'assoc: expected a list, got "s"',
    "(map car 5)": "map: expected a list, got 5",
    "(map + '(1) 5)": "map: expected a list, got 5",
    "(map 5 '(1))": "expected a procedure to call, got 5",
    "(for-each car '(1))": "car: expected a pair, got 1",
    "(for-each car 1)": "for-each: expected a list, got 1",
    "(for-each (lambda () 1) '(1))": "lambda: expected 0 arguments, got 1",
    "(vector->list '(1))": "vector->list: expected a vector, got (1)",
    "(vector->list #(1 2) 3)": "vector->list: the part from 3 to 2 is not within 0 to 2",
    "(vector->list #(1 2) 'a)": "vector->list: expected an integer, got a",
    "(vector->list #(1 2) 0 'a)": "vector->list: expected an integer, got a",
    "(vector-copy #(1) 0 1 2)": "vector-copy: too many arguments",
    "(vector-copy! (vector 1) 1 #(1))": "vector-copy!: the items do not fit at 1",
    "(vector-copy! (vector 1) 'a #(1))": "vector-copy!: expected an integer, got a",
    "(list->vector 5)": "list->vector: expected a list, got 5",
    "(vector-append #(1) 2)": "vector-append: expected a vector, got 2",
    "(vector-map car 2)": "vector-map: expected a vector, got 2",
    "(vector-for-each car 2)": "vector-for-each: expected a vector, got 2",
    '(string-map (lambda (c) 1) "a")': "list->string: expected a character, got 1",
    "(string-map car 5)": "string->list: expected a string, got 5",
    "(exact-integer-sqrt -1)": (
        "exact-integer-sqrt: expected an integer that is not negative, got -1"
    ),
    "(cadr '(1))": "cadr: expected a pair, got ()",
    "((make-parameter 1) 2)": "a parameter takes no arguments",
    "(call-with-values (lambda () (values 1 2)) car)": "car: expected 1 argument, got 2",
}


@pytest.mark.parametrize(("text", "message"), ERRORS.items())
@pytest.mark.parametrize("tail", [True, False])
def test_errors_are_told_at_the_call(text: str, message: str, tail: bool) -> None:
    program = f"(define (f)\n  {text})\n(f)" if tail else f"(define (f)\n  {text} 1)\n(f)"
    error = failure(program)
    assert error.message == message
    assert error.span is not None
    assert (error.span.line, error.span.column) == (2, 3)


def test_the_parts_of_the_prelude_are_its_forms() -> None:
    """Procedures are found by how they begin, and read only when they are needed."""
    whole = read(prelude_source())
    parts = prelude_parts()
    assert [part.span for part in parts] == [form.span for form in whole]
    texts = [
        [write_datum(to_datum(form)) for form in forms]
        for forms in (whole, [part.form() for part in parts])
    ]
    assert texts[0] == texts[1]
    for part in parts:
        head = part.form().value.items[1]
        if part.name is not None:
            name = head.value.items[0]
            assert (name.value, name.span) == (part.name.value, part.name.span)
    assert sum(part.name is None for part in parts) < 10


def test_a_program_reads_of_the_prelude_what_it_needs() -> None:
    command = (
        "from cogen.lang import load, prelude; load.loads('(write (assq 1 (list)))');"
        "print(prelude._form_at.cache_info().misses)"
    )
    done = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True
    )
    assert 1 <= int(done.stdout) < 20, done.stderr


JUNK = ("5", "'(1 . 2)", "'(1)", "'#(1)")
"""What procedures are given that take something else."""


def _calls() -> Iterator[tuple[str, str]]:
    """Calls of the procedures of the prelude that look into pairs, with what is none."""
    for form in read(prelude_source()):
        head = form.value.items[1] if len(form.value.items) > 1 else form
        if not (isinstance(head.value, SyntaxList) and head.value.items):
            continue
        name, *parameters = (item.value.name for item in head.value.items)
        text = form.span.source.text[form.span.start : form.span.end]
        if name.startswith("%") or not re.search(r"\((c[ad]r|set-c[ad]r!) ", text):
            continue
        count = len(parameters) + (head.value.tail is not None)
        for parts in product(JUNK, repeat=count) if count < 3 else ([j] * count for j in JUNK):
            yield name, f"({name} {' '.join(parts)})"


@pytest.mark.slow
@pytest.mark.parametrize("back_end", ["interpreter", "python"])
def test_failures_are_told_of_the_procedure_that_is_called(back_end: str) -> None:
    """Of `list-ref`, not of the `cdr` in it."""
    calls = list(_calls())[:: 1 if back_end == "interpreter" else 20]
    if back_end == "interpreter":
        assert {"cadr", "list-ref", "list-set!", "assq", "cdddr"} <= {name for name, _ in calls}
    told = "(guard (e ((error-object? e) (error-object-message e)) (#t #f)) {} #f)"
    tried = "\n".join(f"(define (f{i}) {told.format(text)})" for i, (_, text) in enumerate(calls))
    names = " ".join(f"(f{i})" for i in range(len(calls)))
    program = f"{tried}\n(define (all) (list {names}))"
    if back_end == "interpreter":
        interpreter = Interpreter(loads(program))
        interpreter.run()
        found = [*iterate(interpreter.call("all", []))]
    else:
        found = cogen.specialize(cogen.loads(program), "all").to_python()()
    inner = ("car: ", "cdr: ", "set-car!: ", "set-cdr!: ")
    messages = [(text, said) for (_, text), said in zip(calls, found, strict=True) if said]
    assert len(messages) > (100 if back_end == "interpreter" else 5)
    assert [each for each in messages if each[1].startswith(inner)] == []
