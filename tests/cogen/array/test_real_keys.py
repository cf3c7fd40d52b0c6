"""Reals as keys: -0.0 is 0.0, and all that are no numbers are one, in all ways to run programs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.array import loads
from cogen.array.ir.operations import table
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.l0.keys import as_key
from cogen.convert import from_datum
from cogen.lang.interp import Interpreter
from tests.cogen.array.targets import Ways, has_device, need_device
from tests.cogen.array.test_forms import FLOATS, residual

SUMS = """
fun {[real], [int], [int]} main([real] k, [int] a) =
  let {keys, offsets, pairs} = groupBy(fn real (real k, int x) => k / 2.0, zip(k, a)) in
  let values = map(fn int (real k, int x) => x, pairs) in
  {keys, reduceSegments(op +, 0, offsets, values), GROUPS}
"""
PROGRAMS = {
    "reduced": loads(SUMS.replace("GROUPS", "offsets")),
    "kept": loads(SUMS.replace("GROUPS", "values")),
    "distinct": loads("""
fun [{real, bool, real}] main([real] k, [int] a) =
  distinct(map(fn {real, bool, real} (real k, int x) => {k, x < 2, toReal(x)},
               filter(fn bool (real k, int x) => x < 5, zip(k, a))))"""),
    "in groups": loads("""
fun {[int], [int]} main([real] k, [int] a) =
  let {keys, offsets, pairs} = groupBy(fn int (real k, int x) => x & 3, zip(k, a)) in
  let ks = map(fn real (real k, int x) => k, pairs) in
  {keys, map(fn int (int g) =>
    let {before, rest} = split(offsets[g], ks) in
    let {own, after} = split(offsets[g + 1] - offsets[g], rest) in
    size(distinct(own)), iota(size(offsets) - 1))}"""),
}
KEYS = st.sampled_from([0.0, -0.0, math.nan, -math.nan, math.inf, -math.inf, 1.5, -1.5, 5e-324])
PAIRS = st.lists(st.tuples(st.one_of(KEYS, st.floats()), st.integers(0, 6)), max_size=40)


def bits(value: Any) -> Any:
    """A result such that equal bits are equal: nan is nan, and -0.0 is not 0.0."""
    if isinstance(value, (tuple, list, np.ndarray)):
        return [bits(part) for part in value]
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    return int(value)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", PROGRAMS)
@given(pairs=PAIRS)
def test_all_ways_find_the_same_keys(name: str, pairs: list[tuple[float, int]]) -> None:
    program = PROGRAMS[name]
    keys = np.array([k for k, _ in pairs], float)
    values = np.array([x for _, x in pairs], np.int64)
    expected = bits(program.run(keys, values))
    if name == "distinct":
        rows = [as_key((k, x < 2, float(x))) for k, x in pairs if x < 5]
        columns = [[row[k] for row in dict.fromkeys(rows)] for k in range(3)]
        assert expected == bits(columns)
    for way in ("c-1", "c-2", "c-plain", *(["opencl"] if has_device() else [])):
        assert bits(ways(name)(way)(keys, values)) == expected, way


WAYS: dict[str, Ways] = {}


def ways(name: str) -> Ways:
    return WAYS.setdefault(name, Ways(PROGRAMS[name]))


@given(x=st.one_of(KEYS, st.floats(), st.floats(width=32)))
@pytest.mark.parametrize("widths", [(64, 64), (32, 64), (32, 32), (64, 32)])
def test_keys_are_the_reals_that_they_are_made_of(widths: tuple[int, int], x: float) -> None:
    arithmetic = Arithmetic(*widths)
    rows = table(arithmetic)
    real = float(np.float32(x)) if widths[1] == 32 and abs(x) < 1e38 else x
    if widths[1] == 32 and not (math.isnan(x) or math.isinf(x) or abs(x) < 1e38):
        return
    low, high = rows["real.key"].meaning(real), rows["real.key_high"].meaning(real)
    assert arithmetic.least <= min(low, high) <= max(low, high) <= arithmetic.greatest
    assert bits(rows["key.real"].meaning(low, high)) == bits(as_key(real))


def test_keys_in_the_language() -> None:
    text = """
(import (array))
(define-array (main (a (array float)))
  (array-distinct a))
(define (given) (array-distinct #(0.0 -0.0 2.5 +nan.0 2.5 -nan.0)))
"""
    a = [0.0, -0.0, 2.5, math.nan, 2.5, -math.nan]
    expected = bits([0.0, 2.5, math.nan])
    interpreter = Interpreter(cogen.loads(text))
    interpreter.run()
    assert bits(from_datum(interpreter.call("given", []))) == expected  # type: ignore[arg-type]  # a vector
    assert bits(residual(text, FLOATS, entry="main").to_array().compile()(np.array(a))) == expected


def test_keys_in_python() -> None:
    def different(a: Any) -> Any:
        return cogen.distinct(a)

    a = np.array([0.0, -0.0, 2.5, math.nan, 2.5, -math.nan])
    assert bits(different(a)) == bits(cogen.stage(different)(a)) == bits([0.0, 2.5, math.nan])


@pytest.mark.one_in(16)
@pytest.mark.parametrize("target", ["c", "opencl"])
@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("ints", ["int32", "int64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_keys_of_other_widths(name: str, ints: str, real: str, target: str) -> None:
    """A key is as many ints as its bits need; these reals are reals of all widths."""
    need_device(target)
    program = PROGRAMS[name]
    keys = np.array([0.0, -0.0, math.nan, -math.nan, 1.5, -1.5, 1.5, 3.25, 2.0**40, -math.inf])
    values = np.arange(len(keys)) % 6
    found = program.compile(target=target, int=ints, real=real)(keys, values)
    assert bits(found) == bits(program.run(keys, values))
