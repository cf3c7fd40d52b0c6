"""The extensions of L0 with ints and reals of 32 bits: every target is the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.opencl.device import device
from cogen.array.opencl.deviceprogram import DeviceCode, DeviceProgram
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from cogen.lang.errors import CogenError
from tests.cogen.array.targets import WAYS, Ways, need_device, same

NARROW = Arithmetic(32, 32)
WIDTHS = {"int": "int32", "real": "float32"}

BUCKETS = loads("""
fun int most(int x, int y) = if x < y then y else x
fun int last(int x, int y) = if y = 0 then x else y
fun bool either(bool x, bool y) = x || y
fun {[int], [real], [int], [int], [int], [bool]} main([int] keys, [real] a, [int] b, int n) =
  {bucketReduce(op +, 3, n, keys, b), bucketReduce(op +, 0.5, n, keys, a),
   bucketReduce(op *, 1, n, keys, map(op |(1), b)), bucketReduce(most, -2147483648, n, keys, b),
   bucketReduce(last, 0, n, keys, b), bucketReduce(either, False, n, keys, map(op =(3), b))}
""")
SUMS = {
    "int": "fun [int] main([int] k, [int] a, int n) = bucketReduce(op +, 7, n, k, a)",
    "real": "fun [real] main([int] k, [real] a, int n) = bucketReduce(op +, 0.5, n, k, a)",
}
GROUPS = loads("""
fun {[int], [int], [int]} main([int] a, int m) = groupBy(fn int (int x) => x % m, a)
""")
PAIRS = loads("""
fun [{int, int}] main([int] a, [int] b) = distinct(zip(a, b))
""")
OTHERS = loads("""
fun {[int], [int], [int], [int], [real]} main(*[int] a, [int] is, [int] vs, [real] x) =
  let {offsets, sorted} = bucketCollect(size(0, a), is, vs) in
  let sums = reduceSegments(op +, 0, offsets, sorted) in
  let flat = flatMap(fn [int] (int v) => iota(v & 3), vs) in
  let reals = flatMap(fn [real] (real r) => [r, r * 0.1], x) in
  {distinct(vs), sums, flat, scatter(a, is, vs), reals}
""")


def large(random: np.random.Generator, size: int) -> np.ndarray:
    """Ints of all sizes, so that sums wrap around."""
    return random.integers(-(1 << 31), 1 << 31, size).astype(np.int32)


def halves(random: np.random.Generator, size: int) -> np.ndarray:
    """Reals whose sums are exact."""
    return (random.integers(-99, 99, size) / 2).astype(np.float32)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("way", WAYS)
def test_buckets_wrap_around(way: str) -> None:
    compiled = Ways(BUCKETS, arithmetic=NARROW)(way)
    random = np.random.default_rng(1)
    for size, n in ((0, 0), (0, 3), (9, 40), (601, 7), (1000, 90)):
        keys = random.integers(0, max(n, 1), size).astype(np.int32)
        b = np.where(random.integers(0, 2, size), large(random, size), np.int32(3))
        values = (keys, halves(random, size), b.astype(np.int32), n)
        found = compiled(*values)
        assert same(found, BUCKETS.run(*values, **WIDTHS))
        wanted = 3 + np.bincount(keys, b.astype(np.float64), n)
        assert found[0].tolist() == [NARROW.wrap(int(total)) for total in wanted]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["int", "real"])
def test_a_single_sum(kind: str, way: str) -> None:
    """Its result may be the first thread's table."""
    program = loads(SUMS[kind])
    compiled = Ways(program, arithmetic=NARROW)(way)
    random = np.random.default_rng(2)
    for size, n in ((0, 2), (700, 5), (4000, 900)):
        keys = random.integers(0, n, size).astype(np.int32)
        a = large(random, size) if kind == "int" else halves(random, size)
        assert same(compiled(keys, a, n), program.run(keys, a, n, **WIDTHS))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("a", [Arithmetic(32, 64), Arithmetic(64, 32), NARROW])
