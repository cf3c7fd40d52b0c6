"""The C printer: parentheses, layout, long lines."""

from __future__ import annotations

import pytest

from cogen.backends.ctree import printer
from cogen.backends.ctree.check import check
from cogen.backends.ctree.lines import print_expr
from cogen.backends.ctree.literals import NULL, real, small
from cogen.backends.ctree.moves import in_order
from cogen.backends.ctree.names import Namer, mangle
from cogen.backends.ctree.printer import print_unit
from cogen.backends.ctree.tree import (
    Alternatives,
    Assign,
    Binary,
    Braces,
    Break,
    Cast,
    Choose,
    Comment,
    Data,
    Declare,
    Define,
    Do,
    For,
    Function,
    Goto,
    Guarded,
    If,
    Include,
    Index,
    Invoke,
    Label,
    Library,
    Number,
    Pragma,
    Prototype,
    Return,
    String,
    Switch,
    Through,
    Title,
    Typedef,
    Unary,
    Unit,
    Variable,
    While,
    names_of,
)
from cogen.backends.ctree.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    I32,
    I64,
    SIZE,
    U8,
    U32,
    U64,
    VOID,
    Basic,
    Callable,
    Const,
    Pointer,
    Space,
    Vector,
    declared,
)
from cogen.backends.ctree.typing import type_of
from cogen.lang.errors import InternalError

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def _unwatched(monkeypatch):
    """Trees here are parts of programs: what they name is nowhere declared."""
    monkeypatch.setattr(printer, "watchers", [])


A, B, C, ROUND, S = (Variable(name, I64) for name in "abcis")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (Binary("+", A, Binary("*", B, C)), "a + b * c"),
        (Binary("*", Binary("+", A, B), C), "(a + b) * c"),
        (Binary("-", A, Binary("-", B, C)), "a - (b - c)"),
        (Binary("-", Binary("-", A, B), C), "a - b - c"),
        (Binary("&", Binary(">>", A, B), C), "(a >> b) & c"),
        (Binary("==", Binary("&", A, B), C), "(a & b) == c"),
        (Binary("|", Binary("|", A, B), C), "a | b | c"),
        (Binary("||", Binary("&&", A, B), C), "(a && b) || c"),
        (Binary("&&", Binary("<", A, B), Binary("==", B, C)), "a < b && b == c"),
        (Binary("<", Binary("<", A, B), C), "(a < b) < c"),
        (Unary("-", Unary("-", A)), "- -a"),
        (Unary("!", Binary("==", A, B)), "!(a == b)"),
        (Binary("-", A, Number(-1, I32)), "a - -1"),
        (Cast(I64, Binary("+", A, B)), "(int64_t)(a + b)"),
        (Index(A, Binary("+", B, C)), "a[b + c]"),
        (Choose(Binary("<", A, B), A, Choose(B, A, C)), "a < b ? a : b ? a : c"),
        (Binary("+", Choose(A, B, C), A), "(a ? b : c) + a"),
        (Invoke("f", (A, Binary("+", B, C)), I64), "f(a, b + c)"),
    ],
)
def test_expressions(expr, text):
    assert print_expr(expr) == text


def test_a_function():
    body = (
        Comment("ends */ here"),
        Declare(I64, "s", small(0)),
        For(Declare(I64, "i", A), Binary("<", ROUND, B),
            Assign(ROUND, small(1), "+="), (Assign(S, ROUND, "+="),)),
        While(A, (If(B, (Return(A),), (If(C, (Label("out"),), (Return(B),)),)),)),
        Return(S),
    )  # fmt: skip
    unit = Unit((Library("#include <stdint.h>"), Function(I64, "f", (), body, "f")))
    text = print_unit(unit)
    assert (
        text
        == """\
#include <stdint.h>

/* f */
int64_t f(void)
{
    /* ends * / here */
    int64_t s = 0;
    for (int64_t i = a; i < b; i++) {
        s += i;
    }
    while (a) {
        if (b) {
            return a;
        } else if (c) {
        out:;
        } else {
            return b;
        }
    }
    return s;
}
"""
    )


