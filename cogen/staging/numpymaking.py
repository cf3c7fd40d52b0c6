"""NumPy's functions that make staged arrays: zeros, ranges, literals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import REAL
from cogen.staging.complexelementwise import known_result
from cogen.staging.numpyelementwise import astype
from cogen.staging.numpytable import CREATING, FUNCTIONS, numpy_function, operand, plain_only
from cogen.staging.sourceplaces import cannot
from cogen.staging.stagedarrays import METHODS, Array, as_array, named
from cogen.staging.stagedcomplex import (
    ComplexArray,
    ComplexValue,
    as_complex,
    complex_of,
    holds_complex,
    is_complex,
    is_complex_dtype,
    parts_of_number,
)
from cogen.staging.stagedconstants import KINDS
from cogen.staging.stagedlists import OPERATIONS, StagedList
from cogen.staging.stagedreading import integer, iota
from cogen.staging.stagedrecords import Records
from cogen.staging.stagedscalars import Scalar, Staged, apply, as_type, join, scalar
from cogen.staging.tracer import current
from cogen.staging.wholearrays import converted, elementwise, mapped


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
        return known_result(np.full(sizes, value, dtype))
    if is_complex(value) or is_complex_dtype(dtype):
        return complex_of(*[full(shape, part) for part in parts_of_number(as_complex(value))])
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
        if not isinstance(a, Array | ComplexArray):
            a = as_array(np.array(operand(a)))
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


@numpy_function(np.full_like)
def full_like(a: Any, value: Any, dtype: Any = None, **options: Any) -> Any:
    """An array of one number, with the shape of another."""
    a = a if isinstance(a, ComplexArray) else operand(a)
    return full(a.shape, value, a.dtype if dtype is None else dtype)


CREATING[np.full_like] = full_like


def arange(*given: Any, dtype: Any = None, **options: Any) -> Any:
    """Numbers from a start to a stop."""
    if len(given) == 4:
        *bounds, dtype = given
        return arange(*bounds, dtype=dtype)
    if _is_known(given):
        return known_result(np.arange(*given, dtype=dtype))
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
        return known_result(np.linspace(start, stop, num, endpoint, **options))
    plain_only(**options)
    parts = apply("maximum", num - 1, 1) if endpoint else num
    step = (stop - start) * 1.0 / parts
    found = elementwise(lambda k: start + k * step, [iota(num)])
    return found


CREATING[np.linspace] = linspace


def array(values: Any, dtype: Any = None, ndmin: Any = 0, **options: Any) -> Any:
    """An array of given elements, of at least so many dimensions."""
    found = _array(values, dtype)
    more = ndmin - np.ndim(found) if ndmin else 0
    return found[(None,) * more] if more > 0 else found


def _array(values: Any, dtype: Any) -> Any:
    if isinstance(values, StagedList) and not values.is_known:
        found = OPERATIONS["array"](values)
    elif isinstance(values, Array | Records):
        found = METHODS["copy"](values)
    elif isinstance(values, ComplexValue):
        return values.astype(complex if dtype is None else dtype)
    elif _is_known(values):
        made = np.array(values, dtype)
        return known_result(made) if made.dtype.kind in (*KINDS, "c") else made
    elif holds_complex(values):
        return complex_of(*[_array(part, float) for part in _literal_parts(list(values))])
    elif isinstance(values, Scalar):
        return values if dtype is None else values.astype(dtype)
    else:
        found = _literal(list(values))
    return found if dtype is None else astype(found, dtype)


def _literal_parts(values: list[Any]) -> tuple[list[Any], list[Any]]:
    """The real and the imaginary parts of the elements of an array literal."""
    pairs = [_literal_parts(list(v)) if isinstance(v, list | tuple) else parts_of_number(v)
             for v in values]  # fmt: skip
    return [real for real, _ in pairs], [imag for _, imag in pairs]


def _literal(values: list[Any]) -> Array:
    """An array literal."""
    rows_ = [_literal(list(v)) if isinstance(v, list | tuple) else operand(v) for v in values]
    if any(isinstance(v, Array) for v in rows_):
        parts = [as_array(v) for v in rows_]
        t = join([a.element for a in parts])
        parts = [converted(a, t) for a in parts]
        e = tree.ArrayExpression(current().place, tuple([a.expression() for a in parts]))
        found = named(e, t, parts[0].ndim + 1)
    else:
        numbers = [scalar(v) for v in rows_]
        t = join([s.type for s in numbers])
        e = tree.ArrayExpression(current().place, tuple([as_type(s, t) for s in numbers]))
        found = named(e, t, 1)
    found._dims[0] = len(values)
    return found


def asarray(values: Any, dtype: Any = None, **options: Any) -> Any:
    """An array as it is, or one of given elements."""
    if isinstance(values, Array | Records | ComplexArray) and (
        dtype is None or np.dtype(dtype) == values.dtype
    ):
        return values
    return array(values, dtype)


CREATING.update({np.array: array, np.asarray: asarray, np.ascontiguousarray: asarray})


METHODS["array"] = array


def eye(n: Any, m: Any = None, k: Any = 0, dtype: Any = float, **options: Any) -> Any:
    """Ones on a diagonal."""
    if _is_known((n, m, k)):
        return known_result(np.eye(n, m, k, dtype))
    columns = n if m is None else m
    found = mapped(
        lambda i: mapped(lambda j: scalar((j - i) == k).astype(dtype), [iota(columns)]), [iota(n)]
    )
    return found


def identity(n: Any, dtype: Any = float, **options: Any) -> Any:
    """A square matrix of ones on the diagonal."""
    return eye(n, dtype=dtype)


CREATING.update({np.eye: eye, np.identity: identity})


METHODS["eye"] = eye
