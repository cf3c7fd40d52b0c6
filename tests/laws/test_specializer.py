"""run(specialize(p, static), dynamic) = run(p, (static, dynamic)), for random programs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, note, settings
from hypothesis import strategies as st

from cogen import binding_times as bt
from cogen.backends.scheme import scheme
from cogen.lang.datum import Datum, Pair
from cogen.lang.errors import CogenError
from cogen.lang.ilcheck import check
from cogen.lang.load import loads
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions
from tests.choices import Choices, Drawn
from tests.randomprograms import RandomProgram, outcome_of, programs

pytestmark = pytest.mark.quick

LIMITS = SpecializerOptions(max_variants=60, max_size=4000, max_unfoldings=4000)
GENERALIZING = SpecializerOptions(
    generalize=True, max_variants=60, max_size=4000, max_unfoldings=4000
)


@st.composite
def divisions(draw: st.DrawFn, program: RandomProgram) -> list[bt.BT]:
    """A binding time for each parameter; static ones are those of the first row of arguments."""
    return division_of(Drawn(draw), program)


def division_of(choices: Choices, program: RandomProgram) -> list[bt.BT]:
    """The division of such choices."""
    result: list[bt.BT] = []
    for kind, value in zip(program.types, program.arguments[0], strict=True):
        ways = ["dynamic", "dynamic", "static"]
        if kind in ("int", "bool"):
            ways.append("typed")
        if kind == "int":
            ways.append("cyclic")
        if kind == "pair":
            ways.append("pair")
        way = choices.pick(ways)
        if way == "static":
            result.append(bt.Static(value))
        elif way == "typed":
            result.append(bt.Dynamic(kind))
        elif way == "cyclic":
            base = choices.integer(1, 6)
            result.append(bt.Cyclic(base, value % base))
        elif way == "pair":
            result.append(bt.Cons(bt.Dynamic("int"), bt.Static(value.cdr)))
        else:
            result.append(bt.Dynamic())
    return result


def split(
    division: list[bt.BT], first: tuple[Datum, ...], row: tuple[Datum, ...]
) -> tuple[tuple[Datum, ...], tuple[Datum, ...]] | None:
    """The row with the static parts of the first one, and its dynamic leaves; None if a cyclic
    parameter does not fit."""
    whole: list[Any] = []
    leaves: list[Any] = []
    for time, known, value in zip(division, first, row, strict=True):
        if isinstance(time, bt.Static):
            whole.append(known)
            continue
        if isinstance(time, bt.Cyclic) and value % time.base != time.rem:
            return None
        if isinstance(time, bt.Cons):
            whole.append(Pair(value.car, known.cdr))
            leaves.append(value.car)
            continue
        whole.append(value)
        leaves.append(value)
    return tuple(whole), tuple(leaves)


def check_law(program: RandomProgram, division: list[bt.BT], options: SpecializerOptions) -> None:
    """The law on one program and division, for the residual program and for its text."""
    source = loads(program.text)
    rows = [split(division, program.arguments[0], row) for row in program.arguments]
    failure = None
    try:
        residual = specialize(source, program.entry, division, options)
    except CogenError as error:
        failure = error.message
    if failure is not None:
        assume("does not seem to end" not in failure and "only a run can do" not in failure)
        event("certain failure")
        expected = [outcome_of(source, program.entry, row[0]) for row in rows if row is not None]
        assert {outcome.error for outcome in expected} <= {failure}
        return
    check(residual.program)
    text = scheme.emit(residual.program)
    note(text)
    again = loads(text, "residual.scm")
    event("specialized")
    for row in rows:
        if row is None:
            continue
        wanted = outcome_of(source, program.entry, row[0])
        note(f"{row}: {wanted}")
        if wanted.error is not None and "does not fit in 64 bits" in wanted.error:
            continue  # an unused operation that overflows may be dropped
        assert outcome_of(residual.program, program.entry, row[1]) == wanted
        assert outcome_of(again, program.entry, row[1]) == wanted


slow = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None
)


@slow
@given(st.data(), programs(control=False, errors=False))
def test_residual_programs_mean_the_same(data: st.DataObject, program: RandomProgram) -> None:
    check_law(program, data.draw(divisions(program)), LIMITS)


@slow
@given(st.data(), programs())
def test_residual_programs_fail_and_escape_alike(
    data: st.DataObject, program: RandomProgram
) -> None:
    # an unused operation that overflows may be dropped, and with it what a guard makes of it
    assume(not ("guard" in program.text and str(1 << 62) in program.text))
    check_law(program, data.draw(divisions(program)), LIMITS)


@slow
@given(st.data(), programs(control=False, errors=False))
def test_generalizing_changes_no_meaning(data: st.DataObject, program: RandomProgram) -> None:
    check_law(program, data.draw(divisions(program)), GENERALIZING)
