"""Facts of branches and of the conditions of generators; values that loops never change."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from cogen.array import loads
from cogen.array.ir.evaluate import Counts
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.marshal import LeafValue, to_leaves
from cogen.array.ir.node import (
    If,
    Loop,
    Module,
    Node,
    Operation,
    Trace,
)
from cogen.array.l0.valuetext import read_values
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.optimise import optimise
from cogen.array.optimise.rewriting import rewrite
from cogen.array.optimise.steplimit import Steps
from cogen.array.schedule.showschedule import show
from cogen.lang.deep import on_deep_stack
from cogen.lang.errors import CogenError, Source
from tests.cogen.array.comparing import by_evaluation, by_schedule, module_outcome, outcome, same
from tests.cogen.array.executing import Executor

pytestmark = pytest.mark.quick

WITHOUT = Options(frozenset({"context", "known"}))


def nodes(text: str, kind: type[Node], options: Options | None = None) -> list[Node]:
    """The nodes of a kind that are left of a program."""
    module = optimise(loads(text).facts, "main", options, verify=True)[1]
    return [node for node in all_nodes(module.entry.body) if isinstance(node, kind)]


def names(text: str) -> list[str]:
    """The scalar operations that are left."""
    return [str(node.attributes[0]) for node in nodes(text, Operation)]


DECIDED = {
    # Rompf 2012: if (c) { if (c) a else b } else ...
    "same": "fun int main(bool c, int a, int b, int d) = if c then (if c then a else b) else d",
    "negated": "fun int main(bool c, int a, int b) = if c then a else (if not c then b else a)",
    "part of a conjunction": "fun int main(bool c, bool e, int a, int b) = "
    "if c && e then (if e then a else b) else b",
    "what a conjunction excludes": "fun int main(bool c, bool e, int a, int b) = "
    "if e then (if c && e then a else (if c then b + 1 else b)) else a",
    "comparison": "fun int main(int x, int y, int a, int b) = "
    "if x < y then (if y <= x then a else b) else a",
    "made outside": "fun int main(bool c, int a, int b, int d) = "
    "let x = if c then a else b in if c then x * d else x - d",
}


@pytest.mark.parametrize("text", DECIDED.values(), ids=DECIDED.keys())
def test_a_condition_that_is_decided_is_not_tested_again(text: str) -> None:
    off = WITHOUT.off | {"same-condition"}
    assert len(nodes(text, If)) < len(nodes(text, If, Options(off)))


def test_the_listing_of_the_branches() -> None:
    text = DECIDED["same"]
    (region,) = nodes(text, If)
    assert isinstance(region, If)
    assert [node.type.kind for node in region.then.results] == ["int"]  # type: ignore[union-attr]
    assert region.then.results[0].name == "a"  # type: ignore[attr-defined]  # a parameter
    assert region.otherwise.results[0].name == "d"  # type: ignore[attr-defined]


def test_a_number_that_equals_a_constant_is_that_constant() -> None:
    text = "fun int main(int n, int x) = if n = 3 then n * x + n else x"
    assert names(text).count("int.mul") == 1
    (product,) = [node for node in nodes(text, Operation) if node.attributes[0] == "int.mul"]
    assert product.operands[1].attributes[0] == 3
    for values in ("3 5", "2 5"):
        check(text, values)


def test_a_number_stays_a_size() -> None:
    text = "fun [int] main(int n, [int] a) = if n = 3 then map(op +(n), a) else iota(n)"
    for values in ("3 [1, 2]", "2 [1]", "0 []"):
        check(text, values)


def test_what_a_filter_lets_through_is_not_tested_again() -> None:
    text = (
        "fun [int] main([int] a) = map(fn int (int x) => if 0 < x then x * 2 else x - 7, "
        "filter(fn bool (int x) => 0 < x, a))"
    )
    assert not nodes(text, If)
    assert sorted(names(text)) == ["int.lt", "int.mul"]
    check(text, "[3, -1, 0, 5]")


def test_a_check_that_a_filter_decides_stays_with_it() -> None:
    text = (
        "fun [int] main([int] a, [int] b) = "
        "map(fn int (int i) => if 0 <= i && i < size(b) then b[i] else 0, "
        "filter(fn bool (int i) => 0 <= i && i < size(b), a))"
    )
    for values in ("[3, -1, 0, 5, 1] [7, 8, 9]", "[3] []"):
        check(text, values)


# Rompf 2012 and 2013, the listings of speculative rewriting.
SPECULATIVE = (
    "fun {int, int} main(int n) = loop ({x, c} = {7, 0}) = for i < n do "
    "let x = if x < 10 then trace(x) else c in {x, c + 1} in {x, c}"
)


def test_what_a_loop_never_changes_is_its_initial_value() -> None:
    (loop,) = nodes(SPECULATIVE, Loop)
    assert isinstance(loop, Loop)
    assert [node.attributes[0] for node in loop.initial] == [0]
    (traced,) = nodes(SPECULATIVE, Trace)
    assert [node.attributes[0] for node in traced.operands] == [7]
    assert not nodes(SPECULATIVE, If)
    for values in ("0", "-1", "5"):
        check(SPECULATIVE, values)


STEADY = {
    "exchanged": "fun {int, int, int} main(int n, int k) = loop ({x, y, z} = {k, k, 0}) = "
    "for i < n do {y, x, z + x - y} in {x, y, z}",
    "nested": "fun {int, int} main(int n, int k) = loop ({x, c} = {3, 0}) = for i < n do "
    "(loop ({x, c} = {x, c}) = for j < k do {if x = 3 then x else c, c + x} in {x, c}) in {x, c}",
    "not steady": "fun {int, int} main(int n, int k) = loop ({x, c} = {3, 0}) = for i < n do "
    "{if c < k then x else c, c + x} in {x, c}",
    "array": "fun {[int], int} main(int n, int k) = loop ({x, c} = {iota(k), 0}) = for i < n do "
    "{if c < 0 then copy(x) else x, c + size(x)} in {x, c}",
}


@pytest.mark.parametrize("text", STEADY.values(), ids=STEADY.keys())
@pytest.mark.parametrize("values", ["0 4", "3 2", "6 0"])
def test_loops_with_values_that_may_stay(text: str, values: str) -> None:
    check(text, values)


def test_how_many_values_are_carried() -> None:
    carried = {
        name: [len(loop.initial) for loop in nodes(text, Loop) if isinstance(loop, Loop)]
        for name, text in STEADY.items()
    }
    assert carried == {"exchanged": [], "nested": [1, 1], "not steady": [2], "array": [1]}


def check(text: str, values: str) -> Counts:
    """The optimised program, and its schedule, give what the reference interpreter does, and
    compute no more than without facts; what was computed."""
    program = loads(text)
    expected = outcome(program, "main", values)
    counts = []
    for options in (Options(), WITHOUT):
        module = optimise(program.facts, "main", options, verify=True)[1]
        for run in (by_evaluation, by_schedule):
            found = module_outcome(module, values, run)
            assert same(found, expected), (text, values, options.off)
        counts.append(counted(module, values))
    with_facts, without = counts
    if ": error: " not in expected:
        assert sum(with_facts.operations.values()) <= sum(without.operations.values()), text
        assert with_facts.iterations <= without.iterations, text
    return with_facts


def counted(module: Module, text: str) -> Counts:
    """How much a module computes for some values, as it is scheduled."""
    function = module.entry
    names = list(function.parameter_names)
    leaves: list[LeafValue] = []
    sizes: list[int] = []
    for value, t in zip(
        read_values(Source("<values>", text), function.parameter_layouts, names),
        function.parameter_layouts,
        strict=True,
    ):
        found, dimensions = to_leaves(value, t)
        leaves += found
        sizes += dimensions
    counts = Counts()
    with suppress(CogenError):
        executor = Executor(module, counts)
        on_deep_stack(executor.function, function, [*sizes, *leaves])
    return counts


class Branching:
    """Random expressions with few conditions, so that many are decided by those around."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = 0
        self.ints = ["x", "y"]

    def condition(self, depth: int) -> str:
        random = self.random
        kind = random.randrange(8)
        if depth and kind < 3:
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            return f"({a} {random.choice(['&&', '||'])} {b})"
        if kind == 3:
            return f"(not {self.condition(depth)})"
        if kind == 4:
            a, b = random.choice(self.ints), random.choice([*self.ints, "2", "0"])
            return f"({a} {random.choice(['<', '<=', '='])} {b})"
        return random.choice(["p", "q"])

    def let(self, make: str, depth: int) -> str:
        self.names += 1
        name = f"v{self.names}"
        self.ints.append(name)
        body = self.number(depth)
        self.ints.pop()
        return f"(let {name} = {make} in {body})"

    def number(self, depth: int) -> str:
        random = self.random
        kind = random.randrange(12) if depth else 0
        if kind < 2:
            return random.choice([*self.ints, "1", "7"])
        if kind < 7:
            c = self.condition(1)
            return f"(if {c} then {self.number(depth - 1)} else {self.number(depth - 1)})"
        if kind < 8:
            return f"({self.number(depth - 1)} {random.choice('+-*')} {self.number(depth - 1)})"
        if kind < 10:
            return self.let(self.number(depth - 1), depth - 1)
        if kind < 11:
            return self.loop(depth)
        return self.filtered(depth)

    def loop(self, depth: int) -> str:
        start = f"{self.number(depth - 1)}, {self.number(0)}"
        self.ints += ["u", "w", "i"]
        following = f"{self.number(depth - 1)}, {self.number(depth - 1)}"
        del self.ints[-3:]
        which = self.random.choice(["u", "w", "u - w"])
        return (
            f"(loop ({{u, w}} = {{{start}}}) = for i < {self.random.choice('023')} do "
            f"{{{following}}} in {which})"
        )

    def filtered(self, depth: int) -> str:
        self.ints.append("e")
        test, value = self.condition(1), self.number(depth - 1)
        self.ints.pop()
        return (
            f"reduce(op +, 0, map(fn int (int e) => {value}, "
            f"filter(fn bool (int e) => {test}, [x, y, 3, 0])))"
        )


@pytest.mark.slow
@pytest.mark.one_in(24)
@pytest.mark.parametrize("seed", range(60))
def test_random_branches(seed: int) -> None:
    text = f"fun int main(bool p, bool q, int x, int y) = {Branching(Random(seed)).number(5)}"
    for values in ("True False 2 0", "False True 0 2", "True True 3 3"):
        check(text, values)


def test_facts_of_conditionals_that_stand_for_conjunctions() -> None:
    """A filter of a filter has `if c then d else False` as condition."""
    text = (
        "fun [int] main([int] a, int n) = map(fn int (int x) => if x < n then x else 0, "
        "filter(fn bool (int x) => x % 2 = 0, filter(fn bool (int x) => x < n, a)))"
    )
    assert len(nodes(text, If)) == 1
    check(text, "[1, 2, 3, 4, 5, 6] 5")


def test_the_graph_stays_the_same_when_nothing_is_left_to_do() -> None:
    for text in (*DECIDED.values(), SPECULATIVE, *STEADY.values()):
        graph, module = optimise(loads(text).facts, "main")
        again = rewrite(graph, module, Options(), Steps())
        assert show(again) == show(module)
