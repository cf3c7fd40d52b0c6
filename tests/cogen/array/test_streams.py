"""Loops over what flatMap and concat put together: random pipelines, and what they compute."""

from __future__ import annotations

from random import Random

import pytest

from cogen.array import loads
from cogen.array.node import Append, Concat, Multiloop
from cogen.array.optimisations import Options
from cogen.array.optimise import optimise
from cogen.array.walk import all_nodes
from tests.cogen.array.comparing import by_evaluation, by_schedule, module_outcome, outcome, same
from tests.cogen.array.test_context import counted

pytestmark = pytest.mark.quick

WITHOUT = Options(frozenset({"each", "concat"}))


class Stream:
    """Random pipelines of ints."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def scalar(self, x: str) -> str:
        return self.random.choice([f"{x} + 1", f"{x} * k", f"{x} % 5", f"k - {x}"])

    def source(self) -> str:
        return self.random.choice(["a", "b", "iota(k)", "[k, 2]"])

    def array(self, depth: int) -> str:
        random = self.random
        kind = random.randrange(7) if depth else 0
        if kind == 0:
            return self.source()
        inner = self.array(depth - 1)
        if kind == 1:
            return f"map(fn int (int x) => {self.scalar('x')}, {inner})"
        if kind == 2:
            return f"filter(fn bool (int x) => x % 3 < {random.randrange(1, 3)}, {inner})"
        if kind in (3, 4):
            body = random.choice(
                ["iota(abs(x) % 4)", "map(op +(x), iota(2))", "filter(op <(x), b)", "[x, x * 2]"]
            )
            return f"flatMap(fn [int] (int x) => {body}, {inner})"
        return f"concat({inner}, {self.array(depth - 1)})"

    def result(self) -> str:
        random = self.random
        kind = random.randrange(7)
        array = self.array(3)
        if kind == 0:
            return f"reduce(op +, 0, {array})"
        if kind == 1:
            return f"size({array})" if array.isidentifier() else f"(let y = {array} in size(y))"
        if kind == 2:
            return f"(let y = {array} in reduce(op +, size(y), distinct(y)))"
        if kind == 3:
            return (
                f"(let y = map(fn int (int x) => abs(x) % 4, {array}) in "
                f"reduce(op *, 1, bucketReduce(op +, 0, 4, y, y)))"
            )
        if kind == 4:
            return (
                f"(let y = map(fn int (int x) => abs(x) % 4, {array}) in "
                f"reduce(op +, 0, scatter(iota(4), y, map(op *(3), y))))"
            )
        if kind == 5:
            return f"(let y = scan(op +, 0, {array}) in reduce(op +, size(y), y))"
        return f"(let y = {array} in reduce(op +, 0, map(op +(1), y)) - reduce(op +, 0, y))"

    def program(self) -> str:
        results = ", ".join([self.result(), self.result(), self.result()])
        head = "fun {int, int, int, [int]} main(int k, [int] a, [int] b) ="
        return f"{head} {{{results}, {self.array(3)}}}"


@pytest.mark.parametrize("seed", range(40))
def test_random_pipelines(seed: int) -> None:
    text = Stream(Random(seed)).program()
    program = loads(text)
    for values in ("3 [1, 2, 5] [4]", "0 [] [0, 7]", "2 [6] []"):
        expected = outcome(program, "main", values)
        for options in (Options(), WITHOUT):
            module = optimise(program.facts, "main", options, verify=True)[1]
            for run in (by_evaluation, by_schedule):
                assert same(module_outcome(module, values, run), expected), (text, values)


def test_nothing_is_stored_and_nothing_computed_twice() -> None:
    text = (
        "fun int main([int] a) = "
        "let b = flatMap(fn [int] (int n) => map(op *(n), iota(n)), a) in "
        "reduce(op +, 0, b) * reduce(op *, 1, map(op +(1), b))"
    )
    module = optimise(loads(text).facts, "main", verify=True)[1]
    generators = [
        g for n in all_nodes(module.entry.body) if isinstance(n, Multiloop) for g in n.generators
    ]
    assert not any(isinstance(g, Append) for g in generators)
    found = counted(module, "[3, 0, 2]")
    assert found.iterations == 3 + 5
    assert found.elements == 0
    assert found.operations["int.mul"] == 5 + 5 + 3 + 1  # made, combined, totals


def test_a_concat_that_is_needed_is_made_once() -> None:
    text = (
        "fun {[int], int} main([int] a) = "
        "let b = concat(map(op *(2), a), a) in {b, reduce(op +, 0, b)}"
    )
    module = optimise(loads(text).facts, "main", verify=True)[1]
    assert len([n for n in all_nodes(module.entry.body) if isinstance(n, Concat)]) == 1
