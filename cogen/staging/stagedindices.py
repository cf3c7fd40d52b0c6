"""Indices of staged arrays, as NumPy understands them: what is meant in each dimension."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from cogen.array.l0.types import BOOL, INT
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import Array, as_array
from cogen.staging.stagedexpressions import choose, constant, op, require, text
from cogen.staging.stagedscalars import Scalar, apply, bind, expression, scalar

Index = int | Scalar


class IndexSlice:
    """A slice of one dimension: where it starts, how many elements, and the step.

    `but_ends` is whether all are meant but a known number at the beginning and the end, in turn;
    `one` whether it is one element, if it is any, as in `a[i : i + 1]`.
    """

    def __init__(
        self,
        start: Index,
        length: Index,
        step: Index,
        whole: bool,
        but_ends: bool = False,
        one: bool = False,
    ) -> None:
        self.start = start
        self.length = length
        self.step = step
        self.whole = whole
        self.but_ends = but_ends
        self.one = one or is_one(length)


def at(a: Array, index: Any, dimension: int = 0) -> Index:
    """An index of a dimension; a known one below 0 counts from the end."""
    if isinstance(index, Scalar):
        if index.type == INT:
            return index
        if index.type == BOOL:
            cannot("a staged truth value is no index", "use x.astype(int)")
        fail("an index must be an int", "use x.astype(int)")
    if isinstance(index, bool | np.bool_) or not isinstance(index, int | np.integer):
        fail(f"an index must be an int, not {type(index).__name__}")
    n = int(index)
    if n >= 0:
        return n
    size = a.size_of(dimension)
    return size + n  # type: ignore[no-any-return]  # an int or a scalar


def index_items(a: Array, index: Any) -> list[Any]:
    """The index for each dimension: an index, an `IndexSlice`, an array, or None for a new one."""
    given = list(index) if isinstance(index, tuple) else [index]
    taken = sum([_dimensions(x) for x in given])
    if taken > a.ndim:
        fail(f"{taken} indices for an array of {a.ndim} dimensions")
    filling = [slice(None)] * (a.ndim - taken)
    where = [k for k, x in enumerate(given) if x is Ellipsis]
    if len(where) > 1:
        fail("an index has at most one `...`")
    given = given[: where[0]] + filling + given[where[0] + 1 :] if where else given + filling
    found: list[Any] = []
    dimension = 0
    for x in given:
        if x is None:
            found.append(None)
            continue
        if isinstance(x, slice):
            found.append(_part(a, x, dimension))
        elif isinstance(x, Array | np.ndarray | list):
            found.append(_chosen(a, as_array(x), dimension))
        else:
            found.append(at(a, x, dimension))
        dimension += _dimensions(x)
    return found


def _chosen(a: Array, indices: Array, dimension: int) -> Array:
    """Indices of a dimension; known ones below 0 count from the end."""
    numbers = indices.known
    if numbers is None or numbers.dtype == bool or not (numbers < 0).any():
        return indices
    size = a.size_of(dimension)
    if isinstance(size, int):
        return as_array(np.where(numbers < 0, numbers + size, numbers))
    return as_array(numbers) + as_array((numbers < 0).astype(np.int64)) * size  # type: ignore[no-any-return]  # an array


def _dimensions(x: Any) -> int:
    if x is None or x is Ellipsis:
        return 0
    if isinstance(x, Array):
        return x.ndim if x.element == BOOL else 1
    if isinstance(x, np.ndarray) and x.dtype == bool:
        return x.ndim
    return 1


def _part(a: Array, s: slice, dimension: int) -> IndexSlice:
    """A slice, within the dimension as NumPy has it."""
    step = 1 if s.step is None else s.step
    if isinstance(step, Scalar):
        says = text("a computed step of a slice is not above 0:"), expression(step)
        require(op("<", constant(0), expression(step)), *says)
    elif (step := int(step)) == 0:
        fail("the step of a slice is 0")
    elif s.start is None and s.stop is None and step == 1:
        return IndexSlice(0, a.size_of(dimension), 1, True)
    size = a.size_of(dimension)
    if isinstance(step, Scalar) or step > 0:
        start = 0 if s.start is None else _clipped(s.start, size)
        stop = size if s.stop is None else _clipped(s.stop, size)
        distance = stop - start
    else:
        start = size - 1 if s.start is None else _last(s.start, size)
        stop = -1 if s.stop is None else _last(s.stop, size)
        distance = start - stop
    width = step if isinstance(step, Scalar) else abs(step)
    by_one = isinstance(width, int) and width == 1
    length = distance if by_one else (distance + (width - 1)) // width
    length = apply("maximum", length, 0)
    walks_up = isinstance(step, int) and step == 1
    is_one = walks_up and _takes_one(s.start, s.stop)
    return IndexSlice(start, length, step, False, walks_up and _is_but_ends(s), is_one)


def distance_of(a: Any, b: Any) -> int | None:
    """How much the number b is more than a, if that is known."""
    if type(a) is int and type(b) is int:
        return b - a
    if not isinstance(a, Scalar) or not isinstance(b, Scalar):
        return None
    (base, distance), (other, more) = a.beyond or (a.value, 0), b.beyond or (b.value, 0)
    same = (
        isinstance(base, SymbolicName)
        and isinstance(other, SymbolicName)
        and base.text == other.text
    )
    return more - distance if same else None


def _takes_one(start: Any, stop: Any) -> bool:
    """Whether a slice takes one element, of an array that has it."""
    if stop is None:
        return _is_int(start) and int(start) == -1
    start = 0 if start is None else start
    if _is_int(start) and _is_int(stop):
        return (start < 0) == (stop < 0) and int(stop) - int(start) == 1
    return distance_of(start, stop) == 1


def _is_but_ends(s: slice) -> bool:
    """Whether a slice is all but so many elements at the ends, `a[1:-1]`."""
    starts = s.start is None or (_is_int(s.start) and s.start >= 0)
    stops = s.stop is None or (_is_int(s.stop) and s.stop < 0)
    return starts and stops


def _is_int(bound: Any) -> bool:
    return isinstance(bound, int | np.integer)


def _clipped(bound: Any, size: Any) -> Any:
    if isinstance(bound, Scalar) and bound.negates:  # a[:-n]
        below = expression(apply("less", bound, 0))
        ways = apply("maximum", size + bound, 0), apply("minimum", bound, size)
        return bind(choose(below, *[expression(scalar(x)) for x in ways]), INT)
    if isinstance(bound, Scalar):
        _not_negative(bound)
        return apply("minimum", bound, size)
    if int(bound) < 0:
        return apply("maximum", size + int(bound), 0)
    return apply("minimum", int(bound), size) if int(bound) else 0


def _not_negative(bound: Scalar) -> None:
    """A bound of a slice that a run computes does not count from the end."""
    says = text("a computed bound of a slice is negative:"), expression(bound)
    require(op("<=", constant(0), expression(bound)), *says)


def _last(bound: Any, size: Any) -> Any:
    """A bound of a slice that walks down."""
    if isinstance(bound, Scalar):
        _not_negative(bound)
        return apply("minimum", bound, size - 1)
    if int(bound) < 0:
        return apply("maximum", size + int(bound), -1)
    return apply("minimum", int(bound), size - 1)


def is_known_index(index: Any) -> bool:
    if isinstance(index, tuple | list):
        return all(is_known_index(x) for x in index)
    if isinstance(index, slice):
        return all(is_known_index(x) for x in (index.start, index.stop, index.step))
    return not isinstance(index, Scalar | Array)


def is_one(n: Any) -> bool:
    return isinstance(n, int) and n == 1


def leading_indices(items: Sequence[Any]) -> list[Index]:
    """The indices that come before anything else."""
    return list(itertools.takewhile(lambda x: isinstance(x, int | Scalar), items))
