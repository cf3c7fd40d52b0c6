"""The extensions of L0 against plain Python, on every target; their words and mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.opencl.device import device
from cogen.array.opencl.deviceprogram import DeviceCode, DeviceProgram
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from cogen.lang.errors import CogenError
from tests.cogen.array.targets import WAYS, Ways, need_device

BUCKETS = loads("""
fun int most(int x, int y) = if x < y then y else x
fun int last(int x, int y) = if y = 0 then x else y
fun bool either(bool x, bool y) = x || y
fun {[real], [int], [int], [bool], [int], [int]} main([int] keys, [real] a, int n) =
  let b = map(trunc, a) in
  {bucketReduce(op +, 0.5, n, keys, a), bucketReduce(op +, 3, n, keys, map(op &(1), b)),
   bucketReduce(most, -7, n, keys, b), bucketReduce(either, False, n, keys, map(op =(3), b)),
   bucketReduce(last, 0, n, keys, b), bucketReduce(op *, 1, n, keys, map(op |(1), b))}
""")


def folded(keys: Any, values: Sequence[Any], n: int, start: Any, operator: Any) -> list[Any]:
    found = [start] * n
    for k, value in zip(keys.tolist(), values, strict=True):
        found[k] = operator(found[k], value)
    return found


def expected_buckets(keys: Any, a: Any, n: int) -> list[list[Any]]:
    b = [int(x) for x in a]
    wrap = 1 << 64

    def times(x: int, y: int) -> int:
        found = x * y % wrap
        return found - wrap if found >= wrap >> 1 else found

    return [
        folded(keys, a.tolist(), n, 0.5, lambda x, y: x + y),
        folded(keys, [x & 1 for x in b], n, 3, lambda x, y: x + y),
        folded(keys, b, n, -7, max),
        folded(keys, [x == 3 for x in b], n, False, lambda x, y: x or y),
        folded(keys, b, n, 0, lambda x, y: y or x),
        folded(keys, [x | 1 for x in b], n, 1, times),
    ]


@pytest.fixture(scope="module")
def ways() -> Ways:
    return Ways(BUCKETS)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("keys", ["random", "alike", "sorted"])
def test_buckets_are_those_of_python(ways: Ways, way: str, keys: str) -> None:
    """Few buckets and many elements, so that tables are used in turn, and the other way round."""
    compiled = ways(way)
    random = np.random.default_rng(1)
    for size, n in ((0, 0), (0, 3), (1, 1), (9, 40), (600, 1), (601, 7), (1000, 90), (50, 9)):
        k = random.integers(0, max(n, 1), size)
        k = {"random": k, "alike": k * 0, "sorted": np.sort(k)}[keys]
        a = random.integers(-9, 9, size).astype(float)
        for found, wanted in zip(compiled(k, a, n), expected_buckets(k, a, n), strict=True):
            assert found.tolist() == wanted


def test_items_of_a_group_share_buckets() -> None:
    """As on a GPU; the first group alone starts with the initial values."""
    need_device()
    program = loads("""
        fun int most(int x, int y) = if x < y then y else x
        fun {[real], [int], [int]} main([int] keys, [real] a, int n) =
          {bucketReduce(op +, 0.5, n, keys, a),
           bucketReduce(op +, 3, n, keys, map(op &(1), map(trunc, a))),
           bucketReduce(most, -7, n, keys, map(trunc, a))}
    """)
    native = DeviceProgram(DeviceCode(prepare(program.facts, "main")), device())
    native.grouped, native.part = True, 1
    compiled = Compiled(program, "main", "opencl", native)
    random = np.random.default_rng(2)
    for size, n in ((0, 3), (5, 2), (3000, 7), (3000, 900)):
        k, a = random.integers(0, n, size), random.integers(-9, 9, size).astype(float)
        for found, wanted in zip(compiled(k, a, n), expected_buckets(k, a, n), strict=False):
            assert found.tolist() == wanted
    with pytest.raises(CogenError, match="the key 900 is out of bounds of 900 buckets"):
        compiled(np.full(2000, 900), np.zeros(2000), 900)


GROUPS = loads("""
fun {[int], [int], [real], [real]} main([int] keys, [real] a) =
  let {k, o, b} = groupBy(fn int ({int, real} x) => let {k, v} = x in k, zip(keys, a)) in
  let {c, d} = unzip(b) in
  {k, o, d, reduceSegments(op +, 0.0, o, map(op *(2.0), d))}
