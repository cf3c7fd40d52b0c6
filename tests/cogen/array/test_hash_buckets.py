"""Reductions by keys that are tuples: one table, in all targets what the interpreter gives."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from cogen.array import Program, load, loads
from cogen.array.codegen.keytables import packed
from cogen.array.ir.generators import (
    Bucket,
    groups,
    is_hashed,
)
from cogen.array.ir.graphtypes import BOOL, CHAR, INT
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import Multiloop
from cogen.array.opencl.deviceprogram import device_text
from cogen.array.opencl.hostgroups import numbered
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.optimise import optimise
from cogen.array.programs.targettext import loops_text
from tests.cogen.array.programs import PROGRAMS
from tests.cogen.array.targets import Ways, has_device, need_device

GROUPS = load(PROGRAMS / "text" / "group_by.l0")
INTS = loads("""
fun {[int], [int], [int], [int]} main([int] a, [int] b, [int] v) =
  let {keys, offsets, sorted} =
    groupBy(fn {int, int} (int x, int y, int z) => {x, y}, zip(a, b, v)) in
  let {xs, ys} = unzip(keys) in
  let values = map(fn int (int x, int y, int z) => z, sorted) in
  {xs, ys, reduceSegments(op +, 0, offsets, values), reduceSegments(op *, 1, offsets, values)}
""")

THREADS = loads("""
fun {[int], [int], [real], [int], [bool]} main([int] keys, [int] a, [real] x) =
  let {ks, offsets, sorted} = groupBy(fn int (int k, int v, real y) => k, zip(keys, a, x)) in
  let {_, vs, ys} = unzip(sorted) in
  {ks, reduceSegments(op +, 0, offsets, vs), reduceSegments(op +, 0.0, offsets, ys),
   reduceSegments(fn int (int p, int q) => if p < q then q else p, -100, offsets, vs),
   reduceSegments(op ||, False, offsets, map(op <(5), vs))}
""")


def listed(values: Any) -> list[list[object]]:
    """Results as lists."""
    return [list(part) if isinstance(part, str) else [*map(plain, part)] for part in values]


def plain(value: Any) -> object:
    return value.item() if hasattr(value, "item") else value


def rows(random: Random, size: int) -> list[Any]:
    flags = "".join(random.choice("AN\u0416\U0001f600") for _ in range(size))
    signs = [random.random() < 0.5 for _ in range(size)]
    kinds = [random.choice([0, 1, -5, 1 << 40, 70000]) for _ in range(size)]
    return [flags, signs, kinds, [random.choice([-1.0, 0.5, 2.0]) for _ in range(size)]]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", ["c", "c without", "opencl"])
@pytest.mark.parametrize("size", [0, 1, 7, 5000])
def test_keys_of_several_types(size: int, way: str) -> None:
    need_device(way)
    off = frozenset({"hash-bucket"} if way == "c without" else ())
    values = rows(Random(size), size)
    compiled = GROUPS.compile(way.partition(" ")[0], options=Options(off))
    assert listed(compiled(*values)) == listed(GROUPS.run(*values))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("target", ["c", "opencl"])
@pytest.mark.parametrize("different", [1, 40, 3000])
def test_many_keys(different: int, target: str) -> None:
    """More than there is room for at first."""
    need_device(target)
    random = Random(different)
    a, b, v = [[random.randrange(-different, different) for _ in range(20000)] for _ in range(3)]
    assert listed(INTS.compile(target)(a, b, v)) == listed(INTS.run(a, b, v))


PAIRS = loads("""
fun {[int], [int], [int]} main([int] a, [int] b) =
  let {keys, offsets, ones} =
    groupBy(fn {int, int} (int x, int y) => {x, y}, zip(a, b)) in
  let {xs, ys} = unzip(keys) in
  {xs, ys, reduceSegments(op +, 0, offsets, map(fn int (int x, int y) => 1, ones))}
