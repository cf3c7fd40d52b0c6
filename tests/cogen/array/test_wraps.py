"""Remainders of moved indices: neighbours at the other end, without a division in the loop."""

from __future__ import annotations

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.c.nativeprogram import c_text
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import Module, Node
from cogen.array.optimise.optimisations import Options
from tests.cogen.array.targets import Ways, same

NEIGHBOURS = """
fun [int] main([int] a, int k) =
  let n = size(a) in
  map(fn int (int i) => a[(i + n - 1) % n] * 3 - a[(i + 1) % n], iota(n))
"""
FAR = """
fun [int] main([int] a, int k) =
  let n = size(a) in
  let j = k % 100 in
  map(fn int (int i) => a[(i + 3) % n] + a[(i - 5) % n] * 2 + a[(i + j) % n] * 7, iota(n))
"""
CIRCULANT = """
fun [[int]] main([int] a, int k) =
  let n = size(a) in
  map(fn [int] (int i) => map(fn int (int j) => a[(i + j) % n], iota(n)), iota(n))
"""
ANYWHERE = """
fun [int] main([int] a, int k) =
  let n = size(a) in
  map(fn int (int i) => a[(i + k) % n], iota(n))
"""
TEXTS = {"neighbours": NEIGHBOURS, "far": FAR, "rows": CIRCULANT, "anywhere": ANYWHERE}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("way", ["c-1", "c-2", "opencl", "lanes"])
def test_moved_indices(name: str, way: str) -> None:
    program = loads(TEXTS[name])
    run = Ways(program)(way)
    for size in (0, 1, 2, 3, 4, 9, 40):
        for k in (0, 1, -1, 7, -41, (1 << 63) - 1, -(1 << 63)):
            given = np.arange(size) ** 2 % 31, k
            assert same(run(*given), program.run(*given)), (size, k)


@pytest.mark.parametrize("name", ["neighbours", "rows"])
def test_nothing_is_divided(name: str) -> None:
    program = loads(TEXTS[name])
    left = program.graph("main")
    assert "int.mod" not in {node.operation for node in _nodes(left)}
    kept = program.graph("main", Options(off=frozenset(["wraps"])))
    assert "int.mod" in {node.operation for node in _nodes(kept)}


def test_all_but_the_ends_reads_neighbours() -> None:
    """The loop is one for the first element, one for the last, and one between them."""
    text = c_text(loads(NEIGHBOURS), "main").text
    body = text[text.rindex("/* main, ") :]
    assert "cogen_floor_remainder" not in body
    assert body.count("omp simd") >= 3
    assert "?" not in body[body.rindex("omp simd") :]


def test_a_sum_that_may_leave_the_range_stays() -> None:
    module = loads(ANYWHERE).graph("main")
    assert "int.mod" in {node.operation for node in _nodes(module)}


def _nodes(module: Module) -> list[Node]:
    return [*all_nodes(module.entry.body)]