""")


@pytest.mark.parametrize("way", WAYS)
def test_groups_are_those_of_python(way: str) -> None:
    compiled = Ways(GROUPS)(way)
    random = np.random.default_rng(3)
    for size, most in ((0, 1), (1, 1), (40, 3), (700, 500), (300, 1 << 62)):
        keys = random.integers(-most, most, size)
        a = random.integers(-9, 9, size).astype(float)
        groups: dict[int, list[float]] = {}
        for k, x in zip(keys.tolist(), a.tolist(), strict=True):
            groups.setdefault(k, []).append(x)
        found = [array.tolist() for array in compiled(keys, a)]
        assert found[0] == list(groups)
        assert found[1] == np.cumsum([0, *map(len, groups.values())]).tolist()
        assert found[2] == [x for members in groups.values() for x in members]
        assert found[3] == [2.0 * sum(members) for members in groups.values()]


OTHERS = loads("""
fun {[{int, bool, char}], [int], [[int]]} main([int] a, [bool] b, [char] c, *[[int]] m, [int] is) =
  let d = distinct(zip(a, b, c)) in
  let f = flatMap(fn [int] (int n) => filter(op <(1), map(op -(n), iota(n))), a) in
  {d, f, scatter(m, is, map(fn [int] (int i) => [i, size(f)], is))}
""")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
def test_the_others_are_those_of_python(way: str) -> None:
    compiled = Ways(OTHERS)(way)
    random = np.random.default_rng(4)
    for size, rows in ((0, 0), (3, 1), (50, 9), (400, 30)):
        a = random.integers(0, 9, size)
        b = random.integers(0, 2, size).astype(bool)
        c = "".join([chr(k) for k in random.integers(97, 101, size)])
        m = random.integers(0, 9, (rows, 2))
        places = random.integers(0, rows, 2 * rows) if rows else np.zeros(0, np.int64)
        (x, y, z), flat, scattered = compiled(a, b, c, m, places)
        triples = list(zip(x.tolist(), y.tolist(), z, strict=True))
        wanted = list(dict.fromkeys(zip(a.tolist(), b.tolist(), c, strict=True)))
        assert triples == wanted
        assert flat.tolist() == [n - i for n in a.tolist() for i in range(n) if n - i > 1]
        for i in places.tolist():
            m[i] = i, len(flat)
        assert np.array_equal(scattered, m)


def test_rows_in_buckets() -> None:
    program = loads("""
        fun [int] plus([int] x, [int] y) = map(op +, zip(x, y))
        fun [[int]] main([int] k, [[int]] a) = bucketReduce(plus, [0, 0], 3, k, a)
        fun {[int], [[int]]} sorted([int] k, [[int]] a) = bucketCollect(3, k, a)
    """)
    k, a = np.array([2, 0, 2]), np.array([[1, 2], [3, 4], [5, 6]])
    for way in WAYS[:3]:
        assert Ways(program)(way)(k, a).tolist() == [[3, 4], [0, 0], [6, 8]]
        offsets, rows = Ways(program, "sorted")(way)(k, a)
        assert offsets.tolist() == [0, 1, 1, 3]
        assert rows.tolist() == [[3, 4], [1, 2], [5, 6]]
    with pytest.raises(CogenError, match="the arrays have different sizes: 3 and 2"):
        program.run(k, a[:2], entry="sorted")


# The words.


def test_a_programs_own_function_wins() -> None:
    program = loads("""
        // distinct(a) is ours: fun scatter(
        fun int distinct(int n, int m) = n * m
        fun *[int] main(int groupBy, *[int] scatter) =
          let flatMap = distinct(groupBy + 1, 2) in
          scatter (scatter, [0], [flatMap])
    """)
    assert program.run(3, np.array([1, 2])).tolist() == [8, 2]


@pytest.mark.parametrize(
    ("body", "at", "message"),
    [
        ("bucketReduce(op +, 0, 3, a)", "bucketReduce",
         "`bucketReduce` takes a function, an initial value, a number of buckets, an array of keys "
         "and an array"),
        ("distinct(a, a)", "distinct", "`distinct` takes an array"),
        ("bucketReduce(op +, 0.0, 3, a, a)", "0.0",
         "the initial value of `bucketReduce` must be like the elements of the array, int, but is "
         "real"),
        ("bucketReduce(op <, 0, 3, a, a)", "op <",
         "the function of `bucketReduce` must give int, but gives bool"),
        ("distinct([a, a])", "[a",
         "the elements of `distinct` must be int, real, bool, char, or tuples of these, but are "
         "[int]"),
        ("groupBy(fn [int] (int x) => [x], a)", "fn [",
         "the keys of `groupBy` must be int, real, bool, char, or tuples of these, but are [int]"),
        ("flatMap(op +(1), a)", "op +",
         "the function of `flatMap` must give an array of basic values or tuples of such, but "
         "gives int"),
        ("scatter(a, a, map(toReal, a))", "map(", "the new values must be [int], but is [real]"),
        ("map(distinct, a)", "distinct", "there is no function `distinct`"),
        ("groupBy(a, a)", "a, a", "there is no function `a`"),
    ],
)  # fmt: skip
def test_mistakes(body: str, at: str, message: str) -> None:
    text = f"fun int main([int] a) = {body}"
    with pytest.raises(CogenError) as caught:
        loads(text)
    error = caught.value
    assert error.message == message
    assert error.span is not None
    assert (error.span.line, error.span.column) == (1, text.index(at, 24) + 1)
