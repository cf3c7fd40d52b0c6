"""The array cases as explicit loops for Numba, where it is installed: parallel where it can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np

Compile = Callable[[Callable[..., Any]], Callable[..., Any]]

plain: Compile = numba.njit
parallel: Compile = numba.njit(parallel=True)
prange: Any = numba.prange


@parallel
def map_reduce(a: Any) -> Any:
    total = 0.0
    for i in prange(len(a)):
        total += a[i] * a[i] + 1.0
    return total


@parallel
def three_reductions(a: Any) -> Any:
    total, least, most = 0.0, 1.0e300, -1.0e300
    for i in prange(len(a)):
        x = a[i] * a[i] - a[i]
        total += x
        least = min(least, x)
        most = max(most, x)
    return total, least, most


@parallel
def map_scan(a: Any) -> Any:
    return np.cumsum(a * 0.5 + 1.0)


@parallel
def scan_map(a: Any) -> Any:
    return np.cumsum(a) * 0.5 + 1.0


@parallel
def filter_map_sum(a: Any) -> Any:
    total = 0.0
    for i in prange(len(a)):
        if a[i] > 0.5:
            total += a[i] * a[i]
    return total


@plain
def compaction(a: Any) -> Any:
    out = np.empty_like(a)
    k = 0
    for x in a:
        if x > 0.5:
            out[k] = x
            k += 1
    return out[:k]


@plain
def two_buckets(keys: Any, a: Any, buckets: Any) -> Any:
    sums, counts = np.zeros(buckets), np.zeros(buckets, np.int64)
    for i in range(len(a)):
        sums[keys[i]] += a[i]
        counts[keys[i]] += 1
    return sums, counts


@plain
def shared_buckets(keys: Any, a: Any, buckets: Any) -> Any:
    first, second = np.zeros(buckets), np.zeros(buckets)
    for i in range(len(a)):
        b = a[i] * 2.0 + 1.0
        first[keys[i]] += b
        second[keys[i]] += b * b
    return first, second


@plain
def histogram(a: Any, bins: Any) -> Any:
    out = np.zeros(bins, np.int64)
    for x in a:
        out[int(x * bins)] += 1
    return out


@plain
def grouping(keys: Any, a: Any, buckets: Any) -> Any:
    offsets = np.zeros(buckets + 1, np.int64)
    for k in keys:
        offsets[k + 1] += 1
    for k in range(buckets):
        offsets[k + 1] += offsets[k]
    places = offsets.copy()
    out = np.empty_like(a)
    for i in range(len(a)):
        out[places[keys[i]]] = a[i]
        places[keys[i]] += 1
    return offsets, out


@plain
def cnd(d: Any) -> Any:
    k = 1.0 / (1.0 + 0.2316419 * abs(d))
    p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
        -1.821255978 + k * 1.330274429))))  # fmt: skip
    c = 0.3989422804014327 * np.exp(-0.5 * d * d) * p
    return 1.0 - c if d > 0.0 else c


@parallel
def black_scholes(call: Any, price: Any, strike: Any, years: Any) -> Any:
    out = np.empty_like(price)
    for i in prange(len(price)):
        root = 0.30 * np.sqrt(years[i])
        d1 = (np.log(price[i] / strike[i]) + (0.08 + 0.5 * 0.30 * 0.30) * years[i]) / root
        c1, c2 = cnd(d1), cnd(d1 - root)
        x = strike[i] * np.exp(-0.08 * years[i])
        if call[i]:
            out[i] = price[i] * c1 - x * c2
        else:
            out[i] = x * (1.0 - c2) - price[i] * (1.0 - c1)
    return out


@parallel
def p1(a: Any, b: Any) -> Any:
    n = len(a)
    t = b.T.copy()
    out = np.empty_like(a)
    for i in prange(n):
        for j in range(n):
            total = 0
            for k in range(n):
                total += a[i, k] * t[j, k]
            out[i, j] = total
    return out


@parallel
def p2(d: Any) -> Any:
    n = len(d)
    t = d.T.copy()
    out = np.empty_like(d)
    for i in prange(n):
        for j in range(n):
            least = 1200
            for k in range(n):
                least = min(least, t[j, k] + d[i, k])
            out[i, j] = min(least, d[i, j])
    return out


@parallel
def mandelbrot(re: Any, im: Any, limit: Any) -> Any:
    out = np.empty(len(re), np.int64)
    for p in prange(len(re)):
        x, y, count = 0.0, 0.0, 0
        while count < limit and x * x + y * y < 4.0:
            x, y = x * x - y * y + re[p], 2.0 * x * y + im[p]
            count += 1
        out[p] = count
    return out


@parallel
def stencil(a: Any) -> Any:
    out = np.empty_like(a)
    n = len(a)
    out[0], out[n - 1] = a[0], a[n - 1]
    for i in prange(1, n - 1):
        out[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1]
    return out


@parallel
def n_body(xs: Any, ys: Any, ms: Any) -> Any:
    n = len(xs)
    ax, ay = np.empty(n), np.empty(n)
    for i in prange(n):
        fx, fy = 0.0, 0.0
        for j in range(n):
            dx, dy = xs[j] - xs[i], ys[j] - ys[i]
            d = dx * dx + dy * dy + 0.01
            f = ms[j] / (d * np.sqrt(d))
            fx += f * dx
            fy += f * dy
        ax[i], ay[i] = fx, fy
    return ax, ay


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "map_reduce": map_reduce,
    "three_reductions": three_reductions,
    "map_scan": map_scan,
    "scan_map": scan_map,
    "filter_map_sum": filter_map_sum,
    "compaction": compaction,
    "two_buckets": two_buckets,
    "shared_buckets": shared_buckets,
    "histogram": histogram,
    "grouping": grouping,
    "black_scholes": black_scholes,
    "p1": p1,
    "p2": p2,
    "mandelbrot": mandelbrot,
    "stencil": stencil,
    "n_body": n_body,
}
"""By the names of the cases."""
