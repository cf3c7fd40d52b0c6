"""Mistakes that show when a program runs: line, column and message of each.

The mark « in a program stands before the form that the diagnostic must point at.
"""

from __future__ import annotations

import pytest

from tests.lang.running import failure

pytestmark = pytest.mark.quick

POINT = "(define-record-type point (make-point x y) point? (x point-x set-point-x!) (y point-y))\n"

ERRORS = [
    # calls
    ("«(5 1)", "expected a procedure to call, got 5"),
    ("(define x 'a)\n(+ 1 «(x))", "expected a procedure to call, got a"),
    ("(define (f g) «(g 1 2))\n(f (lambda (x) x))", "lambda: expected 1 argument, got 2"),
    ("(define (f g)\n  (+ 1 «(g)))\n(f (lambda (x y) x))", "lambda: expected 2 arguments, got 0"),
    (
        "(define (f g) «(g))\n(f (lambda (x . y) x))",
        "lambda: expected at least 1 argument, got 0",
    ),
    ("(define (f) 1)\n«(apply f '(1))", "f: expected 0 arguments, got 1"),
    ("«(apply + 1)", "apply: expected a list as the last argument, got 1"),
    ("«(apply + 1 '(2 . 3))", "apply: expected a list as the last argument, got (2 . 3)"),
    ("(let ((f cons)) «(f 1))", "cons: expected 2 arguments, got 1"),
    ("(let ((f -)) «(f))", "-: expected at least 1 argument, got 0"),
    ("(let ((f apply)) «(f))", "apply: expected at least 2 arguments, got 0"),
    ("«(call/cc 5)", "expected a procedure to call, got 5"),
    ("«(dcall 'a 1)", "expected a procedure to call, got a"),
    ("«(call/cc (lambda () 1))", "lambda: expected 0 arguments, got 1"),
    # definitions
    ("(define (f) «(g))\n(f)\n(define (g) 1)", "g is used before its definition"),
    ("(display «(+ x 1))\n(define x 5)", "x is used before its definition"),
    ("(define y (list «x))\n(define x 5)\n(set! x 6)", "x is used before its definition"),
    ("(letrec ((a (+ «b 1)) (b 1))\n  a)", "b is used before its definition"),
    ("(define (f)\n  (define a (g))\n  (define (g) (+ «a 1))\n  a)\n(f)",
     "a is used before its definition"),
    # numbers
    ("«(+ 'a 1)", "+: expected a number, got a"),
    ("«(+ 1 2 \"3\")", '+: expected a number, got "3"'),
    ("(* 2 «(- #t))", "-: expected a number, got #t"),
    ("(if «(< 1 'x) 1 2)", "<: expected a number, got x"),
    ("«(= \"1\" 1)", '=: expected a number, got "1"'),
    ("«(+ 9223372036854775807 1)", "+: the result does not fit in 64 bits"),
    ("«(- -9223372036854775808)", "-: the result does not fit in 64 bits"),
    ("«(* 4294967296 4294967296)", "*: the result does not fit in 64 bits"),
    ("«(abs -9223372036854775808)", "abs: the result does not fit in 64 bits"),
    ("«(arithmetic-shift 1 63)", "arithmetic-shift: the result does not fit in 64 bits"),
    ("«(expt 10 19)", "expt: the result does not fit in 64 bits"),
    ("«(exact 1e19)", "exact: the result does not fit in 64 bits"),
    ("(let ((x 0))\n  «(quotient 1 x))", "quotient: division by zero"),
    ("«(modulo 5 0)", "modulo: division by zero"),
    ("«(/ 7 2)", "/: 7 is not divisible by 2, and there are no fractions"),
    ("«(/ 7 0)", "/: division by zero"),
    ("«(exact 1.5)", "exact: 1.5 is not an integer"),
    ("«(odd? 1.5)", "odd?: expected an integer, got 1.5"),
    ("«(bitwise-and 1 2.0)", "bitwise-and: expected an integer, got 2.0"),
    ("«(init-cache 'a)", "init-cache: expected an integer, got a"),
    ("«(init-cache -1)", "init-cache: -1 is no number of lines"),
    ("«(init-cache 1 'keep)", "init-cache: expected reload or carry, got keep"),
    ("«(make-barrier-cell 1 2)", "make-barrier-cell: expected a procedure, got 2"),
    ("«(assume-disjoint 1 2)", "assume-disjoint: expected memory, got 1"),
    ("«(set-base 5 0)", "set-base: expected a positive integer as the base, got 0"),
    ("«(cyclic-quotient 5 4 0)", "5 is not congruent to 0 modulo 4"),
    ("«(number->string 5 3)", "number->string: expected a radix of 2, 8, 10 or 16, got 3"),
    # pairs, vectors, strings
    ("(define (f x)\n  (let ((y «(car x)))\n    y))\n(f '())", "car: expected a pair, got ()"),
    ("«(set-cdr! 1 2)", "set-cdr!: expected a pair, got 1"),
    ("(let ((v (vector 1 2)))\n  «(vector-ref v 2))", "vector-ref: index 2 is not in 0 to 1"),
    ("«(vector-ref (vector) 0)", "vector-ref: index 0 in an empty object"),
    ("«(vector-ref '(1) 0)", "vector-ref: expected a vector, got (1)"),
    ("«(vector-set! (vector 1) -1 0)", "vector-set!: index -1 is not in 0 to 0"),
    ("«(vector-ref (vector 1) 0.0)", "vector-ref: expected an integer, got 0.0"),
    ("«(make-vector -5)", "make-vector: the size -5 is not in 0 to 134217728"),
    ("«(string-ref \"abc\" 3)", "string-ref: index 3 is not in 0 to 2"),
    ("«(string-append \"a\" 'b)", "string-append: expected a string, got b"),
    ("«(substring \"abc\" 2 1)", "substring: the part from 2 to 1 is not within 0 to 3"),
    ("«(symbol->string \"a\")", 'symbol->string: expected a symbol, got "a"'),
    ("«(char-upcase \"a\")", 'char-upcase: expected a character, got "a"'),
    ("«(integer->char 55296)", "integer->char: 55296 is the code of no character"),
    ("«(list->string '(1))", "list->string: expected a character, got 1"),
    # memory
    ("(let ((b (make-bytevector 4 0)))\n  «(load-word b 1))",
     "load-word: word index 1 is not in 0 to 0"),
    ("«(load-word 5 0)", "load-word: expected memory, got 5"),
    ("«(store-word! (bytevector 1 2 3 4) 0 'a)", "store-word!: expected an integer, got a"),
    ("«(bytevector-u8-set! (bytevector 1) 0 256)",
     "bytevector-u8-set!: 256 is no byte (0 to 255)"),
    ("«(bytevector 1 -1)", "bytevector: -1 is no byte (0 to 255)"),
    # records
    (POINT + "«(point-x 5)", "point-x: expected a record of type point, got 5"),
    (POINT + "(define (x-of p)\n  (+ 1 «(point-x p)))\n(x-of \"p\")",
     'point-x: expected a record of type point, got "p"'),
    (POINT + "(let ((p (make-point 1 2)))\n  «(set-point-x! 'p 2))",
     "set-point-x!: expected a record of type point, got p"),
    # ports, values, errors
    ("«(display 1 2)", "display: expected an output port, got 2"),
    ("«(read-char (open-output-string))", "read-char: expected an input port, got #<output port>"),
    ("«(+ 1 (values 1 2))", "+: expected a number, got 2 values"),
    ("(let-values («((a b) (values 1))) a)", "expected 2 values, got 1"),
    ("(let*-values («((a) (values 1 2))) a)", "expected 1 value, got 2"),
    ("«(define-values (a b) (values 1))", "expected 2 values, got 1"),
    ("«(define-values (a . b) (values))", "expected at least 1 value, got 0"),
    ("«(define-values () 5)", "expected 0 values, got 1"),
    ("(define (f)\n «(define-values (a b) 1)\n a)\n(f)", "expected 2 values, got 1"),
    ("(define (h g)\n (+ 1 «(g 1 2 3)))\n(h (case-lambda ((a) 1) ((a b) 2)))",
     "no clause of case-lambda takes these arguments: (1 2 3)"),
    ("(define f (case-lambda ((a) 1) ((a b)\n «(length a))))\n(f 1 2)",
     "length: expected a list, got 1"),
    ("«(write-string \"abc\" (open-output-string) 2 4)",
     "write-string: the part from 2 to 4 is not within 0 to 3"),
    ("«(write-string \"abc\" (open-output-string) 'a)", "write-string: expected an integer, got a"),
    ("(define p (open-input-string \"a) b\"))\n(read p)\n«(read p)", "read: unexpected `)`"),
    ("(define (check x)\n  (if (< x 0)\n      «(error \"negative:\" x '(a \"b\"))))\n(check -1)",
     'negative: -1 (a "b")'),
    ("(define (f) «(raise 'stop))\n(f)", "uncaught exception: stop"),
    ("«(error-object-message 5)", "error-object-message: expected an error object, got 5"),
    # in a macro's use, a loop, a library procedure's argument
    ("(define-syntax first (syntax-rules () ((_ x) (car x))))\n(define (f y) (first y))\n(f 5)",
     "car: expected a pair, got 5"),
    ("(do ((i 0 (+ i 1))) ((= i 3))\n  «(vector-ref #(1 2) i))",
     "vector-ref: index 2 is not in 0 to 1"),
    ("(map (lambda (x)\n       «(car x))\n     '((1) 2))", "car: expected a pair, got 2"),
    ("(vector-for-each (lambda (x) «(+ x 'a)) #(1))", "+: expected a number, got a"),
    ("(define (f l) (+ 1 «(length l)))\n(f 7)", "length: expected a list, got 7"),
    ("(define (f l) «(length l))\n(+ 1 (f 7))", "length: expected a list, got 7"),
    ("(define (f x)\n  (+ 1 (if x\n    «(length 5)\n    (length 6))))\n(f #t)",
     "length: expected a list, got 5"),
    ("(force (delay\n  «(car 1)))", "car: expected a pair, got 1"),
    ("(let ((n 0))\n  (set! n «(+ n \"1\")))", '+: expected a number, got "1"'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_error(text: str, message: str | None) -> None:
    """A message of None is not asserted: another pass words it; the place is."""
    place = text.find("«")
    line = text.count("\n", 0, place) + 1
    column = place - (text.rfind("\n", 0, place) + 1) + 1
    error = failure(text.replace("«", ""))
    if message is not None:
        assert error.message == message
    if place >= 0:
        assert error.span is not None
        assert (error.span.source.name, error.span.line, error.span.column) == (
            "test.scm", line, column,
        )  # fmt: skip
    assert str(error).startswith("test.scm:")


def test_a_diagnostic_shows_the_line() -> None:
    error = failure("(define (f x)\n  (* 2 (car x)))\n(display (f 5))")
    assert error.render() == (
        "test.scm:2:8: error: car: expected a pair, got 5\n"
        " 2 |   (* 2 (car x)))\n"
        "   |        ^^^^^^^\n"
        "  called from test.scm:3:10: (f 5)"
    )


def test_long_data_are_cut_in_messages() -> None:
    error = failure("(define (f n) (if (= n 0) '() (cons n (f (- n 1)))))\n(+ 1 (f 1000))")
    assert error.message.startswith("+: expected a number, got (1000 999 998")
    assert error.message.endswith("…")
    assert len(error.message) < 100


LESS = "the list has fewer elements than that; the first one has the index 0"

HINTS: list[tuple[str, str | None]] = [
    ('(+ "a" "b")', "(string-append a b) joins texts, (string->number s) reads a number"),
    ('(* "2" 3)', "(string->number s) reads a number from a text"),
    ('(length "abc")', "of texts it is `string-length`"),
    ("(length (vector 1))", "of vectors it is `vector-length`"),
    ('(string-append "a" 3)', "(number->string n) writes a number"),
    ('(string-append "a" #\\b)', "(string c) makes a text of characters"),
    ("(vector-ref '(1) 0)", "of lists it is `list-ref`"),
    ("(/ 1 2)", "(/ 1. 2) is 0.5, (quotient 7 2) is 3"),
    ("(+ 'a 1)", "a name with a quote is a symbol; without it, what the name stands for"),
    ("(+ 1 '(2 3))", "(apply + l) takes all items of a list"),
    ("(+ 1 #\\a)", None),
    ("(= 'a 'b)", "`eq?` compares symbols, `equal?` whatever it is"),
    (
        "(* 99999999999 99999999999)",
        "integers have 64 bits; numbers with a point go further: (* 1. n)",
    ),
    ("(list-ref 1 '(2 3))", "the list stands first: (list-ref l 2)"),
    ('(char-upcase "a")', "a character is written #\\a"),
    ("(string->number 5)", "(number->string n) writes a number"),
    ('(number->string "5")', "(string->number s) reads a number"),
    ('(string-set! "abc" 0 #\\x)', "(string-copy s) makes one that can be changed"),
    (
        '(display "a" "b" "c")',
        "a call writes one value; several are written so: (for-each display (list a b))",
    ),
    ("(list-ref '(1 2) 5)", LESS),
    ("(list-tail '(1 2) 5)", LESS),
    ("(list-set! (list 1 2) 2 0)", LESS),
    ("(list-ref (vector 1) 0)", "of vectors it is `vector-ref`"),
    ("(map '(1) car)", "the procedure stands first: (map f items)"),
    ("(apply + 1 2)", "its last argument is a list: (apply + '(1 2))"),
    ("(assq 'b '(a b))", "it looks through a list of pairs: '((a . 1) (b . 2))"),
    ("(cdr (assq 'b '()))", "what `assq`, `assv`, `assoc` and `member` do not find is #f"),
    ("(define (f x) (x + 2)) (f 1)", "an operator stands first: (+ x 2)"),
    ("(define (f x) (if (= x 0) 1 (* x (f x - 1)))) (f 3)", "an operator stands first: (- x 1)"),
    ("(car (1 2 3))", "a list of data is quoted: '(1 2 3)"),
    ("(1 + 2)", "an operator stands first: (+ 1 2)"),
    (
        "(define x 5) (x)",
        "parentheses call what stands first in them: the value alone is written x",
    ),
    ("((+ 1 2))", "parentheses call what stands first in them: is a pair too much?"),
    ("(define (f x) (x 2)) (f 1)", None),
    (
        "(define l '(1 2)) (l 0)",
        "(list-ref l 0) gives an element; parentheses call what stands first in them",
    ),
    (
        "(define v (vector 1 2)) (v 0)",
        "(vector-ref v 0) gives an element; parentheses call what stands first in them",
    ),
    (
        '(define s "ab") (s 0)',
        "(string-ref s 0) gives an element; parentheses call what stands first in them",
    ),
    ('(* 2 (string->number "x"))', "what `string->number` cannot read is #f"),
    ("(import (scheme bsae))", "did you mean (scheme base)?"),
    ("(import (only (scheme base) displya))", "did you mean `display`?"),
]
"""Programs that fail, and what was meant."""


@pytest.mark.parametrize(("text", "hint"), HINTS)
def test_what_was_meant_by_an_operation_that_failed(text: str, hint: str | None) -> None:
    assert failure(text).hint == hint


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("(define-record-type p (make x) p? (x x-of set-x)) (x-of 5)", "x-of"),
        ("(define-record-type p (make x) p? (x x-of set-x)) (set-x 5 1)", "set-x"),
        ("(define-record-type p (make x) p? (x p-x p-x-set!)) (p-x-set! 5 1)", "p-x-set!"),
    ],
)
def test_records_are_told_of_by_the_names_that_the_program_gives(text: str, what: str) -> None:
    assert failure(text).message == f"{what}: expected a record of type p, got 5"
