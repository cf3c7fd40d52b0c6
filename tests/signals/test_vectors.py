"""Kernels in vectors: the same as NumPy, on both kinds of processors, and nothing read beyond."""

import ctypes
import mmap
import platform

import numpy as np
import pytest

import cogen
from cogen import signals
from cogen.backends.objectcode.cache import shared_object
from cogen.signals import kernels
from cogen.signals.forms import form_of
from cogen.signals.kernels import NativeKernel
from cogen.signals.packing import task_of
from cogen.signals.rows import to_shape
from cogen.signals.task import Extent
from cogen.signals.unpacking import task_for

LAYOUTS = ("u1", "cs4", "u10", "raw10", "raw12", "pcm24be")
COUNTS = (1, 60, 511, 2048, 2113)
is_x86 = platform.machine() in ("x86_64", "AMD64")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", LAYOUTS)
def test_kernels_have_vectors(name):
    shape = to_shape(name)
    text = kernels.c_text(task_for(shape, form_of(shape, None)))
    for test in ("defined __AVX512VBMI__", "defined __AVX2__"):
        assert test in text


@pytest.mark.one_in(2)
@pytest.mark.skipif(not is_x86, reason="the vectors are those of x86-64")
@pytest.mark.parametrize("name", ["u1", "cs4", "raw10"])
def test_narrow_vectors_are_right(name):
    """Where there are no vectors of 512 bits."""
    shape = to_shape(name)
    channels = shape.width or 1
    rng = np.random.default_rng(5)
    unpacked = task_for(shape, form_of(shape, None))
    packed = task_of(shape.fields[0].dtype, shape, False, False)
    path = [
        shared_object(kernels.c_text(task), options=["-mno-avx512f"]) for task in (unpacked, packed)
    ]
    for count in COUNTS:
        items = -(-count // len(shape.fields)) * len(shape.fields)
        source = rng.integers(0, 256, shape.step * items * channels // len(shape.fields) // 8 + 9)
        source = source.astype(np.uint8)
        with kernels.by_numpy():
            expected = signals.unpack(source, name, items)
            again = signals.pack(expected, name)
        found = np.empty_like(expected)
        target = found.reshape(-1).view(np.uint8)
        extent = Extent(source.size, 0, target.size, 0, found.size)
        NativeKernel(path[0])(source, target, extent, 1.0)
        assert np.array_equal(found, expected)
        result = np.zeros_like(again)
        back = Extent(target.size, 0, result.size, 0, found.size)
        NativeKernel(path[1])(target, result, back, 1.0)
        assert np.array_equal(result, again)


@pytest.mark.parametrize("name", LAYOUTS)
def test_vectors_read_and_write_nothing_beyond(name):
    """Buffers end where memory ends."""
    page = mmap.PAGESIZE
    shape = to_shape(name)
    rng = np.random.default_rng(7)
    for count in COUNTS:
        items = -(-count // len(shape.fields)) * len(shape.fields)
        channels = shape.width or 1
        size = (shape.step * items * channels // len(shape.fields) + 7) // 8
        whole = guarded(-(-size // page) * page)
        source = whole[len(whole) - size :]
        source[:] = rng.integers(0, 256, size, dtype=np.uint8)
        with kernels.by_numpy():
            expected = signals.unpack(source, name, items)
        room = guarded(-(-expected.nbytes // page) * page)
        out = room[len(room) - expected.nbytes :].view(expected.dtype).reshape(expected.shape)
        signals.unpack(source, name, items, out=out)
        assert np.array_equal(out, expected)
        copy = source.copy()
        source[:] = 0
        signals.pack(out, name, out=source)
        assert np.array_equal(signals.unpack(copy, name, items), expected)
        assert np.array_equal(signals.unpack(source, name, items), expected)


def guarded(size: int) -> np.ndarray:
    """So many bytes, whole pages, behind which there is no memory."""
    memory = mmap.mmap(-1, size + mmap.PAGESIZE)
    array = np.frombuffer(memory, np.uint8)
    library = ctypes.CDLL(None)
    start = ctypes.c_void_p(array.ctypes.data + size)
    assert library.mprotect(start, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    return array[:size]


def test_arrays_are_packed_quickly_into_given_memory():
    """A call that is like the one before is as quick with `out` as without, and as careful."""
    values = np.arange(1000, dtype=np.uint16)
    room = np.full(1502, 7, np.uint8)
    for _ in range(3):
        assert signals.pack(values, "u12", out=room) is room
        assert np.array_equal(room[:1500], signals.pack(values, "u12"))
        assert list(room[1500:]) == [7, 7]
    with pytest.raises(cogen.CogenError, match="out has 3"):
        signals.pack(values, "u12", out=bytearray(3))
    with pytest.raises(cogen.CogenError, match="5000"):
        signals.pack(values + 5000, "u12", out=room)
    shared = np.zeros(1000, np.uint16)
    shared[:] = values
    signals.pack(shared, "u12", out=shared.view(np.uint8))
    assert np.array_equal(shared.view(np.uint8)[:1500], signals.pack(values, "u12"))


PROGRAM = """
(import (scheme base) (signals))
(define (sound b n) (signed-signal (packed-signal b 0 n 16)))
(define (mix! a b out n)
  (signal-mix! (sound a (* 32 n)) (sound b (* 32 n)) (sound out (* 32 n))))
(define (add! a b out n)
  (signal-mix-all! (list (sound a (* 32 n)) (sound b (* 32 n))) '(1 1) 0 (sound out (* 32 n))))
(define (smooth! a b out n)
  (signal-fir-valid! (sound a (+ 32 (* 32 n))) (sound out (* 32 n)) '(3 -4 3) 1))
"""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("word_size", [16, 32])
@pytest.mark.parametrize("entry", ["mix!", "add!", "smooth!"])
def test_sums_of_signed_words(entry, word_size):
    """In words of 16 bits means and saturated sums are one operation."""
    program = cogen.loads(PROGRAM)
    memory = cogen.dynamic("memory")
    residual = cogen.specialize(
        program, entry, memory, memory, memory, cogen.dynamic("int"), word_size=word_size
    )
    edges = np.array([-32768, -32767, -16384, -2, -1, 0, 1, 2, 255, 16384, 32766, 32767], "<i2")
    rng = np.random.default_rng(3)
    a = np.concatenate([np.repeat(edges, 12), rng.integers(-32768, 32768, 400)]).astype("<i2")
    b = np.concatenate([np.tile(edges, 12), rng.integers(-32768, 32768, 400)]).astype("<i2")
    count = len(a) // 2 - (entry == "smooth!")
    out = np.zeros(2 * count, "<i2")
    residual.compile()(a, b, out, count)
    wide = a.astype(int)
    expected = {
        "mix!": (wide + b) >> 1,
        "add!": np.clip(wide + b, -32768, 32767),
        "smooth!": np.clip((3 * wide[:-2] - 4 * wide[1:-1] + 3 * wide[2:]) >> 1, -32768, 32767),
    }[entry]
    assert np.array_equal(out, expected)
    text = residual.c
    if word_size == 16:
        assert {"mix!": "cogen_mean16(", "add!": "cogen_sum16(", "smooth!": "(int16_t)"}[
            entry
        ] in text
        assert "0x8000" not in text


@pytest.mark.one_in(6)
@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("crowded", [0, 2, 4])
def test_bytes_of_many_samples(order, crowded):
    """Four samples of ten bits, of which some byte has two bits of each, in any order."""
    whole = [number for number in range(5) if number != crowded]
    low = [8 * crowded + 2 * number for number in (2, 0, 3, 1)]
    fields = tuple(
        signals.Field(((8 * high, 8), (place, 2))) for high, place in zip(whole, low, strict=True)
    )
    layout = signals.Group(40, fields, order=order)
    rng = np.random.default_rng(7)
    for count in (4, 60, 64, 400):
        values = rng.integers(0, 1 << 10, count, np.uint16)
        with kernels.by_numpy():
            expected = signals.pack(values, layout)
        assert np.array_equal(signals.pack(values, layout), expected)
        assert np.array_equal(signals.unpack(expected, layout), values)
        assert np.array_equal(signals.pack(values.astype(np.int64), layout), expected)
