"""NumPy's sums of products by subscripts, and counts by bins, of staged arrays: einsum, tensordot,
histogram, digitize."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from cogen.array.l0.types import BOOL, REAL
from cogen.staging.numpyproducts import bucket_sum
from cogen.staging.numpyreductions import reduction
from cogen.staging.numpyshaping import rearranged
from cogen.staging.numpytable import numpy_function, operand, plain_only
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import Array, as_array
from cogen.staging.stagedexpressions import constant, op, require, text
from cogen.staging.stagedreading import integer, iota
from cogen.staging.stagedscalars import apply, expression, scalar
from cogen.staging.wholearrays import converted, elementwise, mapped

# Sums of products.


@numpy_function(np.einsum)
def einsum(subscripts: Any, *operands: Any, optimize: Any = None, **options: Any) -> Any:
    """Sums of products whose dimensions have letters: "ij,jk->ik"."""
    plain_only(**options)
    if not isinstance(subscripts, str):
        cannot("np.einsum takes subscripts as a text here", 'np.einsum("ij,jk->ik", a, b)')
    if "." in subscripts:
        cannot("np.einsum without names for all dimensions is not staged", "name each of them")
    arrays = [as_array(operand(a)) for a in operands]
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    names = given.split(",")
    if not arrow:
        once = [name for name in sorted(set(given) - {","}) if given.count(name) == 1]
        result = "".join(once)
    _check_subscripts(names, result, arrays)
    if any(a.element == BOOL for a in arrays):
        cannot("np.einsum of truth values is not staged", "a.astype(int)")
    parts = [_without_repetition(a, own) for a, own in zip(arrays, names, strict=True)]
    return _summed([a for a, _ in parts], [own for _, own in parts], result)


def _check_subscripts(names: Sequence[str], result: str, arrays: Sequence[Array]) -> None:
    if len(names) != len(arrays):
        fail(f"np.einsum has subscripts for {len(names)} arrays, but got {len(arrays)}")
    for own, a in zip(names, arrays, strict=True):
        if not all(name in ascii_letters for name in own):
            fail(f"subscripts are letters: {own!r}")
        if len(own) != a.ndim:
            fail(f"{own!r} names {len(own)} dimensions of an array of {a.ndim}")
    if len(set(result)) < len(result) or not set(result) <= set("".join(names)):
        fail(f"subscripts of a result are those of operands, each once: {result!r}")


def _without_repetition(a: Array, names: str) -> tuple[Array, str]:
    """The diagonal of what has the same subscript twice."""
    if len(set(names)) == len(names):
        return a, names
    if names != names[:1] * 2:
        cannot(f"np.einsum takes diagonals of matrices only, not of {names!r}", "np.diagonal")
    m, n = a.size_of(0), a.size_of(1)
    require(op("=", integer(m), integer(n)), text(f"the sizes of {names!r} differ"))
    return mapped(lambda i: a[i, i], [iota(m)]), names[:1]


def _summed(arrays: Sequence[Array], names: Sequence[str], result: str) -> Any:
    """The arrays beside each other, multiplied, and summed up over what is not in the result."""
    inner = "".join(sorted(set("".join(names)) - set(result)))
    product: Any = None
    for a, own in zip(arrays, names, strict=True):
        order = [own.index(name) for name in result + inner if name in own]
        turned = rearranged(a, tuple(order)) if order != list(range(a.ndim)) else a
        index = tuple([slice(None) if name in own else None for name in result + inner])
        spread = turned[index] if None in index else turned
        product = spread if product is None else np.multiply(product, spread)
    if inner:
        axes = tuple(range(len(result), len(result + inner)))
        return reduction("add", product, axes)
    return product * 1 if len(arrays) == 1 else product


@numpy_function(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Sums of products over the last dimensions of one array and the first of another, or over
    given ones."""
    a, b = as_array(operand(a)), as_array(operand(b))
    if isinstance(axes, int):
        left, right = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        left, right = [[k] if isinstance(k, int) else list(k) for k in axes]
    left, right = [k % a.ndim for k in left], [k % b.ndim for k in right]
    if len(left) != len(right) or len(left) > min(a.ndim, b.ndim):
        fail("np.tensordot sums up over as many dimensions of each array")
    one, other = list(ascii_letters[: a.ndim]), list(ascii_letters[a.ndim : a.ndim + b.ndim])
    for k, j in zip(left, right, strict=True):
        other[j] = one[k]
    kept = [name for name in (*one, *other) if (*one, *other).count(name) == 1]
    return einsum(f"{''.join(one)},{''.join(other)}->{''.join(kept)}", a, b)


