"""Functions of NumPy's, staged, against NumPy: sorting, the heat equation, complex numbers, linear
algebra."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

import cogen
from cogen.bench.studies.study import OURS, Study, Way
from cogen.staging.convertfunctions import convert

SIZE: Final = 1 << 20


def _ways(function: Callable[..., Any], *arguments: Any) -> Mapping[str, Way]:
    """A function staged, on one thread, and as it is."""
    rewritten = convert(function)  # type: ignore[arg-type]  # the package's own are not otherwise
    staged = cogen.stage(rewritten).program(*arguments).compile(threads=1)
    return {OURS: lambda: staged(*arguments), "NumPy": lambda: function(*arguments)}


def ints_ways(size: int = SIZE) -> Mapping[str, Way]:
    """Ints in order, of which most are there once."""
    return _ways(lambda k: np.sort(k), np.random.default_rng(1).integers(-size, size, size))


def places_ways(size: int = SIZE) -> Mapping[str, Way]:
    """Where ints in their order are, equal ones in theirs."""
    k = np.random.default_rng(1).integers(-size, size, size)
    return _ways(lambda k: np.argsort(k, kind="stable"), k)


def reals_ways(size: int = SIZE) -> Mapping[str, Way]:
    """Reals in order."""
    return _ways(lambda x: np.sort(x), np.random.default_rng(1).normal(size=size))


def median_ways(size: int = SIZE) -> Mapping[str, Way]:
    """The middle of reals in order."""
    return _ways(lambda x: np.median(x), np.random.default_rng(1).normal(size=size))


def heat_ways(size: int = 300) -> Mapping[str, Way]:
    """20 steps of the heat equation on a square."""

    def step(i: Any, u: Any) -> Any:
        rows, columns = u[:-2, 1:-1] + u[2:, 1:-1], u[1:-1, :-2] + u[1:-1, 2:]
        after = u.copy()
        after[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (rows + columns - 4.0 * u[1:-1, 1:-1])
        return after

    return _ways(lambda u: cogen.loop(20, step, u), np.random.default_rng(1).random((size, size)))


def radio_ways(size: int = SIZE) -> Mapping[str, Way]:
    """Complex samples turned, filtered by 31 weights, of which every eighth is kept: magnitudes."""

    def heard(z: Any, weights: Any) -> Any:
        middle = z * np.exp(-0.2j * np.pi * np.arange(z.shape[0]))
        return np.abs(np.convolve(middle, weights, "valid")[::8])

    random = np.random.default_rng(1)
    return _ways(heard, random.normal(size=size) + 1j * random.normal(size=size), np.hamming(31))


def equations_ways(size: int = 50) -> Mapping[str, Way]:
    """Linear equations, against LAPACK."""
    random = np.random.default_rng(1)
    a, b = random.normal(size=(size, size)), random.normal(size=size)
    return _ways(lambda a, b: np.linalg.solve(a, b), a, b)


CASES: Final = (
    Study("ints sorted", ints_ways, {"NumPy": 1.0}),
    Study("ints, where they are", places_ways, {"NumPy": 1.0}),
    Study("reals sorted", reals_ways, {"NumPy": 1.0}),
    Study("median of reals", median_ways, {"NumPy": 1.0}),
    Study("heat equation", heat_ways, {"NumPy": 1.0}),
    Study("radio chain, complex", radio_ways, {"NumPy": 2.0}),
    Study("50 linear equations", equations_ways, {"NumPy": 1.0}),
)
