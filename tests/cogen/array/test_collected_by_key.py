"""What is collected by key where not each iteration gives one value: of filters, flatMaps, concats.

One loop makes the groups, with one table, and nothing is stored before; in all ways it gives what
the program means.
"""

from __future__ import annotations

from random import Random

import pytest

from cogen.array import loads
from cogen.array.ir.generators import (
    Collect,
    groups,
)
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import Multiloop
from cogen.array.optimise.optimise import optimise
from cogen.array.programs.targettext import loops_text
from cogen.array.report.fusionreport import report
from tests.cogen.array.comparing import by_evaluation, by_schedule, module_outcome
from tests.cogen.array.targets import Ways
from tests.cogen.array.test_streams import BODIES, pairs

pytestmark = pytest.mark.quick

FILTERED = """
fun {[{int, bool}], [int], [int], [int], int, {[int], [int]}} main([int] a) =
  let b = filter(fn bool (int x) => x % 7 < 4, a) in
  let {keys, offsets, sorted} = groupBy(fn {int, bool} (int x) => {x % 5, x < 9}, b) in
  {keys, offsets, map(op *(2), sorted), reduceSegments(op +, 0, offsets, sorted), size(b),
   bucketCollect(4, map(fn int (int x) => x & 3, b), b)}
"""

STREAMED = """
fun {[{int, bool}], [int], [{int, int}], [int], [int], [{int, int}], int} main([int] a, int n) =
  let pairs = flatMap(fn [{int, int}] (int x) => BODY, filter(fn bool (int x) => x < 9, a)) in
  let own = filter(fn bool (int k, int v) => v % 3 < 2, pairs) in
  let {keys, offsets, sorted} = groupBy(fn {int, bool} (int k, int v) => {k % 3, v < 2}, own) in
  let sums = reduceSegments(op +, 0, offsets, map(fn int (int k, int v) => v, sorted)) in
  let {starts, kept} = bucketCollect(n, map(fn int (int k, int v) => k, pairs), pairs) in
  {keys, offsets, sorted, sums, starts, kept, size(own)}
"""

VALUES = ("[3, -1, 0, 8, 9, 4] 4", "[] 1", "[0, 5, 2] 2")
WAYS = ("c-1", "c-2", "c-plain", "opencl", "lanes")


def agree(text: str, values: tuple[str, ...], ways: tuple[str, ...]) -> None:
    program = loads(text)
    made = Ways(program)
    module = optimise(program.facts, "main", verify=True)[1]
    for own in values:
        expected = program.run_text(own)
        for run in (by_evaluation, by_schedule):
            assert module_outcome(module, own, run) == expected
        for way in ways:
            assert made(way).run_text(own) == expected, way


@pytest.mark.slow
def test_what_a_filter_lets_through_in_all_ways() -> None:
    many = str([k * k % 61 for k in range(300)])
    agree(FILTERED, ("[3, 0, 2, 30, 9, 7]", "[]", "[5]", many), WAYS)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("condition", ["True", "False", "x < 0 && 0 < x"])
def test_a_condition_that_is_known(condition: str) -> None:
    text = FILTERED.replace("x % 7 < 4", condition)
    agree(text, ("[3, 0, 2, 30, 9, 7]", "[]"), ("c-2",))


@pytest.mark.one_in(5)
@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES)
def test_streams_in_all_ways(body: str) -> None:
    agree(STREAMED.replace("BODY", body), VALUES, ("c-1", "c-2", "c-plain", "opencl"))


@pytest.mark.slow
@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(100, 116))
def test_random_streams(seed: int) -> None:
    agree(STREAMED.replace("BODY", pairs(Random(seed), 3)), VALUES, ("c-2",))


def test_checks_of_a_few_elements_and_what_they_are_accumulated_to() -> None:
    text = """
fun {[int], [int]} main([int] a, int k) =
  let c = scan(op ^, 0, flatMap(fn [int] (int x) => [x, x * 2], a)) in
  bucketCollect(5, map(fn int (int x) => if x < k then 0 else abs(x) % 5, c), map(op *(2), c))
"""
    agree(text, ("[3, -1, 0, 8] 2", "[] 0"), ("c-2",))


@pytest.mark.slow
def test_rows_by_key() -> None:
    text = """
fun {[int], [[int]]} main([[int]] a) =
  let b = filter(fn bool ([int] row) => size(row) % 2 = 0, a) in
  bucketCollect(3, map(fn int ([int] row) => size(row) % 3, b), b)
"""
    agree(text, ("[[1, 2], [3, 4], [5, 6]]", "[[1], [2]]"), WAYS)


@pytest.mark.parametrize(
    ("source", "loops"),
    [
        ("filter(fn bool (int x) => x % 7 < 4, a)", 1),
        ("flatMap(fn [int] (int x) => map(op *(x), iota(x)), a)", 2),
        ("filter(fn bool (int x) => x % 7 < 4, flatMap(fn [int] (int x) => iota(x), a))", 2),
        ("concat(map(op *(2), a), filter(fn bool (int x) => x % 7 < 4, a))", 1),
    ],
)
@pytest.mark.parametrize(
    "groups", ["groupBy(fn {int, bool} (int x) => {x % 5, x < 9}, b)",
               "bucketCollect(5, map(fn int (int x) => x & 3, b), b)"],
)  # fmt: skip
def test_one_loop_stores_nothing_but_the_groups(source: str, loops: int, groups: str) -> None:
    parts = 3 if groups.startswith("groupBy") else 2
    result = ["[{int, bool}]", "[int]", "[int]"][-parts:]
    text = f"fun {{{', '.join(result)}}} main([int] a) = let b = {source} in {groups}"
    found = report(loads(text), "main")
    assert found.arrays == 0
    assert len(found.soacs) == loops


def test_groups_and_sums_share_one_table() -> None:
    module = optimise(loads(FILTERED).facts, "main")[1]
    loops = [n for n in all_nodes(module.entry.body) if isinstance(n, Multiloop)]
    (made,) = [loop for loop in loops if any(map(groups, loop.generators))]
    assert not any(isinstance(generator, Collect) for generator in made.generators)
    text = loops_text(loads(FILTERED), "c")
    assert text.count("(variable (table numbers))") == 1
