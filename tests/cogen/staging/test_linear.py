"""NumPy's linear algebra in staged functions: what NumPy gives, to rounding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.lang.errors import CogenError
from tests.everyday import is_long

la = np.linalg
RNG = np.random.default_rng(3)


def near(found: Any, wanted: Any) -> None:
    """See that values are the same, to rounding, and of one shape."""
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            near(a, b)
        return
    assert np.shape(found) == np.shape(wanted)
    assert np.allclose(found, wanted, rtol=1e-8, atol=1e-10), (found, wanted)


def squares() -> list[Any]:
    """Square matrices: of several sizes, with zeros on the diagonal, nearly singular ones."""
    found = [RNG.normal(size=(n, n)) for n in (1, 2, 3, 5, 8)]
    turned = np.eye(4)[[2, 0, 3, 1]]
    close = RNG.normal(size=(4, 4))
    close[3] = close[0] + close[1] + 1e-6 * RNG.normal(size=4)
    return [*found, turned, turned @ np.diag([1.0, 1e-8, 1e8, -3.0]), close, np.tri(3)]


def test_equations_inverses_determinants() -> None:
    def f(a: Any, b: Any) -> Any:
        return la.solve(a, b), la.solve(a, b[:, 0]), la.inv(a), la.det(a), *la.slogdet(a)

    staged = cogen.stage(f)
    for a in squares():
        b = RNG.normal(size=(len(a), 3))
        for x, y in zip(staged(a, b), f(a, b), strict=True):
            assert np.shape(x) == np.shape(y)
            assert np.allclose(x, y, rtol=1e-6, atol=1e-9 * (1 + np.abs(y).max())), (a, x, y)
    k = np.array([[1, 2], [3, 5]])
    near(cogen.stage(lambda k: la.det(k)).program(k).run(k), -1.0)


def test_cholesky_and_powers() -> None:
    def f(a: Any) -> Any:
        s = a @ a.T + np.eye(3)
        low = la.cholesky(s)
        return low, la.cholesky(s, upper=True), la.matrix_power(s, 3), la.matrix_power(s, 0)

    for a in RNG.normal(size=(3, 3, 3)):
        near(cogen.stage(f)(a), f(a))
    power = cogen.stage(lambda a: la.matrix_power(a, -2)).program(np.tri(3))
    near(power.run(np.tri(3)), la.matrix_power(np.tri(3), -2))


MATRICES = {
    "tall": RNG.normal(size=(9, 4)),
    "wide": RNG.normal(size=(3, 5)),
    "of rank one": np.outer(np.arange(1.0, 6.0), np.arange(1.0, 4.0)),
    "zeros": np.zeros((4, 2)),
    "of powers": np.vander(np.linspace(0, 1, 9), 6),
    "a row": np.ones((1, 3)),
}


def test_least_squares() -> None:
    def f(a: Any, b: Any) -> Any:
        return la.lstsq(a, b, rcond=None)

    a, b = MATRICES["tall"], RNG.normal(size=9)
    program = cogen.stage(f).program(a, b)
    run = program.compile() if is_long() else program.run
    near(run(a, b), f(a, b))
    for a in MATRICES.values():
        b = RNG.normal(size=len(a))
        near(run(a, b), f(a, b))
    if is_long():
        b = RNG.normal(size=(9, 2))
        near(cogen.stage(f)(MATRICES["tall"], b), f(MATRICES["tall"], b))


def _factors(a: Any) -> Any:
    u, s, v = la.svd(a, full_matrices=False)
    return s, (u * s) @ v


SAID_BY_THEM: dict[str, Callable[[Any], Any]] = {
    "factors": _factors,
    "inverse": lambda a: la.pinv(a),
    "rank": lambda a: la.matrix_rank(a),
    "values": lambda a: la.svd(a, compute_uv=False),
    "norm": lambda a: la.norm(a, 2),
    "condition": lambda a: la.cond(a),
    "eigenvalues": lambda a: la.eigvalsh(a @ a.T - np.eye(len(a))),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SAID_BY_THEM)
def test_what_singular_values_say(name: str) -> None:
    f = SAID_BY_THEM[name]
    program = cogen.stage(f).program(MATRICES["tall"])
    full = name in ("factors", "condition", "eigenvalues")
    for a in [*MATRICES.values()][: 2 if full else 6]:
        near(program.run(a), f(a))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("size", [2, 5])
def test_eigenvectors_of_symmetric_matrices(size: int) -> None:
    def f(a: Any) -> Any:
        values, vectors = la.eigh(a + a.T)
        return values, (vectors * values) @ vectors.T, vectors.T @ vectors

    a = RNG.normal(size=(size, size))
    near(cogen.stage(f).program(a).run(a), f(a))


def test_norms() -> None:
    def f(v: Any, a: Any) -> Any:
        return (
            la.norm(v), la.norm(v, 1), la.norm(v, np.inf), la.norm(v, -np.inf), la.norm(v, 0),
            la.norm(v, 3), la.norm(v, 2), la.norm(a), la.norm(a, 1), la.norm(a, np.inf),
            la.norm(a, -1), la.norm(a, "fro"), la.norm(a, axis=1), la.norm(a, 1, axis=0),
            la.norm(a, axis=0, keepdims=True), la.norm(v * 1j, 1),
        )  # fmt: skip

    v, a = RNG.normal(size=7), RNG.normal(size=(3, 4))
    near(cogen.stage(f)(v, a), f(v, a))


def test_a_fit_by_normal_equations() -> None:
    def fit(x: Any, y: Any, degree: cogen.static) -> Any:
        powers = np.stack([x**k for k in range(degree, -1, -1)], axis=1)
        return la.solve(powers.T @ powers, powers.T @ y)

    fit.__annotations__["degree"] = cogen.static
    x, y = np.linspace(-1, 1, 20), RNG.normal(size=20)
    near(cogen.stage(fit).program(x, y, 3).run(x, y), np.polyfit(x, y, 3))


WRONG: list[tuple[Callable[[Any], Any], Any, str, bool]] = [
    (lambda a: la.inv(a), np.ones((3, 3)), "np.linalg.inv is given a singular matrix", True),
    (lambda a: la.solve(a, a[0]), np.zeros((2, 2)), "solve is given a singular matrix", True),
    (lambda a: la.det(a), np.ones((3, 4)), "takes a square matrix, and this has the shape 3 4",
     True),
    (lambda a: la.solve(a, np.ones(4)), np.eye(3), "different numbers of equations", True),
    (lambda a: la.lstsq(a, np.ones(4)), np.eye(3), "different numbers of equations", True),
    (lambda a: la.cholesky(a), -np.eye(3), "not positive definite", True),
    (lambda a: la.inv(a), np.ones(3), "takes a matrix, an array of two dimensions", False),
    (lambda a: la.inv(np.ones((2, 3))) + a, np.ones(3), "has the shape (2, 3)", False),
    (lambda a: la.norm(a, "nuc"), np.eye(3), "the norm 'nuc' of a matrix is not staged", False),
    (lambda a: la.svd(a), np.eye(3), "no more vectors than values", False),
    (lambda a: la.eig(a), np.eye(3), "np.linalg.eig is not staged", False),
]  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_wrong_is_told_at_its_place(number: int) -> None:
    function, a, message, in_a_run = WRONG[number]
    staged = cogen.stage(function)
    program = staged.program(a) if in_a_run else None
    with pytest.raises(CogenError) as raised:
        staged.program(a) if program is None else program.run(a)
    error = raised.value
    assert message in error.message
    assert error.span is not None
    assert error.span.source.name.endswith("test_linear.py")


def test_the_middle_of_nothing_is_no_number() -> None:
    middle = cogen.stage(lambda a: np.median(a)).program(np.zeros(2))
    assert np.isnan(middle.run(np.zeros(0)))
    assert np.isnan(middle.run(np.array([1.0, np.nan])))
    near(middle.run(np.array([3.0, 1.0, 2.0])), 2.0)
    with pytest.raises(CogenError, match=r"np\.quantile of an array without elements"):
        cogen.stage(lambda a: np.quantile(a, 0.5)).program(np.zeros(2)).run(np.zeros(0))


def test_rows_in_an_order_are_scaled() -> None:
    def f(a: Any, v: Any) -> Any:
        return a[np.argsort(v)] * (v * v)[:, None]

    a, v = RNG.normal(size=(5, 3)), RNG.normal(size=5)
    near(cogen.stage(f).program(a, v).run(a, v), f(a, v))
