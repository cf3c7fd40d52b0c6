"""Buckets in buckets: a table in each group is one table, in all targets what Python computes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.array import loads
from cogen.array.ir.generators import (
    groups,
    is_hashed,
)
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import Multiloop
from cogen.array.optimise.optimise import optimise
from tests.cogen.array.targets import Ways

WAYS = ("c-1", "c-2", "c-plain", "opencl")


@cogen.stage
def different(a: Any, b: Any) -> Any:
    """How many different values there are by key."""
    keys, groups = cogen.group_by(lambda i: a[i] % 3, np.arange(a.shape[0]))
    return keys, cogen.map(lambda g: cogen.distinct(b[g]).shape[0], groups)


@cogen.stage
def sums_of_greatest(a: Any, b: Any) -> Any:
    """Reductions of reductions, by two keys and then by one."""
    keys, groups = cogen.group_by(lambda i: a[i] % 3, np.arange(a.shape[0]))

    def inner(group: Any) -> Any:
        _, parts = cogen.group_by(lambda i: (b[i] % 2, b[i] < 3), group)
        return np.sum(cogen.map(lambda part: np.max(b[part]), parts))

    return keys, cogen.map(inner, groups)


@cogen.stage
def beside_sums(a: Any, b: Any) -> Any:
    """The different values beside sums and counts, behind a filter, by a key of two parts."""
    rows = cogen.filter(lambda i: b[i] != 1, np.arange(a.shape[0]))
    keys, groups = cogen.group_by(lambda i: (a[i] % 3, a[i] < 4), rows)

    def inner(group: Any) -> Any:
        own = b[group]
        return {
            "different": cogen.distinct(own).shape[0],
            "sum": np.sum(own),
            "count": own.shape[0],
        }

    return keys[0], cogen.map(inner, groups)


@cogen.stage
def of_odd_ones(a: Any, b: Any) -> Any:
    """Groups of which nothing may be left."""
    keys, groups = cogen.group_by(lambda i: a[i] % 3, np.arange(a.shape[0]))

    def inner(group: Any) -> Any:
        own = cogen.filter(lambda x: x % 2 == 1, b[group])
        return np.sum(cogen.distinct(own))

    return keys, cogen.map(inner, groups)


def grouped(keys: list[Any], rows: list[int]) -> dict[Any, list[int]]:
    """Rows by key, in the order in which keys first occur."""
    found: dict[Any, list[int]] = {}
    for key, row in zip(keys, rows, strict=True):
        found.setdefault(key, []).append(row)
    return found


def by_three(a: list[int], b: list[int]) -> dict[Any, list[int]]:
    return grouped([x % 3 for x in a], list(range(len(a))))


def plainly(name: str, a: list[int], b: list[int]) -> tuple[list[int], list[Any]]:
    """What the programs compute."""
    groups = by_three(a, b)
    if name == "beside_sums":
        rows = [i for i in range(len(a)) if b[i] != 1]
        groups = grouped([(a[i] % 3, a[i] < 4) for i in rows], rows)
    found: list[Any] = []
    for group in groups.values():
        own = [b[i] for i in group]
        parts = grouped([(x % 2, x < 3) for x in own], own)
        found.append({
            "different": len({*own}),
            "sums_of_greatest": sum(map(max, parts.values())),
            "beside_sums": (len({*own}), sum(own), len(own)),
            "of_odd_ones": sum({x for x in own if x % 2 == 1}),
        }[name])  # fmt: skip
    keys = [key[0] if isinstance(key, tuple) else key for key in groups]
    return keys, found


PROGRAMS = {f.__name__: f for f in (different, sums_of_greatest, beside_sums, of_odd_ones)}


def listed(values: Any) -> list[Any]:
    """An array of values or records, or an array of each field, value by value."""
    if len(values) > 1:
        return list(zip(*values, strict=True))
    return [*np.asarray(values[0]).tolist()]


def program_of(name: str) -> Any:
    some = np.arange(3)
    return PROGRAMS[name].program(some, some)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_ways_agree(name: str) -> None:
    program = program_of(name)
    ways = Ways(program, program.entry)
    random = Random(name)
    for size in (0, 1, 2, 7, 900):
        a, b = [np.array([random.randrange(9) for _ in range(size)], np.int64) for _ in range(2)]
        expected = plainly(name, a.tolist(), b.tolist())
        for call in (PROGRAMS[name], *map(ways, WAYS)):
            keys, *values = call(a, b)
            assert (list(keys), listed(values)) == expected, (name, size)


def loops_of(name: str) -> list[Multiloop]:
    program = program_of(name)
    module = optimise(program.facts, program.entry, verify=True)[1]
    return [n for n in all_nodes(module.entry.body) if isinstance(n, Multiloop)]


@pytest.mark.parametrize(("name", "count"), [("different", 2), ("sums_of_greatest", 2)])
def test_one_loop_over_the_rows_and_one_over_its_table(name: str, count: int) -> None:
    loops = loops_of(name)
    assert [is_hashed(g) for loop in loops for g in loop.generators] == [True] * count
    rows, table = loops
    assert table.size.operands[0] is rows


def test_no_group_is_stored() -> None:
    for name in ("different", "sums_of_greatest", "beside_sums"):
        generators = [g for loop in loops_of(name) for g in loop.generators]
        assert not any(groups(g) for g in generators), name


def test_a_check_in_a_group_is_made_for_its_rows() -> None:
    @cogen.stage
    def f(a: Any, b: Any) -> Any:
        _, groups = cogen.group_by(lambda i: a[i], np.arange(a.shape[0]))
        return cogen.map(lambda g: cogen.distinct(10 // b[g]).shape[0], groups)

    call: Callable[..., Any] = f
    assert list(call(np.array([1, 1, 2]), np.array([5, 4, 3]))) == [1, 1]
    with pytest.raises((cogen.CogenError, ZeroDivisionError)) as caught:
        call(np.array([1, 1, 2]), np.array([5, 0, 3]))
    assert "zero" in str(caught.value)


SOME = """
fun [int] main([int] a, [int] b, int m) =
  let {keys, offsets, sorted} = groupBy(fn int (int x, int y) => x, zip(a, b)) in
  let {xs, all} = unzip(sorted) in
  map(fn int (int k) =>
    let {_, rest} = split(offsets[k], all) in
    let {ys, _} = split(offsets[k + 1] - offsets[k], rest) in INNER, iota(m))
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("inner", ["reduce(op +, 0, ys)", "size(distinct(ys))"])
def test_the_first_groups_only(inner: str) -> None:
    """There are more keys than groups that a loop goes through: they all have buckets."""
    program = loads(SOME.replace("INNER", inner))
    module = optimise(program.facts, "main", verify=True)[1]
    nodes = [n for n in all_nodes(module.entry.body) if isinstance(n, Multiloop)]
    assert any(groups(g) for loop in nodes for g in loop.generators)
    values = "[1, 2, 1, 3, 3, 4] [4, 5, 6, 7, 7, 8] 2"
    for way in WAYS:
        assert Ways(program)(way).run_text(values) == program.run_text(values)
