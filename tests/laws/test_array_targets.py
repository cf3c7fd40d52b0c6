"""The law of the back ends: interpreter = C (one thread, two) = OpenCL, on random programs."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cogen.array import loads
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.optimise.optimisations import NAMES, Options
from cogen.lang.errors import CogenError
from tests.cogen.array.randomarrays import arguments, program
from tests.cogen.array.targets import WAYS, Ways, same

SEEDS = st.integers(0, 1 << 30)


@given(seed=SEEDS)
@settings(max_examples=settings().max_examples // 2)
def test_c_is_the_interpreter(seed: int) -> None:
    random = Random(seed)
    source = loads(program(random))
    ways = Ways(source)
    for _ in range(4):
        given_values = arguments(random)
        expected = source.run(*given_values)
        for way in ("c-1", "c-2"):
            assert same(ways(way)(*given_values), expected)


@given(seed=SEEDS)
@settings(max_examples=settings().max_examples // 5)
def test_opencl_is_the_interpreter(seed: int) -> None:
    random = Random(seed)
    source = loads(program(random))
    ways = Ways(source)
    for large in (0, 0, 50):
        given_values = arguments(random, large)
        expected = source.run(*given_values)
        for way in ("opencl", "lanes"):
            assert same(ways(way)(*given_values), expected)


NARROW = st.sampled_from([Arithmetic(32, 64), Arithmetic(64, 32), Arithmetic(32, 32)])


@given(seed=SEEDS, a=NARROW, way=st.sampled_from(WAYS))
@settings(max_examples=settings().max_examples // 2)
def test_targets_are_the_interpreter_with_32_bits(seed: int, a: Arithmetic, way: str) -> None:
    random = Random(seed)
    source = loads(program(random))
    compiled = Ways(source, arithmetic=a)(way)
    for large in (0, 0, 60):
        k, *given_values = arguments(random, large=large)
        k = random.choice([k, a.greatest - abs(k), a.least + abs(k)]) if a.int_bits == 32 else k
        widths = {"int": f"int{a.int_bits}", "real": f"float{a.real_bits}"}
        expected = outcome(source.run, k, *given_values, **widths)
        assert same(outcome(compiled, k, *given_values), expected)


def outcome(run: Callable[..., Any], *values: Any, **options: Any) -> Any:
    """What is computed; which of several checks fails is not told."""
    try:
        return run(*values, **options)
    except CogenError:
        return "an error"


@given(seed=SEEDS, off=st.none() | st.sampled_from(sorted(NAMES)))
@settings(max_examples=settings().max_examples // 5)
def test_optimisations_change_nothing(seed: int, off: str | None) -> None:
    """With one of them off, or all."""
    random = Random(seed)
    source = loads(program(random, expressions=2))
    compiled = Ways(source)("c-plain")
    if off is not None:
        compiled = source.compile(options=Options(off=frozenset([off])))
    given_values = arguments(random, large=300)
    assert same(compiled(*given_values), source.run(*given_values))
