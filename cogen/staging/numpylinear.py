"""NumPy's linear algebra of staged matrices: equations, inverses, determinants, least squares.

Array programs have no such operations; they are staged functions themselves, with their loops:
elimination with the largest pivot of a column, Cholesky's division, and Jacobi's rotations, which
give singular values and what is said by them to the last digits (Demmel and Veselic 1992).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cogen.staging.convertfunctions import convert
from cogen.staging.numpyreductions import reduction
from cogen.staging.numpyshaping import transpose
from cogen.staging.numpysorting import argsort
from cogen.staging.numpytable import numpy_function, operand, plain_only
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array
from cogen.staging.stagedexpressions import op, require, text
from cogen.staging.stagedreading import integer
from cogen.staging.stagedscalars import apply, expression, scalar

EPSILON: Final = float(np.finfo(np.float64).eps)
SWEEPS: Final = 60
"""So many rounds of rotations are more than any matrix needs."""


# What is staged as functions of users are.


def _eliminated(a: Any, b: Any) -> Any:
    """The rows of a square matrix, and of what stands beside it, made upper triangular; the sign of
    the order of the rows."""
    n, m = a.shape[0], b.shape[1]
    a = a.copy()
    b = b.copy()
    sign = 1.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if best != k:
            sign = -sign
            for j in range(n):
                upper, lower = a[k, j], a[best, j]
                a[k, j] = lower
                a[best, j] = upper
            for j in range(m):
                upper, lower = b[k, j], b[best, j]
                b[k, j] = lower
                b[best, j] = upper
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k] if a[k, k] != 0.0 else 0.0
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
            for j in range(m):
                b[i, j] -= factor * b[k, j]
    return a, b, sign


def _substituted(a: Any, b: Any) -> Any:
    """The solutions of equations that are upper triangular."""
    n, m = a.shape[0], b.shape[1]
    b = b.copy()
    for back in range(n):
        k = n - 1 - back
        for j in range(m):
            b[k, j] = b[k, j] / a[k, k]
        for i in range(k):
            for j in range(m):
                b[i, j] -= a[i, k] * b[k, j]
    return b


def _triangle(a: Any) -> Any:
    """The lower triangle whose product with itself, transposed, is a matrix; and whether there is
    one."""
    n = a.shape[0]
    found = np.zeros((n, n))
    is_there = True
    for j in range(n):
        rest = a[j, j]
        for k in range(j):
            rest -= found[j, k] * found[j, k]
        if not rest > 0.0:
            is_there = False
        root = np.sqrt(rest)
        found[j, j] = root
        for i in range(j + 1, n):
            other = a[i, j]
            for k in range(j):
                other -= found[i, k] * found[j, k]
            found[i, j] = other / root
    return found, is_there


def _reflected(a: Any) -> Any:
    """The columns of a matrix reflected one after the other, so that it is upper triangular; and
    the product of the reflections, as rows (Householder 1958; signs are LAPACK's)."""
    m, n = a.shape
    a = a.copy()
    rows = np.eye(m)
    v = np.zeros(m)
    for k in range(min(m - 1, n)):
        size = 0.0
        for i in range(k + 1, m):
            size += a[i, k] * a[i, k]
        if size > 0.0:
            whole = np.sqrt(a[k, k] * a[k, k] + size)
            end = -whole if a[k, k] >= 0.0 else whole
            for i in range(k, m):
                v[i] = a[i, k] - end if i == k else a[i, k]
            share = 2.0 / (v[k] * v[k] + size)
            for j in range(n):
                along = 0.0
                for i in range(k, m):
                    along += v[i] * a[i, j]
                for i in range(k, m):
                    a[i, j] -= share * along * v[i]
            for j in range(m):
                along = 0.0
                for i in range(k, m):
                    along += v[i] * rows[i, j]
                for i in range(k, m):
                    rows[i, j] -= share * along * v[i]
    return a, rows


def _orthogonal(rows: Any, beside: Any) -> Any:
    """Rows turned two by two until all are orthogonal, and what stands beside them likewise."""
    n, m, more = rows.shape[0], rows.shape[1], beside.shape[1]
    rows = rows.copy()
    beside = beside.copy()
    least = 0.0
    for p in range(n):
        for i in range(m):
            least += rows[p, i] * rows[p, i]
    least = least * EPSILON * EPSILON
    turned, sweeps = True, 0
    while turned and sweeps < SWEEPS:
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                first, second, both = 0.0, 0.0, 0.0
                for i in range(m):
                    x, y = rows[p, i], rows[q, i]
                    first += x * x
                    second += y * y
                    both += x * y
                large = first > least and second > least
                if large and abs(both) > EPSILON * np.sqrt(first * second):
                    turned = True
                    slope = (second - first) / (2.0 * both)
                    size = abs(slope) + np.sqrt(1.0 + slope * slope)
                    t = 1.0 / size if slope > 0.0 else -1.0 / size
                    c = 1.0 / np.sqrt(1.0 + t * t)
                    s = c * t
                    for i in range(m):
                        x, y = rows[p, i], rows[q, i]
                        rows[p, i] = c * x - s * y
                        rows[q, i] = s * x + c * y
                    for i in range(more):
                        x, y = beside[p, i], beside[q, i]
                        beside[p, i] = c * x - s * y
                        beside[q, i] = s * x + c * y
        sweeps += 1
    return rows, beside


# Matrices.


def _matrix(a: Any, what: str) -> Array:
    """A matrix of reals."""
    found = operand(a)
    if not isinstance(found, Array) or found.ndim != 2:
        fail(f"{what} takes a matrix, an array of two dimensions", "cogen.map over the first")
    return found.astype(float)  # type: ignore[no-any-return]  # an array


def _square(a: Any, what: str) -> Array:
    """A matrix with as many rows as columns."""
    found = _matrix(a, what)
    sizes = found.shape
    if all(isinstance(n, int) for n in sizes):
        if sizes[0] != sizes[1]:
            fail(f"{what} takes a square matrix, and this has the shape {sizes}")
        return found
    rows, columns = map(integer, sizes)
    says = text(f"{what} takes a square matrix, and this has the shape"), rows, columns
    require(op("=", integer(sizes[0]), integer(sizes[1])), *says)
    return found


def _staged(f: Any, *arguments: Any) -> Any:
    """What a function gives that is staged as users' are."""
    return convert(f)(*arguments)


def _diagonal(a: Array) -> Any:
    return np.diagonal(a)


def _without(a: Array) -> Array:
    """Nothing that stands beside a matrix."""
    return METHODS["zeros"]((a.size_of(0), 0))  # type: ignore[no-any-return]  # an array


def _of_equations(a: Array, b: Array, what: str) -> Any:
    upper, beside, _ = _staged(_eliminated, a, b)
    some = np.all(np.not_equal(_diagonal(upper), 0.0))
    require(expression(scalar(some)), text(f"{what} is given a singular matrix"))
    return _staged(_substituted, upper, beside)


@numpy_function(np.linalg.solve)
def solve(a: Any, b: Any) -> Any:
    """The solutions of linear equations, one for each column of `b`."""
    a = _square(a, "np.linalg.solve")
    b = operand(b).astype(float)
    if b.ndim not in (1, 2):
        cannot("np.linalg.solve takes one vector, or a matrix of columns", "cogen.map")
    says = text("np.linalg.solve has different numbers of equations and right sides")
    require(op("=", integer(a.size_of(0)), integer(b.size_of(0))), says)
    found = _of_equations(a, b if b.ndim == 2 else b[:, None], "np.linalg.solve")
    return found if b.ndim == 2 else found[:, 0]


@numpy_function(np.linalg.inv)
def inv(a: Any) -> Any:
    """The matrix whose product with this one is that of ones on the diagonal."""
    a = _square(a, "np.linalg.inv")
    return _of_equations(a, METHODS["eye"](a.size_of(0)), "np.linalg.inv")


@numpy_function(np.linalg.det)
def det(a: Any) -> Any:
    """The determinant."""
    a = _square(a, "np.linalg.det")
    upper, _, sign = _staged(_eliminated, a, _without(a))
    return sign * np.prod(_diagonal(upper))


@numpy_function(np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    """The sign of the determinant, and the logarithm of its size."""
    a = _square(a, "np.linalg.slogdet")
    upper, _, sign = _staged(_eliminated, a, _without(a))
    pivots = _diagonal(upper)
    return sign * np.prod(np.sign(pivots)), np.sum(np.log(np.absolute(pivots)))


@numpy_function(np.linalg.cholesky)
def cholesky(a: Any, *, upper: Any = False) -> Any:
    """The lower triangle whose product with itself, transposed, is the matrix."""
    found, is_there = _staged(_triangle, _square(a, "np.linalg.cholesky"))
    says = text("np.linalg.cholesky is given a matrix that is not positive definite")
    require(expression(scalar(is_there)), says)
    return transpose(found) if upper else found


@numpy_function(np.linalg.qr)
def qr(a: Any, mode: Any = "reduced") -> Any:
    """A matrix with orthogonal columns, and an upper triangle, whose product is the matrix."""
    if mode not in ("reduced", "complete", "r"):
        cannot(f"np.linalg.qr is not staged with the mode {mode!r}", "'reduced', 'complete' or 'r'")
    a = _matrix(a, "np.linalg.qr")
    upper, rows = _staged(_reflected, a)
    count = a.size_of(0) if mode == "complete" else _least(a)
    r = np.triu(upper[:count])
    return r if mode == "r" else (transpose(rows[:count]), r)


# Singular values.


def _turned(a: Array) -> tuple[Any, Any, Any]:
    """Of a matrix, the singular values, the largest first, and as rows the left vectors by their
    values, and the right ones."""
    rows, right = _staged(_orthogonal, transpose(a), METHODS["eye"](a.size_of(1)))
    values = np.sqrt(np.sum(rows * rows, axis=1))
    order = argsort(-values)
    return values[order], rows[order], right[order]


def _least(a: Array) -> Any:
    return apply("minimum", *a.shape)


@numpy_function(np.linalg.svd)
def svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Any:
    """Singular vectors and values; the vectors but for their signs."""
    plain_only(hermitian=hermitian or None)
    a = _matrix(a, "np.linalg.svd")
    values, left, right = _turned(a)
    count = _least(a)
    if not compute_uv:
        return values[:count]
    if full_matrices:
        cannot("np.linalg.svd gives no more vectors than values here", "full_matrices=False")
    values = values[:count]
    return transpose(left[:count] / values[:, None]), values, right[:count]


def _cut(values: Any, limit: Any) -> Any:
    """Of values, the largest first, the inverses of those that are not nearly 0."""
    large = values > limit * np.max(values, initial=0.0)
    return large, np.where(large, 1.0 / np.where(large, values, 1.0), 0.0)


@numpy_function(np.linalg.pinv)
def pinv(a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = None) -> Any:
    """The inverse, or what is next to it."""
    plain_only(hermitian=hermitian or None)
    a = _matrix(a, "np.linalg.pinv")
    given = rcond if rtol is None or rtol is np._NoValue else rtol
    limit = 1e-15 if given is None else given
    values, left, right = _turned(a)
    _, inverses = _cut(values, limit)
    return transpose(right) @ (left * (inverses * inverses)[:, None])


@numpy_function(np.linalg.matrix_rank)
def matrix_rank(a: Any, tol: Any = None, hermitian: Any = False, *, rtol: Any = None) -> Any:
    """How many singular values are not nearly 0."""
    plain_only(hermitian=hermitian or None)
    a = _matrix(a, "np.linalg.matrix_rank")
    values, _, _ = _turned(a)
    if tol is None:
        relative = apply("maximum", *a.shape) * EPSILON if rtol is None else rtol
        tol = relative * np.max(values, initial=0.0)
    return np.sum(values > tol)


@numpy_function(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    """By how much errors may grow: the largest singular value by the smallest."""
    if p not in (None, 2):
        cannot("np.linalg.cond is that of singular values here", "norm(a, p) * norm(inv(a), p)")
    x = _matrix(x, "np.linalg.cond")
    values = _turned(x)[0][: _least(x)]
    return np.max(values) / np.min(values)


@numpy_function(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Solutions of as little error as can be: these, the errors' squares, rank, singular values."""
    a = _matrix(a, "np.linalg.lstsq")
    b = operand(b).astype(float)
    rows, columns = a.shape
    says = text("np.linalg.lstsq has different numbers of equations and right sides")
    require(op("=", integer(rows), integer(b.size_of(0))), says)
    if b.ndim not in (1, 2):
        cannot("np.linalg.lstsq takes one vector, or a matrix of columns", "cogen.map")
    limit = apply("maximum", rows, columns) * EPSILON if rcond is None else rcond
    values, left, right = _turned(a)
    large, inverses = _cut(values, limit)
    sides = b if b.ndim == 2 else b[:, None]
    found = transpose(right) @ ((left @ sides) * (inverses * inverses)[:, None])
    rank = np.sum(large)
    away = sides - a @ found
    errors = np.sum(away * away, axis=0)
    is_told = apply("logical_and", apply("equal", rank, columns), apply("less", columns, rows))
    count = np.where(is_told, errors.size_of(0), 0)
    x = found if b.ndim == 2 else found[:, 0]
    return x, errors[:count], rank, values[: _least(a)]


@numpy_function(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    """The eigenvalues of a symmetric matrix, the smallest first."""
    return eigh(a, UPLO)[0]


@numpy_function(np.linalg.eigh)
def eigh(a: Any, UPLO: Any = "L") -> Any:
    """Eigenvalues of a symmetric matrix, the smallest first, and vectors but for their signs.

    Those of a matrix all of whose eigenvalues are made positive by a number on the diagonal are its
    singular values.
    """
    if UPLO not in ("L", "U"):
        fail("UPLO is 'L' or 'U'")
    a = _square(a, "np.linalg.eigh")
    one = np.tril(a) if UPLO == "L" else transpose(np.triu(a))
    whole = one + transpose(np.tril(one, -1))
    shift = np.max(np.sum(np.absolute(whole), axis=1), initial=0.0) * 1.5
    ones = METHODS["eye"](a.size_of(0))
    right = _turned(whole + shift * ones)[2]
    back = np.sum((right @ whole) * right, axis=1)
    order = argsort(back)
    return back[order], transpose(right[order])


@numpy_function(np.linalg.matrix_power)
def matrix_power(a: Any, n: Any) -> Any:
    """A matrix as a factor so many times."""
    if not isinstance(n, int):
        cannot("the power of a matrix must be known", "annotate it with cogen.static")
    power: Any = _square(a, "np.linalg.matrix_power") if n >= 0 else inv(a)
    found: Any = None
    for k in range(abs(n).bit_length()):
        if abs(n) >> k & 1:
            found = power if found is None else found @ power
        power = power @ power if abs(n) >> (k + 1) else power
    return METHODS["eye"](operand(a).size_of(0)) if found is None else found


# Norms.


@numpy_function(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """The length of a vector, or the size of a matrix."""
    whole = operand(x)
    is_matrix = isinstance(axis, tuple) or (axis is None and whole.ndim == 2)
    if ord is None or (ord == 2 and not is_matrix) or (ord == "fro" and is_matrix):
        reals = whole.astype(float)
        return np.sqrt(reduction("add", reals * reals, axis, keepdims))
    if ord == 2 and axis is None:
        return np.max(_turned(_matrix(whole, "np.linalg.norm"))[0], initial=0.0)
    sizes = np.absolute(whole)
    if not is_matrix:
        return _of_vector(sizes, ord, axis, keepdims)
    if axis is not None or keepdims:
        cannot("norms of matrices are those of one matrix", "cogen.map over the first dimension")
    sums = {1: 0, -1: 0, np.inf: 1, -np.inf: 1}
    if ord not in sums:
        cannot(f"the norm {ord!r} of a matrix is not staged", "1, 2, np.inf and 'fro' are")
    return (np.max if ord > 0 else np.min)(np.sum(sizes, axis=sums[ord]))


def _of_vector(sizes: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    options = {"axis": axis, "keepdims": keepdims}
    if ord in (np.inf, -np.inf):
        return (np.max if ord > 0 else np.min)(sizes, **options)
    if ord == 0:
        return np.sum(np.not_equal(sizes, 0.0), **options) * 1.0
    if ord == 1:
        return np.sum(sizes, **options) * 1.0
    if not isinstance(ord, int | float):
        cannot(f"the norm {ord!r} of a vector is not staged", "numbers and np.inf are")
    return np.sum(sizes**ord, **options) ** (1.0 / ord)
