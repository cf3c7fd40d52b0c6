"""Procedures that stand for finite maps: a new one takes the place of what it hides."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen.binding_times import Later, parse_bt
from cogen.lang import il
from cogen.lang.ilutil import all_blocks
from cogen.lang.reader import read_datum
from cogen.specializer.values.overriding import is_override
from tests.cogen.residualways import result

pytestmark = pytest.mark.quick

UPDATE: Final = "(define (update f x v) (lambda (y) (if (eq? y x) v (f y))))"
EVALUATE: Final = """
(define (run updates n)
  (let loop ((u updates) (f (lambda (y) (- n))) (i n))
    (if (null? u)
        (list (f 'a) (f 'b) (f 'c) (f 1) (f 2))
        (loop (cdr u) (update f (car u) (+ i 1)) (+ i 1)))))
"""
LOOP: Final = """
(define (run n)
  (let loop ((f (update (update (lambda (y) 0) 'sum n) 'i n)))
    (if (< (f 'i) 1) (f 'sum) (loop (update (update f 'sum (* 2 (f 'sum))) 'i (- (f 'i) 1))))))
"""
WALK: Final = """
(define (run n) ((walk n (update (update (lambda (y) 0) 'sum 1) 'other n)) 'sum))
(define (walk n f)
  (if (< n 1) f (let ((after (walk (- n 1) f))) (update after 'sum (* n (after 'sum))))))
"""


def maps(text: str) -> int:
    """How many places make procedures that stand for maps."""
    program = cogen.loads(text)
    return sum(
        is_override(binding)
        for block in all_blocks(program)
        for binding in block.bindings
        if type(binding) is il.Fix and binding.functions[0].label != "loop"
    )


@pytest.mark.parametrize(
    "made",
    [
        "(lambda (y) (if (eq? y x) v (f y)))",
        "(lambda (y) (cond ((eqv? x y) (+ v 1)) (else (f y))))",
        "(lambda (y) (if (= x y) (v x) (f y)))",
    ],
)
def test_procedures_that_stand_for_maps(made: str) -> None:
    assert maps(f"(define (update f x v) {made})") == 1


@pytest.mark.parametrize(
    "made",
    [
        "(lambda (y) (if (eq? y x) v (f x)))",
        "(lambda (y) (if (eq? y x) v (+ 1 (f y))))",
        "(lambda (y) (if (< y x) v (f y)))",
        "(lambda (y z) (if (eq? y x) v (f y)))",
        "(lambda (y) (if (eq? y 'name) v (f y)))",
        "(lambda (y) (if (eq? v x) v (f y)))",
        "(lambda (f) (if (eq? f x) v (f f)))",
        "(letrec ((g (lambda (y) (if (eq? y x) v (g y))))) g)",
        "(lambda (y) (if (eq? y x) (cons v (f y)) (f y)))",
    ],
)
def test_procedures_that_do_not(made: str) -> None:
    assert maps(f"(define (update f x v) {made})") == 0


@pytest.mark.parametrize(("text", "n"), [(LOOP, 3), (WALK, 4)])
def test_what_is_known_of_a_map_does_not_grow(text: str, n: int) -> None:
    """A loop and a recursion in which maps are given back have no map left."""
    program = cogen.loads(UPDATE + text)
    residual = cogen.specialize(program, "run", parse_bt("(dynamic int)"))
    assert "lambda" not in residual.scheme
    assert "eq?" not in residual.scheme
    assert residual.to_python()(n) == int(result(program, n))


def test_stores_meet_whatever_was_assigned_first() -> None:
    text = """
    (define (run n)
      (let* ((f (update (lambda (y) 0) 'n n))
             (g (if (< n 1)
                    (update (update f 'b n) 'a (+ n 2))
                    (update (update f 'a n) 'b (* n n)))))
        (let ((h (update g 'c (* 7 (+ (g 'a) (g 'b))))))
          (+ (h 'c) (h 'n)))))
    """
    program = cogen.loads(UPDATE + text)
    residual = cogen.specialize(program, "run", parse_bt("(dynamic int)"))
    assert residual.scheme.count("(* 7 ") == 1
    assert [residual.to_python()(n) for n in (0, 3)] == [14, 87]


@given(
    st.lists(st.sampled_from(["a", "b", "c", "1", "2"]), max_size=9),
    st.sampled_from(["eqv?", "equal?"]),
)
@settings(max_examples=max(10, settings().max_examples // 100), deadline=None)
def test_a_map_gives_what_the_program_says(updates: list[str], asks: str) -> None:
    """Law: specialized = interpreted; and `generate` makes what gives the same text."""
    program = cogen.loads(UPDATE.replace("eq?", asks) + EVALUATE)
    names = f"({' '.join(updates)})"
    residual = cogen.specialize(program, "run", parse_bt(f"(static {names})"), parse_bt("_"))
    assert result(residual.program.program, 5) == result(program, read_datum(names), 5)
    generated = cogen.generate(program, "run", Later(), parse_bt("_"))
    assert generated(parse_bt(f"(static {names})"), parse_bt("_")).scheme == residual.scheme


def test_names_that_only_a_run_knows_hide_nothing() -> None:
    program = cogen.loads(
        f"{UPDATE} (define (run x n) ((update (update (lambda (y) 0) x n) 'a 7) 'b))"
    )
    residual = cogen.specialize(program, "run", parse_bt("_"), parse_bt("_"))
    assert result(residual.program.program, read_datum("b"), 5) == "5"
    assert result(residual.program.program, read_datum("a"), 5) == "0"
