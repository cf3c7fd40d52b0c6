"""Ints and reals of 32 bits: what they mean, how they are passed, what does not fit."""

from __future__ import annotations

import array
import sys
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from cogen.array import Program, loads
from cogen.array.l0.arithmetic import Arithmetic, arithmetic
from cogen.array.l0.operators import Fault
from cogen.array.l0.types import INT, REAL
from cogen.cli import commands
from cogen.lang.errors import CogenError
from tests.cogen.array.targets import need_device

NARROW = Arithmetic(32, 32)
WIDTHS: dict[str, str] = {"real": "float32", "int": "int32"}
TARGETS = ("interp", "c", "opencl")
INTS = st.one_of(st.integers(-40, 40), st.integers(NARROW.least, NARROW.greatest))
FLOATS = st.floats(width=32)


def call(program: Program, target: str, *values: object, **options: Any) -> Any:
    need_device(target)
    if target == "interp":
        return program.run(*values, **options)
    return program.compile(target, **options)(*values)


@given(a=INTS, b=INTS)
def test_ints_are_those_of_numpy(a: int, b: int) -> None:
    x, y = np.int32(a), np.int32(b)
    with np.errstate(all="ignore"):
        for operator, wanted in (("+", x + y), ("-", x - y), ("*", x * y), ("^", x ^ y)):
            assert NARROW.binary[operator, INT](a, b) == wanted
        assert NARROW.binary["<<", INT](a, b) == x << (y & 31)
        assert NARROW.binary[">>", INT](a, b) == x >> (y & 31)
        assert NARROW.unary["-", INT](a) == -x
        if b not in (0, -1):
            assert NARROW.binary["/", INT](a, b) == x // y
    assert NARROW.builtin["toReal", INT](a) == np.float32(x)


@given(a=FLOATS, b=FLOATS)
def test_reals_are_those_of_numpy(a: float, b: float) -> None:
    x, y = np.float32(a), np.float32(b)
    with np.errstate(all="ignore"):
        for operator, wanted in (("+", x + y), ("-", x - y), ("*", x * y), ("/", x / y)):
            found = np.float32(NARROW.binary[operator, REAL](a, b))
            assert np.array_equal(found, wanted, equal_nan=True)
        assert np.array_equal(NARROW.builtin["sqrt", REAL](a), np.sqrt(x), equal_nan=True)


def test_what_leaves_the_range() -> None:
    assert NARROW.binary["/", INT](NARROW.least, -1) == NARROW.least
    assert NARROW.binary["pow", INT](3, 40) == NARROW.wrap(3**40)
    assert NARROW.builtin["trunc", REAL](1e20) == NARROW.greatest
    assert NARROW.builtin["trunc", REAL](-1e20) == NARROW.least
    assert NARROW.builtin["exp", REAL](100.0) == float("inf")
    assert NARROW.builtin["toReal", INT](16777217) == 16777216.0
    assert Arithmetic(64, 32).builtin["toReal", INT]((1 << 60) + (1 << 36) + 1) == float(
        (1 << 60) + (1 << 37)
    )
    with pytest.raises(Fault):
        NARROW.binary["/", INT](1, 0)


@pytest.mark.parametrize("target", TARGETS)
def test_each_operation_is_rounded(target: str) -> None:
    program = loads("fun [real] main([real] a) = map(fn real (real x) => x * 0.1 + 0.7, a)")
    values = np.linspace(-7, 7, 100, dtype=np.float32)
    found = call(program, target, values, real="float32")
    assert found.dtype == np.float32
    assert np.array_equal(found, values * np.float32(0.1) + np.float32(0.7))


@pytest.mark.parametrize("target", TARGETS)
def test_ints_wrap_around_and_shift_modulo_32(target: str) -> None:
    program = loads(
        "fun {[int], int} main([int] a, int k) = "
        "{map(fn int (int x) => (x << 33) + x * k, a), reduce(op *, 1, a)}"
    )
    values = np.array([1, -5, 2147483647, -2147483648, 65537], np.int32)
    with np.errstate(over="ignore"):
        wanted = (values << 1) + values * np.int32(65539), int(np.prod(values, dtype=np.int32))
    found = call(program, target, values, 65539, int="int32")
    assert np.array_equal(found[0], wanted[0])
    assert found[0].dtype == np.int32
    assert found[1] == wanted[1]


@pytest.mark.parametrize("target", ["c", "opencl"])
def test_vectors_of_floats_have_their_own_functions(target: str) -> None:
    program = loads(
        "fun [real] main([real] a) = map(fn real (real x) => exp(x) + log(abs(x) + 1.0), a)"
    )
    values = np.linspace(-30, 30, 10_007, dtype=np.float32)
    found = call(program, target, values, real="float32")
    exact = np.exp(values.astype(float)) + np.log(np.abs(values.astype(float)) + 1.0)
    assert np.allclose(found, exact, rtol=1e-6)


def test_arrays_of_the_width_are_not_copied() -> None:
    function = loads("fun [real] main([real] a) = a").compile(real="float32")
    values = np.ones(3, np.float32)
    leaf = function.program.arguments([values], "main", function.arithmetic)[0]
    assert leaf.content is values  # type: ignore[union-attr]  # an array
    assert function([1.0, 2.0]).dtype == np.float32
    assert function(np.array([0.1, 1e300])).tolist() == [float(np.float32(0.1)), float("inf")]