# Counts by bins.


@numpy_function(np.histogram)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None,
              weights: Any = None) -> Any:  # fmt: skip
    """How many elements, or how much of their weights, each bin has; and the bins' edges."""
    a = as_array(operand(a))
    values = converted(a.ravel() if a.ndim > 1 else a, REAL)
    if isinstance(bins, str):
        cannot("the number of bins is not found here", "np.histogram(a, 10)")
    given_edges = isinstance(bins, Array | list | tuple | np.ndarray)
    edges = converted(as_array(operand(bins)), REAL) if given_edges else None
    count = bins if edges is None else edges.size_of(0) - 1
    require(op("<", constant(0), integer(count)), text("np.histogram has at least one bin"))
    if edges is None:
        edges, places = _equal_bins(values, count, range)
    else:
        _need_growing("np.histogram", edges)
        places = _by_edges(values, edges, count)
    inside = np.greater_equal(places, 0)
    if weights is None:
        taken: Any = inside.astype(int)
    else:
        given = as_array(operand(weights))
        taken = np.where(inside, given.ravel() if given.ndim > 1 else given, 0)
    found: Any = bucket_sum(count, np.maximum(places, 0), taken)
    if density:
        found = found / (edges[1:] - edges[:-1]) / reduction("add", found)
    return found, edges


def _equal_bins(values: Array, bins: Any, between: Any) -> tuple[Any, Any]:
    """The edges of bins of one width, and the bin of each value, -1 outside: as NumPy finds it, by
    a quotient that the edges correct."""
    if between is None:
        low, high = _extremes(values)
    else:
        low, high = (operand(x) * 1.0 for x in between)
    require(expression(scalar(apply("isfinite", high - low))),
            text("the range of np.histogram is not finite"))  # fmt: skip
    require(expression(scalar(apply("less_equal", low, high))),
            text("the range of np.histogram ends before it starts"))  # fmt: skip
    is_point = apply("equal", low, high)
    low, high = (np.where(is_point, x + away, x) for x, away in ((low, -0.5), (high, 0.5)))
    step = (high - low) / bins

    def edge(k: Any) -> Any:
        return np.where(k == bins, high, k * step + low)

    edges = elementwise(edge, [iota(bins + 1)])

    def place(x: Any) -> Any:
        inside = apply("logical_and", low <= x, x <= high)
        k = ((np.where(inside, x, low) - low) / (high - low) * bins).astype(int)
        k = k - (k == bins)
        k = k - (x < edges[k])
        k = k + apply("logical_and", x >= edges[k + 1], k != bins - 1)
        return np.where(inside, k, -1)

    return edges, elementwise(place, [values])


def _extremes(values: Array) -> tuple[Any, Any]:
    """The least and the greatest value; 0 and 1 if there is none."""
    none = apply("equal", values.size_of(0), 0)
    low = reduction("minimum", values, initial=np.inf)
    high = reduction("maximum", values, initial=-np.inf)
    return np.where(none, 0.0, low), np.where(none, 1.0, high)


def _need_growing(name: str, edges: Array) -> None:
    grow = reduction("logical_and", np.less_equal(edges[:-1], edges[1:]))
    require(expression(scalar(grow)), text(f"the bins of {name} must grow"))


def _by_edges(values: Array, edges: Array, count: Any) -> Any:
    """The bin of each value between edges, of which the last one is within; -1 outside."""
    inner = edges[1:-1]

    def place(x: Any) -> Any:
        inside = apply("logical_and", edges[0] <= x, x <= edges[count])
        return np.where(inside, reduction("add", elementwise(lambda y: y <= x, [inner])), -1)

    return elementwise(place, [values])


@numpy_function(np.digitize)
def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    """Between which of the bins' edges, which grow, values are."""
    edges = as_array(operand(bins))
    _need_growing("np.digitize", edges)

    def place(x: Any) -> Any:
        return reduction(
            "add", elementwise((lambda y: y < x) if right else (lambda y: y <= x), [edges])
        )

    return elementwise(place, [operand(x)])
