"""States at memo points: summaries and lazy copies, and which blocks are reached."""

from __future__ import annotations

import random
from typing import Any

import pytest

import cogen
from cogen.lang.datum import NIL, symbol
from cogen.mix.cases import path_of
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.values.copies import ValueCopier
from cogen.specializer.values.domain import Dynamic, PartialPair, Several, Static
from cogen.specializer.values.domain import Test as Predicate
from cogen.specializer.values.freeze import Frozen
from cogen.specializer.values.states import States
from cogen.specializer.versions.embedding import _counted as size_counted
from cogen.specializer.versions.embedding import size
from cogen.specializer.versions.graph import RawBlock, RawFunction
from cogen.specializer.versions.memo import (
    ResidualBlock,
    VersionedProcedure,
    generalization,
    growing_numbers,
)
from cogen.specializer.versions.reach import Reach
from tests.cogen.textbook import call

pytestmark = pytest.mark.quick

# -- copies and summaries ---------------------------------------------------------------------


def test_a_copy_never_takes_a_value_for_one_that_is_gone() -> None:
    """A value may stand where one was in memory that was copied before and then given up."""
    copy = ValueCopier(States(Liveness()), {"x": Dynamic("y")})
    for number in range(50):
        copied = copy.of(Predicate(f"op{number}", (Dynamic("x"),), False, None))
        assert copied.op == f"op{number}"


def test_states_that_share_much_are_left_to_freeze() -> None:
    """A value of 40 pairs, each with the next as both of its parts, is a tree of 2^40."""
    value: object = Dynamic("x")
    for _ in range(40):
        value = PartialPair(value, value)  # type: ignore[arg-type]
    assert States(Liveness()).state([("", value)]) is None
    assert len(Frozen([("", value)], {}, {}, Liveness()).order) == 40


def test_large_states_that_share_little_are_quick() -> None:
    value: object = Static(())
    for number in range(3000):
        value = PartialPair(Static(number), PartialPair(Dynamic("x"), value))  # type: ignore[arg-type]
    assert States(Liveness()).state([("", value)]) is not None


# -- generalization ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_copies_are_as_large_as_what_they_are_copies_of(seed: int) -> None:
    """What is kept of a value's size is what counting gives, in copies of copies too."""
    rng = random.Random(seed)
    names = {name: Dynamic(f"{name}1", "any") for name in "abc"}
    values: list[Any] = [Static(1), Static("text"), Static(symbol("s")), Static(NIL)]
    values += [Dynamic(name, "any") for name in names]
    for _ in range(25):
        one, other = rng.choices(values[-12:], k=2)
        kinds = [PartialPair(one, other), Several((one, other, one))]
        kinds.append(Predicate("eq?", (one, other), False, None))
        values.append(rng.choice(kinds))
    states, liveness = States(Liveness()), Liveness()
    for value in values[7:]:
        counted = size_counted(value, {}, liveness, None)
        states.state([("x", value)])
        if rng.random() < 0.5:
            assert size(value, {}, liveness) == counted
        copy = ValueCopier(states, names).of(value)
        if rng.random() < 0.5:
            states.state([("x", copy)])
        again = ValueCopier(states, {f"{name}1": Dynamic(f"{name}2", "any") for name in names}).of(
            copy
        )
        for _ in range(2):
            assert size(again, {}, liveness) == size(copy, {}, liveness) == counted
            assert size(value, {}, liveness) == size_counted(again, {}, liveness, None) == counted


@pytest.mark.parametrize(
    ("build", "test"),
    [
        ("(cons l l)", "(eq? (car m) (cdr m))"),
        ("(cons x (cons l l))", "(eq? (cadr m) (cddr m))"),
        ("(list l (cons x l))", "(eq? (car m) (cdr (cadr m)))"),
        ("(vector l (cons l l))", "(eq? (vector-ref m 0) (car (vector-ref m 1)))"),
    ],
)
def test_what_is_one_pair_is_one_after_a_loop(build: str, test: str) -> None:
    """A pair in front of itself and of what it is in stays one from state to state."""
    text = f"""
    (define (f x n)
      (let* ((l (cons x '())) (m {build}))
        (let loop ((n n)) (if (= n 0) (if {test} 'one 'two) (loop (- n 1))))))
    """
    residual = cogen.specialize(cogen.loads(text), "f", cogen.dynamic(), cogen.dynamic("int"))
    assert "one" in residual.scheme
    assert "two" not in residual.scheme


