"""Scans in blocks, reductions in streams, jammed loops: all are the loop they were made from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.codegen import flags
from cogen.array.codegen.cprogram import c_program
from cogen.array.codegen.native import CNative, NativeProgram, c_text
from cogen.array.codegen.together import LEAST
from cogen.array.compiled import Compiled
from cogen.array.optimisations import CODE, Options
from cogen.array.pipeline import prepare
from tests.cogen.array.targets import QUICK, same

SIZES = (0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 257)
"""Around the borders of vectors and of blocks, one block and several, in one thread and in two."""


def ways(text: str, each: bool) -> dict[str, Compiled]:
    """The program as C with all optimisations of the code and without all, and without `each`; in
    one thread and in two, which share out every loop."""
    program = loads(text)
    found = {}
    single = [frozenset([name]) for name in CODE] if each else []
    for off in (frozenset[str](), *single, frozenset(CODE)):
        ready = prepare(program.facts, "main", Options(off=off))
        made = c_program(ready.module, ready.functions, ready.entry, ready.spans, off)
        code = NativeProgram(made, QUICK)
        code.grain = 0
        for threads in (1, 2):
            name = f"without {', '.join(sorted(off)) or 'none'}, {threads} threads"
            found[name] = Compiled(program, "main", "c", CNative(code, threads))
    return found


def check(
    text: str, calls: list[tuple[Any, ...]], tolerance: float = 0.0, each: bool = False
) -> None:
    """All ways give what the interpreter gives, to the last bit or nearly so."""
    program = loads(text)
    compiled = ways(text, each)
    for arguments in calls:
        expected = program.run(*arguments)
        for name, way in compiled.items():
            found = way(*arguments)
            assert same(found, expected) or _near(found, expected, tolerance), (name, arguments)


def _near(found: Any, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, tuple):
        return all(_near(f, e, tolerance) for f, e in zip(found, expected, strict=True))
    return tolerance > 0 and np.allclose(found, expected, rtol=tolerance, atol=0, equal_nan=True)


def ints(size: int, seed: int = 0) -> Any:
    return np.random.default_rng(size * 31 + seed).integers(-(1 << 62), 1 << 62, size)


def whole_reals(size: int, seed: int = 0) -> Any:
    """Reals whose sums are exact."""
    return np.random.default_rng(size * 17 + seed).integers(-1000, 1000, size).astype(float)


def is_blocked(text: str) -> bool:
    return "/* The values scanned" in c_text(loads(text), "main").text


INT_OPERATORS = {
    "op +": "0", "op *": "1", "op &": "~1", "op |": "0", "op ^": "0",
    "fn int (int x, int y) => if x < y then x else y": "9000000000000000000",
    "fn int (int x, int y) => if x <= y then y else x": "~9000000000000000000",
}  # fmt: skip


@pytest.mark.parametrize("operator", INT_OPERATORS)
def test_scans_of_ints(operator: str) -> None:
    text = f"fun [int] main([int] a) = scan({operator}, {INT_OPERATORS[operator]}, a)"
    assert is_blocked(text)
    check(text, [(ints(size),) for size in SIZES])


REAL_OPERATORS = {
    "op +": "0.0",
    "fn real (real x, real y) => if x < y then x else y": "1.0e300",
    "fn real (real x, real y) => if y < x then x else y": "~1.0e300",
}


@pytest.mark.parametrize("operator", REAL_OPERATORS)
def test_scans_of_reals(operator: str) -> None:
    text = f"fun [real] main([real] a) = scan({operator}, {REAL_OPERATORS[operator]}, a)"
    assert is_blocked(text)
    check(text, [(whole_reals(size),) for size in SIZES])


def test_scans_of_reals_are_rounded_in_another_order() -> None:
    random = np.random.default_rng(7)
    sums = "fun [real] main([real] a) = scan(op +, 0.0, a)"
    check(sums, [(random.uniform(0.0, 1.0, size),) for size in SIZES], 1e-13)
    products = "fun [real] main([real] a) = scan(op *, 1.0, a)"
    check(products, [(random.uniform(0.9, 1.1, size),) for size in SIZES], 1e-13)


SHAPES = {
    "map, scan": "scan(op +, 0, map(fn int (int x) => x * 3 - 1, a))",
    "scan, map": "map(fn int (int x) => x * 3 - 1, scan(op +, 0, a))",
    "scan, map with what was scanned": """
        map(fn int (int s, int x) => s * 3 - x, zip(scan(op +, 0, a), a))""",
    "what is computed once before and after": """
        let b = map(fn int (int x) => if x % 3 = 0 then x * x else x / 5, a) in
        map(fn int (int s, int x) => s - x, zip(scan(op +, 0, b), b))""",
    "scan, reduce": "[reduce(op +, 0, map(fn int (int x) => x ^ 5, scan(op +, 0, a)))]",
    "two scans and a sum of one map": """
        let b = map(fn int (int x) => x - 4, a) in
        let {s, m} = {scan(op +, 0, b), scan(op *, 1, b)} in
        let t = reduce(op +, 0, b) in
        map(fn int (int x, int y) => x - y + t, zip(s, m))""",
    "scan of a scan": "scan(op +, 0, scan(op +, 0, a))",
    "a scan in each row": """
        let m = map(fn [int] (int k) => scan(op +, k, a), [1, 2, 3]) in
        reduce(fn [int] ([int] x, [int] y) => map(op -, zip(x, y)), replicate(size(0, a), 0), m)""",
    "with the index": "map(op +, zip(iota(size(0, a)), scan(op +, 0, a)))",
    "beside a filter": """
        let s = scan(op +, 0, a) in
        concat(filter(op <(0), s), s)""",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_scans_among_other_things(shape: str) -> None:
    check(f"fun [int] main([int] a) = {SHAPES[shape]}", [(ints(size),) for size in SIZES])


def test_a_scan_with_several_accumulators() -> None:
    text = """
