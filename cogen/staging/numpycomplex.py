"""NumPy's functions of staged arrays of complex numbers.

Those that only move elements or add them up are done part by part, products by four products of
parts; a function that is in none of these tables is refused.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cogen.staging import (
    numpyderived,
    numpyproducts,
    numpyreductions,
    numpyshaping,
)
from cogen.staging.numpyelementwise import where
from cogen.staging.numpytable import CREATING, FUNCTIONS, axes_of, plain_only
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array
from cogen.staging.stagedcomplex import (
    COMPLEX_METHODS,
    ComplexValue,
    as_complex,
    complex_of,
    holds_complex,
    is_complex,
    parts_of_number,
)
from cogen.staging.stagedscalars import Scalar, is_number
from cogen.staging.wholearrays import folded, mapped

COMPLEX_FUNCTIONS: Final[dict[Any, Callable[..., Any]]] = {}
"""NumPy's functions, with what does the same to staged complex numbers."""

FILLED_BEFORE: Final = (numpyderived, numpyproducts, numpyshaping)
"""Modules whose functions of reals do the parts."""


def complex_function(f: Any, args: Any, options: Any) -> Any:
    """A function of NumPy's that got complex numbers."""
    found = COMPLEX_FUNCTIONS.get(f) or CREATING.get(f)
    if found is None:
        cannot(
            f"np.{f.__name__} of complex numbers is not staged",
            "docs/staging.md lists what is; z.real and z.imag are arrays of reals",
        )
    return found(*args, **options)


