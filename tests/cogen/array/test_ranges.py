"""What range analysis proves, and what it must not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.array import loads
from cogen.array.ir.blockscope import BlockScope
from cogen.array.ir.evaluate import Counts, EvaluationFrame, Evaluator
from cogen.array.ir.graph import Graph
from cogen.array.ir.graphtypes import INT
from cogen.array.ir.linear import Linear
from cogen.array.ir.node import (
    Block,
    Function,
    Module,
    Node,
    Parameter,
)
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.operators import GREATEST, LEAST
from cogen.array.l0.types import BOOL as BOOL_LAYOUT
from cogen.array.optimise.indexranges import Ranges
from cogen.array.optimise.optimisations import combine
from cogen.array.optimise.optimise import optimise
from cogen.array.optimise.steplimit import Steps
from cogen.lang.errors import Source, Span

pytestmark = pytest.mark.quick

Make = Callable[..., Node]


class Setting:
    """A scope in a loop of n iterations with index i; n is a size, x any int."""

    def __init__(self, rules: bool = True, arithmetic: Arithmetic = WIDE) -> None:
        self.graph = Graph(combine(frozenset(), Steps()) if rules else None, arithmetic)
        self.outer = BlockScope(self.graph, prove=Ranges(self.graph, Steps()))
        self.n, self.m, self.x, self.i = [self.graph.parameter(name, INT) for name in "nmxi"]
        for size in (self.n, self.m):
            self.outer.learn(self.op("int.le", 0, size), self.graph.checked)
            self.outer.learn(self.op("int.le", size, arithmetic.max_elements), self.graph.checked)
        self.scope = self.outer.inner()
        self.scope.learn_index(self.i, self.n)

    def op(self, name: str, *operands: Node | int) -> Node:
        nodes = [self.graph.integer(n) if isinstance(n, int) else n for n in operands]
        return self.graph.operation(name, *nodes)

    def knows(self, condition: Node) -> bool:
        return self.scope.holds(condition) is not None


def test_an_index_is_within_its_loop() -> None:
    s = Setting()
    assert s.knows(s.op("int.le", s.op("int.add", s.i, 1), s.n))
    assert s.knows(s.op("int.lt", s.op("int.mul", s.i, 2), s.op("int.mul", s.n, 2)))
    assert s.knows(s.op("int.le", 0, s.op("int.sub", s.n, s.op("int.add", s.i, 1))))
    assert s.knows(s.op("bool.not", s.op("int.eq", s.i, s.n)))
    assert s.knows(s.op("int.lt", 0, s.n))
    assert not s.knows(s.op("int.lt", s.op("int.add", s.i, 1), s.n))
    assert not s.knows(s.op("int.lt", s.i, s.m))
    assert not s.knows(s.op("int.lt", s.i, s.x))


def test_what_is_known_comes_with_its_certificate() -> None:
    s = Setting()
    assert s.scope.holds(s.op("int.lt", 0, s.n)) is s.scope.token
    assert s.outer.holds(s.op("int.lt", 0, s.n)) is None
    assert s.outer.holds(s.op("int.le", -5, s.n)) is s.graph.checked
    cert = s.scope.require(s.op("int.lt", s.i, s.m), "i is too large")
    proof = s.scope.holds(s.op("int.lt", s.i, s.op("int.add", s.m, 3)))
    assert proof is not None
    assert cert in (proof, *proof.certs)
    assert len(s.scope.effects) == 1


def test_sums_that_may_wrap_around_are_not_taken_apart() -> None:
    s = Setting()
    assert not s.knows(s.op("int.lt", s.x, s.op("int.add", s.x, 1)))
    assert not s.knows(s.op("int.le", 0, s.op("int.mul", s.i, GREATEST)))
    s.scope.learn(s.op("int.lt", s.x, s.n))
    assert s.knows(s.op("int.lt", s.x, s.op("int.add", s.x, 1)))


def test_what_is_not_equal_and_not_less_is_more() -> None:
    s = Setting()
    s.scope.learn(s.op("bool.not", s.op("int.eq", s.i, 0)))
    assert s.knows(s.op("int.le", 0, s.op("int.sub", s.i, 1)))
    s.scope.learn(s.op("bool.not", s.op("int.eq", s.i, s.op("int.sub", s.n, 1))))
    assert s.knows(s.op("int.lt", s.op("int.add", s.i, 1), s.n))


def test_quotients_and_remainders_by_constants_are_bounded() -> None:
    s = Setting()
    half = s.op("int.div", s.i, 2)
    assert s.knows(s.op("int.lt", half, s.n))
    assert s.knows(s.op("int.le", 0, half))
    rest = s.op("int.mod", s.x, 8)
    assert s.knows(s.op("int.lt", rest, 8))
    assert s.knows(s.op("int.le", 0, rest))
    assert not s.knows(s.op("int.lt", rest, 7))
    rest = s.op("int.mod", s.x, s.m)
    assert not s.knows(s.op("int.le", 0, rest))
    s.scope.learn(s.op("bool.not", s.op("int.eq", s.m, 0)))
    assert s.knows(s.op("int.le", 0, rest))
    assert s.knows(s.op("int.lt", rest, s.m))
    assert not s.knows(s.op("int.lt", rest, s.n))


def test_alternatives_and_conjunctions() -> None:
    s = Setting()
    yes, no = s.op("int.lt", s.i, s.n), s.op("int.lt", s.i, s.m)
    assert s.knows(s.op("bool.or", no, yes))
    assert not s.knows(s.op("bool.and", no, yes))


LINEAR = st.tuples(*[st.integers(-3, 3)] * 3, st.integers(-6, 6))


def linear(s: Setting, factors: tuple[int, ...]) -> Node:
    terms = [s.op("int.mul", atom, f) for atom, f in zip((s.n, s.i, s.x), factors, strict=False)]
    total = s.op("int.add", terms[0], terms[1])
    return s.op("int.add", s.op("int.add", total, terms[2]), factors[3])


@given(
    goals=st.lists(st.tuples(LINEAR, LINEAR), min_size=1, max_size=4),
    facts=st.lists(st.tuples(LINEAR, LINEAR), min_size=1, max_size=4),
    n=st.integers(0, 9),
    i=st.integers(0, 9),
    x=st.one_of(st.integers(-9, 9), st.integers(LEAST, GREATEST)),
)
def test_what_is_proven_holds(
    goals: list[tuple[tuple[int, ...], ...]],
    facts: list[tuple[tuple[int, ...], ...]],
    n: int,
    i: int,
    x: int,
) -> None:
    """Whatever was learned before, and asked for between."""
    s = Setting(rules=False)
    wanted = [s.op("int.le", *[linear(s, factors) for factors in goal]) for goal in goals]
    for fact in facts:
        known = s.op("int.le", *[linear(s, factors) for factors in fact])
        s.scope.learn(known)
        if i >= n or not value(s, known, (n, i, x)):
            return
        for condition in wanted:
            assert not s.knows(condition) or value(s, condition, (n, i, x))


@given(order=st.permutations([1, 2, 3, 4, 5, 6]), least=st.integers(0, 6))
def test_of_what_tells_the_same_enough_is_kept(order: list[int], least: int) -> None:
    """n - 6i >= 0 tells what n - i >= 0 does, and nothing that is forgotten was needed."""
    s = Setting()
    for factor in order:
        s.scope.learn(s.op("int.le", s.op("int.mul", s.i, factor), s.n))
    for factor in range(8):
        condition = s.op("int.le", s.op("int.mul", s.i, factor), s.op("int.add", s.n, least))
        assert s.knows(condition) is (factor <= 6)


CHAINS = {
    "one size": ("int k", "k"),
    "sizes of their own": ("[int] k", "k[{i}]"),
    "halves": ("int k", "size(a{i}) / 2"),
}


@pytest.mark.one_in(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", CHAINS)
def test_what_is_looked_at_grows_with_the_program(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parameter, size = CHAINS[name]
    added = 0
    plus = Linear.plus

    def counting(*arguments: Any, **named: Any) -> Linear:
        nonlocal added
        added += 1
        return plus(*arguments, **named)

    monkeypatch.setattr(Linear, "plus", counting)
    found = []
    for count in (10, 20, 40):
        added = 0
        lines = [f"fun int main([int] a0, {parameter}) ="]
        for i in range(count):
            lines.append(f"  let {{x{i}, a{i + 1}}} = split({size.format(i=i)}, a{i}) in")
        lines.append("  " + " + ".join([f"reduce(op +, 0, x{i})" for i in range(count)]))
        optimise(loads("\n".join(lines)).facts, "main")
        found.append(added)
    assert found[2] - found[1] < 3.2 * (found[1] - found[0])


def value(s: Setting, node: Node, arguments: tuple[int, ...]) -> bool:
    """A condition on n, i and x."""
    token = s.graph.parameter("here", s.scope.token.type)
    body = Block(token, (s.n, s.i, s.x), (), (node,))
    span = Span(Source("<test>", ""), 0, 0)
    function = Function("f", body, 0, 0, (), (), (), BOOL_LAYOUT, span, False)
    module, a = Module(function, {}), s.graph.arithmetic
    evaluator = Evaluator(module, lambda layout, shown: None, Counts(), a)
    return bool(evaluator.value(node, EvaluationFrame(body, arguments, None)))


@pytest.mark.parametrize("name", ["int.max", "int.min"])
def test_the_larger_of_two_is_bounded(name: str) -> None:
    s = Setting()
    found = s.op(name, s.i, s.x)
    assert isinstance(s.i, Parameter)
    assert s.knows(s.op("int.le", s.i, found)) is (name == "int.max")
    assert s.knows(s.op("int.le", found, s.i)) is (name == "int.min")
