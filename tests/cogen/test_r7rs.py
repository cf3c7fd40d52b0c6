"""Examples for the sections of R7RS-small, in all ways."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import cogen
from cogen.backends.native import load as native_code
from cogen.convert import from_datum
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from tests.cogen.nativecode.running import agree
from tests.cogen.residualways import native
from tests.cogen.srfi.cases import Cases, answers, dynamic, load, plain

FILES = sorted((Path(__file__).parents[1] / "programs" / "r7rs").glob("*.cases"))
every_chapter = pytest.mark.parametrize(
    "cases", [load(path) for path in FILES], ids=[path.stem for path in FILES]
)


@every_chapter
def test_runs(cases: Cases) -> None:
    stream = io.StringIO()
    Interpreter(cogen.loads(plain(cases, cases.answers)), output=stream).run()
    wrong = [
        (case.line, found, case.expected)
        for case, found in zip(cases.answers, stream.getvalue().splitlines(), strict=True)
        if found != case.expected
    ]
    assert wrong == []


@every_chapter
def test_refusals(cases: Cases) -> None:
    for case in cases.refusals:
        with pytest.raises(CogenError) as caught:
            Interpreter(cogen.loads(f"{cases.head}\n{case.expression}")).run()
        assert f"error: {caught.value.message}" == case.expected


@pytest.mark.one_in(8)
@native
@every_chapter
def test_native_programs(cases: Cases) -> None:
    assert agree(plain(cases, cases.answers), keep=False, stress=False).out == answers(
        cases.answers
    )


@native
def test_with_data_from_outside() -> None:
    """Specialized with nothing known of quoted data and strings."""
    cases = load(next(path for path in FILES if path.stem == "data"))
    text, data = dynamic(cases, cases.answers)
    made = cogen.specialize(cogen.loads(text), "main", *[cogen.dynamic()] * len(data))
    interpreter = Interpreter(made.program.program)
    interpreter.run()
    assert from_datum(interpreter.call(made.program.entry, data)) == answers(cases.answers)
    values = [cogen.datum(write_datum(datum)) for datum in data]
    assert made.to_python()(*values) == answers(cases.answers)
    assert native_code.load(made.program)(*values) == answers(cases.answers)
