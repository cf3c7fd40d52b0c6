"""Where the parameters of procedures stand in the source."""

from __future__ import annotations

import pytest

from cogen.lang import il
from cogen.lang.load import loads
from cogen.lang.signature import parameter_place

pytestmark = pytest.mark.quick

PLACES = [
    # the program, the places of the parameters of `f`
    ("(define (f x  yes) x)", ["1:12 x", "1:15 yes"]),
    ("(define (f x . more) x)", ["1:12 x", "1:16 more", "1:16 more"]),
    ("(define (f . more) 1)", ["1:14 more", "1:14 more"]),
    ("(define f\n  (lambda (x #;no y) x))", ["2:12 x", "2:19 y"]),
    ("(define f\n  (lambda all 1))", ["2:11 all", "2:11 all"]),
    ("(define (f |a b|) 1)", ["1:12 |a b|"]),
    ("(define (f x x1) (lambda (x) x))", ["1:12 x", "1:14 x1"]),
    # what has no parameters that can be seen is told as a whole
    ("(define-syntax d (syntax-rules () ((_ n) (define (n x) x))))\n(d f)", ["2:1 (d f)"]),
    ("(define f (case-lambda ((x) x) ((x y) y)))",
     ["1:11 (case-lambda ((x) x) ((x y) y))"]),
    ("(define (f) 1)", ["1:1 (define (f) 1)"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "places"), PLACES)
def test_where_parameters_stand(text: str, places: list[str]) -> None:
    program = loads(text, "t.scm")
    (function,) = [
        item.function for item in program.items if isinstance(item, il.Define) and item.name == "f"
    ]
    found = [parameter_place(function, index) for index in range(len(places))]
    assert [
        f"{span.line}:{span.column} {span.source.text[span.start : span.end]}"
        for span in found
        if span is not None
    ] == places


def test_a_procedure_without_a_place() -> None:
    body = il.Block((), il.Jump("k", ()))
    assert parameter_place(il.Function("f", ("x",), None, "k", body), 0) is None
