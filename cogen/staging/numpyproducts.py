"""NumPy's products of staged arrays, and sums by key: dot, outer, bincount, searchsorted."""

from __future__ import annotations

from typing import Any

import numpy as np

from cogen.array.l0.types import INT, REAL, Basic
from cogen.array.scheme.symbolicvalues import Number
from cogen.staging.numpyreductions import reduction
from cogen.staging.numpyshaping import rearranged
from cogen.staging.numpytable import FUNCTIONS, array_method, numpy_function, operand, plain_only
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import Array, named
from cogen.staging.stagedassigning import broadcast
from cogen.staging.stagedreading import integer, iota
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


def converted_up(a: Array, t: Basic) -> Array:
    """An array with elements of a type, if it holds them."""
    if join([a.element, t]) != t:
        fail(f"NumPy does not add {DTYPES[a.element]} to {DTYPES[t]} in place")
    return converted(a, t)


def bucket_sum(size: Any, keys: Array, values: Array) -> Array:
    """Sums by key."""
    t = values.element
    made = function_of(lambda x, y: x + y, [t, t])
    zero = current().expression(Number(0.0 if t == REAL else 0, t))
    e = extension("bucketReduce", made.function,
                  [zero, integer(size), keys.expression(), values.expression()])  # fmt: skip
    found = named(e, t, 1, "buckets")
    found._dims = [size]
    return found


@numpy_function(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """All products."""
    return np.multiply(operand(a)[:, None], operand(b)[None, :])


@numpy_function(np.dot)
@array_method("dot")
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Products of rows and columns, summed up."""
    a, b = operand(a), operand(b)
    if not isinstance(a, Array) or not isinstance(b, Array):
        return np.multiply(a, b)
    if a.ndim == 1 and b.ndim == 1:
        return reduction("add", np.multiply(a, b))
    if a.ndim > 1:
        return mapped(lambda row: dot(row, b), [a])
    if b.ndim == 2:
        return mapped(lambda column: dot(a, column), [rearranged(b, (1, 0))])
    cannot("products of arrays of more dimensions are not staged", "cogen.map over the first")


FUNCTIONS[np.matmul] = dot


FUNCTIONS[np.inner] = dot


FUNCTIONS[np.vdot] = dot


@numpy_function(np.trace)
def trace(a: Any, **options: Any) -> Any:
    """The sum of the diagonal."""
    return reduction("add", mapped(lambda i: a[i, i], [iota(a.size_of(0))]))


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


@numpy_function(np.unique, np.sort, np.argsort, np.median, np.percentile, np.quantile)
def unsorted(*given: Any, **options: Any) -> Any:
    """What would have to sort."""
    cannot("array programs do not sort", "cogen.distinct and cogen.group_by need no order")
