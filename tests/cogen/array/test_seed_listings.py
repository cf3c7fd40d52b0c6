"""The figures and listings of seeds 000 and 001 (Rompf 2012 and 2013), written in L0, in the
Scheme-like language and in Python: they end in the printed columns from each alike."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.array import Program, loads, of_scheme
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import (
    Constant,
    If,
    Loop,
    Module,
    Node,
    Operation,
)
from tests.cogen.array.test_context import counted


@dataclass(frozen=True)
class Faces:
    """One program three times; `values` are the arguments it is made for."""

    l0: str
    scheme: str
    python: Callable[..., Any]

    def programs(self, *values: Any) -> dict[str, Program]:
        return {
            "L0": loads(f"fun {self.l0}"),
            "Scheme": of_scheme(cogen.loads(f"(define-array (main {self.scheme})", "w.scm")),
            "Python": cogen.stage(self.python).program(*values),
        }


# Code motion: what is computed where (000, section 4.3).  `foo` is exp(y).


def hoisted(n: int, x: bool, z: bool, y: float) -> Any:
    def one(i: int) -> float:
        if i > 0:
            return math.exp(y) if x else 0.0
        return 1.0

    return cogen.map(one, np.arange(n))


def forced_inside(n: int, x: bool, z: bool, y: float) -> Any:
    def one(i: int) -> float:
        if x:
            return math.exp(y) if i > 0 else 0.0
        return 1.0

    return cogen.map(one, np.arange(n))


def pushed_down(n: int, x: bool, z: bool, y: float) -> Any:
    if x:
        return cogen.map(lambda i: math.exp(y) + i, np.arange(n))
    return np.zeros(n)


def two_branches(n: int, x: bool, z: bool, y: float) -> Any:
    foo = math.exp(y)
    return (foo + 1.0 if x else 0.0), (foo * 2.0 if z else 7.0)


HEAD = "(n int) (x bool) (z bool) (y float))"
PARAMETERS = "(int n, bool x, bool z, real y)"
FIGURES = {
    "a conditional leaves the loop with what it needs": (
        Faces(
            f"[real] main{PARAMETERS} = map(fn real (int i) => if 0 < i then "
            "(if x then exp(y) else 0.0) else 1.0, iota(n))",
            f"{HEAD} (array-map (lambda (i) (if (< 0 i) (if x (exp y) 0.0) 1.0)) (array-iota n))",
            hoisted,
        ),
        lambda x, z: int(x),
    ),
    "what is forced inside leaves the loop without its conditional": (
        Faces(
            f"[real] main{PARAMETERS} = map(fn real (int i) => if x then "
            "(if 0 < i then exp(y) else 0.0) else 1.0, iota(n))",
            f"{HEAD} (array-map (lambda (i) (if x (if (< 0 i) (exp y) 0.0) 1.0)) (array-iota n))",
            forced_inside,
        ),
        lambda x, z: 1,
    ),
    "a loop in a branch has what it needs before it, there": (
        Faces(
            f"[real] main{PARAMETERS} = if x then map(fn real (int i) => exp(y) + toReal(i), "
            "iota(n)) else replicate(n, 0.0)",
            f"{HEAD} (if x (array-map (lambda (i) (+ (exp y) i)) (array-iota n)) "
            "(array-replicate n 0.0))",
            pushed_down,
        ),
        lambda x, z: int(x),
    ),
    "what two conditionals need is computed where one of them does": (
        Faces(
            f"{{real, real}} main{PARAMETERS} = let foo = exp(y) in "
            "{if x then foo + 1.0 else 0.0, if z then foo * 2.0 else 7.0}",
            f"{HEAD} (let ((foo (exp y))) (tuple (if x (+ foo 1.0) 0.0) (if z (* foo 2.0) 7.0)))",
            two_branches,
        ),
        lambda x, z: int(x or z),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("faces", "most"), FIGURES.values(), ids=FIGURES.keys())
def test_code_motion(faces: Faces, most: Callable[[bool, bool], int]) -> None:
    for name, program in faces.programs(4, True, False, 0.5).items():
        module = program.graph()
        for x, z in product((True, False), repeat=2):
            expected = faces.python(4, x, z, 0.5)
            np.testing.assert_allclose(program.run(4, x, z, 0.5), expected, rtol=1e-15)
            found = counted(module, f"4 {x} {z} 0.5")
            assert found.operations["real.exp"] <= most(x, z), (name, x, z)


# Context: what is known where a node is made again (000 and 001, chapter 5).


def copied(a: int) -> int:
    x = 7
    x = 5
    return x


def decided(c: bool, a: int, b: int, d: int) -> int:
    if c:
        return a if c else b
    return b if c else d


def split(c: bool, a: int, b: int, d: int) -> int:
    if c:
        a, b = 9, 1  # noqa: F841  # nothing needs it: that is what is shown
    else:
        d = 3
    return a + d


def speculative(n: int) -> Any:
    x, c, s = 7, 0, 0
    for _ in range(n):
        if x < 10:
            s = s + 1
        else:
            x = c
        s = s + x
        c = c + 1
    return x, c, s


OF_BRANCHES = "(bool c, int a, int b, int d)"
COPIED = Faces(
    "int main(int a) = let x = 7 in let x = 5 in x",
    "(a int)) (let ((x 7)) (set! x 5) x)",
    copied,
)
DECIDED = Faces(
    f"int main{OF_BRANCHES} = if c then (if c then a else b) else (if c then b else d)",
    "(c bool) (a int) (b int) (d int)) (if c (if c a b) (if c b d))", decided,
)  # fmt: skip
SPLIT = Faces(
    f"int main{OF_BRANCHES} = let {{a, b, d}} = if c then {{9, 1, d}} else {{a, b, 3}} in a + d",
    "(c bool) (a int) (b int) (d int)) (if c (begin (set! a 9) (set! b 1)) (set! d 3)) (+ a d)",
    split,
)
SPECULATIVE = Faces(
    "{int, int, int} main(int n) = loop ({x, c, s} = {7, 0, 0}) = for i < n do "
    "let s = if x < 10 then s + 1 else s in let x = if x < 10 then x else c in {x, c + 1, s + x} "
    "in {x, c, s}",
    "(n int)) (let ((x 7) (c 0) (s 0)) (do ((i 0 (+ i 1))) ((= i n) (tuple x c s)) "
    "(if (< x 10) (set! s (+ s 1)) (set! x c)) (set! s (+ s x)) (set! c (+ c 1))))",
    speculative,
)


def nodes(module: Module, kind: type[Node]) -> list[Any]:
    return [node for node in all_nodes(module.entry.body) if isinstance(node, kind)]


def test_copy_propagation_leaves_the_last_value() -> None:
    for name, program in COPIED.programs(1).items():
        (result,) = program.graph().entry.body.results
        assert isinstance(result, Constant), name
        assert result.value == 5


def test_a_condition_is_tested_once() -> None:
    for name, program in DECIDED.programs(True, 1, 2, 3).items():
        module = program.graph()
        (region,) = nodes(module, If)
        _, a, _, d = module.entry.parameters
        assert (region.then.results, region.otherwise.results) == ((a,), (d,)), name
        assert [program.run(c, 1, 2, 3) for c in (True, False)] == [1, 3]


def test_what_nothing_needs_of_a_conditional_goes() -> None:
    for name, program in SPLIT.programs(True, 1, 2, 3).items():
        (region,) = nodes(program.graph(), If)
        assert len(region.results) <= 2, name
        for c in (True, False):
            assert program.run(c, 1, 2, 4) == split(c, 1, 2, 4)


def test_speculation_finds_that_a_variable_never_changes() -> None:
    """`x = c` is never executed, so no test of x is left, and x is 7 behind the loop."""
    for name, program in SPECULATIVE.programs(5).items():
        module = program.graph()
        assert comparisons_of_x(module) == [], name
        (loop,) = nodes(module, Loop)
        assert len(loop.initial) <= 2, name
        assert not any(isinstance(node, If) for node in all_nodes(loop.body)), name
        x = module.entry.body.results[0]
        assert isinstance(x, Constant), name
        assert x.value == 7
        for n in (0, 1, 5):
            assert list(program.run(n)) == list(speculative(n))


def comparisons_of_x(module: Module) -> list[Any]:
    """The comparisons with 10."""
    tens = [node for node in nodes(module, Constant) if node.value == 10]
    return [node for node in nodes(module, Operation) if {*node.operands} & {*tens}]


def test_the_specializer_is_as_optimistic_as_the_graph() -> None:
    """What it leaves tests x no more, and the graph finds out nothing more of that."""
    source = cogen.loads(f"(define-array (main {SPECULATIVE.scheme})", "w.scm")
    residual = cogen.specialize(source, "main", cogen.dynamic("int"), generalize=True)
    assert not re.search(r"\b10\b", residual.scheme)
    loops = [
        nodes(g, Loop)
        for g in (residual.to_array().graph(), loads(f"fun {SPECULATIVE.l0}").graph())
    ]
    bodies = [[type(node) for node in all_nodes(loop.body)] for (loop,) in loops]
    assert all(If not in body for body in bodies)
