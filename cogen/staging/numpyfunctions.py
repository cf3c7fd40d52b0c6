"""NumPy's functions of staged arrays, by their names: what its protocols and methods call.

Elementwise functions (ufuncs) go through `ufunc`, the others through `FUNCTIONS`; `CREATING` are
those that make arrays, of which staged code calls ours (`cogen.staging.calls`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cogen.array.forms.values import Number
from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, INT, REAL, Basic
from cogen.staging import scalars
from cogen.staging.arrays import (
    KINDS,
    METHODS,
    Array,
    Records,
    View,
    as_array,
    known,
    named,
)
from cogen.staging.indexing import broadcast, flat, integer, iota, rows
from cogen.staging.places import cannot, fail
from cogen.staging.scalars import (
    DTYPES,
    FUNCTION_HANDLER,
    OPERATIONS,
    UFUNC_HANDLER,
    Scalar,
    Staged,
    apply,
    as_type,
    bind,
    constant,
    expression,
    is_number,
    join,
    op,
    require,
    scalar,
    select,
)
from cogen.staging.soacs import (
    bound,
    converted,
    elementwise,
    extension,
    filtered,
    folded,
    function_of,
    mapped,
)
from cogen.staging.tracer import current

FUNCTIONS: Final[dict[Any, Callable[..., Any]]] = {}
"""NumPy's functions, with what does the same to staged values."""

CREATING: Final[dict[Any, Callable[..., Any]]] = {}
"""Functions that make arrays, which the program may assign to."""


def operand(x: Any) -> Any:
    """An operand of an elementwise function."""
    if isinstance(x, Scalar | Array) or is_number(x):
        return x
    if isinstance(x, np.ndarray):
        return as_array(x) if x.ndim else x[()]
    if isinstance(x, list | tuple):
        return METHODS["array"](x)
    if isinstance(x, str) and len(x) == 1:
        return scalar(x)
    if isinstance(x, complex):
        cannot("array programs have no complex numbers", "write the parts as two numbers")
    if isinstance(x, Records):
        fail("an array of records has no arithmetic", "take a field: a['name']")
    fail(f"a value of type {type(x).__name__} has no arithmetic with staged values")


def ufunc(function: Any, method: str, inputs: Any, options: Any) -> Any:
    """An elementwise function of NumPy's, or a reduction by one."""
    name = function.__name__
    if method != "__call__":
        return _by_method(name, method, inputs, options)
    out = options.pop("out", None)
    where = options.pop("where", True)
    if where is not True or any(options.get(k) is not None for k in ("axis", "axes")):
        cannot(f"np.{name} with `where` is not staged", "np.where(test, f(x), y)")
    options.pop("casting", None)
    dtype = options.pop("dtype", None)
    if name == "matmul":
        found = dot(*inputs)
    elif name == "divmod":
        found = ufunc(np.floor_divide, method, inputs, {}), ufunc(np.remainder, method, inputs, {})
    else:
        found = _computed(name, [operand(x) for x in inputs])
    if dtype is not None:
        found = found.astype(dtype)
    if out is None:
        return found
    (target,) = out if isinstance(out, tuple) else (out,)
    if not isinstance(target, Array):
        fail(
            "an array that is known while staging is assigned to, with what only a run knows",
            "make a copy in the function first: np.array(a)",
        )
    _check_casting(name, found, target)
    target[...] = found
    return target


def _check_casting(name: str, found: Any, target: Array) -> None:
    element = found.element if isinstance(found, Array) else scalar(found).type
    if join([element, target.element]) != target.element:
        fail(
            f"np.{name} in place would make an array of {DTYPES[target.element]} one of "
            f"{DTYPES[element]}",
            "NumPy refuses that, too: x = x + y, or start with floats",
        )


def _computed(name: str, operands: list[Any]) -> Any:
    arrays = [x for x in operands if isinstance(x, Array)]
    if not any(isinstance(x, Scalar) for x in operands) and all(
        a.known is not None for a in arrays
    ):
        found = getattr(np, name)(*[x.known if isinstance(x, Array) else x for x in operands])
        return known(found) if isinstance(found, np.ndarray) else found
    if name not in OPERATIONS:
        cannot(f"np.{name} is not there in array programs", scalars.HINTS.get(name))
    if not arrays:
        return OPERATIONS[name]([scalar(x) for x in operands], True)

    def step(*given: Any) -> Any:
        return OPERATIONS[name]([scalar(x) for x in given], True)

    return elementwise(step, operands)