def test_items_of_a_group_share_buckets(a: Arithmetic) -> None:
    """As on a GPU."""
    need_device()
    program = loads("""
        fun int most(int x, int y) = if x < y then y else x
        fun {[real], [int], [int], [int]} main([int] keys, [real] a, [int] b, int n) =
          {bucketReduce(op +, 0.5, n, keys, a), bucketReduce(op +, 3, n, keys, b),
           bucketReduce(most, -7, n, keys, b), bucketReduce(op *, 1, n, keys, map(op |(1), b))}
    """)
    native = DeviceProgram(DeviceCode(prepare(program.facts, "main", arithmetic=a)), device())
    native.grouped, native.part = True, 1
    compiled = Compiled(program, "main", "opencl", native, a)
    random = np.random.default_rng(3)
    for size, n in ((0, 3), (5, 2), (3000, 7), (3000, 900)):
        values = (
            random.integers(0, n, size).astype(f"int{a.int_bits}"),
            halves(random, size).astype(f"float{a.real_bits}"),
            large(random, size).astype(f"int{a.int_bits}"),
            n,
        )
        widths = {"int": f"int{a.int_bits}", "real": f"float{a.real_bits}"}
        assert same(compiled(*values), program.run(*values, **widths))


@pytest.mark.parametrize("way", WAYS)
def test_groups(way: str) -> None:
    compiled = Ways(GROUPS, arithmetic=NARROW)(way)
    random = np.random.default_rng(4)
    for size, m in ((0, 3), (1, 1), (500, 7), (500, 1 << 30)):
        a = large(random, size)
        assert same(compiled(a, m), GROUPS.run(a, m, **WIDTHS))


@pytest.mark.parametrize("way", WAYS)
def test_pairs(way: str) -> None:
    compiled = Ways(PAIRS, arithmetic=NARROW)(way)
    random = np.random.default_rng(5)
    for size in (0, 1, 400):
        a = random.choice(large(random, 9), size)
        b = random.choice(large(random, 9), size)
        assert same(compiled(a, b), PAIRS.run(a, b, **WIDTHS))


def test_many_pairs_to_number() -> None:
    """Pairs are numbered in 64 bits, whatever the width of int: none is taken for another."""
    a = np.arange(1 << 16, dtype=np.int32)
    first, second = PAIRS.compile("c", **WIDTHS)(np.concatenate([a, a]), np.concatenate([a, a]))
    assert np.array_equal(first, a)
    assert np.array_equal(second, a)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [0, 1, 300])
def test_others(size: int, way: str) -> None:
    compiled = Ways(OTHERS, arithmetic=NARROW)(way)
    random = np.random.default_rng(6)
    a = large(random, max(size // 2, 1))
    indices = random.integers(0, len(a), size).astype(np.int32)
    values = random.choice(large(random, 20), size)
    reals = random.normal(size=size).astype(np.float32)
    wanted = OTHERS.run(a.copy(), indices, values, reals, **WIDTHS)
    assert same(compiled(a.copy(), indices, values, reals), wanted)


def test_keys_out_of_bounds() -> None:
    program = loads(SUMS["int"])
    keys = np.array([0, -1], np.int32)
    with pytest.raises(CogenError, match="-1"):
        program.run(keys, keys, 2, **WIDTHS)
    compiled = program.compile("c", **WIDTHS)
    with pytest.raises(CogenError, match="-1"):
        compiled(keys, keys, 2)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("way", WAYS)
def test_there_can_be_too_many_buckets_for_their_offsets(way: str, bits: int) -> None:
    """There is one offset more than there are buckets; their number must not wrap around."""
    text = "fun int main(int n, [int] k) = let {o, b} = bucketCollect(n, k, k) in size(o)"
    program = loads(text, "p.l0")
    a = Arithmetic(bits, 64)
    compiled = Ways(program, arithmetic=a)(way)
    keys = np.zeros(1, np.int64)
    for n, shown in ((a.greatest, a.greatest), (a.max_elements, a.max_elements + 1)):
        message = f"p.l0:1:45: error: an array of size {shown} is too large"
        for run in (compiled, lambda n, k: program.run(n, k, int=f"int{bits}")):
            with pytest.raises(CogenError) as caught:
                run(n, keys)
            assert caught.value.render().splitlines()[0] == message
