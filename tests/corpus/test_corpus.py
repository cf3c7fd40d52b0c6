"""The interpreters of the corpus: right when interpreted, with ideals that are right too."""

import pytest

from cogen import loads
from cogen.lang.datum import iterate
from cogen.lang.printer import write_datum
from tests.corpus.cases import Case, interpreter, names, weight
from tests.corpus.measure import expected, results

CASES = [case for name in names() for case in interpreter(name).cases]
GROWING = [name for name in names() if interpreter(name).template is not None]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_interpreted(case: Case) -> None:
    wanted = [write_datum(result) for _, result in case.runs]
    assert wanted
    assert results(case, case.interpreter.loaded, known=True) == wanted


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "case", [case for case in CASES if case.ideal is not None], ids=lambda case: case.id
)
def test_ideals_are_right(case: Case) -> None:
    program = loads("\n".join(write_datum(form) for form in iterate(case.ideal)))
    assert results(case, program, known=False) == expected(case)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", GROWING)
def test_programs_that_grow(name: str) -> None:
    """They run, and each is as large as it says."""
    small, double = interpreter(name).grown(1), interpreter(name).grown(2)
    assert len(expected(small)) == len(expected(double)) == len(small.runs) > 0
    assert 1.5 < weight(double.program) / weight(small.program) < 2.5