_NEUTRAL: Final[dict[str, Any]] = {
    "add": 0, "multiply": 1, "logical_and": True, "logical_or": False, "bitwise_and": -1,
    "bitwise_or": 0, "bitwise_xor": 0,
}  # fmt: skip


def _by_method(name: str, method: str, inputs: Any, options: Any) -> Any:
    """`np.add.reduce`, `np.maximum.accumulate`, `np.add.at` and the like."""
    if method == "reduce":
        return reduction(name, inputs[0], options.get("axis", 0), options.get("keepdims", False))
    if method == "accumulate":
        return running(name, inputs[0], options.get("axis", 0))
    if method == "outer":
        a, b = (operand(x) for x in inputs)
        return mapped(lambda x: elementwise(lambda y: apply(name, x, y, elements=True), [b]), [a])
    if method == "at" and name == "add":
        target, indices, values = inputs
        return add_at(target, as_array(indices), values)
    cannot(f"np.{name}.{method} is not staged")


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


# Reductions.


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
    axes = _axes(axis, a.ndim)
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
    says = scalars.text("an array without elements has no least and no greatest")
    require(op("<", constant(0), integer(a.size_of(dimension))), says)


def _kept(found: Any, axes: Sequence[int], ndim: int) -> Any:
    index = tuple([None if k in axes else slice(None) for k in range(ndim)])
    if not isinstance(found, Array):
        return METHODS["full"]((1,) * ndim, found)
    return found[index]


