"""What a specialization has made goes when it is over: hardly anything of it leads to itself, so
that the garbage collector has nothing to do."""

from __future__ import annotations

import gc

import pytest

from cogen.specializer.specialize import specialize
from tests.corpus.cases import interpreter

FEW = 300
"""Objects of a residual program's graph that its passes leave."""


def left_over(name: str, case: str) -> int:
    """How many objects a specialization leaves to the collector."""
    found = interpreter(name)
    [chosen] = [one for one in found.cases if one.name == case]
    program, times = found.loaded, chosen.times
    specialize(program, found.entry, times)  # which finds out about the program
    gc.collect()
    gc.disable()
    try:
        residual = specialize(program, found.entry, times)
        left = gc.collect()
        assert residual.program.items
        return left
    finally:
        gc.enable()


@pytest.mark.sources
@pytest.mark.parametrize(
    ("name", "case"), [("cek", "fib"), ("stack-vm", "factorial"), ("scheme-alist", "lists")]
)
def test_a_specialization_leaves_nothing_that_leads_to_itself(name: str, case: str) -> None:
    """... nor does one that has taken several attempts."""
    assert left_over(name, case) < FEW
