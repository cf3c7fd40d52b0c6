"""The Scheme target: what is emitted means the same, and reads well."""

from __future__ import annotations

from hypothesis import given

from cogen.target.scheme import emit
from lang.iltext import check
from lang.load import loads
from tests.randomprograms import RandomProgram, outcome_of, programs


@given(programs())
def test_emitted_program_means_the_same(program: RandomProgram) -> None:
    original = loads(program.text)
    check(original)
    emitted = loads(emit(original))
    check(emitted)
    for arguments in program.arguments:
        expected = outcome_of(original, program.entry, arguments)
        assert outcome_of(emitted, program.entry, arguments) == expected