def _axes(axis: Any, ndim: int) -> list[int]:
    if axis is None:
        return list(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    if any(isinstance(k, Staged) for k in given):
        cannot("an axis must be known", "annotate it with cogen.static")
    for k in given:
        if not -ndim <= k < ndim:
            fail(f"axis {k} is out of bounds of an array of {ndim} dimensions")
    return [int(k) % ndim for k in given]


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
    return folded(
        "reduce", lambda x, y: apply(name, x, y, elements=True), _neutral(name, a.element), [a]
    )


def running(name: str, a: Any, axis: Any = None) -> Any:
    """All reductions of beginnings."""
    a = operand(a)
    if a.known is not None:
        return known(getattr(np, name).accumulate(a.known, axis=axis or 0))
    a = _counted(name, a)
    if axis is None and a.ndim > 1:
        a, axis = flat(a, a.ndim), 0
    (k,) = _axes(axis or 0, a.ndim)

    def scan(row: Array) -> Any:
        return folded("scan", lambda x, y: apply(name, x, y, elements=True),
                      _neutral(name, row.element), [row])  # fmt: skip

    if k == a.ndim - 1:
        return _innermost(a, scan)
    order = [d for d in range(a.ndim) if d != k] + [k]
    back = [order.index(d) for d in range(a.ndim)]
    return rearranged(_innermost(rearranged(a, tuple(order)), scan), tuple(back))


def _function(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def note(f: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            FUNCTIONS[function] = f
        return f

    return note


def _method(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def note(f: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            METHODS[name] = f
        return f

    return note


def _reducer(name: str) -> Callable[..., Any]:
    def reduce(a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
               keepdims: Any = False, initial: Any = None, **options: Any) -> Any:  # fmt: skip
        _plain(out=out, **options)
        if dtype is not None:
            a = operand(a).astype(dtype)
        return reduction(name, a, axis, keepdims, initial)

    return reduce


def _plain(**options: Any) -> None:
    for name, value in options.items():
        if value is not None and value is not np._NoValue:
            cannot(f"`{name}` is not staged here")


for _names, _ufunc in (
    (("sum",), "add"), (("prod",), "multiply"), (("max", "amax"), "maximum"),
    (("min", "amin"), "minimum"), (("any",), "logical_or"), (("all",), "logical_and"),
):  # fmt: skip
    for _name in _names:
        FUNCTIONS[getattr(np, _name)] = METHODS[_name] = _reducer(_ufunc)


def count_of(a: Array, axis: Any) -> Any:
    """How many elements a reduction goes through."""
    found: Any = 1
    for k in _axes(axis, a.ndim):
        found = found * a.size_of(k)
    return found


@_function(np.mean)
@_method("mean")
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
         **options: Any) -> Any:  # fmt: skip
    """The mean, a float."""
    _plain(out=out, **options)
    a = converted(operand(a), REAL)
    return reduction("add", a, axis, keepdims) / count_of(a, axis)


@_function(np.var)
@_method("var")
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
        keepdims: Any = False, **options: Any) -> Any:  # fmt: skip
    """The mean square distance from the mean."""
    _plain(out=out, **options)
    a = converted(operand(a), REAL)
    away = a - mean(a, axis, keepdims=axis is not None)
    return reduction("add", away * away, axis, keepdims) / (count_of(a, axis) - ddof)


@_function(np.std)
@_method("std")
def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
        keepdims: Any = False, **options: Any) -> Any:  # fmt: skip
    """The root of the variance."""
    return np.sqrt(var(a, axis, dtype, out, ddof, keepdims, **options))


@_function(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """How many elements are not 0."""
    return reduction("add", operand(a) != 0 if operand(a).element != BOOL else a, axis, keepdims)


@_function(np.ptp)
def ptp(a: Any, axis: Any = None, **options: Any) -> Any:
    """The greatest element less the smallest."""
    return reduction("maximum", a, axis) - reduction("minimum", a, axis)


def _arg(smaller: bool) -> Callable[..., Any]:
    def arg(a: Any, axis: Any = None, out: Any = None, **options: Any) -> Any:
        _plain(out=out, **options)
        a = operand(a)
        if a.element == BOOL:
            a = converted(a, INT)
        if axis is None:
            a = flat(a, a.ndim)
        (k,) = _axes(0 if axis is None else axis, a.ndim)
        _some(a, k)
        return _along(a, k, lambda row: _position(row, smaller))

    return arg


def _position(a: Array, smaller: bool) -> Any:
    """The index of the first extreme element; a nan is one."""
    name = "minimum" if smaller else "maximum"
    size = a.size_of(0)

    def better(x: Any, y: Any) -> Any:
        (v, i), (w, j) = x, y
        beats = (w < v) if smaller else (v < w)
        if a.element == REAL:
            beats = beats | (np.isnan(w) & ~np.isnan(v))
            ties = (v == w) | (np.isnan(v) & np.isnan(w))
        else:
            ties = v == w
        takes = beats | (ties & (j < i))
        return select(takes, w, v), select(takes, j, i)

    return folded("reduce", better, (_neutral(name, a.element), size), [a, iota(size)])[1]


for _name, _smaller in (("argmax", False), ("argmin", True)):
    FUNCTIONS[getattr(np, _name)] = METHODS[_name] = _arg(_smaller)


def _runner(name: str) -> Callable[..., Any]:
    def run(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        _plain(out=out)
        a = operand(a)
        return running(name, a if dtype is None else a.astype(dtype), axis)

    return run


FUNCTIONS[np.cumsum] = METHODS["cumsum"] = _runner("add")
FUNCTIONS[np.cumprod] = METHODS["cumprod"] = _runner("multiply")


# Elementwise.


@_function(np.where)
def where(test: Any, *values: Any) -> Any:
    """`x` where the test holds, else `y`; or the indices where it holds."""
    if not values:
        return nonzero(test)
    a, b = values
    return elementwise(select, [operand(test), operand(a), operand(b)])


@_function(np.nonzero)
@_method("nonzero")
def nonzero(a: Any) -> Any:
    """The indices of what is not 0."""
    return (flatnonzero(a),)


@_function(np.flatnonzero)
def flatnonzero(a: Any) -> Any:
    """The indices of what is not 0, of an array of one dimension."""
    a = operand(a)
    if a.ndim != 1:
        cannot("indices of what is not 0 are those of arrays of one dimension", "a.ravel()")
    mask = a if a.element == BOOL else a != 0
    return filtered(lambda keep, i: keep, [mask, iota(a.size_of(0))])[1]


@_function(np.clip)
@_method("clip")
def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **options: Any) -> Any:
    """The elements, within bounds."""
    low = options.pop("min", a_min)
    high = options.pop("max", a_max)
    _plain(**options)
    found = operand(a)
    if low is not None:
        found = np.maximum(found, low)
    if high is not None:
        found = np.minimum(found, high)
    if out is not None:
        out[...] = found
    return found


@_function(np.round, np.around)
@_method("round")
def round_(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """The nearest whole numbers."""
    _plain(out=out)
    if decimals:
        cannot("staged values are rounded to whole numbers", "np.rint(x * 100) / 100")
    return np.rint(a)


@_function(np.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """Whether numbers are nearly the same."""
    near = np.less_equal(np.absolute(a - b), atol + rtol * np.absolute(b))
    return near | np.equal(a, b)


@_function(np.real_if_close, np.real)
def real(a: Any) -> Any:
    """The numbers themselves."""
    return a


@_method("astype")
def astype(a: Any, dtype: Any, **options: Any) -> Any:
    """The elements as another type, as a new array."""
    t, wrapped = scalars.type_of_dtype(dtype)
    if a.known is not None:
        return known(a.known.astype(dtype))
    if t == a.element and wrapped is None:
        return copy(a)
    return elementwise(lambda x: scalar(x).astype(dtype), [a])


# Whole arrays.


@_function(np.copy)
@_method("copy", "__copy__")
def copy(a: Any, order: Any = None, **options: Any) -> Any:
    """A new array with the same elements."""
    if isinstance(a, Records):
        return Records({n: copy(f) for n, f in a.fields.items()})
    if a.known is not None:
        return known(a.known)
    found = Array(a.source(), a.element, a.ndim, None, a.ones, tuple(a._dims))
    return found


@_method("tolist")
def tolist(a: Array) -> Any:
    """The elements as a list, where they are known."""
    if a.known is not None:
        return a.known.tolist()
    fail("only a run knows the elements", "return the array")


@_method("item")
def item(a: Array, *index: Any) -> Any:
    """An element."""
    return a[index] if index else a[(0,) * a.ndim]


@_method("fill")
def fill(a: Array, value: Any) -> None:
    """Assign a number to all elements."""
    a[...] = value


@_function(np.shape)
def shape(a: Any) -> Any:
    """The sizes."""
    return operand(a).shape


@_function(np.size)
def size(a: Any, axis: Any = None) -> Any:
    """How many elements there are."""
    a = operand(a)
    return a.size if axis is None else a.size_of(_axes(axis, a.ndim)[0])


@_function(np.ndim)
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


@_function(np.transpose)
@_method("transpose")
def transpose(a: Any, *axes: Any) -> Any:
    """The dimensions in another order, in reverse if none is said."""
    a = operand(a)
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list)):
        axes = tuple(axes[0] or ())
    order = _axes(tuple(axes), a.ndim) if axes else list(reversed(range(a.ndim)))
    if sorted(order) != list(range(a.ndim)):
        fail("the axes must be each dimension once")
    return rearranged(a, tuple(order))


@_function(np.swapaxes)
@_method("swapaxes")
def swapaxes(a: Any, first: Any, second: Any) -> Any:
    """Two dimensions change places."""
    order = list(range(operand(a).ndim))
    i, j = _axes((first, second), len(order))
    order[i], order[j] = j, i
    return rearranged(operand(a), tuple(order))


@_function(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """A dimension moves."""
    a = operand(a)
    (i,), (j,) = _axes(source, a.ndim), _axes(destination, a.ndim)
    order = [k for k in range(a.ndim) if k != i]
    order.insert(j, i)
    return rearranged(a, tuple(order))


@_function(np.reshape)
@_method("reshape")
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


@_function(np.ravel)
@_method("ravel")
def ravel(a: Any, order: Any = "C") -> Any:
    """All elements in one dimension."""
    return reshape(a, -1)


@_method("flatten")
def flatten(a: Any, order: Any = "C") -> Any:
    """All elements in one dimension, as a new array."""
    return copy(reshape(a, -1).now()) if operand(a).known is None else known(a.known.flatten())


@_function(np.squeeze)
@_method("squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """The array without dimensions of size 1."""
    a = operand(a)
    if axis is None:
        axes = [k for k in range(a.ndim) if a.ones[k] or a._dims[k] == 1]
    else:
        axes = _axes(axis, a.ndim)
    return a[tuple([0 if k in axes else slice(None) for k in range(a.ndim)])] if axes else a


@_function(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Any:
    """The array with one more dimension, of size 1."""
    a = operand(a)
    (k,) = _axes(axis, a.ndim + 1)
    return a[(*[slice(None)] * k, None)]


@_function(np.broadcast_to)
def broadcast_to(a: Any, shape: Any) -> Any:
    """The elements, as often as a shape says."""
    like = METHODS["zeros"](shape)
    return elementwise(lambda x, y: x, [operand(a), like])


@_function(np.concatenate)
def concatenate(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Any:
    """Arrays one after the other."""
    _plain(out=out)
    given = [operand(a) for a in arrays]
    if axis is None:
        given, axis = [flat(a, a.ndim) for a in given], 0
    t = join([a.element for a in given])
    (k,) = _axes(axis, given[0].ndim)
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


@_function(np.hstack)
def hstack(arrays: Any, **options: Any) -> Any:
    """Arrays side by side."""
    given = [operand(a) for a in arrays]
    return concatenate(given, 0 if given[0].ndim == 1 else 1)


@_function(np.vstack)
def vstack(arrays: Any, **options: Any) -> Any:
    """Arrays one below the other."""
    return concatenate([a if a.ndim > 1 else a[None] for a in map(operand, arrays)], 0)


@_function(np.stack)
def stack(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Any:
    """Arrays as the rows of a new one."""
    _plain(out=out)
    given = list(arrays) if not isinstance(arrays, Array) else [arrays]
    return concatenate([expand_dims(a, axis) for a in given], axis)


@_function(np.split, np.array_split)
def split(a: Any, sections: Any, axis: Any = 0) -> Any:
    """Parts of an array."""
    a = operand(a)
    if isinstance(sections, int):
        width = a.size_of(0) // sections
        require(op("=", integer(width * sections), integer(a.size_of(0))))
        return [a[k * width : (k + 1) * width] for k in range(sections)]
    bounds = [0, *sections]
    return [a[i:j] for i, j in zip(bounds, [*sections, None], strict=True)]


@_function(np.flip)
def flip(a: Any, axis: Any = None) -> Any:
    """The elements in reverse order."""
    a = operand(a)
    axes = _axes(axis, a.ndim)
    return a[tuple([slice(None, None, -1) if k in axes else slice(None) for k in range(a.ndim)])]


@_function(np.roll)
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
    (k,) = _axes(axis, a.ndim)
    if k > 0:
        return mapped(lambda row: roll(row, shift, k - 1), [a])
    size = a.size_of(0)

    def step(i: Any) -> Any:
        j = (i - shift) % size
        return a[j] if a.ndim == 1 else rows(a, [j])

    return mapped(step, [iota(size)])


@_function(np.diff)
def diff(a: Any, n: Any = 1, axis: Any = -1, **options: Any) -> Any:
    """Differences of neighbours."""
    a = operand(a)
    (k,) = _axes(axis, a.ndim)
    for _ in range(n):
        before = (*[slice(None)] * k, slice(None, -1))
        after = (*[slice(None)] * k, slice(1, None))
        a = a[after] - a[before]
    return a


@_function(np.pad)
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


@_function(np.take)
@_method("take")
def take(a: Any, indices: Any, axis: Any = None, **options: Any) -> Any:
    """Elements by index."""
    a = operand(a)
    if axis is None and a.ndim > 1:
        return flat(a, a.ndim)[indices]
    return rearranged_take(a, indices, _axes(axis or 0, a.ndim)[0])


def rearranged_take(a: Array, indices: Any, axis: int) -> Any:
    """Elements by index of a dimension."""
    if axis > 0:
        return mapped(lambda row: rearranged_take(row, indices, axis - 1), [a])
    return a[indices]


@_function(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """All products."""
    return np.multiply(operand(a)[:, None], operand(b)[None, :])


@_function(np.dot)
@_method("dot")
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


@_function(np.trace)
def trace(a: Any, **options: Any) -> Any:
    """The sum of the diagonal."""
    return reduction("add", mapped(lambda i: a[i, i], [iota(a.size_of(0))]))


@_function(np.bincount)
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


@_function(np.searchsorted)
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """Where values belong in a sorted array: how many elements come before."""
    _plain(sorter=sorter)
    a = operand(a)

    def place(x: Any) -> Any:
        before = (lambda y: y < x) if side == "left" else (lambda y: y <= x)
        return reduction("add", elementwise(before, [a]))

    return elementwise(place, [operand(v)])


@_function(np.unique, np.sort, np.argsort, np.median, np.percentile, np.quantile)
def unsorted(*given: Any, **options: Any) -> Any:
    """What would have to sort."""
    cannot("array programs do not sort", "cogen.distinct and cogen.group_by need no order")


# Making arrays.


def _shape(sizes: Any) -> tuple[Any, ...]:
    return tuple(sizes) if isinstance(sizes, tuple | list) else (sizes,)


def _is_known(x: Any) -> bool:
    if isinstance(x, tuple | list):
        return all(_is_known(part) for part in x)
    return not isinstance(x, Staged)


def full(shape: Any, value: Any, dtype: Any = None, **options: Any) -> Any:
    """An array of one number."""
    sizes = _shape(shape)
    if _is_known(sizes) and _is_known(value):
        return known(np.full(sizes, value, dtype))
    if isinstance(value, Array | np.ndarray | list):
        return elementwise(lambda x, y: x, [operand(value), full(sizes, 0)])
    found = scalar(value)
    if dtype is not None:
        found = found.astype(dtype)
    e = as_type(found, found.type)
    for n in reversed(sizes):
        e = tree.Form(current().place, "replicate", (integer(n), e))
    made = named(e, found.type, len(sizes))
    made._dims = list(sizes)
    made.ones = tuple([isinstance(n, int) and n == 1 for n in sizes])
    return made


METHODS["full"] = full


def _filled(value: Any) -> Callable[..., Any]:
    def make(shape: Any, dtype: Any = float, **options: Any) -> Any:
        dtype = float if dtype is None else dtype
        return full(shape, np.dtype(dtype).type(value).item(), dtype)

    return make


def _like(value: Any) -> Callable[..., Any]:
    def make(a: Any, dtype: Any = None, shape: Any = None, **options: Any) -> Any:
        if isinstance(a, Records):
            return Records({n: make(f) for n, f in a.fields.items()})
        a = operand(a)
        if not isinstance(a, Array):
            a = as_array(np.array(a))
        kind = a.dtype if dtype is None else np.dtype(dtype)
        return full(a.shape if shape is None else shape, kind.type(value).item(), kind)

    return make


METHODS["zeros"] = _filled(0)
_MAKING: Final[tuple[tuple[Any, Callable[..., Any]], ...]] = (
    (np.zeros, _filled(0)), (np.empty, _filled(0)), (np.ones, _filled(1)), (np.full, full),
    (np.zeros_like, _like(0)), (np.empty_like, _like(0)), (np.ones_like, _like(1)),
)  # fmt: skip
CREATING.update(_MAKING)
FUNCTIONS.update({np.zeros_like: _like(0), np.ones_like: _like(1), np.empty_like: _like(0)})


@_function(np.full_like)
def full_like(a: Any, value: Any, dtype: Any = None, **options: Any) -> Any:
    """An array of one number, with the shape of another."""
    a = operand(a)
    return full(a.shape, value, a.dtype if dtype is None else dtype)


CREATING[np.full_like] = full_like


def arange(*given: Any, dtype: Any = None, **options: Any) -> Any:
    """Numbers from a start to a stop."""
    if _is_known(given):
        return known(np.arange(*given, dtype=dtype))
    start, stop, step = (0, given[0], 1) if len(given) == 1 else (*given, 1)[:3]
    if isinstance(step, Staged):
        cannot("the step of np.arange must be known", "annotate it with cogen.static")
    reals = any((isinstance(x, Scalar) and x.type == REAL) or isinstance(x, float)
                for x in (start, stop, step))  # fmt: skip
    if reals:
        count: Any = np.ceil((stop - start) / step).astype(int)
    else:
        distance = stop - start if step > 0 else start - stop
        count = distance if abs(step) == 1 else (distance + (abs(step) - 1)) // abs(step)
    count = apply("maximum", count, 0)
    found = iota(count)
    if not (isinstance(start, int) and start == 0 and step == 1):
        found = elementwise(lambda k: start + k * step, [found])
        found._dims = [count]
    return found if dtype is None else astype(found, dtype)


CREATING[np.arange] = arange


def linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, **options: Any) -> Any:
    """Numbers at equal distances."""
    if _is_known((start, stop, num)):
        return known(np.linspace(start, stop, num, endpoint, **options))
    _plain(**options)
    parts = num - 1 if endpoint else num
    step = (stop - start) * 1.0 / parts
    found = elementwise(lambda k: start + k * step, [iota(num)])
    return found


CREATING[np.linspace] = linspace


def array(values: Any, dtype: Any = None, copy: Any = True, **options: Any) -> Any:
    """An array of given elements."""
    if isinstance(values, Array | Records):
        found = METHODS["copy"](values)
    elif _is_known(values):
        made = np.array(values, dtype)
        return known(made) if made.dtype.kind in KINDS and made.dtype.names is None else made
    elif isinstance(values, Scalar):
        return values if dtype is None else values.astype(dtype)
    else:
        found = _literal(list(values))
    return found if dtype is None else astype(found, dtype)


def _literal(values: list[Any]) -> Array:
    """An array literal."""
    rows_ = [_literal(list(v)) if isinstance(v, list | tuple) else operand(v) for v in values]
    if any(isinstance(v, Array) for v in rows_):
        parts = [as_array(v) for v in rows_]
        t = join([a.element for a in parts])
        parts = [converted(a, t) for a in parts]
        e = tree.Array(current().place, tuple([a.expression() for a in parts]))
        found = named(e, t, parts[0].ndim + 1)
    else:
        numbers = [scalar(v) for v in rows_]
        t = join([s.type for s in numbers])
        e = tree.Array(current().place, tuple([as_type(s, t) for s in numbers]))
        found = named(e, t, 1)
    found._dims[0] = len(values)
    return found


def asarray(values: Any, dtype: Any = None, **options: Any) -> Any:
    """An array as it is, or one of given elements."""
    if isinstance(values, Array | Records) and (dtype is None or np.dtype(dtype) == values.dtype):
        return values
    return array(values, dtype)


CREATING.update({np.array: array, np.asarray: asarray, np.ascontiguousarray: asarray})
METHODS["array"] = array


def eye(n: Any, m: Any = None, k: Any = 0, dtype: Any = float, **options: Any) -> Any:
    """Ones on a diagonal."""
    if _is_known((n, m, k)):
        return known(np.eye(n, m, k, dtype))
    columns = n if m is None else m
    found = mapped(
        lambda i: mapped(lambda j: scalar((j - i) == k).astype(dtype), [iota(columns)]), [iota(n)]
    )
    return found


CREATING.update({np.eye: eye, np.identity: eye})


def function(f: Any, args: Any, options: Any) -> Any:
    """A function of NumPy's that got a staged value."""
    found = FUNCTIONS.get(f) or CREATING.get(f)
    if found is None:
        if _is_known_deep(args):
            return f(*_as_known(args), **options)
        cannot(
            f"np.{f.__name__} is not staged",
            "docs/staging.md lists NumPy's functions that are; cogen.map and loops do the others",
        )
    return found(*args, **options)


def _is_known_deep(args: Any) -> bool:
    return all(not isinstance(x, Staged) or (isinstance(x, Array) and x.known is not None)
               for x in args)  # fmt: skip


def _as_known(args: Any) -> list[Any]:
    return [x.known if isinstance(x, Array) else x for x in args]


FUNCTION_HANDLER[0] = function
UFUNC_HANDLER[0] = ufunc

__all__ = ["CREATING", "FUNCTIONS", "bind", "bound", "expression", "function", "ufunc"]
