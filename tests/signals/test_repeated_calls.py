"""Calls give what the model of bits says, the first and later ones, which go another way: buffers,
arrays and memory of every kind, rows, values out of range."""

from __future__ import annotations

import mmap
from array import array
from random import Random
from typing import Any

import numpy as np
import pytest

from cogen import signals
from cogen.lang.errors import CogenError
from cogen.signals import Layout, Rows
from cogen.signals.layout import AnyLayout, bytes_made, bytes_needed
from cogen.signals.quickpacking import ROUNDED
from tests.signals import bitmodel
from tests.signals.bitmodel import Array

LENGTHS = (0, 1, 2, 3, 17, 64, 100, 300)


def some_bytes(draw: Random, size: int) -> bytes:
    return draw.randbytes(size)


def buffer_of(data: bytes, draw: Random) -> Any:
    """Something with these bytes."""
    mapped = mmap.mmap(-1, max(1, len(data)))
    mapped[: len(data)] = data
    ways: list[Any] = [
        data, bytearray(data), memoryview(data), memoryview(b"x" + data + b"y")[1 : 1 + len(data)],
        np.frombuffer(data, np.uint8), np.frombuffer(data, np.uint8).reshape(1, -1),
        array("B", data), mapped if data else data,
    ]  # fmt: skip
    if len(data) % 8 == 0:
        ways.append(np.frombuffer(data, np.int64))
    return draw.choice(ways)


