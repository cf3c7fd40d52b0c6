"""Interpreted = native, with and without a collector that runs all the time, on random programs
of the whole language: output, result, message and place of an error, exit status."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from cogen.api import loads
from cogen.lang.errors import CogenError
from tests.cogen.nativecode.running import agree
from tests.randomprograms import RandomProgram, programs


@settings(
    max_examples=max(4, settings.default.max_examples // 10 if settings.default else 4),
    suppress_health_check=list(HealthCheck),
)
@given(programs(size=60))
def test_random_programs(program: RandomProgram) -> None:
    try:
        loads(program.text)
    except CogenError:
        return  # a mistake that is found when the program is loaded
    agree(program.text, program.entry, program.arguments[0], keep=False)
