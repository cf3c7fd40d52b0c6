"""The C printer: parentheses, layout, long lines."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from cogen.backends.ctree import printer
from cogen.backends.ctree.check import check
from cogen.backends.ctree.lines import print_expr
from cogen.backends.ctree.literals import NULL, real, small
from cogen.backends.ctree.moves import in_order
from cogen.backends.ctree.names import Namer, mangle
from cogen.backends.ctree.printer import print_unit
from cogen.backends.ctree.tree import (
    CAlternatives,
    CAssign,
    CBinary,
    CBraces,
    CBreak,
    CCast,
    CChoose,
    CComment,
    CData,
    CDeclare,
    CDefine,
    CDo,
    CFor,
    CFunction,
    CGoto,
    CGuarded,
    CIf,
    CInclude,
    CIndex,
    CInvoke,
    CLabel,
    CLibrary,
    CNumber,
    CPragma,
    CPrototype,
    CReturn,
    CString,
    CSwitch,
    CThrough,
    CTitle,
    CTypedef,
    CUnary,
    CUnit,
    CVariable,
    CWhile,
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
    CBasic,
    CCallable,
    CConst,
    CPointer,
    CSpace,
    CVector,
    declared,
)
from cogen.backends.ctree.typing import type_of
from cogen.lang.errors import InternalError

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def _unwatched(monkeypatch):
    """Trees here are parts of programs: what they name is nowhere declared."""
    monkeypatch.setattr(printer, "watchers", [])


A, B, C, ROUND, S = (CVariable(name, I64) for name in "abcis")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (CBinary("+", A, CBinary("*", B, C)), "a + b * c"),
        (CBinary("*", CBinary("+", A, B), C), "(a + b) * c"),
        (CBinary("-", A, CBinary("-", B, C)), "a - (b - c)"),
        (CBinary("-", CBinary("-", A, B), C), "a - b - c"),
        (CBinary("&", CBinary(">>", A, B), C), "(a >> b) & c"),
        (CBinary("==", CBinary("&", A, B), C), "(a & b) == c"),
        (CBinary("|", CBinary("|", A, B), C), "a | b | c"),
        (CBinary("||", CBinary("&&", A, B), C), "(a && b) || c"),
        (CBinary("&&", CBinary("<", A, B), CBinary("==", B, C)), "a < b && b == c"),
        (CBinary("<", CBinary("<", A, B), C), "(a < b) < c"),
        (CUnary("-", CUnary("-", A)), "- -a"),
        (CUnary("!", CBinary("==", A, B)), "!(a == b)"),
        (CBinary("-", A, CNumber(-1, I32)), "a - -1"),
        (CCast(I64, CBinary("+", A, B)), "(int64_t)(a + b)"),
        (CIndex(A, CBinary("+", B, C)), "a[b + c]"),
        (CChoose(CBinary("<", A, B), A, CChoose(B, A, C)), "a < b ? a : b ? a : c"),
        (CBinary("+", CChoose(A, B, C), A), "(a ? b : c) + a"),
        (CInvoke("f", (A, CBinary("+", B, C)), I64), "f(a, b + c)"),
    ],
)
def test_expressions(expr, text):
    assert print_expr(expr) == text


def test_a_function():
    body = (
        CComment("ends */ here"),
        CDeclare(I64, "s", small(0)),
        CFor(CDeclare(I64, "i", A), CBinary("<", ROUND, B),
            CAssign(ROUND, small(1), "+="), (CAssign(S, ROUND, "+="),)),
        CWhile(A, (CIf(B, (CReturn(A),), (CIf(C, (CLabel("out"),), (CReturn(B),)),)),)),
        CReturn(S),
    )  # fmt: skip
    unit = CUnit((CLibrary("#include <stdint.h>"), CFunction(I64, "f", (), body, "f")))
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
    total = CVariable("x0", I64)
    for i in range(1, 40):
        total = CBinary("+", total, CVariable(f"x{i}", I64))
    text = print_unit(CUnit((CFunction(I64, "f", (), (CReturn(total),)),)))
    assert all(len(line) <= 100 for line in text.splitlines())
    assert " ".join(text.split()) == "int64_t f(void) { return " + print_expr(total) + "; }"


def test_names_of_statements():
    statement = CIf(A, (CDeclare(I64, "x", B),), (CAssign(CIndex(C, A), S),))
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
    temporary = CVariable("a_next", I64)
    assert exchanged == [(temporary, B, True), (B, A, False), (A, temporary, False)]
    chain = in_order([(A, B), (B, C), (C, small(1))], str.upper)
    assert [target for target, _, _ in chain] == [A, B, C]


P, X, BYTE = CVariable("p", CPointer(CConst(U32))), CVariable("x", DOUBLE), CVariable("byte", U8)


@pytest.mark.parametrize(
    ("t", "text"),
    [
        (I64, "int64_t v"), (CConst(I64), "const int64_t v"), (CPointer(I64), "int64_t *v"),
        (CConst(CPointer(CConst(U8))), "const uint8_t *const v"),
        (CPointer(I64, restrict=True), "int64_t *restrict v"),
        (CPointer(CPointer(CSpace("global", I64))), "__global int64_t **v"),
        (CVector("long", 4), "long4 v"),
        (CCallable(VOID, (I64, CPointer(I64))), "void (*v)(int64_t, int64_t *)"),
    ],
)  # fmt: skip
def test_types(t, text):
    assert declared(t, "v") == text


@pytest.mark.parametrize(
    ("expr", "t"),
    [
        (CBinary("+", CNumber(1, U32), CNumber(1, I32)), U32),
        (CBinary("+", CNumber(1, U32), A), I64), (CBinary("+", CNumber(1, U64), A), U64),
        (CBinary("<<", CNumber(1, I32), A), I32), (CBinary("+", BYTE, BYTE), I32),
        (CBinary("<", X, X), I32), (CBinary("*", X, A), DOUBLE), (CUnary("-", BYTE), I32),
        (CBinary("+", P, A), P.type), (CBinary("-", P, P), I64), (CIndex(P, A), CConst(U32)),
        (CUnary("&", A), CPointer(I64)), (CUnary("*", P), CConst(U32)), (CUnary("!", X), I32),
        (CChoose(A, CNumber(1, I32), X), DOUBLE), (CCast(FLOAT, X), FLOAT),
        (CBinary("<", CVariable("v", CVector("double", 4)), X), CVector("long", 4)),
        (CThrough(CVariable("f", CCallable(U8, ())), ()), U8),
    ],
)  # fmt: skip
def test_types_of_expressions(expr, t):
    assert type_of(expr) == t


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (CNumber(-(1 << 63), I64), "INT64_MIN"), (CNumber(-(1 << 31), I32), "INT32_MIN"),
        (CNumber(5, U32), "5u"), (CNumber(255, U64, hexadecimal=True), "UINT64_C(0xff)"),
        (CNumber(2.0**63, DOUBLE, hexadecimal=True), "0x1p63"), (real(1e22), "1e+22"),
        (real(0.1, FLOAT), "0.1f"), (real(float("nan")), "(double)NAN"),
        (real(float("-inf"), FLOAT), "-(float)INFINITY"),
        (CString(b'a"?\n'), '"a\\"\\077\\012"'),
        (CThrough(CCast(CCallable(VOID, ()), P), (A,)), "((void (*)(void))p)(a)"),
    ],
)  # fmt: skip
def test_literals(expr, text):
    assert print_expr(expr) == text


def test_there_are_no_literals_of_other_types():
    with pytest.raises(InternalError, match="C has no literal of type bool"):
        print_expr(CNumber(1, BOOL))


def test_a_file():
    function = CFunction(
        VOID, "f", (), (CPragma(("omp parallel if (", CBinary("<", A, B), ")")),
                        CTypedef(I64, "pair", "vector_size(16)"),
                        CAlternatives((("A", (CDo(A),)), ("1", (CDo(B),)))),
                        CSwitch(A, ((1, (CDo(B), CBreak())), (None, (CReturn(),))))),
        qualifiers="static",
    )  # fmt: skip
    table = CData(CConst(I64), "t", CBraces((("", small(1)), ("", small(2)))), 0)
    named = CData(CBasic("row"), "r", CBraces((("x", small(1)), ("y", A))), public=True)
    unit = CUnit((
        CTitle(("One", "two */")), CInclude("math.h"), CInclude("own.h", own=True),
        CGuarded("ifndef N", (CDefine("N", small(3)),)), CPrototype(function), function, table,
        named,
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
    return CFunction(result, "f", parameters, body)


def test_what_hangs_together():
    check(CUnit((
        function(CDeclare(I64, "s", CIndex(P, A)), CFor(None, None, None, (CBreak(),)),
                 CIf(P, (CGoto("end"),)), CAssign(P, NULL), CLabel("end"), CReturn(S)),
        function(CReturn(CInvoke("f", (A, B, P, CNumber(1, I32)), I64))),
    )))  # fmt: skip


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ((CReturn(C),), "there is no variable c"),
        ((CDeclare(I64, "s", A), CDeclare(I64, "s", A), CReturn(A)), "s is declared twice"),
        ((CIf(A, (CDeclare(I64, "s", A),)), CReturn(S)), "there is no variable s"),
        ((CReturn(CVariable("a", DOUBLE)),), "a is int64_t, not double"),
        ((CGoto("x"), CReturn(A)), "there is no label x"),
        ((CLabel("x"), CLabel("x"), CReturn(A)), "a label is there twice"),
        ((CBreak(), CReturn(A)), "a loop is left where there is none"),
        ((CSwitch(A, ((1, ()), (1, ()))), CReturn(A)), "a case is there twice"),
        ((CReturn(),), "what it returns"),
        ((CReturn(P),), "what it returns: const uint32_t \\* where int64_t is wanted"),
        ((CAssign(P, X), CReturn(A)), "what is assigned: double where const uint32_t"),
        ((CReturn(CBinary("&", A, X)),), "& is of type double"),
        ((CReturn(CIndex(A, A)),), "no array is indexed"),
        ((CReturn(CIndex(P, X)),), "an index is of type double"),
        ((CReturn(CInvoke("f", (A,), I64)),), "f takes 4 arguments"),
        ((CReturn(CInvoke("f", (A, B, A, X), I64)),), "f: p: int64_t where const uint32_t"),
        ((CReturn(CInvoke("f", (A, B, P, X), SIZE)),), "f gives int64_t"),
    ],
)
def test_what_does_not(body, message):
    with pytest.raises(InternalError, match=message):
        check(CUnit((function(*body),)))


ROOT = Path(__file__).parents[2]

CODE = re.compile(
    r"[;{]\s*\n|^\s*#\s*(if|ifdef|ifndef|include|define|pragma|endif|error)\b|\btypedef\b"
    r"|^\s*(static|const|return|goto)\b.*[;(]",
    re.MULTILINE,
)
"""What looks like C in a text."""

OTHER_TEXTS = {
    "cogen/backends/ctree/printer.py": "which prints the tree",
    "cogen/backends/ctree/names.py": "the words of C",
    "cogen/backends/kernel/direct_calls.py": "Python",
    "cogen/backends/python/python.py": "Python",
    "cogen/backends/native/single.py": "looks for definitions in a text",
    "cogen/array/l0/consuming.py": "a message",
}


@pytest.mark.slow
def test_no_text_holds_code() -> None:
    """C is made of trees, or it is in files of C."""
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("backends", "array")
        for path in (ROOT / "cogen" / folder).rglob("*.py")
        if any(CODE.search(text) for text in texts_of(path))
    }
    assert found == set(OTHER_TEXTS)


def texts_of(path: Path) -> list[str]:
    """The strings in a module, without those that document it."""
    nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    documenting = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documenting
    ]
