"""The array cases as operations on whole arrays for JAX, where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax

jax.config.update("jax_enable_x64", True)
jnp: Any = jax.numpy


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


def least_sums(d: Any) -> Any:
    return jnp.minimum(jnp.minimum(1200, (d[:, :, None] + d[None, :, :]).min(axis=1)), d)


def _without_size(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose third argument is known to it, since it is the size of results."""
    made = jax.jit(function)
    return lambda first, second, size: made(first, second)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "map_reduce": jax.jit(lambda a: (a * a + 1.0).sum()),
    "three_reductions": jax.jit(three),
    "map_scan": jax.jit(lambda a: jnp.cumsum(a * 0.5 + 1.0)),
    "scan_map": jax.jit(lambda a: jnp.cumsum(a) * 0.5 + 1.0),
    "filter_map_sum": jax.jit(lambda a: jnp.where(a > 0.5, a * a, 0.0).sum()),
    "two_buckets": _without_size(sums),
    "shared_buckets": _without_size(shared),
    "histogram": jax.jit(histogram),
    "grouping": _without_size(grouping),
    "black_scholes": jax.jit(black_scholes),
    "p1": jax.jit(lambda a, b: a @ b),
    "p2": jax.jit(least_sums),
    "mandelbrot": _without_size(mandelbrot),
    "stencil": jax.jit(stencil),
    "n_body": jax.jit(n_body),
}
"""By the names of the cases."""
