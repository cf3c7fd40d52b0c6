"""Operations of staged complex numbers, by formulas of their parts.

They give what NumPy gives but for a few units in the last place; signs of zeros, which choose the
side of a branch cut, are as there.  A real operand has the imaginary part 0.0, as NumPy makes it;
only a product of a real and a number that is known to be imaginary, `1j * x`, is imaginary again,
where NumPy adds zeros (and makes what is no number of infinity).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cogen.array.l0.types import REAL
from cogen.staging.scalaroperations import select
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedcomplex import complex_of
from cogen.staging.stagedscalars import Scalar, apply, cast

Parts = tuple[Any, Any]
"""The real and the imaginary part of a number."""

ComplexMaker = Callable[..., Any]
"""Makes an operation of numbers as their parts: numbers, parts, or a truth value."""

ZERO: Final[Any] = np.float64(0.0)
ONE: Final[Parts] = (np.float64(1.0), np.float64(0.0))

COMPLEX_OPERATIONS: Final[dict[str, ComplexMaker]] = {}
"""The operations of complex numbers by the names of NumPy's functions."""

UNORDERED: Final = frozenset({
    "less", "less_equal", "greater", "greater_equal", "maximum", "minimum", "fmax", "fmin",
})  # fmt: skip
"""Functions that ask which number is greater."""


def complex_operation(*names: str) -> Callable[[ComplexMaker], ComplexMaker]:
    """Decorates what makes the operations of these names."""

    def note(make: ComplexMaker) -> ComplexMaker:
        COMPLEX_OPERATIONS.update(dict.fromkeys(names, make))
        return make

    return note


def complex_maker(name: str) -> ComplexMaker:
    """What makes an operation.  CogenError for one that complex numbers do not have."""
    found = COMPLEX_OPERATIONS.get(name)
    if found is not None:
        return found
    if name in UNORDERED:
        fail("complex numbers have no order", "compare abs(z), z.real or z.imag")
    cannot(f"np.{name} of complex numbers is not staged", "compute with z.real and z.imag")


def made_of(name: str, operands: Sequence[Parts]) -> Any:
    """An operation of numbers as their parts, as a value."""
    found = complex_maker(name)(*[tuple(map(_real, parts)) for parts in operands])
    return complex_of(*found) if isinstance(found, tuple) else found


def _real(x: Any) -> Any:
    return cast(x, REAL) if isinstance(x, Scalar) else np.float64(x)


def _is_known(x: Any, value: float) -> bool:
    return not isinstance(x, Scalar) and x == value


def _both(a: Any, b: Any) -> Any:
    return apply("logical_and", a, b)


def _either(a: Any, b: Any) -> Any:
    return apply("logical_or", a, b)


@complex_operation("add")
def _add(a: Parts, b: Parts) -> Parts:
    return a[0] + b[0], a[1] + b[1]


@complex_operation("subtract")
def _subtract(a: Parts, b: Parts) -> Parts:
    return a[0] - b[0], a[1] - b[1]


@complex_operation("multiply")
def _multiply(a: Parts, b: Parts) -> Parts:
    for (x, y), (real, other) in ((a, b), (b, a)):
        if _is_known(x, 0.0) and not isinstance(y, Scalar) and _is_known(other, 0.0):
            return ZERO, y * real
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


@complex_operation("square")
def _square(a: Parts) -> Parts:
    found: Parts = _multiply(a, a)
    return found


@complex_operation("divide", "true_divide")
def _divide(a: Parts, b: Parts) -> Parts:
    """By the greater part of the divisor, so that no square is beyond the reals (Smith 1962)."""
    if _is_known(b[1], 0.0):
        return _divided_by_real(a, b[0])
    sizes = [apply("absolute", x) for x in b]
    steep = sizes[0] < sizes[1]
    more, less = select(steep, b[1], b[0]), select(steep, b[0], b[1])
    ratio = apply("divide", less, more)
    scale = apply("divide", 1.0, more + less * ratio)
    real = select(steep, a[0] * ratio + a[1], a[0] + a[1] * ratio) * scale
    imag = select(steep, a[1] * ratio - a[0], a[1] - a[0] * ratio) * scale
    return _unless_zero(_both(sizes[0] == 0.0, sizes[1] == 0.0), a, sizes[0], real, imag)


def _divided_by_real(a: Parts, b: Any) -> Parts:
    ratio, scale = apply("divide", 0.0, b), apply("divide", 1.0, b)
    real, imag = (a[0] + a[1] * ratio) * scale, (a[1] - a[0] * ratio) * scale
    return _unless_zero(b == 0.0, a, apply("absolute", b), real, imag)


def _unless_zero(zero: Any, a: Parts, size: Any, real: Any, imag: Any) -> Parts:
    """A quotient, or where the divisor is 0 infinities and what is no number."""
    if not isinstance(zero, Scalar) and not zero:
        return real, imag
    return (
        select(zero, apply("divide", a[0], size), real),
        select(zero, apply("divide", a[1], size), imag),
    )


@complex_operation("reciprocal")
def _reciprocal(a: Parts) -> Parts:
    found: Parts = _divide(ONE, a)
    return found


