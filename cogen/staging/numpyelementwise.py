"""NumPy's elementwise functions of staged arrays: ufuncs, their methods, `where` and the like."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cogen.array.l0.types import BOOL
from cogen.staging import stagedscalars as scalars
from cogen.staging.complexelementwise import chosen_elements, complex_computed
from cogen.staging.dtypes import type_of_dtype
from cogen.staging.numpyproducts import matmul, ufunc_at
from cogen.staging.numpyreductions import reduction, running
from cogen.staging.numpyshaping import copy
from cogen.staging.numpytable import array_method, numpy_function, operand, plain_only
from cogen.staging.scalaroperations import select
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array, as_array, known
from cogen.staging.stagedcomplex import (
    ComplexArray,
    as_complex,
    holds_complex,
    is_complex,
    is_complex_dtype,
)
from cogen.staging.stagedreading import flat, iota
from cogen.staging.stagedscalars import (
    DTYPES,
    FUNCTION_HANDLER,
    OPERATIONS,
    Scalar,
    apply,
    join,
    scalar,
)
from cogen.staging.wholearrays import elementwise, filtered, mapped


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
    of_complex = any(map(holds_complex, inputs))
    if name == "matmul":
        found = FUNCTION_HANDLER[0](np.matmul, inputs, {}) if of_complex else matmul(*inputs)
    elif name == "divmod":
        found = ufunc(np.floor_divide, method, inputs, {}), ufunc(np.remainder, method, inputs, {})
    elif of_complex:
        found = complex_computed(name, inputs)
    else:
        found = _computed(name, [operand(x) for x in inputs])
    if dtype is not None:
        found = found.astype(dtype)
    if out is None:
        return found
    (target,) = out if isinstance(out, tuple) else (out,)
    if not isinstance(target, Array | ComplexArray):
        fail(
            "an array that is known while staging is assigned to, with what only a run knows",
            "make a copy in the function first: np.array(a)",
        )
    _check_casting(name, found, target)
    target[...] = found
    return target


def _check_casting(name: str, found: Any, target: Any) -> None:
    if isinstance(target, ComplexArray):
        return
    if is_complex(found):
        fail(
            f"np.{name} in place would make an array of {DTYPES[target.element]} one of complex128",
            "NumPy refuses that, too: x = x + y, or start with np.zeros(n, complex)",
        )
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


def _by_method(name: str, method: str, inputs: Any, options: Any) -> Any:
    """`np.add.reduce`, `np.maximum.accumulate`, `np.add.at` and the like."""
    if holds_complex(list(inputs)):
        return _by_method_of_complex(name, method, inputs, options)
    axis = options.pop("axis", 0)
    if method == "reduce":
        if options.get("where") is True:
            del options["where"]
        keepdims, initial = options.pop("keepdims", False), options.pop("initial", None)
        plain_only(**options)
        return reduction(name, inputs[0], axis, keepdims, initial)
    plain_only(**options)
    if method == "accumulate":
        return running(name, inputs[0], axis)
    if method == "reduceat":
        return REDUCED_AT[0](name, *inputs)
    if method == "outer":
        a, b = (operand(x) for x in inputs)
        return mapped(lambda x: elementwise(lambda y: apply(name, x, y, elements=True), [b]), [a])
    if method == "at" and len(inputs) == 3:
        target, indices, values = inputs
        return ufunc_at(name, target, as_array(indices), values)
    cannot(f"np.{name}.{method} is not staged")


REDUCED_AT: Final[list[Any]] = []
"""What `reduceat` does; set where conditionals are."""

_OF_COMPLEX: Final = {
    ("add", "reduce"): np.sum, ("add", "accumulate"): np.cumsum,
    ("multiply", "reduce"): np.prod, ("multiply", "accumulate"): np.cumprod,
    ("multiply", "outer"): np.outer,
}  # fmt: skip


def _by_method_of_complex(name: str, method: str, inputs: Any, options: Any) -> Any:
    """The methods that functions of complex numbers have."""
    whole = _OF_COMPLEX.get((name, method))
    if whole is None:
        cannot(f"np.{name}.{method} of complex numbers is not staged", "write a `for` loop")
    if method != "outer":
        options.setdefault("axis", 0)
    return FUNCTION_HANDLER[0](whole, inputs, options)


@numpy_function(np.where)
def where(test: Any, *values: Any) -> Any:
    """`x` where the test holds, else `y`; or the indices where it holds."""
    if not values:
        return nonzero(test)
    a, b = values
    if any(map(holds_complex, (test, a, b))):
        return chosen_elements(test, a, b)
    return elementwise(select, [operand(test), operand(a), operand(b)])


@numpy_function(np.nonzero)
@array_method("nonzero")
def nonzero(a: Any) -> Any:
    """The indices of what is not 0, in each dimension."""
    a = operand(a)
    if a.ndim < 2:
        return (flatnonzero(a),)
    rest = flatnonzero(flat(a, a.ndim))
    found = []
    for n in reversed(a.shape):
        found.append(rest % n)
        rest = rest // n
    return tuple(reversed(found))


@numpy_function(np.flatnonzero)
def flatnonzero(a: Any) -> Any:
    """Where what is not 0 is, of all elements."""
    a = operand(a)
    a = flat(a, a.ndim)
    mask = a if a.element == BOOL else a != 0
    return filtered(lambda keep, i: keep, [mask, iota(a.size_of(0))])[1]


@numpy_function(np.clip)
@array_method("clip")
def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **options: Any) -> Any:
    """The elements, within bounds."""
    low = options.pop("min", a_min)
    high = options.pop("max", a_max)
    plain_only(**options)
    found = operand(a)
    if low is not None:
        found = np.maximum(found, low)
    if high is not None:
        found = np.minimum(found, high)
    if out is not None:
        out[...] = found
    return found


@numpy_function(np.round, np.around)
@array_method("round")
def round_(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """The nearest whole numbers."""
    plain_only(out=out)
    found = operand(a)
    if decimals and found.dtype == np.float64:
        if not isinstance(decimals, int):
            cannot("only a known number of digits is rounded to", "annotate it with cogen.static")
        ten = 10.0 ** abs(decimals)
        return np.rint(found * ten) / ten if decimals > 0 else np.rint(found / ten) * ten
    if not isinstance(decimals, int) or decimals < 0:
        cannot("ints are not rounded to tens", "np.rint(x / 10) * 10")
    return np.rint(found) if found.dtype == np.float64 else found * 1


@numpy_function(np.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """Whether numbers are nearly the same."""
    a, b = operand(a), operand(b)
    near = np.less_equal(np.absolute(a - b), atol + rtol * np.absolute(b))
    found = (near & np.isfinite(b)) | np.equal(a, b)
    return found | (np.isnan(a) & np.isnan(b)) if equal_nan else found


@numpy_function(np.allclose)
def allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """Whether all numbers are nearly the same."""
    return np.all(isclose(a, b, rtol, atol, equal_nan))


@numpy_function(np.real_if_close, np.real)
def real(a: Any) -> Any:
    """The numbers themselves."""
    return a


@numpy_function(np.imag)
def imag(a: Any) -> Any:
    """The imaginary parts, which are zeros."""
    a = operand(a)
    return METHODS["full"](a.shape, 0, a.dtype) if isinstance(a, Array) else 0


@array_method("conjugate", "conj")
def conjugate(a: Any) -> Any:
    """The numbers themselves."""
    return copy(a)


@array_method("astype")
def astype(a: Any, dtype: Any, **options: Any) -> Any:
    """The elements as another type, as a new array."""
    if is_complex_dtype(dtype):
        return as_complex(copy(a))
    t, wrapped = type_of_dtype(dtype)
    if a.known is not None:
        return known(a.known.astype(dtype))
    if t == a.element and wrapped is None:
        return copy(a)
    return elementwise(lambda x: scalar(x).astype(dtype), [a])
