"""CPS conversion: shapes of the IL, and that it means what core means."""

from __future__ import annotations

import pytest
from hypothesis import given

from cogen.lang import il
from cogen.lang.iltext import check, show
from cogen.lang.ilutil import all_blocks, conts, functions
from cogen.lang.load import loads
from tests.lang.running import failure, output
from tests.randomprograms import RandomProgram, programs


def body(text: str) -> str:
    """The IL of the only definition of a program, on one line."""
    (item,) = loads(text).items
    shown = " ".join(show(il.Program((item,))).split())
    return shown.removeprefix("(program ").removesuffix(")")


@given(programs())
def test_result_is_well_formed(program: RandomProgram) -> None:
    check(loads(program.text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(define (f x) x)", "(define f (lambda (x) k ((jump k x))))"),
        ("(define x 5)", "(value x k ((jump k '5)))"),
        (
            "(define (f x) (+ x 1 2))",
            "(define f (lambda (x) k ((let t (+ x '1)) (let t.1 (+ t '2)) (jump k t.1))))",
        ),
        ("(define (f) (+))", "(define f (lambda () k ((jump k '0))))"),
        (
            "(define (f x) (f (f x)))",
            "(define f (lambda (x) k ((conts (k.1 (t) ((call (global f) (t) k)))) "
            "(call (global f) (x) k.1))))",
        ),
        (
            "(define (f a b) (if (not a) 1 2))",
            "(define f (lambda (a b) k ((if a ((jump k '2)) ((jump k '1))))))",
        ),
        ("(define (f a) (if #t 1 a))", "(define f (lambda (a) k ((jump k '1))))"),
        (
            "(define (f a b) (if (and a b) 1 2))",
            "(define f (lambda (a b) k ((conts (k.1 () ((jump k '2)))) "
            "(if a ((if b ((jump k '1)) ((jump k.1)))) ((jump k.1))))))",
        ),
        (
            "(define (f a b) (if (or a b) 1 2))",
            "(define f (lambda (a b) k ((conts (k.1 () ((jump k '1)))) "
            "(if a ((jump k.1)) ((if b ((jump k.1)) ((jump k '2))))))))",
        ),
        (
            "(define (f x) (set! x (+ x 1)) x)",
            "(define f (lambda (x) k ((let x.1 (make-cell x)) (let t (cell-ref x.1)) "
            "(let x.2 (+ t '1)) (let t.1 (cell-set! x.1 x.2)) (let t.2 (cell-ref x.1)) "
            "(jump k t.2))))",
        ),
        (
            "(define (f x) (call/cc x))",
            "(define f (lambda (x) k ((call (prim call/cc) (x) k))))",
        ),
        ("(define (f) car)", "(define f (lambda () k ((jump k (prim car)))))"),
    ],
)
def test_shapes(text: str, expected: str) -> None:
    assert body(text) == expected


def test_chained_comparison_evaluates_all_operands_first() -> None:
    text = "(define (p x) (write x) x) (write (< (p 2) (p 1) (p 3)))"
    assert output(text) == "213#f"


def test_arms_share_what_follows() -> None:
    """Twenty conditionals in a row stay linear."""
    tests = " ".join("(if (car x) (write 1) (write 2))" for _ in range(20))
    program = loads(f"(define (f x) {tests} 3)")
    lets = sum(
        isinstance(binding, il.Let) for block in all_blocks(program) for binding in block.bindings
    )
    assert lets == 60


def test_local_procedures_are_grouped_by_recursion() -> None:
    program = loads(
        "(define (f x)"
        " (define (even n) (if (= n 0) #t (odd (- n 1))))"
        " (define (twice n) (even (* 2 n)))"
        " (define (odd n) (if (= n 0) #f (even (- n 1))))"
        " (twice x))"
    )
    (item,) = program.items
    assert isinstance(item, il.Define)
    groups = [
        [function.name for function in binding.functions]
        for binding in item.function.body.bindings
        if isinstance(binding, il.Fix)
    ]
    assert groups == [["even", "odd"], ["twice"]]


def test_values_between_procedures_need_no_cells() -> None:
    shown = show(loads("(define (f x) (define (g) y) (define y (* x 2)) (g))"))
    assert "make-cell" not in shown


def test_use_before_definition_is_an_error() -> None:
    error = failure("(define (f) (define (g) y) (define x (g)) (define y 2) x)\n(f)")
    assert error.message == "y is used before its definition"
    assert error.span is not None
    assert (error.span.line, error.span.column) == (1, 25)


def test_spans_are_kept() -> None:
    program = loads("(define (f x)\n  (car (f x)))")
    (item,) = program.items
    assert isinstance(item, il.Define)
    call = item.function.body.tail
    assert isinstance(call, il.Call)
    assert call.span is not None
    assert (call.span.line, call.span.column) == (2, 8)
    (cont,) = conts(item.function.body)
    (let,) = cont.body.bindings
    assert isinstance(let, il.Let)
    assert let.span is not None
    assert (let.span.line, let.span.column) == (2, 3)


def test_labels_are_source_names() -> None:
    program = loads("(define (f n) (let loop ((i 0)) (if (< i n) (loop (+ i 1)) i)))")
    (item,) = program.items
    assert isinstance(item, il.Define)
    assert [function.label for function in functions(item.function.body)] == ["loop"]


@pytest.mark.parametrize(
    "text",
    [
        "(+ 1 " * 10_000 + "1" + ")" * 10_000,
        "(if " * 10_000 + "1" + " 2 3)" * 10_000,
        "(let ((x " * 10_000 + "1" + ")) x)" * 10_000,
    ],
    ids=["calls", "tests", "lets"],
)
def test_deep_nesting(text: str) -> None:
    check(loads(f"(define x {text})"))
