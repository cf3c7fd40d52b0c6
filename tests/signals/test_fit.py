"""Values out of range are refused by the machine code that packs them."""

from __future__ import annotations

import platform

import numpy as np
import pytest

from cogen import signals
from cogen.backends.objectcode.cache import shared_object
from cogen.lang.errors import CogenError
from cogen.signals import quickpacking
from cogen.signals.formats import to_layout
from cogen.signals.kernels import NativeKernel, c_text
from cogen.signals.layout import bytes_needed
from cogen.signals.packing import task_of
from cogen.signals.task import Extent

GAPLESS_OR_NOT = ("u10", "raw10", "raw20", "u1", "s24", "cs12be", "v210", "size=12,stride=16")
is_x86 = platform.machine() in ("x86_64", "AMD64")
KINDS = ("u1", "i1", "u2", "i2", "i4", "u8", "i8")


@pytest.mark.quick
@pytest.mark.parametrize("kind", ["u1", "i1"])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("size", range(1, 13))
def test_the_test_is_that_of_the_limits(kind: str, signed: bool, size: int) -> None:
    """All elements of a byte, to samples of all sizes up to more than a byte."""
    layout = signals.Layout(size, signed=signed)
    values = np.arange(-128, 128) if kind == "i1" else np.arange(256)
    low, high = layout.fields[0].limits
    test = task_of(np.dtype(kind), layout, False, False).fit
    for value in map(int, values):
        beyond = 0 if test is None else ((value + test.added) & 0xFF) >> test.bits
        assert (beyond == 0) == (low <= value <= high)


