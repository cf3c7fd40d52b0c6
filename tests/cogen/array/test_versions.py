"""Two versions of loops over packed memory: numbers from outside that are small need no wide ints,
and those that are not give what they give."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.l0.storage import storage_of
from cogen.array.loops import tree, treewalk
from cogen.array.loops.versions import LIMITS
from cogen.array.optimise.preparing import prepare
from tests.cogen.array.loopways import interpreted, loops_of
from tests.cogen.array.targets import same
from tests.everyday import some

pytestmark = pytest.mark.usefixtures("full_optimisation")

EDGES = sorted({sign * limit + d for limit in LIMITS for sign in (1, -1) for d in (-1, 0)})
NUMBERS = [0, 64, *EDGES, 1 << 31, -(1 << 31) - 1, (1 << 63) - 1, -(1 << 63)]

TILES = """
fun [packed "u8"] main([packed "raw12"] a, int level, int gain) =
  store("u8", map(fn int (int x) => (x - level) * gain >> 8, a), "saturate")
"""
STRIPS = """
fun [packed "s12"] main([packed "s12"] a, int level, int gain) =
  store("s12", map(fn int (int x) => (let y = x * gain in if y < 9 then y else 9) - level, a),
        "saturate")
"""
COUNTED = """
fun [int] main([packed "u12"] a, int level, int gain) =
  bucketReduce(op +, 0, 16, map(fn int (int x) =>
    let y = (x - level) * gain >> 8 in let z = if y < 0 then 0 else y in
    if z < 15 then z else 15, a),
               replicate(size(a), 1))
"""


def two_versions(text: str) -> list[tree.IfStatement]:
    """Where a loop has two versions."""
    functions = loops_of(prepare(loads(text).facts, "main"), frozenset({"share"})).functions
    return [
        s
        for function in functions
        for s in treewalk.all_statements(function.body)
        if isinstance(s, tree.IfStatement) and any(isinstance(own, tree.For) for own in s.then)
    ]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", [TILES, STRIPS, COUNTED])
def test_both_versions_give_the_same(text: str) -> None:
    assert len(two_versions(text)) == 1
    program = loads(text)
    source = "raw12" if "raw12" in text else "u12"
    length = 600 // storage_of(source).group * storage_of(source).step // 8
    data = np.random.default_rng(3).integers(0, 256, length, np.uint8).tobytes()
    compiled, plain = program.compile(threads=1), interpreted(program)
    for level, gain in some(list(itertools.product(NUMBERS, NUMBERS)), 5):
        wanted = program.run(data, level, gain)
        assert same(compiled(data, level, gain), wanted), (level, gain)
    for level, gain in [(0, 3), (LIMITS[0] - 1, -LIMITS[0]), ((1 << 63) - 1, LIMITS[0])]:
        assert same(plain(data, level, gain), program.run(data, level, gain)), (level, gain)


@pytest.mark.parametrize(
    "body",
    [
        "x + 3",  # known anyway
        "if x < y then 1 else 0",  # only compared
        "a[(x + i) % size(a)]",  # indices have 64 bits
    ],
)
def test_loops_with_one_version(body: str) -> None:
    text = f"""
fun [packed "u8"] main([packed "raw12"] a, int y) =
  store("u8", map(fn int (int i) => let x = a[i] in {body}, iota(size(a))), "wrap")
"""
    assert two_versions(text) == []