def test_ints_that_do_not_fit_are_refused() -> None:
    program = loads("fun int main([int] a, int k) = reduce(op +, k, a)")
    for target in ("interp", "c"):
        with pytest.raises(CogenError, match="`a` holds 2147483648, which is not in the range"):
            call(program, target, np.array([1 << 31]), 0, int="int32")
        with pytest.raises(CogenError, match="`a` holds -2147483649"):
            call(program, target, np.array([-(1 << 31) - 1]), 0, int="int32")
        with pytest.raises(CogenError, match="`k` is 2147483648, which is not in the range"):
            call(program, target, np.array([1]), 1 << 31, int="int32")
        assert call(program, target, np.array([7], np.uint8), 1, int="int32") == 8


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            "fun int main() =\n  1 + 2147483648",
            "p.l0:2:7",
            "this integer is not in the range of int",
        ),
        (
            "fun int f() = - 1 - -2147483648 fun int main() = f() + 9000000000",
            "p.l0:1:56",
            "of int",
        ),
        ("fun int f() = 2147483648 fun int main() = f()", "p.l0:1:15", "of int"),
        ("fun real main() = 1.0e39", "p.l0:1:19", "this number is not in the range of real"),
        ("fun {real, real} main() = {1.0, 1.0e-60}", "p.l0:1:33", "not in the range of real"),
    ],
)
def test_literals_that_do_not_fit(text: str, place: str, message: str) -> None:
    program = loads(text, "p.l0")
    for run in (program.run, program.compile):
        with pytest.raises(CogenError, match=message) as caught:
            run(**WIDTHS)
        assert str(caught.value.span) == place
        assert caught.value.hint in ("int has 32 bits", "real has 32 bits")


def test_the_least_int_is_a_literal() -> None:
    program = loads("fun int main() = -2147483648 fun int other() = 2147483648")
    assert program.run(int="int32") == -(1 << 31)
    assert program.compile(int="int32")() == -(1 << 31)


def test_names_of_widths() -> None:
    assert arithmetic("int32", "float32") == NARROW
    program = loads("fun int main() = 1")
    with pytest.raises(CogenError, match="`float16` is no width of real") as caught:
        program.compile(real="float16")
    assert caught.value.hint == "did you mean `float64`?" or "float32" in str(caught.value.hint)
    with pytest.raises(CogenError, match="`long` is no width of int"):
        program.run(int="long")


def test_sizes_are_limited_by_the_width() -> None:
    program = loads("fun int main(int n) = size(1, reshape((0, n, n), empty(real)))")
    for target in ("interp", "c"):
        assert call(program, target, 1 << 20) == 1 << 20
        with pytest.raises(CogenError, match="is too large"):
            call(program, target, 1 << 20, int="int32")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("target", TARGETS)
def test_buffers_are_arrays(target: str) -> None:
    program = loads(
        "fun {int, real} main([int] a, [real] b) = {reduce(op +, 0, a), reduce(op +, 0.0, b)}"
    )
    reals = array.array("d", [1.0, 2.5])
    for ints in (array.array("q", [1, -2, 40]), bytes([1, 2, 36]), memoryview(bytearray([39]))):
        assert call(program, target, ints, reals) == (39, 3.5)
    floats = array.array("f", [1.0, 2.5])
    assert call(program, target, array.array("i", [39]), floats, **WIDTHS) == (39, 3.5)
    with pytest.raises(CogenError, match="`b` must be"):
        call(program, target, bytes([1]), bytes([1]))
    with pytest.raises(CogenError, match="`a` must be"):
        call(program, target, memoryview(bytes(4)).cast("B", (2, 2)), reals)
    with pytest.raises(CogenError, match="`a` must be"):
        call(program, target, object(), reals)


def test_the_command_has_widths(tmp_path: Any) -> None:
    path = tmp_path / "p.l0"
    path.write_text("fun {int, real} main(int n, real x) = {n + 1, x + 0.1}")
    for target in ("interp", "c"):
        words = ["array", "run", str(path), "--target", target, "--int", "32", "--real", "32"]
        result = CliRunner().invoke(commands, [*words, "2147483647", "16777216.0"])
        assert (result.exit_code, result.output) == (0, "{-2147483648, 16777216.000000}\n")
    words = ["array", "compile", str(path), "--int", "32", "--real", "32"]
    result = CliRunner().invoke(commands, words)
    assert "int32_t" in result.output
    assert "0.10000000149011612f" in result.output


if sys.version_info >= (3, 13):

    def test_characters_come_from_a_buffer() -> None:
        program = loads("fun [char] main([char] a) = a")
        assert program.run(array.array("w", "ab")) == "ab"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", ["c", "opencl"])
def test_scans_of_32_bits(target: str) -> None:
    program = loads(
        "fun {[int], [real], int} main([int] a, [real] r) =\n"
        "  let s = scan(op +, 0, map(op *(3), a)) in\n"
        "  let t = map(fn real (real x) => x * 0.5, scan(op +, 0.0, r)) in\n"
        "  {s, t, reduce(fn int (int x, int y) => if x < y then y else x, -9, a)}"
    )
    random = np.random.default_rng(5)
    for size in (0, 1, 15, 16, 17, 1000, 100_003):
        a = random.integers(-(1 << 31), 1 << 31, size).astype(np.int32)
        r = random.integers(-3, 4, size).astype(np.float32)
        sums, halves, greatest = call(program, target, a, r, **WIDTHS)
        assert np.array_equal(sums, np.cumsum(a * np.int32(3), dtype=np.int32))
        assert np.array_equal(halves, np.cumsum(r, dtype=np.float32) * np.float32(0.5))
        assert greatest == max([-9, *a.tolist()])
        assert sums.dtype == np.int32
        assert halves.dtype == np.float32
