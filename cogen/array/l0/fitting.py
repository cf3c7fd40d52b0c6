"""Values -> the values that a storage holds, as `store` gives them; what they cannot be is a Fault.

    integers   are checked, keep their low bits, or become the nearest that there is
    floats     are rounded to the float type of the samples
    scaled     are the multiples of the scale nearest to them

This is what `store` means in the reference interpreter. How it is lowered is in
`cogen.array.lower.stores`, what it does to memory in `cogen.array.codegen.sinks`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cogen.array.l0.operators import Fault
from cogen.array.l0.storage import Fit, Samples, Storage

Array = np.ndarray[Any, Any]

NO_GROUPS: Final = "{} samples make no whole groups of {}"
"""What is wrong with a number of elements."""


def misfit(storage: Storage, number: int) -> str:
    """What is said of a value of a leaf that does not fit, {} being its index."""
    samples = storage.leaves[number]
    name = f" of {storage.names[number]}" if storage.is_tuple else ""
    sizes = " or ".join([str(size) for size in sorted(set(samples.sizes))])
    return f"the value{name} at index {{}} does not fit in {sizes} bits ({samples.kind})"


def fitted(storage: Storage, leaves: list[Array], fit: Fit) -> list[Array]:
    """The leaves as the storage holds them, int64 and float64.  Fault where there are none."""
    count = len(leaves[0])
    if count % storage.group:
        raise Fault(NO_GROUPS.format(count, storage.group))
    found, bad = [], []
    for samples, leaf in zip(storage.leaves, leaves, strict=True):
        values, wrong = _fitted(samples, leaf, fit)
        found.append(values)
        bad.append(wrong)
    places = [(int(np.argmax(wrong)), k) for k, wrong in enumerate(bad) if wrong.any()]
    for index, number in sorted(places, key=lambda place: place[1]):
        raise Fault(misfit(storage, number).format(index))
    return found


def _fitted(samples: Samples, values: Array, fit: Fit) -> tuple[Array, Array]:
    """The values that are stored, and which of them cannot be."""
    if samples.kind == "float":
        return _float(samples, _times(values.astype(np.float64), samples), fit)
    if samples.scale is not None:
        return _scaled(samples, values.astype(np.float64) / samples.scale, fit)
    return _ints(samples, values.astype(np.int64), fit)


def _ints(samples: Samples, values: Array, fit: Fit) -> tuple[Array, Array]:
    least, greatest = _limits(samples, len(values))
    if fit == "check":
        return values, (values < least) | (values > greatest)
    good = np.zeros(values.shape, bool)
    if fit == "saturate":
        return np.clip(values, least, greatest), good
    return _low_bits(samples, values), good


def _limits(samples: Samples, count: int) -> tuple[Array, Array]:
    """The least and the greatest int of each sample; beyond those of ints nothing is compared."""
    pairs = [samples.limits(place) for place in range(len(samples.pieces))]
    rounds = -(-count // len(pairs))
    least = np.array([low for low, _ in pairs] * rounds, np.int64)
    greatest = np.array([min(high, (1 << 63) - 1) for _, high in pairs] * rounds, np.int64)
    return least[:count], greatest[:count]


def _low_bits(samples: Samples, values: Array) -> Array:
    """The ints that the low bits of ints are, as samples."""
    rounds = -(-len(values) // len(samples.pieces))
    left = np.array([64 - size for size in samples.sizes] * rounds, np.int64)[: len(values)]
    moved = values << left
    if samples.kind == "signed":
        return moved >> left
    return (moved.view(np.uint64) >> left.view(np.uint64)).view(np.int64)


def _float(samples: Samples, values: Array, fit: Fit) -> tuple[Array, Array]:
    dtype = np.dtype(f"f{samples.size() // 8}")
    with np.errstate(over="ignore"):
        found = values.astype(dtype)
    lost = np.isinf(found) & np.isfinite(values)
    none = np.zeros(values.shape, bool)
    if fit == "saturate":
        greatest = np.finfo(dtype).max
        found = np.where(lost, np.copysign(greatest, found), found).astype(dtype)
    wide = found.astype(np.float64)
    if samples.scale is not None:
        wide = wide * samples.scale
    return wide, lost if fit == "check" else none


def _scaled(samples: Samples, values: Array, fit: Fit) -> tuple[Array, Array]:
    low, high = samples.limits()
    rounded = np.rint(values)
    top = _below(high + 1)
    assert samples.scale is not None
    bad = np.isnan(rounded) if fit == "saturate" else ~np.isfinite(rounded)
    if fit == "check":
        bad |= (rounded < low) | (rounded > top)
    found = np.where(bad, 0.0, rounded)
    if fit == "saturate":
        found = np.clip(found, float(low), top)
    if fit == "wrap":
        whole = float(1 << samples.size())
        found = found - np.trunc(found / whole) * whole  # exact; of the sign of the value
        if samples.kind == "signed":
            found = np.where(found > high, found - whole, found)
        found = np.where(found < low, found + whole, found)
    return found * samples.scale, bad


def _below(limit: int) -> float:
    """The greatest integral float below a power of two."""
    return float(limit - 1) if limit <= 1 << 53 else float(np.nextafter(float(limit), 0.0))


def _times(values: Array, samples: Samples) -> Array:
    return values if samples.scale is None else values / samples.scale
