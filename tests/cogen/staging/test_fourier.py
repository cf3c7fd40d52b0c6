"""Fourier transforms and QR of staged arrays, against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen

RNG = np.random.default_rng(3)
SIZES = [1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 64, 100, 257, 1024]


def complex_numbers(n: int) -> Any:
    return RNG.standard_normal(n) + 1j * RNG.standard_normal(n)


def test_transforms_of_all_sizes() -> None:
    forth = cogen.stage(lambda z: np.fft.fft(z))
    for n in SIZES:
        z = complex_numbers(n)
        np.testing.assert_allclose(forth(z), np.fft.fft(z), rtol=1e-11, atol=1e-11)


@settings(max_examples=max(8, settings().max_examples // 80))
@given(st.integers(1, 70), st.integers(0, 1 << 20))
def test_a_transform_there_and_back_is_nothing(n: int, seed: int) -> None:
    x = np.random.default_rng(seed).standard_normal(n)
    z, back = _there_and_back(x)
    np.testing.assert_allclose(z, np.fft.rfft(x), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(back, x, rtol=1e-11, atol=1e-11)


def half_and_back(x: Any) -> Any:
    z = np.fft.rfft(x)
    return z, np.fft.irfft(z, len(x))


_there_and_back = cogen.stage(half_and_back)


def of_columns(a: Any, z: Any, n: Any) -> Any:
    return (
        np.fft.fft(z, axis=0, norm="ortho"), np.fft.fftshift(a[0]), np.fft.fftfreq(n, 0.5),
        np.fft.rfftfreq(n), np.fft.fftfreq(6), np.fft.ifftshift(z[0]),
    )  # fmt: skip


def cut_and_filled(a: Any, z: Any, n: Any) -> Any:
    return (np.fft.ifft(a[0], n, norm="forward"),)


def half(a: Any, z: Any, n: Any) -> Any:
    return np.fft.rfft(a[:, 0], 4), np.fft.irfft(z[0], norm="ortho"), np.fft.ifft(z)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "function", [of_columns, cut_and_filled, pytest.param(half, marks=pytest.mark.long)]
)
def test_options(function: Any) -> None:
    a, z = RNG.standard_normal((3, 5)), complex_numbers(15).reshape(3, 5)
    staged = cogen.stage(function)
    for n in (7, 3):
        for x, y in zip(function(a, z, n), staged(a, z, n), strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-11, atol=1e-11)
            assert np.shape(y) == np.shape(x)


def test_what_is_refused() -> None:
    with pytest.raises(cogen.CogenError, match="takes reals"):
        cogen.stage(lambda z: np.fft.rfft(z))(complex_numbers(3))
    with pytest.raises(cogen.CogenError, match="the norm 'x' is none of"):
        cogen.stage(lambda z: np.fft.fft(z, norm="x"))(complex_numbers(3))
    with pytest.raises(cogen.CogenError, match="a Fourier transform of no numbers"):
        cogen.stage(lambda x: np.fft.fft(x))(np.zeros(0))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
def test_orthogonal_triangular(mode: str) -> None:
    staged = cogen.stage(lambda a: np.linalg.qr(a, mode))
    given = [RNG.standard_normal(shape) for shape in ((1, 1), (4, 4), (6, 3), (3, 5), (5, 1))]
    for a in [*given, np.zeros((3, 2)), np.eye(3), np.array([[1.0, 2.0], [1.0, 2.0]])]:
        wanted, found = np.linalg.qr(a, mode), staged(a)
        pairs = [(wanted, found)] if mode == "r" else zip(wanted, found, strict=True)
        for x, y in pairs:
            assert x.shape == y.shape
        if mode == "r":
            np.testing.assert_allclose(found, wanted, atol=1e-13)
        else:
            q, r = found
            np.testing.assert_allclose(q @ r, a, atol=1e-13)
            np.testing.assert_allclose(q.T @ q, np.eye(q.shape[1]), atol=1e-13)
            np.testing.assert_allclose(r, np.triu(r))
            np.testing.assert_allclose(r, wanted[1], atol=1e-13)
