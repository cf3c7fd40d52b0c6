"""The law of the back ends: interpreter = C (one thread, two) = OpenCL, on random programs."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from cogen.array import loads
from cogen.array.optimisations import NAMES, Options
from tests.cogen.array.randomarrays import arguments, program
from tests.cogen.array.targets import Ways, same

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
    for _ in range(3):
        given_values = arguments(random)
        assert same(ways("opencl")(*given_values), source.run(*given_values))


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
