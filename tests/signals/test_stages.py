"""Samples that become numbers of another type where the kernel stores them, and arrays to fill."""

from __future__ import annotations

import shutil
import threading

import numpy as np
import pytest

from cogen import CogenError, signals
from cogen.signals import kernels, unpacking
from cogen.signals.formats import layout
from cogen.signals.forms import form_of
from cogen.signals.unpacking import task_for

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("name", "dtype", "at_once"),
    [
        ("size=12,scale=0.25", None, True), ("size=12,signed", "f4", True), ("raw12", "i8", True),
        ("pcm24le,scale=0.5", None, True), ("s16", "f8", True), ("raw10", "f4", False),
        ("size=8,signed,scale=-2", None, True), ("f32", "f8", False), ("u12", "i4", True),
        ("size=12,offset=4,signed", "i4", True), ("cs16", "c8", True),
    ],
)  # fmt: skip
def test_numbers_are_what_numpy_makes_of_samples(
    name: str, dtype: str | None, at_once: bool
) -> None:
    """For whole rounds, for what is left of one, at any place of the memory that is filled."""
    found = layout(name)
    kind = None if dtype is None else np.dtype(dtype)
    task = task_for(found, form_of(found, kind))
    assert kernels.stores_numbers(task) == at_once
    assert ("COGEN_STORE" in kernels.c_text(task)) == at_once
    draw = np.random.default_rng(len(name))
    for length in (0, 3, 12, 24, 30, 31, 999):
        data = draw.integers(0, 256, length, np.uint8)
        result = signals.unpack(data, found, dtype=dtype)
        with kernels.by_numpy():
            expected = signals.unpack(data, found, dtype=dtype, threads=2)
        assert np.array_equal(result, expected, equal_nan=True)
        assert result.dtype == expected.dtype
        memory = np.zeros(expected.nbytes + 24, np.uint8)
        for start in (0, 8, 9):
            out = memory[start : start + expected.nbytes].view(expected.dtype)
            out = out.reshape(expected.shape)
            assert signals.unpack(data, found, out=out) is out
            assert np.array_equal(out, expected, equal_nan=True)
        assert not memory[expected.nbytes + 17 :].any()


def test_each_thread_has_its_scale() -> None:
    data = np.random.default_rng(1).integers(0, 256, 3 << 15, np.uint8)
    plain = signals.unpack(data, "size=12").astype(float)
    wrong: list[float] = []

    def work(scale: float) -> None:
        for _ in range(30):
            found = signals.unpack(data, signals.Layout(12, scale=scale))
            if not np.array_equal(found, plain * scale):
                wrong.append(scale)

    threads = [threading.Thread(target=work, args=(2.0**n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_arrays_that_are_filled_at_once_are_those_that_can_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The short way takes an array as it is, or leaves it to the long one, which says what is
    wrong with it, and reads first what it is about to write."""
    data = np.arange(30, dtype=np.uint8)
    expected = signals.unpack(data, "raw12")
    out = np.zeros(20, np.uint16)
    signals.unpack(data, "raw12", out=out)
    with monkeypatch.context() as short:
        short.setattr(unpacking, "to_shape", None)
        for threads in (None, 1, 4):
            out[:] = 0
            assert signals.unpack(data, "raw12", out=out, threads=threads) is out
            assert np.array_equal(out, expected)
            assert np.array_equal(signals.unpack(bytes(data), "raw12", out=out), expected)
            found = signals.unpack(data, "raw12", 4, out=out[:4], threads=threads)
            assert np.array_equal(found, expected[:4])
    for other in (np.zeros(40, np.uint16)[::2], np.zeros(20, ">u2"), np.zeros(20, np.int32)):
        assert signals.unpack(data, "raw12", out=other) is other
        assert np.array_equal(other, expected)
    memory = np.zeros(64, np.uint8)
    memory[:30] = data
    same = memory[:40].view(np.uint16)
    assert np.array_equal(signals.unpack(memory[:30], "raw12", out=same), expected)
    both = bytearray(64)
    both[:30] = data.tobytes()
    inside = np.frombuffer(both, np.uint16, 20)
    view = np.frombuffer(both, np.uint8, 30)
    assert np.array_equal(signals.unpack(view, "raw12", out=inside), expected)
    locked = np.zeros(20, np.uint16)
    locked.flags.writeable = False
    with pytest.raises(CogenError, match="read-only"):
        signals.unpack(data, "raw12", out=locked)
    with pytest.raises(CogenError, match="must have the shape"):
        signals.unpack(data, "raw12", out=np.zeros(19, np.uint16))
    with pytest.raises(CogenError, match="threads"):
        signals.unpack(data, "raw12", out=out, threads=0)
