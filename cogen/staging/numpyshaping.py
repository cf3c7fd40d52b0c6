"""NumPy's functions that rearrange staged arrays: dimensions, parts, orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cogen.array.l0 import tree
from cogen.staging.numpytable import array_method, axes_of, numpy_function, operand, plain_only
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array, View, as_array, known, named
from cogen.staging.stagedexpressions import op, require, text
from cogen.staging.stagedreading import flat, integer, iota, rows
from cogen.staging.stagedrecords import Records
from cogen.staging.stagedscalars import apply, join
from cogen.staging.tracer import current
from cogen.staging.wholearrays import concatenated, converted, elementwise, mapped


@numpy_function(np.copy)
@array_method("copy", "__copy__")
def copy(a: Any, order: Any = None, **options: Any) -> Any:
    """A new array with the same elements."""
    if isinstance(a, Records):
        return Records({n: copy(f) for n, f in a.fields.items()})
    if a.known is not None:
        return known(a.known)
    found = Array(a.source(), a.element, a.ndim, None, a.ones, tuple(a._dims))
    return found


@array_method("tolist")
def tolist(a: Array) -> Any:
    """The elements as a list, where they are known."""
    if a.known is not None:
        return a.known.tolist()
    fail("only a run knows the elements", "return the array")


@array_method("item")
def item(a: Array, *index: Any) -> Any:
    """An element."""
    return a[index] if index else a[(0,) * a.ndim]


@array_method("fill")
def fill(a: Array, value: Any) -> None:
    """Assign a number to all elements."""
    a[...] = value


@numpy_function(np.shape)
def shape(a: Any) -> Any:
    """The sizes."""
    return operand(a).shape


@numpy_function(np.size)
def size(a: Any, axis: Any = None) -> Any:
    """How many elements there are."""
    a = operand(a)
    return a.size if axis is None else a.size_of(axes_of(axis, a.ndim)[0])


@numpy_function(np.ndim)
def ndim(a: Any) -> Any:
    """How many dimensions there are."""
    return operand(a).ndim


def rearranged(a: Array, order: tuple[int, ...]) -> Array:
    """The array with its dimensions in another order: a view that is read."""
    if order == tuple(range(a.ndim)):
        return a

    def turn() -> Array:
        if a.known is not None:
            return as_array(a.known.transpose(order))
        e = tree.RearrangeExpression(current().place, order, a.expression())
        found = named(e, a.element, a.ndim)
        found._dims = [a._dims[k] for k in order] if not isinstance(a, View) else found._dims
        return found

    ones = tuple([a.ones[k] for k in order])
    back = tuple([order.index(k) for k in range(a.ndim)])

    def put(new: Array) -> None:
        a.write(rearranged(new, back))

    return View(a, turn, put, a.element, a.ndim, ones)


@numpy_function(np.transpose)
@array_method("transpose")
def transpose(a: Any, *axes: Any) -> Any:
    """The dimensions in another order, in reverse if none is said."""
    a = operand(a)
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list)):
        axes = tuple(axes[0] or ())
    order = axes_of(tuple(axes), a.ndim) if axes else list(reversed(range(a.ndim)))
    if sorted(order) != list(range(a.ndim)):
        fail("the axes must be each dimension once")
    return rearranged(a, tuple(order))


@numpy_function(np.swapaxes)
@array_method("swapaxes")
def swapaxes(a: Any, first: Any, second: Any) -> Any:
    """Two dimensions change places."""
    order = list(range(operand(a).ndim))
    i, j = axes_of((first, second), len(order))
    order[i], order[j] = j, i
    return rearranged(operand(a), tuple(order))


@numpy_function(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """A dimension moves."""
    a = operand(a)
    moved, places = axes_of(source, a.ndim), axes_of(destination, a.ndim)
    order = [k for k in range(a.ndim) if k not in moved]
    for place, k in sorted(zip(places, moved, strict=True)):
        order.insert(place, k)
    return rearranged(a, tuple(order))


@numpy_function(np.reshape)
@array_method("reshape")
def reshape(a: Any, *sizes: Any, **options: Any) -> Any:
    """The elements in another shape; one size may be -1."""
    a = operand(a)
    wanted = options.get("shape", options.get("newshape", sizes))
    if len(wanted) == 1 and isinstance(wanted[0], tuple | list):
        wanted = tuple(wanted[0])
    if options.get("order", "C") != "C":
        cannot("only the order of C is staged")
    unknown = [k for k, n in enumerate(wanted) if isinstance(n, int) and n == -1]
    if len(unknown) > 1:
        fail("only one size can be -1")
    if a.known is not None and all(isinstance(n, int | np.integer) for n in wanted):
        return as_array(a.known.reshape(wanted))
    found = list(wanted)
    if unknown:
        rest: Any = 1
        for n in [n for k, n in enumerate(wanted) if k not in unknown]:
            rest = rest * n
        whole = a.size
        found[unknown[0]] = whole if isinstance(rest, int) and rest == 1 else whole // rest
    return _reshaped(a, tuple(found))


def _reshaped(a: Array, sizes: tuple[Any, ...]) -> Array:
    """A view where NumPy certainly makes one, else a new array."""
    version = a.changed()
    ones = tuple([isinstance(n, int) and n == 1 for n in sizes])

    def make() -> Array:
        if a.changed() != version and not isinstance(a, View):
            pass  # the same memory in NumPy, too: arrays of their own have no gaps
        elif a.changed() != version:
            fail(
                "this is a copy or not, by how the array lies in memory, and the array was "
                "assigned to since",
                "reshape again, or a.copy() before",
            )
        e = tree.ReshapeExpression(
            current().place, tuple([integer(n) for n in sizes]), a.expression()
        )
        found = named(e, a.element, len(sizes))
        found._dims = list(sizes)
        return found

    def put(new: Array) -> None:
        if isinstance(a, View):
            cannot("what is reshaped is a view, which NumPy may copy", "a.copy().reshape(...)")
        back = tree.ReshapeExpression(
            current().place, tuple([integer(n) for n in a.shape]), new.expression()
        )
        a.write(named(back, a.element, a.ndim))

    return View(a, make, put, a.element, len(sizes), ones)


@numpy_function(np.ravel)
@array_method("ravel")
def ravel(a: Any, order: Any = "C") -> Any:
    """All elements in one dimension."""
    return reshape(_in_order(a, order), -1)


def _in_order(a: Any, order: Any) -> Any:
    """The array whose elements, row by row, are those of an array in an order of NumPy's."""
    if order not in ("C", "F"):
        cannot("only the orders C and F are staged")
    return a if order == "C" else copy(transpose(a).now())