def target_of(shape: tuple[int, ...], dtype: np.dtype[Any], draw: Random) -> Array | None:
    """An array to unpack to, or none."""
    size = int(np.prod(shape)) * dtype.itemsize
    ways = [
        None, np.zeros(shape, dtype), np.zeros(shape, dtype, "F"),
        np.zeros((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2],
        np.zeros(size + 1, np.uint8)[1:].view(dtype).reshape(shape),
    ]  # fmt: skip
    if dtype.names is None:
        ways.append(np.zeros(shape, dtype.newbyteorder()))
    return draw.choice(ways)


def memory_of(data: bytes, draw: Random) -> Any:
    """Memory with these bytes that can be packed into."""
    mapped = mmap.mmap(-1, max(1, len(data)))
    mapped[: len(data)] = data
    ways: list[Any] = [
        bytearray(data), np.frombuffer(data, np.uint8).copy(), array("B", data),
        memoryview(bytearray(b"x" + data))[1:], mapped if data else bytearray(),
    ]  # fmt: skip
    return draw.choice(ways)


def unpacks_as(expected: Array, data: bytes, shape: Any, draw: Random, **given: Any) -> None:
    out = target_of(expected.shape, expected.dtype, draw)
    found = signals.unpack(buffer_of(data, draw), shape, out=out, **given)
    assert out is None or found is out
    assert found.dtype.newbyteorder("=") == expected.dtype
    assert found.shape == expected.shape
    assert found.astype(expected.dtype).tobytes() == expected.tobytes()


def packs_as(empty: bytes, given: Any, shape: Any, draw: Random, words: Any, model: Any) -> None:
    """`model` stores the samples in bytes."""
    assert bytes(signals.pack(given, shape, **words)) == model(empty)
    before = some_bytes(draw, len(empty) + draw.choice([0, 3]))
    out = memory_of(before, draw)
    assert signals.pack(given, shape, out=out, **words) is out
    assert bytes(out[:]) == model(before)


def refuses(values: Array, size: int, shape: Any, bad: int, draw: Random) -> None:
    """Nothing is stored then."""
    before = some_bytes(draw, size)
    for out in (None, bytearray(before)):
        with pytest.raises(CogenError, match=f"the value {bad} at index"):
            signals.pack(values, shape, out=out)
        assert out is None or out == before


def plain(array_: Array, layout: AnyLayout) -> tuple[Array, list[int]]:
    """An array without NaN, whose bits may change, and its samples."""
    size = layout.fields[0].size // 8
    array_ = np.nan_to_num(array_)
    return array_, [int(x) for x in array_.reshape(-1).view(f"u{size}")]


def as_given(array_: Array, kind: str | None, draw: Random) -> Any:
    """The same numbers in another type, in another order in memory, or in a list."""
    if array_.dtype.names is not None:
        return array_
    if kind is not None and array_.dtype.kind in "iu":
        wide = array_.astype(kind)
        if np.array_equal(wide.astype(object), array_.astype(object)):
            array_ = wide
    if array_.size and draw.random() < 0.3:
        return array_.tolist()
    return np.asfortranarray(array_) if draw.random() < 0.3 else array_


def check_samples(layout: AnyLayout, draw: Random) -> None:
    kind = draw.choice([None, None, "i8", "i4", "u8", ">i8", "f8"])
    words = draw.choice([{}, {}, {"wrap": True}, {"saturate": True}])
    for _ in range(3):
        words = {**words, "threads": draw.choice([None, 1, 2])}
        samples = draw.choice(LENGTHS) * len(layout.fields)
        items = samples // layout.per_item
        size = bytes_needed(layout, items)
        data = some_bytes(draw, size)
        if items * layout.per_item != samples:
            continue
        values = bitmodel.values_of(data, layout, samples)
        shape = (items,) if layout.width is None else (items, layout.width)
        expected = bitmodel.as_array(values, layout, shape)
        more = data + some_bytes(draw, draw.choice([0, 1, 5]))
        unpacks_as(expected, more, layout, draw, count=items, threads=words["threads"])
        if layout.fields[0].float:
            expected, values = plain(expected, layout)
        given = as_given(expected, kind, draw)

        def model(before: bytes, values: list[int] = values) -> bytes:
            return bitmodel.stored(before, layout, values)

        packs_as(bytes(bytes_made(layout, items)), given, layout, draw, words, model)
    field = layout.fields[0]
    if len({f.size for f in layout.fields}) > 1 or expected.dtype.kind not in "iu":
        return
    if expected.size and field.size < 63 and words.get("wrap") is None:
        wrong = expected.astype(np.int64)
        bad = draw.choice([field.limits[0] - 1, field.limits[1] + 1])
        wrong.reshape(-1)[draw.randrange(wrong.size)] = bad
        refuses(wrong, size, layout, bad, draw)


def check_rows(layout: AnyLayout, draw: Random) -> None:
    rows = bitmodel.some_rows(layout, draw)
    words = draw.choice([{}, {"wrap": True}, {"saturate": True}])
    spare = -rows.samples % len(layout.fields)
    for _ in range(3):
        height = draw.choice([0, 1, 2, 9]) if rows.height is None else rows.height
        size = rows.bytes_needed(height)
        data = some_bytes(draw, size)
        parts = [
            bitmodel.values_of(data, layout, rows.samples, row * rows.distance)
            for row in range(height)
        ]
        values = [value for part in parts for value in part]
        expected = bitmodel.as_array(values, layout, rows.shape(height))
        unpacks_as(expected, data, rows, draw)
        if layout.fields[0].float:
            expected, flat = plain(expected, layout)
            parts = [flat[i : i + rows.samples] for i in range(0, len(flat), rows.samples)]

        def model(before: bytes, parts: list[list[int]] = parts) -> bytes:
            for row, part in enumerate(parts):
                filled = part + [0] * spare
                before = bitmodel.stored(before, layout, filled, row * rows.distance)
            return before

        if layout.dtype.names is None or not spare:
            made = bytes(rows.bytes_made(height))
        packs_as(made, as_given(expected, None, draw), rows, draw, words, model)


@pytest.mark.one_in(24)
@pytest.mark.parametrize("seed", range(48))
def test_calls_are_as_the_model_says(seed: int) -> None:
    draw = Random(seed)
    layout = bitmodel.some_layout(draw)
    (check_rows if seed % 3 == 0 else check_samples)(layout, draw)


def test_scaled_numbers_are_packed_alike_by_later_calls() -> None:
    """NumPy rounds few numbers at first, then C; what is refused is told alike."""
    layout = Layout(12, scale=0.25, signed=True)
    numbers = np.array([0.0, 0.125, 0.375, -0.126, 511.75, -512.0])
    first = signals.pack(numbers, layout)
    assert signals.unpack(first, layout, 6).tolist() == [0.0, 0.0, 0.5, -0.25, 511.75, -512.0]
    clamped = [signals.pack(numbers * 9, layout, saturate=True) for _ in range(2 * ROUNDED)]
    for _ in range(2 * ROUNDED):
        assert np.array_equal(signals.pack(numbers, layout), first)
        out = np.zeros_like(first)
        signals.pack(numbers, layout, out=out)
        assert np.array_equal(out, first)
        for wrong in (np.nan, 512.0, -1e300):
            with pytest.raises(CogenError, match="at index 3 does not fit in 12 bits"):
                signals.pack(np.array([1.0, 2.0, 3.0, wrong]), layout)
    assert all(np.array_equal(other, clamped[0]) for other in clamped)


def test_true_is_one() -> None:
    """Which a sample of one bit with a sign is not."""
    layout = Layout(1, signed=True)
    for _ in range(2):
        assert signals.pack([True, False, True], Layout(1)).tolist() == [5]
        assert signals.pack([False, False], layout).tolist() == [0]
        assert signals.pack([True, False], layout, saturate=True).tolist() == [0]
        with pytest.raises(CogenError, match="the value 1 at index 0 does not fit"):
            signals.pack([True, False], layout)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("words", [{}, {"saturate": True}, {"wrap": True}])
def test_floats_that_are_integers(words: Any) -> None:
    """Some at first by NumPy, then in C; what is no integer is told of alike."""
    for kind in ("f4", "f8", ">f8", "f2"):
        numbers = np.arange(-8, 16, dtype=kind)
        layout = Layout(6, signed=True)
        first = signals.pack(numbers.astype(np.int8), layout)
        rows = Rows(layout, 12)
        for round_ in range(2 * ROUNDED):
            assert np.array_equal(signals.pack(numbers, layout, **words), first)
            assert np.array_equal(signals.pack(np.repeat(numbers, 2)[::2], layout, **words), first)
            assert np.array_equal(signals.pack(numbers.reshape(2, 12), rows, **words), first)
            wrong = numbers.copy()
            for bad in (0.5, np.nan, -3.25) if round_ in (0, 2 * ROUNDED - 1) else ():
                wrong[5] = bad
                with pytest.raises(CogenError, match=r"the value \S+ at index 5 is no integer"):
                    signals.pack(wrong, layout, **words)
            wrong[5] = 32
            if not words:
                with pytest.raises(CogenError, match=r"the value 32.0 at index 5 does not fit"):
                    signals.pack(wrong, layout)
            if "saturate" in words:
                values = signals.unpack(signals.pack(wrong, layout, **words), layout, 24)
                assert np.array_equal(values, np.minimum(wrong, 31))
    many = np.arange(1 << 11, dtype=float)
    assert np.array_equal(signals.unpack(signals.pack(many, "u11"), "u11"), many)
    many[1500] += 0.25
    with pytest.raises(CogenError, match=r"the value 1500.25 at index 1500 is no integer"):
        signals.pack(many, "u11")


@pytest.mark.parametrize(("kind", "name"), [("c8", "cf32"), ("c16", "cs16"), (">c8", "cs8")])
def test_complex_numbers_as_pairs(kind: str, name: str) -> None:
    """Of any order of bytes, in pieces, in rows."""
    numbers = (np.arange(12) - 3j * np.arange(12)[::-1]).astype(kind)
    pairs = np.stack([numbers.real, numbers.imag], axis=-1)
    if name != "cf32":
        pairs = pairs.astype(int)
    expected = signals.pack(pairs.astype(pairs.dtype.newbyteorder("=")), name)
    for _ in range(2 * ROUNDED):
        assert np.array_equal(signals.pack(numbers, name), expected)
        assert np.array_equal(signals.pack(np.repeat(numbers, 3)[::3], name), expected)
        rows = signals.pack(numbers.reshape(3, 4), Rows(name, 4))
        assert np.array_equal(rows, expected)
        out = np.zeros_like(expected)
        assert signals.pack(numbers, name, out) is out
        assert np.array_equal(out, expected)
        assert np.array_equal(signals.unpack(out, name, dtype=complex), numbers)


def test_arrays_of_no_dimension_are_refused() -> None:
    for kind in ("u2", ">u2", "f8"):
        for _ in range(2):
            signals.pack(np.ones(4, kind), "u12")
            with pytest.raises(CogenError, match="shape"):
                signals.pack(np.ones((), kind), "u12")


def test_lists_that_are_no_numbers() -> None:
    signals.pack([1, 2], "u12")
    for wrong in ([1, [2]], [1, "a"], [1, 1 << 70], [None]):
        with pytest.raises(CogenError):
            signals.pack(wrong, "u12")


def test_rows_into_memory_of_their_own() -> None:
    """What is packed or unpacked may lie in the same memory."""
    rows = Rows("u4", 6, 3, 5)
    data = np.arange(15, dtype=np.uint8)
    expected = signals.unpack(data.tobytes(), rows)
    for _ in range(2):
        memory = np.zeros(18, np.uint8)
        memory[:15] = data
        out = memory.reshape(3, 6)
        assert np.array_equal(signals.unpack(memory[:15], rows, out=out), expected)
        packed = signals.pack(expected, rows)
        memory = expected.copy()
        signals.pack(memory, rows, out=memory.reshape(-1)[: len(packed)])
        found = memory.reshape(-1)[: len(packed)]
        assert np.array_equal(signals.unpack(found, rows), expected)
