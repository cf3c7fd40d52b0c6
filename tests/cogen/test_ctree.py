"""The C printer: parentheses, layout, long lines."""

from __future__ import annotations

import pytest

from cogen.target.cmove import in_order
from cogen.target.cnames import Namer, mangle
from cogen.target.cprint import print_expr, print_unit
from cogen.target.ctree import (
    Assign,
    Binary,
    Cast,
    Choose,
    Comment,
    Declare,
    For,
    Function,
    If,
    Index,
    Invoke,
    Label,
    Name,
    Return,
    Text,
    Unary,
    Unit,
    While,
    names_of,
)

pytestmark = pytest.mark.quick

A, B, C = Name("a"), Name("b"), Name("c")


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
        (Binary("-", A, Name("-1")), "a - -1"),
        (Cast("int64_t", Binary("+", A, B)), "(int64_t)(a + b)"),
        (Index(A, Binary("+", B, C)), "a[b + c]"),
        (Choose(Binary("<", A, B), A, Choose(B, A, C)), "a < b ? a : b ? a : c"),
        (Binary("+", Choose(A, B, C), A), "(a ? b : c) + a"),
        (Invoke("f", (A, Binary("+", B, C))), "f(a, b + c)"),
    ],
)
def test_expressions(expr, text):
    assert print_expr(expr) == text


def test_a_function():
    body = (
        Comment("ends */ here"),
        Declare("int64_t", "s", Name("0")),
        For(Declare("int64_t", "i", A), Binary("<", Name("i"), B),
            Assign(Name("i"), Name("1"), "+="), (Assign(Name("s"), Name("i"), "+="),)),
        While(A, (If(B, (Return(A),), (If(C, (Label("out"),), (Return(B),)),)),)),
        Return(Name("s")),
    )  # fmt: skip
    text = print_unit(Unit((Text("#include <stdint.h>"), Function("int64_t", "f", (), body, "f"))))
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
    total = Name("x0")
    for i in range(1, 40):
        total = Binary("+", total, Name(f"x{i}"))
    text = print_unit(Unit((Function("int", "f", (), (Return(total),)),)))
    assert all(len(line) <= 100 for line in text.splitlines())
    assert " ".join(text.split()) == "int f(void) { return " + print_expr(total) + "; }"


def test_names_of_statements():
    statement = If(A, (Declare("int", "x", B),), (Assign(Index(C, A), Name("y")),))
    assert sorted(names_of(statement)) == ["a", "a", "b", "c", "x", "y"]


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
    namer = Namer()
    exchanged = in_order([("a", B), ("b", A), ("c", C)], namer)
    assert exchanged == [("a_next", B, "a"), ("b", A, ""), ("a", Name("a_next"), "")]
    chain = in_order([("a", B), ("b", C), ("c", Name("1"))], namer)
    assert [target for target, _, _ in chain] == ["a", "b", "c"]
