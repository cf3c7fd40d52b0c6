"""Complex numbers in staged functions: they give what NumPy gives, to rounding."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen import signals
from cogen.lang.errors import CogenError
from cogen.staging.stage import Stage
from tests.everyday import is_long

RNG = np.random.default_rng(7)
Z = RNG.normal(size=7) + 1j * RNG.normal(size=7)
W = RNG.normal(size=7) + 1j * RNG.normal(size=7)
X = RNG.normal(size=7)
M = RNG.normal(size=(3, 4)) + 1j * RNG.normal(size=(3, 4))
EDGES = np.array([complex(a, b) for a in (0.0, -0.0, 2.0, -3.0) for b in (0.0, -0.0, 1.5, -2.5)])


def same(found: Any, wanted: Any) -> None:
    """See that values, their types and their structure are the same."""
    if isinstance(wanted, tuple | list):
        assert type(found) is type(wanted)
        for a, b in zip(found, wanted, strict=True):
            same(a, b)
        return
    a, b = np.asarray(found), np.asarray(wanted)
    assert (a.shape, a.dtype) == (b.shape, b.dtype)
    assert np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True), (a, b)


# Examples.


def operators(z: Any, w: Any, x: Any) -> Any:
    return (
        z * w + x / z - w * 2, abs(z), z.real, z.imag, z.conjugate(), (z / w).conj(), -z, +z,
        z**2, z**-3, 1 / z, x * 1j + 2, z - x, 3 / w, z == w, z != z, x**w,
    )  # fmt: skip


def elementwise(z: Any) -> Any:
    return (
        np.exp(z), np.log(z), np.log2(z), np.log10(z), np.sqrt(z), np.sin(z), np.cos(z),
        np.sinh(z), np.cosh(z), np.abs(z), np.angle(z), np.angle(z, deg=True), z**0.5,
        z ** (1 + 2j), np.square(z), np.reciprocal(z), np.isnan(z), np.isfinite(z), np.isinf(z),
        np.rint(z * 3), np.real(z), np.imag(z), np.conj(z), np.logical_not(z), z.real.imag,
        np.where(np.abs(z) > 1, z, 0), np.where(z.real > 0, 1.0, z), np.power(z, 3),
        np.divide(z, 0.5), np.logical_and(z, 1j), np.logical_or(0j, z), np.isclose(z, z + 1e-12),
    )  # fmt: skip


def sums(z: Any) -> Any:
    return (
        z.sum(), z.mean(), np.cumsum(z), np.prod(z), np.cumprod(z), np.var(z), np.std(z),
        np.linalg.norm(z), np.linalg.norm(z, axis=0), sum(z), np.add.reduce(z), np.allclose(z, z),
        len(z), z.size, z.shape,
    )  # fmt: skip


def products(z: Any, w: Any, x: Any) -> Any:
    return (
        np.dot(z, w), np.vdot(z, w), z @ w, x @ w, np.convolve(z, x[:3]), np.correlate(z, w),
        np.inner(z, x), np.outer(z, x), np.convolve(z, w, "same"), np.vdot(x, z),
    )  # fmt: skip


def matrices(m: Any) -> Any:
    return (
        m @ m.T, m.T, m.reshape(2, 6), np.concatenate([m, m.real]), m.conj().T @ m, m[1],
        m[:, 1:3], m.ravel(), np.sum(m, axis=0), m[0, 2], np.stack([m, m])[1], np.roll(m, 1, 0),
        np.diff(m), np.prod(m, axis=1), m[np.array([2, 0])], m.flatten(), np.trace(m), m.ndim,
    )  # fmt: skip


def assigned(z: Any, s: Any) -> Any:
    a = np.zeros(5, complex)
    a[1] = z[0]
    a[2:4] = z[2:4] * 1j
    a[0] = s
    b = z.copy()
    b *= 2
    b += 1j
    b.real = 0.5
    b.imag[0] = 9
    c = np.array([z[0], s, 2j])
    c[c.real > 1] = 0
    return a, b, c, np.full(3, z[1]), np.zeros_like(z), np.ones(2, dtype=complex) * s, z


def loops(z: Any, n: Any) -> Any:
    total = 0.0
    for i in range(len(z)):
        total = total + z[i] * 1j
    first = 0
    for v in z:
        first += v
    kept = np.zeros(len(z), dtype=complex)
    for i in range(n):
        kept[i] = kept[i - 1] * z[i] + 1 if i > 0 else z[i]
    c = 1.0
    if n > 3:
        c = z[0]
    power = 1 + 0j
    while abs(power) < 10:
        power *= 1.5 + 0.5j
    return total, first, kept, c, power


def functions(z: Any, x: Any) -> Any:
    return (
        cogen.reduce(lambda a, b: a * b, 1 + 0j, z), cogen.scan(lambda a, b: a + b, 0j, z),
        cogen.filter(lambda v: abs(v) > 1, z), cogen.map(lambda v: complex(v, 1) * v, x),
        cogen.map(lambda v: cmath.exp(1j * v), x), cogen.map(lambda a, b: a / b, z, x),
        cogen.loop(5, lambda i, v: v * v + z[i], 0.5),
        cogen.bucket_reduce(lambda a, b: a + b, 0j, 2, np.array([0, 1, 1, 0, 1, 0, 0]), z),
    )  # fmt: skip


def scalars(a: Any, b: Any, x: Any) -> Any:
    return (
        a * b, abs(a), a + 1, complex(a.real, b.imag), cmath.exp(a), a == b, a != b, a / b,
        cmath.sqrt(x), cmath.phase(b), complex(x), x * 2j, np.float64(1.0) * a, 1 if a else 2,
        (a, {"z": b})[1]["z"], cmath.polar(a), cmath.rect(x, 1.0), a.conjugate(),
    )  # fmt: skip


def escapes(c: Any) -> Any:
    def one(c: Any) -> Any:
        z, n = 0j, 0
        while abs(z) <= 2 and n < 50:
            z = z * z + c
            n += 1
        return n

    def other(c: Any) -> Any:
        z = 0
        for n in range(50):
            if abs(z) > 2:
                return n
            z = z**2 + c
        return 50

    return cogen.map(one, c), cogen.map(other, c)


def fourier(z: Any) -> Any:
    def of(a: Any, n: int) -> Any:
        if n == 1:
            return a
        even, odd = of(a[::2], n // 2), of(a[1::2], n // 2)
        turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + turned, even - turned])

    k = np.arange(8)
    return of(z[:4], 4), np.exp(-2j * np.pi * np.outer(k, k) / 8) @ z


EXAMPLES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (operators, (Z, W, X)),
    (operators, (Z[::-1], W[::2].repeat(2)[:7], X)),
    (elementwise, (Z,)),
    (elementwise, (M,)),
    (sums, (Z,)),
    (products, (Z, W, X)),
    (matrices, (M,)),
    (assigned, (Z, 3.0)),
    (loops, (Z, 5)),
    (functions, (Z, X)),
    (scalars, (1 + 2j, np.complex128(3 - 1j), -2.0)),
    (escapes, (np.linspace(-2, 1, 9) + 0.4j,)),
    (fourier, (np.append(Z, 1j),)),
]


@pytest.mark.one_in(2)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("function", "args"), EXAMPLES, ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(EXAMPLES)]
)
def test_staged_is_what_numpy_gives(function: Any, args: Any) -> None:
    before = [np.copy(x) for x in args]
    wanted = function(*args)
    staged = cogen.stage(function)
    if is_long():
        same(staged.program(*args).run(*args), wanted)
    same(staged(*args), wanted)
    for given_, kept in zip(args, before, strict=True):
        assert np.array_equal(given_, kept)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_both_sides_of_branch_cuts_and_zeros() -> None:
    def cuts(z: Any) -> Any:
        return np.sqrt(z), np.angle(z), np.abs(z), z * -1.0, np.sqrt(z * -2.0), z + 1.0, z**2

    for found, wanted in zip(cogen.stage(cuts)(EDGES), cuts(EDGES), strict=True):
        same(found, wanted)
        for a, b in ((found.real, wanted.real), (found.imag, wanted.imag)):
            assert np.array_equal(np.signbit(a), np.signbit(b))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_beyond_the_reals() -> None:
    def sizes(z: Any) -> Any:
        return np.abs(z), cogen.map(abs, z), z / (1e200 + 1e200j), 1 / z

    z = np.array([3e200 + 4e200j, 3e-200 + 4e-200j, math.inf + 1j, complex(math.nan, math.inf),
                  complex(-math.inf, math.nan), 0j, 5e-324 + 0j])  # fmt: skip
    found, wanted = cogen.stage(sizes)(z), (np.abs(z), np.abs(z), z / (1e200 + 1e200j))
    for a, b in zip(found, wanted, strict=False):
        assert np.allclose(a, b, rtol=1e-12, atol=0, equal_nan=True), (a, b)
    assert np.isnan(cogen.stage(lambda z: z / 0)(np.zeros(1, complex)))[0]
    assert cogen.stage(lambda z: z / 0.0)(np.ones(1, complex))[0].real == math.inf


# The law.

LEAVES = st.sampled_from(["z", "w", "x", "k", "2j", "(1.5-0.5j)", "2.0", "3"])
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        st.tuples(inner, inner).map(lambda t: f"({t[0]} / (abs({t[1]}) + 1.5j))"),
        st.tuples(st.sampled_from(["np.conj", "np.real", "np.imag", "abs", "-", "np.angle"]), inner)
        .map(lambda t: f"{t[0]}({t[1]})"),
        inner.map(lambda e: f"np.exp(1j * np.real({e}))"),
        inner.map(lambda e: f"({e}) ** 2"),
        st.tuples(inner, inner).map(lambda t: f"np.where(np.real({t[0]}) > 0, {t[0]}, {t[1]})"),
    ),
    max_leaves=8,
)  # fmt: skip


@given(EXPRESSIONS, st.booleans())
def test_random_expressions_are_numpys(text: str, compiled: bool) -> None:
    def f(z: Any, w: Any, x: Any, k: Any) -> Any:
        return eval(text, {"np": np, "z": z, "w": w, "x": x, "k": k})

    values = Z, W.astype(np.complex64), X, np.arange(7)
    wanted = f(Z, W.astype(np.complex64).astype(complex), X, values[3])
    program = cogen.stage(f).program(*values)
    found = program.compile()(*values) if compiled and is_long() else program.run(*values)
    a, b = np.asarray(found), np.asarray(wanted)
    near = np.isclose(a, b, rtol=1e-9, atol=1e-9)
    jumps = "angle" in text or "where" in text  # where rounding decides between two values
    assert np.all(near | jumps), (text, a, b)
    assert np.mean(near) > 0.4


# Where they lie.


def test_parts_are_read_where_they_stand() -> None:
    scaled = cogen.stage(lambda z: z * 2)
    kinds = scaled._take((Z,), {}).kinds["z"]
    assert [kind.layout for kind in kinds[1]] == [
        "size=64,stride=128,offset=0,float", "size=64,stride=128,offset=64,float",
    ]  # fmt: skip
    narrow = Z.astype(np.complex64)
    same(scaled(narrow), narrow.astype(complex) * 2)
    same(scaled(np.asfortranarray(M)), M * 2)
    record = np.zeros(3, [("z", complex), ("n", int)])
    record["z"] = Z[:3]
    same(cogen.stage(lambda r: r["z"] * r["n"] + r[1]["z"])(record), np.full(3, Z[1]))
    found = cogen.stage(lambda z, n: cogen.map(lambda v: {"z": v, "n": n}, z))(Z, 3)
    assert found.dtype == np.dtype([("z", complex), ("n", int)])
    same(found["z"], Z)


LAYOUTS = ["cs16", "cs12", "cs16be", "cu8", "cf32"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_packed_channels_are_complex(layout: str) -> None:
    samples = RNG.integers(0, 100, (50, 2))
    data = bytes(signals.pack(samples.astype(float) if layout == "cf32" else samples, layout))

    def level(raw: cogen.packed(layout, complex), turn: Any) -> Any:  # type: ignore[valid-type]  # a value
        return np.abs(raw[1:] * np.conj(raw[:-1])), raw * turn

    level.__annotations__["raw"] = cogen.packed(layout, complex)
    z = signals.unpack(data, layout, dtype=np.complex128)
    staged = cogen.stage(level)
    same(staged(data, 1j), level(z, 1j))
    same(staged._plainly((data, 1j), {}), level(z, 1j))


def test_a_radio_chain_is_one_pass() -> None:
    def heard(raw: cogen.packed("cs12", complex), taps: Any, shift: cogen.static) -> Any:  # type: ignore[valid-type]  # a value
        middle = raw * np.exp(-2j * np.pi * shift * np.arange(len(raw)))
        return np.abs(np.convolve(middle, taps, "valid")[::4])

    heard.__annotations__.update(raw=cogen.packed("cs12", complex), shift=cogen.static)
    samples = RNG.integers(-2000, 2000, (400, 2))
    data = bytes(signals.pack(samples, "cs12"))
    taps = np.hamming(15)
    z = samples[:, 0] + 1j * samples[:, 1]
    staged: Stage[Any, Any] = cogen.stage(heard)
    same(staged(data, taps, 0.1), heard(z, taps, 0.1))


# Errors.

WRONG: list[tuple[Callable[..., Any], str, str]] = [
    (lambda z, x: z[0] < z[1], "complex numbers have no order", "z[0] < z[1]"),
    (lambda z, x: z > x, "complex numbers have no order", "z > x"),
    (lambda z, x: np.maximum(z, 1), "complex numbers have no order", "np.maximum(z, 1)"),
    (lambda z, x: np.sort(z), "np.sort of complex numbers is not staged", "np.sort(z)"),
    (lambda z, x: np.max(z), "np.max of complex numbers is not staged", "np.max(z)"),
    (lambda z, x: np.tan(z), "np.tan of complex numbers is not staged", "np.tan(z)"),
    (lambda z, x: z.astype(float), "lose their imaginary part", "z.astype(float)"),
    (lambda z, x: z.argmax(), "have no `argmax`", "z.argmax"),
    (lambda z, x: np.any(z), "the truth of complex numbers", "np.any(z)"),
    (lambda z, x: x[np.abs(z).argmax()] // z[0], "np.floor_divide of complex", "x[np.abs"),
    (lambda z, x: z @ 2j, "np.matmul is of arrays", "z @ 2j"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_not_staged_is_told_at_its_place(number: int) -> None:
    function, message, place = WRONG[number]
    with pytest.raises(CogenError) as raised:
        cogen.stage(function).program(Z, X)
    error = raised.value
    assert message in error.message
    assert error.span is not None
    assert error.span.source.text[error.span.start :].startswith(place)


def test_a_complex_number_is_no_element_of_an_array_of_reals() -> None:
    def put(z: Any) -> Any:
        a = np.zeros(3)
        a[0] = z[0]
        return a

    def added(z: Any) -> Any:
        a = np.zeros(7)
        a += z
        return a

    for function in (put, added):
        with pytest.raises(CogenError, match="complex"):
            cogen.stage(function).program(Z)


def test_layouts_that_are_not_two_channels() -> None:
    with pytest.raises(CogenError, match="or complex, not <class 'int'>"):
        cogen.packed("cs16", int)

    def f(raw: Any) -> Any:
        return raw

    f.__annotations__["raw"] = cogen.packed("raw12", complex)
    with pytest.raises(CogenError, match="made of two channels, I and Q, but the layout has 1"):
        cogen.stage(f).program(b"abc")