def complex_numpy(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates what does the same as functions of NumPy's, which are methods, too."""

    def note(made: Callable[..., Any]) -> Callable[..., Any]:
        for f in functions:
            COMPLEX_FUNCTIONS[f] = made
            COMPLEX_METHODS[f.__name__] = made
        return made

    return note


# Part by part.


def _part(x: Any, which: int) -> Any:
    """A part of the numbers in an argument, which may be a list of arrays."""
    if isinstance(x, list | tuple):
        return type(x)([_part(y, which) for y in x])
    if isinstance(x, Array | np.ndarray | Scalar | ComplexValue) or is_complex(x) or is_number(x):
        return parts_of_number(as_complex(x))[which]
    return x


def by_parts(function: Any, data: Sequence[int] = (0,), words: Sequence[str] = ()) -> None:
    """A function that gives for complex numbers what it gives for each part; `data` and `words`
    are the arguments that are numbers, others say how."""
    own = FUNCTIONS[function]

    @functools.wraps(own)
    def run(*args: Any, **options: Any) -> Any:
        rest = [x for k, x in enumerate(args) if k not in data]
        rest += [x for name, x in options.items() if name not in words]
        if holds_complex(rest):
            cannot(f"a complex argument of np.{function.__name__} is not staged here")
        found = [
            own(
                *[_part(x, which) if k in data else x for k, x in enumerate(args)],
                **{n: _part(x, which) if n in words else x for n, x in options.items()},
            )
            for which in (0, 1)
        ]
        return _joined(*found)

    COMPLEX_FUNCTIONS[function] = run
    COMPLEX_METHODS[function.__name__] = run


def _joined(real: Any, imag: Any) -> Any:
    if isinstance(real, list | tuple):
        return type(real)([_joined(x, y) for x, y in zip(real, imag, strict=True)])
    return complex_of(real, imag)


for _function in (
    np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.squeeze, np.expand_dims,
    np.broadcast_to, np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack, np.split,
    np.array_split, np.flip, np.fliplr, np.flipud, np.roll, np.tile, np.repeat, np.take, np.copy,
    np.diagonal, np.diag, np.trace, np.sum, np.cumsum, np.mean, np.meshgrid,
):  # fmt: skip
    if _function in FUNCTIONS:
        by_parts(_function)
by_parts(np.append, (0, 1))
by_parts(np.diff, words=("prepend", "append"))
by_parts(np.pad, words=("constant_values",))
by_parts(np.interp, (2,))
COMPLEX_METHODS["flatten"] = lambda a, order="C": _joined(
    *[METHODS["flatten"](part, order) for part in a.parts]
)


# Products.


def _product(function: Any, conjugated: int | None = None) -> None:
    """A function that is linear in two arrays; the operand `conjugated` is taken so."""
    own = FUNCTIONS[function]

    @functools.wraps(own)
    def run(a: Any, b: Any, *rest: Any, **options: Any) -> Any:
        operands = [a, b]
        if conjugated is not None and is_complex(operands[conjugated]):
            operands[conjugated] = np.conjugate(operands[conjugated])
        first, second = (parts_of_number(x) if holds_complex(x) else (x,) for x in operands)
        made = [[own(x, y, *rest, **options) for y in second] for x in first]
        if len(first) == len(second) == 2:
            return complex_of(made[0][0] - made[1][1], made[0][1] + made[1][0])
        flat = [x for row in made for x in row]
        return complex_of(*flat)

    COMPLEX_FUNCTIONS[function] = run
    if function is np.dot:
        COMPLEX_METHODS["dot"] = run


for _linear in (np.dot, np.matmul, np.inner, np.outer, np.convolve):
    _product(_linear)
_product(np.vdot, 0)
_product(np.correlate, 1)


def _along(a: Any, axis: Any, f: Callable[[Any], Any]) -> Any:
    """What a function gives of all elements, or of those along a dimension."""
    if axis is None:
        return f(a if a.ndim == 1 else np.ravel(a))
    (k,) = axes_of(axis, a.ndim)
    if k != a.ndim - 1:
        cannot(
            "products of complex numbers are those of the last dimension", "np.moveaxis(a, k, -1)"
        )
    if a.ndim == 1:
        return f(a)
    return mapped(lambda x, y: _along(complex_of(x, y), -1, f), list(a.parts))


def _multiplied(kind: str) -> Callable[..., Any]:
    def run(a: Any, axis: Any = None, **options: Any) -> Any:
        plain_only(**options)
        return _along(a, axis, lambda row: folded(kind, operator.mul, 1 + 0j, list(row.parts)))

    return run


complex_numpy(np.prod)(_multiplied("reduce"))
complex_numpy(np.cumprod)(_multiplied("scan"))


# Others.


@complex_numpy(np.real)
def _real(a: Any) -> Any:
    return a.real


@complex_numpy(np.imag)
def _imag(a: Any) -> Any:
    return a.imag


COMPLEX_METHODS.pop("real")
COMPLEX_METHODS.pop("imag")


@complex_numpy(np.angle)
def angle(z: Any, deg: Any = False) -> Any:
    """The angles from the real axis."""
    real, imag = parts_of_number(z)
    found = np.arctan2(imag, real)
    return found * (180.0 / np.pi) if deg else found


@complex_numpy(np.where)
def _where(*given: Any) -> Any:
    if len(given) == 1:
        return np.nonzero(np.not_equal(given[0], 0))
    return where(*given)


@complex_numpy(np.nonzero)
def _nonzero(a: Any) -> Any:
    return np.nonzero(np.not_equal(a, 0))


@complex_numpy(np.any, np.all, np.count_nonzero)
def _refused(*given: Any, **options: Any) -> Any:
    fail("the truth of complex numbers is that of a comparison", "np.any(z != 0)")


@complex_numpy(np.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """Whether numbers are nearly the same."""
    plain_only(equal_nan=equal_nan or None)
    near = np.less_equal(np.absolute(np.subtract(a, b)), atol + rtol * np.absolute(b))
    return (near & np.isfinite(b)) | np.equal(a, b)


@complex_numpy(np.allclose)
def allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """Whether all numbers are nearly the same."""
    return np.all(isclose(a, b, rtol, atol, equal_nan))


@complex_numpy(np.var)
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
        keepdims: Any = False, **options: Any) -> Any:  # fmt: skip
    """The mean square distance from the mean."""
    plain_only(dtype=dtype, out=out, **options)
    away = [part - np.mean(part, axis, keepdims=axis is not None) for part in a.parts]
    squares = away[0] * away[0] + away[1] * away[1]
    count = numpyreductions.count_of(a.first(), axis)
    return np.sum(squares, axis, keepdims=keepdims) / (count - ddof)


@complex_numpy(np.std)
def std(a: Any, axis: Any = None, **options: Any) -> Any:
    """The root of the variance."""
    return np.sqrt(var(a, axis, **options))


@complex_numpy(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """The length of a vector, or the norm of a matrix that its elements' absolute values have."""
    if ord is None:
        real, imag = x.parts
        return np.sqrt(np.sum(real * real + imag * imag, axis=axis, keepdims=keepdims))
    return np.linalg.norm(np.absolute(x), ord, axis, keepdims)
