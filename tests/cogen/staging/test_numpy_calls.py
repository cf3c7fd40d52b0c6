"""Calls of NumPy's functions with their options: staged, they give what NumPy gives.

What is refused is refused with a CogenError; an option is never left out silently.
"""

from __future__ import annotations

import linecache
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import cogen
from tests.cogen.staging.test_programs import same

RNG = np.random.default_rng(1)
GIVEN: dict[str, Any] = {
    "x": RNG.normal(size=6),
    "A": RNG.normal(size=(3, 4)),
    "B": RNG.normal(size=(3, 4)),
    "k": RNG.integers(-5, 9, size=6),
    "M": RNG.integers(0, 5, size=(3, 4)),
    "C": RNG.normal(size=(2, 3, 4)),
    "s": 2,
    "t": 1.5,
    "xi": np.array([1.0, np.inf, -np.inf, np.nan, 0.0, -0.0]),
}

CALLS = """
np.split(A, [1, 3], axis=1); np.split(A, 2, axis=1); np.array_split(x, 4); np.split(x, 3)
np.inner(A, B); np.vdot(A, B); np.outer(A, x); np.inner(A, x[:4])
np.trace(A, offset=1); np.trace(A.T); np.diagonal(A, -1); A.trace()
np.add.reduce(x, initial=3); np.add.reduce(A, axis=None); np.ptp(A, axis=1, keepdims=True)
np.isclose(xi, xi, equal_nan=True); np.isclose(1.0, xi); np.isclose(xi, 1.0)
np.linspace(0, t, 1); np.linspace(t, 0, 5, endpoint=False); np.arange(0, 5, 2, float)
np.diff(x, prepend=0); np.diff(A, axis=0, append=B); np.diff(A, n=2)
A.ravel(order="F"); np.ravel(A, "F"); A.flatten("F"); np.identity(3, int) * s
np.array(x, ndmin=2); np.array([x, x], ndmin=3); np.rint(k); np.round(k)
np.pad(x, (1, 2), constant_values=(7, 8)); np.pad(A, ((1, 0), (0, 2)), constant_values=t)
np.pad(x, 2, mode="reflect"); np.pad(x, (s, 1), "wrap"); np.pad(A, 1, "symmetric")
np.pad(A, ((0, 2), (1, 0)), "edge"); np.take(x, [7, -8], mode="wrap")
np.take(x, k, mode="clip"); np.take(A, [0, 5]); np.take(A, [0, 1], axis=1)
np.roll(A, 1, axis=(0, 1)); np.roll(A, (1, 2), axis=0); np.roll(A, (1, 2), axis=(0, 1))
np.squeeze(A[:, None], axis=1); np.moveaxis(C, (0, 1), (1, 0)); np.moveaxis(C, 0, -1)
np.expand_dims(A, (0, 2)); divmod(k, 3); divmod(7, k * 0 + 2); np.divmod(k, 3)
x[np.array([0, 2, -1])]; x[[-1, 0]]; A[[0, -1], [-1, 1]]; A[[-1]]
C @ C.transpose(0, 2, 1); C @ A.T; A @ C.transpose(0, 2, 1); x[:4] @ C.transpose(0, 2, 1)
np.matmul(A, B.T); np.mean(x, dtype=float); np.round(x, 2); np.round(x * 100, -1)
np.append(x, 1); np.append(x, k); np.append(A, B, axis=0); np.append(A, k)
np.tile(x, 2); np.tile(A, (2, 3)); np.tile(x, (s, 1)); np.tile(A, s)
np.repeat(x, 3); np.repeat(A, s, axis=1); x.repeat(2); np.repeat(A, 2)
np.stack([s, t]); np.hstack([s, x]); np.hstack([s, t]); np.vstack([s, t])
np.fliplr(A); np.flipud(A); np.column_stack((x, k)); np.vstack((x, x))
np.meshgrid(x[:2], x[:3]); np.meshgrid(x[:2], k, indexing="ij")
np.meshgrid(x[:2], k[:3], x[:4])
np.diag(x); np.diag(k, -2); np.diag(x, 1); np.diag(A, 1)
np.tril(A); np.triu(M, 1); np.tril(M, -1); np.triu(A > 0)
np.convolve(x, [1.0, 2.0, 1.0]); np.convolve(x, x); np.convolve([1, 2], k)
np.convolve(k, [1, 2, 3], "valid")
np.convolve(x, [1.0, 2.0, 1.0, 4.0], "same"); np.convolve(x[:2], x, "same")
np.correlate(x, [1.0, 2.0]); np.correlate(x, x[:3], "full")
np.correlate(x, [1.0, 2.0, 3.0], "same")
np.interp(x, [-1.0, 0.0, 1.0], [1.0, 5.0, 2.0])
np.interp(xi, [0, 1], [3, 4], left=-9.0, right=9.0)
np.select([x < 0, x < 1], [0, x], 2); np.select([k > 3], [k]); np.interp(t, x * 0 + 1, x)
np.isin(k, [1, 2, 3]); np.isin(k, [1, 8], invert=True); np.isin(k, M); s in {1, 2, 5}
np.nan_to_num(xi); np.nan_to_num(xi, nan=t, posinf=7.0); np.polyval([1.0, s, 3.0], x)
np.allclose(x, x + 1e-12); np.array_equal(x, x); np.array_equal(x, x[:3]); np.array_equal(A, B)
np.average(x); np.average(A, axis=1, weights=B * B); np.trapezoid(x, dx=0.5)
np.linalg.norm(x); np.linalg.norm(A, axis=1); np.linalg.norm(k); np.trapezoid(x, k)
np.nansum(xi); np.nanmax(xi[3:]); np.nanmin(A, axis=0); np.nanmean(np.abs(xi[3:]))
np.nanprod(k); np.nanmax(k); np.nanmax(xi[3:4]); np.nanmean(k)
np.sum([x, x]); np.max([s, t]); np.mean([s, t]); np.sum([s, s])
np.sinh(x); np.cosh(x); np.tanh(xi); np.arcsinh(xi); np.arccosh(x * x + 1); np.arctanh(x / 9)
np.log2(xi); np.log10(np.abs(k)); np.log1p(xi); np.expm1(xi); np.exp2(k); np.cbrt(xi)
np.arctan2(x, k); np.hypot(k, x); np.copysign(x, xi); np.copysign(3, k); np.fmod(x, t)
np.fmod(k, 3); np.logaddexp(x, xi); np.deg2rad(k); np.degrees(x); np.signbit(xi); np.radians(s)
np.einsum("ij,kj->ik", A, B); np.einsum("ij,kj", A, M); np.einsum("ij->ji", A)
np.einsum("ij->", M); np.einsum("ij,ij->j", A, B); np.einsum("i,j->ij", x, k)
np.einsum("i,i", x, k); np.einsum("ii", A[:, :3]); np.einsum("ii->i", M[:, :3])
np.einsum("ijk,jl->lik", C, A); np.einsum("ij,jk,k->i", A, B.T, x[:3]); np.einsum("abc->cb", C)
np.einsum("i->i", k); np.tensordot(A, B.T, 1); np.tensordot(C, A)
np.tensordot(A, B, axes=([0, 1], [0, 1]))
np.tensordot(C, A, axes=(1, 0)); np.tensordot(x, k, 0)
np.histogram(x); np.histogram(k, 4); np.histogram(M, s); np.histogram(x, 3, (-1, t))
np.histogram(x, [-2, -1, 0.5, 3]); np.histogram(k, 5, weights=x); np.histogram(x, 4, density=True)
np.histogram(A, np.array([0.0, 0.5, 1.0])); np.histogram(x * 0, 2); np.histogram(x, (t, s))
np.digitize(x, [-1.0, 0.0, 1.0]); np.digitize(k, [0, 3, 3], right=True); np.digitize(t, [0, 1])
np.nonzero(M); np.where(M > 2); np.argwhere(M > 2); np.argwhere(k); np.flatnonzero(M)
A[:, [0, 2]]; A[:, np.array([[0, 1], [2, 3]])]; C[:, :, [1]]; C[:, [0, 2]]
np.unravel_index(M.argmax(), M.shape); np.ravel_multi_index((M[0, :2], M[1, :2]), (5, 5))
np.lib.stride_tricks.sliding_window_view(x, 3)
np.lib.stride_tricks.sliding_window_view(A, (2, 3)); np.take_along_axis(A, np.argsort(A, axis=1), 1)
np.take_along_axis(A, M[:1] % 3, axis=0); np.compress([1, 0, 1], A, axis=0); np.compress(k > 0, x)
np.extract(A > 0, B); np.delete(x, 2); np.delete(A, -1, axis=1); np.insert(x, 1, t)
np.insert(A, 2, 7.0, axis=0); np.choose(M % 2, [A, B]); np.choose(k * 0 + 1, [x, k, 3])
np.piecewise(x, [x < 0, x > 1], [lambda v: -v, 5.0]); np.piecewise(x, [x < 0], [np.exp, np.cos])
np.rot90(A); np.rot90(A, 2); np.rot90(A, -1); np.rot90(A, 4); np.atleast_1d(s); np.atleast_2d(x)
np.atleast_3d(A); np.atleast_2d(x, A); np.dstack([A, B]); np.dstack([x, k]); np.vsplit(A, [1])
np.hsplit(A, 2); np.hsplit(x, 3); np.block([[A, B], [B, A]]); np.block([x, k])
np.block([[x], [k]])
np.kron(x[:2], k[:3]); np.kron(A[:2, :2], M[:2, :3]); np.cross(x[:3], x[3:])
np.cross(A[:, :3], B[:, 1:])
np.heaviside(xi, 0.5); np.sinc(x); np.sinc(k); np.ediff1d(A); np.unwrap(x * 4)
np.unwrap(A * 5, axis=0)
np.gradient(x); np.gradient(A); np.gradient(x, t); np.gradient(A, axis=1); np.gradient(k)
np.gradient(x, np.cumsum(np.abs(k) + 1.0)); np.gradient(A, 2.0, np.array([0.0, 1.0, 3.0, 4.0]))
np.polyval(x, A); np.polyval(k, s); np.polyfit(x, k, 2); np.polyder(x); np.polyder(k, 2)
np.polyint(x); np.polymul(x, k[:2]); np.polyadd(x, k[:3]); np.polysub(k[:2], x)
np.cov(A); np.cov(x, k); np.cov(x); np.cov(A, rowvar=False, bias=True); np.corrcoef(A)
np.corrcoef(x, k)
np.histogram2d(x, k, 3); np.histogram2d(x, x * x, [2, 4], weights=np.abs(k))
np.histogram2d(x, k, 2, range=[[-1, 1], [0, 5]])
np.hanning(len(x)); np.hamming(len(k)); np.blackman(len(x)); np.bartlett(len(A))
np.hanning(len(A[:1]))
np.add.reduceat(x, [0, 3, 3, 5, 1]); np.maximum.reduceat(k, np.array([2, 0, 4]))
np.intersect1d(k, M); np.union1d(k, [1, 20]); np.setdiff1d(M, k)
(x * 1e9).astype(np.int32); (x * 1e18).astype("int16"); (k * 1e3).astype(np.uint8).astype(int)
(x * 1e300).astype(np.int8); (k * 3e8).astype(np.int32)
"""
LINES = [line for line in CALLS.splitlines() if line]


