"""NumPy's functions that rearrange staged arrays: dimensions, parts, orders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cogen.array.l0 import tree
from cogen.staging.numpytable import array_method, axes_of, numpy_function, operand, plain_only
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array, View, as_array, known, named
from cogen.staging.stagedreading import flat, integer, iota, rows
from cogen.staging.stagedrecords import Records
from cogen.staging.stagedscalars import join, op, require
from cogen.staging.tracer import current
from cogen.staging.wholearrays import converted, elementwise, mapped


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
        e = tree.Rearrange(current().place, order, a.expression())
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
    (i,), (j,) = axes_of(source, a.ndim), axes_of(destination, a.ndim)
    order = [k for k in range(a.ndim) if k != i]
    order.insert(j, i)
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
        e = tree.Reshape(current().place, tuple([integer(n) for n in sizes]), a.expression())
        found = named(e, a.element, len(sizes))
        found._dims = list(sizes)
        return found

    def put(new: Array) -> None:
        if isinstance(a, View):
            cannot("what is reshaped is a view, which NumPy may copy", "a.copy().reshape(...)")
        back = tree.Reshape(current().place, tuple([integer(n) for n in a.shape]), new.expression())
        a.write(named(back, a.element, a.ndim))

    return View(a, make, put, a.element, len(sizes), ones)


@numpy_function(np.ravel)
@array_method("ravel")
def ravel(a: Any, order: Any = "C") -> Any:
    """All elements in one dimension."""
    return reshape(a, -1)


@array_method("flatten")
def flatten(a: Any, order: Any = "C") -> Any:
    """All elements in one dimension, as a new array."""
    return copy(reshape(a, -1).now()) if operand(a).known is None else known(a.known.flatten())


@numpy_function(np.squeeze)
@array_method("squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """The array without dimensions of size 1."""
    a = operand(a)
    if axis is None:
        axes = [k for k in range(a.ndim) if a.ones[k] or a._dims[k] == 1]
    else:
        axes = axes_of(axis, a.ndim)
    return a[tuple([0 if k in axes else slice(None) for k in range(a.ndim)])] if axes else a


@numpy_function(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Any:
    """The array with one more dimension, of size 1."""
    a = operand(a)
    (k,) = axes_of(axis, a.ndim + 1)
    return a[(*[slice(None)] * k, None)]


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
    if axis is None:
        given, axis = [flat(a, a.ndim) for a in given], 0
    t = join([a.element for a in given])
    (k,) = axes_of(axis, given[0].ndim)
    if any(a.ndim != given[0].ndim for a in given):
        fail("arrays that are concatenated have one number of dimensions")
    parts = [converted(a, t) for a in given]
    return _concatenated(parts, k)


def _concatenated(parts: Sequence[Array], axis: int) -> Array:
    if axis > 0:
        found = mapped(lambda *given: _concatenated(given, axis - 1), parts)
        assert isinstance(found, Array)
        return found
    found, *others = parts
    for other in others:
        e = tree.Form(current().place, "concat", (found.expression(), other.expression()))
        size = found._dims[0], other._dims[0]
        found = named(e, found.element, found.ndim)
        if all(isinstance(n, int) for n in size):
            found._dims[0] = sum(size)
    return found


@numpy_function(np.hstack)
def hstack(arrays: Any, **options: Any) -> Any:
    """Arrays side by side."""
    given = [operand(a) for a in arrays]
    return concatenate(given, 0 if given[0].ndim == 1 else 1)


@numpy_function(np.vstack)
def vstack(arrays: Any, **options: Any) -> Any:
    """Arrays one below the other."""
    return concatenate([a if a.ndim > 1 else a[None] for a in map(operand, arrays)], 0)


@numpy_function(np.stack)
def stack(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Any:
    """Arrays as the rows of a new one."""
    plain_only(out=out)
    given = list(arrays) if not isinstance(arrays, Array) else [arrays]
    return concatenate([expand_dims(a, axis) for a in given], axis)


@numpy_function(np.split, np.array_split)
def split(a: Any, sections: Any, axis: Any = 0) -> Any:
    """Parts of an array."""
    a = operand(a)
    if isinstance(sections, int):
        width = a.size_of(0) // sections
        require(op("=", integer(width * sections), integer(a.size_of(0))))
        return [a[k * width : (k + 1) * width] for k in range(sections)]
    bounds = [0, *sections]
    return [a[i:j] for i, j in zip(bounds, [*sections, None], strict=True)]


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
    if isinstance(axis, tuple):
        for s, k in zip(shift, axis, strict=True):
            a = roll(a, s, k)
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
def diff(a: Any, n: Any = 1, axis: Any = -1, **options: Any) -> Any:
    """Differences of neighbours."""
    a = operand(a)
    (k,) = axes_of(axis, a.ndim)
    for _ in range(n):
        before = (*[slice(None)] * k, slice(None, -1))
        after = (*[slice(None)] * k, slice(1, None))
        a = a[after] - a[before]
    return a


@numpy_function(np.pad)
def pad(a: Any, width: Any, mode: Any = "constant", **options: Any) -> Any:
    """The array within a frame of a number, or of its own edge elements."""
    a = operand(a)
    if mode not in ("constant", "edge"):
        cannot(f"np.pad is not staged with mode {mode!r}", "constant and edge are")
    value = options.get("constant_values", 0)
    widths = np.broadcast_to(np.array(width), (a.ndim, 2)).tolist()
    for k, (low, high) in enumerate(widths):
        parts = []
        index = (slice(None),) * k
        for count, edge in ((low, 0), (None, 0), (high, -1)):
            if count is None:
                parts.append(a)
            elif count and mode == "edge":
                parts += [a[(*index, slice(edge, 1 if edge == 0 else None))]] * count
            elif count:
                shape = (*a.shape[:k], count, *a.shape[k + 1 :])
                parts.append(METHODS["full"](shape, value, a.dtype))
        a = concatenate(parts, k)
    return a


@numpy_function(np.take)
@array_method("take")
def take(a: Any, indices: Any, axis: Any = None, **options: Any) -> Any:
    """Elements by index."""
    a = operand(a)
    if axis is None and a.ndim > 1:
        return flat(a, a.ndim)[indices]
    return rearranged_take(a, indices, axes_of(axis or 0, a.ndim)[0])


def rearranged_take(a: Array, indices: Any, axis: int) -> Any:
    """Elements by index of a dimension."""
    if axis > 0:
        return mapped(lambda row: rearranged_take(row, indices, axis - 1), [a])
    return a[indices]