fun {[int], [real], [int]} main([int] a, [real] b) =
  unzip(scan(fn {int, real, int} ({int, real, int} x, {int, real, int} y) =>
               let {{i, r, m}, {j, s, n}} = {x, y} in {i + j, r + s, if m < n then n else m},
             {0, 0.0, ~9}, zip(a, b, a)))
"""
    assert is_blocked(text)
    check(text, [(ints(size), whole_reals(size)) for size in SIZES], each=True)


def test_an_operator_that_is_not_known_is_applied_in_order() -> None:
    text = """
fun [int] main([int] a) =
  scan(fn int (int x, int y) => if x = 0 then y else x, 0, a)
"""
    assert not is_blocked(text)
    check(text, [(ints(size) % 3,) for size in SIZES])


def test_ints_wrap_around_in_scans() -> None:
    """In whatever order they are added: that is what makes reassociation exact."""
    most = np.full(100, (1 << 63) - 1)
    text = "fun [int] main([int] a) = scan(op +, 0, a)"
    check(text, [(most,)])
    assert loads(text).compile()(most)[1] == -2


@pytest.mark.parametrize("place", [0, 7, 8, 63, 64, 99])
def test_what_is_no_number_goes_only_upwards(place: int) -> None:
    """nan and infinities change the sums from their place on, and none before."""
    text = "fun [real] main([real] a) = map(fn real (real x) => x * 2.0, scan(op +, 0.0, a))"
    numbers = whole_reals(100)
    for strange in (np.nan, np.inf, -np.inf):
        given = numbers.copy()
        given[place] = strange
        check(text, [(given,)])
    both = numbers.copy()
    both[place // 2], both[place] = np.inf, -np.inf
    check(text, [(both,)])


# Reductions.

STREAM_SIZES = (0, 1, LEAST - 1, LEAST, LEAST + 1, 2 * LEAST, 2 * LEAST + 3)


def test_reductions_in_streams() -> None:
    text = """
