"""What overtakes an attempt that is under way (`cogen.specializer.rivals`), and steps of advice
that are found when they are asked for (`cogen.specializer.advice.steps`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import cogen
from cogen.lang import il
from cogen.lang.load import loads
from cogen.specializer import specialize
from cogen.specializer.advice.advise import Advice
from cogen.specializer.advice.advisedprogram import ARMS, CODE, LIBRARY, AdvisedProgram
from cogen.specializer.advice.steps import AdvicePart, AdviceSteps
from cogen.specializer.analyses.analyses import Analyses
from cogen.specializer.attempts import SpecializationAttempt
from cogen.specializer.rivals import Challenge, Outgrown, Overtaken, Rivals
from cogen.specializer.specialize import SpecializationTask
from cogen.specializer.versions.effort import MUCH, SMALLER
from tests.corpus.cases import Case, interpreter


def _case(name: str) -> Case:
    owner, _, one = name.partition("/")
    return next(case for case in interpreter(owner).cases if case.name == one)


def _attempts(case: Case, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[tuple[str, str]]]:
    """The residual text of a case, and what has been tried for it, in the order of the ends."""
    tried: list[tuple[str, str]] = []
    run = SpecializationTask._run

    def watched(self: SpecializationTask, attempt: SpecializationAttempt) -> Any:
        step = next((s for s in self.advice if s.program is attempt.program), None)
        name = "plain" if step is None else str(step.of)
        name = f"bare {name}" if step is not None and step.is_bare else name
        try:
            found = run(self, attempt)
        except Exception as reason:
            tried.append((name, type(reason).__name__))
            raise
        tried.append((name, "ok"))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(SpecializationTask, "_run", watched)
        owner = case.interpreter
        return cogen.specialize(owner.loaded, owner.entry, *case.times).scheme, tried


@pytest.mark.parametrize("name", ["closures-list/made", "scheme-metacircular/church"])
def test_code_overtakes_the_program_as_it_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for on the way, the program as it is given up, and the text the same as if that
    was carried through first."""
    case = _case(name)
    text, tried = _attempts(case, monkeypatch)
    assert tried == [("bare code", "ok"), ("plain", "Overtaken")]
    monkeypatch.setattr(Rivals, "watch", lambda self, specializer: 1 << 60)
    other, tried = _attempts(case, monkeypatch)
    assert ("plain", "Overtaken") not in tried
    assert other == text


def test_what_is_not_overtaken_is_not_made_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked for on the way is kept for the end."""
    case = _case("closures-list/made")
    text, _ = _attempts(case, monkeypatch)
    monkeypatch.setattr("cogen.specializer.rivals.SHRINKS", 1e9)
    other, tried = _attempts(case, monkeypatch)
    assert tried == [("bare code", "ok"), ("plain", "ok")]
    assert other == text


def test_a_small_program_asks_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specialize, "Rivals", _Refusing)
    assert _attempts(_case("closures-list/accounts"), monkeypatch)[1] == [("plain", "ok")]


class _Refusing(Rivals):
    def __init__(self, many: float, ask: object) -> None:
        def refuse(specializer: object) -> None:
            raise AssertionError

        super().__init__(many, refuse)


@pytest.mark.parametrize("name", ["closures-locations/counted", "scheme-frames/assigned"])
def test_what_grew_is_not_tried_with_nothing_lifted(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = _attempts(_case(name), monkeypatch)[1]
    assert tried == [("plain", "RoundsCounted"), ("code", "ok")]


class _Block:
    """A residual block with so much code."""

    def __init__(self, body: il.Block | None) -> None:
        self.raw = self
        self.body = body


class _Attempt:
    """A specializer that has made so many versions, and these blocks."""

    def __init__(self, versions: int, *bodies: il.Block | None) -> None:
        self.versions = versions
        self.residual_blocks = list(map(_Block, bodies))
        self.context = self.limits = self


_MADE = il.Block((), il.Jump("k", ()))


def test_an_attempt_that_is_overtaken_says_so() -> None:
    """Between blocks, and not before there are as many as it takes."""
    found = specialize.specialize(loads("(define (f x) (+ x 1))"), "f", [cogen.dynamic()])
    attempt: Any = _Attempt(7, _MADE, None, _MADE)
    asked: list[object] = []

    def ask(specializer: object) -> Any:
        asked.append(specializer)
        return found

    rivals = Rivals(4, ask)
    assert rivals.watch(attempt) == 7 + 4 - 2
    assert not asked
    attempt.residual_blocks = [_Block(_MADE)] * 5
    assert rivals.watch(attempt) > 7
    attempt.residual_blocks = [_Block(_MADE)] * 6
    with pytest.raises(Overtaken):
        rivals.watch(attempt)
    assert asked == [attempt]


def test_an_attempt_that_will_not_be_much_smaller_is_given_up() -> None:
    """As large as what was found, before cleaning; a little smaller it may still become."""
    found: Any = _Attempt(9, *[_MADE] * 4)
    small: Any = _Attempt(7, _MADE, None, _MADE, _MADE)
    large: Any = _Attempt(7, *[_MADE] * 4)
    assert Challenge(found, MUCH).watch(small) > 7
    Challenge(found, MUCH).judge(small)
    with pytest.raises(Outgrown):
        Challenge(found, MUCH).watch(large)
    with pytest.raises(Outgrown):
        Challenge(found, MUCH).judge(large)
    assert Challenge(found, SMALLER).watch(large) > 7


# -- steps ---------------------------------------------------------------------------------------


def _step(of: str | None) -> AdvisedProgram:
    return AdvisedProgram(loads("(define (f x) x)"), (), of=of)


def test_steps_are_found_when_they_are_asked_for() -> None:
    found: list[str | None] = []

    def finding(*kinds: str | None) -> Iterator[AdvisedProgram]:
        for of in kinds:
            found.append(of)
            yield _step(of)

    parts = (
        AdvicePart(LIBRARY, finding(LIBRARY)),
        AdvicePart(None, finding(CODE, None)),
        AdvicePart(ARMS, finding(ARMS)),
    )
    steps = AdviceSteps(*parts)
    one = next(steps.but({LIBRARY, ARMS}))
    assert found == [CODE]
    assert [step.of for step in steps.but({CODE, ARMS})] == [LIBRARY, None]
    assert found == [CODE, LIBRARY, None]
    assert [step.of for step in steps] == [LIBRARY, CODE, None, ARMS]
    assert found == [CODE, LIBRARY, None, ARMS]
    assert one is list(steps)[1]
    assert not steps.is_broken


def test_advice_that_was_interrupted_is_found_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = interpreter("trie")
    known, times = Analyses(owner.loaded), owner.cases[0].times

    def interrupted(self: Advice) -> Iterator[AdvisedProgram]:
        yield _step(None)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Advice, "_find_usual", interrupted)
        steps = known.advice(owner.entry, times)
        with pytest.raises(KeyboardInterrupt):
            list(steps)
    again = known.advice(owner.entry, times)
    assert again is not steps
    told = [str(step.lifts) for step in again]
    assert told == [str(step.lifts) for step in Advice(owner.loaded, owner.entry, times).steps]
