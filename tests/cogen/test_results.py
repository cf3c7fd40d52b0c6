"""Results of residual procedures that are known in part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.lang.datum import NIL, from_iterable, symbol
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.specializer.execution.results import ANY, count, dynamic_parts, joined, shape_of
from cogen.specializer.values.domain import Dynamic, PartialPair, Static
from tests.cogen.residualways import WAYS
from tests.cogen.textbook import residual_of, text_of

pytestmark = pytest.mark.quick

STORE = """
(define (get name store)
  (if (eq? (caar store) name) (cdar store) (get name (cdr store))))
(define (put name value store)
  (if (eq? (caar store) name)
      (cons (cons name value) (cdr store))
      (cons (car store) (put name value (cdr store)))))
"""


def value_of(source: str, *arguments: Any) -> Any:
    """What a program gives in the interpreter."""
    interpreter = Interpreter(loads(source))
    interpreter.run()
    return interpreter.call("f", arguments)


def test_what_is_known_of_a_result_is_known_to_the_caller() -> None:
    source = f"""{STORE}
    (define (fib store)
      (let ((n (get 'n store)))
        (define (call n) (get 'result (fib (list (cons 'n n) (cons 'result 0)))))
        (put 'result (if (< n 2) n (+ (call (- n 1)) (call (- n 2)))) store)))
    (define (f n) (get 'result (fib (list (cons 'n n) (cons 'result 0)))))
    """
    assert text_of(residual_of(source, "f", "_")) == (
        "(define (f n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2)))))"
    )


def test_several_parts_that_are_used_are_returned_together() -> None:
    source = """
    (define (count-both l counts)
      (if (null? l)
          counts
          (let ((rest (count-both (cdr l) counts)))
            (if (car l)
                (list 'counts (+ 1 (cadr rest)) (caddr rest))
                (list 'counts (cadr rest) (+ 1 (caddr rest)))))))
    (define (f l n) (let ((c (count-both l (list 'counts n n)))) (- (cadr c) (caddr c))))
    """
    text = text_of(residual_of(source, "f", "_", "_"))
    assert "counts" not in text.replace("count-both", "")
    assert value_of(source, from_iterable([True, False, True]), 5) == 1
    residual = cogen.specialize(loads(source), "f", cogen.dynamic(), cogen.dynamic())
    assert residual.to_python()([True, False, True], 5) == 1


def test_a_pair_of_a_value_and_a_store() -> None:
    source = f"""{STORE}
    (define (tick store) (put 'ticks (+ 1 (get 'ticks store)) store))
    (define (sum n store)
      (if (= n 0)
          (cons 0 store)
          (let* ((rest (sum (- n 1) (tick store))))
            (cons (+ n (car rest)) (cdr rest)))))
    (define (f n) (let ((r (sum n (list (cons 'ticks 0))))) (+ (car r) (get 'ticks (cdr r)))))
    """
    text = text_of(residual_of(source, "f", "_"))
    assert "ticks" not in text.replace("tick store", "")
    assert "eq?" not in text
    assert value_of(source, 4) == 14


def test_records_are_returned_by_their_fields() -> None:
    source = """
    (define-record-type <point> (point kind x y) point? (kind kind-of) (x x-of) (y y-of))
    (define (walk l p)
      (if (null? l)
          p
          (let ((p (walk (cdr l) p)))
            (if (eq? (car l) 'right)
                (point 'at (+ 1 (x-of p)) (y-of p))
                (point 'at (x-of p) (+ 1 (y-of p)))))))
    (define (f l x) (x-of (walk l (point 'at x 0))))
    """
    residual = cogen.specialize(loads(source), "f", cogen.dynamic(), cogen.dynamic())
    right = symbol("right")
    assert "point" not in residual.scheme
    assert residual.to_python()([right, right, symbol("up")], 5) == 7


DISAGREEING = [
    "(define (g n s) (if (= n 0) s (let ((r (g (- n 1) s))) (list 'b (cadr r)))))",
    "(define (g n s) (if (= n 0) s (let ((r (g (- n 1) s))) (list 'a 'a (cadr r)))))",
    "(define (g n s) (if (= n 0) s (let ((r (g (- n 1) s))) (cons 'a r))))",
    "(define (g n s) (if (= n 0) s (let ((r (g (- n 1) s))) (and (pair? r) (cadr r)))))",
    "(define (g n s) (if (= n 0) '(a 1) (let ((r (g (- n 1) s))) (list 'a (+ n (cadr r))))))",
    "(define (g n s) (if (= n 0) (list 'a 1) (let ((r (g (- n 1) s))) (list (car r) 'a 'a))))",
    "(define (g n s) (if (= n 0) s (let ((r (g (- n 1) s))) (list 'a (list 'a (cadr r))))))",
]
"""Procedures whose returns have little or nothing in common."""


@pytest.mark.one_in(6)
@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("procedure", DISAGREEING)
def test_results_that_differ_are_dynamic_where_they_do(
    way: Callable[..., Any], procedure: str
) -> None:
    source = f"{procedure} (define (f n) (let ((r (g n (list 'a n)))) (if (pair? r) (length r) 0)))"
    residual = cogen.specialize(loads(source), "f", cogen.dynamic("int"))
    for n in range(4):
        assert way(residual)(n) == value_of(source, n)


@pytest.mark.xfail(strict=True, reason="what goes through a residual procedure is made again")
def test_pairs_that_come_back_are_the_same() -> None:
    source = """
    (define (g n s) (if (= n 0) s (let ((r (g (- n 1) s))) (display n) r)))
    (define (f n) (let* ((s (list 'a n)) (r (g n s))) (eq? r s)))
    """
    residual = cogen.specialize(loads(source), "f", cogen.dynamic("int"))
    assert residual.to_python()(2) is value_of(source, 2) is True


def test_pairs_of_the_top_level_are_the_same_where_ways_meet() -> None:
    source = """
    (define missing (list 'missing))
    (define (bump! p) (set-cdr! p 1))
    (define (get l k)
      (cond ((null? l) missing) ((eq? (caar l) k) (cdar l)) (else (get (cdr l) k))))
    (define (f l) (eq? (get l 'a) missing))
    """
    interpreter = Interpreter(loads(source))
    interpreter.run()
    residual = cogen.specialize(loads(source), "f", cogen.dynamic())
    assert residual.to_python()([]) is interpreter.call("f", [NIL]) is True


def test_a_result_that_nobody_uses() -> None:
    source = """
    (define (show n s) (if (= n 0) s (let ((r (show (- n 1) s))) (display n) r)))
    (define (f n) (show n (list 'done n)) 'end)
    """
    text = text_of(residual_of(source, "f", "_"))
    assert "done" not in text
    assert "cons" not in text


def test_a_procedure_that_never_returns() -> None:
    source = f"""{STORE}
    (define (g store)
      (let* ((a (get 'a store))
             (s (if (odd? a) (g (put 'a (+ 1 a) store)) (g (put 'a (* 2 a) store)))))
        (cons 'x s)))
    (define (f n) (if (= n 0) 'fine (g (list (cons 'a n)))))
    """
    residual = cogen.specialize(loads(source), "f", cogen.dynamic("int"))
    assert residual.to_python()(0) == symbol("fine")


def test_a_procedure_that_escapes_too_returns_what_it_gives() -> None:
    source = """
    (define (g n s) (if (= n 0) s (let ((r (g (- n 1) s))) (list 'a (+ 1 (cadr r))))))
    (define (f n i)
      (let* ((s (list 'a n)) (h (list-ref (list (lambda (m) (g m s)) (lambda (m) s)) i)))
        (+ (cadr (g n s)) (cadr (h 2)))))
    """
    residual = cogen.specialize(loads(source), "f", cogen.dynamic("int"), cogen.dynamic("int"))
    assert residual.to_python()(3, 0) == value_of(source, 3, 0) == 11


def test_tail_calls_of_procedures_with_shapes_stay_tail_calls() -> None:
    source = """
    (define (down n s)
      (if (= n 0) s (if (odd? n) (up (- n 1) s) (down (- n 1) (list 'end (+ (cadr s) 1))))))
    (define (up n s) (if (= n 0) (list 'end (- (cadr s))) (down (- n 1) s)))
    (define (twice n s)
      (if (= n 0)
          s
          (let* ((r (down n s)) (t (twice (- n 1) s)))
            (list 'end (+ (cadr r) (cadr t))))))
    (define (f n) (cadr (twice n (list 'end n))))
    """
    residual = cogen.specialize(loads(source), "f", cogen.dynamic("int"))
    assert "end" not in residual.scheme
    assert residual.to_python()(7) == value_of(source, 7)


NAMES = st.sampled_from("abc")
TERMS = st.recursive(
    st.one_of(NAMES.map(lambda n: f"(get '{n} store)"), st.integers(-3, 3).map(str), st.just("n")),
    lambda inner: st.tuples(st.sampled_from("+-*"), inner, inner).map(
        "({0[0]} {0[1]} {0[2]})".format
    ),
    max_leaves=4,
)
UPDATES = st.lists(st.tuples(NAMES, TERMS), max_size=3)


@pytest.mark.slow
@given(UPDATES, UPDATES, UPDATES, NAMES)
def test_stores_that_are_returned_hold_what_they_should(
    base: list[tuple[str, str]],
    before: list[tuple[str, str]],
    after: list[tuple[str, str]],
    result: str,
) -> None:
    def steps(updates: list[tuple[str, str]], last: str) -> str:
        bindings = " ".join(f"(store (put '{n} {term} store))" for n, term in updates)
        return f"(let* ({bindings}) {last})"

    again = steps(before, "(let ((store (g (- n 1) store))) " + steps(after, "store") + ")")
    source = f"""{STORE}
    (define (g n store) (if (< n 1) {steps(base, "store")} {again}))
    (define (f n) (get '{result} (g n (list (cons 'a 1) (cons 'b n) (cons 'c 2)))))
    """
    residual = cogen.specialize(loads(source), "f", cogen.dynamic("int"))
    assert "eq?" not in residual.scheme
    for n in range(4):
        assert residual.to_python()(n) == value_of(source, n)


VALUES = st.recursive(
    st.one_of(
        st.just(Dynamic("x")),
        st.sampled_from([Static(1), Static(2), Static(NIL), Static(symbol("a"))]),
    ),
    lambda inner: st.tuples(inner, inner).map(lambda pair: PartialPair(*pair)),
    max_leaves=6,
)


@given(VALUES, VALUES, VALUES)
def test_what_shapes_have_in_common_is_a_least_upper_bound(a: Any, b: Any, c: Any) -> None:
    x, y, z = map(shape_of, (a, b, c))
    assert joined(x, x) == x
    assert joined(x, y) == joined(y, x)
    assert joined(joined(x, y), z) == joined(x, joined(y, z))
    assert joined(x, ANY) == ANY
    assert len(list(dynamic_parts(joined(x, y), a))) == count(joined(x, y))
