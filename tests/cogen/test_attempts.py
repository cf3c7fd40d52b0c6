"""What a specialization tries before it finds a residual program (Note [Attempts])."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest

import cogen
from cogen.bench.specializing import case_of
from cogen.lang import il
from cogen.lang.load import loads
from cogen.specializer import trying
from cogen.specializer.advice.advisedprogram import AdvisedProgram
from cogen.specializer.advice.steps import AdviceSteps
from cogen.specializer.attempts import SpecializationAttempt
from cogen.specializer.growth.growth import Growth
from cogen.specializer.specialize import SpecializationTask
from cogen.specializer.versions.demand import Joining
from cogen.specializer.versions.effort import (
    MANY_BLOCKS,
    Effort,
    TooMuch,
    VersionsGrown,
    many_left,
)
from tests.corpus.cases import interpreter


def test_effort_within() -> None:
    effort = Effort(10, 20, 30)
    assert effort.within(effort)
    assert effort.within(Effort(10, 21, 30))
    assert not any(effort.within(less) for less in (Effort(9, 99, 99), Effort(99, 19, 99)))
    assert not effort.within(Effort(99, 99, 29))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["unify", "cek-callcc"])
def test_what_came_to_nothing_is_not_tried_again(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No program is specialized with as little effort as, or less than, what came to nothing."""
    run = SpecializationTask._run
    given_up: list[tuple[il.Program, Effort | None]] = []
    again: list[Effort] = []

    def watched(self: SpecializationTask, attempt: SpecializationAttempt) -> Any:
        program, effort = attempt.program, attempt.effort
        plain = attempt.gives_up and not attempt.sharing and not attempt.joining
        if plain and effort is not None:
            again.extend(
                effort
                for one, most in given_up
                if one is program and (most is None or effort.within(most))
            )
        try:
            return run(self, attempt)
        except TooMuch as reason:
            if plain:
                given_up.append((program, None if isinstance(reason, VersionsGrown) else effort))
            raise

    monkeypatch.setattr(SpecializationTask, "_run", watched)
    for case in interpreter(name).cases:
        given_up.clear()
        cogen.specialize(case.interpreter.loaded, case.interpreter.entry, *case.times)
    assert given_up, "the cases have attempts that come to nothing"
    assert again == []


def test_arms_take_turns() -> None:
    """A loop that begins with a copy of the input: in the arm in which it is 0 everything that
    follows is known; the other arm tells that it is not."""
    text = """
        (define (run program n)
          (if (null? program) n (loop (car program) (cdr program) n n 0)))
        (define (loop step rest n i sum)
          (if (= i 0) (wait 5 step rest n sum) (loop step rest n (- i 1) (+ sum step))))
        (define (wait k step rest n sum)
          (if (= k 0) (+ sum (run rest n)) (wait (- k 1) step rest n sum)))
    """
    program = cogen.loads(text)

    def calls(length: int) -> float:
        steps = cogen.static(cogen.datum(f"({' '.join(map(str, range(length)))})"))
        residual = cogen.specialize(program, "run", steps, cogen.dynamic("int"))
        return residual.statistics["calls unfolded"]

    counts = [calls(length) for length in (10, 20, 40)]
    assert counts[2] - counts[1] <= 2.2 * (counts[1] - counts[0]), counts


STORE = """
    (define (get x store) (if (eq? (caar store) x) (cdar store) (get x (cdr store))))
    (define (put x v store)
      (if (eq? (caar store) x)
          (cons (cons x v) (cdr store))
          (cons (car store) (put x v (cdr store)))))
    (define (value e store)
      (cond ((symbol? e) (get e store))
            ((number? e) e)
            (else (operate (car e) (value (cadr e) store) (value (caddr e) store)))))
    (define (operate op x y)
      (cond ((eq? op '+) (+ x y)) ((eq? op '/) (quotient x y)) (else (remainder x y))))
    (define (run s store)
      (cond ((eq? (car s) 'set) (put (cadr s) (value (caddr s) store) store))
            ((eq? (car s) 'do) (run (caddr s) (run (cadr s) store)))
            ((eq? (car s) 'odd) (if (= 0 (value (cadr s) store)) store (run (caddr s) store)))
            ((< (get 'i store) (cadr s)) (run s (run (caddr s) store)))
            (else store)))
    (define (main s x) (get 'n (run s (list (cons 'x x) (cons 'i 0) (cons 'n 0)))))
"""
"""An interpreter with a store."""


