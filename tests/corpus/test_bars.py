"""What must become of the programs of the corpus, with plain defaults.

Specialization ends within 10 s of CPU time; the residual program is right in the interpreter, as
Python and in C; it is at most 2.5 times as large as one written by hand, and has no look-up,
dispatch or piece of the program left; generating extensions give the same text; size and work
grow in proportion to the program. Every day that is seen on one program for each interpreter,
without C; with --long on all of them, and what `notyet` lists must still fail.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.corpus.cases import FACTORS, Case, interpreter, names
from tests.corpus.measure import measure
from tests.corpus.notyet import NOT_YET
from tests.corpus.report import MOST

CASES = [case for name in names() for case in interpreter(name).cases]
GROWING = [name for name in names() if interpreter(name).template is not None]
EVERYDAY_GROWING = ["format", "stack-vm"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """All cases with --long, else the first good one of each interpreter."""
    long = metafunc.config.getoption("--long")
    if "case" in metafunc.fixturenames:
        good = [case for case in CASES if case.id not in NOT_YET]
        first = {case.interpreter.name: case for case in reversed(good)}.values()
        chosen = [(case.id, case) for case in (CASES if long else first)]
        metafunc.parametrize("case", _marked(chosen))
    if "growing" in metafunc.fixturenames:
        chosen_names = GROWING if long else EVERYDAY_GROWING
        metafunc.parametrize("growing", _marked([(f"{n}/grow", n) for n in chosen_names]))


def _marked(chosen: list[tuple[str, Case | str]]) -> list[object]:
    found: list[object] = []
    for name, value in chosen:
        marks = [pytest.mark.xfail(reason=NOT_YET[name])] if name in NOT_YET else []
        found.append(pytest.param(value, id=name, marks=marks))
    return found


@pytest.mark.one_in(36)
def test_bars(case: Case, request: pytest.FixtureRequest) -> None:
    outcome = measure(case, compiled=request.config.getoption("--long"), generated=True)
    assert outcome.faults(MOST) == [], outcome.text
    assert outcome.interpreted == outcome.python == outcome.generated == "yes"


def test_in_proportion(growing: str, request: pytest.FixtureRequest) -> None:
    """What is added to the program adds to the residual program and to the work in proportion."""
    factors = FACTORS if request.config.getoption("--long") else FACTORS[:3]
    outcomes = [measure(interpreter(growing).grown(factor)) for factor in factors]
    assert [outcome.faults(MOST) for outcome in outcomes] == [[]] * len(factors)
    sizes, works = _added([o.size for o in outcomes]), _added([o.work for o in outcomes])
    assert all(double <= 2.2 * once for once, double in pairwise(sizes)), sizes
    assert works[-1] <= 2.5 * works[-2], works
    calls = _added([o.calls for o in outcomes])
    assert calls[-1] <= 3 * calls[-2], calls


def _added(counts: list[float]) -> list[float]:
    return [double - once for once, double in pairwise(counts)]


def test_what_is_not_yet_so_exists() -> None:
    known = {case.id for case in CASES} | {f"{name}/grow" for name in GROWING}
    assert set(NOT_YET) <= known
    assert all(NOT_YET.values())
