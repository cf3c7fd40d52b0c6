"""Unpacking, packing, converting and compiled programs: examples, misuse, threads."""

from __future__ import annotations

import shutil
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import cogen
from cogen import CogenError, signals
from cogen.lang.warning import CogenWarning
from cogen.signals import Group, Layout, kernels, quickpacking, quickunpacking, unpacking
from tests.signals.residualmover import ResidualMover, use

HAS_COMPILER = any(map(shutil.which, ("cc", "gcc", "clang")))
native = pytest.mark.skipif(not HAS_COMPILER, reason="there is no C compiler")


@pytest.mark.one_in(16)
@native
@pytest.mark.parametrize(
    "layout",
    [
        Layout(12),
        Layout(12, order="big", offset=13),
        Layout(1),
        Layout(24, signed=True, channels=2),
        Layout(10, 17, 5, "big", signed=True),
        Layout(20, -24, 60_000, signed=True),
        Layout(64, 65, 1, "big"),
        Layout(32, float=True, order="big"),
        Layout(7, 9, scale=0.25),
        "raw10",
        "raw14",
        "rgb565",
        "u12s4p4f32<",
    ],
    ids=str,
)
def test_native_kernels_on_many_samples(layout: Layout | str) -> None:
    data = np.random.default_rng(1).integers(0, 256, 7_537, np.uint8)
    shape: Any = signals.layout(layout) if isinstance(layout, str) else layout
    found = signals.unpack(data, layout)
    with pytest.MonkeyPatch.context() as patch:
        use(patch, ResidualMover)
        slow = signals.unpack(data[:997], layout) if shape.step > 0 else found
    assert found[: len(slow)].tobytes() == slow.tobytes()
    for fewer in (0, 1, 2, 3):
        end = (len(found) - fewer) // 4 * 4
        part = np.ascontiguousarray(found[:end])
        out = np.full(len(data), 0x5A, np.uint8)
        signals.pack(part, layout, out=out)
        assert signals.unpack(out, layout, end).tobytes() == part.tobytes()


