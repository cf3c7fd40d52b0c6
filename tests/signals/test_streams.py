"""Streams: what comes out is what all at once would give, however the input is cut, whatever it
comes from, and although a run is interrupted."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen import CogenError, signals
from cogen.lang.warning import CogenWarning
from cogen.signals import Layout, Out, Rows, compiled
from cogen.signals.feeding import Feeder
from cogen.signals.slices import Slices
from tests.signals import residualmover

DATA = np.random.default_rng(1).integers(0, 256, 6_000, np.uint8).tobytes()

PROGRAM = """
(import (signals))
(define (halve-length in) (quotient in 2))
(define (halve in out)
  (signal-map! (lambda (a b) (quotient (+ a b) 2))
               out (signal-channel in 0 2) (signal-channel in 1 2)))
(define (smooth-length in) (- in 2))
(define (smooth in out) (signal-fir-valid! in out '(1 2 1) 2))
(define (thin-length in) (decimated-length in 5 4))
(define (thin in out) (signal-fir-decimate! in out '(1 2 0 2 1) 4 3))
(define (gain in out k) (signal-gain! in out k 1))
(define (shift in out)
  (for-each-row (lambda (state out in) (signal-offset! (image-row in) (image-row out) 7))
                #f out in))
(define (copy in out) (signal-copy! in out))
(define (both in a b) (signal-copy! in a) (signal-copy! in b))
"""


@pytest.fixture(autouse=True)
def python_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are NumPy, programs residual Python, which are made sooner than C."""
    residualmover.use(monkeypatch, Slices)
    monkeypatch.setattr(compiled, "executable", lambda residual: residual.to_python())


def pieces(data: bytes, sizes: list[int]) -> Iterator[bytes]:
    """The data cut into pieces of the sizes, again and again."""
    at = 0
    while at < len(data):
        for size in sizes:
            yield data[at : at + size]
            at += size


LAYOUTS = ["raw12", "u12", "cs16", "pcm24be", "u3s5f32<", "mask-msb", "rgb565", "u12,offset=29",
           Layout(8, 24, 3), Layout(12, 16, 100), Layout(8, stride=1), Rows("raw12", 7, pitch=13),
           Rows("u10", 9, 3, pitch=14), Rows(Layout(8, offset=80), 5, 2)]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.filterwarnings("ignore:the input ends")
def test_blocks_are_the_samples_however_they_come(layout: Any) -> None:
    shape = signals.rows.to_shape(layout)  # type: ignore[attr-defined]  # a module
    whole = shape
    if isinstance(shape, Rows) and shape.height is not None:
        whole = Rows(shape.layout, shape.width, pitch=shape.pitch)
    for data in (DATA[:500], DATA[:503], DATA[:30], b""):
        expected = signals.unpack(data, whole)
        if isinstance(shape, Rows) and shape.height is not None:
            expected = expected[: len(expected) // shape.height * shape.height]
        for sizes in ([1], [7, 0, 64], [1000]):
            found = signals.stream(pieces(data, sizes), layout).array()
            assert found.dtype == expected.dtype
            assert found.shape == expected.shape
            assert found.tobytes() == expected.tobytes()


def test_blocks_of_a_size_and_frames() -> None:
    blocks = [len(block) for block in signals.stream(DATA[:150], "raw12", block=30)]
    assert blocks == [30, 30, 30, 10]
    frames = list(signals.stream(DATA[:5400], Rows("raw12", 20, 30)))
    assert [frame.shape for frame in frames] == [(30, 20)] * 6
    with pytest.raises(CogenError, match="blocks of 3 samples are not whole bytes: 2 samples are"):
        signals.stream(DATA, "raw12", block=3)


def test_an_input_that_ends_early_is_told() -> None:
    with pytest.warns(CogenWarning, match="the input ends inside a sample: 1 bytes are left over"):
        assert len(signals.stream(DATA[:7], "pcm16le").array()) == 3
    with pytest.raises(CogenError, match="the input ends inside a sample"):
        signals.stream(DATA[:7], "pcm16le", strict=True).array()
    with pytest.raises(CogenError, match="the input ends inside a frame: 100 bytes"):
        signals.stream(DATA[:1000], Rows("raw12", 20, 30), strict=True).array()


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(DATA)
    expected = signals.unpack(DATA, "raw12").tolist()
    left, right = socket.socketpair()
    with left, right, path.open("rb") as file, path.open("rb", buffering=0) as raw:
        sender = threading.Thread(target=lambda: (left.sendall(DATA), left.close()))
        sender.start()
        process = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
        given = [path, str(path), DATA, bytearray(DATA), np.frombuffer(DATA, np.uint16),
                 np.memmap(path, mode="r"), file, raw, io.BytesIO(DATA), right, process.stdout,
                 pieces(DATA, [100])]  # fmt: skip
        for source in given:
            assert signals.stream(source, "raw12").array().tolist() == expected
        sender.join()
        process.wait()
    with pytest.raises(CogenError, match="No such file"):
        signals.stream(tmp_path / "gone", "raw12")
    with pytest.raises(CogenError, match="cannot come from 3"):
        signals.stream(3, "raw12")
    with path.open(encoding="latin-1") as text, pytest.raises(CogenError, match="text, not bytes"):
        signals.stream(text, "raw12")
    assert np.asarray(signals.stream(DATA, "raw12")).tolist() == expected


def test_sources_that_are_awaited(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(DATA)
    expected = signals.unpack(DATA, "raw12").tolist()

    async def some() -> Any:
        for piece in pieces(DATA, [50, 3]):
            yield piece

    async def everything() -> None:
        reader = asyncio.StreamReader()
        reader.feed_data(DATA)
        reader.feed_eof()
        process = await asyncio.create_subprocess_exec("cat", path, stdout=subprocess.PIPE)
        for source in (reader, process.stdout, some(), path, DATA):
            found: list[int] = []
            async for block in signals.stream(source, "raw12"):
                found += block.tolist()
            assert found == expected
        with pytest.raises(CogenError, match="has to be awaited"):
            signals.stream(some(), "raw12").array()
        await process.wait()

    asyncio.run(everything())


SIZES = st.lists(st.integers(1, 200), min_size=1, max_size=4)


@settings(max_examples=max(20, settings().max_examples // 50), deadline=None)
@given(SIZES, st.integers(1, 20), st.integers(1, 9), st.integers(0, 300), st.booleans())
def test_filters_do_not_depend_on_blocks(
    sizes: list[int], taps: int, n: int, length: int, whole: bool
) -> None:
    weights = np.random.default_rng(taps).integers(-9, 9, taps)
    data = DATA[: 4 * length]
    iq = signals.unpack(data, "cs16")
    wanted = [np.convolve(iq[:, c], weights)[:length][::n] for c in (0, 1)] if length else [[], []]
    source = signals.stream(pieces(data, sizes), "cs16")
    found = (source.fir(weights, n) if whole else source.fir(weights).decimate(n)).array()
    assert found.dtype == np.int64
    assert found.T.tolist() == [list(w) for w in wanted]
    floats = signals.stream(pieces(data, sizes), "cs16", dtype=np.complex64).fir(weights / 8, n)
    made = floats.array()
    assert made.dtype == np.complex64
    expected = (found[:, 0] + 1j * found[:, 1]) / 8
    assert np.allclose(made, expected, rtol=1e-5, atol=1)


@settings(max_examples=8, deadline=None)
@given(SIZES)
def test_own_stages_and_packing(sizes: list[int]) -> None:
    def running_sum(total: int, block: Any) -> tuple[int, Any]:
        sums = total + np.cumsum(block, dtype=np.int64)
        return int(sums[-1]), sums

    values = signals.unpack(DATA, "raw12").astype(np.int64)
    source = signals.stream(pieces(DATA, sizes), "raw12").scan(running_sum, 0).map(lambda x: x // 9)
    sums = np.cumsum(values) // 9
    assert source.array().tolist() == sums.tolist()
    for layout in ("u12", "raw10", "size=3,offset=13", "size=7,stride=9"):
        packed = signals.stream(pieces(DATA, sizes), "raw12").map(lambda x: x >> 8).pack(
            layout, wrap=True)  # fmt: skip
        expected = signals.pack(values >> 8, layout, wrap=True)
        assert packed.array().tobytes() == expected.tobytes()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sizes", [[1], [100, 7]])
def test_processors_do_not_depend_on_blocks(sizes: list[int]) -> None:
    program = cogen.loads(PROGRAM, "stages.scm")
    data = DATA[:603]
    values = signals.unpack(data, "raw12")
    halve = signals.compile(program, "halve", "raw12", Out(np.uint16))
    smooth = signals.compile(program, "smooth", np.uint16, Out("raw12"))
    straight = signals.stream(pieces(data, sizes), "raw12").process(halve, step=2)
    assert straight.array().tolist() == halve(data).tolist()
    late = signals.stream(pieces(data, sizes), "raw12").map(lambda x: x).process(halve, step=2)
    assert late.array().tolist() == halve(data).tolist()
    smoothed = signals.compile(program, "smooth", np.uint16, Out(np.uint16))
    found = signals.stream(pieces(data, sizes), "raw12").process(smoothed, history=2).array()
    assert found.tolist() == smooth_of(values).tolist()
    assert smoothed(values).tolist() == found.tolist()
    assert signals.unpack(smooth(values), "raw12").tolist() == found.tolist()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("layout", "target"), [
    ("raw10", "u12"), ("u12", np.uint16), ("size=4,signed", "raw12"),
])  # fmt: skip
def test_packed_bytes_go_through_a_processor_and_come_out_packed(layout: str, target: Any) -> None:
    program = cogen.loads(PROGRAM, "stages.scm")
    thin = signals.compile(program, "thin", layout, Out(target), word_size=8)
    data = DATA[:605]
    values = signals.unpack(data, layout).astype(int)
    sums = np.convolve(values, [1, 2, 0, 2, 1], "valid")[::4] >> 3
    low, high = signals.rows.to_layout(target).fields[0].limits  # type: ignore[attr-defined]
    group = 2 if target == "raw12" else 1
    sums = np.clip(sums, low, high)
    sums = np.append(sums, np.zeros(-len(sums) % group, int))
    expected = signals.pack(sums, target).tobytes()
    for sizes in ([1], [100, 7], [5000]):
        straight = signals.stream(pieces(data, sizes), layout)
        assert straight.process(thin, history=4, step=4).array().tobytes() == expected
        late = signals.stream(pieces(data, sizes), layout).map(lambda x: x)
        assert late.process(thin, history=4, step=4).array().tobytes() == expected
    assert len(thin._versions) <= 3
    assert thin(data).tobytes() == expected


@pytest.mark.parametrize("between", ["raw12", "u12", "size=5", "size=1", "size=3,stride=7"])
def test_what_one_processor_packs_the_next_gets_as_items(between: str) -> None:
    program = cogen.loads(PROGRAM, "stages.scm")
    data = DATA[:300]
    first = signals.compile(program, "copy", "raw12", Out(between))
    last = signals.compile(program, "smooth", between, Out("u12"))
    mask = (1 << signals.layout(between).fields[0].size) - 1
    values = (signals.unpack(data, "raw12") & mask).astype(int)
    expected = smooth_of(values)
    for sizes in ([1], [100, 7], [5000]):

        def middle(sizes: list[int] = sizes) -> signals.Stream:
            return signals.stream(pieces(data, sizes), "raw12").process(first)

        assert middle().array().tobytes() == first(data).tobytes()
        assert middle().map(lambda x: x + 0).array().tolist() == values.tolist()
        assert middle().pack("u14").array().tobytes() == signals.pack(values, "u14").tobytes()
        found = middle().process(last, history=2).array()
        assert signals.unpack(found, "u12", len(expected)).tolist() == expected.tolist()
    empty = signals.stream(b"", "raw12").process(first)
    assert empty.map(lambda x: x).array().dtype == signals.unpack(b"", between).dtype


def test_frames_of_one_processor_go_through_the_next() -> None:
    program = cogen.loads(PROGRAM, "stages.scm")
    rows, packed = Rows("raw12", 20, 4), Rows("raw12", 20, pitch=48)
    first = signals.compile(program, "shift", rows, Out(packed))
    last = signals.compile(program, "shift", Rows("u12", 20), Out(Rows(np.uint16, 20)))
    source = signals.stream(DATA[: 30 * 12], rows)
    values = signals.unpack(DATA[: 30 * 12], Rows("raw12", 20)).astype(int)
    frames = list(source.process(first).process(last))
    expected = np.minimum(np.minimum(values + 7, 4095) + 7, 65535)
    assert np.concatenate(frames).tolist() == expected.tolist()
    assert [frame.shape for frame in frames] == [(4, 20)] * 3


def smooth_of(values: Any) -> Any:
    return np.convolve(values.astype(int), [1, 2, 1], "valid") // 4


def test_processors_with_arguments_and_of_frames() -> None:
    program = cogen.loads(PROGRAM, "stages.scm")
    gain = signals.compile(program, "gain", "raw12", Out(np.uint16), cogen.dynamic("int"))
    values = signals.unpack(DATA, "raw12").astype(int)
    assert signals.stream(DATA, "raw12").process(gain, 3).array().tolist() == (
        values * 3 // 2).tolist()  # fmt: skip
    rows = Rows("raw12", 20, pitch=32)
    shift = signals.compile(program, "shift", rows, Out(Rows(np.uint16, 20)))
    frames = list(signals.stream(DATA[: 32 * 12], Rows("raw12", 20, 4, pitch=32)).process(shift))
    expected = signals.unpack(DATA[: 32 * 12], rows).astype(int) + 7
    assert np.concatenate(frames).tolist() == expected.tolist()
    assert [len(frame) for frame in frames] == [4, 4, 4]
    packed = signals.stream(DATA[: 32 * 12], Rows("raw12", 20, 4, pitch=32)).pack("u12").array()
    assert packed.tobytes() == signals.pack(expected.reshape(-1) - 7, "u12").tobytes()
    both = signals.compile(program, "both", "u8", Out("u8"), Out("u8"))
    with pytest.raises(CogenError, match="one signal and one output, but both has 1 and 2"):
        signals.stream(DATA, "u8").process(both)
    with pytest.raises(CogenError, match=r"the processor must be what signals\.compile gives"):
        signals.stream(DATA, "u8").process(len)  # type: ignore[arg-type]  # what is tested


def test_what_cannot_be_a_stage() -> None:
    source = signals.stream(DATA, "raw12")
    with pytest.raises(CogenError, match="taps are a list of numbers"):
        source.fir([])
    with pytest.raises(CogenError, match="must give an array of one dimension"):
        source.map(np.sum).array()
    with pytest.raises(CogenError, match="must give a pair"):
        source.scan(lambda state, block: block, 0).array()  # type: ignore[arg-type,return-value]  # what is tested
    with pytest.raises(CogenError, match="rows cannot be packed by a stream"):
        source.pack(Rows("u8", 3))
    with pytest.raises(CogenError, match="does not fit"):
        source.pack("u8").array()
    with pytest.raises(CogenError, match="a negative stride cannot be streamed"):
        signals.stream(DATA, Layout(8, -8, 80))
    assert repr(source.fir([1]).decimate(2)) == "<stream of " + repr(
        signals.layout("raw12")) + ", fir, decimate>"  # fmt: skip


def test_columns_of_streams() -> None:
    nanoarrow: Any = pytest.importorskip("nanoarrow", reason="nanoarrow reads Arrow's C data here")
    source = signals.stream(pieces(DATA[:400], [40]), "cs16")
    batches = list(nanoarrow.ArrayStream(source).iter_chunks())
    assert len(batches) > 1
    rows = [row for batch in batches for row in batch.to_pylist()]
    expected = signals.unpack(DATA[:400], "cs16").tolist()
    assert [[row["i"], row["q"]] for row in rows] == expected
    nothing = nanoarrow.ArrayStream(signals.stream(b"", "u12s4")).read_all()
    assert nothing.to_pylist() == []


def test_files_appear_whole_or_not_at_all(tmp_path: Path) -> None:
    path, told = tmp_path / "out", list[tuple[int, int | None]]()
    source = signals.stream(DATA, "raw12")
    assert source.write(path, progress=lambda *at: told.append(at)) == 4000
    assert np.array_equal(np.fromfile(path, "<u2"), signals.unpack(DATA, "raw12"))
    assert told[-1] == (len(DATA), len(DATA))
    assert source.map(lambda x: x >> 4).write(path, "pcm16be", progress=True) == 4000
    assert np.array_equal(np.fromfile(path, ">i2"), signals.unpack(DATA, "raw12") >> 4)
    before = path.read_bytes()
    with pytest.raises(CogenError, match="does not fit"):
        source.write(path, "u8")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    sink = io.BytesIO()
    assert source.write(sink, "u12") == 4000
    assert sink.getvalue() == signals.convert(DATA, "raw12", "u12").tobytes()
    with pytest.raises(CogenError, match="cannot be written to 3"):
        source.write(3)


class Stop(Exception):
    """A run is stopped here."""


@pytest.mark.parametrize("stops", [[], [3], [7, 0, 6]])
@pytest.mark.parametrize("layout", [None, "u12", "size=5,offset=3"])
def test_a_run_that_is_stopped_is_gone_on_with(
    stops: list[int], layout: str | None, tmp_path: Path
) -> None:
    folder = tmp_path
    data = folder / "data"
    data.write_bytes(DATA[:1230])

    def make(stop: int | None) -> Any:
        left = stop

        def passed(block: Any) -> Any:
            nonlocal left
            if left is not None:
                left -= 1
                if left < 0:
                    raise Stop
            return block

        passed.__qualname__ = "passed"
        source = signals.stream(data, "raw12", block=40).map(passed)
        summed = source.scan(lambda t, b: (t + b.astype(np.int64)[-1], b + t % 7), np.int64(3))
        return summed.fir([1, 2, 3, 4, 5], 3).map(lambda x: x & 15)

    def write(stop: int | None, path: Path) -> int:
        made = make(stop).write(path, layout, resume=True, wrap=layout is not None)
        assert isinstance(made, int)
        return made

    items = write(None, folder / "straight")
    for stop in stops:
        with pytest.raises(Stop):
            write(stop, folder / "resumed")
        assert not (folder / "resumed").exists()
    assert write(None, folder / "resumed") == items
    assert (folder / "resumed").read_bytes() == (folder / "straight").read_bytes()
    assert sorted(p.name for p in folder.iterdir()) == ["data", "resumed", "straight"]


def test_only_the_same_run_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "out"
    data = tmp_path / "data"
    data.write_bytes(DATA)

    def stop(block: Any) -> Any:
        if stops[0] == 0:
            raise Stop
        stops[0] -= 1
        return block

    stops = [3]
    source = signals.stream(data, "raw12", block=40)
    with pytest.raises(Stop):
        source.map(stop).write(path, resume=True)
    with pytest.raises(CogenError, match="was begun from another input, or by other stages"):
        source.write(path, resume=True)
    notes = tmp_path / "out.part.json"
    text = notes.read_text(encoding="utf-8")
    notes.write_text("{", encoding="utf-8")
    with pytest.raises(CogenError, match="cannot be gone on with"):
        source.map(stop).write(path, resume=True)
    notes.write_text(text, encoding="utf-8")
    (tmp_path / "out.part").write_bytes(b"")
    with pytest.raises(CogenError, match="the part is too short"):
        source.map(stop).write(path, resume=True)
    with pytest.raises(CogenError, match="only from a file or a buffer"):
        signals.stream(iter([DATA]), "raw12").write(path, resume=True)
    with pytest.raises(CogenError, match="what a stage remembers cannot be kept"):
        source.scan(lambda s, b: (s, b), {1}).write(tmp_path / "other", resume=True)
    assert not (tmp_path / "other.part").exists()


SCRIPT = """
import sys, time
from cogen import signals
def slow(block):
    print("block", flush=True)
    time.sleep(0.02)
    return block
signals.stream("data", "u8", block=600).map(slow).write("out", resume=sys.argv[1] == "resume")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("resume", [False, True])
def test_signals_leave_nothing_or_what_is_gone_on_with(
    tmp_path: Path, number: int, resume: bool
) -> None:
    (tmp_path / "data").write_bytes(DATA)
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, "script.py", "resume" if resume else "no"]
    environment = {**os.environ, "PYTHONPATH": str(Path(cogen.__file__).parents[1])}
    started = {"cwd": tmp_path, "env": environment, "stdout": subprocess.PIPE,
               "stderr": subprocess.DEVNULL}  # fmt: skip
    process = subprocess.Popen(command, **started)  # type: ignore[call-overload]  # they are its
    process.stdout.readline()
    process.stdout.readline()
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == -number
    left = sorted(path.name for path in tmp_path.iterdir())
    parts = ["out.part", "out.part.json"] if resume else []
    assert left == ["data", *parts, "script.py"]
    if resume:
        again = subprocess.run(command, timeout=60, check=True, **started)  # type: ignore[call-overload]  # the same
        assert again.stdout.count(b"block") < 10
        assert (tmp_path / "out").read_bytes() == DATA
        assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "out", "script.py"]


def test_pieces_of_a_frame_are_put_together_once() -> None:
    """A frame of 18 MB comes in hundreds of pieces: none is copied again for each that follows."""
    feeder = Feeder(signals.Rows(np.uint8, 100, height=10))
    pieces = [bytes([k]) * 90 for k in range(40)]
    frames = []
    for piece in pieces:
        found = [chunk.array() for chunk in feeder.feed(piece)]
        assert found or feeder._rest[-1] is piece
        frames += found
    assert np.concatenate(frames).tobytes() == b"".join(pieces)[:3000]
