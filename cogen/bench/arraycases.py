"""The cases of `cogen bench array`: data, and the ways to compute the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import cffi
import numpy as np

from cogen.array.c.flags import OPTIONS, for_this_processor
from cogen.backends.objectcode.cache import shared_object

Way = Callable[[], Any]
Arrays = tuple[Any, ...]

_PROTOTYPES: Final = """
double map_reduce(int64_t n, const double *a, int threads);
void three_reductions(int64_t n, const double *a, double *out, int threads);
void map_scan(int64_t n, const double *a, double *out, int threads);
void scan_map(int64_t n, const double *a, double *out, int threads);
double filter_map_sum(int64_t n, const double *a, int threads);
int64_t compaction(int64_t n, const double *a, double *out, int threads);
int64_t positions(int64_t n, const double *a, int64_t *out);
double scanned_sum(int64_t n, const double *a);
int64_t distinct_kept(int64_t n, const int64_t *keys, int64_t most, int64_t *out);
int64_t distinct_by_key(int64_t n, const int64_t *keys, const int64_t *values, int64_t *found,
                        int64_t *counts);
int64_t two_buckets(int64_t n, const int64_t *keys, const double *a, int64_t buckets, double *sums,
                    int64_t *counts, int threads);
int64_t shared_buckets(int64_t n, const int64_t *keys, const double *a, int64_t buckets,
                       double *first, double *second, int threads);
int64_t histogram(int64_t n, const double *a, int64_t bins, int64_t *out, int threads);
int64_t grouping(int64_t n, const int64_t *keys, const double *a, int64_t buckets, int64_t *offsets,
                 double *out);
void black_scholes(int64_t n, const uint8_t *call, const double *price, const double *strike,
                   const double *years, double *out, int threads);
int64_t p1(int64_t n, const int64_t *a, const int64_t *b, int64_t *out, int threads);
int64_t p2(int64_t n, const int64_t *d, int64_t *out, int threads);
void mandelbrot(int64_t n, const double *re, const double *im, int64_t limit, int64_t *out,
                int threads);
void stencil(int64_t n, const double *a, double *out, int threads);
void simulation(int64_t n, const double *a, int64_t steps, double *out, int threads);
void small_rows(int64_t n, const double *a, double *out);
void continued(int64_t m, const double *a, int64_t n, const double *b, double *out);
void n_body(int64_t n, const double *xs, const double *ys, const double *ms, double *ax, double *ay,
            int threads);
void life(int64_t n, const int64_t *cells, int64_t *out, int threads);
void nearest(int64_t n, const double *points, int64_t m, const double *centres, int64_t k,
             int64_t *out);
