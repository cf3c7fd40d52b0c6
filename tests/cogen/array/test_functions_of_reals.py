"""Functions of reals: the same in the interpreter, in C, in OpenCL, and from the Scheme-like
language as in it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.array import Program, loads
from cogen.array.ir.operations import REAL_FUNCTIONS
from cogen.array.l0.signatures import OF_NUMPY
from cogen.lang.interp import Interpreter
from tests.cogen.array.targets import need_device

pytestmark = pytest.mark.usefixtures("full_optimisation")

VALUES = np.array([-1e300, -7.5, -2.5, -1.5, -1.0, -0.5, -0.25, -0.0, 0.0, 0.5, 0.75, 1.0, 1.5,
                   2.5, 3.0, 1e17, np.inf, -np.inf, np.nan])  # fmt: skip
NUMPY = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "round": "rint", **OF_NUMPY,
}  # fmt: skip
IN_SCHEME = {"ceil": "ceiling"}


def expected(name: str, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    with np.errstate(all="ignore"):
        return np.asarray(getattr(np, NUMPY.get(name, name))(values))


def ran(program: Program, target: str, values: np.ndarray[Any, Any], **widths: str) -> Any:
    if target == "interp":
        return program.run(values, **widths)
    need_device(target)
    return program.compile(target, **widths)(values)


@pytest.mark.one_in(20)
@pytest.mark.parametrize("name", REAL_FUNCTIONS)
@pytest.mark.parametrize("target", ["interp", "c", "opencl"])
def test_function(name: str, target: str) -> None:
    program = loads(f"fun [real] main([real] a) = map({name}, a)")
    values = VALUES if name in ("floor", "ceil", "round", "atan") else VALUES[1:]
    found = np.asarray(ran(program, target, values))
    np.testing.assert_allclose(found, expected(name, values), rtol=1e-13, atol=1e-300)
    if name in ("floor", "ceil", "round"):
        assert (np.signbit(found) == np.signbit(expected(name, values)))[:-1].all()


@pytest.mark.parametrize("target", ["interp", "c", "opencl"])
def test_arc_tangent_of_points(target: str) -> None:
    """In each quadrant, of each sign of 0, of what is not finite."""
    program = loads("fun [real] main([real] y, [real] x) = map(op atan2, zip(y, x))")
    y, x = (grid.ravel() for grid in np.meshgrid(VALUES, VALUES))
    if target != "interp":
        need_device(target)
    run = program.run if target == "interp" else program.compile(target)
    found = np.asarray(run(y, x))
    np.testing.assert_allclose(found, np.arctan2(y, x), rtol=1e-13, atol=1e-300)
    assert (np.signbit(found) == np.signbit(np.arctan2(y, x)))[~np.isnan(found)].all()


def test_arc_tangent_is_no_reserved_word() -> None:
    program = loads(
        "fun real atan2(real atan2, real x) = atan2 atan2 x\n"
        "fun real main(real y) = atan2(y, 2.0) + y atan2 2.0 pow 2.0"
    )
    assert program.run(1.0) == math.atan2(1.0, 2.0) + math.atan2(1.0, 2.0) ** 2
    assert loads(program.text).text == program.text


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", REAL_FUNCTIONS)
def test_function_of_narrow_reals(name: str) -> None:
    program = loads(f"fun [real] main([real] a) = map({name}, a)")
    values = VALUES[1:-4].astype(np.float32)
    for target in ("interp", "c"):
        found = np.asarray(ran(program, target, values, real="float32"))
        np.testing.assert_allclose(found, expected(name, values), rtol=3e-6, atol=1e-7)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "name", [*[name for name in REAL_FUNCTIONS if name not in OF_NUMPY], "truncate"]
)
def test_function_in_the_language(name: str) -> None:
    word = IN_SCHEME.get(name, name)
    text = f"(define-array (main (a (array float))) (array-map (lambda (x) ({word} x)) a))"
    program = cogen.loads(text)
    values = [x for x in VALUES.tolist() if math.isfinite(x) and abs(x) < 1e18]
    if name in ("asin", "acos"):
        values = [x for x in values if abs(x) <= 1]
    interpreter = Interpreter(program)
    interpreter.run()
    run = interpreter.call("main", [values])
    residual = cogen.specialize(program, "main", cogen.dynamic("(array float)"))
    compiled = residual.to_array().compile()(np.array(values))
    np.testing.assert_allclose(np.asarray(compiled), np.array(run), rtol=1e-14)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["nan?", "finite?", "infinite?"])
def test_what_kind_of_number(name: str) -> None:
    text = f"(define-array (main (a (array float))) (array-map (lambda (x) ({name} x)) a))"
    program = cogen.loads(text)
    residual = cogen.specialize(program, "main", cogen.dynamic("(array float)"))
    found = np.asarray(residual.to_array().compile()(VALUES))
    wanted = {"nan?": np.isnan, "finite?": np.isfinite, "infinite?": np.isinf}[name](VALUES)
    assert found.tolist() == wanted.tolist()


def test_a_program_may_have_its_own() -> None:
    program = loads("fun real round(real x) = x + 1.0 fun [real] main([real] a) = map(round, a)")
    assert np.asarray(program.run(np.array([1.5]))).tolist() == [2.5]


def test_known_values_are_computed_ahead() -> None:
    program = loads("fun real main(real x) = x * floor(2.5) + sin(0.0)")
    assert program.run(3.0) == 6.0
    assert " sin(" not in program.compile("c").source.partition("cogen_run")[2]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("target", ["interp", "c", "opencl"])
@pytest.mark.parametrize("real", ["float64", "float32"])
def test_bits_order_reals(target: str, real: str) -> None:
    """Of reals that are not below 0 the bits are in their order; those of 0 are 0, of what is no
    number always the same."""
    program = loads("fun [int] main([real] a) = map(bits, a)")
    values = np.array([0.0, -0.0, 1e-30, 1.0, 1.5, 1e30, math.inf, math.nan, -math.nan, -1.0], real)
    found = np.asarray(ran(program, target, values, real=real))
    assert found[:2].tolist() == [0, 0]
    assert (np.diff(found[1:8]) > 0).all()
    assert found[7] == found[8]
    words = np.int64 if real == "float64" else np.uint32
    assert found[2:7].tolist() == values[2:7].view(words).tolist()
    assert found[9] == values[9:].view(words)[0]
