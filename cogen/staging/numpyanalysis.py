"""NumPy's functions that compute with what arrays stand for: slopes, polynomials, statistics, sets.

They are written with NumPy's other functions, as a user would write them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cogen.array.l0.types import REAL
from cogen.staging.convertfunctions import convert
from cogen.staging.numpylinear import lstsq
from cogen.staging.numpyproducts import bucket_sum
from cogen.staging.numpyreductions import count_of, mean, reduction
from cogen.staging.numpyshaping import concatenate, moveaxis, reshape, transpose
from cogen.staging.numpysums import histogram
from cogen.staging.numpytable import axes_of, numpy_function, operand, plain_only
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import Array, as_array
from cogen.staging.stagedexpressions import constant, op, require, text
from cogen.staging.stagedreading import flat, integer, iota
from cogen.staging.stagedscalars import apply, operation, scalar
from cogen.staging.wholearrays import converted

# Numbers.


@operation("heaviside")
def _heaviside(operands: list[Any], elements: bool) -> Any:
    x, middle = operands
    found = np.where(x < 0, 0.0, np.where(x == 0, middle, 1.0))
    return np.where(np.isnan(x), np.nan, found)


@numpy_function(np.sinc)
def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), which is 1 at 0."""
    x = operand(x)
    angle = np.pi * np.where(x == 0, 1e-20, x)
    return np.sin(angle) / angle


# Neighbours.


@numpy_function(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences of neighbours, in one dimension."""
    plain_only(to_end=to_end, to_begin=to_begin)
    whole = flat(operand(ary), operand(ary).ndim)
    return whole[1:] - whole[:-1]


@numpy_function(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    """Slopes between the neighbours of each element, along each dimension."""
    f = operand(f)
    if edge_order != 1:
        cannot("np.gradient is staged with edge_order=1")
    axes = axes_of(axis, f.ndim)
    steps = list(varargs) * len(axes) if len(varargs) == 1 else list(varargs) or [1.0] * len(axes)
    if len(steps) != len(axes):
        fail("np.gradient takes one distance, or one for each dimension")
    found = [moveaxis(_slopes(moveaxis(f, k, 0), operand(h)), 0, k)
             for k, h in zip(axes, steps, strict=True)]  # fmt: skip
    return found[0] if len(found) == 1 else tuple(found)


def _slopes(f: Array, h: Any) -> Any:
    says = text("np.gradient needs two elements along each dimension")
    require(op("<", constant(1), integer(f.size_of(0))), says)
    if not isinstance(h, Array):
        inner = (f[2:] - f[:-2]) / (2.0 * h)
        return concatenate([(f[1:2] - f[:1]) / h, inner, (f[-1:] - f[-2:-1]) / h])
    steps = h[1:] - h[:-1]
    steps = steps[(slice(None), *(None,) * (f.ndim - 1))]
    before, after = steps[:-1], steps[1:]
    inner = (before * before * f[2:] + (after * after - before * before) * f[1:-1]
             - after * after * f[:-2]) / (before * after * (before + after))  # fmt: skip
    first, last = (f[1:2] - f[:1]) / steps[:1], (f[-1:] - f[-2:-1]) / steps[-1:]
    return concatenate([first, inner, last])


@numpy_function(np.unwrap)
def unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 2 * np.pi) -> Any:
    """Angles that go on where they jump by more than half a turn."""
    plain_only(discont=discont)
    p = operand(p).astype(float)
    (k,) = axes_of(axis, p.ndim)
    turned = moveaxis(p, k, 0)
    step = turned[1:] - turned[:-1]
    half = period / 2.0
    inner = np.mod(step + half, period) - half
    inner = np.where(np.logical_and(inner == -half, step > 0), half, inner)
    change = np.where(np.absolute(step) < half, 0.0, inner - step)
    rest = turned[1:] + np.cumsum(change, axis=0)
    return moveaxis(concatenate([turned[:1], rest]), 0, k)


# Polynomials: their coefficients, the highest power first.


@numpy_function(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    """The values of a polynomial, by Horner's rule."""
    p, x = operand(p), operand(x)
    return convert(_horner)(p, x)  # type: ignore[arg-type]  # a function


def _horner(p: Any, x: Any) -> Any:
    found = x * 0 + p[0] * 0
    for k in range(len(p)):
        found = found * x + p[k]
    return found


@numpy_function(np.polyfit)
def polyfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None,
            cov: Any = False) -> Any:  # fmt: skip
    """The coefficients of the polynomial of a degree that is next to points."""
    plain_only(full=full or None, w=w, cov=cov or None)
    if not isinstance(deg, int):
        cannot("the degree of np.polyfit must be known", "annotate it with cogen.static")
    x, y = operand(x).astype(float), operand(y).astype(float)
    powers = np.stack([x**k for k in range(deg, -1, -1)], axis=1)
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    limit = x.size_of(0) * float(np.finfo(np.float64).eps) if rcond is None else rcond
    found = lstsq(powers / scale, y, limit)[0]
    return found / scale if found.ndim == 1 else found / scale[:, None]


@numpy_function(np.polyder)
def polyder(p: Any, m: Any = 1) -> Any:
    """The coefficients of a derivative."""
    p = operand(p)
    for _ in range(m):
        count = p.size_of(0) - 1
        p = p[:-1] * (count - iota(count))
    return p


@numpy_function(np.polyint)
def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    """The coefficients of an integral that is 0 at 0."""
    plain_only(k=k)
    p = operand(p)
    for _ in range(m):
        count = p.size_of(0)
        p = concatenate([p / (count - iota(count)), as_array(np.zeros(1))])
    return p