@pytest.mark.quick
def test_what_is_not_looked_at() -> None:
    """Floats, records, several kinds of samples, what is clamped, and what always fits."""
    plain = np.dtype("u2")
    assert task_of(np.dtype("f4"), to_layout("f32"), False, False).fit is None
    assert task_of(plain, to_layout("u4u12"), False, False).fit is None
    assert task_of(plain, to_layout("u12"), True, False).fit is None
    assert task_of(plain, to_layout("u16"), False, False).fit is None
    record = np.dtype([("a", "u2"), ("b", "u2")])
    assert task_of(record, to_layout("u12"), False, False).fit is None


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["u12", "s12", "raw12"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_value_is_refused(name: str, kind: str) -> None:
    """The nearest value beyond the limits, wherever it is; what is in `out` stays as it was."""
    count = 1 << 15  # several blocks of all but bytes
    low, high = to_layout(name).fields[0].limits
    info = np.iinfo(kind)
    good = np.random.default_rng(1).integers(
        max(low, info.min), min(high, info.max), count, kind, endpoint=True
    )
    good[:2] = max(low, info.min), min(high, info.max)
    packed = signals.pack(good, name)
    assert np.array_equal(signals.unpack(packed, name, count=count), good)
    beyond = [int(info.min), low - 1, high + 1, int(info.max)]
    for bad in (b for b in beyond if info.min <= b <= info.max and not low <= b <= high):
        for place in (0, 1, count // 2 + 1, count - 1):
            values = good.copy()
            values[place] = bad
            out = np.full(len(packed), 0xA5, np.uint8)
            for into in (None, out):
                with pytest.raises(CogenError, match=f"value {bad} at index {place} does not fit"):
                    signals.pack(values, name, out=into)
            assert (out == 0xA5).all()
    out = np.zeros_like(packed)
    assert np.array_equal(signals.pack(good, name, out=out), packed)


@pytest.mark.parametrize("into", [False, True])
def test_threads_and_rows(into: bool) -> None:
    """Each thread looks at its part; none stores where another one's values are out of range."""
    values = np.random.default_rng(2).integers(0, 1 << 12, (512, 1000))
    for layout, array in (
        ("u12", values.reshape(-1)),
        (signals.Rows("u12", 1000, pitch=1504), values),
    ):
        packed = signals.pack(array, layout, threads=1)
        out = np.zeros_like(packed) if into else None
        assert np.array_equal(signals.pack(array, layout, out=out, threads=3), packed)
        for place in (0, array.size // 2, array.size - 1):
            wrong = array.copy()
            wrong.reshape(-1)[place] = -1
            out = np.full(len(packed), 0x5A, np.uint8) if into else None
            with pytest.raises(CogenError, match="the value -1 at index"):
                signals.pack(wrong, layout, out=out, threads=3)
            assert out is None or (out == 0x5A).all()


@pytest.mark.parametrize("name", GAPLESS_OR_NOT)
def test_new_memory_may_hold_anything(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where all bits are samples' is memory taken as it is, all of which is stored then."""
    layout = to_layout(name)
    taken = []

    def full(shape: int, dtype: object) -> np.ndarray:
        taken.append(shape)
        return np.full(shape, 0xFF, np.uint8)

    monkeypatch.setattr(quickpacking, "empty_array", full)
    one = layout.fields[0]
    for count in (1, 2, 3, 5, 64, 65, 9999, 10000):
        items = count * len(layout.fields) // layout.per_item
        shape = (items,) if layout.width is None else (items, layout.width)
        if items * layout.per_item % len(layout.fields):
            continue
        zeros = np.zeros(shape, one.dtype)
        for values in (zeros, zeros + one.limits[1]):
            for _ in range(2):  # later calls go another way
                packed = signals.pack(values, layout)
                out = signals.pack(values, layout, out=np.zeros_like(packed))
                assert np.array_equal(packed, out)
    assert bool(taken) == layout.pattern.is_full


@pytest.mark.one_in(4)
@pytest.mark.parametrize("without", ["", "-mno-avx512f"] if is_x86 else [""])
@pytest.mark.parametrize(
    ("name", "kind"),
    [("u12", "u2"), ("s12", "i2"), ("s12", "u2"), ("raw10", "u2"), ("u1", "u1"), ("u3", "u1"),
     ("s5", "i1"), ("u4", "i4"), ("u20", "i8"), ("raw14", "i4"), ("v210", "u2")],
)  # fmt: skip
def test_all_elements_are_looked_at(name: str, kind: str, without: str) -> None:
    """Wherever it is: in vectors, in rounds after them, in what is no whole round; with any number
    of elements, at any address; and what is packed is the same."""
    layout = to_layout(name)
    task = task_of(np.dtype(kind), layout, False, False)
    native = NativeKernel(shared_object(c_text(task), [without] if without else []), "", True)
    draw = np.random.default_rng(3)
    low, high = layout.fields[0].limits
    info = np.iinfo(kind)
    bad = high + 1 if high < info.max else -1
    for samples in (len(layout.fields), 60, 960):
        memory = np.zeros(samples + 1, kind)
        shifted = memory.view(np.uint8)[1 : 1 + samples * memory.itemsize]
        size = bytes_needed(layout, samples // layout.per_item)
        for array in (memory[:samples].view(np.uint8), shifted):
            values = draw.integers(max(low, info.min), min(high, info.max), samples, kind)
            array[:] = values.view(np.uint8)
            out, moved = np.zeros((2, size), np.uint8)
            extent = Extent(array.size, 0, size, 0, samples)
            assert native.packs(array, out, extent)
            native(array, moved, extent, 1.0)
            assert np.array_equal(out, moved)
            for place in range(samples):
                wrong = values.copy()
                wrong[place] = bad
                array[:] = wrong.view(np.uint8)
                assert not native.packs(array, out, extent)


@pytest.mark.parametrize("name", ["raw10", "s12"])
def test_all_elements_of_rows_are_looked_at(name: str) -> None:
    """Of rows that are not one piece, which are packed and looked at one by one."""
    rows = signals.Rows(name, 68, pitch=128)
    low, high = to_layout(name).fields[0].limits
    values = np.random.default_rng(5).integers(low, high, (5, 68), np.int16, endpoint=True)
    packed = signals.pack(values, rows)
    assert np.array_equal(signals.unpack(packed, rows), values)
    out = np.full(len(packed), 0x5A, np.uint8)
    for place in range(values.size):
        wrong = values.copy()
        wrong.reshape(-1)[place] = high + 1
        for into in (None, out):
            with pytest.raises(CogenError, match=f"the value {high + 1} at index"):
                signals.pack(wrong, rows, out=into)
    assert (out == 0x5A).all()
