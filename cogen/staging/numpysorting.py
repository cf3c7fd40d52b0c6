"""NumPy's sorting of staged arrays: sort, argsort, and what is said by them.

Array programs have no operation that sorts; a staged function does, which is staged as users'
functions are, with its loops, and is stable: `_by_digits` puts numbers in the order of one digit
of their keys after the other, from the last on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cogen.array.l0.types import BOOL, INT, REAL
from cogen.staging.convertfunctions import convert
from cogen.staging.numpyshaping import moveaxis, ravel
from cogen.staging.numpytable import array_method, axes_of, numpy_function, operand, plain_only
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedconditionals import conditional
from cogen.staging.stagedexpressions import builtin, constant, op, require, text
from cogen.staging.stagedreading import integer, iota
from cogen.staging.stagedscalars import Scalar, apply, bind, expression, scalar
from cogen.staging.tracer import current
from cogen.staging.wholearrays import elementwise, filtered, mapped


def _in_their_order(values: Any, key_of: Any) -> Any:
    """Numbers in the order of their keys, and where each was."""
    if len(values) <= FEW:
        found, places = convert(_inserted)(values, key_of)  # type: ignore[arg-type]  # a function
    else:
        found, places = convert(_by_digits)(values, key_of)  # type: ignore[arg-type]  # a function
    return found, places


FEW: Final = 24
"""So many numbers are sorted by insertion."""


def _inserted(values: Any, key_of: Any) -> Any:
    """Numbers in the order of their keys, each put where it belongs among those before it."""
    now = values.copy()
    places = np.arange(len(values))
    for i in range(1, len(values)):
        x = now[i]
        place = places[i]
        key = key_of(x)
        j = i
        while j > 0 and key < key_of(now[j - 1]):
            now[j] = now[j - 1]
            places[j] = places[j - 1]
            j -= 1
        now[j] = x
        places[j] = place
    return now, places


def _by_digits(values: Any, key_of: Any) -> Any:
    """Numbers in the order of their keys, which are ints, and where each was; of the places nothing
    is left where they are not used.

    Digits are taken from the least one on where all keys are near enough, so that there are as few
    as can be, and none is that all keys have. Those of the sign come last, in the other order.
    """
    n = len(values)
    keys = key_of(values)
    low = np.min(keys, initial=(1 << 63) - 1)
    high = np.max(keys, initial=-(1 << 63))
    near = low >= 0 or high < 0 or (low > -(1 << 62) and high < (1 << 62))
    base = low if near else 0
    span = high - low if near else 0
    bits = 4 if n < 64 else (8 if n < 4096 else 11)
    mask = (1 << bits) - 1
    now = values.copy()
    other = values.copy()
    places = np.arange(n)
    others = np.arange(n)
    shift = 0
    while shift < 64 and (not near or span >> shift > 0):
        sign = (mask + 1) >> 1 if not near and shift + bits >= 64 else 0
        starts = np.zeros(mask + 1, int)
        for i in range(n):
            starts[(((key_of(now[i]) - base) >> shift) & mask) ^ sign] += 1
        total = 0
        for d in range(mask + 1):
            count = starts[d]
            starts[d] = total
            total += count
        for i in range(n):
            x = now[i]
            d = (((key_of(x) - base) >> shift) & mask) ^ sign
            place = starts[d]
            other[place] = x
            others[place] = places[i]
            starts[d] = place + 1
        now, other = other, now
        places, others = others, places
        shift += bits
    return now, places


def _itself(x: Any) -> Any:
    return x


def _key_of_real(x: Any) -> Any:
    """An int that is less than that of another real where this one comes before: the bits of its
    size. What is no number comes last."""
    bits = elementwise(_bits, [np.absolute(x)])
    return np.where(x < 0, -bits, bits)


def _bits(x: Any) -> Scalar:
    return bind(builtin("bits", expression(scalar(x))), INT)


def _sorted(a: Array) -> tuple[Array, Array]:
    """The elements of one dimension in order, and where they were."""
    numbers = a.astype(int) if a.element == BOOL else a
    key_of = _key_of_real if a.element == REAL else _itself
    found, places = convert(_in_their_order)(numbers, key_of)  # type: ignore[arg-type]  # a function
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


def _nearby(values: Any, key_of: Any, first: Any, last: Any) -> Any:
    """Of many numbers those of which some have places in the order from `first` to `last`, and how
    many are before them: those with alike first digits of their keys, of which are as many as there
    are hundreds of numbers, or more."""
    n = len(values)
    keys = key_of(values)
    low = np.min(keys, initial=(1 << 63) - 1)
    high = np.max(keys, initial=-(1 << 63))
    near = low >= 0 or high < 0 or (low > -(1 << 62) and high < (1 << 62))
    bits = 12 if n < 1 << 18 else 16
    size = 1 << bits
    shift = 64 - bits
    if near:
        shift = 0
        while (high - low) >> shift >= size:
            shift += 1
    base = low if near else 0
    middle = 0 if near else size >> 1
    counts = np.zeros(size, int)
    for i in range(n):
        counts[((key_of(values[i]) - base) >> shift) + middle] += 1
    before = 0
    total = 0
    least = 0
    most = 0
    for d in range(size):
        if total <= first:
            least = d
            before = total
        if total <= last:
            most = d
        total += counts[d]

    def is_near(x: Any) -> Any:
        digit = ((key_of(x) - base) >> shift) + middle
        return (least <= digit) & (digit <= most)

    return values[is_near(values)], before


MANY: Final = 4096
"""Of so many numbers, those at some places are looked for without sorting all."""


def _places_of(values: Any, key_of: Any, in_order: Any, first: Any, last: Any) -> Any:
    """The numbers at two places in the order, of which the second is not before the first."""
    if len(values) < MANY:
        some, before = values, 0
    else:
        some, before = convert(_nearby)(values, key_of, first, last)  # type: ignore[arg-type]  # a function
    ordered = in_order(some)
    return ordered[first - before], ordered[last - before]


def _places_in_order(values: Any, key_of: Any, in_order: Any, first: Any, last: Any) -> Any:
    ordered = in_order(values)
    return ordered[first], ordered[last]


def _found(row: Array, first: Any, last: Any) -> Any:
    """The reals at two places in the order of a row, both no numbers where one is in the row."""
    often = any(region.kind != "branch" for region in current().regions)  # of small ones, mostly
    find: Any = _places_in_order if often else convert(_places_of)  # type: ignore[arg-type]  # a function
    lower, upper = find(row, _key_of_real, _in_order, first, last)
    some = np.any(np.isnan(row))
    return np.where(some, np.nan, lower), np.where(some, np.nan, upper)


def _at(row: Array, place: Any) -> Any:
    """The value at a place in the order, between two elements by their distance."""
    low = np.floor(place).astype(int)
    before, after = _found(row, low, np.minimum(low + 1, row.size_of(0) - 1))
    return _between(before, after, place - low)


def _between(before: Any, after: Any, part: Any) -> Any:
    step = after - before
    return np.where(part < 0.5, before + step * part, after - step * (1.0 - part))


def _all_at(ordered: Array, places: Any) -> Any:
    """The values at places in the order."""
    last = ordered.size_of(0) - 1
    low = np.floor(places).astype(int)
    found = _between(ordered[low], ordered[np.minimum(low + 1, last)], places - low)
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
        last = row.size_of(0) - 1
        if isinstance(q, Array):
            return _all_at(_in_order(row), q * last)
        return _at(row, q * last)

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


@numpy_function(np.median)
def median(a: Any, axis: Any = None, **options: Any) -> Any:
    """The element in the middle of the order, or the mean of two; no number where there is none, or
    what is none."""
    plain_only(**options)

    def of(row: Array) -> Any:
        n = row.size_of(0)

        def middle() -> Any:
            lower, upper = _found(row, (n - 1) // 2, n // 2)
            return (lower + upper) * 0.5

        return conditional(apply("less", 0, n), middle, lambda: np.nan)

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