""")

FIRST_LARGE: dict[str, tuple[int, int]] = {
    "all small": (0, 3), "some negative": (-2, 3), "large later": (0, 900),
    "all large": (5000, 9000),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", FIRST_LARGE)
@pytest.mark.parametrize("size", [500, 3000, 20_000, 300_000])
def test_pairs_that_are_small_and_large(size: int, kind: str) -> None:
    """Small keys are found by value, until one comes that is not; tables of many are looked at
    ahead."""
    least, most = FIRST_LARGE[kind]
    random = np.random.default_rng(size)
    a, b = random.integers(least, most, (2, size))
    if kind == "large later":
        a[: size // 2] %= 3
        b[: size // 2] %= 3
    pairs, first, counts = np.unique(
        np.stack([a, b]), axis=1, return_index=True, return_counts=True
    )
    order = np.argsort(first)
    for threads in (1, 2):
        xs, ys, found = Ways(PAIRS)(f"c-{threads}")(a, b)
        assert np.array_equal(np.stack([xs, ys]), pairs[:, order])
        assert np.array_equal(found, counts[order])


def test_one_table_for_all_that_is_reduced() -> None:
    module = optimise(INTS.facts, "main", verify=True)[1]
    loops = [n for n in all_nodes(module.entry.body) if isinstance(n, Multiloop)]
    assert [loop.generators for loop in loops] == [(Bucket(2, keys=2, hashed=True),)]


SAME_KEYS = {
    "two groups": """
fun {[int], [int], [int], [int]} main([int] keys, [int] a) =
  let {k, o, s} = groupBy(fn int (int k, int x) => k & 7, zip(keys, a)) in
  let {l, p, t} = groupBy(fn int (int k, int x) => k & 7, zip(keys, map(op +(1), a))) in
  {k, reduceSegments(op +, 0, o, map(fn int (int k, int x) => x, s)),
   l, reduceSegments(op *, 1, p, map(fn int (int k, int x) => x, t))}""",
    "groups and different values": """
fun {[int], [int], [int]} main([int] keys, [int] a) =
  let kept = filter(fn bool (int k, int x) => 0 < x, zip(keys, a)) in
  let {k, o, s} = groupBy(fn int (int k, int x) => k & 7, kept) in
  {distinct(map(fn int (int k, int x) => k & 7, kept)), k,
   reduceSegments(op +, 0, o, map(fn int (int k, int x) => x, s))}""",
    "numbers and different values": """
fun {[int], [int], [int]} main([int] keys, [int] a) =
  let {k, o, s} = groupBy(fn int (int k, int x) => k & 7, zip(keys, a)) in
  {distinct(map(op &(7), keys)), o, map(fn int (int k, int x) => x, s)}""",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SAME_KEYS)
def test_one_table_for_the_same_keys(name: str) -> None:
    program = loads(SAME_KEYS[name])
    entry = program.graph().entry
    tables = [g for n in all_nodes(entry.body) if isinstance(n, Multiloop) for g in n.generators
              if is_hashed(g)]  # fmt: skip
    assert len(tables) == 1
    ways = Ways(program)
    random = Random(name)
    for size in (0, 1, 9, 500):
        keys, a = ([random.randrange(-20, 20) for _ in range(size)] for _ in range(2))
        expected = listed(program.run(keys, a))
        for way in ("c-1", "c-2", "c-plain", *(["opencl"] if has_device() else [])):
            assert listed(ways(way)(np.array(keys, np.int64), np.array(a, np.int64))) == expected


def test_groups_that_are_needed_otherwise_are_made() -> None:
    program = loads("""
fun {[int], [int], [int], [int]} main([int] a) =
  let {keys, offsets, sorted} = groupBy(op &(3), a) in
  {keys, offsets, sorted, reduceSegments(op +, 0, offsets, sorted)}
""")
    values = [5, 4, 3, 2, 9, 8]
    assert listed(program.compile("c")(values)) == listed(program.run(values))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("layouts", ["s8 u1", "u4 s12", "s16 s16", "s8 s24", "u12 u12"])
def test_small_samples_are_one_key(layouts: str) -> None:
    """Whatever their signs: they are counted from the least that there may be."""
    from cogen import signals

    first, second = layouts.split()
    program = loads(f"""
fun {{[int], [int], [int]}} main([packed "{first}"] a, [packed "{second}"] b) =
  let {{keys, offsets, rest}} = groupBy(fn {{int, int}} (int x, int y) => {{x, y}}, zip(a, b)) in
  let {{xs, ys}} = unzip(keys) in
  let ones = map(fn int (int x, int y) => x + 1, rest) in
  {{xs, ys, reduceSegments(op +, 0, offsets, ones)}}
