"""What the rules of integers leave of single expressions: `rules.txt`, and that it means the same.

Each row is `EXPRESSION | BINDING-TIME ... => BODY`: of x and y, at these binding times.  In
`rules-early.txt` stands what is left before the passes that find values by themselves.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from pathlib import Path

import pytest

from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.specializer.passes.clean import clean
from tests.cogen.textbook import residual_of, running, text_of

pytestmark = pytest.mark.quick

FINDING = ("prove", "algebra", "number", "branches", "bound", "decide")
"""The passes over residual programs that find what rules have not."""

NUMBERS = (-37, -8, -1, 0, 1, 5, 16, 100, 255, 1 << 40)
QUOTIENTS = (-9, -2, -1, 0, 1, 2, 7, 1 << 36)


def rows(name: str) -> list[str]:
    """The rows of a table."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()


def numbers(time: str) -> list[int]:
    """Arguments of a binding time."""
    if not time.startswith("(cyclic"):
        return list(NUMBERS)
    base, remainder = map(int, time[:-1].split()[1:])
    return [base * q + remainder for q in QUOTIENTS]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("row", rows("rules.txt"))
def test_what_is_left(row: str) -> None:
    look_at(row)


@pytest.mark.sources
@pytest.mark.parametrize("row", rows("rules-early.txt"))
def test_what_rules_leave_alone(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cogen.specializer.specialization.clean", partial(clean, off=FINDING))
    look_at(row)


def look_at(row: str) -> None:
    """The residual program of a row is as it says, and gives what the expression does."""
    left, _, body = row.partition(" => ")
    expression, *times = left.split(" | ")
    head = " ".join(["f", *"xy"[: len(times)]])
    text = f"(define ({head}) {expression})"
    residual = residual_of(text, "f", *times)
    assert text_of(residual) == f"(define ({head}) {body})"
    source, specialized = Interpreter(loads(text), 32), running(residual)
    source.run()
    for arguments in product(*map(numbers, times)):
        expected = outcome(source, "f", arguments)
        if expected is not None:
            assert outcome(specialized, residual.entry, arguments) == expected


def outcome(interpreter: Interpreter, entry: str, arguments: tuple[Datum, ...]) -> Datum | None:
    """What a call gives; None where it fails."""
    try:
        return interpreter.call(entry, list(arguments))
    except CogenError:
        return None
