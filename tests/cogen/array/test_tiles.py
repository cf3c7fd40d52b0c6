"""Loops that read packed memory around their index: tile by tile, the same as sample by sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cogen import signals
from cogen.array import Program, loads
from cogen.array.l0.storage import storage_of
from cogen.array.loops import tree, treewalk
from cogen.array.optimise.preparing import prepare
from tests.cogen.array.loopways import interpreted, loops_of
from tests.cogen.array.targets import Ways, same

pytestmark = pytest.mark.usefixtures("full_optimisation")

CASES = [
    ("u12", "u16", 1, (0, 1, 5)),
    ("s13", "s9", 3, (1, 2)),
    ("raw10", "u12", 2, (7,)),
    ("raw12", "s9", 1, (3, 0)),
    ("pcm24le", "pcm16le", 3, (0, 1, 2)),
    ("mask-msb", "u5", 2, (1, 0)),
    ("size=12,stride=16,offset=8", "u16", 1, (2, 9)),
    ("size=10,signed,scale=0.25", "s9", 1, (0, 1)),
    ("u33", "u32", 2, (0, 3)),
]
"""Sources, targets, factors and distances."""


def around(source: str, target: str, factor: int, distances: tuple[int, ...]) -> Program:
    """A filter: every `factor`-th of the sums of samples at some distances, and their sum."""
    real = storage_of(source).leaves[0].is_real
    t, zero = ("real", "0.0") if real else ("int", "0")
    at = [f"(let k = i * {factor} + {d} in a[k])" for d in distances]
    made = f"trunc({' + '.join(at)})" if real else " + ".join(at)
    return loads(f"""
fun {{[packed "{target}"], {t}}} main([packed "{source}"] a) =
  let n = (size(a) - {max(distances)}) / {factor} in
  let y = map(fn int (int i) => {made}, iota(if n < 0 then 0 else n)) in
  {{store("{target}", y, "wrap"), reduce(op +, {zero}, map(fn {t} (int i) => a[i], iota(size(a))))}}
""")


def bytes_for(source: str, count: int) -> bytes:
    storage = storage_of(source)
    length = (count // storage.group * storage.step + storage.offset + 7) // 8 + 1
    return np.random.default_rng(count).integers(0, 256, length, np.uint8).tobytes()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("source", "target", "factor", "distances"), CASES)
def test_samples_around_the_index(
    source: str, target: str, factor: int, distances: tuple[int, ...]
) -> None:
    program = around(source, target, factor, distances)
    compiled = Ways(program)("c-2")
    for count in (0, 3, 40, 2500):
        data = bytes_for(source, count)
        assert same(compiled(data), program.run(data)), count


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("source", "threads"), [("raw12", 1), ("raw12", 2), ("s13", 1)])
def test_tiles_are_interpreted_as_they_are_compiled(source: str, threads: int) -> None:
    program = around(source, "u12", 2, (0, 3))
    data = bytes_for(source, 1400)
    assert same(interpreted(program, threads=threads)(data), program.run(data))


def rooms_of(text: str) -> list[tree.Room]:
    """The elements that loops of one thread take out of their words."""
    return [
        s
        for function in loops_of(prepare(loads(text).facts, "main"), frozenset({"share"})).functions
        for s in treewalk.all_statements(function.body)
        if isinstance(s, tree.Room)
    ]


FIR = "let n = size(a) - 3 in map(fn int (int i) => {}, iota(if n < 0 then 0 else n))"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("body", "rooms"),
    [
        ("a[i] + a[i + 1] + a[i + 2]", 1),
        ("a[i]", 1),
        ("if a[i] < 3 then a[i + 1] else 0", 0),  # which there may not be
        ("a[(i + 5) % 2]", 0),
    ],
)
def test_what_is_taken_out_once(body: str, rooms: int) -> None:
    text = f'fun [int] main([packed "u12"] a) = {FIR.format(body)}'
    assert len(rooms_of(text)) == rooms
    program = loads(text)
    data = bytes_for("u12", 1000)
    assert np.array_equal(program.compile(threads=1)(data), program.run(data))


@pytest.mark.parametrize(
    "text",
    [
        'fun int main([packed "u12"] a) = reduce(op +, 0, a)',
        'fun [packed "u12"] main([packed "u12"] a) = map(fn int (int x) => x, a)',
        'fun [int] main([packed "cs12"] a) = map(fn int (int i, int q) => i * i + q * q, a)',
    ],
)
def test_what_strips_do(text: str) -> None:
    assert rooms_of(text) == []


def test_samples_that_only_a_branch_reads_are_not_read_ahead() -> None:
    """There may be none."""
    text = """
