"""Long vectors that become residual: made of what most elements are, the others assigned."""

from __future__ import annotations

import random

import pytest

import cogen
from cogen.lang.interp import Interpreter

pytestmark = pytest.mark.quick


def made(body: str) -> cogen.Residual:
    source = f"(define (f x i) (let ((v (make-vector {body} (vector-set! v i 7) v))"
    return cogen.specialize(cogen.loads(source), "f", cogen.dynamic(), cogen.dynamic())


def test_what_differs_is_assigned() -> None:
    text = made("1000 0))) (vector-set! v 3 x) (vector-set! v 999 (list x 1))").scheme
    assert "(make-vector 1000 0)" in text
    assert text.count("vector-set!") == 3
    assert "(vector-set! vector 999 (cons x '(1)))" in text
    assert "(vector-set! vector 3 x)" in text


def test_short_ones_and_those_of_many_things_are_written_out() -> None:
    assert "(vector x 0 0 0 0 0 0 0 0 0)" in made("10 0))) (vector-set! v 0 x)").scheme
    fill = "(let fill ((i 0)) (if (< i 30) (begin (vector-set! v i i) (fill (+ i 1)))))"
    assert "make-vector" not in made(f"40 0))) {fill}").scheme


def test_one_that_holds_itself() -> None:
    source = """(define (f x i)
        (let ((v (make-vector 100 0)))
          (vector-set! v 5 v)
          (vector-set! v 6 x)
          (vector-set! v i 7)
          (list (eq? (vector-ref v 5) v) (vector-ref v 0) (vector-ref v 6) (vector-ref v 7))))"""
    residual = cogen.specialize(cogen.loads(source), "f", cogen.dynamic(), cogen.dynamic())
    assert residual.scheme.count("vector-set!") == 3
    assert residual.to_python()(1, 0) == [True, 7, 1, 0]


@pytest.mark.parametrize("seed", range(12))
def test_they_hold_what_those_of_the_source_hold(seed: int) -> None:
    rng = random.Random(seed)
    size = rng.randint(9, 80)
    elements = ["x", "1", "'a", "2.5", "(list x)", "(vector 3 x)", "0", "#f"]
    sets = [
        f"(vector-set! v {rng.randrange(size)} {rng.choice(elements)})"
        for _ in range(rng.randint(0, size // 3))
    ]
    source = f"""(define (f x i) (let ((v (make-vector {size} {rng.choice(["0", "x", "'a"])})))
        {" ".join(sets)} (vector-set! v i 7) (list (vector-ref v (- {size} i 1)) v)))"""
    program = cogen.loads(source)
    interpreter = Interpreter(program)
    interpreter.run()
    division = cogen.dynamic("int"), cogen.dynamic("int")
    residual = cogen.specialize(program, "f", *division)
    assert cogen.generate(program, "f", *division)(*division).scheme == residual.scheme
    again = Interpreter(cogen.loads(residual.scheme))
    again.run()
    python, c = residual.to_python(), residual.compile() if seed % 4 == 0 else residual.to_python()
    for i in (0, size // 2, size - 1):
        expected = cogen.convert.from_datum(interpreter.call("f", [5, i]))
        assert cogen.convert.from_datum(again.call("f", [5, i])) == expected
        assert python(5, i) == expected
        assert c(5, i) == expected