def test_long_lines_are_broken_at_operators():
    total = Variable("x0", I64)
    for i in range(1, 40):
        total = Binary("+", total, Variable(f"x{i}", I64))
    text = print_unit(Unit((Function(I64, "f", (), (Return(total),)),)))
    assert all(len(line) <= 100 for line in text.splitlines())
    assert " ".join(text.split()) == "int64_t f(void) { return " + print_expr(total) + "; }"


def test_names_of_statements():
    statement = If(A, (Declare(I64, "x", B),), (Assign(Index(C, A), S),))
    assert sorted(names_of(statement)) == ["a", "a", "b", "c", "s", "x"]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("load-sample!", "load_sample"), ("zero?", "zero_p"), ("int->float", "int_to_float"),
        ("x.12", "x"), ("1+", "v1_plus"), ("while", "while_"), ("exp", "exp_"), ("λ", "u3bb"),
        ("...", "v"), ("cogen_fail", "cogen_fail_"), ("a--b", "a_b"), ("main", "main_"),
    ],
)  # fmt: skip
def test_names(source, name):
    assert mangle(source) == name


def test_names_are_given_once():
    namer = Namer({"taken"})
    assert [namer.fresh(n) for n in ("taken", "a-b", "a.b", "a_b")] == [
        "taken_2", "a_b", "a_b_2", "a_b_3",
    ]  # fmt: skip


def test_simultaneous_assignment():
    exchanged = in_order([(A, B), (B, A), (C, C)], lambda name: f"{name}_next")
    temporary = Variable("a_next", I64)
    assert exchanged == [(temporary, B, True), (B, A, False), (A, temporary, False)]
    chain = in_order([(A, B), (B, C), (C, small(1))], str.upper)
    assert [target for target, _, _ in chain] == [A, B, C]


P, X, BYTE = Variable("p", Pointer(Const(U32))), Variable("x", DOUBLE), Variable("byte", U8)


@pytest.mark.parametrize(
    ("t", "text"),
    [
        (I64, "int64_t v"), (Const(I64), "const int64_t v"), (Pointer(I64), "int64_t *v"),
        (Const(Pointer(Const(U8))), "const uint8_t *const v"),
        (Pointer(I64, restrict=True), "int64_t *restrict v"),
        (Pointer(Pointer(Space("global", I64))), "__global int64_t **v"),
        (Vector("long", 4), "long4 v"),
        (Callable(VOID, (I64, Pointer(I64))), "void (*v)(int64_t, int64_t *)"),
    ],
)  # fmt: skip
def test_types(t, text):
    assert declared(t, "v") == text


@pytest.mark.parametrize(
    ("expr", "t"),
    [
        (Binary("+", Number(1, U32), Number(1, I32)), U32),
        (Binary("+", Number(1, U32), A), I64), (Binary("+", Number(1, U64), A), U64),
        (Binary("<<", Number(1, I32), A), I32), (Binary("+", BYTE, BYTE), I32),
        (Binary("<", X, X), I32), (Binary("*", X, A), DOUBLE), (Unary("-", BYTE), I32),
        (Binary("+", P, A), P.type), (Binary("-", P, P), I64), (Index(P, A), Const(U32)),
        (Unary("&", A), Pointer(I64)), (Unary("*", P), Const(U32)), (Unary("!", X), I32),
        (Choose(A, Number(1, I32), X), DOUBLE), (Cast(FLOAT, X), FLOAT),
        (Binary("<", Variable("v", Vector("double", 4)), X), Vector("long", 4)),
        (Through(Variable("f", Callable(U8, ())), ()), U8),
    ],
)  # fmt: skip
def test_types_of_expressions(expr, t):
    assert type_of(expr) == t


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (Number(-(1 << 63), I64), "INT64_MIN"), (Number(-(1 << 31), I32), "INT32_MIN"),
        (Number(5, U32), "5u"), (Number(255, U64, hexadecimal=True), "UINT64_C(0xff)"),
        (Number(2.0**63, DOUBLE, hexadecimal=True), "0x1p63"), (real(1e22), "1e+22"),
        (real(0.1, FLOAT), "0.1f"), (real(float("nan")), "(double)NAN"),
        (real(float("-inf"), FLOAT), "-(float)INFINITY"),
        (String(b'a"?\n'), '"a\\"\\077\\012"'),
        (Through(Cast(Callable(VOID, ()), P), (A,)), "((void (*)(void))p)(a)"),
    ],
)  # fmt: skip
def test_literals(expr, text):
    assert print_expr(expr) == text


