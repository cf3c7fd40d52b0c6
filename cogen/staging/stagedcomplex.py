"""Staged complex numbers: a real and an imaginary part, each a number of its own.

    StagedComplex   one complex number
    ComplexArray    an array of complex numbers: an array of each part

Programs have no complex numbers: where one is passed, joined, carried or returned, its parts are
(`cogen.staging.valueparts` takes it apart).  A part that is known while staging stays known, so
Python's own complex numbers are such values, too.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array, give_operators, known
from cogen.staging.stagedscalars import (
    COMPLEX_HANDLER,
    FUNCTION_HANDLER,
    Scalar,
    Staged,
    apply,
    apply_ufunc,
    is_number,
)

DTYPE: Final = np.dtype(np.complex128)
"""What NumPy calls the type of complex numbers that programs compute with."""

COMPLEX_METHODS: Final[dict[str, Any]] = {}
"""Methods of arrays of complex numbers, by name; set where they are."""


class ComplexValue(Staged):
    """A complex number, or an array of such: its parts."""

    __slots__ = ("parts",)

    def __init__(self, real: Any, imag: Any) -> None:
        self.parts = real, imag

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return self.parts[1]

    @property
    def real(self) -> Any:
        """The real part."""
        return self.parts[0]

    @property
    def dtype(self) -> Any:
        """What NumPy calls the type."""
        return DTYPE

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return FUNCTION_HANDLER[0](function, args, options)

    def conjugate(self) -> Any:
        """The number whose imaginary part has the other sign."""
        return np.conjugate(self)

    def conj(self) -> Any:
        """The number whose imaginary part has the other sign."""
        return np.conjugate(self)

    def astype(self, dtype: Any, **options: Any) -> Any:
        """The numbers themselves, as a new value."""
        if not is_complex_dtype(dtype):
            fail(
                f"complex numbers as {np.dtype(dtype)} would lose their imaginary part",
                "z.real is the real part, abs(z) the absolute value",
            )
        return self.__copy__()


class StagedComplex(ComplexValue):
    """A complex number, of whose parts a run knows one or both."""

    __slots__ = ()

    ndim = 0
    shape: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return "<staged complex>"

    def item(self) -> Any:
        """The number itself."""
        return self

    def __iter__(self) -> Any:
        fail("a complex number cannot be iterated over", "z.real and z.imag are its parts")


class ComplexArray(ComplexValue):
    """An array of complex numbers, kept as an array of each part, which are assigned to."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<staged array of complex, {self.ndim} dimensions>"

    @property
    def imag(self) -> Any:
        """The imaginary parts, which are part of the array."""
        return self.parts[1]

    @imag.setter
    def imag(self, value: Any) -> None:
        self.parts[1][...] = value

    @property
    def real(self) -> Any:
        """The real parts, which are part of the array."""
        return self.parts[0]

    @real.setter
    def real(self, value: Any) -> None:
        self.parts[0][...] = value

    def first(self) -> Array:
        """The array of the real parts, which has the sizes."""
        found = self.parts[0]
        assert isinstance(found, Array)
        return found

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return self.first().ndim

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes."""
        return self.first().shape

    @property
    def size(self) -> Any:
        """How many elements there are."""
        return self.first().size

    @property
    def T(self) -> Any:
        """The array with its dimensions in reverse order."""
        return np.transpose(self)

    def size_of(self, dimension: int) -> Any:
        """A size: an int if it is known, else a scalar."""
        return self.first().size_of(dimension)

    def __len__(self) -> int:
        return len(self.first())

    def __iter__(self) -> Any:
        return iter([complex_of(*pair) for pair in zip(*map(list, self.parts), strict=True)])

    def __copy__(self) -> Any:
        """Another array with the same elements."""
        return ComplexArray(*[METHODS["copy"](part) for part in self.parts])

    def __contains__(self, value: Any) -> Any:
        fail("`in` wants to know its answer now", "use np.any(a == x)")

    def __getitem__(self, index: Any) -> Any:
        return complex_of(*[part[index] for part in self.parts])

    def __setitem__(self, index: Any, value: Any) -> None:
        for part, own in zip(self.parts, parts_of_number(value), strict=True):
            part[index] = own

    def __getattr__(self, name: str) -> Any:
        method = COMPLEX_METHODS.get(name)
        if method is None:
            if name.startswith("__"):
                raise AttributeError(name)
            fail(
                f"staged arrays of complex numbers have no `{name}`",
                "docs/staging.md lists what they have; z.real and z.imag are arrays of reals",
            )
        return lambda *args, **options: method(self, *args, **options)


for _kind in (StagedComplex, ComplexArray):
    give_operators(_kind, in_place=_kind is ComplexArray)


def absolute(z: StagedComplex) -> Any:
    """`abs(z)`."""
    return apply("hypot", *z.parts)


setattr(StagedComplex, "__abs__", absolute)  # noqa: B010  # as the operators


def complex_of(real: Any, imag: Any) -> Any:
    """A complex number, or an array of such, of its parts: of known numbers one of Python's."""
    if isinstance(real, Array | np.ndarray) and real.ndim:
        return ComplexArray(*[x if isinstance(x, Array) else known(x) for x in (real, imag)])
    if isinstance(real, Scalar) or isinstance(imag, Scalar):
        return StagedComplex(real, imag)
    return complex(real, imag)


def is_complex(x: Any) -> bool:
    """Whether a value is a complex number or an array of such, staged or known."""
    if isinstance(x, ComplexValue | complex | np.complexfloating):
        return True
    return isinstance(x, np.ndarray) and x.dtype.kind == "c"


def holds_complex(x: Any) -> bool:
    """Whether there are complex numbers in what may be a list or a tuple."""
    if isinstance(x, list | tuple):
        return any(map(holds_complex, x))
    return is_complex(x)


def is_complex_dtype(dtype: Any) -> bool:
    """Whether a dtype is one of complex numbers."""
    if dtype is None or isinstance(dtype, Staged):
        return False
    try:
        return bool(np.dtype(dtype).kind == "c")
    except TypeError:
        return False


def parts_of_number(x: Any) -> tuple[Any, Any]:
    """The real and the imaginary part of a number or an array; those of reals are zeros."""
    if isinstance(x, ComplexValue):
        return x.parts
    if isinstance(x, np.ndarray) and x.ndim:
        return known(x.real), known(x.imag)
    if isinstance(x, complex | np.complexfloating | np.ndarray):
        return float(x.real), float(x.imag)
    if isinstance(x, list | tuple):
        return parts_of_number(METHODS["array"](x))
    if isinstance(x, Scalar) or is_number(x):
        return x, 0.0
    if isinstance(x, Array):
        return x, METHODS["full"](x.shape, 0.0)
    cannot(f"a value of type {type(x).__name__} is no complex number")


def as_complex(x: Any) -> Any:
    """A number or an array as one of complex numbers."""
    if isinstance(x, ComplexValue) or not isinstance(x, Scalar | Array | np.ndarray):
        return x if isinstance(x, ComplexValue) else complex(x)
    if isinstance(x, Scalar):
        return StagedComplex(x.astype(float), 0.0)
    return complex_of(*[part.astype(float) if isinstance(part, Array) else part
                        for part in parts_of_number(x)])  # fmt: skip


COMPLEX_HANDLER[0] = as_complex
