"""Operations on integers take floats that have no fraction, in all ways (R7RS, 6.2.6)."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

import cogen
from cogen.convert import from_datum
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.interp import Interpreter
from tests.cogen.residualways import native

NAMES = (
    "quotient", "remainder", "modulo", "floor-quotient", "floor-remainder", "truncate-quotient",
    "truncate-remainder", "gcd", "lcm",
)  # fmt: skip

NUMBERS = (7.0, -7.0, 2.0, -3.0, 0.0, 1e17, 2.5, float("inf"), float("nan"))


def interpreted(program: cogen.Program) -> Callable[..., object]:
    interpreter = Interpreter(program)
    interpreter.run()
    return lambda *arguments: interpreter.call("f", arguments)


def outcome(call: Callable[..., object], *arguments: object) -> str:
    """What is written of the result, or the message of the failure."""
    try:
        return repr(call(*arguments))
    except CogenError as error:
        return error.message


@pytest.mark.one_in(3)
@native
@pytest.mark.parametrize("name", NAMES)
def test_kernels_agree(name: str) -> None:
    program = cogen.loads(f"(define (f a b) ({name} a b))")
    run = interpreted(program)
    both = cogen.specialize(program, "f", cogen.dynamic("float"), cogen.dynamic("float"))
    mixed = cogen.specialize(program, "f", cogen.dynamic("float"), cogen.dynamic("int"))
    one = cogen.specialize(program, "f", cogen.dynamic("float"), cogen.static(4)).compile()
    for residual, seconds in ((both, NUMBERS), (mixed, (3, -2, 0))):
        c, python = residual.compile(), residual.to_python()
        for a, b in itertools.product(NUMBERS, seconds):
            expected = outcome(python, a, b)
            assert outcome(c, a, b) == expected
            assert outcome(run, a, b) == expected
    for a in NUMBERS:
        assert outcome(one, a) == outcome(run, a, 4)


@native
@pytest.mark.parametrize("name", ["even?", "odd?"])
def test_parity(name: str) -> None:
    program = cogen.loads(f"(define (f a) ({name} a))")
    residual = cogen.specialize(program, "f", cogen.dynamic("float"))
    for a in NUMBERS:
        expected = outcome(interpreted(program), a)
        assert outcome(residual.compile(), a) == expected
        assert outcome(residual.to_python(), a) == expected


def test_what_only_such_operations_take_is_an_int_in_c() -> None:
    program = cogen.loads("(define (f a) (+ (quotient a 2) 0.5))")
    assert "double f(int64_t a)" in cogen.specialize(program, "f", cogen.dynamic()).c


def test_of_what_may_be_a_float_nothing_is_concluded() -> None:
    text = "(define (f a) (let ((q (quotient a 2))) (list (exact-integer? q) (* q 0) (eqv? q a))))"
    program = cogen.loads(text)
    residual = cogen.specialize(program, "f", cogen.dynamic())
    run = interpreted(program)
    for a in (0.0, 6, -0.0, 0):
        assert str(residual.to_python()(a)) == str(from_datum(run(a)))


def test_array_programs_say_that_they_have_ints_only() -> None:
    program = cogen.loads("(define (f xs) (array-map (lambda (x) (quotient x 2)) xs))")
    with pytest.raises(LimitationError, match="`quotient` of floats is not there in array"):
        cogen.specialize(program, "f", cogen.dynamic("(array float)")).to_array()
