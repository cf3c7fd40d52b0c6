"""Machines go back to points that they keep in vectors among data of the run."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cogen
from cogen import binding_times
from cogen.binding_times import parse_bt
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.reader import read_datum
from cogen.residual import ResidualProgram
from cogen.specializer.advice.advisedprogram import RETURNS
from cogen.specializer.analyses.analyses import analyses_of
from cogen.specializer.attempts import SpecializationAttempt, begun, usual_specializer
from cogen.specializer.beginning_again import carried_through
from cogen.specializer.versions.effort import TooMuch, usual_effort, usual_size
from cogen.specializer.versions.options import SpecializerOptions
from tests.corpus.cases import interpreter

STEPS = 100_000


def gone_back(machine: str, program: Datum) -> ResidualProgram | None:
    """What is left of a program when a machine's points are asked for; None if it goes back to
    what is not known to be one."""
    source = interpreter(machine).loaded
    times = [binding_times.Static(program), parse_bt("(dynamic int)")]
    known = analyses_of(source)
    step = next(step for step in known.advice("start", times) if step.of == RETURNS)
    effort = usual_effort(usual_size(source, times))
    attempt = SpecializationAttempt(step.program, SpecializerOptions(), known.advised(step), effort)
    begin = partial(begun, attempt, usual_specializer, 50, effort, is_patient=False, hurries=False)
    try:
        return carried_through(begin, "start", times)[1]
    except TooMuch:
        return None


def outcome(program: object, *arguments: Datum) -> str | None:
    """What a run gives, or the error that it ends with; None if it takes too long."""
    machine = Interpreter(program, max_steps=STEPS)  # type: ignore[arg-type]
    machine.run()
    try:
        return repr(machine.call("start", list(arguments)))
    except CogenError as error:
        text = str(error).splitlines()[0].partition("error: ")[2]
        return None if "steps" in text else text


instructions = st.sampled_from(
    [
        *("(push 1)", "(push 3)", "(pick 0)", "(pick 1)", "(pick 2)", "(drop)", "(swap)"),
        *("(add)", "(sub)", "(call f)", "(call g)", "(jz end)", "(ret 0)", "(ret 1)"),
    ]
)
"""Of a machine with one stack: nothing keeps a program from computing with what it goes back to."""


@given(st.lists(instructions, max_size=5), st.lists(instructions, max_size=5), st.integers(0, 2))
def test_whatever_a_program_does_with_its_stack_the_residual_program_does(
    f: list[str], g: list[str], taken: int
) -> None:
    """Where it is not shown that it goes back to where it was called, nothing is left out."""
    down = "(pick 1) (jz end) (pick 1) (push 1) (sub)"
    text = f"""((call f) (halt) f {down} {" ".join(f)} (ret {taken})
               g {" ".join(g)} (ret 1) end (push 7) (ret 1))"""
    program = read_datum(text)
    found = gone_back("vector-vm", program)
    assume(found is not None)
    assert found is not None
    source = interpreter("vector-vm").loaded
    for n in (0, 1, 3):
        wanted = outcome(source, program, n)
        if wanted is not None:
            assert outcome(found.program, n) == wanted


@pytest.mark.parametrize(
    "body",
    [
        "(push 1) (add) (push 5) (ret 0)",  # to the instruction after the next
        "(push 3) (push 9) (ret 0)",  # a point, but not the one that it was called from
        "(swap) (push 9) (swap) (ret 0)",  # the result is where to go on
    ],
)
def test_computed_addresses_are_no_points(body: str) -> None:
    """A program that computes where to go on is what it was."""
    program = read_datum(f"((call f) (halt) (halt) (push 1) (add) (halt) f {body})")
    found = gone_back("vector-vm", program)
    source = interpreter("vector-vm").loaded
    whole = cogen.specialize(
        source, "start", binding_times.Static(program), parse_bt("(dynamic int)")
    )
    for n in (2, 4):
        wanted = outcome(source, program, n)
        assert outcome(whole.program.program, n) == wanted
        assert found is None or outcome(found.program, n) == wanted


def test_a_machine_goes_back_to_where_it_was_called_and_nowhere_else() -> None:
    """There is an arm for each place that a procedure is called from, none for what is no place."""
    for machine in ("vector-vm", "frame-vm", "two-stacks-vm"):
        case = next(case for case in interpreter(machine).cases if case.name == "fib")
        found = gone_back(machine, case.program)
        assert found is not None
        shown = cogen.specialize(case.interpreter.loaded, "start", *case.times).scheme
        assert shown.count("eqv?") == 2  # of three places
        assert "no such place" not in shown


OVERFLOWING = "((call f) (halt) f (pick 1) (call f) (ret 1))"


def test_the_stack_is_as_large_as_it_was() -> None:
    """What is pushed beyond it is the same error."""
    program = read_datum(OVERFLOWING)
    found = gone_back("vector-vm", program)
    assert found is not None
    wanted = outcome(interpreter("vector-vm").loaded, program, 1)
    assert outcome(found.program, 1) == wanted == "vector-set!: index 1000 is not in 0 to 999"
