"""Work grows with the size of what is made, not with its square: executed lines are counted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import cogen
from cogen.binding_times import parse_bt
from cogen.lang.deep import on_deep_stack
from cogen.lang.primtable.equivalence import equal
from cogen.specializer.values.freeze import Frozen

Case = Callable[[int], tuple[str, list[str]]]
"""A program of some size with an `f`, and binding times of its parameters."""

SMALL, FACTOR = 20, 3
SMALL_CONDITIONALS = 40
"""For fewer the residual program is so small that no milder advice is tried besides."""
ALLOWED = 1.6
"""How much more than `FACTOR` times the work is no growth with the square, 3 times as much."""


def unfolded_calls(n: int) -> tuple[str, list[str]]:
    text = "(define (f n x) (if (= n 0) x (f (- n 1) (+ (* x 3) n))))"
    return text, [f"(static {n})", "_"]


def dynamic_tests(n: int) -> tuple[str, list[str]]:
    text = "(define (f n x a) (if (= n 0) a (f (- n 1) x (if (< x n) (+ a n) (* a x)))))"
    return text, [f"(static {n})", "(dynamic int)", "(dynamic int)"]


def residual_procedures(n: int) -> tuple[str, list[str]]:
    procedures = "".join(
        f"(define (g{i} t) (if (null? t) {i} (cons {i} (g{i} (cdr t)))))" for i in range(n)
    )
    calls = " ".join(f"(display (g{i} x))" for i in range(n))
    return f"{procedures} (define (f x) {calls})", ["_"]


def versions_of_a_procedure(n: int) -> tuple[str, list[str]]:
    text = """(define (g k t) (if (null? t) '() (cons k (g k (cdr t)))))
              (define (f k t) (if (= k 0) t (f (- k 1) (g k t))))"""
    return text, [f"(static {n})", "_"]


def words_stored(n: int) -> tuple[str, list[str]]:
    stores = " ".join(f"(store-word! m {i} (+ x {i}))" for i in range(n))
    return f"(define (f m x) {stores})", ["(dynamic memory)", "(dynamic int)"]


def vectors_stored(n: int) -> tuple[str, list[str]]:
    stores = " ".join(f"(vector-set! v {i % 9} (+ x {i}))" for i in range(n))
    return f"(define (f v x) {stores})", ["_", "(dynamic int)"]


def conditionals(n: int) -> tuple[str, list[str]]:
    tests = " ".join(f"(if (< x {i}) (set-car! v {i}))" for i in range(n))
    return f"(define (f x v) {tests} v)", ["(dynamic int)", "_"]


def lines(action: Callable[[], Any]) -> int:
    """The lines of Python that an action executes."""
    count = 0

    def traced(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal count
        count += 1
        return traced

    def watched() -> None:
        sys.settrace(traced)
        try:
            action()
        finally:
            sys.settrace(None)

    on_deep_stack(watched)
    return count


def specialized(case: Case, n: int) -> cogen.Residual:
    text, bts = case(n)
    return cogen.specialize(cogen.loads(text), "f", *map(parse_bt, bts))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("case", "size"),
    [
        *[(case, SMALL) for case in (unfolded_calls, dynamic_tests, words_stored, vectors_stored)],
        (conditionals, SMALL_CONDITIONALS),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_no_step_grows_with_the_square(case: Case, size: int) -> None:
    """Specializing with cleaning, and each form of text."""
    first = specialized(case, 3)
    assert all((first.scheme, first.python, first.c))  # what is imported now is not counted
    small, large = steps(case, size), steps(case, size * FACTOR)
    grown = {step: large[step] / small[step] for step in small}
    assert max(grown.values()) < FACTOR * ALLOWED, grown


def steps(case: Case, n: int) -> dict[str, int]:
    """The lines that each step executes."""
    made: list[cogen.Residual] = []
    return {
        "specialize": lines(lambda: made.append(specialized(case, n))),
        "scheme": lines(lambda: made[0].scheme),
        "python": lines(lambda: made[0].python),
        "c": lines(lambda: made[0].c),
    }


@pytest.mark.parametrize(
    "case", [residual_procedures, versions_of_a_procedure], ids=lambda case: str(case.__name__)
)
def test_blocks_that_call_many_procedures_do_not_begin_again_for_each(case: Case) -> None:
    """Each procedure is found to recur when it is first unfolded, and the block started again."""
    residual = specialized(case, 160)
    assert residual.statistics["residual procedures"] == 161
    assert residual.statistics["calls unfolded"] < 20 * 160


def test_a_block_that_was_divided_does_the_same() -> None:
    text, _ = versions_of_a_procedure(40)
    expected = cogen.specialize(cogen.loads(text), "f", cogen.dynamic(), cogen.dynamic())
    items = cogen.datum("(1 2)")
    divided = specialized(versions_of_a_procedure, 40).to_python()
    assert equal(divided(items), expected.to_python()(40, items))


def test_deep_continuations_are_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recursion that is no tail call, until its limit: each state is one call deeper than the
    one before."""
    walked = 0
    freeze = Frozen.__init__

    def counted(self: Frozen, *arguments: Any) -> None:
        nonlocal walked
        freeze(self, *arguments)
        walked += len(self.tokens)

    monkeypatch.setattr(Frozen, "__init__", counted)
    monkeypatch.setattr(
        "cogen.specializer.specialize.SpecializationTask.generalized", lambda *_: None
    )
    program = cogen.loads(
        "(define (f keys n x) (if (eq? x (car keys)) n (+ 1 (f (cdr keys) (+ n 1) (cdr x)))))"
    )
    keys = cogen.static([cogen.symbol(f"k{number}") for number in range(400)])
    with pytest.raises(cogen.CogenError, match="versions of f"):
        cogen.specialize(program, "f", keys, cogen.static(0), cogen.dynamic(), max_variants=300)
    assert walked < 9000  # it is specialized again to find what builds the states; all: 45,000


def test_each_part_of_what_is_static_may_have_a_version() -> None:
    """So no limit stands against long programs, unless the user has set one."""
    program = cogen.loads(
        "(define (run p x) (if (null? p) 'none (if (= x (car p)) 'found (run (cdr p) x))))"
    )
    numbers = cogen.static(list(range(1100)))
    residual = cogen.specialize(program, "run", numbers, cogen.dynamic())
    assert residual.scheme.count("(= x ") == 1100
    with pytest.raises(cogen.CogenError, match="more than 1001 versions of run"):
        cogen.specialize(program, "run", numbers, cogen.dynamic(), max_variants=1001)