fun {int, int, int, int} main([int] a) =
  let b = map(fn int (int x) => x * 3 - 1, a) in
  {reduce(op +, 5, b), reduce(fn int (int x, int y) => if x < y then x else y, 1000, b),
   reduce(op ^, 0, b), reduce(op +, 0, filter(op <(0), b))}
"""
    assert f"< {LEAST} ? 0" in c_text(loads(text), "main").text
    check(text, [(ints(size),) for size in STREAM_SIZES], each=True)
    product = "fun real main([real] a) = reduce(op *, 1.0, a)"
    random = np.random.default_rng(3)
    check(product, [(random.uniform(0.99, 1.01, size),) for size in STREAM_SIZES], 1e-12)
    exact = "fun real main([real] a) = reduce(op +, 0.5, map(op *(2.0), a))"
    check(exact, [(whole_reals(size),) for size in STREAM_SIZES])


PRODUCT = """
fun [[int]] main([[int]] a, [[int]] b) =
  map(fn [int] ([int] r) => map(fn int ([int] c) => reduce(op +, 0, map(op *, zip(r, c))), b), a)
"""

NEAREST = """
fun [{int, int}] main([[int]] a, [[int]] b) =
  map(fn {int, int} ([int] r) =>
        let s = map(fn int (int x) => x % 100, r) in
        let t = filter(op <(50), s) in
        {reduce(op +, 0, t), reduce(fn int (int x, int y) => if x < y then x else y, 7, s)},
      concat(a, b))
"""


@pytest.mark.parametrize("text", [PRODUCT, NEAREST])
def test_jammed_iterations(text: str) -> None:
    assert "/ 4 * 4" in c_text(loads(text), "main").text
    calls = []
    for rows in (0, 1, 3, 4, 5, 8, 11):
        for columns in (0, 1, 2, 9, 33):
            a, b = ints(rows * columns), ints(rows * columns, 1)
            calls.append((a.reshape(rows, columns), b.reshape(rows, columns)))
    check(text, calls, each=True)


def test_a_reduction_whose_size_differs_is_not_jammed() -> None:
    text = """
fun [int] main([int] a) = map(fn int (int n) => reduce(op +, 0, iota(n)), a)
"""
    assert "/ 4 * 4" not in c_text(loads(text), "main").text
    check(text, [(np.arange(size),) for size in (0, 1, 4, 9)])


def test_a_reduction_within_rows_whose_size_differs() -> None:
    """The columns of a row are jammed, the rows are not."""
    text = """
fun [[int]] main([int] a, [int] b) =
  map(fn [int] (int n) => map(fn int (int x) => reduce(op +, 0, map(op *(x), iota(n))), b), a)
"""
    check(text, [(np.arange(m), np.arange(n)) for m in (0, 1, 5, 9) for n in (0, 1, 4, 7)])


# Memory and options.

MANY = 700_000
"""Elements of an array whose memory is kept when it is given back."""


def test_memory_that_was_given_back_is_nobody_elses() -> None:
    """Results that are alive never share memory, whichever blocks are used again."""
    double = loads("fun [real] main([real] a, real x) = map(op *(x), a)").compile(threads=1)
    a = np.arange(MANY, dtype=float)
    alive: list[tuple[float, Any]] = []
    for number in range(12):
        alive.append((float(number), double(a, float(number))))
        if number % 3 == 2:
            del alive[number % 4]
    for factor, found in alive:
        assert np.array_equal(found, a * factor)
    starts = {found.ctypes.data for _, found in alive}
    assert len(starts) == len(alive)


def test_smaller_arrays_in_kept_memory() -> None:
    sums = loads("fun [real] main([real] a) = scan(op +, 0.0, a)").compile(threads=1)
    for size in (MANY, MANY // 3, MANY - 1, 10, 2 * MANY, MANY):
        assert np.array_equal(sums(np.ones(size)), np.arange(1.0, size + 1))


def test_a_compiler_that_does_not_know_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flags, "for_this_processor", lambda: ("-munheard-of",))
    program = loads("fun int main([int] a) = reduce(op +, 12345, a)")
    assert program.compile()(np.array([1, 2, 3])) == 12351
