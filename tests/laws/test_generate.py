"""generate(p, division)(static data) = specialize(p, static data), for random programs."""

from __future__ import annotations

from hypothesis import assume, event, given, note
from hypothesis import strategies as st

import cogen
from cogen import bt
from lang.errors import CogenError
from lang.load import loads
from tests.laws.test_specializer import divisions, slow
from tests.randomprograms import RandomProgram, programs

LIMITS = {"max_variants": 60, "max_size": 4000, "max_unfoldings": 4000, "max_time": 10.0}


def later(time: bt.BT) -> bt.BT:
    """The binding time with its values left for later."""
    if isinstance(time, bt.Static):
        return bt.Later()
    return bt.Cons(later(time.car), later(time.cdr)) if isinstance(time, bt.Cons) else time


def outcome(make: object, *arguments: object, **options: object) -> tuple[str, str]:
    """The residual program's IL, or the diagnostic."""
    try:
        return "residual", make(*arguments, **options).il  # type: ignore[operator]
    except CogenError as error:
        return "error", error.message if "does not seem to end" in error.message else str(error)


def check_law(program: RandomProgram, division: list[bt.BT], **options: object) -> None:
    source = loads(program.text)
    expected = outcome(cogen.specialize, source, program.entry, *division, **options)
    assume("max-time" not in expected[1])
    event(expected[0])
    extension = cogen.generate(source, program.entry, *map(later, division), **options)
    note(extension.text)
    for _ in range(2):  # the second time with what the first has learned of shapes
        assert outcome(extension, *division) == expected


@slow
@given(st.data(), programs())
def test_generating_extensions_specialize(data: st.DataObject, program: RandomProgram) -> None:
    check_law(program, data.draw(divisions(program)), **LIMITS)


@slow
@given(st.data(), programs(control=False, errors=False))
def test_generating_extensions_generalize(data: st.DataObject, program: RandomProgram) -> None:
    check_law(program, data.draw(divisions(program)), generalize=True, **LIMITS)
