"""Objects that are lists or vectors with their class in them, in boxes
(`cogen.specializer.advice.classedobjects`)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen.binding_times import parse_bt
from cogen.lang.datum import from_iterable
from cogen.lang.ilutil import base_name
from cogen.specializer.advice.classedobjects import ClassTexts
from tests.cogen.test_families import left, residual, result

OBJECTS = """
(define classes
  '((empty () (insert (x) (new pair x self)) (total () 0) (same? (o) (eq? o self)))
    (pair (first rest)
      (insert (x) (if (< x first) (begin (set rest (send rest insert first)) (set first x) self)
                                  (begin (set rest (send rest insert x)) self)))
      (total () (+ first (* 2 (send rest total))))
      (same? (o) (eq? o self)))))
(define (place name names i) (if (eq? name (car names)) i (place name (cdr names) (+ i 1))))
(define (new name args)
  (let* ((class (assq name classes)) (names (cadr class)))
    MAKE))
(define (fill o args i)
  (if (null? args) o (begin (vector-set! o i (car args)) (fill o (cdr args) (+ i 1)))))
(define (send o name args)
  (let ((method (assq name (cddr (CLASS o)))))
    (ev (caddr method) (map cons (cadr method) args) o)))
(define (ev e env self)
  (cond ((eq? e 'self) self)
        ((symbol? e) (let ((local (assq e env))) (if local (cdr local) (FIELD self e))))
        ((number? e) e)
        (else
         (case (car e)
           ((if) (if (ev (cadr e) env self) (ev (caddr e) env self) (ev (cadddr e) env self)))
           ((begin) (ev (cadr e) env self) (ev* (cddr e) env self))
           ((set) (let ((v (ev (caddr e) env self))) (ASSIGN self (cadr e) v)))
           ((new) (new (cadr e) (map (lambda (a) (ev a env self)) (cddr e))))
           ((send) (send (ev (cadr e) env self) (caddr e)
                         (map (lambda (a) (ev a env self)) (cdddr e))))
           (else ((cdr (assq (car e) operations))
                  (ev (cadr e) env self) (ev (caddr e) env self)))))))
(define (ev* es env self)
  (let ((v (ev (car es) env self))) (if (null? (cdr es)) v (ev* (cdr es) env self))))
(define operations (list (cons '+ +) (cons '* *) (cons '< <) (cons 'eq? eq?)))
(define (collect o l) (if (null? l) o (collect (send o 'insert (list (car l))) (cdr l))))
(define (total l) (send (collect (new 'empty '()) l) 'total '()))
(define (same l) (let ((o (collect (new 'empty '()) l))) (send o 'same? (list o))))
(define (wrong l) (send (if (null? l) 5 (collect (new 'empty '()) l)) 'total '()))
(define (given l) (collect (new 'empty '()) l))
"""
"""Objects that hold objects, and fields that are assigned."""

SLOTS = """
(define (slot o name) (assq name (SLOTS o)))
(define (field o name) (cdr (slot o name)))
(define (assign o name v) (set-cdr! (slot o name) v))
"""
INDEXED = """
(define (index o name) (place name (cadr (class-of o)) FROM))
(define (field o name) (vector-ref o (index o name)))
(define (assign o name v) (vector-set! o (index o name) v))
"""


def layout(make: str, class_of: str, fields: str) -> str:
    """The interpreter with objects that are made so."""
    text = OBJECTS.replace("MAKE", make).replace("CLASS", "class-of").replace("FIELD", "field")
    return f"{text.replace('ASSIGN', 'assign')}(define (class-of o) {class_of}){fields}"


PAIRS = "(map (lambda (f a) (cons f a)) names args)"
LAYOUTS = {
    "tagged": layout(
        f"(cons 'object (cons class {PAIRS}))",
        "(cadr o)",
        SLOTS.replace("SLOTS", "cddr"),
    ),
    "pair": layout(f"(cons class {PAIRS})", "(car o)", SLOTS.replace("SLOTS", "cdr")),
    "list": layout(f"(list class 'fields {PAIRS})", "(car o)", SLOTS.replace("SLOTS", "caddr")),
    "named": layout(
        f"(list 'object name {PAIRS})", "(assq (cadr o) classes)", SLOTS.replace("SLOTS", "caddr")
    ),
    "filled": layout(
        "(let ((o (make-vector (+ (length names) 1) 0))) (vector-set! o 0 class) (fill o args 1))",
        "(vector-ref o 0)",
        INDEXED.replace("FROM", "1"),
    ),
    "filled-tagged": layout(
        """(let ((o (make-vector (+ (length names) 2) 0)))
             (vector-set! o 0 'object) (vector-set! o 1 class) (fill o args 2))""",
        "(vector-ref o 1)",
        INDEXED.replace("FROM", "2"),
    ),
    "vector": layout(
        "(fill (vector class 0 0) args 1)", "(vector-ref o 0)", INDEXED.replace("FROM", "1")
    ),
}
EVERY_DAY = ("tagged", "filled", "list", "vector")
SOME = pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name, marks=() if name in EVERY_DAY else pytest.mark.long)
        for name, text in LAYOUTS.items()
    ],
)

_MADE: dict[str, cogen.Residual] = {}


def _made(text: str) -> cogen.Residual:
    if text not in _MADE:
        _MADE[text] = residual(text, "total", "_")
    return _MADE[text]


@SOME
def test_objects_are_records_of_their_classes(text: str) -> None:
    """Nothing is left of classes and look-ups."""
    made = _made(text)
    for name in ("assq", "place", "'insert", "'total", "cadr", "map", "class"):
        assert name not in made.scheme
    assert made.scheme.count("define-record-type") == 2


@SOME
@given(st.lists(st.integers(-9, 9), max_size=6))
@settings(max_examples=max(3, settings().max_examples // 16), deadline=None)
def test_objects_hold_what_they_held(text: str, items: list[int]) -> None:
    wanted = result(cogen.loads(text), "total", from_iterable(items))
    assert left(_made(text), from_iterable(items)) == wanted


def test_compiled_objects() -> None:
    """In Python and in C; by the generated compiler."""
    text = LAYOUTS["filled"]
    wanted = result(cogen.loads(text), "total", from_iterable([3, 1, 2]))
    assert _made(text).to_python()([3, 1, 2]) == wanted
    assert _made(text).compile()([3, 1, 2]) == wanted
    again = cogen.generate(cogen.loads(text), "total", parse_bt("_"))(parse_bt("_"))
    assert again.scheme == _made(text).scheme


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["tagged", "filled"])
def test_what_is_no_object_fails_as_it_did(name: str) -> None:
    text = LAYOUTS[name]
    made, program = residual(text, "wrong", "_"), cogen.loads(text)
    assert left(made, from_iterable([2, 1])) == result(program, "wrong", from_iterable([2, 1]))
    with pytest.raises(cogen.CogenError) as error:
        left(made, from_iterable([]))
    with pytest.raises(cogen.CogenError) as wanted:
        result(program, "wrong", from_iterable([]))
    assert error.value.message == wanted.value.message


@pytest.mark.one_in(4)
@pytest.mark.parametrize("entry", ["same", "given"])
@pytest.mark.parametrize("name", ["tagged", "filled"])
def test_objects_that_are_compared_or_given_away_stay_lists_and_vectors(
    name: str, entry: str
) -> None:
    """A record would not be the same thing, or show what was a list."""
    text = LAYOUTS[name]
    made, program = residual(text, entry, "_"), cogen.loads(text)
    for items in ([], [2, 1]):
        wanted = result(program, entry, from_iterable(items))
        assert str(left(made, from_iterable(items))) == str(wanted)


@pytest.mark.parametrize(("name", "way"), [("tagged", ("d", "a")), ("filled-tagged", (1,))])
def test_what_holds_objects_is_told_by_the_text(name: str, way: tuple[object, ...]) -> None:
    """Expressions, environments and entries that were found are no objects."""
    ways = ClassTexts(cogen.loads(LAYOUTS[name])).ways
    found = {base_name(variable) for variable, there in ways.items() if way in there}
    assert "o" in found
    assert not found & {"e", "env", "method", "local", "class", "names"}
