"""Scans in blocks, reductions in streams, jammed loops: all are the loop they were made from."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest

from cogen.array import loads
from cogen.array.c import flags
from cogen.array.c.cprogram import c_program
from cogen.array.c.nativeprogram import CNative, NativeProgram, c_text
from cogen.array.loops.stream import LEAST
from cogen.array.optimise.optimisations import CODE
from cogen.array.optimise.preparing import prepare
from cogen.array.programs.compiledprogram import Compiled
from cogen.lang.errors import CogenError
from tests.cogen.array.targets import QUICK, same
from tests.everyday import is_long, some

pytestmark = pytest.mark.usefixtures("full_optimisation")

SIZES = (0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 257)
"""Around the borders of vectors and of blocks, one block and several, in one thread and in two."""


def ways(text: str, each: bool) -> dict[str, Compiled]:
    """The program as C with all optimisations of the code and without all, and without `each` (of
    which every day there is one in seven, which depend on the text); in one thread and in two,
    which share out every loop."""
    program = loads(text)
    found = {}
    first = 0 if is_long() else crc32(text.encode()) % 7
    single = [frozenset([name]) for name in some(list(CODE)[first:], 7)] if each else []
    ready = prepare(program.facts, "main")  # the graph does not know these optimisations
    texts = set()
    for off in (frozenset[str](), *single, frozenset(CODE)):
        made = c_program(ready, off)
        if made.text in texts:
            continue
        texts.add(made.text)
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


@pytest.mark.one_in(3)
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


@pytest.mark.one_in(2)
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


@pytest.mark.one_in(4)
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


@pytest.mark.one_in(3)
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
    assert f"< {LEAST}) {{" in c_text(loads(text), "main").text
    check(text, [(ints(size),) for size in STREAM_SIZES], each=True)
    product = "fun real main([real] a) = reduce(op *, 1.0, a)"
    random = np.random.default_rng(3)
    check(product, [(random.uniform(0.99, 1.01, size),) for size in STREAM_SIZES], 1e-12)
    exact = "fun real main([real] a) = reduce(op +, 0.5, map(op *(2.0), a))"
    check(exact, [(whole_reals(size),) for size in STREAM_SIZES])


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("layout", "body", "in_streams"),
    [
        ("f64", "fn real (real x) => x * x", True),
        ("f64p64", "fn real (real x) => x * x", True),
        ("f64f64", "fn real (real x, real y) => x * x + y * y", True),
        ("f64f64f64f64", "fn real (real x, real y, real u, real v) => x * u - y * v", True),
        (
            "f64f64f64f64f64",
            "fn real (real x, real y, real u, real v, real w) => x * u - y * v + w",
            False,
        ),
    ],
)
def test_samples_that_are_permuted_keep_a_processor_busy(
    layout: str, body: str, in_streams: bool
) -> None:
    text = f'fun real main([packed "{layout}"] a) = reduce(op +, 0.0, map({body}, a))'
    program = loads(text)
    assert (f"< {LEAST}) {{" in c_text(program, "main").text) == in_streams
    data = whole_reals(5 * 2 * LEAST).tobytes()
    assert program.compile(threads=1)(data) == program.run(data)


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


@pytest.mark.one_in(2)
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


# Sequential loops side by side.

LANE_SIZES = (0, 1, 31, 32, 33, 100)

ESCAPE = """
fun [int] main([int] a, [int] b) =
  map(fn int (int p, int q) =>
        loop ({x, n} = {p % 50, 0}) = for i < 40 do
          if x * x + n < 900 then {x * 3 - q % 7, n + 1} else {x, n}
        in n * 1000 + x,
      zip(a, b))
"""


def leaves_a_loop(text: str) -> bool:
    """Whether the code of `main`, which follows the run-time library, leaves a loop early."""
    return "break;" in c_text(loads(text), "main").text.split("/* main, ")[1]


SETTLING = {
    "a pair that stays": ESCAPE,
    "one of two values, the other way round, with a sum": """
