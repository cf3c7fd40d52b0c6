"""Tables of NumPy's functions, with what does the same to staged values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array, as_array
from cogen.staging.stagedcomplex import is_complex
from cogen.staging.stagedrecords import Records
from cogen.staging.stagedscalars import Scalar, Staged, is_number, scalar

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
    if is_complex(x):
        fail("this must be real, and is complex", "z.real, z.imag and abs(z) are real; an array "
             "of complex numbers is made by np.zeros(n, complex)")  # fmt: skip
    if isinstance(x, Records):
        fail("an array of records has no arithmetic", "take a field: a['name']")
    refuse = getattr(type(x), "refuse", None)  # a variable that has no value
    if refuse is not None:
        refuse(x)
    fail(f"a value of type {type(x).__name__} has no arithmetic with staged values")


def axes_of(axis: Any, ndim: int) -> list[int]:
    """The dimensions that an `axis` names, of so many; all for None."""
    if axis is None:
        return list(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    if any(isinstance(k, Staged) for k in given):
        cannot("an axis must be known", "annotate it with cogen.static")
    for k in given:
        if not -ndim <= k < ndim:
            fail(f"axis {k} is out of bounds of an array of {ndim} dimensions")
    return [int(k) % ndim for k in given]


def numpy_function(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates what does the same as NumPy's functions."""

    def note(f: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            FUNCTIONS[function] = f
        return f

    return note


def array_method(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates what does the same as methods of arrays."""

    def note(f: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            METHODS[name] = f
        return f

    return note


def plain_only(**options: Any) -> None:
    """Refuse options that say something."""
    for name, value in options.items():
        if value is not None and value is not np._NoValue:
            cannot(f"`{name}` is not staged here")
