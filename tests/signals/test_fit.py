"""Values out of range are refused by the machine code that packs them."""

from __future__ import annotations

import platform
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from cogen import signals
from cogen.backends.objectcode.cache import shared_object
from cogen.lang.errors import CogenError
from cogen.signals import Group, quickpacking
from cogen.signals.formats import to_layout
from cogen.signals.kernels import NativeKernel, c_text
from cogen.signals.layout import bytes_made, bytes_needed
from cogen.signals.packing import task_of
from cogen.signals.task import Extent, Fitness, FitTest, Task
from tests.signals.bitmodel import some_layout, stored

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
    fitness = task_of(np.dtype(kind), layout, False, False).fit
    for value in map(int, values):
        beyond = 0
        if fitness is not None:
            assert fitness.alike == fitness.tests[0]
            beyond = ((value + fitness.tests[0].added) & 0xFF) >> fitness.tests[0].bits
        assert (beyond == 0) == (low <= value <= high)


@pytest.mark.quick
def test_what_is_not_looked_at() -> None:
    """Floats, what is clamped, what always fits, and what is no array."""
    plain = np.dtype("u2")
    assert task_of(np.dtype("f4"), to_layout("f32"), False, False).fit is None
    assert task_of(plain, to_layout("u12"), True, False).fit is None
    assert task_of(plain, to_layout("u16"), False, False).fit is None
    for packed in ("u12", "s24", "u16"):
        assert Task(to_layout(packed).pattern, to_layout("u3").pattern).fit is None


@pytest.mark.quick
def test_fields_have_tests_of_their_own() -> None:
    """But for those that always fit; the elements of an array have them in turn."""
    record = np.dtype([("a", "u2"), ("b", "i4"), ("c", "u1")])
    fitness = task_of(record, to_layout("u4s20u8"), False, False).fit
    assert fitness == Fitness(3, 7, (FitTest(0, 2, 4, 0), FitTest(2, 4, 20, 1 << 19)))
    group = signals.Group(16, (signals.Field(((0, 4),)), signals.Field(((4, 12),))))
    fitness = task_of(np.dtype("u2"), group, False, False).fit
    assert fitness == Fitness(2, 4, (FitTest(0, 2, 4, 0), FitTest(2, 2, 12, 0)))


def wide_records(layout: Group, count: int, draw: Random) -> np.ndarray:
    """Values of the fields, whose types are any that hold them, with gaps between them or not."""
    kinds = [
        draw.choice([k for k in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8") if holds(k, f)])
        for f in layout.fields
    ]
    made = [(f.name, kind) for f, kind in zip(layout.fields, kinds, strict=True)]
    records = np.zeros(count, np.dtype(made, align=draw.random() < 0.5))
    for field in layout.fields:
        low, high = field.limits
        records[field.name] = [draw.choice([low, high, draw.randint(low, high)]) for _ in records]
    return records


def holds(kind: str, field: signals.Field) -> bool:
    info, (low, high) = np.iinfo(kind), field.limits
    return int(info.min) <= low and high <= int(info.max)


@pytest.mark.one_in(32)
@pytest.mark.parametrize("seed", range(32))
def test_records_and_groups_of_several_sizes(seed: int) -> None:
    """A value beyond the limits of its field is refused, in the first call and in later ones, which
    go another way; others are packed as the model says."""
    draw = Random(seed)
    layout: Any = None
    while not isinstance(layout, Group) or len({f.size for f in layout.fields}) == 1:
        layout = some_layout(draw)
    layout = replace(layout, offset=0)
    is_record = layout.dtype.names is not None
    layout = replace(layout, shape="record")
    fields = len(layout.fields)
    for count in (1, 3, 40):
        records = wide_records(layout, count, draw)
        rows = [record[f] for record in records.tolist() for f in range(fields)]
        size = bytes_needed(layout, count)
        given: Any = records
        shape = layout
        if not is_record:
            signed = layout.fields[0].signed
            given = np.array(rows, "i8" if signed else "u8").reshape(-1, fields)
            shape = replace(layout, shape="channels")
        for _ in range(3):
            made = bytes(bytes_made(shape, count))
            assert bytes(signals.pack(given, shape)) == stored(made, layout, rows)
            out = bytearray(draw.randbytes(size))
            expected = stored(bytes(out), layout, rows)
            assert signals.pack(given, shape, out) == expected
        for number, field in enumerate(layout.fields):
            kind = given.dtype[field.name] if is_record else given.dtype
            info, (low, high) = np.iinfo(kind), field.limits
            for bad in (b for b in (low - 1, high + 1) if info.min <= b <= info.max):
                place = draw.randrange(count)
                wrong = given.copy()
                if is_record:
                    wrong[field.name][place] = bad
                else:
                    wrong[place, number] = bad
                for into in (None, bytearray(expected)):
                    with pytest.raises(CogenError, match=f"the value {bad}.* at index {place}"):
                        signals.pack(wrong, shape, into)
                    assert into is None or into == expected


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["u12", "raw10", "s5", "u4u12", "v210"])
def test_conversions_look_at_elements(name: str) -> None:
    """Of what is like an array, by one kernel; the message is that of values that are packed."""
    target = to_layout(name)
    if target.dtype.names is not None:
        target = replace(target, shape="channels")
    source = signals.Layout(32, signed=True, channels=target.channels)
    low = max(field.limits[0] for field in target.fields)
    high = min(field.limits[1] for field in target.fields)
    values = np.random.default_rng(4).integers(low, high, 12000, np.int32, endpoint=True)
    shaped = values.reshape(-1, source.channels) if source.channels > 1 else values
    expected = signals.pack(shaped, target)
    for given in (values.tobytes(), values, memoryview(values.tobytes())) * 2:
        assert np.array_equal(signals.convert(given, source, target), expected)
    for count in (12, 12000):
        for place in (0, count // 2, count - 1):
            wrong = values[:count].copy()
            wrong[place] = 1 << 20
            where = place // source.channels
            for _ in range(2):
                with pytest.raises(
                    CogenError, match=rf"the value 1048576( of f\d)? at index {where}\b"
                ):
                    signals.convert(wrong.tobytes(), source, target)


@pytest.mark.one_in(12)
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


@pytest.mark.one_in(4)
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