fun {int, [int]} main([int] a, [int] b) =
  let r = map(fn int (int p, int q) =>
                loop (x = p % 1000) = for i < size(0, a) do if x < q % 9 then x else x - 7 in x,
              zip(a, b)) in
  {reduce(op +, 1, r), r}
""",
    "two conditions, and a bool that is carried": """
fun [int] main([int] a, [int] b) =
  map(fn int (int p, int q) =>
        loop ({more, x, y} = {p < q, p & 63, 0}) = for i < 30 do
          {if more then x < 40 else more, if more then x + 1 else x, if y < 9 then y + 2 else y}
        in if more then x - y else x + y,
      zip(a, b))
""",
}

STEADY = {
    "with the index, and what was computed before": """
fun [int] main([int] a, [int] b) =
  map(fn int (int p, int q) =>
        let k = p * q - 1 in
        loop (x = k) = for i < 9 do if x < 0 then x + i * k else x - q in x + k,
      zip(a, b))
""",
    "two loops, one after the other, with what lies between": """
fun {[int], int} main([int] a, [int] b) =
  let r = map(fn int (int p, int q) =>
                let s = loop (x = p) = for i < 5 do x * 3 + q in x in
                let t = s ^ p in
                let u = loop ({x, y} = {q, s}) = for i < size(0, b) do {y - t, x + i} in x - y in
                u + t - q,
              zip(a, b)) in
  {r, reduce(fn int (int x, int y) => if x < y then x else y, 5, r)}
""",
    "elements that the lanes look up": """
fun [int] main([int] a, [int] b) =
  map(fn int (int p) =>
        loop (x = p) = for i < size(0, b) do x + b[i] * p - (if b[i] < p then 1 else 0) in x,
      a)
""",
    "no rounds": """
fun [int] main([int] a, [int] b) =
  map(fn int (int p) => loop (x = p) = for i < size(0, b) - size(0, a) do x * 5 in x, a)
""",
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", SETTLING | STEADY)
def test_sequential_loops_side_by_side(name: str) -> None:
    text = (SETTLING | STEADY)[name]
    assert "lane < 32" in c_text(loads(text), "main").text
    assert leaves_a_loop(text) == (name in SETTLING)
    check(text, [(ints(size), ints(size, 1)) for size in LANE_SIZES], each=True)


def test_lanes_of_reals() -> None:
    text = """
fun {[int], [real]} main([real] a, [real] b) =
  unzip(map(fn {int, real} (real p, real q) =>
        loop ({x, y, n} = {p, 0.0, 0}) = for i < 25 do
          if x + y < 5000.0 then {x * 2.0 + 1.0, y + q, n + 1} else {x, y, n}
        in {n, x - y},
      zip(a, b)))
"""
    assert "lane < 32" in c_text(loads(text), "main").text
    check(text, [(whole_reals(size), whole_reals(size, 1)) for size in LANE_SIZES], each=True)


OTHERS = {
    "rounds that differ": "loop (x = p) = for i < p & 7 do x * 3 in x",
    "a remainder, which is no vector": "loop (x = p) = for i < 9 do x * 3 % 11 in x",
    "a loop that can fail": "loop (x = 0) = for i < 9 do a[x] & 0 in x",
    "rows": "loop (x = iota(9)) = for i < 9 do map(op *(p), x) in reduce(op +, 0, x)",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", OTHERS)
def test_loops_that_have_no_lanes(name: str) -> None:
    text = f"fun [int] main([int] a) = map(fn int (int p) => {OTHERS[name]}, a)"
    assert "lane < 32" not in c_text(loads(text), "main").text
    check(text, [(ints(size),) for size in (0, 1, 31, 32, 33)], each=True)


def test_a_loop_settles_only_where_nothing_depends_on_the_index() -> None:
    text = """
