"""Loops on either side of a place that their iterations ask for: which, and that results stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.array import loads
from cogen.array.l0.arithmetic import WIDE
from cogen.array.loops import tree, treewalk
from cogen.array.loops.check import check
from cogen.array.loops.expressions import ONE, ZERO, natural
from cogen.array.loops.interpret import LoopMachine
from cogen.array.loops.memory import MemoryPlace, MemoryRegion
from cogen.array.loops.split_sides import MOST_STATEMENTS, split_sides
from cogen.array.loops.tree import BOOL, I64, Expr, Pointer, Statement, Var
from cogen.array.optimise.optimisations import Options
from cogen.array.optimise.preparing import prepare
from tests.cogen.array.loopways import loops_of

pytestmark = pytest.mark.quick

A, OUT = Var("a", Pointer(I64)), Var("out", Pointer(I64))
START, STOP, M, N = (Var(name, I64) for name in ("start", "stop", "m", "n"))
INDEX, S, X, Y, D, E = (Var(name, I64) for name in ("i", "s", "x", "y", "d", "e"))
BEFORE, SECOND = Var("before", BOOL), Var("second", BOOL)


def operate(row: str, *operands: Expr) -> Expr:
    return tree.Operate(row, operands, BOOL if row == "int.lt" else I64)


def looping(*body: Statement, mark: tree.Mark | None = None) -> tree.Function:
    """s after the iterations, each of which also notes x at its place."""
    loop = tree.For(INDEX, START, STOP, ONE, body, mark)
    end = tree.Store(OUT, ZERO, S)
    return tree.Function("f", (A, START, STOP, M, N, OUT), (tree.Variable(S, ONE), loop, end))


def combine(value: Expr) -> Statement:
    """The order of iterations counts."""
    return tree.Assign(S, operate("int.add", operate("int.mul", S, natural(3)), value))


ASKED = tree.Let(BEFORE, operate("int.lt", INDEX, M))
PAST = tree.Let(D, operate("int.sub", INDEX, M))
FAR = tree.Assign(X, operate("int.add", natural(100), D))
INNER = (
    PAST,
    tree.Let(SECOND, operate("int.lt", D, N)),
    tree.Variable(Y),
    tree.IfStatement(
        SECOND,
        (tree.Assign(Y, natural(7)),),
        (tree.Let(E, operate("int.sub", D, N)), tree.Assign(Y, operate("int.add", E, INDEX))),
    ),
    tree.Assign(X, Y),
)
NEAR = (tree.Assign(X, INDEX),)
DIVIDED: dict[str, tuple[tree.Function, int]] = {
    "branches": (
        looping(ASKED, tree.Variable(X), tree.IfStatement(BEFORE, NEAR, (PAST, FAR)), combine(X)),
        2,
    ),
    "three sides": (
        looping(ASKED, tree.Variable(X), tree.IfStatement(BEFORE, NEAR, INNER), combine(X)),
        4,
    ),
    "a choice": (
        looping(tree.Let(X, tree.Choose(operate("int.lt", INDEX, M), INDEX, M)), combine(X)), 2,
    ),
    "a choice by what is not so": (
        looping(ASKED, tree.Let(X, tree.Choose(tree.Not(BEFORE), INDEX, M)), combine(X)), 2,
    ),
    "what follows from numbers": (
        looping(ASKED, tree.Variable(X), tree.Variable(Y),
                tree.IfStatement(BEFORE, (tree.Assign(X, natural(2)),),
                                 (tree.Assign(X, natural(5)),)),
                tree.Let(D, operate("int.mod", operate("int.mul", X, natural(3)), natural(4))),
                tree.IfStatement(operate("int.lt", D, natural(3)), (tree.Assign(Y, INDEX),),
                                 (tree.Assign(Y, D),)),
                combine(Y)),
        2,
    ),
    "what is assigned again": (
        looping(ASKED, tree.Variable(X), tree.IfStatement(BEFORE, (tree.Assign(X, ONE),), NEAR),
                tree.For(E, ZERO, natural(2), ONE, (tree.Assign(X, operate("int.add", X, E)),)),
                combine(X)),
        4,
    ),
    "what only one side does": (looping(ASKED, tree.IfStatement(BEFORE, (combine(INDEX),))), 2),
    "what is stored": (
        looping(ASKED, tree.Variable(X), tree.IfStatement(BEFORE, NEAR, (PAST, FAR)),
                tree.Store(OUT, operate("int.add", ONE, INDEX), X), mark=tree.Apart()),
        2,
    ),
}  # fmt: skip


def run(function: tree.Function, start: int, stop: int, m: int, n: int) -> list[int]:
    check([function])
    given, out = MemoryRegion(bytearray(8)), MemoryRegion(bytearray(8 * 16))
    places = [MemoryPlace(region, 0, I64) for region in (given, out)]
    LoopMachine([function], WIDE).call("f", [places[0], start, stop, m, n, places[1]])
    return [MemoryPlace(out, 0, I64).moved(k).load() for k in range(16)]


def loops(function: tree.Function) -> list[tree.For]:
    return [s for s in treewalk.all_statements(function.body) if isinstance(s, tree.For)]


def asks(block: tree.Block) -> bool:
    """Whether anything is chosen in statements."""
    return any(
        isinstance(s, tree.IfStatement)
        or any(isinstance(x, tree.Choose) for e in treewalk.expressions(s)
               for x in treewalk.within(e))
        for s in treewalk.all_statements(block)
    )  # fmt: skip


@pytest.mark.parametrize("name", DIVIDED)
def test_no_iteration_asks(name: str) -> None:
    before, count = DIVIDED[name]
    (after,) = split_sides([before])
    found = loops(after)
    assert len(found) == count
    asking = [loop for loop in found if asks(loop.body)]
    # Where the first of two places lies outside, differences may wrap.
    assert len(asking) == (name == "three sides")
    assert {loop.mark for loop in found} == {loops(before)[0].mark}
    assert split_sides([after]) == (after,)


PLACES = st.integers(-3, 14) | st.sampled_from([-(2**63), 5 - 2**63, 2**63 - 1])


@pytest.mark.parametrize("name", DIVIDED)
@given(start=st.integers(0, 4), size=st.integers(0, 8), m=PLACES, n=PLACES)
def test_results_stay_wherever_the_place_is(
    name: str, start: int, size: int, m: int, n: int
) -> None:
    before, _ = DIVIDED[name]
    (after,) = split_sides([before])
    assert run(after, start, start + size, m, n) == run(before, start, start + size, m, n)


LEFT: dict[str, tree.Function] = {
    "a test of something else": looping(
        tree.Let(BEFORE, operate("int.lt", S, M)), tree.IfStatement(BEFORE, (combine(INDEX),))
    ),
    "a place that moves": looping(
        tree.Let(BEFORE, operate("int.lt", INDEX, S)), tree.IfStatement(BEFORE, (combine(INDEX),))
    ),
    "a place that is read": looping(
        tree.IfStatement(operate("int.lt", INDEX, tree.Load(A, ZERO)), (combine(INDEX),))
    ),
    "a test that only is a value": looping(
        ASKED, tree.Let(X, tree.Operate("bool.to_int", (BEFORE,), I64)), combine(X)
    ),
    "a loop that is left": looping(
        ASKED, tree.IfStatement(BEFORE, (tree.Break(),)), combine(INDEX)
    ),
    "much around": looping(
        ASKED, tree.IfStatement(BEFORE, (combine(INDEX),)), *[combine(INDEX)] * MOST_STATEMENTS
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_stays_one_loop(name: str) -> None:
    assert split_sides([LEFT[name]]) == (LEFT[name],)


def code(text: str, off: frozenset[str] = frozenset()) -> list[tree.For]:
    """The innermost loops of a program in C for one thread."""
    without = off | {"share", "streams", "blocks"}
    found = loops_of(prepare(loads(text).facts, "main", Options()), without)
    every = [loop for f in found.functions if isinstance(f, tree.Function) for loop in loops(f)]
    return [loop for loop in every if not any(isinstance(s, tree.For) for s in loop.body)]


def chooses(loop: tree.For) -> bool:
    """Whether an iteration goes one way or another; a check goes on or fails."""
    return any(isinstance(s, tree.IfStatement) and s.otherwise for s in loop.body)


TAKEN = {
    "reduce(op +, 0, concat(map(op *(2), a), map(op +(1), b)))": "int",
    "reduce(op +, 0, concat(a, concat(map(op *(2), a), b)))": "int",
    "scan(op ^, 0, concat(map(op *(2), a), map(op +(1), b)))": "[int]",
    "map(op *(3), concat(map(op *(2), a), map(op +(1), b)))": "[int]",
    "scatter(t, map(op &(7), a), concat(map(op *(2), b), map(op +(1), b)))": "[int]",
}


ASKING = {1: [False, False], 2: [False, False, False, True]}
"""Of how many concats, whether each loop asks where it is: one for numbers that are no sizes."""


@pytest.mark.one_in(2)
@pytest.mark.slow
@pytest.mark.parametrize("whole", TAKEN)
def test_a_concat_is_gone_through_one_side_after_the_other(whole: str) -> None:
    target = ", *[int] t" if "scatter" in whole else ""
    text = f"fun {TAKEN[whole]} main([int] a, [int] b{target}) = {whole}"
    sided, asking = code(text), code(text, frozenset({"sides"}))
    assert all(map(chooses, asking))
    assert [chooses(loop) for loop in sided] == ASKING[whole.count("concat")]
    b = np.arange(5) * 3 % 7
    a = np.arange(10) if target else np.arange(4)
    program = loads(text)
    for off in (Options(), Options(frozenset({"sides"}))):
        given = (a, b, np.zeros(8, np.int64))[: 3 if target else 2]
        expected = program.run(*given)
        found = program.compile(target="c", threads=2, options=off)(*given)
        assert np.array_equal(found, expected)
