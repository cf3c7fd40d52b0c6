"""Conditionals that become one, or fall apart; what is computed only for branches that run."""

from __future__ import annotations

from random import Random

import pytest

from cogen.array import loads
from cogen.array.ir.evaluate import Counts
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import (
    If,
    Multiloop,
    Node,
    Operation,
)
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.optimise import optimise
from tests.cogen.array.comparing import by_evaluation, by_schedule, module_outcome, outcome, same
from tests.cogen.array.test_context import counted

pytestmark = pytest.mark.quick

RULES = frozenset({"same-condition", "split-condition", "delay"})
WITHOUT = Options(RULES)


def nodes(text: str, kind: type[Node], off: frozenset[str] = frozenset()) -> list[Node]:
    """The nodes of a kind that are left of a program."""
    module = optimise(loads(text).facts, "main", Options(off), verify=True)[1]
    return [node for node in all_nodes(module.entry.body) if isinstance(node, kind)]


def check(text: str, values: str, more: int = 0) -> Counts:
    """All ways give what the reference interpreter does; with the rules no more is computed, by
    the schedule's places. What was."""
    program = loads(text)
    expected = outcome(program, "main", values)
    found = []
    for options in (Options(), WITHOUT):
        module = optimise(program.facts, "main", options, verify=True)[1]
        for run in (by_evaluation, by_schedule):
            assert same(module_outcome(module, values, run), expected), (text, values)
        found.append(counted(module, values))
    ours, others = found
    if ": error: " not in expected:
        assert ours.iterations <= others.iterations + more, text
    return ours