""")
    random = np.random.default_rng(1)
    data = [random.choice(random.integers(0, 256, (40, 6), np.uint8), 200).tobytes()] * 2
    count = min(len(signals.unpack(d, t)) for d, t in zip(data, (first, second), strict=True))
    bits = [signals.Layout(int(t[1:]), order="big", signed=t[0] == "s") for t in (first, second)]
    data = [
        bytes(signals.pack(signals.unpack(d, t)[:count], t))
        for d, t in zip(data, bits, strict=True)
    ]
    expected = listed(program.run(*data))
    assert len(expected[0]) > 5
    for off in ((), ("hash-bucket",)):
        assert listed(program.compile(options=Options(frozenset(off)))(*data)) == expected


def test_what_is_packed() -> None:
    assert packed([INT]) == [[0]]
    assert packed([CHAR, CHAR, CHAR]) == [[0, 1, 2]]
    assert packed([CHAR, CHAR, CHAR, BOOL]) == [[0, 1, 2], [3]]
    assert packed([BOOL, INT, CHAR, BOOL]) == [[0], [1], [2, 3]]
    assert packed([INT, BOOL, INT], [(-8, 7), None, (0, 4095)]) == [[0, 1, 2]]
    assert packed([INT, INT], [(0, 255), None]) == [[0], [1]]


def test_numbers_of_tuples_on_the_host() -> None:
    a, b = np.array([3, 1, 3, 1, 3]), np.array([0, 0, 0, 5, 5])
    count, different, numbers = numbered([a, b])
    assert count == 4
    assert [part.tolist() for part in different] == [[3, 1, 1, 3], [0, 0, 5, 5]]
    assert numbers.tolist() == [0, 1, 0, 2, 3]


def test_devices_reduce_by_number() -> None:
    """A table by key would be gone through on the host; a kernel reduces by number."""
    text = device_text(GROUPS, "main")
    assert "__kernel" in text
    assert "bucket" in text


@pytest.mark.one_in(2)
@pytest.mark.parametrize("way", ["c-1", "c-2", "c-plain"])
@pytest.mark.parametrize("size", [0, 1, 3, 700])
def test_threads_have_tables_of_their_own(size: int, way: str) -> None:
    """Keys are numbered as they first occur, whichever thread meets them."""
    random = Random(size)
    keys = [random.choice([7, -1, 1 << 40, random.randrange(size or 1)]) for _ in range(size)]
    values = [random.randrange(-9, 9) for _ in range(size)]
    reals = [random.randrange(8) / 4 for _ in range(size)]
    ways = Ways(THREADS)
    expected = listed(THREADS.run(keys, values, reals))
    assert listed(ways(way)(keys, values, reals)) == expected


def wide(parts: int) -> Program:
    """Sums and different values by a key of so many ints, which are digits of one."""
    names = [f"x{k}" for k in range(parts)]
    digits = ", ".join([f"x / {3**k} % 3 - 1" for k in range(parts)])
    ints = ", ".join(["int"] * parts)
    digits_of = f"fn {{{ints}}} (int x) => {{{digits}}}"
    return loads(f"""
fun {{[int], [int], [int]}} main([int] a, [int] v) =
  let pairs = zip(a, v) in
  let {{keys, offsets, sorted}} =
    groupBy(fn {{{ints}}} (int a, int v) => let x = a in {{{digits}}}, pairs) in
  let values = map(fn int (int x, int y) => y, sorted) in
  {{map(fn int ({{{ints}}} k) => let {{{", ".join(names)}}} = k in
        {" + ".join(f"{name} * {5**k}" for k, name in enumerate(names))}, keys),
    reduceSegments(op +, 0, offsets, values),
    map(fn int ({{{ints}}} k) => let {{{", ".join(names)}}} = k in {names[0]} + {names[-1]},
        distinct(map({digits_of}, v)))}}
""")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("parts", [2, 3, 8, 9, 17])
def test_wide_keys_in_threads(parts: int) -> None:
    """A table has keys of up to eight ints; more are numbered by way of others."""
    program = wide(parts)
    ways = Ways(program)
    random = Random(parts)
    for size in (0, 1, 700):
        a, v = [[random.randrange(3 ** min(parts, 6)) for _ in range(size)] for _ in range(2)]
        expected = listed(program.run(a, v))
        for way in ("c-1", "c-2", "c-plain"):
            assert listed(ways(way)(a, v)) == expected, way


def test_one_look_for_a_wide_key() -> None:
    text = loops_text(wide(5), "c")
    assert "(invoke number_5 " in text
    assert "(invoke number " not in text
    program = optimise(wide(5).facts, "main", verify=True)[1]
    loops = [node for node in all_nodes(program.entry.body) if isinstance(node, Multiloop)]
    assert any(is_hashed(g) for loop in loops for g in loop.generators)


SAMPLES = loads("""
fun {[int], [int], [int], [real], [bool]} main([packed "s8"] a, [packed "u4"] b, [real] x) =
  let {keys, offsets, sorted} =
    groupBy(fn {int, int} (int p, int q, real y) => {p, q}, zip(a, b, x)) in
  let {_, small, ys} = unzip(sorted) in
  let {ps, qs} = unzip(keys) in
  {ps, qs, reduceSegments(op +, 0, offsets, small), reduceSegments(op +, 0.0, offsets, ys),
   reduceSegments(op ||, False, offsets, map(op <(0.75), ys))}
