"""What a specialization tries before it finds a residual program (Note [Attempts])."""

from __future__ import annotations

from typing import Any

import pytest

import cogen
from cogen.lang import il
from cogen.specializer.specialize import SpecializationTask
from cogen.specializer.versions.effort import Effort, TooMuch, VersionsGrown
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

    def watched(self: SpecializationTask, *arguments: Any) -> Any:
        program, effort = arguments[0], arguments[3]
        plain = effort is not None and len(arguments) == 4
        if plain:
            again.extend(
                effort
                for one, most in given_up
                if one is program and (most is None or effort.within(most))
            )
        try:
            return run(self, *arguments)
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
