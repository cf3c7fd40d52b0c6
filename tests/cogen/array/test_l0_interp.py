"""What programs mean: operators, run-time errors and their places, deep recursion, tracing."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cogen
from cogen.array import loads

pytestmark = pytest.mark.quick

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1


@pytest.mark.parametrize(
    ("operator", "a", "b", "expected"),
    [
        ("+", GREATEST, 1, LEAST),
        ("-", LEAST, 1, GREATEST),
        ("*", 1 << 62, 2, LEAST),
        ("/", 7, 2, 3),
        ("/", -7, 2, -4),
        ("/", 7, -2, -4),
        ("/", LEAST, -1, LEAST),
        ("%", -7, 2, 1),
        ("%", 7, -2, -1),
        ("pow", 0, 0, 1),
        ("pow", -2, 3, -8),
        ("pow", 2, 64, 0),
        ("pow", 3, 1000, pow(3, 1000, 1 << 64)),
        ("pow", 2, -1, 0),
        ("pow", -2, -1, -1),
        ("pow", -2, -2, 0),
        ("pow", 1, -5, 1),
        ("pow", -1, -5, -1),
        ("&", 12, 10, 8),
        ("|", 12, 10, 14),
        ("^", 12, 10, 6),
        ("<<", 3, 2, 12),
        ("<<", 1, 63, LEAST),
        ("<<", 1, 65, 2),
        (">>", -8, 1, -4),
        (">>", -1, 63, -1),
    ],
)
def test_int_operators(operator: str, a: int, b: int, expected: int) -> None:
    program = loads(f"fun int main(int a, int b) = a {operator} b")
    wrapped = (expected + (1 << 63)) % (1 << 64) - (1 << 63)
    assert program.run(a, b) == wrapped


@pytest.mark.parametrize(
    ("operator", "a", "b", "expected"),
    [
        ("/", 1.0, 0.0, math.inf),
        ("/", -1.0, 0.0, -math.inf),
        ("/", 1.0, -0.0, -math.inf),
        ("/", 0.0, 0.0, math.nan),
        ("%", 7.5, 2.0, 1.5),
        ("%", -7.5, 2.0, 0.5),
        ("%", 1.0, 0.0, math.nan),
        ("%", math.inf, 2.0, math.nan),
        ("pow", 2.0, 0.5, math.sqrt(2.0)),
        ("pow", -8.0, 0.5, math.nan),
        ("pow", 0.0, -1.0, math.inf),
        ("pow", 10.0, 400.0, math.inf),
    ],
)
def test_real_operators(operator: str, a: float, b: float, expected: float) -> None:
    found = loads(f"fun real main(real a, real b) = a {operator} b").run(a, b)
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("toReal(3)", "3.000000"),
        ("sqrt(-1.0)", "nan"),
        ("sqrt(2.25)", "1.500000"),
        ("log(0.0)", "-inf"),
        ("log(-1.0)", "nan"),
        ("exp(1000.0)", "inf"),
        ("exp(0.0)", "1.000000"),
        ("abs(-1.5)", "1.500000"),
        ("toReal(trunc(-1.9))", "-1.000000"),
        ("toReal(trunc(0.0 / 0.0))", "0.000000"),
        ("toReal(trunc(1e300) >> 32)", "2147483647.000000"),
    ],
)
def test_built_in_functions(call: str, expected: str) -> None:
    assert loads(f"fun real main() = {call}").run_text("") == expected


def test_comparisons_with_nan_are_false() -> None:
    text = "fun {bool, bool, bool} main(real x) = {x = x, x < x, x <= x}"
    assert loads(text).run(math.nan) == (False, False, False)


FAILURES = [
    ("int main([int] a) = §a[3]", "[1, 2, 3]",
     "the index [3] is out of bounds of an array of size 3"),
    ("int main([[int]] a) = 1 + §a[1, -1]", "[[1], [2]]",
     "the index [1, -1] is out of bounds of an array of size 2x1"),
    ("int main(int x) = 1 + §x / 0", "1", "division by zero"),
    ("int main(int x) = §x % 0", "1", "division by zero"),
    ("int main(int x) = §0 pow x", "-1", "0 to a negative power is a division by zero"),
    ("bool main(int x) = False && §1 / x = 1", "0", "division by zero"),
    ("bool main(int x) = True || §1 / x = 1", "0", "division by zero"),
    ("[int] main(int n) = §iota(n)", "-1", "the size -1 is negative"),
    ("[int] main(int n) = §iota(n)", "9223372036854775807",
     "an array of size 9223372036854775807 is too large"),
    ("[[int]] main(int n) = replicate(n, §iota(n))", "70368744177664",
     "out of memory"),
    ("[[[int]]] main(int n) = §reshape((0, n, n), iota(0))", "1099511627776",
     "an array of size 0x1099511627776x1099511627776 is too large"),
    ("[int] main(int n) = §replicate(n, 1)", "-2", "the size -2 is negative"),
    ("{[int], [int]} main(int n) = §split(n, [1, 2])", "3",
     "an array of size 2 cannot be split at 3"),
    ("[[int]] main(int n) = §reshape((n, 2), iota(5))", "2",
     "5 elements cannot be put into the shape 2x2"),
    ("[[int]] main(int n) = §reshape((n, n), iota(1))", "-1", "the size -1 is negative"),
    ("[{int, int}] main([int] a) = §zip(a, [1])", "[1, 2]",
     "the arrays have different sizes: 2 and 1"),
    ("{[int]} main([int] a) = §mapT(fn {int} (int x, int y) => {x}, a, [1])", "[1, 2]",
     "the arrays have different sizes: 2 and 1"),
    ("[[int]] main(int n) = §[iota(1), iota(n)]", "2",
     "the array would not be regular: it has rows of size 1 and 2"),
    ("[[int]] main(int n) = §map(fn [int] (int i) => iota(i), iota(n))", "2",
     "the array would not be regular: it has rows of size 0 and 1"),
    ("[{int, [int]}] main(int n) = §map(fn {int, [int]} (int i) => {i, iota(i)}, iota(n))", "2",
     "the array would not be regular: it has rows of size 0 and 1"),
    ("[[int]] main([[int]] a) = §concat(a, [[1, 2]])", "[[1]]",
     "the array would not be regular: it has rows of size 1 and 2"),
    ("[[int]] main(*[[int]] a) = let §a[0] = [1, 2] in a", "[[1]]",
     "a row of size 2 cannot replace one of size 1"),
    ("[int] main(*[int] a, int i) = let §a[i] = 1 in a", "[1] 1",
     "the index [1] is out of bounds of an array of size 1"),
    ("[int] main([int] a) = map(§op /(6), a)", "[1, 0]", "division by zero"),
    ("int main([int] a) = reduce(§op /, 6, a)", "[1, 0]", "division by zero"),
    ("cert main(int x) = §assert(x < 3)", "3", "the assertion does not hold"),
    ("int main(int x) = let unused = §1 / x in 7", "0", "division by zero"),
]  # fmt: skip


@pytest.mark.parametrize(("marked", "values", "message"), FAILURES, ids=[t for t, _, _ in FAILURES])
def test_run_time_error(marked: str, values: str, message: str) -> None:
    column = len("fun ") + marked.index("§") + 1
    program = loads(f"fun {marked.replace('§', '')}", "p.l0")
    with pytest.raises(cogen.CogenError) as caught:
        program.run_text(values)
    assert caught.value.render().startswith(f"p.l0:1:{column}: error: {message}\n")


def test_a_branch_not_taken_does_not_fail() -> None:
    assert loads("fun int main(int x) = if x = 0 then 5 else 1 / x").run(0) == 5


def test_a_negative_bound_means_no_iteration() -> None:
    program = loads("fun int main(int n) = loop (x = 7) = for i < n do 0 in x")
    assert [program.run(n) for n in (-3, 0, 1)] == [7, 7, 0]


def test_the_bound_is_evaluated_once() -> None:
    program = loads("fun int main(int n) = loop (n) = for i < n do n + 1 in n")
    assert program.run(3) == 6


def test_values_are_never_changed() -> None:
    program = loads(
        "fun {[[int]], [int]} main([[int]] a) =\n"
        "  let b = copy(a) in let r = copy(a[0]) in let b[0, 0] = 9 in {b, r}"
    )
    a = np.array([[1, 2], [3, 4]])
    b, r = program.run(a)
    assert (a.tolist(), b.tolist(), r.tolist()) == ([[1, 2], [3, 4]], [[9, 2], [3, 4]], [1, 2])


def test_updates_of_arrays_of_tuples() -> None:
    program = loads(
        "fun {*[{int, [int]}], *[[{int, bool}]]} main(*[{int, [int]}] a, *[[{int, bool}]] b) =\n"
        "  let a[0] = {7, [8, 9]} in let b[1] = [{5, True}] in let b[0, 0] = {6, True} in {a, b}"
    )
    text = program.run_text("[{1, [2, 3]}, {4, [5, 6]}] [[{1, False}], [{2, False}]]")
    assert text == "{[{7, [8, 9]}, {4, [5, 6]}], [[{6, True}], [{5, True}]]}"


def test_curried_arguments_are_evaluated_once() -> None:
    traced: list[str] = []
    program = loads(
        "fun int add(int a, int b) = a + b\n"
        "fun [int] main([int] a) = map(op *(trace(2)), map(add(trace(1)), a))"
    )
    assert program.run([1, 2, 3], trace=traced.append).tolist() == [4, 6, 8]
    assert traced == ["2", "1"]


def test_trace_shows_values_of_any_type() -> None:
    traced: list[str] = []
    program = loads("fun {int, [real]} main() = trace({1, map(trace, [0.5, 2.0])})")
    program.run(trace=traced.append)
    assert traced == ["0.500000", "2.000000", "{1, [0.500000, 2.000000]}"]


def test_trace_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert loads("fun char main() = trace('a')").run() == "a"
    assert capsys.readouterr() == ("", "'a'\n")


def test_operands_are_evaluated_from_left_to_right() -> None:
    traced: list[str] = []
    loads("fun int main() = trace(1) + trace(2) * trace(3)").run(trace=traced.append)
    assert traced == ["1", "2", "3"]


def test_deep_recursion() -> None:
    program = loads("fun int count(int n) = if n = 0 then 0 else 1 + count(n - 1)")
    assert program.run(10_000, entry="count") == 10_000


@pytest.mark.slow
def test_endless_recursion_is_reported() -> None:
    with pytest.raises(cogen.CogenError) as caught:
        loads("fun int f(int n) = 1 + f(n)", "p.l0").run(1, entry="f")
    assert str(caught.value).startswith("p.l0:1:24: limitation: calls are nested too deeply\n")


def test_empty_arrays_know_their_shape() -> None:
    program = loads(
        "fun {int, int, [int]} main(int n) =\n"
        "  let a = replicate(n, iota(5)) in\n"
        "  {size(0, transpose(a)), size(1, concat(a, a)),\n"
        "   map(fn int ([int] r) => reduce(op +, 0, r), transpose(a))}"
    )
    assert program.run_text("0") == "{5, 5, [0, 0, 0, 0, 0]}"


def test_empty_rows_agree_with_all_others() -> None:
    program = loads(
        "fun [[int]] main(int n) = concat(empty([int]), concat([iota(n)], empty([int])))\n"
        "fun int both(int n) = size([replicate(0, iota(n)), empty([int])])"
    )
    assert program.run_text("2") == "[[0, 1]]"
    assert program.run(3, entry="both") == 2
