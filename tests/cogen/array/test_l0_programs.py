"""The programs of tests/programs/l0 do what their headers say."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import cogen
from cogen.array import Program, load
from tests.cogen.array.programs import PROGRAMS, headers, place

pytestmark = pytest.mark.quick

CASES = [
    pytest.param(path, kind, text, id=f"{path.stem}-{i}")
    for path in sorted(PROGRAMS.glob("*.l0"))
    for i, (kind, text) in enumerate(headers(path))
]
UNIQUENESS = sorted((PROGRAMS / "uniqueness").glob("*.l0"))


def test_every_program_has_expectations() -> None:
    for path in [*PROGRAMS.rglob("*.l0")]:
        assert headers(path), path


@pytest.mark.parametrize(("path", "kind", "text"), CASES)
def test_program(path: Path, kind: str, text: str) -> None:
    call, _, expected = text.rpartition(" => ")
    entry, _, values = call.partition(" ")
    program = load(path)
    if kind == "run":
        assert program.run_text(values, entry) == expected
        return
    assert kind == "fails"
    with pytest.raises(cogen.CogenError) as caught:
        program.run_text(values, entry)
    assert caught.value.render().splitlines()[0] == place(str(path), expected)


@pytest.mark.parametrize("path", UNIQUENESS, ids=lambda path: path.stem)
def test_uniqueness(path: Path) -> None:
    expected = headers(path)
    if expected == [("check", "")]:
        load(path)
        return
    with pytest.raises(cogen.CogenError) as caught:
        load(path)
    error = caught.value
    found = [("error", error.span, error.message)]
    found += [("note", note.span, note.message) for note in error.notes]
    shown = [
        (kind, f"{span.line}:{span.column}: {message}") for kind, span, message in found if span
    ]
    assert shown == expected


def test_there_are_enough_uniqueness_programs() -> None:
    kinds = [headers(path)[0][0] for path in UNIQUENESS]
    assert kinds.count("check") >= 30
    assert kinds.count("error") >= 30


# The programs of the appendix against computations of our own.


def black_scholes(call: bool, price: float, strike: float, years: float) -> float:
    def cnd(d: float) -> float:
        return 0.5 * (1.0 + math.erf(d / math.sqrt(2.0)))

    rate, volatility = 0.08, 0.30
    root = volatility * math.sqrt(years)
    d1 = (math.log(price / strike) + (rate + 0.5 * volatility**2) * years) / root
    d2 = d1 - root
    discounted = strike * math.exp(-rate * years)
    if call:
        return price * cnd(d1) - discounted * cnd(d2)
    return discounted * (1.0 - cnd(d2)) - price * (1.0 - cnd(d1))


def test_p0_prices_options() -> None:
    generator = np.random.default_rng(1)
    calls = generator.integers(0, 2, 50).astype(bool)
    prices, strikes = generator.uniform(40.0, 90.0, (2, 50))
    years = generator.uniform(0.1, 3.0, 50)
    options = (calls, prices, strikes, years)
    found = load(PROGRAMS / "p0.l0").run(options, entry="blackscholes")
    expected = [
        black_scholes(bool(option[0]), *map(float, option[1:]))
        for option in zip(*options, strict=True)
    ]
    assert found.dtype == np.float64
    assert found == pytest.approx(np.array(expected), abs=1e-4)  # horner approximates erf


@pytest.mark.parametrize("name", ["p1", "p1_optimised"])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_p1_multiplies_matrices(name: str, n: int) -> None:
    generator = np.random.default_rng(n)
    a, b = generator.integers(-50, 50, (2, n, n))
    assert np.array_equal(load(PROGRAMS / f"{name}.l0").run(a, b), a @ b)


def test_p1_of_the_loops_agrees() -> None:
    generator = np.random.default_rng(7)
    a, b = generator.integers(-50, 50, (2, 4, 4))
    found = load(PROGRAMS / "matmult_loops.l0").run(4, a, b, entry="matmultImp")
    assert np.array_equal(found, a @ b)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_p2_relaxes_distances(n: int) -> None:
    d = np.random.default_rng(n).integers(1, 100, (n, n))
    expected = np.minimum(d, (d[:, :, None] + d[None, :, :]).min(axis=1))
    found = load(PROGRAMS / "p2.l0").run(n, d, entry="floydSbsFun")
    assert np.array_equal(found, expected)


def test_programs_are_loaded_through_cogen() -> None:
    program = cogen.array.load(PROGRAMS / "p2.l0")
    assert isinstance(program, Program)
    assert program.entries[0] == "MIN"
    assert program.run().tolist() == [[2, 4, 5], [1, 5, 3], [3, 7, 1]]
