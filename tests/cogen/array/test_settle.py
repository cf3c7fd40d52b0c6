"""Sequential loops that end where nothing changes any more: which, and that results stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cogen.array import loads
from cogen.array.l0.arithmetic import WIDE
from cogen.array.loops import tree
from cogen.array.loops.check import check
from cogen.array.loops.expressions import NULL, ONE, ZERO, natural
from cogen.array.loops.interpret import LoopMachine
from cogen.array.loops.memory import MemoryPlace, MemoryRegion
from cogen.array.loops.settle import settle
from cogen.array.loops.tree import BLOCK, BOOL, I64, Block, Expr, Pointer, Statement, Var
from cogen.lang.errors import CogenError

N, OUT = Var("n", I64), Var("out", Pointer(I64))
INDEX, X, Y, R, K = (Var(name, I64) for name in ("i", "x", "y", "r", "k"))
SMALL, ODD = Var("small", BOOL), Var("odd", BOOL)


def operate(row: str, *operands: Expr) -> Expr:
    return tree.Operate(row, operands, BOOL if row == "int.lt" else I64)


LESS = tree.Let(SMALL, operate("int.lt", X, natural(20)))
DOUBLED = operate("int.add", X, X)
CHOSEN = tree.Let(R, tree.Choose(SMALL, DOUBLED, X))
PLAIN = (LESS, CHOSEN, tree.Assign(X, R))


def looping(*body: Statement, mark: tree.Mark | None = None) -> tree.Function:
    """x and y after n iterations, from 1 on."""
    loop = tree.For(INDEX, ZERO, N, ONE, body, mark)
    start = (tree.Variable(X, ONE), tree.Variable(Y, ONE))
    end = (tree.Store(OUT, ZERO, X), tree.Store(OUT, ONE, Y))
    return tree.Function("f", (N, OUT), (*start, loop, *end))


def run(function: tree.Function, n: int) -> list[int]:
    check([function])
    out = MemoryRegion(bytearray(32))
    LoopMachine([function], WIDE).call("f", [n, MemoryPlace(out, 0, I64)])
    return [MemoryPlace(out, 0, I64).moved(k).load() for k in range(4)]


def branches(then: Block, otherwise: Block, test: Expr = SMALL) -> Block:
    """r is what the branches assign, and x becomes r."""
    return (LESS, tree.Variable(R), tree.IfStatement(test, then, otherwise), tree.Assign(X, R))


DOUBLE, STAY = (tree.Assign(R, DOUBLED),), (tree.Assign(R, X),)
B, B2, OWN = Var("b", BLOCK), Var("b2", BLOCK), Var("own", Pointer(I64))
ALLOCATED = (tree.Allocate(B, I64, ONE, 1), tree.Let(OWN, tree.Data(B, OWN.type)))
DROPPED = tree.Do(tree.Invoke("drop", (B,), BOOL))
STORED = tree.Store(OUT, natural(2), X)
SETTLING = {
    "a choice": PLAIN,
    "a choice the other way": (
        tree.Let(SMALL, operate("int.lt", natural(20), X)),
        tree.Let(R, tree.Choose(SMALL, X, DOUBLED)), tree.Assign(X, R),
    ),
    "branches": branches(DOUBLE, STAY),
    "branches the other way": (
        tree.Let(SMALL, operate("int.lt", natural(20), X)),
        tree.Variable(R), tree.IfStatement(SMALL, STAY, DOUBLE), tree.Assign(X, R),
    ),
    "two tests": (
        *PLAIN[:2],
        tree.Let(ODD, operate("int.lt", Y, natural(3))),
        tree.Let(K, tree.Choose(ODD, operate("int.add", Y, ONE), Y)),
        tree.Assign(X, R), tree.Assign(Y, K),
    ),
    "what stays in both branches": (
        *branches(DOUBLE, STAY), tree.Assign(Y, Y),
    ),
    "a store where something changes": branches((STORED, *DOUBLE), STAY),
    "a failure where something changes": branches(
        (tree.IfStatement(operate("int.lt", X, ZERO), (tree.Fail(1, ()),)), *DOUBLE), STAY
    ),
    "a store in memory of its own": (
        *ALLOCATED, tree.Store(OWN, ZERO, X), LESS,
        tree.Let(R, tree.Choose(SMALL, operate("int.add", X, tree.Load(OWN, ZERO)), X)),
        DROPPED, tree.Assign(X, R),
    ),
    "a loop within": (
        LESS, tree.Variable(K, X),
        tree.For(Var("j", I64), ZERO, natural(2), ONE, (
            tree.Assign(K, operate("int.add", K, ONE)),
            tree.IfStatement(SMALL, (tree.Break(),)),
        )),
        tree.Let(R, tree.Choose(SMALL, K, X)), tree.Assign(X, R),
    ),
}  # fmt: skip


@pytest.mark.parametrize("n", [0, 1, 4, 5, 6, 50])
@pytest.mark.parametrize("body", SETTLING.values(), ids=SETTLING)
def test_loops_that_settle(body: Block, n: int) -> None:
    before = looping(*body)
    (after,) = settle([before])
    assert run(after, n) == run(before, n)
    (loop,) = [s for s in after.body if isinstance(s, tree.For)]
    assert loop.body[-1] == tree.IfStatement(tree.Not(Var("more", BOOL)), (tree.Break(),))


def test_regions_are_kept_as_often() -> None:
    """An array that is carried: where nothing changes it is kept, and given up again."""
    kept = tree.Invoke("keep", (B,), BLOCK)
    region = Var("next", BLOCK)
    data = Pointer(I64)
    fresh = (tree.Allocate(B2, I64, ONE, 1), tree.Store(tree.Data(B2, data), ZERO, DOUBLED))
    then = (*fresh, tree.Assign(region, B2), *DOUBLE)
    body = (
        LESS, tree.Variable(R), tree.Variable(region),
        tree.IfStatement(SMALL, then, (tree.Assign(region, kept), *STAY)),
        DROPPED, tree.Assign(X, R), tree.Assign(B, region),
    )  # fmt: skip
    function = looping(*body)
    first = Var("first", BLOCK)
    start = (tree.Allocate(first, I64, ONE, 1), tree.Variable(B, first))
    end = (tree.Store(OUT, natural(2), tree.Load(tree.Data(B, data), ZERO)), DROPPED)
    whole = replace(function, body=(*start, *function.body, *end))
    (made,) = settle([whole])
    assert made != whole
    for n in (1, 3, 5, 9):
        assert run(made, n) == run(whole, n)


ADDED = tree.Let(R, tree.Choose(SMALL, operate("int.add", X, INDEX), X))
STEADY = {
    "the index is looked at": (LESS, ADDED, tree.Assign(X, R)),
    "what always changes": (*PLAIN, tree.Assign(Y, operate("int.add", Y, ONE))),
    "a store": (STORED, *PLAIN),
    "a store behind what changes": (*PLAIN, STORED),
    "a store where nothing else changes": branches(DOUBLE, (STORED, *STAY)),
    "a copy": (tree.Do(tree.Invoke("copy", (OUT, OUT, tree.SizeOf(I64)), BOOL)), *PLAIN),
    "what fails": (tree.IfStatement(operate("int.lt", Y, ZERO), (tree.Fail(1, ()),)), *PLAIN),
    "a call": (tree.CallStatement("g", ()), *PLAIN),
    "the value of another": (LESS, tree.Let(R, tree.Choose(SMALL, DOUBLED, Y)), tree.Assign(X, R)),
    "an end of its own": (
        LESS, tree.IfStatement(SMALL, (tree.Break(),)), CHOSEN, tree.Assign(X, R),
    ),
    "a sum": (LESS, tree.Assign(X, R, "+")),
    "a test that is no variable": (
        tree.Let(R, tree.Choose(operate("int.lt", X, ONE), DOUBLED, X)), tree.Assign(X, R),
    ),
    "nothing changes": (tree.Let(K, X),),
}  # fmt: skip


@pytest.mark.parametrize("body", STEADY.values(), ids=STEADY)
def test_loops_that_are_left_as_they_are(body: Block) -> None:
    function = looping(*body)
    assert settle([function]) == (function,)


def test_marked_loops_are_left_as_they_are() -> None:
    function = looping(*PLAIN, mark=tree.Apart())
    assert settle([function]) == (function,)


def test_a_region_that_is_none() -> None:
    """What was allocated elsewhere is not the iteration's own."""
    data = tree.Let(OWN, tree.Data(B, OWN.type))
    function = looping(data, tree.Store(OWN, ZERO, X), *PLAIN)
    whole = replace(function, body=(tree.Let(B, NULL), *function.body))
    assert settle([whole]) == (whole,)


def test_a_loop_that_nothing_ends_is_told_at_its_place() -> None:
    text = """fun int main(int n) =
  loop (x = n) = for i < 72057594037927936 do
    x + 1
  in x
"""
    with pytest.raises(CogenError, match="goes on while a test holds") as raised:
        loads(text).compile()
    span = raised.value.span
    assert span is not None
    assert span.source.text[span.start :].startswith(("loop (x", "x + 1"))
