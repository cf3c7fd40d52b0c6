"""Keys that are sorted and numbered by kernels: what C and NumPy make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.opencl import launch
from cogen.array.opencl.groupkeys import FIRST_TABLE
from tests.cogen.array.cutting import plain
from tests.cogen.array.targets import Ways

PROGRAM = loads("""
fun {{[int], [int], [{int, bool}]}, [{int, bool}], {[int], [{int, int}]}} main([int] a, int n) =
  let b = map(fn {int, bool} (int x) => {x / 3, x < n}, a) in
  {groupBy(fn int (int x, bool y) => x * 2, b), distinct(b),
   bucketCollect(5, map(op &(3), a), zip(a, map(op *(2), a)))}
""")


def keys(kind: str, size: int) -> Any:
    draw = np.random.default_rng(size)
    many = {"few": draw.integers(-9, 9, size), "all": draw.permutation(size) * 7919}
    return many.get(kind, np.arange(size) << 40)  # the low bits of all are the same


@pytest.mark.one_in(2)
@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("way", ["opencl", "lanes"])
def test_kernels_group_and_number_as_c_does(way: str, bits: int) -> None:
    ways = Ways(PROGRAM, arithmetic=Arithmetic(bits, 64))
    for kind, size in [("few", 0), ("few", 1), ("few", 300), ("all", FIRST_TABLE)]:
        a = keys(kind, size)
        assert plain(ways(way)(a, 5)) == plain(ways("c-1")(a, 5))


def test_keys_whose_low_bits_agree_are_different() -> None:
    program = loads("fun [int] main([int] a) = distinct(a)")
    a = keys("high", 2000)
    assert Ways(program)("opencl")(a).tolist() == a.tolist()


def test_what_is_too_much_for_kernels_is_done_on_the_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ways = Ways(PROGRAM)
    a = keys("few", 100)
    expected = plain(ways("opencl")(a, 5))
    monkeypatch.setattr(launch, "MOST_ITERATIONS", 10)
    assert plain(ways("opencl")(a, 5)) == expected