@native
def test_buffers_of_every_length_and_alignment() -> None:
    data = np.random.default_rng(2).integers(0, 256, 80, np.uint8)
    whole = signals.unpack(data, "raw12").tolist()
    for start in range(0, 9, 3):
        for end in range(start, 80):
            found = signals.unpack(data[start:end], "raw12").tolist()
            assert found == whole[start // 3 * 2 :][: (end - start) // 3 * 2]


def test_channels_and_counts() -> None:
    stereo = Layout(8, channels=2)
    assert signals.unpack(bytes(range(7)), stereo).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert signals.unpack(bytes(range(7)), stereo, 1).shape == (1, 2)
    assert signals.unpack(b"", stereo).shape == (0, 2)
    assert bytes(signals.pack([[1, 2], [3, 4]], stereo)) == bytes([1, 2, 3, 4])


def test_scaled_samples_are_rounded_to_even() -> None:
    layout = Layout(8, signed=True, scale=0.5)
    assert signals.unpack(b"\x01\xff", layout).tolist() == [0.5, -0.5]
    assert bytes(signals.pack([0.25, 0.75, 1, -63.9], layout)) == bytes([0, 2, 2, 128])
    assert bytes(signals.pack([1000.0, -np.inf], layout, saturate=True)) == bytes([127, 128])
    with pytest.raises(CogenError, match=r"the value 128.0 at index 1 does not fit in 8 bits"):
        signals.pack([0.0, 64.0], layout)
    with pytest.raises(CogenError, match="the value nan at index 0"):
        signals.pack([np.nan], layout, saturate=True)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("size", [63, 64])
def test_scaled_samples_near_the_greatest(size: int) -> None:
    layout = Layout(size, scale=1.0)
    top = float(np.nextafter(2.0**size, 0))
    assert signals.unpack(signals.pack([top, 0.0], layout), layout).tolist() == [top, 0.0]
    with pytest.raises(CogenError, match="does not fit"):
        signals.pack([2.0**size], layout)
    clamped = signals.unpack(signals.pack([1e30], layout, saturate=True), layout)
    assert clamped.tolist() == [top]


def test_arrays_of_any_number_type_are_packed() -> None:
    layout = Layout(12, signed=True)
    expected = bytes(signals.pack(np.array([-5, 100], np.int64), layout))
    for kind in ("i1", "i2", ">i4", "i8", "<i2"):
        assert bytes(signals.pack(np.array([-5, 100], kind), layout)) == expected
    assert bytes(signals.pack([True, False, True], Layout(1))) == b"\x05"
    assert bytes(signals.pack([], Layout(12))) == b""
    assert bytes(signals.pack(np.arange(8, dtype=np.uint8)[::2], Layout(8))) == bytes([0, 2, 4, 6])
    assert bytes(signals.pack([2**64 - 1], Layout(64))) == b"\xff" * 8
    floats = Layout(32, float=True)
    assert bytes(signals.pack([1, 2], floats)) == np.array([1, 2], "<f4").tobytes()


def test_values_out_of_range() -> None:
    layout = Layout(4, signed=True)
    values = np.array([-9, -8, 7, 8], np.int16)
    with pytest.raises(CogenError) as caught:
        signals.pack(values, layout)
    assert caught.value.message == "the value -9 at index 0 does not fit in 4 bits (signed)"
    assert caught.value.hint == (
        "wrap=True (--wrap) keeps the low bits, saturate=True (--saturate) clamps"
    )
    clamped = signals.pack(values, layout, saturate=True)
    assert signals.unpack(clamped, layout).tolist() == [-8, -8, 7, 7]
    wrapped = signals.pack(values, layout, wrap=True)
    assert signals.unpack(wrapped, layout).tolist() == [7, -8, 7, -8]
    with pytest.raises(CogenError, match="wrap and saturate exclude each other"):
        signals.pack(values, layout, wrap=True, saturate=True)
    big = np.array([2**64 - 1, 3], np.uint64)
    assert signals.unpack(signals.pack(big, layout, saturate=True), layout).tolist() == [7, 3]
    with pytest.raises(CogenError, match="the value 1e\\+300 at index 0 does not fit in 32 bits"):
        signals.pack([1e300], Layout(32, float=True))
    with pytest.raises(CogenError, match=r"the value 9 at index 1, 2 does not fit in 3 bits"):
        signals.pack([[1, 2, 3], [4, 5, 9]], Layout(3, channels=3))


def test_an_error_leaves_out_alone() -> None:
    out = bytearray(b"abc")
    with pytest.raises(CogenError):
        signals.pack([1, 2, 256], Layout(8), out=out)
    assert out == b"abc"


def test_out_may_be_the_array_itself() -> None:
    array = np.arange(200, dtype=np.uint16)
    values = array.tolist()
    signals.pack(array, Layout(12), out=array)
    assert signals.unpack(array, Layout(12), 200).tolist() == values


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: signals.unpack("text", "u8"), "the buffer must be a buffer, not str"),
        (lambda: signals.unpack(np.zeros((4, 4), np.uint8)[:, ::2], "u8"),
         "the buffer does not lie in one piece"),
        (lambda: signals.unpack(np.array([object()]), "u8"),
         "the buffer holds Python objects, no plain data"),
        (lambda: signals.unpack(b"abc", "u8", 4),
         "the buffer of 3 bytes has room for 3 samples, not 4"),
        (lambda: signals.unpack(b"abc", "u8", -1), "count must be an integer, at least 0, not -1"),
        (lambda: signals.unpack(b"abc", "u8", True),
         "count must be an integer, at least 0, not True"),
        (lambda: signals.pack([1.5], "u8"), "the value 1.5 at index 0 is no integer"),
        (lambda: signals.pack(["a"], "u8"),
         "samples must be numbers, not values of the type <U1"),
        (lambda: signals.pack([2**70], "u8"),
         "samples must be numbers, not values of the type object"),
        (lambda: signals.pack([[1], [2, 3]], "u8"), None),
        (lambda: signals.pack(5, "u8"), "the array must have the shape (count,), not ()"),
        (lambda: signals.pack(None, "u8"), "there is no array to pack: it is None"),
        (lambda: signals.pack([[1, 2]], "u8"),
         "the array must have the shape (count,), not (1, 2)"),
        (lambda: signals.pack([1, 2], "rgb24"),
         "the array must have the shape (count, 3), not (2,)"),
        (lambda: signals.pack([1, 2], "raw10"), "2 samples make no whole groups of 4"),
        (lambda: signals.pack([1, 2], "u4s4"),
         "the samples of a record are a structured array with the fields f0, f1"),
        (lambda: signals.pack(np.zeros(2, "u1,u1"), "u8"),
         "the layout has no fields, but the array is a structured one"),
        (lambda: signals.pack([1, 2], "u8", out=b"abc"), "out is read-only"),
        (lambda: signals.pack([1, 2], "u8", out=bytearray(1)),
         "2 samples need 2 bytes, but out has 1"),
        (lambda: signals.pack([1, 2], Layout(8, 4)),
         "samples that overlap can be unpacked, but not packed"),
        (lambda: signals.pack([1, 2, 3], Layout(8, -8, 8)),
         "3 samples do not fit: a stride of -8 from bit 8 has room for 2"),
        (lambda: signals.convert(b"abc", "rgb24", "u8"),
         "the source layout has 3 channels or fields, the target layout 1"),
        (lambda: signals.convert(b"abc", "u8", "u4"),
         "the value 97 at index 0 does not fit in 4 bits (unsigned)"),
    ],
)  # fmt: skip
def test_misuse_is_a_diagnostic(call: Callable[[], object], message: str | None) -> None:
    with pytest.raises(CogenError) as caught:
        call()
    assert message is None or caught.value.message == message