fun [int] main([packed "u12"] a, int limit) =
  map(fn int (int i) => if i < limit then a[i + 1] else 0 - i, iota(size(a)))
"""
    program = loads(text)
    data = bytes_for("u12", 700)
    for limit in (0, 5, 690):
        found: Any = program.compile(threads=1)(data, limit)
        assert np.array_equal(found, program.run(data, limit))


@pytest.mark.parametrize(
    ("t", "made"),
    [
        ("{[int], [int]}", "bucketCollect(4096, a, a)"),
        ("{[int], [int], [int]}", "groupBy(fn int (int x) => x, a)"),
    ],
)
def test_groups_of_packed_samples(t: str, made: str) -> None:
    """Threads put in their places what they have counted, so neither loop is divided."""
    program = loads(f'fun {t} main([packed "u12"] a) = {made}')
    data = bytes_for("u12", 3000)
    wanted = program.run(data)
    for way in ("c-1", "c-2"):
        assert same(Ways(program)(way)(data), wanted)


def test_rows_of_samples_that_begin_with_bytes() -> None:
    """The sums of neighbours in each row of a picture."""
    program = loads("""
fun [int] take(int n, [int] a) = let {b, c} = split(n, a) in b
fun [[int]] main([packed "s24"] a, int width) =
  let height = size(a) / width in
  let m = reshape((height, width), take(height * width, a)) in
  map(fn [int] ([int] row) =>
    map(fn int (int x) => row[x] + row[x + 1], iota(width - 1)), m)
""")
    data = bytes_for("s24", 3 * 600)
    assert np.array_equal(program.compile(threads=1)(data, 600), program.run(data, 600))


BY_KEY = """
fun {[int], [int], [int]} main([packed "u3"] k, [packed "u24"] a, [packed "u12"] d, int until) =
  let {k1, a1, d1} = unzip(filter(fn bool (int k, int a, int d) => d <= until, zip(k, a, d))) in
  unzip(bucketReduce(
    fn {int, int, int} ({int, int, int} x, {int, int, int} y) =>
      let {p, q, r} = x in let {s, t, u} = y in {p + s, q + t, r + u},
    {0, 0, 0}, 8, k1, map(fn {int, int, int} (int a, int d) => {a, a * (100 - d), 1}, zip(a1, d1))))
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_added_up_by_key_in_tiles_goes_into_several_tables(threads: int) -> None:
    """Few pass, many, or all; in runs or by chance."""
    program = loads(BY_KEY)
    compiled = Ways(program)(f"c-{threads}")
    loops = interpreted(program, threads=threads)
    random = np.random.default_rng(threads)
    for count in (0, 300, 3000):
        k, a = bytes_for("u3", count), bytes_for("u24", count)
        by_chance = bytes_for("u12", count)
        n = min(storage_of(x).count(len(y)) for x, y in (("u3", k), ("u24", a), ("u12", by_chance)))
        runs = np.repeat(random.integers(0, 4096, n // 100 + 1), 100)[:n].astype(np.uint16)
        for d in (by_chance, runs):
            given = [cut(x, y, n) for x, y in (("u3", k), ("u24", a), ("u12", d))]
            for until in (-1, 200, 2000, 4096):
                expected = program.run(*given, until)
                assert same(compiled(*given, until), expected)
                if count == 300:
                    assert same(loops(*given, until), expected)


def cut(layout: str, data: Any, count: int) -> bytes:
    """So many samples of bytes, or of an array, as bytes that hold no more of them."""
    samples = data if isinstance(data, np.ndarray) else signals.unpack(data, layout)
    return bytes(signals.pack(samples[: count // 8 * 8], layout))