def function_of(line: str) -> Any:
    """A function whose results are the calls of a line."""
    calls = line.split("; ")
    text = f"import numpy as np\ndef f({', '.join(GIVEN)}):\n    return (\n"
    text += "".join(f"        {call},\n" for call in calls) + "    )\n"
    name = f"<calls {line}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    return space["f"]


@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore:All-NaN")  # NumPy's, of what has no numbers
@pytest.mark.parametrize("line", LINES)
def test_results_and_their_types_are_those_of_numpy(line: str) -> None:
    function = function_of(line)
    args = list(GIVEN.values())
    with np.errstate(all="ignore"):
        wanted = function(*args)
    got = cogen.stage(function).program(*args).run(*args)
    same(wanted, got)
    for x, y in zip(wanted, got, strict=True):
        if not isinstance(x, list | tuple):
            assert np.asarray(x).dtype.kind == np.asarray(y).dtype.kind


@pytest.mark.slow
def test_compiled_too() -> None:
    function = function_of("; ".join(LINES[7:14]))
    args = list(GIVEN.values())
    same(function(*args), cogen.stage(function)(*args))


EDGES = [0.0, -0.0, 1.0, -2.5, 1e-310, -1e-310, 1e308, -1e308, 3.0, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize(
    "name", ["arctan2", "hypot", "copysign", "fmod", "logaddexp", "signbit", "tanh", "log1p"]
)
def test_formulas_at_edges(name: str) -> None:
    """Signs of zeros, what is too large to be squared, infinity, what is no number."""
    function = getattr(np, name)
    a, b = (np.ravel(x) for x in np.meshgrid(EDGES, EDGES))
    args = [a, b][: function.nin]
    with np.errstate(all="ignore"):
        wanted = function(*args)
    if function.nin == 1:
        staged = cogen.stage(lambda a: function(a)).program(*args)
    else:
        staged = cogen.stage(lambda a, b: function(a, b)).program(*args)
    for got in (staged.run(*args), staged.compile()(*args)):
        np.testing.assert_allclose(got, wanted, rtol=1e-14)
        if wanted.dtype == float:
            known = ~np.isnan(wanted)
            assert (np.signbit(got) == np.signbit(wanted))[known].all()


def test_functions_of_math() -> None:
    def f(s: float, t: float) -> Any:
        return (
            math.atan2(s, -t), math.hypot(s, t), math.copysign(s, -t), math.fmod(-s, t),
            math.degrees(s), math.radians(t), math.sinh(s), math.cosh(t), math.tanh(s),
            math.asinh(s), math.acosh(t), math.atanh(1 / t), math.expm1(s), math.log1p(t),
            math.log2(s), math.log10(t),
        )  # fmt: skip

    same(f(2, 3.7), cogen.stage(f)(2, 3.7))


@pytest.mark.parametrize("seed", range(4))
def test_products_by_random_subscripts(seed: int) -> None:
    random = np.random.default_rng(seed)
    sizes = dict(zip("abcd", random.integers(1, 5, 4).tolist(), strict=True))
    names = ["".join(random.permutation(list("abcd"))[: random.integers(1, 4)]) for _ in range(2)]
    both = sorted(set("".join(names)))
    result = "".join(random.permutation(both)[: random.integers(0, len(both) + 1)])
    arrays = [random.integers(-9, 9, [sizes[name] for name in own]) for own in names]
    subscripts = f"{','.join(names)}->{result}"
    wanted = np.einsum(subscripts, *arrays)
    program = cogen.stage(lambda a, b: np.einsum(subscripts, a, b)).program(*arrays)
    assert np.array_equal(program.run(*arrays), wanted)


@pytest.mark.parametrize("seed", range(3))
def test_histograms_of_random_values(seed: int) -> None:
    """Values on the edges are in the bin above, but for the last edge."""
    random = np.random.default_rng(seed)
    bins, low, high = int(random.integers(1, 40)), -1.7, float(random.integers(1, 5)) / 3
    edges = np.linspace(low, high, bins + 1)
    near = np.concatenate([edges, np.nextafter(edges, 9), np.nextafter(edges, -9)])
    values = np.concatenate([near, random.normal(size=500)])
    staged = cogen.stage(lambda a, low, high: np.histogram(a, bins, (low, high)))
    for wanted, got in zip(
        np.histogram(values, bins, (low, high)), staged(values, low, high), strict=True
    ):
        assert np.array_equal(wanted, got)


REFUSED = """
np.einsum("...i->i", x)
np.einsum("ij,jk", x, A)
np.einsum("iij->j", C)
np.histogram(x, "auto")
np.histogram(x, [2, 1])
np.isin(k, {1, 8})
np.sum(x, where=x > 0)
np.mean(x, dtype=np.float32)
np.split(x, 4)
np.squeeze(A, axis=0)
np.insert(x, [1, 2], 0.0)
np.delete(x, slice(2))
np.gradient(x, edge_order=2)
np.gradient(x[:1])
np.gradient(A, 1.0, 2.0, 3.0)
np.polyfit(x, k, s)
np.choose(k, [x, x])
np.choose(M % 2, [A, B], mode="wrap")
np.lib.stride_tricks.sliding_window_view(x, 9)
np.ravel_multi_index((k, k), (3, 3))
np.subtract.at(A, k, 1.0)
np.pad(x, 9, mode="reflect")
np.add.reduce(x, where=x > 0)
np.multiply(x, 2, where=x > 0)
np.convolve(x[:2], x, "valid")
np.concatenate((x, s))
np.lexsort((A, A))
np.unique(A, axis=0)
np.quantile(A, [0.1, 0.2], axis=1)
np.median(x, keepdims=True)
np.sort(s)
np.percentile(x, 5, method="nearest")
A.ravel("K")
x[[0, -7]]
[i * j for i, j in ()] or list(zip(x, x[1:], strict=True))
"""


@pytest.mark.parametrize("call", [line for line in REFUSED.splitlines() if line])
def test_refused(call: str) -> None:
    function = function_of(call)
    args = list(GIVEN.values())
    with pytest.raises(cogen.CogenError) as told:
        cogen.stage(function).program(*args).run(*args)
    assert "calls itself" not in str(told.value)
    assert f"<calls {call}>" in str(told.value)


def test_operations_for_each_index() -> None:
    def f(x: Any, k: Any) -> Any:
        first, second, third, fourth = np.zeros(9), np.zeros(9), np.ones(9), np.zeros(9, int)
        np.subtract.at(first, k, x)
        np.maximum.at(second, k, x)
        np.multiply.at(third, k, 2.0)
        np.minimum.at(fourth, k, k)
        return first, second, third, fourth

    args = GIVEN["x"], np.abs(GIVEN["k"])
    same(f(*args), cogen.stage(f).program(*args).run(*args))


def test_bits_of_bytes() -> None:
    def f(k: Any, b: Any) -> Any:
        packed = np.packbits(k > 0), np.packbits(k > 2, bitorder="little")
        return *packed, np.unpackbits(b), np.unpackbits(b, bitorder="little")

    args = GIVEN["k"], np.array([3, 200], np.uint8)
    same(f(*args), cogen.stage(f).program(*args).run(*args))


def test_what_a_mask_chooses_is_assigned_to() -> None:
    def f(a: Any) -> Any:
        b = a.copy()
        b[b < 0] *= 2
        b[a > 1] = a[a > 1] + 0.5
        return b

    args = (GIVEN["A"],)
    same(f(*args), cogen.stage(f)(*args))


@pytest.mark.slow
def test_ints_of_all_sizes_are_sorted() -> None:
    def f(k: Any) -> Any:
        return np.sort(k), np.argsort(k, kind="stable")

    compiled = cogen.stage(f).program(GIVEN["k"]).compile()
    least, most = -(1 << 63), (1 << 63) - 1
    arrays = [
        RNG.integers(low, high, count, endpoint=True)
        for low, high in ((0, 0), (-3, 3), (5, 1 << 40), (least, most), (most - 9, most))
        for count in (0, 1, 5, 70, 5000)
    ]
    arrays += [np.array([least, most, 0, -1, least]), np.array([1 << 62, -(1 << 62), 7])]
    for k in arrays:
        same(f(k), compiled(k))
    for k in (arrays[2], arrays[17], *arrays[-2:]):
        same(f(k), cogen.stage(f).program(k).run(k))


REALS = st.floats(allow_subnormal=True) | st.sampled_from([0.0, -0.0, np.nan, -np.nan, np.inf, 1.0])


@pytest.mark.slow
@settings(max_examples=max(20, settings().max_examples // 50))
@given(arrays(float, st.integers(0, 60), elements=REALS))
def test_reals_are_sorted(x: Any) -> None:
    """What is no number comes last, zeros of both signs are equal, and equal ones keep their
    order."""
    run = _compiled_once()
    ordered, places = run(x)
    wanted = np.argsort(x, kind="stable")
    assert places.tolist() == wanted.tolist()
    same(x[wanted], ordered)
    assert np.array_equal(np.signbit(x[wanted]), np.signbit(ordered))


@cache
def _compiled_once() -> Any:
    def f(x: Any) -> Any:
        return np.sort(x), np.argsort(x, kind="stable")

    return cogen.stage(f).program(np.zeros(3)).compile()


@pytest.mark.slow
def test_the_middle_of_many_reals_is_found() -> None:
    def f(x: Any, share: Any) -> Any:
        return np.quantile(x, share)

    staged, middle = cogen.stage(f), cogen.stage(lambda x: np.median(x))
    given = [
        RNG.random(5000), RNG.standard_normal(5001) * 1e9, np.exp(RNG.standard_normal(9000) * 50),
        np.zeros(4500), np.r_[RNG.random(4999), np.nan], np.r_[np.zeros(5000), np.inf],
        RNG.standard_normal(300_000), RNG.random(100), np.ones(1),
    ]  # fmt: skip
    for x in given:
        for share in (0.0, 0.37, 1.0):
            with np.errstate(invalid="ignore"):
                wanted = f(x, share)
            same(wanted, staged(x, share))
        same(np.median(x), middle(x))
    assert np.isnan(middle(np.zeros(0)))


def test_rows_are_sorted() -> None:
    def f(a: Any) -> Any:
        return np.argsort(a, axis=1)

    staged = cogen.stage(f)
    for shape in ((40, 9), (3, 80), (2, 700)):
        a = RNG.standard_normal(shape)
        same(f(a), staged(a))


def down_columns(m: Any) -> Any:
    return (
        np.cumsum(m, axis=0), np.cumprod(m * 2, axis=0).sum(axis=1), np.cumsum(m > 0, axis=0),
        np.maximum.accumulate(m, axis=0), m.sum(axis=0), np.argmax(m, axis=0),
    )  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.slow
@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (5, 1), (2, 40), (9, 7), (2, 1030)])
@pytest.mark.parametrize("dtype", [int, float])
def test_what_goes_down_columns(shape: tuple[int, int], dtype: type) -> None:
    m: Any = np.random.default_rng(3).integers(-3, 5, shape).astype(dtype)
    for found, expected in zip(cogen.stage(down_columns)(m), down_columns(m), strict=True):
        np.testing.assert_array_equal(found, expected)


def extremes(m: Any) -> Any:
    return m.max(), m.min(axis=0), np.max(m, axis=1), np.ptp(m), np.argmax(m), np.argmin(m, axis=1)


@pytest.mark.parametrize("size", [1, 17, 700])
def test_extremes_among_nan(size: int) -> None:
    """One nan is what is found, as NumPy has it."""
    staged = cogen.stage(extremes)
    rows = np.random.default_rng(size).standard_normal((3, size))
    some = rows.copy()
    some[1, size // 2] = np.nan
    for m in (rows, some, np.full((3, size), -np.inf)):
        with np.errstate(invalid="ignore"):
            expected = extremes(m)
        for one, other in zip(staged(m), expected, strict=True):
            np.testing.assert_array_equal(one, other)