@pytest.mark.parametrize("count", [8, 1000])
@pytest.mark.parametrize("shift", [0, 2, 64])
def test_samples_in_memory_that_they_share(count: int, shift: int) -> None:
    """The first call and those after it read all that they need before they write."""
    for _ in range(3):
        memory = np.random.default_rng(count).integers(0, 256, 4 * count + 128, np.uint8)
        packed, out = memory[: count * 3 // 2], memory[shift : shift + 2 * count].view(np.uint16)
        expected = signals.unpack(packed.copy(), "u12", count)
        assert signals.unpack(packed, "u12", count, out=out).tolist() == expected.tolist()
        again = memory[shift + 1 :]
        assert signals.pack(out, "u12", out=again) is again
        assert again[: count * 3 // 2].tolist() == signals.pack(expected, "u12").tolist()


def test_overlapping_samples_can_be_unpacked() -> None:
    assert signals.unpack(b"\x0f\xf0", Layout(8, 4)).tolist() == [0x0F, 0x00, 0xF0]


@given(st.binary(max_size=64))
@example(b"\x00\x7c\x01\x7c")
def test_half_floats_keep_their_bits(data: bytes) -> None:
    found = signals.unpack(data, Layout(16, float=True))
    assert found.tobytes() == data[: len(data) // 2 * 2]
    assert bytes(signals.pack(found, Layout(16, float=True))) == found.tobytes()


def test_records_convert_to_records() -> None:
    data = bytes(range(24))
    found = signals.convert(data, "u12s4f32", "s16s8f32<")
    before, after = signals.unpack(data, "u12s4f32"), signals.unpack(found, "s16s8f32<")
    assert [list(row) for row in before.tolist()] == [list(row) for row in after.tolist()]


def test_long_conversions_through_values_keep_their_place() -> None:
    values = np.arange(70_000) % 251
    data = signals.pack(values, Layout(8))
    source, target = Layout(8, scale=0.5), Layout(13, order="big", scale=0.25)
    found = signals.convert(data, source, target)
    assert (signals.unpack(found, Layout(13, order="big"), 70_000) == 2 * values).all()
    values[69_999] = 255
    with pytest.raises(CogenError, match="the value 255 at index 69999 does not fit in 7 bits"):
        signals.convert(signals.pack(values % 128 + (values == 255) * 128, Layout(8)), "u8", "u7")


def test_calls_from_many_threads() -> None:
    data = np.random.default_rng(3).integers(0, 256, 30_000, np.uint8)
    sizes = [3, 5, 7, 11]
    with pytest.MonkeyPatch.context() as patch:
        use(patch, ResidualMover)
        expected = {n: signals.unpack(data[:300], Layout(n)).tolist() for n in sizes}
    wrong: list[int] = []

    def work() -> None:
        for n in sizes * 3:
            if signals.unpack(data, Layout(n))[: 300 * 8 // n].tolist() != expected[n]:
                wrong.append(n)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_without_a_compiler_numpy_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, kernels._make)
    monkeypatch.setenv("CC", "no-such-compiler")
    kernels.warn_once.cache_clear()
    with pytest.warns(RuntimeWarning, match="no-such-compiler.*install one"):
        assert signals.unpack(b"\x12\x34\x56", "u12").tolist() == [0x123, 0x456]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert signals.unpack(b"\x12\x34\x56", "u6").tolist() == [4, 35, 17, 22]


# Programs over signals


SOURCE = """
(import (signals))
(define (sum s) (signal-sum s))
(define (gain! in out numerator shift) (signal-gain! in out numerator shift))
"""


@pytest.fixture(scope="module")
def program() -> Any:
    return cogen.loads(SOURCE, "processors.scm")


@pytest.mark.one_in(12)
@native
@pytest.mark.parametrize("layout", [Layout(8), Layout(12), Layout(5, 7, 3, "big", signed=True)])
def test_a_compiled_program_takes_any_number_of_samples(program: Any, layout: Layout) -> None:
    total = signals.compile(program, "sum", layout)
    data = np.random.default_rng(4).integers(0, 256, 64, np.uint8)
    for length in (0, 1, 2, 3, 4, 11, 16, 23, 37, 45, 50, 62, 63, 64):
        values = signals.unpack(data[:length], layout)
        assert total(data[:length]) == int(values.sum())
    assert total(data, count=3) == int(signals.unpack(data, layout, 3).sum())


@native
def test_a_compiled_program_with_further_parameters(program: Any) -> None:
    gain = signals.compile(
        program, "gain!", "u12", "pcm16le", cogen.dynamic("int"), cogen.static(1)
    )
    data = np.random.default_rng(5).integers(0, 256, 48, np.uint8)
    out = np.zeros(32, np.int16)
    assert gain(data, out, 3) is None
    assert out.tolist() == (signals.unpack(data, "u12").astype(int) * 3 // 2).tolist()


@native
def test_the_smallest_buffer_says_how_many(program: Any) -> None:
    gain = signals.compile(
        program, "gain!", "u12", "pcm16le", cogen.dynamic("int"), cogen.static(1)
    )
    out = np.full(33, -1, np.int16)
    gain(bytes(range(48)), out, 3)
    assert (out[:32] != -1).all()
    assert out[32] == -1
    with pytest.raises(CogenError, match="gain!: in has room for 32 samples, not 33"):
        gain(bytes(range(48)), out, 3, count=33)


@native
def test_misuse_of_compiled_programs(program: Any) -> None:
    total = signals.compile(program, "sum", "u12")
    for call, message in (
        (lambda: total(), "sum: expected 1 argument (s), got 0"),
        (lambda: total(b"abc", count=3), "sum: s has room for 2 samples, not 3"),
        (lambda: total(b"abc", count=[1, 2]), "there are 1 signals, but 2 counts"),
        (lambda: total("abc"), "sum: the argument for s must be a buffer, not str"),
        (lambda: signals.compile(program, "sum", "rgb565"), "a signal of a program has samples of "
         "one size and kind, but this layout is a group of different fields"),
        (lambda: signals.compile(program, "sum", Layout(8, scale=2)),
         "a signal of a program has no scale"),
        (lambda: signals.compile(cogen.loads("(define (f x) x)"), "f", "u8"),
         "f cannot have signals as parameters: the program has none"),
    ):  # fmt: skip
        with pytest.raises(CogenError) as caught:
            call()
        assert caught.value.message == message


def test_groups_are_values() -> None:
    assert signals.layout("raw10") == signals.layout("RAW10")
    assert isinstance(signals.layout("raw10"), Group)


def test_scaled_floats_are_multiplied_in_binary64() -> None:
    data = np.array([39000.0, 0.1], np.float16).tobytes()
    wanted = np.frombuffer(data, np.float16).astype(np.float64) * -3.0
    assert signals.unpack(data, "size=16,float,scale=-3.0").tolist() == wanted.tolist()


@native
def test_one_thread_does_large_buffers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = np.random.default_rng(5).integers(0, 4096, 3000, np.uint16)
    data = signals.pack(samples, signals.Layout(12))
    for module in (quickunpacking, quickpacking):
        monkeypatch.setattr(module, "SHARED", 1000)
    for _ in range(2):  # the second call knows the way
        assert np.array_equal(signals.unpack(data, signals.Layout(12), threads=1), samples)
        assert np.array_equal(signals.unpack(data, signals.Layout(12)), samples)
        packed = signals.pack(samples, signals.Layout(12), threads=1)
        assert np.array_equal(packed, data)
        assert np.array_equal(signals.pack(samples, signals.Layout(12), threads=2), data)
    monkeypatch.setattr(unpacking, "readable", None)  # the long way asks for the bytes
    assert np.array_equal(signals.unpack(data, signals.Layout(12), threads=1), samples)


def test_views_of_bytes() -> None:
    """Views, as streams hand on, are what they are views of, in later calls as in the first."""
    values = np.arange(100, dtype=np.uint16) * 41 % 4096
    packed = signals.pack(values, "u12").tobytes()
    for _ in range(2):
        assert np.array_equal(signals.unpack(memoryview(packed), "u12"), values)
        part = memoryview(bytearray(b"x" + packed + b"y"))[1:-1]
        assert np.array_equal(signals.unpack(part, "u12"), values)
        rows = memoryview(packed).cast("B", (10, 15))
        assert np.array_equal(signals.unpack(rows, "u12"), values)
        target = bytearray(200)
        view = memoryview(target)[50:]
        assert signals.pack(values, "u12", out=view) is view
        assert target == bytes(50) + packed
        with pytest.raises(CogenError, match=r"several pieces|in one piece|gaps"):
            signals.unpack(memoryview(packed)[::2], "u12")
        with pytest.raises(CogenError, match="out is read-only"):
            signals.pack(values, "u12", out=memoryview(bytes(200)))
        released = memoryview(packed)
        released.release()
        with pytest.raises(CogenError):
            signals.unpack(released, "u12")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("u12", "u16"),
        ("raw12", "u12"),
        (Layout(12, signed=True), Layout(12, stride=16, signed=True)),
        (Layout(12, offset=4), Layout(16, offset=3, order="big")),
        (Layout(12), Layout(16, stride=-16, offset=1200)),
    ],
)
def test_later_conversions_are_as_the_first(source: Layout | str, target: Layout | str) -> None:
    """Of all lengths, and of those that later calls leave to the long way."""
    data = bytes(np.random.default_rng(3).integers(0, 256, 60, np.uint8))
    for length in range(60):
        expected = signals.convert(np.frombuffer(data, np.uint8)[:length], source, target)
        for buffer in (data[:length], bytearray(data[:length])):
            assert np.array_equal(signals.convert(buffer, source, target), expected)
    with pytest.warns(CogenWarning, match="these bytes are a WAV file"):
        signals.convert(b"RIFF" + bytes(4) + b"WAVEfmt " + bytes(32), source, target)
