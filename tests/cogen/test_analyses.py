"""What is found out about a program once, for all its specializations (`analyses.analyses`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

import cogen
from cogen.binding_times import parse_bt
from cogen.lang import il, interp
from cogen.lang.pyunits import PythonUnit
from cogen.specializer.advice.absent import find_absent
from cogen.specializer.advice.advise import Advice
from cogen.specializer.advice.advisedprogram import AdvisedProgram
from cogen.specializer.advice.given import shape
from cogen.specializer.analyses.analyses import MOST_ADVISED, Analyses
from cogen.specializer.attempts import SpecializationAttempt, usual_specializer
from cogen.specializer.specialization import Specializer
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.effort import MANY_BLOCKS
from tests.corpus.cases import interpreter

SHAPES = ["_", "(dynamic int)", "(static 1)", "(static #t)", "(static ())", "(static (a))"]
SHAPES += ["(cons _ (static 1))", "(cons (static 1) _)", "(vector _ _)", "(cyclic 4 0)"]


def _told(steps: Iterable[AdvisedProgram]) -> list[tuple[str, int, str | None]]:
    return [(str(step.lifts), step.calls, step.of) for step in steps]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["cek", "forth", "stack-vm", "turing", "scheme-cps"])
def test_advice_is_the_same_for_other_programs_of_that_interpreter(name: str) -> None:
    """Advice that is remembered is what is found anew for each of the programs; it is another one
    where other words of the language are not used."""
    found = interpreter(name)
    known = Analyses(found.loaded)
    first = found.cases[0].times
    for case in found.cases:
        steps = known.advice(found.entry, case.times)
        absent = [find_absent(found.loaded, found.entry, times) for times in (first, case.times)]
        assert (steps is known.advice(found.entry, first)) == (absent[0] == absent[1])
        anew = Advice(found.loaded, found.entry, case.times).steps
        assert _told(steps) == _told(anew)


def test_binding_times_of_one_shape() -> None:
    shapes = [shape([parse_bt(text)]) for text in SHAPES]
    assert len(set(shapes)) == len(SHAPES)
    assert shape([parse_bt("(static (a b))")]) == shape([parse_bt("(static c)")])
    assert shape([parse_bt("(list (static 1) _)")]) == shape([parse_bt("(list (static 2) _)")])


def test_values_that_are_one_have_another_shape() -> None:
    one, other = parse_bt("(static 1)"), parse_bt("(static 1)")
    assert shape([one, one]) != shape([one, other])
    assert shape([one, one]) == shape([other, other])


def test_advice_for_few_shapes_is_kept() -> None:
    program = cogen.loads("(define (f x) (if (= x 0) 0 (f (- x 1))))")
    known = Analyses(program)
    first = known.advice("f", [parse_bt("_")])
    for number in range(MOST_ADVISED):
        known.advice("f", [parse_bt(f"(cyclic {number + 2} 0)")])
    again = known.advice("f", [parse_bt("_")])
    assert list(again) == list(first)
    assert again is not first


def test_what_is_run_outright_is_translated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """(define table '(3 5 8))
              (define (sum l) (if (null? l) 0 (+ (car l) (sum (cdr l)))))
              (define (f x y) (+ x (sum table) (sum (list y y))))"""
    program = cogen.loads(text)
    texts: list[str] = []
    load = interp.Interpreter._load

    def noted(self: interp.Interpreter, unit: PythonUnit) -> Callable[..., Any]:
        texts.append(unit.text)
        return load(self, unit)

    monkeypatch.setattr(interp.Interpreter, "_load", noted)
    for number in (1, 2, 3):
        residual = cogen.specialize(program, "f", cogen.dynamic(), cogen.static(number))
        monkeypatch.setattr(interp.Interpreter, "_load", load)
        run = interp.Interpreter(residual.program.program)
        run.run()
        assert run.call("f", [10]) == 26 + 2 * number
        monkeypatch.setattr(interp.Interpreter, "_load", noted)
    assert len(texts) == 1


def test_large_programs_with_small_residual_programs_are_specialized_once() -> None:
    """The residual program of a larger interpreted program is larger; that alone is no reason to
    look for another one."""
    owner = interpreter("scheme-alist")
    program = owner.loaded
    attempts: list[il.Program] = []

    def make(attempt: SpecializationAttempt) -> Specializer:
        attempts.append(attempt.program)
        return usual_specializer(attempt)

    found = specialize(program, owner.entry, owner.grown(4).times, make=make)
    assert found.statistics["residual blocks"] >= MANY_BLOCKS
    assert all(one is program for one in attempts)
    assert len(attempts) == 1