""")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", ["c-1", "c-2", "c-plain"])
@pytest.mark.parametrize("size", [0, 100, 2000, 70_000])
def test_samples_as_keys(size: int, way: str) -> None:
    """Few bits: found by value, but for the first of many in a table that is for few iterations."""
    random = np.random.default_rng(size)
    a, b = random.integers(0, 256, size, dtype=np.uint8), random.integers(0, 16, size)
    packed_b = np.packbits(((b[:, None] >> np.arange(3, -1, -1)) & 1).astype(np.uint8).ravel())
    x = random.integers(-8, 8, size) / 8
    found = listed(Ways(SAMPLES)(way)(a.tobytes(), packed_b.tobytes(), x))
    groups: dict[tuple[int, int], list[float]] = {}
    for p, q, y in zip(a.view(np.int8).tolist(), b.tolist(), x.tolist(), strict=True):
        groups.setdefault((p, q), []).append(y)
    assert [*zip(*found[:2], strict=True)] == [*groups]
    assert found[2] == [q * len(ys) for (_, q), ys in groups.items()]
    assert found[3] == [sum(ys) for ys in groups.values()]
    assert found[4] == [any(y > 0.75 for y in ys) for ys in groups.values()]


N = "(offs[i + 1] - offs[i])"
LENGTHS = {
    ("[real]", "[int]", f"sums, map(fn int (int i) => {N}, iota(n))"): False,
    ("[real]", f"map(fn real (real s, int i) => s / toReal({N}), zip(sums, iota(n)))"): False,
    ("[int]", f"map(fn int (int i) => {N} * {N} + trunc(sums[i]), iota(n))"): False,
    ("[int]", f"filter(fn bool (int i) => {N} % 2 = 0, iota(n))"): False,
    ("int", f"reduce(op +, 0, map(fn int (int i) => {N} * i, iota(n)))"): False,
    ("[int]", "[int]", f"map(fn int (int i) => {N}, iota(n)), offs"): True,
    ("[int]", f"map(fn int (int i) => {N} * offs[i], iota(n))"): True,
    ("[int]", "[real]", f"map(fn int (int i) => {N}, iota(n)), xs"): True,
    ("[int]", f"map(fn int (int i) => offs[2] - offs[1] + {N}, iota(n))"): True,
}
"""What is made of groups, after the types of that, and whether groups are made for it."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("made", LENGTHS)
def test_how_long_groups_are_is_counted_by_key(made: tuple[str, ...]) -> None:
    """The first query of TPC-H, say, needs no groups for its counts."""
    *types, result = made
    program = loads(
        f"fun {{{', '.join(['[{int, int}]', *types])}}} "
        "main([int] flags, [int] states, [real] values, int most) =\n"
        "  let items = filter(fn bool (int f, int s, real x) => f < most,"
        " zip(flags, states, values)) in\n"
        "  let {keys, offs, g} ="
        " groupBy(fn {int, int} (int f, int s, real x) => {f, s}, items) in\n"
        "  let {fs, ss, xs} = unzip(g) in let n = size(keys) in\n"
        + ("  let sums = reduceSegments(op +, 0.0, offs, xs) in" if "sums" in result else "")
        + f"  {{keys, {result}}}"
    )
    draw = np.random.default_rng(3)
    off = Options(off=frozenset({"group-reduce"}))
    runs = [program.run, program.compile(threads=2), program.compile(options=off)]
    for size in (4, 500) if "offs[2]" in result else (0, 1, 500):
        values = (*draw.integers(0, 6, (2, size)), draw.integers(0, 9, size) * 0.5, 5)
        expected, *found = [repr(run(*values)) for run in runs]
        assert found == [expected] * 2
    _, module = optimise(program.facts, "main")
    loops = [n for n in all_nodes(module.entry.body) if isinstance(n, Multiloop)]
    assert any(any(map(groups, loop.generators)) for loop in loops) is LENGTHS[made]
