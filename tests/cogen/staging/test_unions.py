"""Objects of several dataclasses that meet in staged functions: tagged unions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.array.ir.graphwalk import all_nodes
from cogen.array.ir.node import (
    If,
    Multiloop,
)
from tests.cogen.array.targets import has_device


@dataclass
class Cartesian:
    re: float
    im: float


@dataclass
class Polar:
    r: float
    phi: float

    def turned(self, by: float) -> Polar:
        return Polar(self.r, self.phi + by)


@dataclass
class Nothing:
    pass


Number = Cartesian | Polar


def made(x: float) -> Number:
    return Cartesian(x, 0.0) if x > 0.0 else Polar(-x, math.pi)


def real(c: Number) -> float:
    match c:
        case Cartesian(re, _):
            return re
        case Polar(r=r, phi=phi):
            return r * math.cos(phi)


def as_polar(c: Number) -> Polar:
    if isinstance(c, Cartesian):
        return Polar(math.sqrt(c.re * c.re + c.im * c.im), math.atan2(c.im, c.re))
    return c


def listing(xs: Any) -> Any:
    """Seed 002: objects of either class, made in one loop and taken apart in the next."""
    return cogen.map(real, cogen.map(made, xs))


XS = np.array([1.0, -2.0, 3.0, -0.5])


def test_the_listing_of_the_seed() -> None:
    """No union is left: one loop with one conditional, and no array between."""
    staged = cogen.stage(listing)
    assert np.allclose(staged(XS), [real(made(x)) for x in XS], rtol=1e-15)
    program = staged.program(XS)
    assert program.report()["arrays"] == 0
    nodes = all_nodes(program.graph().entry.body)
    assert [sum(isinstance(n, kind) for n in nodes) for kind in (Multiloop, If)] == [1, 1]


def test_one_object_comes_back_as_an_object() -> None:
    staged = cogen.stage(made)
    assert staged(2.5) == Cartesian(2.5, 0.0)
    assert staged(-2.5) == Polar(2.5, math.pi)


def test_arrays_come_back_as_objects() -> None:
    staged = cogen.stage(lambda xs: cogen.map(made, xs))
    found = staged(XS)
    assert found.dtype == object
    assert list(found) == [made(x) for x in XS]
    assert list(staged(XS[:0])) == []


@cogen.stage
def exchanged(x: float, n: int) -> Any:
    c = made(x)
    for _ in range(n):
        match c:
            case Cartesian(re, im):
                c = Polar(re + 1.0, im)
            case Polar() as p:
                t = p.turned(0.5)
                c = Cartesian(t.r * 2.0, t.phi)
    return c


def test_loops_carry_them() -> None:
    for x in (1.5, -1.5):
        expected: Number = made(x)
        for n in range(5):
            assert exchanged(x, n) == expected
            expected = (Polar(expected.re + 1.0, expected.im) if isinstance(expected, Cartesian)
                        else Cartesian(expected.r * 2.0, expected.phi + 0.5))  # fmt: skip


def three(x: float) -> Any:
    if x > 1.0:
        return Cartesian(x, x)
    return Polar(x, 0.0) if x > 0.0 else Nothing()


def size(c: Any) -> float:
    match c:
        case Cartesian() | Polar():
            p = as_polar(c) if isinstance(c, Cartesian) else c
            return p.r
        case _:
            return -1.0


def test_three_classes_and_alternatives() -> None:
    staged = cogen.stage(lambda xs: cogen.map(lambda x: size(three(x)), xs))
    assert np.allclose(staged(XS), [size(three(x)) for x in XS], rtol=1e-15)
    assert list(cogen.stage(lambda xs: cogen.map(three, xs))(XS)) == [three(x) for x in XS]


def test_filtered_and_tested() -> None:
    def polars(xs: Any) -> Any:
        cs = cogen.map(made, xs)
        kept = cogen.filter(lambda c: isinstance(c, Polar), cs)
        return cogen.map(lambda c: as_polar(c).r, kept)

    assert np.array_equal(cogen.stage(polars)(XS), [2.0, 0.5])
    assert np.array_equal(polars(XS), [2.0, 0.5])


def test_what_is_known_is_not_tested() -> None:
    def known(x: float) -> float:
        c = Cartesian(x, 1.0)
        match c:
            case Polar():
                return 0.0
            case Cartesian(re, im):
                return re + im

    program = cogen.stage(known).program(1.0)
    assert "if" not in program.text
    assert program.run(2.0) == 3.0


def test_a_field_that_the_class_does_not_have_is_told() -> None:
    staged = cogen.stage(lambda x: made(x).re)
    assert staged(2.0) == 2.0
    with pytest.raises(cogen.CogenError, match="only Cartesian has a field re"):
        staged(-2.0)
    with pytest.raises(cogen.CogenError, match="none of Cartesian, Polar has a field `z`"):
        cogen.stage(lambda x: made(x).z)(1.0)


def test_an_array_of_them_has_no_fields() -> None:
    with pytest.raises(cogen.CogenError, match=r"`\.re` is read of an array of several classes"):
        cogen.stage(lambda xs: cogen.map(made, xs).re)(XS)


def test_arrays_of_objects_are_arguments() -> None:
    cs = np.array([made(x) for x in XS])
    assert cs.dtype == object
    reals = cogen.stage(lambda cs: cogen.map(real, cs))
    assert np.allclose(reals(cs), [real(c) for c in cs], rtol=1e-15)
    sizes = cogen.stage(lambda cs: cogen.map(lambda c: as_polar(c).r, cs))
    assert list(sizes(cs)) == [as_polar(c).r for c in cs]
    mixed = cogen.stage(lambda x, cs: (made(x), cogen.map(lambda c: c, cs)))
    one, same = mixed(-1.0, cs[::-1])
    assert one == made(-1.0)
    assert list(same) == list(cs[::-1])
    with pytest.raises(cogen.CogenError, match="objects of `Texts`, whose `s` is no number"):
        reals(np.array([Texts("a"), Texts("b")]))


@dataclass
class Texts:
    s: str


def test_targets_agree() -> None:
    program = cogen.stage(listing).program(XS)
    targets = ["c", "opencl"] if has_device() else ["c"]
    for target in targets:
        assert np.allclose(program.compile(target)(XS), program.run(XS), rtol=1e-15)


# Random functions of such values: staged, they give what they give.


def step(kinds: list[int], cuts: list[float], c: Any, x: float) -> Any:
    """A chain of tests; each gives an object of some class of what the value has."""
    for kind, cut in zip(kinds, cuts, strict=True):
        a, b = 0.0, 0.0
        match c:
            case Cartesian(re, im):
                a, b = re, im
            case Polar(r, phi):
                a, b = phi, r
            case Nothing():
                a = x
        if a < cut:
            if kind == 0:
                c = Cartesian(a + 1.0, b)
            elif kind == 1:
                c = Polar(a, b - x)
            elif isinstance(c, Polar):
                c = Nothing()
    return c


@pytest.mark.parametrize("seed", range(4))
def test_random_chains(seed: int) -> None:
    random = Random(seed)
    kinds = [random.randrange(3) for _ in range(4)]
    cuts = [random.uniform(-2.0, 3.0) for _ in kinds]

    def chain(xs: Any) -> Any:
        return cogen.map(lambda x: step(kinds, cuts, three(x), x), xs)

    assert list(cogen.stage(chain)(XS)) == [step(kinds, cuts, three(x), x) for x in XS]
