"""NumPy's reductions of staged arrays along dimensions: sums, means, extremes, their places."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cogen.array.l0.types import BOOL, INT, REAL, Basic
from cogen.staging.numpyshaping import rearranged
from cogen.staging.numpytable import (
    FUNCTIONS,
    array_method,
    axes_of,
    numpy_function,
    operand,
    plain_only,
)
from cogen.staging.scalaroperations import select
from cogen.staging.sourceplaces import cannot
from cogen.staging.stagedarrays import METHODS, Array, known
from cogen.staging.stagedexpressions import constant, op, require, text
from cogen.staging.stagedreading import flat, integer, iota
from cogen.staging.stagedscalars import Staged, apply
from cogen.staging.wholearrays import converted, elementwise, folded, mapped

_NEUTRAL: Final[dict[str, Any]] = {
    "add": 0, "multiply": 1, "logical_and": True, "logical_or": False, "bitwise_and": -1,
    "bitwise_or": 0, "bitwise_xor": 0,
}  # fmt: skip


def _neutral(name: str, t: Basic) -> Any:
    if name in _NEUTRAL:
        n = _NEUTRAL[name]
        return float(n) if t == REAL else (bool(n) if t == BOOL else n)
    if t == REAL:
        return math.inf if name == "minimum" else -math.inf
    if t == BOOL:
        return name == "minimum"
    return (1 << 63) - 1 if name == "minimum" else -(1 << 63)


def reduction(
    name: str, a: Any, axis: Any = None, keepdims: Any = False, initial: Any = None
) -> Any:
    """The elements along some dimensions, combined."""
    a = operand(a)
    if not isinstance(a, Array):
        return a
    started = initial is not None and initial is not np._NoValue
    if a.known is not None and not isinstance(initial, Staged):
        own = {"initial": initial} if started else {}
        found = getattr(np, name).reduce(a.known, axis=axis, keepdims=bool(keepdims), **own)
        return known(found) if isinstance(found, np.ndarray) else found
    a = _counted(name, a)
    axes = axes_of(axis, a.ndim)
    if name in ("minimum", "maximum") and not started:
        for k in axes:
            _some(a, k)
    found = a
    for k in sorted(axes, reverse=True):
        found = _along(found, k, lambda row: _reduced(name, row))
    if started:
        if isinstance(initial, float) and a.element == INT:
            initial = int(initial)  # as NumPy does
        found = getattr(np, name)(initial, found)
    if keepdims:
        return _kept(found, axes, a.ndim)
    return found


def _some(a: Array, dimension: int) -> None:
    """There must be elements."""
    says = text("an array without elements has no least and no greatest")
    require(op("<", constant(0), integer(a.size_of(dimension))), says)


def _kept(found: Any, axes: Sequence[int], ndim: int) -> Any:
    index = tuple([None if k in axes else slice(None) for k in range(ndim)])
    if not isinstance(found, Array):
        return METHODS["full"]((1,) * ndim, found)
    return found[index]


def _counted(name: str, a: Array) -> Array:
    """Sums of truth values count them; tests take what is not 0."""
    if name in ("add", "multiply") and a.element == BOOL:
        return converted(a, INT)
    if name.startswith("logical") and a.element != BOOL:
        return elementwise(lambda x: apply("not_equal", x, 0), [a])  # type: ignore[no-any-return]
    return a


def _along(a: Array, axis: int, f: Callable[[Array], Any]) -> Any:
    """What a function gives of the parts of an array along a dimension."""
    if axis > 0:
        return mapped(lambda row: _along(row, axis - 1, f), [a])
    if a.ndim == 1:
        return f(a)
    if f.__name__ == "<lambda>":
        turned = rearranged(a, (*range(1, a.ndim), 0))
        return _innermost(turned, f)
    return f(a)


def _innermost(a: Array, f: Callable[[Array], Any]) -> Any:
    return f(a) if a.ndim == 1 else mapped(lambda row: _innermost(row, f), [a])


def _reduced(name: str, a: Array) -> Any:
    """A reduction of one dimension."""
    if name in ("minimum", "maximum") and a.element == REAL:
        return _extreme(name, a)
    return folded(
        "reduce", lambda x, y: apply(name, x, y, elements=True), _neutral(name, a.element), [a]
    )


def _extreme(name: str, a: Array) -> Any:
    """The least or the greatest of reals, nan if there is one: two reductions of plain operations,
    which vectors have, in one loop."""

    def better(x: Any, y: Any) -> Any:
        (v, m), (w, n) = x, y
        return select(w < v if name == "minimum" else v < w, w, v), m + n

    unordered = elementwise(lambda x: select(x == x, 0, 1), [a])
    found, count = folded("reduce", better, (_neutral(name, REAL), 0), [a, unordered])
    return select(count > 0, math.nan, found)


def running(name: str, a: Any, axis: Any = None) -> Any:
    """All reductions of beginnings."""
    a = operand(a)
    if a.known is not None:
        return known(getattr(np, name).accumulate(a.known, axis=axis or 0))
    a = _counted(name, a)
    if axis is None and a.ndim > 1:
        a, axis = flat(a, a.ndim), 0
    (k,) = axes_of(axis or 0, a.ndim)

    def scan(row: Array) -> Any:
        return folded("scan", lambda x, y: apply(name, x, y, elements=True),
                      _neutral(name, row.element), [row])  # fmt: skip

    if k == a.ndim - 1:
        return _innermost(a, scan)
    if k == 0 and a.ndim == 2:
        return _of_rows(name, a)
    order = [d for d in range(a.ndim) if d != k] + [k]
    back = [order.index(d) for d in range(a.ndim)]
    return rearranged(_innermost(rearranged(a, tuple(order)), scan), tuple(back))


def _of_rows(name: str, a: Array) -> Any:
    """The reductions of the first rows of a matrix, which memory has in this order."""
    neutral = METHODS["full"]((a.size_of(1),), _neutral(name, a.element))
    return folded("scan", lambda x, y: getattr(np, name)(x, y), neutral, [a])


def _reducer(name: str) -> Callable[..., Any]:
    def reduce(a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
               keepdims: Any = False, initial: Any = None, **options: Any) -> Any:  # fmt: skip
        plain_only(out=out, **options)
        if dtype is not None:
            a = operand(a).astype(dtype)
        return reduction(name, a, axis, keepdims, initial)

    return reduce


for _names, _ufunc in (
    (("sum",), "add"), (("prod",), "multiply"), (("max", "amax"), "maximum"),
    (("min", "amin"), "minimum"), (("any",), "logical_or"), (("all",), "logical_and"),
):  # fmt: skip
    for _name in _names:
        FUNCTIONS[getattr(np, _name)] = METHODS[_name] = _reducer(_ufunc)


def count_of(a: Array, axis: Any) -> Any:
    """How many elements a reduction goes through."""
    found: Any = 1
    for k in axes_of(axis, a.ndim):
        found = found * a.size_of(k)
    return found


@numpy_function(np.mean)
@array_method("mean")
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
         **options: Any) -> Any:  # fmt: skip
    """The mean, a float."""
    _of_floats(dtype)
    plain_only(out=out, **options)
    a = converted(operand(a), REAL)
    return reduction("add", a, axis, keepdims) / count_of(a, axis)


def _of_floats(dtype: Any) -> None:
    """Means are computed with floats of 64 bits."""
    if dtype is not None and np.dtype(dtype) != np.float64:
        cannot(f"means are not computed with {np.dtype(dtype)}", "leave `dtype` out")


@numpy_function(np.var)
@array_method("var")
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
        keepdims: Any = False, **options: Any) -> Any:  # fmt: skip
    """The mean square distance from the mean."""
    _of_floats(dtype)
    plain_only(out=out, **options)
    a = converted(operand(a), REAL)
    away = a - mean(a, axis, keepdims=axis is not None)
    return reduction("add", away * away, axis, keepdims) / (count_of(a, axis) - ddof)


@numpy_function(np.std)
@array_method("std")
def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
        keepdims: Any = False, **options: Any) -> Any:  # fmt: skip
    """The root of the variance."""
    return np.sqrt(var(a, axis, dtype, out, ddof, keepdims, **options))


@numpy_function(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """How many elements are not 0."""
    return reduction("add", operand(a) != 0 if operand(a).element != BOOL else a, axis, keepdims)


@numpy_function(np.ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """The greatest element less the smallest."""
    plain_only(out=out)
    return reduction("maximum", a, axis, keepdims) - reduction("minimum", a, axis, keepdims)


def _arg(smaller: bool) -> Callable[..., Any]:
    def arg(a: Any, axis: Any = None, out: Any = None, **options: Any) -> Any:
        plain_only(out=out, **options)
        a = operand(a)
        if a.element == BOOL:
            a = converted(a, INT)
        if axis is None:
            a = flat(a, a.ndim)
        (k,) = axes_of(0 if axis is None else axis, a.ndim)
        _some(a, k)
        return _along(a, k, lambda row: _position(row, smaller))

    return arg


def _position(a: Array, smaller: bool) -> Any:
    """The index of the first extreme element; a nan is one: then nothing equals what is found."""
    best = _reduced("minimum" if smaller else "maximum", a)
    size = a.size_of(0)

    def place(x: Any, i: Any) -> Any:
        found = (x == best) | (x != x) if a.element == REAL else x == best
        return select(found, i, size)

    places = elementwise(place, [a, iota(size)])
    return folded("reduce", lambda i, j: apply("minimum", i, j, elements=True), size, [places])


for _name, _smaller in (("argmax", False), ("argmin", True)):
    FUNCTIONS[getattr(np, _name)] = METHODS[_name] = _arg(_smaller)


def _runner(name: str) -> Callable[..., Any]:
    def run(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        plain_only(out=out)
        a = operand(a)
        return running(name, a if dtype is None else a.astype(dtype), axis)

    return run


FUNCTIONS[np.cumsum] = METHODS["cumsum"] = _runner("add")


FUNCTIONS[np.cumprod] = METHODS["cumprod"] = _runner("multiply")
