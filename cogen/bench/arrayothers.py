"""Numba and JAX as opponents of `cogen bench array`, where they are installed.

Each writes the programs in its own idiom: Numba as explicit parallel loops, JAX as array operations
that it compiles as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

Way = Callable[[], Any]


def numba_way(name: str, arguments: tuple[Any, ...], threads: int) -> Way | None:
    """The program in Numba; None if there is none or Numba is not installed."""
    function = _numba_functions().get(name)
    if function is None:
        return None
    import numba

    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    flat = arguments[0] if isinstance(arguments[0], tuple) else arguments
    return lambda: function(*flat)


def jax_way(name: str, arguments: tuple[Any, ...], threads: int) -> Way | None:
    """The program in JAX; None if there is none or JAX is not installed."""
    function = _jax_functions().get(name)
    if function is None:
        return None
    import jax

    flat = arguments[0] if isinstance(arguments[0], tuple) else arguments
    given = [jax.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in flat]
    return lambda: jax.block_until_ready(function(*given))


@cache
def _numba_functions() -> dict[str, Callable[..., Any]]:
    try:
        import numba
    except ImportError:
        return {}
    jit = numba.njit(parallel=True)
    prange = numba.prange

    @jit
    def map_reduce(a):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in prange(len(a)):
            total += a[i] * a[i] + 1.0
        return total

    @jit
    def three_reductions(a):  # type: ignore[no-untyped-def]
        total, least, most = 0.0, 1.0e300, -1.0e300
        for i in prange(len(a)):
            x = a[i] * a[i] - a[i]
            total += x
            least = min(least, x)
            most = max(most, x)
        return total, least, most

    @jit
    def map_scan(a):  # type: ignore[no-untyped-def]
        return np.cumsum(a * 0.5 + 1.0)

    @jit
    def scan_map(a):  # type: ignore[no-untyped-def]
        return np.cumsum(a) * 0.5 + 1.0

    @jit
    def filter_map_sum(a):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in prange(len(a)):
            if a[i] > 0.5:
                total += a[i] * a[i]
        return total

    @numba.njit
    def compaction(a):  # type: ignore[no-untyped-def]
        out = np.empty_like(a)
        k = 0
        for x in a:
            if x > 0.5:
                out[k] = x
                k += 1
        return out[:k]

    @numba.njit
    def two_buckets(keys, a, buckets):  # type: ignore[no-untyped-def]
        sums, counts = np.zeros(buckets), np.zeros(buckets, np.int64)
        for i in range(len(a)):
            sums[keys[i]] += a[i]
            counts[keys[i]] += 1
        return sums, counts

    @numba.njit
    def shared_buckets(keys, a, buckets):  # type: ignore[no-untyped-def]
        first, second = np.zeros(buckets), np.zeros(buckets)
        for i in range(len(a)):
            b = a[i] * 2.0 + 1.0
            first[keys[i]] += b
            second[keys[i]] += b * b
        return first, second

    @numba.njit
    def histogram(a, bins):  # type: ignore[no-untyped-def]
        out = np.zeros(bins, np.int64)
        for x in a:
            out[int(x * bins)] += 1
        return out

    @numba.njit
    def grouping(keys, a, buckets):  # type: ignore[no-untyped-def]
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

    @numba.njit
    def cnd(d):  # type: ignore[no-untyped-def]
        k = 1.0 / (1.0 + 0.2316419 * abs(d))
        p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
            -1.821255978 + k * 1.330274429))))  # fmt: skip
        c = 0.3989422804014327 * np.exp(-0.5 * d * d) * p
        return 1.0 - c if d > 0.0 else c

    @jit
    def black_scholes(call, price, strike, years):  # type: ignore[no-untyped-def]
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

    @jit
    def p1(a, b):  # type: ignore[no-untyped-def]
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

    @jit
    def p2(d):  # type: ignore[no-untyped-def]
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

    @jit
    def mandelbrot(re, im, limit):  # type: ignore[no-untyped-def]
        out = np.empty(len(re), np.int64)
        for p in prange(len(re)):
            x, y, count = 0.0, 0.0, 0
            while count < limit and x * x + y * y < 4.0:
                x, y = x * x - y * y + re[p], 2.0 * x * y + im[p]
                count += 1
            out[p] = count
        return out

    @jit
    def stencil(a):  # type: ignore[no-untyped-def]
        out = np.empty_like(a)
        n = len(a)
        out[0], out[n - 1] = a[0], a[n - 1]
        for i in prange(1, n - 1):
            out[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1]
        return out

    @jit
    def n_body(xs, ys, ms):  # type: ignore[no-untyped-def]
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

    found = (
        map_reduce, three_reductions, map_scan, scan_map, filter_map_sum, compaction, two_buckets,
        shared_buckets, histogram, grouping, black_scholes, p1, p2, mandelbrot, stencil, n_body,
    )  # fmt: skip
    return {function.__name__: function for function in found}


@cache
def _jax_functions() -> dict[str, Callable[..., Any]]:
    try:
        import jax
    except ImportError:
        return {}
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy

    def cnd(d: Any) -> Any:
        k = 1.0 / (1.0 + 0.2316419 * jnp.abs(d))
        p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
            -1.821255978 + k * 1.330274429))))  # fmt: skip
        c = 0.3989422804014327 * jnp.exp(-0.5 * d * d) * p
        return jnp.where(d > 0.0, 1.0 - c, c)

    def black_scholes(call: Any, price: Any, strike: Any, years: Any) -> Any:
        root = 0.30 * jnp.sqrt(years)
        d1 = (jnp.log(price / strike) + (0.08 + 0.5 * 0.30 * 0.30) * years) / root
        c1, c2 = cnd(d1), cnd(d1 - root)
        x = strike * jnp.exp(-0.08 * years)
        return jnp.where(call, price * c1 - x * c2, x * (1.0 - c2) - price * (1.0 - c1))

    def three(a: Any) -> Any:
        b = a * a - a
        return b.sum(), b.min(), b.max()

    def stencil(a: Any) -> Any:
        inner = 0.25 * a[:-2] + 0.5 * a[1:-1] + 0.25 * a[2:]
        return jnp.concatenate([a[:1], inner, a[-1:]])

    def by_key(values: Any, keys: Any) -> Any:
        return jax.ops.segment_sum(values, keys, 1000)

    def sums(keys: Any, a: Any) -> Any:
        return by_key(a, keys), by_key(jnp.ones(len(keys), jnp.int64), keys)

    def shared(keys: Any, a: Any) -> Any:
        b = a * 2.0 + 1.0
        return by_key(b, keys), by_key(b * b, keys)

    def histogram(a: Any, bins: Any) -> Any:
        keys = (a * bins).astype(jnp.int64)
        return jax.ops.segment_sum(jnp.ones(len(a), jnp.int64), keys, 256)

    def grouping(keys: Any, a: Any) -> Any:
        counts = by_key(jnp.ones(len(keys), jnp.int64), keys)
        offsets = jnp.concatenate([jnp.zeros(1, jnp.int64), jnp.cumsum(counts)])
        return offsets, a[jnp.argsort(keys, stable=True)]

    def n_body(xs: Any, ys: Any, ms: Any) -> Any:
        dx, dy = xs[None, :] - xs[:, None], ys[None, :] - ys[:, None]
        d = dx * dx + dy * dy + 0.01
        f = ms[None, :] / (d * jnp.sqrt(d))
        return (f * dx).sum(axis=1), (f * dy).sum(axis=1)

    def mandelbrot(re: Any, im: Any) -> Any:
        def step(_: Any, state: Any) -> Any:
            x, y, count = state
            inside = x * x + y * y < 4.0
            return (
                jnp.where(inside, x * x - y * y + re, x),
                jnp.where(inside, 2.0 * x * y + im, y),
                count + inside,
            )

        zero = jnp.zeros_like(re)
        return jax.lax.fori_loop(0, 100, step, (zero, zero, jnp.zeros(len(re), jnp.int64)))[2]

    functions: dict[str, Callable[..., Any]] = {
        "map_reduce": lambda a: (a * a + 1.0).sum(),
        "three_reductions": three,
        "map_scan": lambda a: jnp.cumsum(a * 0.5 + 1.0),
        "scan_map": lambda a: jnp.cumsum(a) * 0.5 + 1.0,
        "filter_map_sum": lambda a: jnp.where(a > 0.5, a * a, 0.0).sum(),
        "black_scholes": black_scholes,
        "p1": lambda a, b: a @ b,
        "p2": lambda d: jnp.minimum(
            jnp.minimum(1200, (d[:, :, None] + d[None, :, :]).min(axis=1)), d
        ),
        "stencil": stencil,
        "n_body": n_body,
        "histogram": histogram,
    }
    compiled = {name: jax.jit(function) for name, function in functions.items()}
    for name, function in (
        ("two_buckets", sums), ("shared_buckets", shared), ("grouping", grouping),
        ("mandelbrot", mandelbrot),
    ):  # fmt: skip
        made = jax.jit(function)
        compiled[name] = lambda *arguments, made=made: made(*arguments[:2])
    return compiled
