"""NumPy's functions of staged arrays that are said by others: what people write without them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cogen.array.l0.types import REAL
from cogen.staging import numpytable
from cogen.staging.numpyproducts import diagonal
from cogen.staging.numpyreductions import mean, reduction
from cogen.staging.numpyshaping import concatenate, flip, pad, ravel, rearranged_take
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array, as_array
from cogen.staging.stagedexpressions import constant, op, require, text
from cogen.staging.stagedreading import integer, iota
from cogen.staging.stagedscalars import apply
from cogen.staging.wholearrays import elementwise, mapped

# More of the same elements.


@numpytable.numpy_function(np.append)
def append(a: Any, values: Any, axis: Any = None) -> Any:
    """An array and one behind it, row by row if no dimension is said."""
    parts = [_array_of(x) for x in (a, values)]
    return concatenate([ravel(x) for x in parts] if axis is None else parts, axis or 0)


def _array_of(x: Any) -> Any:
    """An array; of a number, one of one element."""
    found = numpytable.operand(x)
    return found if isinstance(found, Array) else METHODS["array"]([found])


@numpytable.numpy_function(np.tile)
def tile(a: Any, reps: Any) -> Any:
    """The array several times over, in each of the dimensions."""
    a = _array_of(a)
    times = list(reps) if isinstance(reps, tuple | list) else [reps]
    a = a[(None,) * max(len(times) - a.ndim, 0)] if len(times) > a.ndim else a
    for k, count in enumerate([1] * (a.ndim - len(times)) + times):
        if not isinstance(count, int) or count != 1:
            size = a.size_of(k)
            a = rearranged_take(a, elementwise(lambda i, n=size: i % n, [iota(size * count)]), k)
    return a


@numpytable.numpy_function(np.repeat)
@numpytable.array_method("repeat")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element so many times, all as often as each other."""
    a = _array_of(a)
    if isinstance(repeats, Array | list | tuple | np.ndarray):
        cannot(
            "elements are repeated equally often here", "cogen.flat_map makes as many as it likes"
        )
    a = ravel(a) if axis is None else a
    (k,) = numpytable.axes_of(axis or 0, a.ndim)
    which = elementwise(lambda i: i // repeats, [iota(a.size_of(k) * repeats)])
    return rearranged_take(a, which, k)


# Parts and forms.


@numpytable.numpy_function(np.fliplr)
def fliplr(a: Any) -> Any:
    """The columns in reverse order."""
    return flip(a, 1)


@numpytable.numpy_function(np.flipud)
def flipud(a: Any) -> Any:
    """The rows in reverse order."""
    return flip(a, 0)


@numpytable.numpy_function(np.column_stack)
def column_stack(arrays: Any) -> Any:
    """Arrays of one dimension as columns, beside matrices."""
    given = [numpytable.operand(a) for a in arrays]
    return concatenate([a[:, None] if a.ndim == 1 else a for a in given], 1)


@numpytable.numpy_function(np.meshgrid)
def meshgrid(*axes: Any, indexing: Any = "xy", **options: Any) -> Any:
    """Arrays with an element for each combination: that of one of the axes."""
    if options.pop("sparse", False):
        cannot("`sparse` is not staged here", "a[:, None] and b[None, :]")
    order = list(range(len(axes)))
    if indexing == "xy" and len(axes) > 1:
        order[:2] = 1, 0
    spread = []
    for k, x in enumerate(axes):
        place = order.index(k)
        index = tuple([slice(None) if d == place else None for d in range(len(axes))])
        spread.append(numpytable.operand(x)[index])
    return tuple([_one_of(spread, k) for k in range(len(axes))])  # a tuple, as NumPy's


def _one_of(arrays: list[Any], k: int) -> Any:
    """The elements of one of several arrays, as often as there are combinations."""
    return elementwise(lambda *given: given[k], arrays)


@numpytable.numpy_function(np.diag)
def diag(a: Any, k: Any = 0) -> Any:
    """The diagonal of a matrix, or a matrix that is 0 elsewhere."""
    a = numpytable.operand(a)
    if a.ndim == 2:
        return diagonal(a, k)
    values = pad(a, (0, abs(k)))
    places = iota(values.size_of(0))
    lines = values[:, None] if k >= 0 else values[None, :]
    return np.where(places[None, :] - places[:, None] == k, lines, _zero(a))


def _zero(a: Array) -> Any:
    """The 0 of an array's elements."""
    return a.dtype.type(0).item()


def _triangle(keeps: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def triangle(m: Any, k: Any = 0) -> Any:
        m = numpytable.operand(m)
        if m.ndim != 2:
            cannot("triangles are those of matrices", "cogen.map over the first dimension")
        rows, columns = iota(m.size_of(0)), iota(m.size_of(1))
        return np.where(keeps(columns[None, :] - rows[:, None], k), m, _zero(m))

    return triangle


numpytable.FUNCTIONS[np.tril] = _triangle(lambda away, k: away <= k)
numpytable.FUNCTIONS[np.triu] = _triangle(lambda away, k: away >= k)


# Products along an array.


@numpytable.numpy_function(np.convolve)
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """Sums of products of one array with the other, turned round, at each place."""
    a, v = (as_array(numpytable.operand(x)) for x in (a, v))
    n, m = a.size_of(0), v.size_of(0)
    if not isinstance(n, int) and not isinstance(m, int):
        longer, shorter = apply("maximum", n, m), apply("minimum", n, m)
    else:
        longer, shorter = (n, m) if isinstance(m, int) else (m, n)
        a, v = (a, v) if isinstance(m, int) else (v, a)
        if isinstance(longer, int) and longer < shorter:
            longer, shorter, a, v = shorter, longer, v, a
    for size in (n, m):
        require(op("<", constant(0), integer(size)), text("np.convolve needs elements"))
    around = a.size_of(0), v.size_of(0)
    if mode == "valid":
        _is_longer("np.convolve", *around)
        return _products(a, v, around[0] - around[1] + 1)
    whole = _products(pad(a, around[1] - 1), v, around[0] + around[1] - 1)
    if mode == "full":
        return whole
    if mode != "same":
        fail(f"np.convolve has no mode {mode!r}", "full, same and valid are")
    start = (shorter - 1) // 2
    return whole[start : start + longer]


def _is_longer(name: str, n: Any, m: Any) -> None:
    """The first array is not the shorter one."""
    says = text(f"the second array of {name} is longer:"), integer(n), integer(m)
    require(op("<=", integer(m), integer(n)), *says)


def _products(a: Array, v: Array, count: Any) -> Any:
    """At so many places, sums of products of what stands from there on with another array."""
    m = v.size_of(0)
    if isinstance(m, int):
        return sum([v[m - 1 - k] * a[k : k + count] for k in range(m)])

    def at(i: Any) -> Any:
        return reduction("add", elementwise(lambda k: v[m - 1 - k] * a[i + k], [iota(m)]))

    return mapped(at, [iota(count)])


@numpytable.numpy_function(np.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """Sums of products of one array with the other, at each place."""
    a, v = (as_array(numpytable.operand(x)) for x in (a, v))
    if mode != "full":
        _is_longer("np.correlate", a.size_of(0), v.size_of(0))
    return convolve(a, flip(v), mode)


# What is computed of elements.


@numpytable.numpy_function(np.interp)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None,
           period: Any = None) -> Any:  # fmt: skip
    """The values of straight lines between points, whose places grow; those of the ends beyond."""
    numpytable.plain_only(period=period)
    places, values = (as_array(numpytable.operand(a)).astype(float) for a in (xp, fp))
    last = places.size_of(0) - 1
    says = text("np.interp has different numbers of places and values")
    require(op("=", integer(last + 1), integer(values.size_of(0))), says)

    def at(x: Any) -> Any:
        before = reduction("add", elementwise(lambda p: p <= x, [places])) - 1
        k = apply("minimum", apply("maximum", before, 0), apply("maximum", last - 1, 0))
        after = apply("minimum", k + 1, last)
        slope = (values[after] - values[k]) / (places[after] - places[k])
        inside = np.where(x == places[k], values[k], slope * (x - places[k]) + values[k])
        low = np.where(x < places[0], values[0] if left is None else left, inside)
        beyond = np.where(x > places[last], values[last] if right is None else right, low)
        found = np.where(x == places[last], values[last], beyond)
        return np.where(np.isnan(x), x * 1.0, found)

    return elementwise(at, [numpytable.operand(x)])


@numpytable.numpy_function(np.select)
def select(tests: Any, choices: Any, default: Any = 0) -> Any:
    """The elements of the first choice whose test holds."""
    found = default
    for test, choice in zip(reversed(tests), reversed(choices), strict=True):
        found = np.where(test, choice, found)
    return found


@numpytable.numpy_function(np.isin)
def isin(a: Any, among: Any, assume_unique: Any = False, invert: Any = False,
         kind: Any = None) -> Any:  # fmt: skip
    """Which elements are among others."""
    if isinstance(among, set | frozenset):
        fail("NumPy takes a set for one thing, which no element is", "np.isin(a, list(...))")
    others = numpytable.operand(among)
    others = ravel(others) if isinstance(others, Array) else METHODS["array"]([others])

    def at(x: Any) -> Any:
        if others.known is None:
            return reduction("logical_or", elementwise(lambda y: x == y, [others]))
        found: Any = False
        for y in others.known.tolist():
            found = apply("logical_or", found, apply("equal", x, y))
        return found

    found = elementwise(at, [numpytable.operand(a)])
    return np.logical_not(found) if invert else found


@numpytable.numpy_function(np.nan_to_num)
def nan_to_num(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None,
               neginf: Any = None) -> Any:  # fmt: skip
    """Numbers in place of what are none, the greatest in place of infinity."""
    if copy is not True:
        cannot("np.nan_to_num makes a new array here", "leave `copy` out")
    most = float(np.finfo(float).max)
    found = np.where(np.isnan(x), nan, x)
    found = np.where(found == np.inf, most if posinf is None else posinf, found)
    return np.where(found == -np.inf, -most if neginf is None else neginf, found)


# Values of whole arrays.


@numpytable.numpy_function(np.array_equal)
def array_equal(a: Any, b: Any, equal_nan: Any = False) -> Any:
    """Whether arrays have the same sizes and elements."""
    numpytable.plain_only(equal_nan=equal_nan or None)
    a, b = as_array(numpytable.operand(a)), as_array(numpytable.operand(b))
    if a.ndim != b.ndim:
        return False
    same: Any = True
    for m, n in zip(a.shape, b.shape, strict=True):
        same = apply("logical_and", same, apply("equal", m, n))
    a, b = ravel(a), ravel(b)
    count = apply("minimum", a.size_of(0), b.size_of(0))
    return apply("logical_and", same, reduction("logical_and", a[:count] == b[:count]))


@numpytable.numpy_function(np.average)
def average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False,
            **options: Any) -> Any:  # fmt: skip
    """The mean, of elements that weigh differently."""
    numpytable.plain_only(returned=returned or None, **options)
    if weights is None:
        return mean(a, axis)
    weights = numpytable.operand(weights)
    if weights.ndim != numpytable.operand(a).ndim:
        cannot("np.average has a weight for each element here", "np.broadcast_to(weights, ...)")
    total = reduction("add", np.multiply(a, weights), axis)
    return total / reduction("add", weights, axis)


@numpytable.numpy_function(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """The area below straight lines through points at equal distances, or at given places."""
    y = numpytable.operand(y)
    if y.ndim != 1:
        cannot("np.trapezoid is of arrays of one dimension", "cogen.map over the first")
    widths = dx if x is None else numpytable.operand(x)[1:] - numpytable.operand(x)[:-1]
    return reduction("add", widths * (y[1:] + y[:-1]) / 2.0)


def _without_nan(name: str, instead: float) -> Callable[..., Any]:
    """A reduction of what is a number."""

    def reduce(a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
               keepdims: Any = False, **options: Any) -> Any:  # fmt: skip
        numpytable.plain_only(dtype=dtype, out=out, **options)
        a = numpytable.operand(a)
        if a.element != REAL:
            return reduction(name, a, axis, keepdims)
        found = reduction(name, np.where(np.isnan(a), instead, a), axis, keepdims)
        if name in ("add", "multiply"):
            return found
        return np.where(reduction("logical_and", np.isnan(a), axis, keepdims), np.nan, found)

    return reduce


_OF_NUMBERS: Final = {
    np.nansum: ("add", 0.0), np.nanprod: ("multiply", 1.0), np.nanmax: ("maximum", -np.inf),
    np.nanmin: ("minimum", np.inf),
}  # fmt: skip
numpytable.FUNCTIONS.update({f: _without_nan(*row) for f, row in _OF_NUMBERS.items()})


@numpytable.numpy_function(np.nanmean)
def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
            keepdims: Any = False, **options: Any) -> Any:  # fmt: skip
    """The mean of what is a number."""
    numpytable.plain_only(dtype=dtype, out=out, **options)
    a = numpytable.operand(a)
    if a.element != REAL:
        return mean(a, axis, keepdims=keepdims)
    count = reduction("add", np.logical_not(np.isnan(a)), axis, keepdims)
    return numpytable.FUNCTIONS[np.nansum](a, axis, keepdims=keepdims) / count
