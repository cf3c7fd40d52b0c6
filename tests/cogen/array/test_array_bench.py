"""The opponents of `cogen bench array` compute the same."""

from __future__ import annotations

import pytest

import cogen
from cogen.bench.array import PROGRAM, all_ways, wrong_ways
from cogen.bench.arraycases import CASES, ArrayCase

pytestmark = pytest.mark.usefixtures("full_optimisation")


@pytest.mark.one_in(30)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_all_ways_agree(case: ArrayCase) -> None:
    arguments = case.arguments(min(case.size, 50))
    ways = all_ways(cogen.array.load(PROGRAM), case, arguments, 2)
    for name in ("numba", "jax"):  # they compile for seconds, and need not be installed
        ways = {n: way for n, way in ways.items() if n != name}
    assert {"hand", "c", "numpy"} <= set(ways)
    assert wrong_ways(ways) == []
