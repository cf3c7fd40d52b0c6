"""Arrays of values -> arrays whose low bits are the samples of a field.

integers   stay as they are; their range is checked, or the kernel clamps, or bits are dropped;
           so do floats that are whole, others are refused
floats     become the float type of the field
scaled     are divided by the scale and rounded to the nearest integer, ties to even
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from cogen.lang.errors import CogenError
from cogen.signals.buffers import Array
from cogen.signals.layout import Field
from cogen.signals.rounding import Clamping, rounded

Fit = Literal["check", "wrap", "saturate"]
"""What to do with values out of range: refuse them, keep their low bits, or clamp them."""

HINT: Final = "wrap=True (--wrap) keeps the low bits, saturate=True (--saturate) clamps"


@dataclass(frozen=True, slots=True)
class PreparedValues:
    """Values ready for a kernel, which must clamp them if `clamp`.

    `changed`: are they others than those given?  `fitting`: are all known to be in range?
    """

    array: Array
    clamp: bool = False
    changed: bool = False
    fitting: bool = False


def prepare(
    values: Array, field: Field, scale: float | None, fit: Fit, first: int = 0
) -> PreparedValues:
    """The values for a field; `first` is the index of the first, for messages.

    CogenError for values of a wrong kind, and for those out of range if `fit` is "check".
    """
    if values.dtype.kind not in "biuf":
        raise CogenError(
            f"samples must be numbers, not values of the type {values.dtype}",
            hint="integers beyond 64 bits and complex numbers cannot be packed",
        )
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    if field.float:
        return PreparedValues(_floats(_times(values, scale), field, fit, first))
    whole = values.dtype.kind == "f" and scale is None
    if whole:
        scale = 1.0
    if scale is not None:
        found = None
        if fit != "wrap":
            clamping = Clamping(scale, *limits_of(field), fit == "check", whole)
            found = rounded(values, field, clamping)
        if found is None:
            if whole:
                _check_whole(values, field, first)
            found = _scaled(_times(values, scale), field, fit, first)
        return PreparedValues(found, changed=True, fitting=fit != "wrap")
    if values.dtype.kind == "b":
        values = values.view(np.uint8)
        if field.limits[1] >= 1:
            return PreparedValues(values, fitting=True)
    return _integers(values, field, fit, first)


def _check_whole(values: Array, field: Field, first: int) -> None:
    """CogenError for floats that are no integers."""
    bad = values != np.rint(values)
    if bad.any():
        value, where = _place(values, bad, field, first)
        raise CogenError(
            f"the value {value} at index {where} is no integer",
            hint="round the numbers, or give the layout a scale: `scale=1` rounds",
        )


def _times(values: Array, scale: float | None) -> Array:
    return values if scale is None else values.astype(np.float64, copy=False) / np.float64(scale)


def _integers(values: Array, field: Field, fit: Fit, first: int) -> PreparedValues:
    low, high = field.limits
    info = np.iinfo(values.dtype)
    if low <= info.min and info.max <= high:
        return PreparedValues(values, fitting=True)
    if fit == "wrap":
        return PreparedValues(values)
    if fit == "saturate":
        if info.max >= 1 << 63:  # the language's integers do not go so far
            return PreparedValues(np.minimum(values, np.uint64(high)), changed=True)
        return PreparedValues(values, clamp=True)
    too_small = values.size and info.min < low and int(values.min()) < low
    if too_small or (values.size and info.max > high and int(values.max()) > high):
        too_low = values < low if info.min < low else np.zeros(values.shape, bool)
        too_high = values > high if info.max > high else np.zeros(values.shape, bool)
        raise _out_of_range(values, too_low | too_high, field, first)
    return PreparedValues(values, fitting=True)


def _floats(values: Array, field: Field, fit: Fit, first: int) -> Array:
    with np.errstate(over="ignore"):
        result = values.astype(field.dtype)
    if fit == "wrap":
        return result
    too_large = np.isinf(result) & np.isfinite(values)
    if not too_large.any():
        return result
    if fit == "check":
        raise _out_of_range(values, too_large, field, first)
    greatest = np.finfo(field.dtype).max
    return np.where(too_large, np.copysign(greatest, result), result).astype(field.dtype)


def _scaled(values: Array, field: Field, fit: Fit, first: int) -> Array:
    low, high = field.limits
    rounded = np.rint(values)
    bad = np.isnan(rounded) if fit == "saturate" else ~np.isfinite(rounded)
    if fit == "check":
        bad |= (rounded < low) | (rounded > below(high + 1))
    if bad.any():
        raise _out_of_range(values, bad, field, first)
    if fit == "wrap":
        rest = np.fmod(rounded, float(1 << field.size))  # exact; of the sign of the value
        size = np.abs(rest).astype(np.uint64)
        return np.where(rest < 0, -size, size) & np.uint64((1 << field.size) - 1)
    clipped = np.clip(rounded, float(low), below(high + 1))
    return clipped.astype(field.dtype)


def limits_of(field: Field) -> tuple[float, float]:
    """The least and the greatest integral float that the field holds."""
    low, high = field.limits
    return float(low), below(high + 1)


def below(limit: int) -> float:
    """The greatest integral float below a power of two."""
    return float(limit - 1) if limit <= 1 << 53 else float(np.nextafter(float(limit), 0.0))


def _out_of_range(values: Array, bad: Array, field: Field, first: int) -> CogenError:
    value, where = _place(values, bad, field, first)
    kind = "float" if field.float else "signed" if field.signed else "unsigned"
    return CogenError(
        f"the value {value} at index {where} does not fit in {field.size} bits ({kind})", hint=HINT
    )


def _place(values: Array, bad: Array, field: Field, first: int) -> tuple[str, str]:
    """The first bad value, in words, and where it is."""
    place = tuple(int(i) for i in np.argwhere(bad)[0])
    index = (place[0] + first, *place[1:])
    name = f" of {field.name}" if field.name else ""
    return f"{values[place].item()}{name}", ", ".join(map(str, index))
