"""NumPy's windows of signals of any length, and reductions of neighbouring parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cogen.staging.complexelementwise import known_result
from cogen.staging.numpyelementwise import REDUCED_AT
from cogen.staging.numpyreductions import reduction
from cogen.staging.numpytable import CREATING, operand
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array, as_array
from cogen.staging.stagedconditionals import conditional
from cogen.staging.stagedreading import iota
from cogen.staging.stagedscalars import Scalar, apply
from cogen.staging.wholearrays import elementwise, mapped


def _cosine(*weights: float) -> Callable[[Any], Any]:
    """A window that is a sum of cosines; its place goes from -1 to 1."""

    def window(x: Any) -> Any:
        found: Any = weights[0]
        for k, weight in enumerate(weights[1:], 1):
            found = found + weight * apply("cos", x * (np.pi * k))
        return found

    return window


def _staged(plain: Callable[[int], Any], window: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def of_size(size: Any) -> Any:
        if not isinstance(size, Scalar):
            return known_result(plain(size))
        width = apply("maximum", size - 1, 1)
        places = iota(apply("maximum", size, 0))
        return elementwise(lambda k: window((2 * k + 1 - size) / width), [places])

    return of_size


CREATING.update({
    np.hanning: _staged(np.hanning, _cosine(0.5, 0.5)),
    np.hamming: _staged(np.hamming, _cosine(0.54, 0.46)),
    np.blackman: _staged(np.blackman, _cosine(0.42, 0.5, 0.08)),
    np.bartlett: _staged(np.bartlett, lambda x: 1.0 - abs(x)),
})  # fmt: skip


def reduced_at(name: str, a: Any, indices: Any) -> Any:
    """`np.add.reduceat(a, indices)`: from each index to the next one, if that is behind it, else
    the element there."""
    whole, places = as_array(operand(a)), as_array(indices)
    if whole.ndim != 1 or places.ndim != 1:
        fail(f"np.{name}.reduceat of more than one dimension is not staged")
    count, size = places.size_of(0), whole.size_of(0)

    def part(k: Any) -> Any:
        start = places[k]
        end = conditional(apply("less", k + 1, count), lambda: places[k + 1], lambda: size)
        inside = apply("less", start, end)
        return conditional(inside, lambda: reduction(name, whole[start:end]), lambda: whole[start])

    found = mapped(part, [iota(count)])
    assert isinstance(found, Array)
    return found


REDUCED_AT.append(reduced_at)
