"""What nothing uses is left out of C functions."""

from __future__ import annotations

import pytest

from cogen.array.codegen.unused import without_unused
from cogen.target import ctree as ct


def declared(name: str, value: str | None = None, type_: str = "int") -> ct.Declare:
    return ct.Declare(type_, name, None if value is None else ct.Name(value))


def assigned(target: str, value: str, operator: str = "=") -> ct.Assign:
    return ct.Assign(ct.Name(target), ct.Name(value), operator)


def returned(value: str) -> ct.Return:
    return ct.Return(ct.Name(value))


def left(*body: ct.Statement) -> tuple[ct.Statement, ...]:
    (found,) = without_unused([ct.Function("int", "f", ("int a",), body)])
    return found.body


Body = tuple[ct.Statement, ...]
ONE, END = ct.Name("1"), returned("a")

GONE: dict[str, Body] = {
    "a constant": (declared("x", "a + 1"),),
    "one that another needs that nothing needs": (declared("x", "a"), declared("y", "x + 1")),
    "a call without effect": (declared("x", "int_div(a, a)"), declared("t", "omp_get_thread()")),
    "what is assigned only": (declared("x", "1"), assigned("x", "a")),
    "what is assigned in a conditional": (
        declared("x", "1"), declared("t", "a"),
        ct.If(ct.Name("t == 0"), (assigned("x", "t"),)),
    ),
    "a comparison": (declared("x", "a == 1"), declared("y", "a <= 1"), declared("z", "a != 1")),
    "an array that is stored in only": (declared("x[8]"), assigned("x[a]", "a")),
    "what a field is called like": (declared("code", "a"), declared("y", "a->code + b.code")),
    "a conditional without statements": (ct.If(ct.Name("a < 1"), (), ()),),
}  # fmt: skip

KEPT: dict[str, Body] = {
    "what is read": (declared("x", "a"), returned("x")),
    "what is read before it is assigned again": (
        declared("x", "0"),
        ct.While(ct.Name("a"), (declared("y", "x"), assigned("*a", "y"), assigned("x", "a"))),
    ),
    "a call with an effect": (declared("x", "cogen_alloc(a)"),),
    "an initial value that counts": (declared("x", "a[1]++"),),
    "an initial value that stores": (declared("x", "(*a = 2)"),),
    "what is assigned with an effect": (declared("x"), assigned("x", "take(a)")),
    "memory behind a pointer": (declared("x", "a", "int *"), assigned("x[0]", "a")),
    "memory behind a pointer that stays": (declared("x", "a", "int *const"), assigned("x[0]", "a")),
    "what an operator reads": (declared("x", "1"), assigned("x", "a", "+=")),
    "what an index reads": (
        declared("x", "1"), declared("y[2]"), assigned("y[x]", "a"), returned("y[1]"),
    ),
    "what an extent reads": (declared("n", "a"), declared("y[n]"), returned("y[1]")),
    "what a pragma names": (declared("x", "1"), ct.Pragma("omp simd reduction(+:x)"), ct.Scope(())),
    "a conditional with an effect": (ct.If(ct.Name("take(a)"), ()),),
    "what one branch reads": (declared("x", "1"), ct.If(ct.Name("a"), (), (assigned("*a", "x"),))),
    "what a loop reads": (
        declared("x", "1"), declared("y", "2"),
        ct.For(declared("i", "x"), ct.Name("i < y"), assigned("i", "1", "+="), ()),
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", GONE.values(), ids=GONE)
def test_what_goes(body: Body) -> None:
    assert left(*body, END) == (END,)


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_what_stays(body: Body) -> None:
    assert left(*body, END) == (*body, END)


def test_variables_of_one_name() -> None:
    """The inner one is not read, the outer one is."""
    inner = ct.Scope((declared("m", "worker"),))
    body = (declared("m", "a"), inner, returned("m"))
    assert left(*body) == (declared("m", "a"), ct.Scope(()), returned("m"))
    inner = ct.Scope((declared("m", "worker"), assigned("*a", "m")))
    assert left(declared("m", "a"), inner, END) == (inner, END)


def test_parameters_go_with_their_arguments() -> None:
    def call(*arguments: str) -> ct.If:
        return ct.If(ct.Invoke("g", tuple(map(ct.Name, arguments))), (END,))

    g = ct.Function("bool", "g", ("int n", "int *p", "struct b *p_block"), (returned("*p"),))
    f = ct.Function("int", "f", ("int a", "int b"), (
        declared("x", "a * 2"), ct.Scope((call("x", "&y", "NULL"),)), END,
    ))  # fmt: skip
    found = without_unused([g, f])
    assert found == [
        ct.Function("bool", "g", ("int *p",), (returned("*p"),)),
        ct.Function("int", "f", ("int a", "int b"), (ct.Scope((call("&y"),)), END)),
    ]


def test_parameters_that_are_only_passed_on_stay() -> None:
    call = ct.Invoke("g", (ct.Name("n"),))
    g = ct.Function("bool", "g", ("int n",), (ct.If(call, (END,)),))
    assert without_unused([g, ct.Function("int", "f", (), (END,))])[0] == g
