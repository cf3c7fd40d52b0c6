"""Records among other values, in boxes by their types (`cogen.specializer.advice.recordboxes`)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen import binding_times
from cogen.binding_times import parse_bt
from cogen.lang.datum import from_iterable
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.specializer.advice.advise import Advice
from cogen.specializer.programs.mutation import find_mutations
from tests.cogen.test_families import left, residual, result
from tests.corpus.cases import interpreter

OBJECTS = """
(define-record-type object (make-object class fields) object? (class class-of) (fields fields-of))
(define classes
  '((empty () (insert (x) (new pair x self)) (total () 0) (same? (o) (eq? o self)))
    (pair (first rest)
      (insert (x) (if (< x first) (begin (set rest (send rest insert first)) (set first x) self)
                                  (begin (set rest (send rest insert x)) self)))
      (total () (+ first (* 2 (send rest total))))
      (same? (o) (eq? o self)))))
(define (new name args)
  (let ((class (assq name classes)))
    (make-object class (map (lambda (f a) (KEEP f a)) (cadr class) args))))
(define (send o name args)
  (let ((method (assq name (cddr (class-of o)))))
    (ev (caddr method) (map cons (cadr method) args) o)))
(define (ev e env self)
  (cond ((eq? e 'self) self)
        ((symbol? e) (let ((local (assq e env)))
                       (if local (cdr local) (FIELD (assq e (fields-of self))))))
        ((number? e) e)
        (else
         (case (car e)
           ((if) (if (ev (cadr e) env self) (ev (caddr e) env self) (ev (cadddr e) env self)))
           ((begin) (ev (cadr e) env self) (ev* (cddr e) env self))
           ((set) (ASSIGN (assq (cadr e) (fields-of self)) (ev (caddr e) env self)))
           ((new) (new (cadr e) (map (lambda (a) (ev a env self)) (cddr e))))
           ((send) (send (ev (cadr e) env self) (caddr e)
                         (map (lambda (a) (ev a env self)) (cdddr e))))
           (else ((cdr (assq (car e) operations))
                  (ev (cadr e) env self) (ev (caddr e) env self)))))))
(define (ev* es env self)
  (let ((v (ev (car es) env self))) (if (null? (cdr es)) v (ev* (cdr es) env self))))
(define operations (list (cons '+ +) (cons '* *) (cons '< <) (cons 'eq? eq?)))
(define (fill o l) (if (null? l) o (fill (send o 'insert (list (car l))) (cdr l))))
(define (total l) (send (fill (new 'empty '()) l) 'total '()))
(define (same l) (let ((o (fill (new 'empty '()) l))) (send o 'same? (list o))))
(define (other l) (let ((o (fill (new 'empty '()) l))) (send o 'same? (list (new 'empty '())))))
(define (wrong l) (send (if (null? l) 5 (fill (new 'empty '()) l)) 'total '()))
"""
"""Objects that hold objects; fields are pairs that are assigned, or vectors in a list."""

PAIRS = OBJECTS.replace("KEEP", "cons").replace("FIELD", "cdr").replace("ASSIGN", "set-cdr!")
VECTORS = (
    OBJECTS.replace("(KEEP f a)", "(cons f (vector a))")
    .replace("(FIELD (assq e (fields-of self)))", "(vector-ref (cdr (assq e (fields-of self))) 0)")
    .replace(
        "(ASSIGN (assq (cadr e) (fields-of self)) ",
        "(vector-set! (cdr (assq (cadr e) (fields-of self))) 0 ",
    )
)
KINDS = pytest.mark.parametrize("text", [PAIRS, VECTORS], ids=["pairs", "vectors"])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("text", "entry"),
    [  # every day each entry with one of the layouts
        pytest.param(PAIRS, "total", id="total-pairs"),
        pytest.param(VECTORS, "total", id="total-vectors", marks=pytest.mark.long),
        pytest.param(PAIRS, "same", id="same-pairs", marks=pytest.mark.long),
        pytest.param(VECTORS, "same", id="same-vectors"),
        pytest.param(PAIRS, "other", id="other-pairs", marks=pytest.mark.long),
        pytest.param(VECTORS, "other", id="other-vectors"),
    ],
)
def test_objects_on_a_heap_are_compiled(text: str, entry: str) -> None:
    made = residual(text, entry, "_")
    program = cogen.loads(text)
    for items in ([], [4], [3, 1, 2], [1, 2, 3, 4]):
        wanted = result(program, entry, from_iterable(items))
        assert left(made, from_iterable(items)) == wanted, items
    for name in ("assq", "'insert", "'total", "cadr", "map"):
        assert name not in made.scheme
    again = cogen.generate(program, entry, parse_bt("_"))(parse_bt("_"))
    assert again.scheme == made.scheme


@KINDS
@given(st.lists(st.integers(-9, 9), max_size=6))
@settings(max_examples=max(3, settings().max_examples // 16), deadline=None)
def test_what_objects_hold_is_what_they_held(text: str, items: list[int]) -> None:
    made = _made(text)
    assert left(made, from_iterable(items)) == result(
        cogen.loads(text), "total", from_iterable(items)
    )


_RESIDUAL: dict[str, cogen.Residual] = {}


def _made(text: str) -> cogen.Residual:
    if text not in _RESIDUAL:
        _RESIDUAL[text] = residual(text, "total", "_")
    return _RESIDUAL[text]


@KINDS
def test_what_is_no_object_fails_as_it_did(text: str) -> None:
    made, program = residual(text, "wrong", "_"), cogen.loads(text)
    assert left(made, from_iterable([2, 1])) == result(program, "wrong", from_iterable([2, 1]))
    with pytest.raises(cogen.CogenError) as error:
        left(made, from_iterable([]))
    with pytest.raises(cogen.CogenError) as wanted:
        result(program, "wrong", from_iterable([]))
    assert error.value.message == wanted.value.message


def test_compiled_objects() -> None:
    """In Python and in C."""
    made = _made(PAIRS)
    wanted = result(cogen.loads(PAIRS), "total", from_iterable([3, 1, 2]))
    assert made.to_python()([3, 1, 2]) == wanted
    assert made.compile()([3, 1, 2]) == wanted


CEK = interpreter("cek-callcc")


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    """Expressions over n and k, a continuation that is called now and then."""
    if depth == 0:
        return draw(st.sampled_from(["n", "1", "2", "-3"]))
    inner = expressions(depth=depth - 1)
    form = draw(st.sampled_from(["(+ {} {})", "(* {} {})", "(if (< {} {}) {} {})", "(k {})"]))
    return form.format(*[draw(inner) for _ in range(form.count("{}"))])


@given(expressions(), st.integers(-2, 2))
@settings(max_examples=max(2, settings().max_examples // 32), deadline=None)
def test_programs_that_get_their_continuation_give_what_they_gave(body: str, n: int) -> None:
    """A loop calls what it got."""
    text = f"(fn f (n) (if (< n 1) n (+ (callcc (fn b (k) {body})) (f (- n 1)))))"
    program = CEK.loaded
    static = binding_times.Static(read_datum(text))
    made = cogen.specialize(program, "run", static, parse_bt("_"))
    assert left(made, n) == result(program, "run", static.value, n)


def test_procedures_that_are_called_as_they_stand_get_no_boxes() -> None:
    text = (
        PAIRS
        + """
    (define (name-of o) (car (class-of o)))
    (define (named l)
      (let ((o (fill (new (quote empty) (quote ())) l)))
        (cons (rcall name-of o) (send o (quote total) (quote ())))))
    """
    )
    program, made = cogen.loads(text), residual(text, "named", "_")
    for items in ([], [3, 1, 2]):
        wanted = result(program, "named", from_iterable(items))
        assert write_datum(left(made, from_iterable(items))) == write_datum(wanted)


def test_advice_names_the_types_of_records() -> None:
    advice = Advice(cogen.loads(PAIRS), "total", [parse_bt("_")])
    lifts = [lift for step in advice.steps for lift in step.lifts]
    assert "object" in {lift.name for lift in lifts if "parts that are known" in lift.reason}


def test_programs_with_records_in_boxes_mean_the_same() -> None:
    program = cogen.loads(PAIRS)
    wanted = result(program, "total", from_iterable([2, 1]))
    steps = Advice(program, "total", [parse_bt("_")]).steps
    assert steps
    for step in steps:
        assert result(step.program, "total", from_iterable([2, 1])) == wanted


METHODS = interpreter("objects-methods")
SPOKEN = ["(+ food 1)", "2", "(send self food-of)", "(if (< food 3) 0 (send self food-of))"]
FED = ["(field! food (+ food x))", "(field! food x)", "(send self fed-twice x)"]


def _animals(dog: str, puppy: str, fed: str) -> str:
    return f"""
      ((animal none () (speak () 0) (food-of () food)
         (fed-twice (x) (field! food (+ food (* 2 x))))
         (feed (x) (begin (field! food (+ food x)) self)))
       (dog animal () (speak () {dog}))
       (puppy dog () (speak () {puppy}) (feed (x) (begin {fed} self)))
       (main none ()
         (make (n) (if (= n 0) ()
                       (cons (if (< n 3) (new puppy (food)) (new dog (food)))
                             (send self make (- n 1)))))
         (go (l x) (if (null? l) 0
                       (+ (send (send (car l) feed x) speak) (send self go (cdr l) (+ x 1)))))
         (main (n) (send self go (send self make n) 1))))"""


@given(st.sampled_from(SPOKEN), st.sampled_from(SPOKEN), st.sampled_from(FED))
@settings(max_examples=max(3, settings().max_examples // 32), deadline=None)
def test_objects_of_several_classes_answer_with_their_methods(
    dog: str, puppy: str, fed: str
) -> None:
    """Methods are procedures in the table of a class, which is in a list of a run."""
    program = METHODS.loaded
    static = binding_times.Static(read_datum(_animals(dog, puppy, fed)))
    made = cogen.specialize(program, "run", static, parse_bt("_"))
    for n in (0, 4):
        assert left(made, n) == result(program, "run", static.value, n)


def test_procedures_that_close_over_what_is_known_are_known_in_boxes() -> None:
    """No method is a procedure of the residual program, and none is looked for."""
    static = binding_times.Static(read_datum(_animals(SPOKEN[0], SPOKEN[1], FED[0])))
    made = cogen.specialize(METHODS.loaded, "run", static, parse_bt("_")).scheme
    assert not re.search(r"class-methods|assq|lookup|'(dog|puppy|speak|feed)", made)
    assert re.findall(r"define-record-type (object-\d)", made) == ["object-2", "object-3"]


def test_what_nobody_uses_assigns_nothing() -> None:
    """`set-object-fields!` is defined with the record type, and there is no call of it."""
    text = METHODS.path.read_text(encoding="utf-8")
    assert text.count("set-object-fields!") == 1
    assert not find_mutations(cogen.loads(text)).fields
    used = text + "\n(define (change o) (set-object-fields! o '()) o)"
    assert len(find_mutations(cogen.loads(used)).fields) == 1
