"""Forms: the types that arrays of a layout's values can have, and how samples become them.

natural      the smallest type that holds the values (float64 with a scale)
another      any type that holds every value exactly
complex      a number for the two channels of an item: I and Q
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from cogen.expected import shown
from cogen.lang.errors import CogenError
from cogen.signals.layout import AnyLayout, Field, Layout
from cogen.signals.task import SampleStage

PRECISION: Final = {"f2": 11, "f4": 24, "f8": 53}
"""The bits of a float's significand."""

COMPLEX: Final = {"c8": "f4", "c16": "f8"}
"""Complex types, and what they have two of."""


@dataclass(frozen=True, slots=True)
class Form:
    """The type of an array's items; the samples' own type, as kernels put them; what becomes of
    them, if they are not the items' parts already."""

    dtype: np.dtype[Any]
    sample: np.dtype[Any]
    stage: SampleStage | None

    @property
    def is_complex(self) -> bool:
        """Whether an item is one complex number instead of two channels."""
        return self.dtype.kind == "c"

    @property
    def part(self) -> np.dtype[Any]:
        """The type of the numbers that samples become."""
        return np.dtype(COMPLEX[code(self.dtype)]) if self.is_complex else self.dtype


@lru_cache(maxsize=512)
def form_of(layout: AnyLayout, dtype: np.dtype[Any] | None) -> Form:
    """The form of arrays of a type, by default the natural one.

    CogenError for a type that does not hold every value of the layout exactly.
    """
    sample = sample_type(layout)
    if dtype is None:
        dtype = layout.dtype
    elif dtype != layout.dtype:
        _check_holds(layout, dtype)
    dtype = dtype if dtype.names else dtype.newbyteorder("=")
    part = COMPLEX.get(code(dtype), code(dtype))
    if layout.scale is not None:
        return Form(dtype, sample, SampleStage(code(sample), part, True))
    same = dtype == sample or part == code(sample)
    return Form(dtype, sample, None if same else SampleStage(code(sample), part, False))


def sample_type(layout: AnyLayout) -> np.dtype[Any]:
    """The type of samples before they are scaled."""
    return layout.fields[0].dtype if isinstance(layout, Layout) else layout.dtype


def to_dtype(value: object) -> np.dtype[Any]:
    """The type that NumPy takes a value for; CogenError for none, or one of no numbers."""
    try:
        dtype: np.dtype[Any] = np.dtype(value)  # type: ignore[call-overload]  # whatever is given
    except (TypeError, ValueError, OverflowError):
        raise CogenError(f"there is no type of numbers {shown(value)}") from None
    if dtype.names is None and dtype.kind not in "biufc":
        raise CogenError(f"samples cannot become values of the type {dtype}")
    return dtype


def code(dtype: np.dtype[Any]) -> str:
    """A type as its kind and size: u2, f8."""
    return f"{dtype.kind}{dtype.itemsize}"


def _check_holds(layout: AnyLayout, dtype: np.dtype[Any]) -> None:
    """CogenError if not every value of the layout is exactly one of the type."""
    if layout.dtype.names is not None:
        raise CogenError(
            "the fields of a record have types of their own; an array of them has no other",
            hint="unpack, then convert a field: records[name].astype(...)",
        )
    if dtype.names is not None:
        raise CogenError(f"the layout has no fields, but the type {dtype} does")
    part = dtype
    if dtype.kind == "c":
        if layout.width != 2:
            raise CogenError(
                "complex numbers are made of two channels, I and Q, but the layout has "
                f"{layout.width or 1}",
                hint="signals.layout(..., channels=2)",
            )
        if code(dtype) not in COMPLEX:
            raise CogenError(f"samples cannot become values of the type {dtype}")
        part = np.dtype(COMPLEX[code(dtype)])
    for field in layout.fields:
        if not _holds(part, field, layout.scale):
            raise CogenError(
                f"{dtype} cannot hold every value of {_described(field, layout)} exactly",
                hint=f"{_wider(layout)} can; x.astype({str(dtype)!r}) rounds or wraps",
            )


def _wider(layout: AnyLayout) -> str:
    return str(layout.dtype)


def _described(field: Field, layout: AnyLayout) -> str:
    kind = "a float" if field.float else "a signed sample" if field.signed else "an unsigned sample"
    scaled = "" if layout.scale is None else f", times {layout.scale:g}"
    return f"{kind} of {field.size} bits{scaled}"


def _holds(dtype: np.dtype[Any], field: Field, scale: float | None) -> bool:
    if field.float:
        wide = dtype.kind == "f" and 8 * dtype.itemsize >= field.size
        return wide and (scale is None or dtype.itemsize >= 8)
    low, high = field.limits
    if scale is None:
        return _holds_integers(dtype, low, high)
    if dtype.kind == "f" and dtype.itemsize >= 8:  # where scaled values are computed
        return True
    numerator, denominator = scale.as_integer_ratio()
    if dtype.kind in "iu":
        most = max(-low, high) * abs(numerator)
        ends = sorted((low * numerator, high * numerator))
        return denominator == 1 and most <= 1 << 53 and _holds_integers(dtype, *ends)
    odd = abs(numerator) >> ((numerator & -numerator).bit_length() - 1)
    bits = max((max(-low - 1, high) * odd).bit_length(), (-low * odd - 1).bit_length())
    if dtype.kind != "f" or bits > PRECISION[code(dtype)]:
        return False
    info = np.finfo(dtype)
    least = abs(scale) * 1.0
    return least >= float(info.tiny) and max(-low, high) * abs(scale) <= float(info.max)


def _holds_integers(dtype: np.dtype[Any], low: int, high: int) -> bool:
    if dtype.kind == "b":
        return low >= 0 and high <= 1
    if dtype.kind == "f":
        if code(dtype) not in PRECISION:
            return True  # longer than any sample
        most = 1 << PRECISION[code(dtype)]
        return -most <= low and high <= most and high <= float(np.finfo(dtype).max)
    if dtype.kind not in "iu":
        return False
    info = np.iinfo(dtype)
    return int(info.min) <= low and high <= int(info.max)