LOOPS = {
    "two reductions": (
        "fun {int, int} main(bool c, [int] a) = "
        "let s = if c then reduce(op +, 0, a) else 0 in "
        "let t = if c then reduce(op *, 1, a) else 1 in {s, t}",
        1, 1,
    ),
    "a producer and its consumer": (
        "fun int main(bool c, [int] a) = "
        "let x = if c then map(op +(1), a) else map(op *(2), a) in "
        "if c then reduce(op +, 0, x) else reduce(op *, 1, x)",
        1, 2,
    ),
    "what is between goes into the branches": (
        "fun int main(bool c, [int] a) = "
        "let x = (if c then reduce(op +, 0, a) else 3) * 2 in "
        "if c then reduce(op +, x, map(op *(3), a)) else x + 1",
        1, 2,
    ),
    "the negation": (
        "fun {int, int} main(bool c, [int] a) = "
        "let s = if c then reduce(op +, 0, a) else 0 in "
        "let t = if not c then 5 else reduce(op *, 1, a) in {s, t}",
        1, 1,
    ),
    "traces keep their order": (
        "fun {int, int} main(bool c, [int] a) = "
        "let s = if c then trace(reduce(op +, 0, a)) else 0 in "
        "let u = trace(s) in "
        "let t = if c then trace(reduce(op *, u, a)) else 1 in {s, t}",
        2, 2,
    ),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.slow
@pytest.mark.parametrize(("text", "branches", "loops"), LOOPS.values(), ids=LOOPS.keys())
def test_one_conditional(text: str, branches: int, loops: int) -> None:
    assert len(nodes(text, If)) == branches
    assert len(nodes(text, Multiloop)) == loops
    for c in ("True", "False"):
        for a in ("[]", "[3, 4, 5]"):
            check(text, f"{c} {a}")


def test_the_listing_of_splitting_and_combining() -> None:
    """Rompf 2012: of three variables that a conditional assigns, the two needed stay in one."""
    text = (
        "fun int main(bool c, int a, int b, int d) = "
        "let {a, b, d} = if c then {9, 1, d} else {a, b, 3} in a + d"
    )
    (region,) = nodes(text, If)
    assert isinstance(region, If)
    assert len(region.results) == 2


def test_results_that_one_branch_needs_go_there() -> None:
    text = (
        "fun int main(bool c, bool d, [int] a, [int] b) = "
        "let {s, t} = if c then {reduce(op +, 0, a), reduce(op *, 1, b)} else {0, 1} in "
        "if d then s + t else s"
    )
    outer = [node for node in nodes(text, If) if isinstance(node, If) and len(node.results) > 1]
    assert outer == []
    assert len(nodes(text, If)) == 3
    assert check(text, "True False [1, 2] [3, 4, 5]").iterations == 2
    assert check(text, "True True [1, 2] [3, 4, 5]").iterations == 5


def test_what_branches_have_in_common_is_not_computed_twice() -> None:
    text = (
        "fun int main(bool c, bool d, [int] a) = "
        "let {s, t} = if c then let n = reduce(op +, 0, a) in {n, n * n} else {0, 1} in "
        "if d then s + t else s"
    )
    assert check(text, "True True [1, 2]").iterations == 2


DELAYED = {
    "loop": (
        "fun {int, int} main(bool c, bool d, [int] a) = let s = reduce(op +, 0, a) in "
        "{if c then s + 1 else 0, if d then s * 2 else 7}",
        "TT TF FT",
    ),
    "through cheap operations": (
        "fun {int, int} main(bool c, bool d, [int] a) = let s = reduce(op +, 0, a) * 2 + 1 in "
        "{if c then s + 1 else 0, if d then s * 2 else 7}",
        "TT TF FT",
    ),
    "in a branch of a branch": (
        "fun {int, int} main(bool c, bool d, [int] a) = let s = reduce(op +, 0, a) in "
        "{if c then (if d then s else 2) else 0, if d then s * 2 else 7}",
        "TT TF FT",
    ),
    "in the other branch": (
        "fun {int, int} main(bool c, bool d, [int] a) = let s = reduce(op +, 0, a) in "
        "{if c then 0 else s + 1, if d then s * 2 else 7}",
        "TT FT FF",
    ),
}


@pytest.mark.parametrize(("text", "runs"), DELAYED.values(), ids=DELAYED.keys())
def test_what_two_branches_need_is_computed_once_or_not_at_all(text: str, runs: str) -> None:
    for c in ("True", "False"):
        for d in ("True", "False"):
            found = check(text, f"{c} {d} [1, 2, 3]")
            assert found.iterations == (3 if f"{c[0]}{d[0]}" in runs else 0), (c, d)
    assert len(nodes(text, Multiloop)) == 1


def test_a_condition_that_needs_it_delays_nothing() -> None:
    text = (
        "fun {real, real} main(real x, real y) = let s = exp(x) in "
        "let u = if x < 1.0 then s + 1.0 else 0.0 in {u, if u < y then s * 2.0 else 7.0}"
    )
    names = [node.attributes[0] for node in nodes(text, Operation)]
    assert "bool.or" not in names
    check(text, "0.5 1.5")


class Branching:
    """Random programs of loops in conditionals with few conditions, bound by let."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.ints = ["x"]
        self.arrays = ["a", "b"]

    def condition(self) -> str:
        return self.random.choice(["p", "p", "q", "not p", "p && q", "x < 2", "2 <= x"])

    def number(self, depth: int = 2) -> str:
        random = self.random
        kind = random.randrange(6) if depth else 0
        if kind < 2:
            return random.choice([*self.ints, "1"])
        if kind < 4:
            return f"reduce(op {random.choice('+*')}, {random.choice('01')}, {self.array(depth)})"
        return f"({self.number(depth - 1)} {random.choice('+-*')} {self.number(depth - 1)})"

    def array(self, depth: int = 2) -> str:
        random = self.random
        kind = random.randrange(4) if depth else 0
        if kind < 2:
            return random.choice(self.arrays)
        if kind == 2:
            return f"map(op {random.choice('+*')}({self.number(0)}), {self.array(depth - 1)})"
        return f"filter(op <({random.choice(['x', '2'])}), {self.array(depth - 1)})"

    def program(self) -> str:
        random = self.random
        lines = []
        for number in range(random.randrange(3, 8)):
            kind = random.randrange(5)
            names = f"s{number}", f"t{number}"
            if kind == 0:
                lines.append(f"let {names[0]} = {self.number()} in")
                self.ints.append(names[0])
            elif kind == 1:
                made = f"if {self.condition()} then {self.array()} else {self.array()}"
                lines.append(f"let {names[1]} = {made} in")
                self.arrays.append(names[1])
            elif kind == 2:
                made = f"if {self.condition()} then {self.number()} else {self.number()}"
                lines.append(f"let {names[0]} = {made} in")
                self.ints.append(names[0])
            else:
                arms = [f"{{{self.number()}, {self.array()}}}" for _ in range(2)]
                made = f"if {self.condition()} then {arms[0]} else {arms[1]}"
                lines.append(f"let {{{names[0]}, {names[1]}}} = {made} in")
                self.ints.append(names[0])
                self.arrays.append(names[1])
        result = f"{{{self.ints[-1]}, {self.number()}, {self.array()}}}"
        text = " ".join(lines)
        head = "fun {int, int, [int]} main(bool p, bool q, int x, [int] a, [int] b) ="
        return f"{head} {text} {result}"


@pytest.mark.slow
@pytest.mark.one_in(64)
@pytest.mark.parametrize("seed", range(60))
def test_random_conditionals_with_loops(seed: int) -> None:
    text = Branching(Random(seed)).program()
    for values in ("True False 2 [1, 2] []", "False True 1 [3] [1, 4, 2]", "True True 5 [] [2]"):
        check(text, values)
