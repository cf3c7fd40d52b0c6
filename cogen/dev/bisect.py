"""Finds the step that makes an answer wrong.

    right after step k - 1, wrong after step k      ->      step k is to blame

By halving: somewhere between a right answer and a wrong one there is such a step, whether or not
later ones make it right again.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from cogen.dev.road import PassChoice, Road


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found: `step` is the number of the step that is to blame, from 1; 0 if the answer is
    wrong before the first, None if it is right after the last."""

    step: int | None
    name: str
    steps: int
    expected: str
    found: str


def bisect(road: Road, off: frozenset[str] = frozenset()) -> Finding:
    """The step of a road, without the passes `off`, that makes its outcome wrong."""
    expected = road.expected()
    names = [step.name for step in road.steps(off)]
    last = road.outcome(PassChoice(off))
    if road.agree(expected, last):
        return Finding(None, "", len(names), expected, last)
    first = road.outcome(PassChoice(off, 0))
    if not road.agree(expected, first):
        return Finding(0, "", len(names), expected, first)
    right, wrong = 0, len(names)
    found = last
    while wrong - right > 1:
        middle = (right + wrong) // 2
        outcome = road.outcome(PassChoice(off, middle))
        if road.agree(expected, outcome):
            right = middle
        else:
            wrong, found = middle, outcome
    return Finding(wrong, names[wrong - 1], len(names), expected, found)


def difference(road: Road, stage: str, off: frozenset[str], step: int) -> str:
    """What a step changed, as `diff -u` shows it."""
    before, after = (road.show(stage, PassChoice(off, number)) for number in (step - 1, step))
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"after step {step - 1}", f"after step {step}",
        lineterm="",
    )  # fmt: skip
    return "\n".join(lines)
