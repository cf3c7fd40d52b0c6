"""Laws of the array graph: every road from a program of L0 to its result gives the same.

    interpreter = interpreter of graphs on the lowered graph, with any optimisation left out, with
    any number of steps, = the schedule executed with updates in place = compiled C

Of several errors another may be reported.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cogen.array import Program, loads
from cogen.array.ir.evaluate import Counts, evaluate
from cogen.array.ir.graphtypes import REAL
from cogen.array.ir.marshal import LeafValue
from cogen.array.ir.node import Module
from cogen.array.ir.operations import TABLE
from cogen.array.optimise.optimisations import NAMES, Options
from cogen.array.optimise.optimise import optimise
from cogen.array.schedule.showschedule import show
from cogen.lang.errors import CogenError, InternalError
from tests.cogen.array.comparing import (
    Run,
    by_evaluation,
    by_schedule,
    module_outcome,
    outcome,
    same,
)
from tests.cogen.array.randomprograms import programs

NOTHING = Options(frozenset(NAMES))

RUNS = pytest.mark.parametrize("run", [by_evaluation, by_schedule])


def optimised(program: Program, options: Options) -> Module:
    return optimise(program.facts, "main", options, verify=True)[1]


def loaded(text: str) -> Program:
    """The program of a text; rows of an array literal that visibly differ are left out."""
    try:
        return loads(text)
    except CogenError as error:
        assume("not regular" not in error.message)
        raise


def expected(case: tuple[str, str]) -> tuple[Program, str]:
    """The program, and its outcome."""
    program = loaded(case[0])
    return program, outcome(program, "main", case[1])


@RUNS
@given(case=programs())
def test_lowering_keeps_the_meaning(run: Run, case: tuple[str, str]) -> None:
    program, wanted = expected(case)
    assert same(module_outcome(optimised(program, NOTHING), case[1], run), wanted)


@RUNS
@given(case=programs())
def test_optimising_keeps_the_meaning(run: Run, case: tuple[str, str]) -> None:
    program, wanted = expected(case)
    assert same(module_outcome(optimised(program, Options()), case[1], run), wanted)


@given(case=programs(), off=st.sets(st.sampled_from(NAMES)))
def test_any_optimisation_may_be_switched_off(case: tuple[str, str], off: set[str]) -> None:
    program, wanted = expected(case)
    module = optimised(program, Options(frozenset(off)))
    assert same(module_outcome(module, case[1], by_schedule), wanted)


@given(case=programs(), limit=st.integers(0, 200))
def test_any_number_of_steps_keeps_the_meaning(case: tuple[str, str], limit: int) -> None:
    program, wanted = expected(case)
    module = optimised(program, Options(limit=limit))
    assert same(module_outcome(module, case[1], by_schedule), wanted)


@settings(max_examples=max(6, settings().max_examples // 10))
@given(case=programs())
def test_c_keeps_the_meaning(case: tuple[str, str]) -> None:
    program, wanted = expected(case)
    compiled = program.compile("c")
    try:
        found = compiled.run_text(case[1], trace=lambda shown: None)
    except InternalError:
        raise
    except CogenError as error:
        found = error.render().splitlines()[0]
    assert same(found, wanted)


@given(case=programs())
def test_rewriting_computes_nothing_more(case: tuple[str, str]) -> None:
    program, wanted = expected(case)
    assume(": error: " not in wanted)
    before = operations(optimised(program, NOTHING), case[1])
    after = operations(optimised(program, Options(frozenset({"fuse"}))), case[1])
    for name in COUNTED:
        assert after[name] <= before[name]


def operations(module: Module, values: str) -> Counter[str]:
    """How often each scalar operation is executed."""
    counts = Counts()

    def run(module: Module, leaves: list[LeafValue], sizes: list[int]) -> list[LeafValue]:
        return evaluate(module, leaves, sizes, lambda layout, value: None, counts)

    module_outcome(module, values, run)
    return counts.operations


COUNTED = [name for name, row in TABLE.items() if row.result == REAL or row.cost > 1]
"""The operations that no check and no rule makes."""


@given(case=programs())
def test_graphs_are_made_alike_each_time(case: tuple[str, str]) -> None:
    program = loaded(case[0])
    assert show(program.graph()) == show(program.graph())
