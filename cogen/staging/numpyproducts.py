"""NumPy's products of staged arrays, and sums by key: dot, outer, bincount, searchsorted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cogen.array.l0.types import INT, REAL, Basic
from cogen.array.scheme.symbolicvalues import SymbolicNumber
from cogen.staging.numpyreductions import reduction
from cogen.staging.numpyshaping import rearranged
from cogen.staging.numpytable import array_method, numpy_function, operand, plain_only
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import Array, as_array, named
from cogen.staging.stagedassigning import broadcast
from cogen.staging.stagedreading import flat, integer, iota
from cogen.staging.stagedscalars import DTYPES, apply, join, scalar
from cogen.staging.tracer import current
from cogen.staging.wholearrays import converted, elementwise, extension, folded, function_of, mapped


def add_at(target: Array, indices: Array, values: Any) -> None:
    """`np.add.at`: sums for each index."""
    if target.ndim != 1 or indices.ndim != 1:
        cannot("np.add.at is of arrays of one dimension", "flatten them")
    size = target.size_of(0)
    weights = operand(values)
    if not isinstance(weights, Array):
        weights = broadcast(scalar(weights), indices)
    target[...] = np.add(target, bucket_sum(size, indices, converted_up(weights, target.element)))


def ufunc_at(name: str, target: Array, indices: Array, values: Any) -> None:
    """`np.subtract.at`, `np.maximum.at` and the like: an operation for each index."""
    if name in ("add", "subtract"):
        weights = np.negative(operand(values)) if name == "subtract" else values
        return add_at(target, indices, weights)
    neutral = {"maximum": -math.inf, "minimum": math.inf, "multiply": 1.0}.get(name)
    if neutral is None:
        cannot(f"np.{name}.at is not staged", "write a `for` loop")
    if target.ndim != 1 or indices.ndim != 1:
        cannot(f"np.{name}.at is of arrays of one dimension", "flatten them")
    if target.element == INT:
        neutral = {"multiply": 1, "maximum": -(1 << 63)}.get(name, (1 << 63) - 1)
    weights = operand(values)
    if not isinstance(weights, Array):
        weights = broadcast(scalar(weights), indices)
    t = target.element
    made = function_of(lambda x, y: apply(name, x, y), [t, t])
    start = current().expression(SymbolicNumber(neutral, t))
    keys, own = indices.expression(), converted_up(weights, t).expression()
    size = target.size_of(0)
    e = extension("bucketReduce", made.function, [start, integer(size), keys, own])
    found = named(e, t, 1, "buckets")
    found._dims = [size]
    target[...] = getattr(np, name)(target, found)
    return None


def converted_up(a: Array, t: Basic) -> Array:
    """An array with elements of a type, if it holds them."""
    if join([a.element, t]) != t:
        fail(f"NumPy does not add {DTYPES[a.element]} to {DTYPES[t]} in place")
    return converted(a, t)


def bucket_sum(size: Any, keys: Array, values: Array) -> Array:
    """Sums by key."""
    t = values.element
    made = function_of(lambda x, y: x + y, [t, t])
    zero = current().expression(SymbolicNumber(0.0 if t == REAL else 0, t))
    e = extension("bucketReduce", made.function,
                  [zero, integer(size), keys.expression(), values.expression()])  # fmt: skip
    found = named(e, t, 1, "buckets")
    found._dims = [size]
    return found


@numpy_function(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """All products."""
    plain_only(out=out)
    a, b = (flat(operand(x), operand(x).ndim) for x in (a, b))
    return np.multiply(a[:, None], b[None, :])


@numpy_function(np.dot)
@array_method("dot")
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Products of rows and columns, summed up."""
    plain_only(out=out)
    a, b = operand(a), operand(b)
    if not isinstance(a, Array) or not isinstance(b, Array):
        return np.multiply(a, b)
    if a.ndim == 1 and b.ndim == 1:
        return reduction("add", np.multiply(a, b))
    if a.ndim > 1:
        return mapped(lambda row: dot(row, b), [a])
    if b.ndim == 2:
        return mapped(lambda column: dot(a, column), [rearranged(b, (1, 0))])
    return _refused()


def _refused() -> Any:
    cannot("products of arrays of more dimensions are not staged", "cogen.map over the first")


@numpy_function(np.matmul)
def matmul(a: Any, b: Any, **options: Any) -> Any:
    """Products of matrices; of more dimensions, those of the last two."""
    plain_only(**options)
    a, b = operand(a), operand(b)
    if not isinstance(a, Array) or not isinstance(b, Array):
        fail("np.matmul is of arrays", "multiply by a number with *")
    if a.ndim < 3 and b.ndim < 3:
        return dot(a, b)
    if b.ndim < 3 or 2 < b.ndim < a.ndim:
        return mapped(lambda x: matmul(x, b), [a])
    return mapped(lambda y: matmul(a, y), [b]) if a.ndim < b.ndim else mapped(matmul, [a, b])


@numpy_function(np.inner)
def inner(a: Any, b: Any) -> Any:
    """Products of rows and rows, summed up."""
    a, b = operand(a), operand(b)
    if isinstance(a, Array) and a.ndim > 1 and isinstance(b, Array):
        return mapped(lambda row: inner(row, b), [a])
    if isinstance(b, Array) and b.ndim > 1 and isinstance(a, Array):
        return mapped(lambda row: dot(a, row), [b]) if b.ndim == 2 else _refused()
    return dot(a, b)


@numpy_function(np.vdot)
def vdot(a: Any, b: Any) -> Any:
    """The sum of the products of all elements."""
    return dot(*[flat(as_array(x), as_array(x).ndim) for x in (a, b)])


@numpy_function(np.diagonal)
@array_method("diagonal")
def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """The elements of a matrix whose column is so many further on than their row."""
    a = operand(a)
    if a.ndim != 2 or (axis1, axis2) != (0, 1):
        cannot("diagonals are those of matrices", "cogen.map over the first dimension")
    down, right = apply("maximum", -offset, 0), apply("maximum", offset, 0)
    count = apply("minimum", a.size_of(0) - down, a.size_of(1) - right)
    return mapped(lambda i: a[i + down, i + right], [iota(apply("maximum", count, 0))])


@numpy_function(np.trace)
@array_method("trace")
def trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None,
          out: Any = None) -> Any:  # fmt: skip
    """The sum of a diagonal."""
    plain_only(dtype=dtype, out=out)
    return reduction("add", diagonal(a, offset, axis1, axis2))


@numpy_function(np.bincount)
def bincount(keys: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """How often each number occurs, or the sums of its weights."""
    keys = operand(keys)
    if keys.element != INT:
        fail("np.bincount counts ints", "keys.astype(int)")
    most = folded("reduce", lambda x, y: apply("maximum", x, y), -1, [keys])
    size = apply("maximum", most + 1, minlength)
    if weights is None:
        ones = mapped(lambda k: scalar(1), [keys])
        return bucket_sum(size, keys, ones)
    return bucket_sum(size, keys, converted(operand(weights), REAL))


@numpy_function(np.searchsorted)
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """Where values belong in a sorted array: how many elements come before."""
    plain_only(sorter=sorter)
    a = operand(a)

    def place(x: Any) -> Any:
        before = (lambda y: y < x) if side == "left" else (lambda y: y <= x)
        return reduction("add", elementwise(before, [a]))

    return elementwise(place, [operand(v)])