def test_there_are_no_literals_of_other_types():
    with pytest.raises(InternalError, match="C has no literal of type bool"):
        print_expr(Number(1, BOOL))


def test_a_file():
    function = Function(
        VOID, "f", (), (Pragma(("omp parallel if (", Binary("<", A, B), ")")),
                        Typedef(I64, "pair", "vector_size(16)"),
                        Alternatives((("A", (Do(A),)), ("1", (Do(B),)))),
                        Switch(A, ((1, (Do(B), Break())), (None, (Return(),))))),
        qualifiers="static",
    )  # fmt: skip
    table = Data(Const(I64), "t", Braces((("", small(1)), ("", small(2)))), 0)
    named = Data(Basic("row"), "r", Braces((("x", small(1)), ("y", A))), public=True)
    unit = Unit((
        Title(("One", "two */")), Include("math.h"), Include("own.h", own=True),
        Guarded("ifndef N", (Define("N", small(3)),)), Prototype(function), function, table, named,
    ))  # fmt: skip
    assert (
        print_unit(unit)
        == """\
/* One
   two * / */

#include <math.h>
#include "own.h"

#ifndef N
#define N 3
#endif

static void f(void);

static void f(void)
{
#pragma omp parallel if (a < b)
    typedef int64_t pair __attribute__((vector_size(16)));
#if A
    a;
#elif 1
    b;
#endif
    switch (a) {
    case 1:
        b;
        break;
    default:
        return;
    }
}

static const int64_t t[] = {
    1, 2
};

row r = {
    .x = 1,
    .y = a
};
"""
    )


def function(*body, parameters=(A, B, P, X), result=I64):
    return Function(result, "f", parameters, body)


def test_what_hangs_together():
    check(Unit((
        function(Declare(I64, "s", Index(P, A)), For(None, None, None, (Break(),)),
                 If(P, (Goto("end"),)), Assign(P, NULL), Label("end"), Return(S)),
        function(Return(Invoke("f", (A, B, P, Number(1, I32)), I64))),
    )))  # fmt: skip


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ((Return(C),), "there is no variable c"),
        ((Declare(I64, "s", A), Declare(I64, "s", A), Return(A)), "s is declared twice"),
        ((If(A, (Declare(I64, "s", A),)), Return(S)), "there is no variable s"),
        ((Return(Variable("a", DOUBLE)),), "a is int64_t, not double"),
        ((Goto("x"), Return(A)), "there is no label x"),
        ((Label("x"), Label("x"), Return(A)), "a label is there twice"),
        ((Break(), Return(A)), "a loop is left where there is none"),
        ((Switch(A, ((1, ()), (1, ()))), Return(A)), "a case is there twice"),
        ((Return(),), "what it returns"),
        ((Return(P),), "what it returns: const uint32_t \\* where int64_t is wanted"),
        ((Assign(P, X), Return(A)), "what is assigned: double where const uint32_t"),
        ((Return(Binary("&", A, X)),), "& is of type double"),
        ((Return(Index(A, A)),), "no array is indexed"),
        ((Return(Index(P, X)),), "an index is of type double"),
        ((Return(Invoke("f", (A,), I64)),), "f takes 4 arguments"),
        ((Return(Invoke("f", (A, B, A, X), I64)),), "f: p: int64_t where const uint32_t"),
        ((Return(Invoke("f", (A, B, P, X), SIZE)),), "f gives int64_t"),
    ],
)
def test_what_does_not(body, message):
    with pytest.raises(InternalError, match=message):
        check(Unit((function(*body),)))
