"""Rows are updated in place, and what else is needed of them keeps its value.

The interpreter knows no places, so it is the reference; the executor of schedules and all back ends
must agree with it, optimised or not.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.optimise import optimise
from tests.cogen.array.comparing import by_schedule, module_outcome
from tests.cogen.array.randomrows import arguments, program
from tests.cogen.array.targets import LITTLE, Ways, same

SEEDS = range(30)
COMPILED = (4, 13, 27, 31)
"""Seeds of programs that are compiled too."""

ADD = (
    "fn [[int]] ([[int]] a, [[int]] c) => map(fn [int] ([int] v, [int] w) => "
    "let x = copy(v) in let x[0] = x[0] + w[0] in x, zip(a, c))"
)

CASES = {
    "element": "fun {[[int]], [int]} main(*[[int]] m, [[[int]]] t) = {m, map(fn int ([int] v) => "
    "let x = copy(v) in let x[0] = 7 in reduce(op +, 0, x), m)}",
    "row": "fun {[[int]], [[int]]} main(*[[int]] m, [[[int]]] t) = {m, map(fn [int] ([int] v) => "
    "let x = copy(v) in let x[0] = 7 in x, m)}",
    "two inputs": "fun {[int], [int]} main(*[[int]] m, [[[int]]] t) = "
    "let k = map(fn int ([int] v, [int] w) => let x = copy(v) in let x[0] = 7 in x[0] * w[0], "
    "zip(m, m)) in {k, map(fn int ([int] v) => v[0], m)}",
    "equal arrays": "fun {[int], [int]} main(*[[int]] m, [[[int]]] t) = "
    "let p = copy(m) in let q = copy(m) in "
    "{map(fn int (*[int] v) => let v[0] = 7 in reduce(op +, 0, v), p), "
    "map(fn int (*[int] v) => let v[1] = 8 in reduce(op +, 0, v), q)}",
    "columns": "fun {[int], [[int]]} main(*[[int]] m, [[[int]]] t) = {map(fn int ([int] v) => "
    "let x = copy(v) in let x[0] = 7 in reduce(op +, 0, x), transpose(m)), m}",
    "the first accumulator": "fun {[[int]], [[[int]]]} main(*[[int]] m, [[[int]]] t) = "
    f"{{reduce({ADD}, t[0], t), t}}",
    "the first accumulator of a scan": "fun {[[[int]]], [[[int]]]} main(*[[int]] m, [[[int]]] t) "
    f"= {{scan({ADD}, t[0], t), t}}",
    "a copy that is updated in turn": "fun {[[int]], [[int]], [int]} "
    "main(*[[int]] m, [[[int]]] t) = "
    "let p = map(fn [int] ([int] v) => let x = copy(v) in let x[1] = x[0] in x, m) in "
    "let q = map(fn [int] ([int] v) => let x = copy(v) in let x[v[1] & 1] = v[2] + 3 in x, p) in "
    "let r = map(fn int ([int] v, [int] w) => let x = copy(v) in let x[v[1] & 1] = x[0] * 2 in "
    "x[0] * w[0] + w[1], zip(q, q)) in {p, q, r}",
    "a body that is done twice": "fun {[int], [int]} main(*[[int]] m, [[[int]]] t) = "
    "let s = scan(op +, 0, map(fn int (*[int] v) => let v[0] = v[0] * 2 in reduce(op +, 0, v), m)) "
    "in {s, map(op *(2), s)}",
    "a body that each thread does": "fun [int] main(*[[int]] m, [[[int]]] t) = "
    "let n = size(0, m) in let k = map(fn int (*[int] v) => "
    "let v[v[1] & 1] = v[0] + v[1] + v[2] in (v[0] + v[1]) & 7, m) in "
    "scatter(replicate(8, 0), k, iota(n))",
}


def given() -> tuple[Any, ...]:
    return np.arange(48).reshape(16, 3) + 1, np.arange(24).reshape(4, 2, 3)


@cache
def ways(case: str) -> Ways:
    return Ways(loads(CASES[case]))


@pytest.mark.one_in(10)
@pytest.mark.parametrize("way", ["c-2", "opencl"])
@pytest.mark.parametrize("case", CASES)
def test_what_is_needed_of_rows_keeps_its_value(case: str, way: str) -> None:
    made = ways(case)
    assert same(made(way)(*given()), made.program.run(*given()))


@pytest.mark.one_in(10)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_by_their_schedules(seed: int) -> None:
    random = Random(seed)
    source = loads(program(random))
    i, matrix, cube = arguments(random)
    text = f"{i} {matrix.tolist()} {cube.tolist()}"
    expected = source.run_text(text)
    for options in (Options(), LITTLE):
        module = optimise(source.facts, "main", options)[1]
        assert module_outcome(module, text, by_schedule) == expected


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", COMPILED)
def test_random_programs_compiled(seed: int) -> None:
    random = Random(seed)
    made = Ways(loads(program(random)))
    values = arguments(random)
    assert same(made("c-2")(*values), made.program.run(*values))