fun int main(int a, int k) =
  loop (x = a) = for i < k do if x % 5 < i % 3 then x + 1 else x in x
"""
    assert not leaves_a_loop(text)
    check(text, [(a, k) for a in range(6) for k in (-1, 0, 1, 9)], each=True)


def test_a_loop_that_settles_alone_with_an_array() -> None:
    """Arrays that it carries are given up as often as they are kept."""
    text = """
fun {int, [int]} main([int] a, int k) =
  loop ({n, b} = {0, copy(a)}) = for i < k do
    if n < size(0, a) then {n + 1, map(op +(n), b)} else {n, b}
  in {n, b}
"""
    assert leaves_a_loop(text)
    check(text, [(ints(size), k) for size in (0, 1, 5) for k in (0, 1, 4, 5, 6, 100)], each=True)


def test_a_loop_that_settles_where_it_would_update_and_fail() -> None:
    text = """
fun {int, [int]} main(int k, int most) =
  loop ({n, b} = {0, replicate(5, 0)}) = for i < k do
    if n < most then let b = b with [n] <- n in {n + 1, b} else {n, b}
  in {n, b}
"""
    assert leaves_a_loop(text)
    check(text, [(k, most) for k in (0, 1, 4, 9, 60) for most in (0, 3, 5)], each=True)
    with pytest.raises(CogenError, match="the index \\[5\\] is out of bounds"):
        loads(text).compile()(9, 7)


# Keys of buckets.

KEYS = {
    "counts": "{bucketReduce(op +, 2, 5, map(fn int (int x) => x & 3, a), a), a}",
    "sums and least values of what is computed": """
let k = map(fn int (int x, int y) => if x < y then x & 7 else y & 3, zip(a, b)) in
{bucketReduce(op +, 1, 8, k, map(op *(3), a)),
 bucketReduce(fn int (int x, int y) => if x < y then x else y, 50, 8, k, map(op ^(1), b))}
""",
    "different keys": """
{bucketReduce(op +, 0, 4, map(op &(3), a), b), bucketReduce(op |, 0, 2, map(op &(1), b), b)}
""",
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", KEYS)
def test_keys_that_are_computed(name: str) -> None:
    text = f"fun {{[int], [int]}} main([int] a, [int] b) = {KEYS[name]}"
    assert "held[64]" in c_text(loads(text), "main").text
    sizes = (0, 1, 63, 64, 65, 130, 1000)
    check(text, [(ints(size), ints(size, 1)) for size in sizes], each=True)


def test_keys_that_are_only_loaded_or_looked_up() -> None:
    for keys in ("a", "map(fn int (int x) => a[x & 3], a)"):
        text = f"fun [int] main([int] a) = bucketReduce(op +, 0, 9, {keys}, map(op *(2), a))"
        assert "held[64]" not in c_text(loads(text), "main").text
        check(text, [(np.arange(size) % 9,) for size in (0, 5, 200)], each=True)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("place", [0, 63, 64, 130, 199])
def test_the_first_key_out_of_bounds_is_told(place: int) -> None:
    text = """
fun [int] main([real] a) = bucketReduce(op +, 0, 10, map(trunc, map(op *(10.0), a)), map(trunc, a))
"""
    assert "held[64]" in c_text(loads(text), "main").text
    a = np.random.default_rng(5).uniform(0.0, 0.99, 200)
    check(text, [(a,)], each=True)
    a[place:] = 9.0
    a[place] = -0.75
    for name, way in ways(text, each=True).items():
        with pytest.raises(CogenError, match="the key -7 is out of bounds of 10 buckets") as found:
            way(a)
        assert found.value.span is not None, name


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


def test_rows_of_any_width() -> None:
    """Short ones are reduced and scanned without vectors, long ones with them."""
    text = """