@complex_operation("negative")
def _negative(a: Parts) -> Parts:
    return -a[0], -a[1]


@complex_operation("positive")
def _positive(a: Parts) -> Parts:
    return a


@complex_operation("conjugate")
def _conjugate(a: Parts) -> Parts:
    return a[0], -a[1]


@complex_operation("absolute")
def _absolute(a: Parts) -> Any:
    return apply("hypot", *a, elements=True)


@complex_operation("equal")
def _equal(a: Parts, b: Parts) -> Any:
    return _both(a[0] == b[0], a[1] == b[1])


@complex_operation("not_equal")
def _not_equal(a: Parts, b: Parts) -> Any:
    return apply("logical_not", _equal(a, b))


def _truth(a: Parts) -> Any:
    """Whether a number is not 0."""
    return _either(a[0] != 0.0, a[1] != 0.0)


@complex_operation("logical_not")
def _logical_not(a: Parts) -> Any:
    return apply("logical_not", _truth(a))


@complex_operation("logical_and")
def _logical_and(a: Parts, b: Parts) -> Any:
    return _both(_truth(a), _truth(b))


@complex_operation("logical_or")
def _logical_or(a: Parts, b: Parts) -> Any:
    return _either(_truth(a), _truth(b))


@complex_operation("isnan")
def _isnan(a: Parts) -> Any:
    return _either(*[apply("isnan", x) for x in a])


@complex_operation("isinf")
def _isinf(a: Parts) -> Any:
    return _either(*[apply("isinf", x) for x in a])


@complex_operation("isfinite")
def _isfinite(a: Parts) -> Any:
    return _both(*[apply("isfinite", x) for x in a])


@complex_operation("rint")
def _rint(a: Parts) -> Parts:
    real, imag = (apply("rint", x) for x in a)
    return real, imag


@complex_operation("exp")
def _exp(a: Parts) -> Parts:
    turned = apply("cos", a[1]), apply("sin", a[1])
    if _is_known(a[0], 0.0):
        return turned
    size = apply("exp", a[0])
    level = a[1] == 0.0  # a real power is real, also where it is infinite
    return size * turned[0], select(level, a[1], size * turned[1])


@complex_operation("log")
def _log(a: Parts) -> Parts:
    return apply("log", _absolute(a)), apply("arctan2", a[1], a[0])


@complex_operation("log2")
def _log2(a: Parts) -> Parts:
    real, imag = _log(a)
    return real * (1.0 / math.log(2.0)), imag * (1.0 / math.log(2.0))


@complex_operation("log10")
def _log10(a: Parts) -> Parts:
    real, imag = _log(a)
    return real * (1.0 / math.log(10.0)), imag * (1.0 / math.log(10.0))


@complex_operation("sqrt")
def _sqrt(a: Parts) -> Parts:
    """The root whose real part is not negative: the greater part first, which loses no digits."""
    real, imag = a
    size = apply("absolute", real)
    root = apply("sqrt", (size + _absolute(a)) * 0.5)
    other = apply("divide", apply("absolute", imag), root * 2.0)
    right = apply("logical_not", real < 0.0)
    zero = _both(real == 0.0, imag == 0.0)
    first = select(zero, 0.0, select(right, root, other))
    second = apply("copysign", select(right, other, root), imag)
    return first, select(zero, imag, second)


def _of_parts(of_real: str, of_imaginary: str, a: Parts) -> Any:
    """A function of the real part times one of the imaginary part."""
    return apply(of_real, a[0]) * apply(of_imaginary, a[1])


@complex_operation("sin")
def _sin(a: Parts) -> Parts:
    return _of_parts("sin", "cosh", a), _of_parts("cos", "sinh", a)


@complex_operation("cos")
def _cos(a: Parts) -> Parts:
    return _of_parts("cos", "cosh", a), -_of_parts("sin", "sinh", a)


@complex_operation("sinh")
def _sinh(a: Parts) -> Parts:
    return _of_parts("sinh", "cos", a), _of_parts("cosh", "sin", a)


@complex_operation("cosh")
def _cosh(a: Parts) -> Parts:
    return _of_parts("cosh", "cos", a), _of_parts("sinh", "sin", a)


@complex_operation("power", "float_power")
def _power(a: Parts, b: Parts) -> Parts:
    """By products for whole exponents that are known and small, as NumPy does it."""
    if _is_known(b[1], 0.0) and not isinstance(b[0], Scalar) and abs(b[0]) < 100:
        n = float(b[0])
        if n == int(n):
            found = _product(a, abs(int(n)))
            return found if n >= 0 else _reciprocal(found)
    real, imag = _exp(_multiply(b, _log(a)))
    zero = _both(a[0] == 0.0, a[1] == 0.0)
    return select(zero, select(b[0] == 0.0, 1.0, 0.0), real), select(zero, 0.0, imag)


def _product(a: Parts, n: int) -> Parts:
    """A number n times as a factor."""
    found, power = None, a
    while n:
        if n & 1:
            found = power if found is None else _multiply(found, power)
        n >>= 1
        power = _multiply(power, power) if n else power
    return ONE if found is None else found
