"""Buckets, groups and their like in the Scheme-like language: every way of running them gives the
same; what is known ahead is carried out; mistakes are told in the source's terms."""

from __future__ import annotations

from typing import Any

import pytest

import cogen
from cogen.convert import from_datum
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from tests.cogen.array.targets import Ways
from tests.cogen.array.test_forms import FLOATS, INTS, body, residual

ALL = """(import (array))
(define (f n keys xs)
  (let-tuple (offsets sorted) (array-bucket-collect n keys xs)
    (let-tuple (names limits grouped)
        (array-group-by (lambda (k) (tuple (even? k) (quotient k 2))) keys)
      (let-tuple (evens halves) (array-unzip names 2)
        (tuple (array-bucket-reduce + 0.0 n keys xs) offsets sorted halves limits grouped
               (array-reduce-segments max 0.0 offsets sorted)
               (array-flat-map (lambda (k) (array-iota k)) keys)
               (array-distinct keys)
               (array-scatter xs keys xs))))))"""

ARGUMENTS = [
    (4, (3, 1, 1, 0), (1.0, 2.0, 3.0, 4.0)),
    (3, (1, 1), (0.5, 0.25)),
    (2, (), ()),
    (9, (8, 2, 5, 2, 8, 7, 2, 0, 1), tuple(i / 4 for i in range(9))),
]


def lists(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [lists(part) for part in value] if isinstance(value, list | tuple) else value


@pytest.mark.one_in(6)
@pytest.mark.parametrize("known", [(), (0,), (1,), (0, 1), (2,), (0, 1, 2)])
def test_all_ways_of_running_give_the_same(known: tuple[int, ...]) -> None:
    types = ("int", INTS, FLOATS)
    interpreter = Interpreter(cogen.loads(ALL))
    interpreter.run()
    for row in ARGUMENTS:
        expected = lists(
            from_datum(interpreter.call("f", [cogen.bt.static(x).value for x in row]))  # type: ignore[union-attr]  # static ones
        )
        left = residual(ALL, *[row[i] if i in known else types[i] for i in range(3)])
        given = [
            list(x) if isinstance(x, tuple) else x for i, x in enumerate(row) if i not in known
        ]
        assert lists(left.to_python()(*given)) == expected
        if not known:
            assert lists(left.compile()(*given)) == expected
        if row[1]:  # the type of an empty array that is known ahead has to be told
            ways = Ways(left.to_array())
            for way in ("c-1", "c-2", "opencl"):
                assert lists(ways(way)(*given)) == expected


def test_what_is_known_is_carried_out() -> None:
    text = "(define (f keys xs) (array-bucket-reduce + 0.0 2 keys xs))"
    assert body(text, (0, 1, 1), FLOATS) == (
        "fun [real] main([real] xs) = bucketReduce(op +, 0.0, 2, [0, 1, 1], xs)"
    )
    three = "(define (f keys x y z) (array-bucket-reduce + 0.0 2 keys (array x y z)))"
    assert body(three, (0, 1, 1), "float", "float", "float") == (
        "fun [real] main(real x, real y, real z) = [0.0 + x, 0.0 + y + z]"
    )
    segments = "(define (f x y z) (array-reduce-segments * 1.0 #(0 2 2 3) (array x y z)))"
    assert body(segments, "float", "float", "float") == (
        "fun [real] main(real x, real y, real z) = [1.0 * x * y, 1.0, 1.0 * z]"
    )
    collected = "(define (f x y) (array-bucket-collect 3 #(2 0) (array x y)))"
    assert body(collected, "float", "float") == (
        "fun {[int], [real]} main(real x, real y) = {[0, 1, 1, 2], [y, x]}"
    )
    scattered = "(define (f x y) (array-scatter (array x x x) #(2 0 2) (array x y y)))"
    assert body(scattered, "int", "int") == "fun [int] main(int x, int y) = [y, x, y]"
    flat = (
        "(define (f x) (array-flat-map"
        " (lambda (n) (array-map (lambda (i) (* i x)) (array-iota n))) #(2 0 1)))"
    )
    assert body(flat, "int") == "fun [int] main(int x) = [0, x, 0]"
    assert body("(define (f x) (array-distinct #(3 1 3 1)))", "int") == (
        "fun [int] main(int x) = [3, 1]"
    )


def test_what_is_not_known_stays_one_operation() -> None:
    assert body("(define (f k x) (array-bucket-collect 4 k x))", INTS, FLOATS) == (
        "fun {[int], [real]} main([int] k, [real] x) = bucketCollect(4, k, x)"
    )
    assert body("(define (f k x) (array-scatter x k x))", INTS, INTS) == (
        "fun [int] main([int] k, [int] x) = scatter(copy(x), k, x)"
    )
    left = residual("(define (f c x) (array-group-by (lambda (y) (+ y c)) x))", 5, INTS)
    assert "(array-group-by f-1 x)" in left.scheme
    assert "(define (f-1 y) (+ y 5))" in left.scheme
    left = residual("(define (f c) (array-group-by (lambda (y) (+ y c)) #(1 2)))", "int")
    assert "(array-group-by " in left.scheme


def test_parts_of_unknown_size_are_put_together() -> None:
    text = (
        "(define (f x) (array-flat-map (lambda (n) (array-filter (lambda (y) (< n y)) x)) #(1 5)))"
    )
    assert body(text, INTS) == (
        "fun bool f(int y) = 1 < y fun bool f_1(int y) = 5 < y "
        "fun [int] main([int] x) = concat(filter(f, x), filter(f_1, x))"
    )


@pytest.mark.parametrize("way", ["c-1", "opencl"])
def test_mistakes_of_compiled_programs_are_told_at_the_call(way: str) -> None:
    program = residual("(define (f n k)\n  (array-bucket-collect n k k))", "int", INTS).to_array()
    with pytest.raises(CogenError) as caught:
        Ways(program)(way)(2, [0, 5])
    assert caught.value.render().splitlines()[0] == (
        "p.scm:2:3: error: the key 5 is out of bounds of 2 buckets"
    )
