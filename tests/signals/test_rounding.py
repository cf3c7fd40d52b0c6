"""Scaled numbers that are packed: in C as by NumPy, bit by bit; and the short way for integers."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from cogen import CogenError, signals
from cogen.signals import packing, rounding, values
from cogen.signals.layout import Field
from cogen.signals.rounding import DIVIDED, EXACT, FEW, REFINED, Clamping, rounded

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

ONES = float.fromhex("0x1.fffffffffffffp3")
"""A scale whose bits are all ones, for which the reciprocal may mislead."""

SCALES = [0.1, -0.3, 1 / 3, 7.0, 0.125, -4.0, ONES, 1e-200, 3e180, 1.0, 2.0**-600, np.pi]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("size", "signed"), [(8, False), (12, True), (48, True)])
def test_the_same_as_by_numpy(scale: float, size: int, signed: bool) -> None:
    """Quotients that are integers, halves between them and their neighbours, and all others."""
    field = Field(((0, size),), signed)
    low, high = field.limits
    least, most = float(low), values.below(high + 1)
    clamping = Clamping(scale, least, most, strict=False)
    draw = np.random.default_rng(size)
    whole = draw.integers(low, high, 4 * FEW, endpoint=True).astype(float)
    halves = np.clip(whole + 0.5, low, high)
    close = [np.nextafter(halves * scale, side) for side in (-np.inf, np.inf)]
    numbers = np.concatenate([whole * scale, halves * scale, *close, draw.normal(size=FEW) * scale])
    small = draw.normal(size=FEW) * 5e-324
    with np.errstate(over="ignore"):
        narrow = numbers.astype("f4")
    for given in (np.concatenate([numbers, small]), narrow)[: 2 if size == 12 else 1]:
        with np.errstate(all="ignore"):
            expected = values._scaled(values._times(given, scale), field, "saturate", 0)
        found = rounded(given, field, clamping)
        assert found is not None
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected)
    far = np.concatenate([numbers, [np.inf, -np.inf, 1e308, -1e308, most * scale * 4]])
    with np.errstate(all="ignore"):
        expected = values._scaled(values._times(far, scale), field, "saturate", 0)
    assert np.array_equal(rounded(far, field, clamping), expected)
    assert rounded(far, field, clamping._replace(strict=True)) is None
    assert rounded(np.append(numbers, np.nan), field, clamping) is None


def test_how_is_divided() -> None:
    ways = {scale: rounding._reciprocal(scale)[1] for scale in SCALES}
    assert {s for s in SCALES if ways[s] == EXACT} == {0.125, -4.0, 1.0}
    assert {s for s in SCALES if ways[s] == DIVIDED} == {ONES, 1e-200, 3e180, 2.0**-600}
    assert ways[0.1] == REFINED


@pytest.mark.parametrize("kind", ["f8", "f4", "i4", "?", "f2", ">f8"])
def test_numbers_of_any_type_are_packed(kind: str) -> None:
    layout = signals.Layout(12, signed=True, scale=0.5)
    given = np.random.default_rng(5).integers(0, 100, 2 * FEW).astype(kind)
    packed = signals.pack(given, layout)
    assert np.array_equal(signals.unpack(packed, layout), given.astype(float))
    few = [signals.pack(given[i : i + 50], layout) for i in range(0, len(given) - 48, 50)]
    assert np.array_equal(signals.unpack(few[0], layout), given[:50].astype(float))


def test_what_does_not_fit_is_told_as_ever() -> None:
    layout = signals.Layout(12, scale=0.1)
    given = np.full(3 * FEW, 7.0)
    out = np.full(len(given) * 3 // 2, 0x55, np.uint8)
    given[2 * FEW + 3] = 409.56
    with pytest.raises(CogenError, match=rf"the value 4095\.6 at index {2 * FEW + 3} does not fit"):
        signals.pack(given, layout, out=out)
    assert (out == 0x55).all()
    saturated = signals.unpack(signals.pack(given, layout, saturate=True), layout)
    assert saturated[2 * FEW + 3] == 4095 * 0.1
    given[5] = np.nan
    with pytest.raises(CogenError, match="the value nan at index 5"):
        signals.pack(given, layout, saturate=True)
    wrapped = signals.unpack(signals.pack(given[6:], layout, wrap=True), signals.Layout(12))
    assert wrapped[2 * FEW - 3] == 0


@pytest.mark.one_in(6)
@pytest.mark.parametrize("layout", ["u12", "size=12,signed", "raw10", "size=1", "cs16", "pcm24be"])
def test_the_short_way_packs_the_same(layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = signals.layout(layout)
    low, high = found.fields[0].limits
    draw = np.random.default_rng(9)
    for kind in ("i4", "u1", "i2", "u8"):
        info = np.iinfo(kind)
        least, most = max(low, info.min), min(high, info.max)
        shape = (24,) if found.width is None else (24, found.width)
        given = draw.integers(least, most, shape, kind, endpoint=True)
        wide = draw.integers(info.min, info.max, shape, kind, endpoint=True)
        for options in ({}, {"wrap": True}, {"saturate": True}):
            values_ = wide if options else given
            first = signals.pack(values_, layout, **options)
            if kind == "u8" and "saturate" in options:  # which NumPy does first
                continue
            with monkeypatch.context() as short:
                short.setattr(packing, "as_values", None)
                again = signals.pack(values_, layout, **options)
                assert np.array_equal(first, again)
                assert len(signals.pack(values_[:8], layout, **options)) == len(first) // 3
            assert again is not first
        for wrong in (low - 1, high + 1):
            if info.min <= wrong <= info.max:
                given.reshape(-1)[5] = wrong
                with pytest.raises(CogenError, match="does not fit"):
                    signals.pack(given, layout)


def test_the_short_way_refuses_as_the_long_one() -> None:
    given = np.arange(8, dtype=np.uint16)
    signals.pack(given, "raw10")
    for wrong, told in (
        (lambda: signals.pack(given[:7], "raw10"), "no whole groups"),
        (lambda: signals.pack(np.uint16(3), "raw10"), "shape"),
        (lambda: signals.pack(given.reshape(2, 4), "raw10"), "shape"),
        (lambda: signals.pack(given, "raw10", threads=0), "threads"),
        (lambda: signals.pack(given, ["raw10"]), "layout"),  # type: ignore[arg-type]
        (lambda: signals.pack(given, "raw10", wrap=True, saturate=True), "exclude"),
    ):
        with pytest.raises(CogenError, match=told):
            wrong()
    assert np.array_equal(signals.pack(np.arange(16, dtype=np.uint16)[::2], "raw10"),
                          signals.pack(np.arange(0, 16, 2), "raw10"))  # fmt: skip
    assert len(signals.pack(given[:0], "raw10")) == 0
