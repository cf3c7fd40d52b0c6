"""Procedures compiled while a specialization runs: what comes out is what the machine gives."""

from __future__ import annotations

from collections import Counter

import pytest

import cogen
from cogen import binding_times
from cogen.backends.scheme.scheme import emit
from cogen.generating import compiling as module
from cogen.generating.compiling import compiling
from cogen.generating.leave_compiled_code import Leave
from cogen.generating.machine import CompiledCalls
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.specializer.analyses.analyses import analyses_of
from cogen.specializer.specialize import specialize
from tests.corpus.cases import Case, interpreter

CASES = (
    "basic/collatz",  # plain
    "closures-pair/made",  # code in boxes, which open
    "lambda-value/church",  # procedures of the interpreter
    "two-continuations/loop",  # no call waits for a result
    "objects-tagged/employees",  # calls with the same static arguments are shared
    "vector-vm/squares",  # each step assigns
)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MANY_CALLS", 0)


def case_of(name: str) -> Case:
    owner, _, one = name.partition("/")
    return next(case for case in interpreter(owner).cases if case.name == one)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", CASES)
def test_compiled_procedures_leave_what_the_machine_leaves(name: str) -> None:
    case = case_of(name)
    program, entry = case.interpreter.loaded, case.interpreter.entry
    residual = specialize(program, entry, case.times)
    for _ in range(2):  # compiled on the way, and from the beginning
        made = specialize(program, entry, case.times, make=compiling)
        assert emit(made.program) == emit(residual.program)


def test_a_compiler_runs_programs_with_advice_as_code(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of("closures-pair/made")
    program, entry = case.interpreter.loaded, case.interpreter.entry
    division = [
        binding_times.Later() if isinstance(bt, binding_times.Static) else bt for bt in case.times
    ]
    compiler = cogen.generate(program, entry, *division)
    own = {f for item in compiler.load().program.items if (f := _function(item)) is not None}
    carried: Counter[bool] = Counter()
    carry_out = CompiledCalls._carry_out

    def counting(self: CompiledCalls, code, path, closure, arguments):  # type: ignore[no-untyped-def]
        carried[closure.function in own] += 1
        return carry_out(self, code, path, closure, arguments)

    monkeypatch.setattr(CompiledCalls, "_carry_out", counting)
    made = compiler(*case.times)
    assert made.scheme == cogen.specialize(program, entry, *case.times).scheme
    assert carried[True]
    assert carried[False]  # of a program with advice


def _function(item: il.Item) -> il.Function | None:
    return item.function if isinstance(item, il.Define) else None


def test_calls_that_recur_with_other_data_are_not_left(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[Leave] = []
    init = Leave.__init__

    def noted(self: Leave) -> None:
        left.append(self)
        init(self)

    case = case_of("two-continuations/loop")
    program, entry = case.interpreter.loaded, case.interpreter.entry
    specialize(program, entry, case.times, make=compiling)
    monkeypatch.setattr(Leave, "__init__", noted)
    found = specialize(program, entry, case.times, make=compiling)
    assert 20 * len(left) < found.statistics["calls unfolded"]


def test_code_that_is_mostly_left_is_not_run() -> None:
    case = case_of("vector-vm/squares")
    program = case.interpreter.loaded
    specialize(program, case.interpreter.entry, case.times, make=compiling)
    gain = {f.label or f.name: number for f, number in analyses_of(program).gain.items()}
    assert min(gain.values()) < 0 < max(gain.values())


def test_an_error_is_told_as_the_machine_tells_it() -> None:
    program = cogen.loads("(define (f n) (if (= n 0) (car 5) (f (- n 1)))) (define (g x) (f 9))")
    told: list[str] = []
    for make in (None, compiling):
        with pytest.raises(CogenError) as failure:
            specialize(program, "g", [cogen.dynamic()], make=make)
        told.append(str(failure.value))
    assert told[0] == told[1]
