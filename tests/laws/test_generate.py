"""generate(p, division)(static data) = specialize(p, static data), for random programs.

Equal are the residual IL with the places of its operations, and the texts with their comments; or
the diagnostics.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
import cogen.specializer.versions.limits
from cogen import binding_times as bt
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.lang.ilutil import all_blocks
from cogen.lang.load import loads
from tests.choices import Choices, Drawn, Seeded
from tests.laws.test_specializer import division_of, slow
from tests.randomprograms import RandomProgram, programs, random_program

LIMITS = {"max_variants": 60, "max_size": 4000, "max_unfoldings": 4000}


def later(time: bt.BT) -> bt.BT:
    """The binding time with its values left for later."""
    if isinstance(time, bt.Static):
        return bt.Later()
    return bt.Cons(later(time.car), later(time.cdr)) if isinstance(time, bt.Cons) else time


def places(program: il.Program) -> list[str]:
    """The places of a program's procedures, operations, joins and calls, in order."""
    found = [str(item.function.span) for item in program.items if isinstance(item, il.Define)]
    for block in all_blocks(program):
        for binding in block.bindings:
            if isinstance(binding, il.Conts):
                found += [f"{cont.label}: {cont.span}" for cont in binding.conts]
            elif isinstance(binding, il.Fix):
                found += [f"{f.label}: {f.span}" for f in binding.functions]
            else:
                found.append(str(binding.span))
        if not isinstance(block.tail, il.Jump):
            found.append(str(block.tail.span))
    return found


def outcome(make: Callable[..., cogen.Residual], *arguments: Any, **options: Any) -> list[str]:
    """The residual program, its places and texts, or the diagnostic."""
    try:
        made = make(*arguments, **options)
    except CogenError as error:
        return [error.message if "does not seem to end" in error.message else str(error)]
    return [made.il, *places(made.program.program), made.scheme, made.python]


def check_law(program: RandomProgram, choices: Choices, **options: object) -> None:
    division = division_of(choices, program)
    source = loads(program.text)
    expected = outcome(cogen.specialize, source, program.entry, *division, **options)
    extension = cogen.generate(source, program.entry, *map(later, division), **options)
    for _ in range(2):  # the second time with what the first has learned of shapes
        assert outcome(extension, *division) == expected


@slow
@given(st.data(), programs())
def test_generating_extensions_specialize(data: st.DataObject, program: RandomProgram) -> None:
    check_law(program, Drawn(data.draw), **LIMITS)


@slow
@given(st.data(), programs(control=False, errors=False))
def test_generating_extensions_generalize(data: st.DataObject, program: RandomProgram) -> None:
    check_law(program, Drawn(data.draw), generalize=True, **LIMITS)


@pytest.mark.parametrize("generalize", [False, True])
def test_texts_of_larger_programs_are_equal(generalize: bool) -> None:
    for seed in range(6):
        choices = Seeded(seed)
        check_law(random_program(choices, 150), choices, generalize=generalize, **LIMITS)


def test_a_string_that_is_made_ahead_stands_where_it_is_used() -> None:
    """Also one of one character, which Python has once and a compiled constant never."""
    program = loads("""
(define (main x)
  (do ((i 0 (+ i 1))
       (a x (string (if (= 0 (string-length a)) #\\e (string-ref a 0)))))
      ((>= i 2) a)))
""")
    residual = cogen.specialize(program, "main", bt.Dynamic())
    assert cogen.generate(program, "main", bt.Dynamic())().scheme == residual.scheme
    assert "constant" not in residual.scheme
    assert residual.to_python()("") == "e"


def test_the_clock_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine reports that time is over; it makes no other program."""
    program = loads("""
(define (collect n x found)
  (if (= n x) (length found) (collect (+ n 1) x (cons n found))))
(define (main n x)
  (if (= n 0) (collect 0 x '()) (main (- n 1) (+ (* x x) n))))
""")
    bts = cogen.static(600), cogen.dynamic("int")

    def text(max_time: float | None) -> str:
        return cogen.specialize(
            program, "main", *bts, generalize=True, max_variants=40, max_time=max_time
        ).scheme

    expected = text(None)
    clock = count(step=0.01)
    monkeypatch.setattr(cogen.specializer.versions.limits.time, "perf_counter", lambda: next(clock))
    found = set()
    for limit in (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 100.0):
        try:
            found.add(text(limit))
        except CogenError as error:
            found.add("over" if "second" in error.message else error.message)
    assert found == {"over", expected}
