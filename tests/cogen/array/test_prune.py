"""What nothing uses is left out of loops."""

from __future__ import annotations

import pytest

from cogen.array.loops import tree
from cogen.array.loops.check import check
from cogen.array.loops.expressions import NULL, ONE, ZERO
from cogen.array.loops.prune import prune, prune_kernels
from cogen.array.loops.tree import (
    BLOCK,
    BOOL,
    I64,
    THREAD,
    Block,
    Expr,
    Kernel,
    Pointer,
    Statement,
    Var,
)

pytestmark = pytest.mark.quick

SUM = tree.Combination("+", 0, "int.add")
A, X, Y = (Var(name, I64) for name in "axy")
OUT = Var("out", Pointer(I64))
P = Var("p", Pointer(I64))
PLUS = tree.Binary("+", A, ONE)
IS_ONE = tree.Binary("==", A, ONE)
EFFECT: Expr = tree.Invoke("number", (P, A), I64)


def returned(e: Expr) -> Statement:
    return tree.Store(OUT, ZERO, e)


def left(*body: Statement) -> Block:
    (found,) = prune([tree.Function("f", (A, OUT, P), body)])
    return found.body


END = returned(A)

GONE: dict[str, Block] = {
    "a constant": (tree.Let(X, PLUS),),
    "one that another needs that nothing needs": (
        tree.Let(X, A), tree.Let(Y, tree.Binary("+", X, ONE)),
    ),
    "a call without effect": (tree.Let(X, tree.Invoke("count", (A, A), I64)),),
    "what is assigned only": (tree.Variable(X, ONE), tree.Assign(X, A)),
    "what is added to only": (tree.Variable(X, ONE), tree.Assign(X, A, "+")),
    "what is assigned in a conditional": (
        tree.Variable(X, ONE), tree.Let(Y, A),
        tree.IfStatement(tree.Binary("==", Y, ONE), (tree.Assign(X, Y),)),
    ),
    "room that is stored in only": (tree.Room(P, A), tree.Store(P, A, A)),
    "a conditional without statements": (tree.IfStatement(IS_ONE, ()),),
}  # fmt: skip

KEPT: dict[str, Block] = {
    "what is read": (tree.Let(X, A), returned(X)),
    "what is read before it is assigned again": (
        tree.Variable(X, ZERO),
        tree.While(IS_ONE, (tree.Let(Y, X), returned(Y), tree.Assign(X, A))),
    ),
    "a call with an effect": (tree.Let(X, EFFECT),),
    "what is assigned with an effect": (tree.Variable(X), tree.Assign(X, EFFECT)),
    "memory behind an address": (tree.Let(Var("q", P.type), P), tree.Store(Var("q", P.type), A, A)),
    "what an index reads": (
        tree.Let(X, ONE), tree.Room(Var("q", P.type), ONE), tree.Store(Var("q", P.type), X, A),
        returned(tree.Load(Var("q", P.type), ZERO)),
    ),
    "what room reads": (
        tree.Let(X, A), tree.Room(Var("q", P.type), X),
        returned(tree.Load(Var("q", P.type), ZERO)),
    ),
    "what a mark names": (
        tree.Variable(X, ONE), tree.For(Y, ZERO, A, ONE, (), tree.Lanes(((SUM, X),))),
    ),
    "a conditional with an effect": (tree.IfStatement(tree.Invoke("room", (P, A, A), BOOL), ()),),
    "what one branch reads": (tree.Let(X, ONE), tree.IfStatement(IS_ONE, (), (returned(X),))),
    "what a loop reads": (tree.Let(X, ONE), tree.For(Y, X, A, ONE, ())),
    "a region": (tree.Allocate(Var("b", BLOCK), I64, A, 1),),
}  # fmt: skip


@pytest.mark.parametrize("body", GONE.values(), ids=GONE)
def test_what_goes(body: Block) -> None:
    assert left(*body, END) == (END,)


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_what_stays(body: Block) -> None:
    assert left(*body, END) == (*body, END)


def test_the_number_of_threads() -> None:
    """A team's number is there for whoever reads it, or must know whether a thread failed."""
    got, thread, parts, start, stop = (
        Var(name, THREAD) for name in ("got", "thread", "parts", "start", "stop")
    )

    def team(*body: Statement) -> tree.Parallel:
        return tree.Parallel(A, got, thread, parts, A, start, stop, body)

    declared = tree.Variable(got, ONE)
    lone = tree.Parallel(A, None, thread, parts, A, start, stop, (END,))
    assert left(declared, team(END)) == (lone,)
    assert left(declared, team(END), returned(got)) == (declared, team(END), returned(got))
    failing = team(tree.Fail(1, ()))
    assert left(declared, failing) == (declared, failing)


def test_parameters_go_with_their_arguments() -> None:
    n, q, block = Var("n", I64), Var("q", Pointer(I64)), Var("q_block", BLOCK)
    g = tree.Function("g", (n, q, block), (tree.Store(q, ZERO, ONE),))
    call = tree.CallStatement("g", (X, tree.Address(Y), NULL))
    body = (tree.Let(X, PLUS), tree.Variable(Y), call, END)
    found = prune([g, tree.Function("f", (A, OUT, P), body)])
    smaller = tree.CallStatement("g", (tree.Address(Y),))
    assert found == (
        tree.Function("g", (q,), g.body),
        tree.Function("f", (A, OUT), (tree.Variable(Y), smaller, END)),
    )


def test_an_address_stays_with_its_region() -> None:
    """The region that is given up is that of the address before it, not of the one before that."""
    region, other = Var("region", BLOCK), Var("q", Pointer(I64))
    dropped = tree.Do(tree.Invoke("drop", (region,), BOOL))
    used = tree.Store(OUT, ZERO, tree.Load(P, ZERO))
    function = tree.Function("f", (OUT, P, other, region, X), (dropped, used))
    check([function])
    (found,) = prune([function])
    assert found.parameters == (OUT, P, other, region)
    check([found])


def test_parameters_that_are_only_passed_on_stay() -> None:
    g = tree.Function("g", (A,), (tree.CallStatement("g", (A,)),))
    assert prune([g]) == (g,)


def test_kernels_keep_their_parameters() -> None:
    kernel = Kernel("k", (A, OUT, P), Y, A, (tree.Let(X, PLUS), END))
    assert prune_kernels([kernel]) == (Kernel("k", (A, OUT, P), Y, A, (END,)),)