numpy_function(np.polymul)(lambda a, b: np.convolve(operand(a), operand(b)))


def _added(sign: int) -> Callable[..., Any]:
    def add(a1: Any, a2: Any) -> Any:
        a, b = operand(a1), operand(a2)
        size = apply("maximum", a.size_of(0), b.size_of(0))
        first, second = (np.pad(x, (size - x.size_of(0), 0)) for x in (a, b))
        return first + second if sign > 0 else first - second

    return add


numpy_function(np.polyadd)(_added(1))
numpy_function(np.polysub)(_added(-1))


# Statistics.


@numpy_function(np.cov)
def cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None,
        **options: Any) -> Any:  # fmt: skip
    """How rows vary together."""
    plain_only(**options)
    x = operand(m).astype(float)
    if x.ndim == 2 and not rowvar:
        x = transpose(x)
    if y is not None:
        other = operand(y).astype(float)
        if other.ndim == 2 and not rowvar:
            other = transpose(other)
        parts = [v if v.ndim == 2 else v[None] for v in (x, other)]
        x = concatenate(parts)
    less = (0 if bias else 1) if ddof is None else ddof
    away = x - mean(x, -1, keepdims=True)
    count = count_of(x, x.ndim - 1) - less
    if x.ndim == 1:
        return reduction("add", away * away) / count
    return away @ transpose(away) / count


@numpy_function(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, **options: Any) -> Any:
    """How rows vary together, from -1 to 1."""
    found = cov(x, y, rowvar, **options)
    if not isinstance(found, Array):
        return found / found
    sizes = np.sqrt(np.diagonal(found))
    return np.clip(found / sizes[:, None] / sizes[None, :], -1.0, 1.0)


@numpy_function(np.histogram2d)
def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None,
                weights: Any = None) -> Any:  # fmt: skip
    """How many points are in each of the fields of a grid, and the grid's lines."""
    plain_only(density=density or None)
    x, y = operand(x).astype(float), operand(y).astype(float)
    pair = isinstance(bins, list | tuple) and len(bins) == 2
    counts = list(bins) if pair else [bins, bins]
    spans = [None, None] if range is None else list(range)
    edges = [histogram(v, n, span)[1] for v, n, span in zip((x, y), counts, spans, strict=True)]
    sizes = [e.size_of(0) - 1 for e in edges]
    rows, columns = (_bins(v, e, n) for v, e, n in zip((x, y), edges, sizes, strict=True))
    inside = np.logical_and(rows >= 0, columns >= 0)
    keys: Any = np.where(inside, rows * sizes[1] + columns, 0)
    own: Any = np.ones_like(x) if weights is None else converted(operand(weights), REAL)
    values: Any = np.where(inside, own, 0.0)
    found = bucket_sum(scalar(sizes[0] * sizes[1]), keys, values)
    return reshape(found, (sizes[0], sizes[1])), *edges


def _bins(values: Array, edges: Array, count: Any) -> Any:
    """The bin of each value, of which the last one has its upper edge; -1 outside."""
    places = np.searchsorted(edges, values, side="right") - 1
    last = values == edges[count]
    inside = np.logical_and(values >= edges[0], values <= edges[count])
    return np.where(inside, np.where(last, count - 1, places), -1)


# Sets.


@numpy_function(np.intersect1d)
def intersect1d(ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = False) -> Any:
    """The different elements that are in both, in order."""
    plain_only(return_indices=return_indices or None)
    first, second = np.unique(operand(ar1)), operand(ar2)
    return first[np.isin(first, second)]


@numpy_function(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Any:
    """The different elements of both, in order."""
    parts = [flat(operand(a), operand(a).ndim) for a in (ar1, ar2)]
    return np.unique(concatenate(parts))


@numpy_function(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """The different elements of the first that the second has not, in order."""
    first = np.unique(operand(ar1))
    return first[np.logical_not(np.isin(first, operand(ar2)))]


# Bits.


@numpy_function(np.unpackbits)
def unpackbits(a: Any, axis: Any = None, count: Any = None, bitorder: Any = "big") -> Any:
    """The bits of bytes, as ints."""
    plain_only(count=count)
    a = operand(a)
    if axis is not None and a.ndim > 1:
        cannot("np.unpackbits is staged of all elements", "cogen.map over the first dimension")
    shifts = _shifts(bitorder)
    bits = np.right_shift(flat(a, a.ndim)[:, None], shifts[None, :]) & 1
    return reshape(bits, -1)


@numpy_function(np.packbits)
def packbits(a: Any, axis: Any = None, bitorder: Any = "big") -> Any:
    """Bytes of bits; the last one is filled up with zeros."""
    a = operand(a)
    if axis is not None and a.ndim > 1:
        cannot("np.packbits is staged of all elements", "cogen.map over the first dimension")
    whole = flat(a, a.ndim)
    bits = np.not_equal(whole, 0).astype(int)
    size = whole.size_of(0)
    padded = np.pad(bits, (0, (-size) % 8))
    rows = reshape(padded, (-1, 8))
    return reduction("add", np.left_shift(rows, _shifts(bitorder)[None, :]), 1)


def _shifts(bitorder: Any) -> Any:
    if bitorder not in ("big", "little"):
        fail("bitorder is 'big' or 'little'")
    return np.arange(8)[::-1].copy() if bitorder == "big" else np.arange(8)
