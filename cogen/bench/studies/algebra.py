"""Linear algebra: examples/cases/algebra.py against C by hand and NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from cogen.bench.studies.study import HAND, OURS, Study, Way, by_hand, example

SIZE: Final = 1 << 20

_PROTOTYPES: Final = """
void k_means(int64_t n, const double *x, const double *y, int64_t count, const double *centre_x,
             const double *centre_y, double *out_x, double *out_y);
void inner(int64_t n, const double *a, const double *b, double *out);
"""


def k_means_ways(size: int = SIZE) -> Mapping[str, Way]:
    """A round of k-means, of eight centres."""
    own = example("algebra")
    x, y = own.blobs(size)
    u, v = x[:8].copy(), y[:8].copy()
    staged = own.round_of_k_means.program((x, y), (u, v)).compile(threads=1)
    ffi, c = by_hand("algebra_hand", _PROTOTYPES)
    x_, y_, u_, v_ = (ffi.from_buffer("double[]", a) for a in (x, y, u, v))

    def by_c() -> Any:
        found = np.empty((2, len(u)))
        out = [ffi.from_buffer("double[]", row) for row in found]
        c.k_means(len(x), x_, y_, len(u), u_, v_, *out)
        return tuple(found)

    def by_numpy() -> Any:
        distances = (x[:, None] - u) ** 2 + (y[:, None] - v) ** 2
        keys = np.argmin(distances, axis=1)
        count = np.maximum(np.bincount(keys, minlength=len(u)), 1)
        return tuple([np.bincount(keys, w, len(u)) / count for w in (x, y)])

    return {OURS: lambda: tuple(staged((x, y), (u, v))), HAND: by_c, "NumPy": by_numpy}


def inner_ways(size: int = SIZE) -> Mapping[str, Way]:
    """The inner product of vectors of complex numbers that are objects of a dataclass."""
    own = example("algebra")
    random = np.random.default_rng(8)
    a, b = (random.normal(size=size) + 1j * random.normal(size=size) for _ in range(2))
    first, second = own.numbers(a), own.numbers(b)
    staged = own.inner.program(first, second).compile(threads=1)
    ffi, c = by_hand("algebra_hand", _PROTOTYPES)
    given = [ffi.from_buffer("double[]", x.view(float)) for x in (a, b)]

    def by_c() -> Any:
        out = np.empty(2)
        c.inner(len(a), *given, ffi.from_buffer("double[]", out))
        return tuple(out.tolist())

    def by_numpy() -> Any:
        found = np.vdot(a, b)
        return found.real, found.imag

    def ours() -> Any:
        found = staged(first, second)
        return found.re, found.im

    return {OURS: ours, HAND: by_c, "NumPy": by_numpy}


CASES: Final = (
    Study("k-means, one round", k_means_ways, {HAND: 1 / 1.2, "NumPy": 5.0}),
    Study("complex inner product", inner_ways, {HAND: 1 / 1.2}),
)