fun {[int], [[int]], [int], [real]} main([[int]] m, [[real]] q) =
  {map(fn int ([int] r) => reduce(op +, 0, r), m),
   map(fn [int] ([int] r) => scan(op +, 0, map(fn int (int x) => if x < 0 then 1 else 0, r)), m),
   map(fn int ([int] r) => reduce(op ^, 0, scan(op +, 0, r)), m),
   map(fn real ([real] r) => reduce(op +, 0.0, map(fn real (real x) => x - 1.0, r)), q)}
"""
    widths = (1, 15, 16, 31, 32, 127, 128, 200)
    check(text, [(ints(3 * w).reshape(3, w), whole_reals(3 * w).reshape(3, w)) for w in widths])


def test_scans_of_bools() -> None:
    text = """
fun {[int], int} main([bool] a) =
  let s = scan(op +, 0, map(fn int (bool b) => if b then 1 else 0, a)) in {s, reduce(op ^, 0, s)}
"""
    check(text, [(ints(size) > 0,) for size in (*SIZES, 1000)])


@pytest.mark.one_in(8)
@pytest.mark.parametrize("test", ["a < b", "b < a", "a <= b", "b <= a"])
@pytest.mark.parametrize("keeps", [False, True])
@pytest.mark.parametrize("kind", ["real", "int"])
def test_where_an_extreme_is(test: str, keeps: bool, kind: str) -> None:
    """Blocks without one are passed over; of equal ones the first or the last, as it says."""
    first, second = ("x", "y") if keeps else ("y", "x")
    pair = f"{{{kind}, int}}"
    function = f"fn {pair} ({pair} x, {pair} y) => let {{{{a, i}}, {{b, j}}}} = {{x, y}} in "
    start = {"real": "1.0e9", "int": "999999"}[kind]
    start = start if (test[0] == "b") != keeps else f"-{start}"
    text = (
        f"fun {pair} main([{kind}] v) = reduce({function} if {test} then {first} else {second}, "
        f"{{{start}, -1}}, zip(v, iota(size(v))))"
    )
    assert ("int64_t any" in c_text(loads(text), "main").text) or "<=" in test
    program = loads(text)
    run = program.compile(threads=1)
    for size in (0, 1, 255, 256, 257, 511, 512, 2000):
        values = ints(size) % 50
        rising = values if kind == "int" else np.sort(values).astype(float)
        given = values if kind == "int" else np.where(values < 5, np.nan, values.astype(float))
        for data in (given, rising, rising[::-1].copy()):
            assert same(run(data), program.run(data)), size


def test_columns_side_by_side() -> None:
    """However many there are, also around scans, and around sums whose elements lie side by side
    for both loops."""
    text = """
fun int most(int x, int y) = if x < y then y else x
fun {[int], [int], [[int]], [real], [int]} main([[int]] m, [[real]] q, [int] a, [int] k) =
  let t = transpose(m) in
  {map(fn int ([int] c) => reduce(op +, 3, c) * 2, t),
   map(fn int ([int] c) => reduce(op ^, 0, map(fn int (int x) => if x < 0 then x * 3 else 1, c)) +
                           reduce(most, -5, c), t),
   map(fn [int] ([int] c) => scan(op +, 0, c), t),
   map(fn real ([real] c) => reduce(op +, 0.0, c), transpose(q)),
   let w = size(k) in map(fn int (int i) =>
     reduce(op +, 0, map(fn int (int j) => a[i + j] * k[j], iota(w))), iota(size(a) - w))}
"""
    calls = [
        (ints(rows * w).reshape(rows, w), np.linspace(0, 1, rows * w).reshape(rows, w), ints(w + 9),
         ints(min(w, 5)))
        for rows, w in [(1, 1), (3, 7), (2, 8), (40, 9), (3, 1023), (2, 1024), (5, 1025), (2, 2100)]
    ]  # fmt: skip
    check(text, calls, 1e-13)
    assert "columns" in c_text(loads(text), "main").text