@array_method("flatten")
def flatten(a: Any, order: Any = "C") -> Any:
    """All elements in one dimension, as a new array."""
    a = _in_order(a, order)
    return copy(reshape(a, -1).now()) if operand(a).known is None else known(a.known.flatten())


@numpy_function(np.squeeze)
@array_method("squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """The array without dimensions of size 1."""
    a = operand(a)
    axes = [k for k in range(a.ndim) if a.ones[k] or a._dims[k] == 1]
    if axis is not None:
        wanted = axes_of(axis, a.ndim)
        for k in wanted:
            if k not in axes:
                says = text("a dimension that is squeezed out has another size than 1:")
                require(op("=", integer(a.size_of(k)), integer(1)), says, integer(a.size_of(k)))
        axes = wanted
    return a[tuple([0 if k in axes else slice(None) for k in range(a.ndim)])] if axes else a


@numpy_function(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Any:
    """The array with more dimensions, of size 1."""
    a = operand(a)
    ndim = a.ndim + (len(axis) if isinstance(axis, tuple | list) else 1)
    new = axes_of(tuple(axis) if isinstance(axis, list) else axis, ndim)
    return a[tuple([None if k in new else slice(None) for k in range(ndim)])]


@numpy_function(np.broadcast_to)
def broadcast_to(a: Any, shape: Any) -> Any:
    """The elements, as often as a shape says."""
    like = METHODS["zeros"](shape)
    return elementwise(lambda x, y: x, [operand(a), like])


@numpy_function(np.concatenate)
def concatenate(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Any:
    """Arrays one after the other."""
    plain_only(out=out)
    given = [operand(a) for a in arrays]
    if not all(isinstance(a, Array) for a in given):
        fail("numbers are not concatenated", "put them into a list: np.concatenate((a, [x]))")
    if axis is None:
        given, axis = [flat(a, a.ndim) for a in given], 0
    t = join([a.element for a in given])
    (k,) = axes_of(axis, given[0].ndim)
    if any(a.ndim != given[0].ndim for a in given):
        fail("arrays that are concatenated have one number of dimensions")
    parts = [converted(a, t) for a in given]
    return concatenated(parts, k)


def _beside(a: Array, x: Any, axis: int) -> Array:
    """What stands beside an array along a dimension; a number as often as needed."""
    found = operand(x)
    if isinstance(found, Array):
        return found
    shape = (*a.shape[:axis], 1, *a.shape[axis + 1 :])
    return METHODS["full"](shape, found)  # type: ignore[no-any-return]  # an array


@numpy_function(np.hstack)
def hstack(arrays: Any, **options: Any) -> Any:
    """Arrays side by side."""
    given = [_of_one(a) for a in arrays]
    return concatenate(given, 0 if given[0].ndim == 1 else 1, **options)


@numpy_function(np.vstack)
def vstack(arrays: Any, **options: Any) -> Any:
    """Arrays one below the other."""
    return concatenate([a if a.ndim > 1 else a[None] for a in map(_of_one, arrays)], 0, **options)


def _of_one(x: Any) -> Array:
    """An array; of a number, one of one element."""
    found = operand(x)
    return found if isinstance(found, Array) else METHODS["array"]([found])


@numpy_function(np.stack)
def stack(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Any:
    """Arrays as the rows of a new one."""
    plain_only(out=out)
    given = [operand(a) for a in arrays]
    if not any(isinstance(a, Array) for a in given):
        return METHODS["array"](given)
    return concatenate([expand_dims(a, axis) for a in given], axis)


@numpy_function(np.split)
def split(a: Any, sections: Any, axis: Any = 0) -> Any:
    """Parts of an array: so many of one size, or those between places."""
    if isinstance(sections, int):
        a = operand(a)
        size = a.size_of(axes_of(axis, a.ndim)[0])
        says = text("an array is not divided into equal parts:"), integer(size)
        require(op("=", integer(size % sections), integer(0)), *says)
    return array_split(a, sections, axis)


@numpy_function(np.array_split)
def array_split(a: Any, sections: Any, axis: Any = 0) -> Any:
    """Parts of an array, of which the first may have one element more, or those between places."""
    a = operand(a)
    (k,) = axes_of(axis, a.ndim)
    if isinstance(sections, int):
        width, more = divmod(a.size_of(k), sections)
        bounds = [i * width + apply("minimum", i, more) for i in range(1, sections)]
    else:
        bounds = list(sections)
    head = (slice(None),) * k
    return [a[(*head, slice(i, j))] for i, j in zip([0, *bounds], [*bounds, None], strict=True)]


@numpy_function(np.flip)
def flip(a: Any, axis: Any = None) -> Any:
    """The elements in reverse order."""
    a = operand(a)
    axes = axes_of(axis, a.ndim)
    return a[tuple([slice(None, None, -1) if k in axes else slice(None) for k in range(a.ndim)])]


@numpy_function(np.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved round."""
    a = operand(a)
    if axis is None:
        turned = roll(flat(a, a.ndim), shift, 0)
        return turned if a.ndim == 1 else _reshaped(turned, a.shape)
    if isinstance(axis, tuple | list) or isinstance(shift, tuple | list):
        shifts, axes = ([*x] if isinstance(x, tuple | list) else [x] for x in (shift, axis))
        for k in range(max(len(shifts), len(axes))):
            a = roll(a, shifts[k % len(shifts)], axes[k % len(axes)])
        return a
    (k,) = axes_of(axis, a.ndim)
    if k > 0:
        return mapped(lambda row: roll(row, shift, k - 1), [a])
    size = a.size_of(0)

    def step(i: Any) -> Any:
        j = (i - shift) % size
        return a[j] if a.ndim == 1 else rows(a, [j])

    return mapped(step, [iota(size)])


@numpy_function(np.diff)
def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours, of which there may be more before and behind."""
    a = operand(a)
    (k,) = axes_of(axis, a.ndim)
    around = [x if x is not np._NoValue else None for x in (prepend, append)]
    parts = [x if x is None else _beside(a, x, k) for x in (around[0], a, around[1])]
    a = concatenate([x for x in parts if x is not None], k) if parts != [None, a, None] else a
    for _ in range(n):
        before = (*[slice(None)] * k, slice(None, -1))
        after = (*[slice(None)] * k, slice(1, None))
        a = a[after] - a[before]
    return a


@numpy_function(np.pad)
def pad(a: Any, width: Any, mode: Any = "constant", constant_values: Any = 0,
        **options: Any) -> Any:  # fmt: skip
    """The array within a frame of numbers, or of its own elements: see `_MARGINS`."""
    a = operand(a)
    if mode != "constant" and mode not in _MARGINS:
        cannot(f"np.pad is not staged with mode {mode!r}", f"constant, {', '.join(_MARGINS)} are")
    plain_only(**options)
    values = _sides(constant_values, a.ndim)
    for k, counts in enumerate(_sides(width, a.ndim)):
        if mode == "constant":
            shapes = [(*a.shape[:k], count, *a.shape[k + 1 :]) for count in counts]
            around = [METHODS["full"](shape, x, a.dtype)
                      for shape, x in zip(shapes, values[k], strict=True)]  # fmt: skip
        else:
            around = _margins(a, mode, counts, k)
        a = concatenate([around[0], a, around[1]], k)
    return a


def _sides(given: Any, ndim: int) -> list[tuple[Any, Any]]:
    """What NumPy says once, for both sides, or for both sides of each dimension."""
    parts = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(parts, list | tuple):
        return [(parts, parts)] * ndim
    rows_ = [list(p) if isinstance(p, list | tuple) else None for p in parts]
    found = [list(parts)] if None in rows_ else rows_
    sides = [(p[0], p[-1]) for p in found if p is not None]
    return sides * ndim if len(sides) == 1 else sides


_MARGINS: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any]]]] = {
    "edge": (lambda j, count, n: 0 * j, lambda j, n: 0 * j + (n - 1)),
    "reflect": (lambda j, count, n: count - j, lambda j, n: n - 2 - j),
    "symmetric": (lambda j, count, n: count - 1 - j, lambda j, n: n - 1 - j),
    "wrap": (lambda j, count, n: n - count + j, lambda j, n: j),
}
"""Which element of so many stands at an index of the margin before, and of that behind."""


def _margins(a: Array, mode: str, counts: Sequence[Any], axis: int) -> list[Any]:
    """What stands before and behind an array along a dimension; an error if that is too short."""
    n = a.size_of(axis)
    before, behind = _MARGINS[mode]
    low = elementwise(lambda j: before(j, counts[0], n), [iota(counts[0])])
    high = elementwise(lambda j: behind(j, n), [iota(counts[1])])
    return [rearranged_take(a, low, axis), rearranged_take(a, high, axis)]


@numpy_function(np.take)
@array_method("take")
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
    """Elements by index."""
    plain_only(out=out)
    a = operand(a)
    if axis is None and a.ndim > 1:
        a, axis = flat(a, a.ndim), 0
    (k,) = axes_of(axis or 0, a.ndim)
    if mode == "wrap":
        indices = np.remainder(operand(indices), a.size_of(k))
    elif mode == "clip":
        indices = np.minimum(np.maximum(operand(indices), 0), a.size_of(k) - 1)
    return rearranged_take(a, indices, k)


def rearranged_take(a: Array, indices: Any, axis: int) -> Any:
    """Elements by index of a dimension."""
    if axis > 0:
        return mapped(lambda row: rearranged_take(row, indices, axis - 1), [a])
    return a[indices]
