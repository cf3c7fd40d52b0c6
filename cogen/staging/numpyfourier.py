"""NumPy's Fourier transforms of staged arrays: `np.fft.fft`, `ifft`, `rfft`, `irfft` and the like.

They are a staged function, with its loops (as in `cogen.staging.numpylinear`): four parts at a
time, each step into another array, in which what belongs together is side by side (Stockham).  Of
sizes that are no power of two they are a convolution with numbers that turn faster and faster,
done by three such transforms of a larger size (Bluestein 1970).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cogen.staging.convertfunctions import convert
from cogen.staging.numpycomplex import COMPLEX_FUNCTIONS
from cogen.staging.numpymaking import arange
from cogen.staging.numpyshaping import moveaxis
from cogen.staging.numpytable import CREATING, FUNCTIONS, axes_of, operand, plain_only
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import METHODS, Array, known
from cogen.staging.stagedcomplex import ComplexArray, as_complex, complex_of, is_complex
from cogen.staging.stagedexpressions import constant, op, require, text
from cogen.staging.stagedreading import integer
from cogen.staging.stagedscalars import Scalar, apply
from cogen.staging.wholearrays import mapped

# What is staged as functions of users are.


def _by_fours(x: Any, y: Any, w_re: Any, w_im: Any, turn: Any) -> Any:
    """The transform of so many numbers as a power of two; `w` are the turns of each place."""
    length = len(x)
    stride = 1
    x, y = x.copy(), y.copy()
    other_x, other_y = x.copy(), y.copy()
    while length >= 4:
        quarter = length // 4
        far = stride * quarter
        for p in range(quarter):
            k = p * stride
            b_re, b_im = w_re[k], w_im[k]
            c_re, c_im = w_re[2 * k], w_im[2 * k]
            d_re, d_im = w_re[3 * k], w_im[3 * k]
            for q in range(stride):
                i = q + k
                sum_re, sum_im = x[i] + x[i + 2 * far], y[i] + y[i + 2 * far]
                away_re, away_im = x[i] - x[i + 2 * far], y[i] - y[i + 2 * far]
                more_re, more_im = x[i + far] + x[i + 3 * far], y[i + far] + y[i + 3 * far]
                side_re = turn * (y[i + 3 * far] - y[i + far])
                side_im = turn * (x[i + far] - x[i + 3 * far])
                to = q + 4 * k
                other_x[to] = sum_re + more_re
                other_y[to] = sum_im + more_im
                r, s = away_re + side_re, away_im + side_im
                other_x[to + stride] = r * b_re - s * b_im
                other_y[to + stride] = r * b_im + s * b_re
                r, s = sum_re - more_re, sum_im - more_im
                other_x[to + 2 * stride] = r * c_re - s * c_im
                other_y[to + 2 * stride] = r * c_im + s * c_re
                r, s = away_re - side_re, away_im - side_im
                other_x[to + 3 * stride] = r * d_re - s * d_im
                other_y[to + 3 * stride] = r * d_im + s * d_re
        x, other_x = other_x, x
        y, other_y = other_y, y
        length = quarter
        stride = 4 * stride
    if length == 2:
        for q in range(stride):
            r, s = x[q + stride], y[q + stride]
            other_x[q], other_y[q] = x[q] + r, y[q] + s
            other_x[q + stride], other_y[q + stride] = x[q] - r, y[q] - s
        x, other_x = other_x, x
        y, other_y = other_y, y
    return x, y


def _transformed(re: Any, im: Any, sign: Any, by_fours: Any) -> Any:
    """The sums of numbers, each turned by its place times that of the sum."""
    n = len(re)
    size = 1
    while size < n:
        size = 2 * size
    direct = size == n
    m = size if direct else 2 * size
    places = np.arange(n)
    angles = sign * np.pi / n * (places * places % (2 * n))
    turn_re, turn_im = np.cos(angles), np.sin(angles)
    x = np.zeros(m)
    y = np.zeros(m)
    for i in range(n):
        x[i] = re[i] if direct else re[i] * turn_re[i] - im[i] * turn_im[i]
        y[i] = im[i] if direct else re[i] * turn_im[i] + im[i] * turn_re[i]
    turn = sign if direct else -1.0
    whole = turn * 2.0 * np.pi / m * np.arange(m)
    w_re, w_im = np.cos(whole), np.sin(whole)
    first_re = np.zeros(m)
    first_im = np.zeros(m)
    for job in range(1 if direct else 3):
        x, y = by_fours(x, y, w_re, w_im, turn)
        if not direct and job == 0:  # what the numbers are convolved with
            for i in range(m):
                first_re[i], first_im[i] = x[i], y[i]
                place = i if i < n else m - i
                x[i] = turn_re[min(place, n - 1)] if place < n else 0.0
                y[i] = -turn_im[min(place, n - 1)] if place < n else 0.0
        elif not direct and job == 1:  # the product, as what is turned the other way
            for i in range(m):
                r, s = x[i], y[i]
                x[i] = first_re[i] * r - first_im[i] * s
                y[i] = -(first_re[i] * s + first_im[i] * r)
    found_re = np.zeros(n)
    found_im = np.zeros(n)
    for i in range(n):
        r, s = x[i], y[i]
        if not direct:
            r, s = x[i] / m, -y[i] / m
            r, s = r * turn_re[i] - s * turn_im[i], r * turn_im[i] + s * turn_re[i]
        found_re[i], found_im[i] = r, s
    return found_re, found_im


# NumPy's functions.


def _of_row(row: Any, sign: float, n: Any, norm: Any) -> ComplexArray:
    """The transform of one dimension, of its first numbers, or with zeros behind them."""
    re, im = row.parts if isinstance(row, ComplexArray) else (row.astype(float), None)
    im = METHODS["full"](re.shape, 0.0) if im is None else im
    if n is not None:
        re, im = (_of_length(part, n) for part in (re, im))
    size = re.size_of(0)
    require(op("<", constant(0), integer(size)), text("a Fourier transform of no numbers"))
    by_fours = convert(_by_fours)  # type: ignore[arg-type]  # a function
    found = convert(_transformed)(re, im, sign, by_fours)  # type: ignore[arg-type]  # a function
    share = _share(sign, size, norm)
    return complex_of(*[_shared(part, share, size) for part in found])  # type: ignore[no-any-return]


def _shared(part: Array, share: Any, size: Any) -> Any:
    part._dims = [size]
    return part if share is None else part * share


def _share(sign: float, size: Any, norm: Any) -> Any:
    """What a transform is multiplied by."""
    if norm not in (None, "backward", "ortho", "forward"):
        fail(f"the norm {norm!r} is none of 'backward', 'ortho' and 'forward'")
    if norm == "ortho":
        return 1.0 / np.sqrt(size * 1.0)
    return 1.0 / size if (sign > 0.0) == (norm != "forward") else None


def _of_length(a: Array, n: Any) -> Array:
    size = a.size_of(0)
    if isinstance(n, int) and isinstance(size, int) and n == size:
        return a
    kept = a[: apply("minimum", size, n)]
    more = METHODS["full"]((apply("maximum", n - size, 0),), 0.0)
    return np.concatenate((kept, more))  # type: ignore[return-value]  # an array that is staged


def _along(f: Callable[[Any], Any], a: Any, axis: Any) -> Any:
    """A function of one dimension along an axis."""
    (k,) = axes_of(axis, a.ndim)
    if a.ndim == 1:
        return f(a)
    whole = [moveaxis(part, k, -1) for part in (a.parts if isinstance(a, ComplexArray) else (a,))]

    def rows(*parts: Any) -> Any:
        if parts[0].ndim > 1:
            return mapped(rows, parts)
        return f(complex_of(*parts) if len(parts) > 1 else parts[0])

    found = rows(*whole)
    if isinstance(found, ComplexArray):
        return complex_of(*[moveaxis(part, -1, k) for part in found.parts])
    return moveaxis(found, -1, k)


def _given(a: Any, what: str) -> Any:
    found = as_complex(a) if is_complex(a) else operand(a)
    if not isinstance(found, Array | ComplexArray) or found.ndim == 0:
        fail(f"{what} takes an array")
    return found


def _transform(sign: float, what: str) -> Callable[..., Any]:
    def transform(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
        plain_only(out=out)
        return _along(lambda row: _of_row(row, sign, n, norm), _given(a, what), axis)

    return transform


def rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    """The first half of the transform of reals, of which the other one is conjugate."""
    plain_only(out=out)
    given = _given(a, "np.fft.rfft")
    if isinstance(given, ComplexArray):
        fail("np.fft.rfft takes reals", "np.fft.fft")

    def half(row: Any) -> Any:
        found = _of_row(row, -1.0, n, norm)
        count = found.parts[0].size_of(0) // 2 + 1
        return complex_of(*[part[:count] for part in found.parts])

    return _along(half, given, axis)


def irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    """The reals of which the first half of the transform is given; there are `n`."""
    plain_only(out=out)

    def whole(row: Any) -> Any:
        row = as_complex(row)
        count = (row.parts[0].size_of(0) - 1) * 2 if n is None else n
        re, im = (_of_length(part, count // 2 + 1) for part in row.parts)
        places = arange(count)
        near = np.minimum(places, count - places)
        ends = np.equal(near, 0) | np.equal(near * 2, count)
        side = np.where(places * 2 > count, -im[near], im[near])
        return _of_row(complex_of(re[near], np.where(ends, 0.0, side)), 1.0, None, norm).parts[0]

    return _along(whole, _given(a, "np.fft.irfft"), axis)


def fftfreq(n: Any, d: Any = 1.0, **options: Any) -> Any:
    """The frequencies of a transform's numbers."""
    if not isinstance(n, Scalar) and not isinstance(d, Scalar):
        return known(np.fft.fftfreq(n, d))
    places = arange(n)
    return np.where(places < (n + 1) // 2, places, places - n) / (n * d)


def rfftfreq(n: Any, d: Any = 1.0, **options: Any) -> Any:
    """The frequencies of the numbers of a transform of reals."""
    if not isinstance(n, Scalar) and not isinstance(d, Scalar):
        return known(np.fft.rfftfreq(n, d))
    return arange(n // 2 + 1) / (n * d)


def _rolled(back: bool) -> Callable[..., Any]:
    def shifted(x: Any, axes: Any = None) -> Any:
        found = x if isinstance(x, ComplexArray) else operand(x)
        chosen = axes_of(axes, found.ndim)
        sizes = (found.parts[0] if isinstance(found, ComplexArray) else found).shape
        by = [-(sizes[k] // 2) if back else sizes[k] // 2 for k in chosen]
        if any(isinstance(k, Scalar) for k in by) and len(by) > 1:
            for k, distance in zip(chosen, by, strict=True):
                found = np.roll(found, distance, k)
            return found
        return np.roll(found, by if len(by) > 1 else by[0], chosen if len(by) > 1 else chosen[0])

    return shifted


_MEANINGS = {
    np.fft.fft: _transform(-1.0, "np.fft.fft"), np.fft.ifft: _transform(1.0, "np.fft.ifft"),
    np.fft.rfft: rfft, np.fft.irfft: irfft,
    np.fft.fftshift: _rolled(False), np.fft.ifftshift: _rolled(True),
}  # fmt: skip

FUNCTIONS.update(_MEANINGS)
COMPLEX_FUNCTIONS.update(_MEANINGS)

CREATING.update({np.fft.fftfreq: fftfreq, np.fft.rfftfreq: rfftfreq})
