"""Linear algebra with numbers and matrices that the program defines for itself.

    python examples/cases/algebra.py

Complex numbers are objects of a dataclass, matrices that are known are objects of classes: while
staging these are ordinary objects of Python, and nothing of them is left.  k-means goes through the
points once in each round.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import add

import numpy as np

import cogen

# Complex numbers.


@dataclass(frozen=True)
class Complex:
    """A complex number."""

    re: float = 0.0
    im: float = 0.0

    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        return Complex(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def conjugate(self):
        return Complex(self.re, -self.im)

    def square(self):
        """The square of the absolute value."""
        return self.re * self.re + self.im * self.im


def numbers(z: np.ndarray) -> np.ndarray:
    """NumPy's complex numbers as records, in the same memory."""
    return z.view([("re", float), ("im", float)])


def of(record) -> Complex:
    """A record as a number."""
    return Complex(record.re, record.im)


@cogen.stage
def inner(a, b):
    """The inner product of two vectors of complex numbers."""
    return cogen.reduce(add, Complex(), cogen.map(lambda x, y: of(x).conjugate() * of(y), a, b))


@cogen.stage
def energy(a, b):
    """The sum of the squares of the differences of two vectors of complex numbers."""
    return np.sum(cogen.map(lambda x, y: (of(x) + of(y) * Complex(-1.0)).square(), a, b))


# Matrices that are known to be something.


class Identity:
    """The matrix that changes nothing."""

    def __matmul__(self, other):
        return other

    def __rmatmul__(self, other):
        return other

    __array_ufunc__ = None  # NumPy leaves it to us


class Diagonal:
    """A matrix that is zero but on its diagonal."""

    def __init__(self, values):
        self.values = values

    def __matmul__(self, other):
        if isinstance(other, Identity):
            return self
        if isinstance(other, Diagonal):
            return Diagonal(self.values * other.values)
        return self.values * other


@cogen.stage
def chain(m, d, x):
    """m I diag(d) I diag(d) x: one product of a matrix and a vector."""
    one = Identity()
    return m @ one @ (Diagonal(d) @ one @ Diagonal(d) @ x)


# k-means.


@cogen.stage
def distance(a, b):
    """The distance of two points."""
    return np.sqrt(np.sum((a - b) ** 2))


@cogen.stage
def round_of_k_means(points, centres):
    """The means of the points that are nearest to each centre."""

    def nearest(x, y):
        best, found = np.inf, 0
        for k in range(len(centres[0])):
            dx, dy = x - centres[0][k], y - centres[1][k]
            if dx * dx + dy * dy < best:
                best, found = dx * dx + dy * dy, k
        return found

    x, y = points
    keys = cogen.map(nearest, x, y)
    size = len(centres[0])
    one = np.ones(len(keys), int)

    def sums(a, b):
        return tuple(p + q for p, q in zip(a, b, strict=True))

    sx, sy, count = cogen.bucket_reduce(sums, (0.0, 0.0, 0), size, keys, (x, y, one))
    return sx / np.maximum(count, 1), sy / np.maximum(count, 1)


def blobs(count: int, centres: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Points around some centres."""
    random = np.random.default_rng(7)
    middle = random.uniform(-10, 10, (2, centres))
    which = random.integers(0, centres, count)
    return tuple(middle[k][which] + random.normal(0, 0.7, count) for k in range(2))


def main() -> None:
    """Show each of them."""
    a, b = np.array([1 + 2j, 3 - 1j]), np.array([2j, 1 + 1j])
    print("inner product:", inner(numbers(a), numbers(b)), np.vdot(a, b))
    m, d, x = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 3.0]), np.ones(3)
    print("chain:", chain(m, d, x), m @ np.diag(d) @ np.diag(d) @ x)
    points = blobs(10_000)
    centres = points[0][:8].copy(), points[1][:8].copy()
    for _ in range(10):
        centres = round_of_k_means(points, centres)
    print("centres:", *[f"({x:.1f}, {y:.1f})" for x, y in zip(*centres, strict=True)])


if __name__ == "__main__":
    main()
