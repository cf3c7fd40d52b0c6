"""Numbers -> the integers of scaled samples, in C: one pass instead of NumPy's ten.

What it gives is what `cogen.signals.values` gives by NumPy, which is asked where there is no
compiler, for few numbers, and for what is wrong with one that does not fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array, empty_array
from cogen.signals.layout import Field
from cogen.signals.task import C_TYPES

TEXT: Final = Path(__file__).with_name("rounding.c")

FEW: Final = 1 << 10
"""Numbers below which NumPy is quick enough, so that nothing need be compiled for them."""

OPTIONS: Final = ("-fno-math-errno", "-fno-trapping-math")
"""Nobody looks at errno or at exceptions of floats; so rounding is done in vectors."""


class Clamping(NamedTuple):
    """Numbers over `scale` are rounded and clamped to [least, most]. Refused is what is no number,
    if `strict` what is out of range, and if `whole`, with a scale of 1, what is no integer."""

    scale: float
    least: float
    most: float
    strict: bool
    whole: bool = False


def rounded(values: Array, field: Field, clamping: Clamping) -> Array | None:
    """Numbers as samples of a field; None if that is to be done by NumPy, and if a number is
    refused."""
    if values.size < FEW or not values.flags.c_contiguous:
        return None
    return Rounding(values.dtype, field, clamping)(values)


class Rounding:
    """What rounds numbers of a type to samples of a field; it is compiled when it is first called,
    with an array in one piece."""

    __slots__ = ("_function", "_kind", "_memory", "_numbers", "_sample", "_size")

    def __init__(self, dtype: np.dtype[Any], field: Field, clamping: Clamping) -> None:
        scale, least, most, strict, whole = clamping
        self._kind = _code(dtype)
        self._sample, self._size = field.dtype, field.size
        self._function: Callable[..., int] | None = None
        refused = OUTSIDE * strict + BROKEN * whole
        self._numbers = (scale, *_reciprocal(scale), least, most, refused)

    def __call__(self, values: Array) -> Array | None:
        """The samples; None without a compiler, and if a number is refused."""
        if self._function is None and not self._compile():
            return None
        assert self._function is not None
        result = empty_array(values.shape, self._sample)
        first_refused = self._function(
            self._memory(values), self._memory(result), values.size, *self._numbers
        )
        return None if first_refused >= 0 else result

    def _compile(self) -> bool:
        """Whether there is such a function now."""
        if self._kind is not None:
            self._function = _function(self._kind, self._sample.str[1:], self._size)
        if self._function is None:
            return False
        from cogen.backends.objectcode.foreign import memory

        self._memory = memory
        return True


def _code(dtype: np.dtype[Any]) -> str | None:
    code = dtype.str[1:]
    return code if dtype.isnative and code in C_TYPES else None


OUTSIDE, BROKEN = 1, 2
"""What is refused, as in rounding.c: numbers out of range, and those that are no integers."""

DIVIDED, EXACT, REFINED = range(3)
"""Ways to divide by the scale, as in rounding.c."""

ORDINARY: Final = 500
"""Exponents of scales, at most, with which no intermediate result is too large or too small."""


def _reciprocal(scale: float) -> tuple[float, int]:
    """The reciprocal of the scale, and how to divide with it."""
    part, exponent = math.frexp(scale)
    if abs(exponent) > ORDINARY:
        return 0.0, DIVIDED
    if abs(part) == 0.5:
        return 1 / scale, EXACT
    ones = math.ldexp(abs(part), 53) == (1 << 53) - 1  # for which the correction may fail
    return 1 / scale, DIVIDED if ones else REFINED


@cache
def _function(value: str, sample: str, size: int) -> Callable[..., int] | None:
    """The C function for numbers and samples of these types; None without a compiler."""
    from cogen.backends.objectcode import foreign
    from cogen.backends.objectcode.cache import shared_object

    whole = "int32_t" if size < 32 else "int64_t" if size < 64 else C_TYPES[sample]
    names = (("VALUE", C_TYPES[value]), ("SAMPLE", C_TYPES[sample]), ("WHOLE", whole))
    defined = "".join(f"#define {name} {type_}\n" for name, type_ in names)
    text = TEXT.read_text(encoding="utf-8").replace("#define BLOCK", f"{defined}#define BLOCK")
    try:
        library = foreign.SharedObject(shared_object(text, OPTIONS))
    except CogenError:
        return None
    _libraries.append(library)
    number, real = foreign.INT64, foreign.DOUBLE
    kinds = [foreign.POINTER, foreign.POINTER, number, real, real, number, real, real, number]
    found: Callable[..., int] = library.function("cogen_round", kinds, number)
    return found


_libraries: list[Any] = []
"""Keeps the code loaded."""
