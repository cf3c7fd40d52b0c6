"""NumPy's functions that say where elements of staged arrays are, and pick some of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cogen.array.l0.types import BOOL
from cogen.staging.numpyshaping import broadcast_to, concatenate, flip, moveaxis, reshape, transpose
from cogen.staging.numpytable import axes_of, numpy_function, operand, plain_only
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array, as_array
from cogen.staging.stagedexpressions import constant, op, require, text
from cogen.staging.stagedreading import flat, integer, iota
from cogen.staging.stagedscalars import expression, scalar
from cogen.staging.wholearrays import filtered, mapped


@numpy_function(np.unravel_index)
def unravel_index(indices: Any, shape: Any, order: Any = "C") -> Any:
    """The indices in each dimension of elements that are counted through."""
    if order != "C":
        cannot("only the order of C is staged")
    rest = operand(indices)
    found = []
    for n in reversed(shape if isinstance(shape, tuple | list) else (shape,)):
        found.append(rest % n)
        rest = rest // n
    return tuple(reversed(found))


@numpy_function(np.ravel_multi_index)
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: Any = "C") -> Any:
    """The number of elements whose indices in each dimension are given."""
    if order != "C" or mode != "raise":
        cannot("only the order of C is staged, and no other mode than 'raise'")
    found: Any = 0
    for index, n in zip(multi_index, dims, strict=True):
        index = operand(index)
        inside = np.all(np.logical_and(np.less_equal(0, index), np.less(index, n)))
        says = text("an index is out of bounds of a dimension of size"), integer(n)
        if not isinstance(inside, bool | np.bool_):
            require(_expression(inside), *says)
        found = found * n + index
    return found


def _expression(x: Any) -> Any:
    return expression(scalar(x))


@numpy_function(np.argwhere)
def argwhere(a: Any) -> Any:
    """The indices of what is not 0, a row for each."""
    a = operand(a)
    return transpose(METHODS["array"](list(METHODS["nonzero"](a))))


def window_view(a: Any, window_shape: Any, axis: Any = None, **options: Any) -> Any:
    """All parts of so many neighbours, as rows of a new array."""
    plain_only(**{k: v or None for k, v in options.items()})
    a = operand(a)
    sizes = window_shape if isinstance(window_shape, tuple | list) else (window_shape,)
    axes = axes_of(tuple(range(a.ndim)) if axis is None else axis, a.ndim)
    if len(sizes) != len(axes):
        fail("a window has a size for each dimension that it goes along")
    for size, k in zip(sizes, axes, strict=True):
        count = a.size_of(k) - size + 1
        says = text("a window is larger than the array:"), integer(size)
        require(op("<", constant(0), integer(count)), *says)
        a = moveaxis(_windows(moveaxis(a, k, 0), count, size), 0, k)
    return a


def _windows(a: Array, count: Any, size: Any) -> Array:
    """Of the rows of an array, those from each on, so many; the windows are the last dimension."""
    found = mapped(lambda i: mapped(lambda j: a[i + j], [iota(size)]), [iota(count)])
    return moveaxis(found, 1, -1)  # type: ignore[no-any-return]  # an array


numpy_function(np.lib.stride_tricks.sliding_window_view)(window_view)


@numpy_function(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """The elements that indices choose along a dimension, line by line."""
    a, chosen = operand(arr), operand(indices)
    if axis is None:
        a, axis = flat(a, a.ndim), 0
    (k,) = axes_of(axis, a.ndim)
    a, chosen = moveaxis(a, k, -1), moveaxis(chosen, k, -1)

    def rows(part: Any, own: Any) -> Any:
        return part[own] if part.ndim == 1 else mapped(rows, [part, own])

    return moveaxis(rows(a, chosen), -1, k)


@numpy_function(np.compress)
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """The rows along a dimension for which there is a truth value that holds."""
    plain_only(out=out)
    a, keep = operand(a), as_array(condition)
    if axis is None:
        a, axis = flat(a, a.ndim), 0
    (k,) = axes_of(axis, a.ndim)
    turned = moveaxis(a, k, 0)
    places = filtered(lambda holds, i: holds, [_truths(keep), iota(keep.size_of(0))])[1]
    return moveaxis(turned[places], 0, k)


def _truths(a: Array) -> Array:
    return a if a.element == BOOL else np.not_equal(a, 0)  # type: ignore[return-value]  # staged


@numpy_function(np.extract)
def extract(condition: Any, arr: Any) -> Any:
    """The elements for which a condition holds."""
    a, keep = operand(arr), _truths(as_array(condition))
    return flat(a, a.ndim)[flat(keep, keep.ndim)]


@numpy_function(np.delete)
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """An array without an element, or a row, at a place."""
    turned, k, place = _at_one_place(operand(arr), obj, axis, "np.delete")
    return moveaxis(concatenate([turned[:place], turned[place + 1 :]]), 0, k)


@numpy_function(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """An array with one element more before a place, or a row."""
    turned, k, place = _at_one_place(operand(arr), obj, axis, "np.insert")
    row = operand(values)
    if turned.ndim > 1:
        row = broadcast_to(row, turned.shape[1:])
    between = METHODS["array"]([row]) if not isinstance(row, Array) else row[None]
    return moveaxis(concatenate([turned[:place], between, turned[place:]]), 0, k)


def _at_one_place(a: Array, obj: Any, axis: Any, what: str) -> tuple[Array, int, Any]:
    """The array with a dimension in front, which one that is, and the place along it."""
    if axis is None:
        a, axis = flat(a, a.ndim), 0
    (k,) = axes_of(axis, a.ndim)
    return moveaxis(a, k, 0), k, _one_place(obj, what, a.size_of(k))


def _one_place(obj: Any, what: str, size: Any) -> Any:
    if isinstance(obj, slice | list | tuple | np.ndarray | Array):
        cannot(f"{what} is staged at one place", "concatenate the parts")
    return obj if not isinstance(obj, int) or obj >= 0 else size + obj


@numpy_function(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    """Elements of one of several arrays, by number."""
    plain_only(out=out)
    if mode != "raise":
        cannot("np.choose is staged with the mode 'raise'")
    number = operand(a)
    count = len(choices)
    inside = np.all(np.logical_and(np.less_equal(0, number), np.less(number, count)))
    require(_expression(inside), text("a number is none of those of the choices:"), constant(count))
    found = operand(choices[-1])
    for k in reversed(range(count - 1)):
        found = np.where(np.equal(number, k), operand(choices[k]), found)
    return found if count > 1 else np.where(np.equal(number, 0), found, found)


@numpy_function(np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """What one of several functions gives of each element: the last whose condition holds."""
    x = operand(x)
    functions = list(funclist)
    found: Any = functions.pop() if len(functions) > len(condlist) else 0
    found = found(x, *args, **kw) if callable(found) else found
    for test, f in zip(condlist, functions, strict=True):
        found = np.where(operand(test), f(x, *args, **kw) if callable(f) else f, found)
    return found.astype(x.dtype) if found.dtype != x.dtype else found


# Arrays beside each other, turned.


@numpy_function(np.rot90)
def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    """A matrix turned by quarters."""
    m = operand(m)
    if not isinstance(k, int) or tuple(axes) != (0, 1) or m.ndim != 2:
        cannot("matrices are turned by a known number of quarters")
    if k % 4 == 2:
        return flip(m)
    if k % 4 == 0:
        return m[:]
    return flip(transpose(m), 0) if k % 4 == 1 else flip(transpose(m), 1)


def _at_least(ndim: int) -> Callable[..., Any]:
    def make(*arrays: Any) -> Any:
        found = [_with_dimensions(operand(a), ndim) for a in arrays]
        return found[0] if len(found) == 1 else tuple(found)

    return make


def _with_dimensions(a: Any, ndim: int) -> Any:
    """An array of at least so many dimensions."""
    found = a if isinstance(a, Array) else METHODS["array"]([a])
    if found.ndim >= ndim:
        return found
    if ndim == 3:
        return found[None, :, None] if found.ndim == 1 else found[:, :, None]
    return found[None, :]


for _name, _count in (("atleast_1d", 1), ("atleast_2d", 2), ("atleast_3d", 3)):
    numpy_function(getattr(np, _name))(_at_least(_count))


@numpy_function(np.dstack)
def dstack(tup: Any) -> Any:
    """Arrays one behind the other, in the third dimension."""
    return concatenate([_with_dimensions(operand(a), 3) for a in tup], 2)


def _split_along(axis: int) -> Callable[..., Any]:
    def split(ary: Any, indices_or_sections: Any) -> Any:
        a = operand(ary)
        own = 0 if axis == 1 and a.ndim == 1 else axis
        return np.split(a, indices_or_sections, own)

    return split


numpy_function(np.vsplit)(_split_along(0))
numpy_function(np.hsplit)(_split_along(1))


@numpy_function(np.block)
def block(arrays: Any) -> Any:
    """An array of arrays that stand beside and below each other."""
    return _block(arrays, _depth(arrays))


def _depth(arrays: Any) -> int:
    return 1 + max(map(_depth, arrays)) if isinstance(arrays, list) else 0


def _block(arrays: Any, depth: int) -> Any:
    if not isinstance(arrays, list):
        return _with_dimensions(operand(arrays), depth)
    parts = [_block(part, depth) for part in arrays]
    return concatenate(parts, -_depth(arrays))


@numpy_function(np.kron)
def kron(a: Any, b: Any) -> Any:
    """A matrix with the second one, as a factor, in the place of each element of the first."""
    a, b = operand(a), operand(b)
    if a.ndim != b.ndim or a.ndim > 2:
        cannot("np.kron is of two matrices, or two arrays of one dimension")
    if a.ndim == 1:
        return reshape(a[:, None] * b[None, :], -1)
    whole = a[:, None, :, None] * b[None, :, None, :]
    return reshape(whole, (a.size_of(0) * b.size_of(0), a.size_of(1) * b.size_of(1)))


@numpy_function(np.cross)
def cross(a: Any, b: Any, **options: Any) -> Any:
    """The vectors that are orthogonal to two of three parts each."""
    plain_only(**options)
    x, y = operand(a), operand(b)
    p, q = ([v[..., k] for k in range(3)] for v in (x, y))
    parts = [p[i] * q[j] - p[j] * q[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(parts, axis=-1) if isinstance(parts[0], Array) else METHODS["array"](parts)
