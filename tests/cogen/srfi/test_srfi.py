"""The cases of each library, which are examples of its SRFI and more: by the interpreter and as
native code; specialized with all known; with their data unknown, as Python and as native code."""

from __future__ import annotations

import io
import shutil
from typing import Any

import pytest

import cogen
from cogen.backends.native import load as native_code
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum
from tests.cogen.nativecode.running import agree
from tests.cogen.residualways import native
from tests.cogen.srfi.cases import ERROR, FILES, Case, Cases, answers, dynamic, load, plain

LIBRARIES = [load(path) for path in FILES]
COMPILER = any(map(shutil.which, ("cc", "gcc", "clang")))
AT_ONCE = 12
"""Cases in one residual program."""

EVERY = 6
"""Which cases are specialized every day with nothing known: these take longest."""

GENERATED = LIBRARIES[::3]
"""Those whose generating extensions are made every day."""

PARTS = [
    pytest.param(cases, part, id=f"{cases.name}:{part[0].line}")
    for cases in LIBRARIES
    for part in (
        cases.answers[start : start + AT_ONCE] for start in range(0, len(cases.answers), AT_ONCE)
    )
]
REFUSALS = [
    pytest.param(cases, case, id=f"{cases.name}:{case.line}")
    for cases in LIBRARIES
    for case in cases.refusals
]
every_library = pytest.mark.parametrize("cases", LIBRARIES, ids=lambda cases: cases.name)


def python_value(datum: Datum) -> Any:
    """What is passed from Python for a datum."""
    return cogen.datum(write_datum(datum))


every_part = pytest.mark.parametrize(("cases", "part"), PARTS)


@every_library
def test_runs(cases: Cases) -> None:
    """All answers of a library in one program; if one is wrong, each alone tells which."""
    if written(cases, cases.answers) != answers(cases.answers):
        for case in cases.answers:
            assert written(cases, [case]) == answers([case]), f"{cases.name}:{case.line}"
        raise AssertionError(f"{cases.name}: alone, each answer is right")


def written(cases: Cases, chosen: list[Case]) -> str:
    """What a program of these cases writes."""
    stream = io.StringIO()
    Interpreter(cogen.loads(plain(cases, chosen)), output=stream).run()
    return stream.getvalue()


@pytest.mark.one_in(8)
@native
@pytest.mark.slow
@every_library
def test_native_programs(cases: Cases) -> None:
    done = agree(plain(cases, cases.answers), keep=False, stress=False)
    assert done.out == answers(cases.answers)


@pytest.mark.one_in(4)
@every_part
def test_all_known(cases: Cases, part: list[Case]) -> None:
    text, data = dynamic(cases, part)
    known = [cogen.static(value) for value in map(python_value, data)]
    made = cogen.specialize(cogen.loads(text), "main", *known)
    assert made.to_python()() == answers(part)


@pytest.mark.one_in(6)
@pytest.mark.slow
@every_part
def test_nothing_known(cases: Cases, part: list[Case], request: pytest.FixtureRequest) -> None:
    """A part of them, all with `--long`; the first part as native code too."""
    long = request.config.getoption("--long")
    chosen = part if long else part[::EVERY]
    text, data = dynamic(cases, chosen)
    made = cogen.specialize(cogen.loads(text), "main", *[cogen.dynamic()] * len(data))
    interpreter = Interpreter(made.program.program)
    interpreter.run()
    assert interpreter.call(made.program.entry, data) == answers(chosen)
    values = [python_value(datum) for datum in data]
    assert made.to_python()(*values) == answers(chosen)
    if part[0] == cases.answers[0] and (long or cases in GENERATED):
        extension = cogen.generate(cogen.loads(text), "main", *[cogen.dynamic()] * len(data))
        assert extension(*[cogen.dynamic()] * len(data)).scheme == made.scheme
    if part[0] == cases.answers[0] and COMPILER:
        assert native_code.load(made.program)(*values) == answers(chosen)


@pytest.mark.parametrize(("cases", "case"), REFUSALS)
def test_refusals_are_told_at_the_call(cases: Cases, case: Case) -> None:
    text = f"{cases.head}\n{case.expression}"
    with pytest.raises(CogenError) as caught:
        Interpreter(cogen.loads(text)).run()
    assert caught.value.message == case.expected.removeprefix(ERROR)
    assert caught.value.span is not None
    assert caught.value.span.source.name == "<string>"


@pytest.mark.one_in(4)
@native
@pytest.mark.slow
@every_library
def test_refusals_of_native_programs(cases: Cases, request: pytest.FixtureRequest) -> None:
    for case in cases.refusals[: 3 if request.config.getoption("--long") else 1]:
        assert agree(f"{cases.head}\n{case.expression}", keep=False, stress=False).status == 1
