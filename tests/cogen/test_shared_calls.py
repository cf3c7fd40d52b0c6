"""Calls with the same static arguments in several places: copies, or one residual procedure."""

from __future__ import annotations

import pytest

from cogen.specializer.explain.explain import explain
from cogen.specializer.specialize import SpecializationTask, specialize
from cogen.specializer.versions.effort import TooMuch
from tests.corpus.cases import Case, interpreter
from tests.corpus.measure import expected, results


def of_levels(factor: int) -> Case:
    """A grammar with so many pairs of levels of precedence, each of which is used twice."""
    return interpreter("peg").grown(factor)


def blocks_left(case: Case) -> float:
    made = specialize(case.interpreter.loaded, case.interpreter.entry, case.times)
    assert results(case, made.program, known=False) == expected(case)
    return made.statistics["residual blocks"]


def test_rules_of_a_grammar_are_procedures(monkeypatch: pytest.MonkeyPatch) -> None:
    """In proportion to the levels; without sharing they are copied in each other."""
    two, four, eight = [blocks_left(of_levels(factor)) for factor in (1, 2, 4)]
    assert eight - four <= 2.2 * (four - two)

    def refuse(self: SpecializationTask, program: object) -> None:
        raise TooMuch

    monkeypatch.setattr(SpecializationTask, "_sharing", refuse)
    assert blocks_left(of_levels(2)) > 3 * four


def test_what_is_small_is_copied() -> None:
    """Nothing is shared where the copies are no larger than what is static."""
    case = interpreter("kmp").cases[0]
    made = explain(case.interpreter.loaded, case.interpreter.entry, case.times)
    assert not any(one.rule == "shared" for one in made.explanation.decisions)


def test_sharing_is_explained() -> None:
    case = of_levels(2)
    made = explain(case.interpreter.loaded, case.interpreter.entry, case.times)
    shared = [one for one in made.explanation.decisions if one.rule == "shared"]
    assert {one.what for one in shared} == {"matches"}
    text = " ".join(made.explanation.text.replace("|", " ").split())
    assert "as it is, with calls shared: this is the residual program" in text
    assert "called with the same static arguments in other places [shared]" in text