void row_scans(int64_t n, int64_t m, const double *rows, double *out);
void column_sums(int64_t n, int64_t m, const double *a, double *out);
void column_maxima(int64_t n, int64_t m, const double *a, double *out);
int64_t extreme(int64_t n, const double *a);
void convolution(int64_t n, const double *a, int64_t m, const double *weights, double *out);
void heap_sort(int64_t n, const double *given, double *a);
"""


@dataclass(frozen=True, slots=True)
class ArrayCase:
    """A program of arrays.l0: its arguments, and the opponents, which take them.

    `hand` takes the number of threads first. Opponents that are not there are left out.
    """

    name: str
    title: str
    size: int
    """What `arguments` is given: elements, rows, or pixels in a row."""
    arguments: Callable[[int], Arrays]
    hand: Callable[..., Any]
    numpy: Callable[..., Any]
    numexpr: str | None = None
    """An expression of a, b, ... (the arguments in order)."""
    apart: frozenset[str] = frozenset()
    """The rules of fusion without which the loops of the program stay apart, where that is a way
    to be compared with."""


@cache
def library() -> tuple[Any, Any]:
    """The foreign function interface, and the compiled opponents of c/array_hand.c."""
    text = Path(__file__).with_name("c").joinpath("array_hand.c").read_text(encoding="utf-8")
    ffi = cffi.FFI()
    ffi.cdef(_PROTOTYPES)
    return ffi, ffi.dlopen(str(shared_object(text, (*OPTIONS, *for_this_processor()))))


def _hand(name: str, *arguments: Any) -> Any:
    """Call a function of array_hand.c; arrays are passed as pointers."""
    ffi, c = library()
    types = {"f": "double[]", "i": "int64_t[]", "b": "uint8_t[]"}
    passed = [
        ffi.from_buffer(types[a.dtype.kind], a) if isinstance(a, np.ndarray) else a
        for a in arguments
    ]
    return getattr(c, name)(*passed)


@cache
def _room(name: str, shape: tuple[int, ...], dtype: Any) -> Any:
    """Memory for a result of hand-written C, the same in every call: no pages are fresh."""
    return np.zeros(shape, dtype)


def _into(name: str) -> Callable[..., Any]:
    """A function that fills an array shaped like an argument, which is the result."""

    def run(threads: int, *arguments: Any) -> Any:
        first = arguments[0]
        out = _room(name, first.shape, first.dtype)
        _hand(name, len(arguments[0]), *arguments, out, threads)
        return out

    return run


def _scalar(name: str) -> Callable[..., Any]:
    return lambda threads, a: _hand(name, len(a), a, threads)


def _three(threads: int, a: Any) -> Any:
    out = np.empty(3)
    _hand("three_reductions", len(a), a, out, threads)
    return tuple(out.tolist())


def _compaction(threads: int, a: Any) -> Any:
    out = _room("compaction", a.shape, a.dtype)
    return out[: _hand("compaction", len(a), a, out, threads)]


def _positions(threads: int, a: Any) -> Any:
    out = _room("positions", a.shape, np.dtype(np.int64))
    return out[: _hand("positions", len(a), a, out)]


def _numpy_positions(a: Any) -> Any:
    kept = a[a > 0.5]
    return np.arange(len(kept)) + (kept * 4.0).astype(np.int64)


def _in_order(values: Any) -> Any:
    """The different values in the order in which they first occur."""
    found, first = np.unique(values, return_index=True)
    return found[np.argsort(first)]


def _distinct_kept(threads: int, keys: Any) -> Any:
    out = _room("distinct_kept", keys.shape, keys.dtype)
    return out[: _hand("distinct_kept", len(keys), keys, DIFFERENT, out)]


def _distinct_by_key(threads: int, keys: Any, values: Any) -> Any:
    found, counts = (_room(f"by_key.{k}", keys.shape, keys.dtype) for k in range(2))
    counts[:DIFFERENT] = 0
    count = _hand("distinct_by_key", len(keys), keys, values, found, counts)
    return found[:count], counts[:count]


def _numpy_distinct_by_key(keys: Any, values: Any) -> Any:
    pairs = np.unique(keys * DIFFERENT + values)
    found = _in_order(keys)
    return found, np.bincount(pairs // DIFFERENT, minlength=DIFFERENT)[found]


def _two_buckets(threads: int, keys: Any, a: Any, buckets: int) -> Any:
    sums, counts = np.empty(buckets), np.empty(buckets, np.int64)
    _hand("two_buckets", len(a), keys, a, buckets, sums, counts, threads)
    return sums, counts


def _shared_buckets(threads: int, keys: Any, a: Any, buckets: int) -> Any:
    first, second = np.empty(buckets), np.empty(buckets)
    _hand("shared_buckets", len(a), keys, a, buckets, first, second, threads)
    return first, second


def _numpy_shared_buckets(keys: Any, a: Any, buckets: int) -> Any:
    b = a * 2.0 + 1.0
    return np.bincount(keys, b, buckets), np.bincount(keys, b * b, buckets)


def _histogram(threads: int, a: Any, bins: int) -> Any:
    out = np.empty(bins, np.int64)
    _hand("histogram", len(a), a, bins, out, threads)
    return out


def _grouping(threads: int, keys: Any, a: Any, buckets: int) -> Any:
    offsets, out = np.empty(buckets + 1, np.int64), np.empty(len(a))
    _hand("grouping", len(a), keys, a, buckets, offsets, out)
    return offsets, out


def _numpy_grouping(keys: Any, a: Any, buckets: int) -> Any:
    offsets = np.zeros(buckets + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=buckets), out=offsets[1:])
    return offsets, a[np.argsort(keys, kind="stable")]


def _mandelbrot(threads: int, re: Any, im: Any, limit: int) -> Any:
    out = _room("mandelbrot", re.shape, np.dtype(np.int64))
    _hand("mandelbrot", len(re), re, im, limit, out, threads)
    return out


def _small_rows(threads: int, rows: Any) -> Any:
    out = np.empty(4)
    _hand("small_rows", len(rows), rows, out)
    return out


def _continued(threads: int, a: Any, b: Any) -> Any:
    out = _room("continued", (len(a) + len(b),), a.dtype)
    _hand("continued", len(a), a, len(b), b, out)
    return out


def _nearest(threads: int, points: Any, centres: Any) -> Any:
    out = _room("nearest", (len(points),), np.dtype(np.int64))
    _hand("nearest", len(points), points, len(centres), centres, points.shape[1], out)
    return out


def _row_scans(threads: int, rows: Any) -> Any:
    out = _room("row_scans", rows.shape, rows.dtype)
    _hand("row_scans", *rows.shape, rows, out)
    return out


def _columns(name: str) -> Callable[..., Any]:
    """A function of the columns of a matrix."""

    def run(threads: int, matrix: Any) -> Any:
        out = _room(name, (matrix.shape[1],), matrix.dtype)
        _hand(name, *matrix.shape, matrix, out)
        return out

    return run


def _extreme(threads: int, a: Any) -> Any:
    at = _hand("extreme", len(a), a)
    return float(a[at]), at


def _convolution(threads: int, a: Any, weights: Any) -> Any:
    out = _room("convolution", (len(a) - len(weights) + 1,), a.dtype)
    _hand("convolution", len(out), a, len(weights), weights, out)
    return out


def _heap_sort(threads: int, a: Any) -> Any:
    out = _room("heap_sort", a.shape, a.dtype)
    _hand("heap_sort", len(a), a, out)
    return out


def _numpy_life(cells: Any) -> Any:
    rows = np.roll(cells, 1, 0) + cells + np.roll(cells, -1, 0)
    around = np.roll(rows, 1, 1) + rows + np.roll(rows, -1, 1) - cells
    return ((around == 3) | ((around == 2) & (cells == 1))).astype(np.int64)


def _numpy_nearest(points: Any, centres: Any) -> Any:
    return ((points[:, None] - centres) ** 2).sum(2).argmin(1)


def _numpy_simulation(a: Any, steps: int) -> Any:
    for _ in range(steps):
        a = a + 0.01 * (1.0 - a * a)
    return a


def _n_body(threads: int, xs: Any, ys: Any, ms: Any) -> Any:
    ax, ay = (_room(name, xs.shape, xs.dtype) for name in ("n_body.x", "n_body.y"))
    _hand("n_body", len(xs), xs, ys, ms, ax, ay, threads)
    return ax, ay


def _options(n: int) -> Arrays:
    random = np.random.default_rng(2)
    prices, strikes = random.uniform(40.0, 90.0, (2, n))
    return ((random.integers(0, 2, n).astype(bool), prices, strikes, random.uniform(0.1, 3.0, n)),)


def _hand_options(threads: int, options: Arrays) -> Any:
    out = _room("black_scholes", options[1].shape, options[1].dtype)
    _hand("black_scholes", len(out), *options, out, threads)
    return out


def _numpy_cnd(d: Any) -> Any:
    k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
    p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
        -1.821255978 + k * 1.330274429))))  # fmt: skip
    c = 0.3989422804014327 * np.exp(-0.5 * d * d) * p
    return np.where(d > 0.0, 1.0 - c, c)


def _numpy_options(options: Arrays) -> Any:
    call, price, strike, years = options
    root = 0.30 * np.sqrt(years)
    d1 = (np.log(price / strike) + (0.08 + 0.5 * 0.30 * 0.30) * years) / root
    c1, c2 = _numpy_cnd(d1), _numpy_cnd(d1 - root)
    x = strike * np.exp(-0.08 * years)
    return np.where(call, price * c1 - x * c2, x * (1.0 - c2) - price * (1.0 - c1))


def _numpy_mandelbrot(re: Any, im: Any, limit: int) -> Any:
    x, y, count = np.zeros(len(re)), np.zeros(len(re)), np.zeros(len(re), np.int64)
    for _ in range(limit):
        inside = x * x + y * y < 4.0
        y, x = (
            np.where(inside, 2.0 * x * y + im, y),
            np.where(inside, x * x - y * y + re, x),
        )
        count += inside
    return count


def _numpy_stencil(a: Any) -> Any:
    out = a.copy()
    out[1:-1] = 0.25 * a[:-2] + 0.5 * a[1:-1] + 0.25 * a[2:]
    return out


def _numpy_p2(d: Any) -> Any:
    least = np.full_like(d, 1200)
    for k in range(len(d)):
        np.minimum(least, d[:, k : k + 1] + d[k : k + 1, :], out=least)
    return np.minimum(least, d)


def _numpy_n_body(xs: Any, ys: Any, ms: Any) -> Any:
    ax, ay = np.empty(len(xs)), np.empty(len(xs))
    for i in range(len(xs)):
        dx, dy = xs - xs[i], ys - ys[i]
        d = dx * dx + dy * dy + 0.01
        f = ms / (d * np.sqrt(d))
        ax[i], ay[i] = (f * dx).sum(), (f * dy).sum()
    return ax, ay


def _reals(n: int) -> Arrays:
    return (np.random.default_rng(1).uniform(0.0, 1.0, n),)


def _matrix(n: int, m: int) -> Arrays:
    return (np.random.default_rng(8).uniform(0.0, 1.0, (n, m)),)


def _some_keys(n: int) -> Arrays:
    return (np.random.default_rng(7).integers(0, DIFFERENT, n),)


def _keys_and_values(n: int) -> Arrays:
    return tuple(np.random.default_rng(8).integers(0, DIFFERENT, (2, n)))


def _keys(n: int, buckets: int) -> Arrays:
    random = np.random.default_rng(3)
    return random.integers(0, buckets, n), random.uniform(0.0, 1.0, n), buckets


def _plane(side: int, limit: int) -> Arrays:
    re, im = np.meshgrid(np.linspace(-2.0, 0.7, side), np.linspace(-1.2, 1.2, side))
    return re.ravel().copy(), im.ravel().copy(), limit


DIFFERENT: Final = 1000
"""There are so many different keys, and values, of which the different ones are looked for."""

MANY: Final = 5_000_000
"""The elements of the vectors of most cases."""

CASES: Final = (
    ArrayCase("map_reduce", "map, reduce", MANY, _reals, _scalar("map_reduce"),
              lambda a: float((a * a + 1.0).sum()), "sum(a * a + 1.0)"),
    ArrayCase("three_reductions", "three reductions of one map", MANY, _reals, _three,
              lambda a: (lambda b: (b.sum(), b.min(), b.max()))(a * a - a)),
    ArrayCase("map_scan", "map, scan", MANY, _reals, _into("map_scan"),
              lambda a: np.cumsum(a * 0.5 + 1.0)),
    ArrayCase("scan_map", "scan, map", MANY, _reals, _into("scan_map"),
              lambda a: np.cumsum(a) * 0.5 + 1.0),
    ArrayCase("filter_map_sum", "filter, map, sum", MANY, _reals, _scalar("filter_map_sum"),
              lambda a: float((lambda b: b * b)(a[a > 0.5]).sum()),
              "sum(where(a > 0.5, a * a, 0.0))"),
    ArrayCase("compaction", "filter", MANY, _reals, _compaction, lambda a: a[a > 0.5]),
    ArrayCase("positions", "filter, positions", MANY, _reals, _positions, _numpy_positions,
              apart=frozenset({"filter-map", "filter-scan"})),
    ArrayCase("scanned_sum", "filter, scan, sum", MANY, _reals,
              lambda threads, a: _hand("scanned_sum", len(a), a),
              lambda a: float(np.cumsum(a[a > 0.5]).sum()), apart=frozenset({"filter-scan"})),
    ArrayCase("distinct_kept", "filter, distinct", MANY, _some_keys, _distinct_kept,
              lambda keys: _in_order(keys[keys % 2 == 0]), apart=frozenset({"filter-distinct"})),
    ArrayCase("distinct_by_key", "different values by 1000 keys", MANY, _keys_and_values,
              _distinct_by_key, _numpy_distinct_by_key,
              apart=frozenset({"group-bucket", "hash-bucket"})),
    ArrayCase("two_buckets", "sums and counts by 1000 keys", MANY, lambda n: _keys(n, 1000),
              _two_buckets,
              lambda k, a, n: (np.bincount(k, a, n), np.bincount(k, minlength=n))),
    ArrayCase("shared_buckets", "two sums by 1000 keys of one map", MANY,
              lambda n: _keys(n, 1000), _shared_buckets, _numpy_shared_buckets),
    ArrayCase("histogram", "histogram of 256 bins", MANY, lambda n: (*_reals(n), 256), _histogram,
              lambda a, n: np.bincount((a * n).astype(np.int64), minlength=n)),
    ArrayCase("grouping", "groups by 1000 keys", MANY, lambda n: _keys(n, 1000), _grouping,
              _numpy_grouping),
    ArrayCase("black_scholes", "P0, Black-Scholes", 2_000_000, _options, _hand_options,
              _numpy_options),
    ArrayCase("p1", "P1, 512 x 512", 512,
              lambda n: tuple(np.random.default_rng(4).integers(-9, 9, (2, n, n))),
              _into("p1"), lambda a, b: a @ b),
    ArrayCase("p2", "P2, 400 x 400", 400,
              lambda n: (np.random.default_rng(5).integers(1, 900, (n, n)),),
              _into("p2"), _numpy_p2),
    ArrayCase("mandelbrot", "Mandelbrot, 400 x 400, 100 rounds", 400, lambda n: _plane(n, 100),
              _mandelbrot, _numpy_mandelbrot),
    ArrayCase("stencil", "3-point stencil", MANY, _reals, _into("stencil"), _numpy_stencil),
    ArrayCase("simulation", "20 steps of a simulation", 3_000_000, lambda n: (*_reals(n), 20),
              _into("simulation"), _numpy_simulation),
    ArrayCase("small_rows", "sum of 200,000 rows of 4", 200_000,
              lambda n: _matrix(n, 4), _small_rows, lambda rows: rows.sum(0)),
    ArrayCase("continued", "scan of two maps, one after the other", 1_000_000,
              lambda n: (*_reals(n), *_reals(n // 2)), _continued,
              lambda a, b: np.cumsum(np.concatenate([a * 2.0, b + 1.0])),
              apart=frozenset({"chain"})),
    ArrayCase("life", "Game of Life, 1000 x 1000", 1000,
              lambda n: (np.random.default_rng(9).integers(0, 2, (n, n)),),
              _into("life"), _numpy_life),
    ArrayCase("nearest", "nearest of 16 centres, 100,000 points of 4", 100_000,
              lambda n: (_matrix(n, 4)[0], _matrix(16, 4)[0] + 0.01), _nearest, _numpy_nearest),
    ArrayCase("row_scans", "scans of 200,000 rows of 8", 200_000, lambda n: _matrix(n, 8),
              _row_scans, lambda rows: rows.cumsum(1)),
    ArrayCase("column_sums", "sums of columns, 1000 x 1000", 1000, lambda n: _matrix(n, n),
              _columns("column_sums"), lambda a: a.sum(0)),
    ArrayCase("column_maxima", "maxima of columns, 1000 x 1000", 1000, lambda n: _matrix(n, n),
              _columns("column_maxima"), lambda a: a.max(0)),
    ArrayCase("extreme", "the least and where it is, 2,000,000", 2_000_000, _reals, _extreme,
              lambda a: (lambda at: (float(a[at]), at))(a.argmin())),
    ArrayCase("convolution", "convolution by 16 weights, 2,000,000", 2_000_000,
              lambda n: (*_reals(n), *_reals(16)), _convolution,
              lambda a, w: np.convolve(a, w[::-1], "valid")),
    ArrayCase("heap_sort", "heap sort, 200,000", 200_000, _reals, _heap_sort, np.sort),
    ArrayCase("n_body", "n-body, 3000", 3000,
              lambda n: tuple(np.random.default_rng(6).uniform(0.1, 1.0, (3, n))),
              _n_body, _numpy_n_body),
)  # fmt: skip


def others(case: ArrayCase, arguments: Arrays, threads: int) -> Mapping[str, Way]:
    """NumPy and numexpr, and those of `cogen.bench.arrayothers` that are installed."""
    ways: dict[str, Way] = {"numpy": lambda: case.numpy(*arguments)}
    if case.numexpr is not None:
        expression = _numexpr(case.numexpr, arguments, threads)
        if expression is not None:
            ways["numexpr"] = expression
    return ways


def _numexpr(text: str, arguments: Arrays, threads: int) -> Way | None:
    try:
        import numexpr
    except ImportError:
        return None
    numexpr.set_num_threads(threads)
    names = dict(zip("abcd", arguments, strict=False))
    return lambda: float(numexpr.evaluate(text, local_dict=names))
