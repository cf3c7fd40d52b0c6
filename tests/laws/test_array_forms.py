"""Array programs in the Scheme-like language mean the same in all ways of running them:

source interpreted = residual interpreted = array interpreter = C = OpenCL

for random programs, with random parameters known ahead.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import assume, event, example, given, note, settings
from hypothesis import strategies as st

import cogen
from cogen import binding_times as bt
from cogen.array import loads as loads_array
from cogen.array.l0.show import show
from cogen.convert import from_datum
from cogen.lang.ilcheck import check
from cogen.lang.interp import Interpreter
from tests.cogen.array.targets import Ways, same
from tests.laws.arrayforms import PARAMETERS, arguments, program

SEEDS = st.integers(0, 1 << 30)


def interpreted(text: str, given_values: list[Any], entry: str = "main") -> Any:
    interpreter = Interpreter(cogen.loads(text), 32)
    interpreter.run()
    data = [bt.static(value).value for value in given_values]  # type: ignore[union-attr]
    return from_datum(interpreter.call(entry, data))


def specialized(random: Random, text: str, known: list[Any]) -> tuple[cogen.Residual, list[int]]:
    """A residual program, and which parameters are left."""
    left = [i for i in range(len(PARAMETERS)) if random.random() < 0.6]
    times = [
        cogen.dynamic(PARAMETERS[i][1]) if i in left else cogen.static(known[i])
        for i in range(len(PARAMETERS))
    ]
    try:
        residual = cogen.specialize(
            cogen.loads(text), "main", *times, max_size=3000, max_variants=60
        )
    except cogen.CogenError as error:
        assume("does not seem to end" not in error.message and "more than" not in error.message)
        raise
    return residual, left


def as_lists(value: Any) -> Any:
    """The value with NumPy arrays, tuples and lists all as lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [as_lists(item) for item in value] if isinstance(value, list | tuple) else value


def check_law(seed: int, targets: tuple[str, ...]) -> None:
    random = Random(seed)
    text = program(random)
    note(text)
    known = arguments(random)
    residual, left = specialized(random, text, known)
    note(residual.scheme)
    check(residual.program.program)
    try:
        array = residual.to_array()
    except cogen.CogenError as error:
        assume("the type of an empty array" not in error.message)  # one that is known ahead
        raise
    note(array.text)
    assert show(loads_array(array.text).facts.program) == array.text
    event(f"{len(left)} dynamic")
    ways = Ways(array)
    for _ in range(2):
        row = arguments(random)
        whole = [row[i] if i in left else known[i] for i in range(len(known))]
        dynamic = [row[i] for i in left]
        expected = interpreted(text, whole)
        assert interpreted(residual.scheme, dynamic) == expected
        lists = as_lists(dynamic)
        found = array.run(*lists)
        assert as_lists(found) == as_lists(expected)
        for target in targets:
            assert same(ways(target)(*lists), found)


@given(seed=SEEDS)
@settings(max_examples=settings().max_examples // 2)
@example(seed=4983)
def test_residual_and_array_programs_mean_the_same(seed: int) -> None:
    check_law(seed, ())


@given(seed=SEEDS)
@settings(max_examples=settings().max_examples // 5)
def test_c_means_the_same(seed: int) -> None:
    check_law(seed, ("c-1", "c-2"))


@given(seed=SEEDS)
@settings(max_examples=max(1, settings().max_examples // 10))
def test_opencl_means_the_same(seed: int) -> None:
    check_law(seed, ("opencl",))
