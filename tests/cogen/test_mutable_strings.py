"""Strings that programs change: interpreted, native, and in residual programs of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import cogen
from cogen.backends.native.compile import c_text
from cogen.convert import from_datum
from cogen.lang import il
from cogen.lang.interp import Interpreter
from tests.cogen.nativecode.running import agree
from tests.cogen.residualways import WAYS, native

SETUP = r"""
(define (show thunk)
  (guard (e (#t (display (error-object-message e))
                (for-each (lambda (x) (display " ") (write x)) (error-object-irritants e))))
    (write (thunk)))
  (newline))
(define (new) (string-copy "hello"))
(define t (new))
(define (changed text) (string-set! text 0 #\X) text)
"""

CASES = {
    '(let ((s (make-string 3 #\\a))) (string-set! s 1 #\\λ) s)': '"aλa"',
    '(let* ((s (new)) (u s)) (string-set! u 0 #\\j) (list s (eq? s u)))': '("jello" #t)',
    "(eq? (new) (new))": "#f",
    "(eqv? t (string-copy t))": "#f",
    '(list (equal? t (new)) (equal? t "hello") (equal? (list "hello") (list t)) (equal? t 1))':
        "(#t #t #t #f)",
    "(let ((s (new))) (string-fill! s #\\x 1 3) s)": '"hxxlo"',
    "(let ((s (new))) (string-fill! s #\\y) s)": '"yyyyy"',
    '(let ((s (new))) (string-copy! s 1 "abcdef" 2 4) s)': '"hcdlo"',
    "(let ((s (new))) (string-copy! s 1 s 0 4) s)": '"hhell"',
    "(let ((s (new))) (string-copy! s 0 s 1) s)": '"elloo"',
    "(changed (string #\\a #\\b))": '"Xb"',
    '(changed (string-append "ab" t))': '"Xbhello"',
    '(changed (substring "abc" 1 3))': '"Xc"',
    "(changed (list->string '(#\\a)))": '"X"',
    "(changed (vector->string #(#\\a #\\b)))": '"Xb"',
    '(changed (string-upcase "abc"))': '"XBC"',
    "(changed (number->string 123))": '"X23"',
    "(changed (utf8->string #u8(97 98)))": '"Xb"',
    '(changed (read-line (open-input-string "one\ntwo")))': '"Xne"',
    '(read-line (open-input-string ""))': "#<eof>",
    "(changed (call-with-output-string (lambda (p) (write t p))))": '"Xhello\\""',
    "(changed (string-map char-upcase t))": '"XELLO"',
    "(changed (apply string-append (list t t)))": '"Xellohello"',
    "(let* ((s (new)) (l (string->list s 3))) (string-set! s 4 #\\j) l)": "(#\\l #\\o)",
    "(let* ((s (new)) (p (open-input-string s))) (string-set! s 0 #\\j) (read-line p))": '"hello"',
    "(let ((s (new))) (string-append s (begin (string-set! s 0 #\\j) \"|\") s))": '"jello|jello"',
    "(let* ((s (new)) (y (string->symbol s))) (string-set! s 0 #\\j) (list y (string->symbol s)))":
        "(hello jello)",
    '(list (map string-length (list t "a")) (map string-ref (list t "a") \'(1 0)))':
        "((5 1) (#\\e #\\a))",
    '(map string-upcase (list t "a"))': '("HELLO" "A")',
    '(list (string<? t "i" "j") (apply string<? (list t "a")) (string=? t (new) "hello"))':
        "(#t #f #t)",
    "(string->number (string #\\1 #\\2))": "12",
    "(= (equal-hash t) (equal-hash \"hello\"))": "#t",
    '(list (assoc t (list (cons "hello" 1))) (member "hello" (list 1 t)))':
        '(("hello" . 1) ("hello"))',
    "(list (string? t) (string-length t) (string->utf8 t) (string->vector t 4))":
        "(#t 5 #u8(104 101 108 108 111) #(#\\o))",
    "(let ((v (make-vector 2 (new)))) (string-set! (vector-ref v 0) 0 #\\!) v)":
        '#("!ello" "!ello")',
    '(string-set! "abc" 0 #\\x)':
        'string-set!: expected a string that can be changed, not a constant, got "abc"',
    "(string-fill! (symbol->string 'abc) #\\x)":
        'string-fill!: expected a string that can be changed, not a constant, got "abc"',
    "(string-set! 'a 0 #\\x)": "string-set!: expected a string, got a",
    "(string-set! t 5 #\\x)": "string-set!: index 5 is not in 0 to 4",
    "(string-set! t 1 'a)": "string-set!: expected a character, got a",
    "(string-fill! t 1)": "string-fill!: expected a character, got 1",
    "(string-fill! t #\\a 2 1)": "string-fill!: the part from 2 to 1 is not within 0 to 5",
    '(string-copy! t 3 "abc")': "string-copy!: 3 characters do not fit at 3 of 5",
    "(string-copy! t 3 'x)": "string-copy!: expected a string, got x",
    "(string-append t 'a)": "string-append: expected a string, got a",
    "(apply string-append t '(a))": "string-append: expected a string, got a",
    "(string-ref t 7)": "string-ref: index 7 is not in 0 to 4",
    "(error (string-append \"m\" t) t)": 'mhello "hello"',
    "string-ref": "#<procedure string-ref>",
}  # fmt: skip


def test_what_operations_mean() -> None:
    text = SETUP + "".join(f"(show (lambda () {case}))\n" for case in CASES)
    assert agree(text).out.splitlines() == list(CASES.values())


PROGRAM = r"""
(define (next s)
  (let* ((n (string-length s)) (t (make-string n #\a)))
    (do ((i 0 (+ i 1))) ((= i n) t)
      (let ((c (string-ref s i)))
        (string-set! t i (if (char-alphabetic? c) (integer->char (+ 1 (char->integer c))) c))))))
(define (f s) (string-append (next s) (string #\a) "bc"))
(define (g s k)
  (let ((t (string-copy s)))
    (string-set! t k #\!)
    (let ((u (string-append t t)))
      (string-set! t 0 #\?)
      (list t u (equal? t u) (string=? t "?!c") (string-ref t 0)))))
(define (h k)
  (let ((t (make-string k #\-)))
    (string-fill! t #\= 1)
    (string-copy! t 0 "ab")
    (string->symbol t)))
(define (twice s k) (string-set! s k #\x) (list (string-ref s k) (begin (string-fill! s #\y) s)))
(define (two k) (let ((s (string-copy "abc"))) (twice s k)))
"""

RESIDUAL: list[tuple[str, list[Any], list[Any]]] = [
    ("f", [...], ["hello, w"]),
    ("f", ["abc"], []),
    ("g", [..., 1], ["abc"]),
    ("g", ["abc", ...], [1]),
    ("h", [...], [5]),
    ("h", [4], []),
    ("two", [...], [1]),
    ("two", [2], []),
]
"""Procedures, what is known of their arguments, and the others."""


def in_the_interpreter(program: il.Program, entry: str, arguments: list[Any]) -> Any:
    interpreter = Interpreter(program)
    interpreter.run()
    return from_datum(interpreter.call(entry, arguments))


def times(known: list[Any]) -> list[Any]:
    return [cogen.dynamic() if value is ... else cogen.static(value) for value in known]


@pytest.mark.parametrize(("entry", "known", "dynamic"), RESIDUAL)
def test_residual_programs(entry: str, known: list[Any], dynamic: list[Any]) -> None:
    program = cogen.loads(PROGRAM)
    rest = iter(dynamic)
    given = [next(rest) if value is ... else value for value in known]
    expected = in_the_interpreter(program, entry, given)
    residual = cogen.specialize(program, entry, *times(known))
    division = [cogen.dynamic() if value is ... else cogen.static() for value in known]
    made = cogen.generate(program, entry, *division)
    assert made(*times(known)).scheme == residual.scheme
    again = cogen.loads(residual.scheme)
    assert in_the_interpreter(again, entry, dynamic) == expected
    assert residual.to_python()(*dynamic) == expected


@native
def test_residual_programs_in_c() -> None:
    program = cogen.loads(PROGRAM)
    for entry, known, dynamic in RESIDUAL[::2]:
        residual = cogen.specialize(program, entry, *times(known))
        assert residual.compile()(*dynamic) == residual.to_python()(*dynamic)


@pytest.mark.parametrize("way", WAYS)
def test_arguments_and_results_are_python_strings(way: Callable[[Any], Any]) -> None:
    """Those that are passed are constants."""
    text = '(define (f s) (if (string=? s "") (string-set! s 0 #\\a) (string-append s "b")))'
    call = way(cogen.specialize(cogen.loads(text), "f", cogen.dynamic()))
    assert from_datum(call("a")) == "ab"
    with pytest.raises(cogen.CogenError, match="string-set!: expected a string that can be"):
        call("")


def test_programs_that_change_no_string_pay_nothing() -> None:
    text = '(define (f x) (string-append (string-copy "ab") (make-string 2 #\\c) x))'
    residual = cogen.specialize(cogen.loads(text), "f", cogen.dynamic())
    assert "%" not in residual.scheme
    assert '(string-append "ab" "cc" x)' in residual.scheme


def test_what_is_known_of_constants_stays_known() -> None:
    text = '(define (f s k) (string-set! s k #\\a) (string-ref "abc" 1))'
    residual = cogen.specialize(cogen.loads(text), "f", cogen.dynamic(), cogen.dynamic("int"))
    assert "string-ref" not in residual.scheme


def test_native_code_copies_no_characters_to_look_at_them() -> None:
    program = cogen.loads(PROGRAM)
    text = c_text(program, "g").text
    assert "op_pct_fresh_string(" in text
    assert "op_pct_string_content(" not in text.partition("\n\n")[2].replace(
        "word op_pct_string_content(RT, word, word);", ""
    )
