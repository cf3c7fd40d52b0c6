"""What arms of conditionals give, whatever data it is, need not be told apart in what follows."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen import binding_times
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.lang.ilutil import blocks
from cogen.lang.prelude import in_prelude
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.residual import ResidualProgram
from cogen.specializer.specialize import SpecializationTask
from cogen.specializer.versions.demand import Joining
from cogen.specializer.versions.effort import TooMuch
from tests.cogen.residualways import by_interpreter, result

ORDERS: Final = """
(define (sign x) (cond ((< x 0) 'negative) ((= x 0) 'zero) (else 'positive)))
(define (level x) (if (> x 100) "high" (if (> x 10) "middle" "low")))
(define (class x) (cond ((< x 10) 'small) ((< x 100) 'middle) (else 'large)))

(define (signs a b c d e) (list (sign a) (sign b) (sign c) (sign d) (sign e)))
(define (texts a b c d e)
  (string-append (level a) "," (level b) "," (level c) "," (level d) "," (level e)))
(define (flags a b c d e)
  (append (if (> a 0) '(a) '()) (if (> b 0) '(b) '()) (if (> c 0) '(c) '())
          (if (> d 0) '(d) '()) (if (> e 0) '(e) '())))
(define (report a b c d e)
  (let ((f (flags a b c d e)))
    (if (null? f) 'nothing (list (length f) f (level a) (level b) (level c)))))
(define (classes a b c d e) (map class (list a b c d e)))
(define (tally a b c d e)
  (let ((all (classes a b c d e)))
    (define (count what)
      (let loop ((l all) (n 0))
        (cond ((null? l) n) ((eq? (car l) what) (loop (cdr l) (+ n 1))) (else (loop (cdr l) n)))))
    (list (count 'small) (count 'middle) (count 'large))))
(define (both a b c d e)
  (define (marked x rest) (if (> x 9) (values 'big (cons x rest)) (values 'little rest)))
  (let*-values (((p r) (marked a '())) ((q r) (marked b r)) ((s r) (marked c r))
                ((t r) (marked d r)) ((u r) (marked e r)))
    (list p q s t u (reverse r))))
(define (quotients a b c d e)
  (define (over x) (if (eq? (sign x) 'zero) 0 (quotient 100 x)))
  (list (over a) (over b) (over c) (sign d) (sign e) (sign a)))
"""
MOST_TESTS: Final = {
    "signs": 10, "texts": 10, "flags": 5, "report": 12, "classes": 10, "tally": 60, "quotients": 16,
    "both": 10,
}  # fmt: skip
"""How many conditionals a careful person leaves, or a few more."""


def conditionals(made: cogen.Residual) -> int:
    """Those of the residual program itself, without what stays of the library."""
    items = made.program.program.items
    own = [i for i in items if isinstance(i, il.Define) and not in_prelude(i.function.span)]
    return sum(type(block.tail) is il.If for item in own for block in blocks(item.function.body))


@pytest.mark.parametrize("entry", MOST_TESTS)
def test_there_are_as_many_tests_as_in_the_source(entry: str) -> None:
    """They were 31 to 364, one for each way through all of them."""
    program = cogen.loads(ORDERS)
    made = cogen.specialize(program, entry, *[cogen.dynamic("int")] * 5)
    assert conditionals(made) <= MOST_TESTS[entry]
    call = by_interpreter(made)
    for values in (0, 5, 20, 200, -1), (-3, 0, 0, 11, 101), (-1, -1, 0, -2, 0):
        wanted = result(cogen.loads(ORDERS + f"(define run {entry})"), *values)
        assert write_datum(call(*values)) == wanted


VALIDATOR: Final = """
(define (get schema key default) (let ((p (assq key schema))) (if p (cdr p) default)))
(define (kind v)
  (cond ((string? v) 'string) ((integer? v) 'integer) ((vector? v) 'array) ((pair? v) 'object)
        (else 'other)))
(define (run schema value) (validate schema value '()))
(define (validate schema value path)
  (append (check-type schema value path) (check-range schema value path)
          (check-fields schema value path) (check-items schema value path)))
(define (check-type schema value path)
  (let ((t (get schema 'type #f)))
    (if (and t (not (eq? t (kind value)))) (list (list 'type path t)) '())))
(define (check-range schema value path)
  (let ((low (get schema 'minimum #f)))
    (if (and low (number? value) (< value low)) (list (list 'minimum path low)) '())))
(define (check-fields schema value path)
  (if (or (null? value) (pair? value))
      (apply append
        (map (lambda (p)
               (let ((field (assq (car p) value)))
                 (cond (field (validate (cdr p) (cdr field) (cons (car p) path)))
                       ((memq (car p) (get schema 'required '()))
                        (list (list 'missing path (car p))))
                       (else '()))))
             (get schema 'properties '())))
      '()))
(define (check-items schema value path)
  (let ((items (get schema 'items #f)))
    (if (and items (vector? value))
        (let loop ((i 0) (errors '()))
          (if (= i (vector-length value))
              errors
              (loop (+ i 1)
                    (append errors (validate items (vector-ref value i) (cons i path))))))
        '())))
"""
SCHEMA: Final = """((type . object) (required name age)
 (properties (name (type . string)) (age (type . integer) (minimum . 0))
             (tags (type . array) (items (type . string)))
             (place (type . object) (required street)
                    (properties (street (type . string)) (zip (type . integer) (minimum . 1000))))
             (sizes (type . array) (items (type . integer) (minimum . 1)))))"""
VALUES: Final = (
    "()",
    "7",
    '((name . "x") (age . -1) (tags . #("a" 2 "b")) (place (zip . 12)) (sizes . #(0 1 z)))',
    '((age . "old") (place (street . "s") (zip . 2000)) (tags . #()) (sizes . 3))',
)


def test_a_validator_is_as_large_as_its_schema() -> None:
    """Each field's errors are a list or none: there was a version for each set of fields, then no
    end, as those of the elements of an array are put together in a loop."""
    program = cogen.loads(VALIDATOR)
    schema = read_datum(SCHEMA)
    made = cogen.specialize(program, "run", binding_times.Static(schema), cogen.dynamic())
    assert conditionals(made) <= 70
    for text in VALUES:
        value = read_datum(text)
        assert write_datum(by_interpreter(made)(value)) == result(program, schema, value)


ANY_DATA: Final = """
(define (glue x y)
  (cond ((and (list? x) (list? y)) (append x y))
        ((and (string? x) (string? y)) (string-append x y))
        ((and (number? x) (number? y)) (+ x y))
        (else (list x y))))
(define (kind x)
  (cond ((null? x) 'empty) ((pair? x) 'pair) ((symbol? x) x) ((string? x) (string-length x))
        ((eq? x #t) "yes") (else x)))
(define (pick x y) (if (eq? x 'a) y (if (equal? y "s") x (list x))))
(define (find x y)
  (let ((p (and (list? y) (assq 'a (map (lambda (e) (cons e 1)) y))))) (if p (cdr p) x)))
(define (each x y) (if (pair? x) (map kind x) y))
(define (name x y) (if (symbol? x) (symbol->string x) (if (memq 'a (list x y)) 'found x)))
(define (count x y)
  (let loop ((l (list x y x)) (n 0))
    (cond ((null? l) n) ((eq? (car l) 'a) (loop (cdr l) (+ n 1))) (else (loop (cdr l) n)))))
"""
_data = st.sampled_from(
    ["'a", "'b", '"s"', '"t"', "1", "2", "'()", "'(a)", "'(b c)", "'(a b)", "#t", "(list x)",
     "(list 'a y)", "x", "(cons 'a (list x))", "(list '(a) 'b)"]
)  # fmt: skip
_arms = st.builds(
    "(if (< {} {}) {} {})".format, st.sampled_from("xy"), st.integers(-1, 1), _data, _data
)
_functions = st.sampled_from(["glue", "pick", "find", "each", "name", "count", "list", "cons"])
_expressions = st.recursive(
    _arms | _data,
    lambda inner: st.builds("({} {} {})".format, _functions, inner, inner),
    max_leaves=8,
)


@given(_expressions, st.sampled_from([Joining.DATA, Joining.TESTED]))
@settings(max_examples=40)
def test_it_means_the_same_wherever_it_is_one(expression: str, joining: Joining) -> None:
    def found(task: SpecializationTask) -> ResidualProgram:
        try:
            return task.joined(joining)
        except TooMuch:
            return task.plain()

    program = cogen.loads(f"{ANY_DATA}(define (run x y) {expression})")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SpecializationTask, "_found", found)
        made = cogen.specialize(program, "run", *[cogen.dynamic("int")] * 2)
    call = by_interpreter(made)
    for x, y in (-1, 0), (0, -1), (0, 0), (5, -7), (-7, 5):
        try:
            gives = write_datum(call(x, y))
        except CogenError as error:
            gives = str(error).splitlines()[0].partition("error: ")[2]
        assert gives == result(program, x, y)