def counting_bits(rounds: int) -> cogen.Residual:
    body = "(do (odd (% x 2) (set n (+ n 1))) (do (set x (/ x 2)) (set i (+ i 1))))"
    static = cogen.static(cogen.datum(f"(while {rounds} {body})"))
    return cogen.specialize(cogen.loads(STORE), "main", static, cogen.dynamic("int"))


@pytest.mark.parametrize("rounds", [0, 1, 4, 7, 9, 30])
def test_a_loop_of_many_rounds_that_are_known_is_one(rounds: int) -> None:
    """An attempt with a copy for each round is given up after a few, for a loop that counts."""
    residual = counting_bits(rounds)
    assert residual.scheme.count("(if ") <= 4
    count = residual.to_python()
    for x in (0, 1, 2, 0b10110111, 0xFFFF):
        assert count(x) == bin(x & ((1 << rounds) - 1)).count("1")


def test_what_counts_is_followed_for_longer_where_no_advice_is_of_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As long as there is no other program to try, a loop of nine rounds has nine copies."""
    monkeypatch.setattr(SpecializationTask, "advice", AdviceSteps())
    monkeypatch.setattr(SpecializationTask, "_joined", lambda self: None)
    monkeypatch.setattr(SpecializationTask, "_joined_one", lambda self, found: found)
    residual = counting_bits(9)
    assert residual.scheme.count("(if ") == 9
    assert residual.to_python()(0b1_1011_0111) == 7


@pytest.mark.parametrize(
    ("name", "asked"), [("large/objects/150", False), ("closures-vector/made", True)]
)
def test_pieces_of_an_interpreter_are_looked_for_in_large_residual_programs(
    name: str, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large for what was interpreted, that is: of fifteen classes there are many blocks anyway."""
    tried: list[AdvisedProgram] = []

    def watched(self: SpecializationTask, found: Any, step: AdvisedProgram) -> Any:
        tried.append(step)
        return found

    monkeypatch.setattr(SpecializationTask, "_smaller_one", watched)
    monkeypatch.setattr(SpecializationTask, "_rival", lambda self, specializer: None)
    case = case_of(name)
    residual = cogen.specialize(case.program, case.entry, *case.bts)
    assert residual.statistics["residual blocks"] > MANY_BLOCKS
    assert bool(tried) == asked


@pytest.mark.parametrize(("count", "many"), [(400, MANY_BLOCKS), (10, 500)])
def test_text_among_the_constants_is_a_piece_of_the_interpreter(count: int, many: int) -> None:
    """With a part of what is static left in it, a residual program need not be large."""
    text = f"(define (run x) (memq x '({' '.join(f'k{i}' for i in range(count))})))"
    assert many_left(loads(text), 1000, 8) == many
    assert many_left(None, 1000, 8) == 500
    assert many_left(None, 10, 8) == 8


@pytest.mark.parametrize(("name", "joins"), [("matching/merge", False), ("futamura/regex", True)])
def test_arms_are_joined_where_a_test_of_data_of_the_run_asked(
    name: str, joins: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where none did, that would only do again what was done without."""
    run, tried = SpecializationTask._run, set[Joining]()

    def watched(self: SpecializationTask, attempt: SpecializationAttempt) -> Any:
        tried.add(attempt.joining)
        return run(self, attempt)

    monkeypatch.setattr(SpecializationTask, "_run", watched)
    case = case_of(name)
    cogen.specialize(case.program, case.entry, *case.bts)
    assert (Joining.OF_RUN in tried) == joins


@pytest.mark.sources
def test_what_grows_is_looked_at_as_soon_as_it_may_be_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If two more versions may be enough, after two more."""
    looked: list[int] = []

    def missing(self: Growth, states: list[object]) -> int:
        looked.append(len(states) - 1)
        return 2

    monkeypatch.setattr(Growth, "_give_up", missing)
    counting_bits(12)
    assert sorted(set(looked)) == [6, 8, 10]


@pytest.mark.sources
def test_what_hinders_the_beginning_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """An attempt may come to nothing before there is a specializer to ask."""

    def begun(*given: object, **named: object) -> NoReturn:
        raise cogen.CogenError("there is no room")

    monkeypatch.setattr(trying, "begun", begun)
    with pytest.raises(cogen.CogenError, match="there is no room"):
        counting_bits(1)