def test_shared_composite_values_are_no_numbers() -> None:
    """Where one state has a pair that was met before and another a variable, neither is the more
    general one."""
    pair = PartialPair(Dynamic("x"), Dynamic("y"))
    liveness = Liveness()
    old = Frozen([("", pair), ("", pair)], {}, {}, liveness).tokens
    other = PartialPair(Dynamic("x"), Dynamic("y"))
    new = Frozen([("", other), ("", Dynamic("z"))], {}, {}, liveness).tokens
    assert len(old) == len(new)
    assert generalization(old, new, False) is None


def test_what_becomes_one_value_was_not_always_one() -> None:
    """In the second round `a` and `c` are one value; in the first `c` is a constant."""
    text = """
(define (f n)
  (let ((v (make-vector 3 0)))
    (vector-set! v 0 n)
    (vector-set! v 1 n)
    (let loop ()
      (if (= (vector-ref v 1) 0)
          (vector-ref v 2)
          (begin (vector-set! v 2 (+ (vector-ref v 2) (vector-ref v 1)))
                 (vector-set! v 1 (- (vector-ref v 1) 1))
                 (loop))))))
"""
    residual = cogen.specialize(cogen.loads(text), "f", cogen.dynamic("int"))
    assert [call(residual.program, n) for n in (0, 1, 5)] == [0, 1, 15]


def test_numbers_that_grow_are_one_value_in_all_states() -> None:
    def state(first: Static, second: Static) -> Frozen:
        return Frozen([("", first), ("", second)], {}, {}, Liveness())

    one, other = Static(1), Static(2)
    apart = [state(Static(0), Static(5)), state(Static(0), Static(5)), state(one, one)]
    assert growing_numbers(apart[0].tokens, apart[1].tokens, apart[2]) == {0: 0, 1: 1}
    equal = [state(Static(0), Static(0)), state(other, other), state(one, one)]
    assert growing_numbers(equal[0].tokens, equal[1].tokens, equal[2]) == {0: 0, 1: 0}


LAZY = """
((main n = (sum n (from '1)))
 (from n = (cons n (from (+ n '1))))
 (sum n xs = (if (= n '0) '0 (+ (head xs) (sum (- n '1) (tail xs))))))
"""


def test_generalizing_shared_data_needs_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Environments that share their parts, generalized coarsely: this ended with a KeyError."""
    monkeypatch.setattr(
        "cogen.specializer.specialize.SpecializationTask.generalized", lambda task: None
    )
    residual = cogen.specialize(
        cogen.load(path_of("lazy")),
        "run",
        cogen.static(cogen.datum(LAZY)),
        cogen.dynamic(),
        generalize=True,
        max_variants=60,
    )
    assert call(residual.program, 4) == 10


# -- reach ------------------------------------------------------------------------------------


def block(number: int) -> ResidualBlock:
    procedure = VersionedProcedure(RawFunction("p", [], "k", ""))
    raw = RawBlock(f"b.{number}", [], None, "b", None)
    return ResidualBlock(
        procedure, raw, ("top",), ([], {}, {}), lambda path, values: None, None, None, True
    )


@pytest.mark.parametrize("seed", range(20))
def test_reach_is_what_a_search_finds(seed: int) -> None:
    """Jumps are added to reached blocks, and blocks forget theirs, in any order."""
    source = random.Random(seed)
    reach, blocks = Reach(), [block(number) for number in range(25)]
    reach.root(blocks[0])
    for _ in range(400):
        one, other = source.choice(blocks), source.choice(blocks)
        if source.random() < 0.2:
            reach.forget(one)
        else:
            reach.lead(one, other)
        found = reach.blocks()
        assert [b.reached for b in blocks] == [b in found for b in blocks]
