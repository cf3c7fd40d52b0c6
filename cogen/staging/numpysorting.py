"""NumPy's sorting of staged arrays: sort, argsort, and what is said by them.

Array programs have no operation that sorts; two staged functions do, which are staged as users'
functions are, with their loops, and are stable: `_by_digits` puts ints in the order of one digit
after the other, from the last on; `_merged` merges reals from the bottom up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cogen.array.l0.types import BOOL, REAL
from cogen.staging.convertfunctions import convert
from cogen.staging.numpyshaping import moveaxis, ravel
from cogen.staging.numpytable import array_method, axes_of, numpy_function, operand, plain_only
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedreading import integer, iota
from cogen.staging.stagedscalars import Scalar, constant, op, require, text
from cogen.staging.wholearrays import filtered, mapped


def _merged(keys: Any, comes_before: Any) -> Any:
    """Keys in order, those of which none comes before the other in theirs, and where each was; of
    the places nothing is left where they are not used."""
    n = len(keys)
    rounds = 0
    width = 1
    while width < n:
        width = 2 * width
        rounds += 1
    now = keys.copy()
    other = keys.copy()
    places = np.arange(n)
    others = np.arange(n)
    for k in range(rounds):
        width = 1 << k
        for start in range(0, n, 2 * width):
            middle = min(start + width, n)
            end = min(start + 2 * width, n)
            i = start
            j = middle
            for place in range(start, end):
                a = min(i, n - 1)
                b = min(j, n - 1)
                left = now[a]
                right = now[b]
                is_left = i < middle and (j >= end or not comes_before(right, left))
                other[place] = left if is_left else right
                others[place] = places[a if is_left else b]
                i = i + 1 if is_left else i
                j = j if is_left else j + 1
        now, other = other, now
        places, others = others, places
    return now, places


def _comes_before(x: Any, y: Any) -> Any:
    """Whether a real comes before another; what is no number comes last."""
    return (x < y) | ((y != y) & (x == x))


def _by_digits(keys: Any) -> Any:
    """Ints in order, and where each was; of the places nothing is left where they are not used.

    They are taken from the least one on where all are near enough, so that there are as few digits
    as can be. Those of the sign come last, and are in the other order.
    """
    n = len(keys)
    low = np.min(keys, initial=(1 << 63) - 1)
    high = np.max(keys, initial=-(1 << 63))
    near = low > -(1 << 62) and high < (1 << 62)
    base = low if near else 0
    span = high - low if near else 0
    bits = 4 if n < 64 else (8 if n < 4096 else 11)
    mask = (1 << bits) - 1
    now = keys - base
    other = now.copy()
    places = np.arange(n)
    others = np.arange(n)
    shift = 0
    while shift < 64 and (not near or span >> shift > 0):
        sign = (mask + 1) >> 1 if shift + bits >= 64 else 0
        starts = np.zeros(mask + 1, int)
        for i in range(n):
            starts[((now[i] >> shift) & mask) ^ sign] += 1
        total = 0
        for d in range(mask + 1):
            count = starts[d]
            starts[d] = total
            total += count
        for i in range(n):
            x = now[i]
            d = ((x >> shift) & mask) ^ sign
            place = starts[d]
            other[place] = x
            others[place] = places[i]
            starts[d] = place + 1
        now, other = other, now
        places, others = others, places
        shift += bits
    return now + base, places


def _sorted(a: Array) -> tuple[Array, Array]:
    """The elements of one dimension in order, and where they were."""
    if a.element == REAL:
        found, places = convert(_merged)(a, _comes_before)  # type: ignore[arg-type]  # a function
    else:
        keys = a.astype(int) if a.element == BOOL else a
        found, places = convert(_by_digits)(keys)  # type: ignore[arg-type]  # a function
    found._dims, places._dims = list(a._dims), list(a._dims)
    return found.astype(bool) if a.element == BOOL else found, places


def _in_order(a: Array) -> Array:
    return _sorted(a)[0]


def _order(a: Array) -> Array:
    """Where the elements in their order are."""
    return _sorted(a)[1]


def _array_of(a: Any, what: str) -> Array:
    found = operand(a)
    if not isinstance(found, Array) or found.ndim == 0:
        fail(f"{what} takes an array")
    return found


def _along(f: Callable[[Array], Any], a: Array, axis: Any) -> Any:
    """A function of one dimension along an axis; of all elements for None."""
    if axis is None:
        return f(ravel(a))
    (k,) = axes_of(axis, a.ndim)

    def rows(part: Any) -> Any:
        return f(part) if part.ndim == 1 else mapped(rows, [part])

    found = rows(moveaxis(a, k, -1))
    is_whole = isinstance(found, Array) and found.ndim == a.ndim
    return moveaxis(found, -1, k) if is_whole else found


def _stable_only(kind: Any, order: Any) -> None:
    if kind not in (None, "quicksort", "mergesort", "heapsort", "stable"):
        fail(f"there is no kind {kind!r} of sorting")
    plain_only(order=order)


@numpy_function(np.sort)
def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, stable: Any = None) -> Any:
    """The elements in order."""
    _stable_only(kind, order)
    return _along(_in_order, _array_of(a, "np.sort"), axis)


@numpy_function(np.argsort)
@array_method("argsort")
def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None,
            stable: Any = None) -> Any:  # fmt: skip
    """Where the elements in their order are; equal ones in theirs."""
    _stable_only(kind, order)
    return _along(_order, _array_of(a, "np.argsort"), axis)


@array_method("sort")
def sort_in_place(a: Any, axis: Any = -1, kind: Any = None, order: Any = None,
                  stable: Any = None) -> None:  # fmt: skip
    """Put the elements in order."""
    a[...] = sort(a, axis, kind, order)


@numpy_function(np.partition)
def partition(a: Any, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """The elements in an order in which those at some places stand as in theirs."""
    plain_only(order=order)
    return _along(_in_order, _array_of(a, "np.partition"), axis)


@numpy_function(np.argpartition)
@array_method("argpartition")
def argpartition(a: Any, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """Where the elements are in an order in which those at some places stand as in theirs."""
    plain_only(order=order)
    return _along(_order, _array_of(a, "np.argpartition"), axis)


@numpy_function(np.lexsort)
def lexsort(keys: Any, axis: Any = -1) -> Any:
    """The order by the last of several keys, by the one before where that is equal, and so on."""
    given = [_array_of(key, "np.lexsort") for key in keys]
    if any(key.ndim != 1 for key in given) or axis not in (-1, 0):
        cannot("the keys of np.lexsort have one dimension here")
    found = _order(given[0])
    for key in given[1:]:
        found = found[_order(key[found])]
    return found


# What stands where in the order.


def _at(ordered: Array, place: Any) -> Any:
    """The value at a place in the order, between two elements by their distance."""
    last = ordered.size_of(0) - 1
    low = np.floor(place).astype(int)
    high = np.minimum(low + 1, last)
    before, after, part = ordered[low], ordered[high], place - low
    step = after - before
    found = np.where(part < 0.5, before + step * part, after - step * (1.0 - part))
    return np.where(np.isnan(ordered[last]), np.nan, found)


def _quantiles(a: Any, shares: Any, axis: Any, options: dict[str, Any], what: str) -> Any:
    method = options.pop("method", "linear")
    if method != "linear":
        cannot(f"{what} is staged with the method 'linear'")
    plain_only(**options)
    given, q = _array_of(a, what).astype(float), operand(shares)

    def of(row: Array) -> Any:
        says = text(f"{what} of an array without elements")
        require(op("<", constant(0), integer(row.size_of(0))), says)
        ordered, last = _in_order(row), row.size_of(0) - 1
        if isinstance(q, Array):
            return mapped(lambda share: _at(ordered, share * last), [q])
        return _at(ordered, q * last)

    if isinstance(q, Array) and (q.ndim > 1 or (axis is not None and given.ndim > 1)):
        cannot(f"{what} takes several shares of all elements here", "take one share at a time")
    return _along(of, given, axis)


@numpy_function(np.quantile)
def quantile(a: Any, q: Any, axis: Any = None, **options: Any) -> Any:
    """The values below which shares of the elements lie, from 0 to 1."""
    return _quantiles(a, q, axis, options, "np.quantile")


@numpy_function(np.percentile)
def percentile(a: Any, q: Any, axis: Any = None, **options: Any) -> Any:
    """The values below which so many hundredths of the elements lie."""
    return _quantiles(a, operand(q) / 100.0, axis, options, "np.percentile")


def _middle(ordered: Any) -> Any:
    """What stands in the middle of an order; no number if there is nothing, or what is none."""
    n = len(ordered)
    if n == 0:
        return np.nan
    if np.isnan(ordered[n - 1]):
        return np.nan
    return (ordered[(n - 1) // 2] + ordered[n // 2]) * 0.5


@numpy_function(np.median)
def median(a: Any, axis: Any = None, **options: Any) -> Any:
    """The element in the middle of the order, or the mean of two."""
    plain_only(**options)

    def of(row: Array) -> Any:
        return convert(_middle)(_in_order(row))  # type: ignore[arg-type]  # a function

    return _along(of, _array_of(a, "np.median").astype(float), axis)


@numpy_function(np.unique)
def unique(a: Any, return_index: Any = False, return_inverse: Any = False,
           return_counts: Any = False, axis: Any = None, **options: Any) -> Any:  # fmt: skip
    """The different elements in order; where each is first, which of them each element is, and how
    often each is there."""
    plain_only(axis=axis)
    options.pop("equal_nan", None)
    plain_only(**options)
    flags = (return_index, return_inverse, return_counts)
    if any(isinstance(flag, Scalar) for flag in flags):
        cannot("what np.unique gives must be known", "annotate it with cogen.static")
    whole = ravel(_array_of(a, "np.unique"))
    n = whole.size_of(0)
    order = _order(whole) if return_index or return_inverse else None
    ordered = _in_order(whole) if order is None else whole[order]
    is_first = mapped(lambda k: (k == 0) | _differ(ordered, k), [iota(n)])
    places = filtered(lambda first, k: first, [is_first, iota(n)])[1]
    found = [ordered[places]]
    if return_index:
        assert order is not None
        found.append(order[places])
    if return_inverse:
        assert order is not None
        inverse = np.zeros_like(order)
        inverse[order] = np.cumsum(is_first) - 1
        found.append(inverse.reshape(a.shape))
    if return_counts:
        last = places.size_of(0) - 1

        def count(k: Any, place: Any) -> Any:
            return np.where(k < last, places[np.minimum(k + 1, last)], n) - place

        found.append(mapped(count, [iota(last + 1), places]))
    return tuple(found) if len(found) > 1 else found[0]


def _differ(ordered: Array, k: Any) -> Any:
    """Whether the element at a place is another one than the one before; what is no number is one
    element."""
    x, y = ordered[np.maximum(k - 1, 0)], ordered[k]
    different = x != y
    return different & ((x == x) | (y == y)) if ordered.element == REAL else different
