"""`cogen signal ...`: results, streams, diagnostics, exit status, files."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cogen import signals
from cogen.cli import main
from cogen.lang.errors import CogenError
from cogen.signals import streaming
from cogen.signals.rows import to_shape
from cogen.terminal import output_stream

native = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)


class Shell:
    """Runs `cogen signal` in a directory of its own."""

    def __init__(self, directory: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.directory = directory
        self.capture = capture

    def __call__(self, *arguments: str) -> tuple[int, bytes, str]:
        self.capture.readouterr()
        status = main(["signal", *arguments])
        captured = self.capture.readouterr()
        return status, captured.out, captured.err.decode()

    def files(self) -> set[str]:
        return {path.name for path in self.directory.iterdir()}


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capfdbinary)


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Let standard input be these bytes."""
    stream = SimpleNamespace(buffer=io.BytesIO(data))
    monkeypatch.setattr(sys, "stdin", stream)


DATA = np.random.default_rng(6).integers(0, 256, 3_000, np.uint8).tobytes()


def test_unpack_and_pack_are_inverse(shell: Shell) -> None:
    (shell.directory / "in").write_bytes(DATA)
    assert shell("unpack", "in", "--layout", "u12", "-o", "numbers") == (0, b"", "")
    numbers = (shell.directory / "numbers").read_bytes()
    assert numbers == signals.unpack(DATA, "u12").astype("<u2").tobytes()
    assert shell("pack", "numbers", "--layout", "u12", "-o", "back") == (0, b"", "")
    assert (shell.directory / "back").read_bytes() == DATA
    assert shell.files() == {"in", "numbers", "back"}


def test_pipes(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, DATA)
    status, out, err = shell("convert", "-", "--from", "raw12", "--to", "size=16,order=big")
    assert (status, err) == (0, "")
    assert out == signals.unpack(DATA, "raw12").astype(">u2").tobytes()


@pytest.mark.parametrize("layout", ["u12", "rgb565", "cs12", "u12s4", "size=32,float"])
def test_text_and_back(shell: Shell, layout: str) -> None:
    data = np.arange(24, dtype="<f4").tobytes() if "float" in layout else DATA[:96]
    (shell.directory / "in").write_bytes(data)
    status, out, _ = shell("unpack", "in", "--text", "--layout", layout)
    assert status == 0
    rows = [line.split() for line in out.decode().splitlines()]
    items = signals.unpack(data, layout).tolist()
    flat = [list(item) if isinstance(item, tuple | list) else [item] for item in items]
    assert rows == [[str(value) for value in row] for row in flat]
    (shell.directory / "text").write_bytes(out)
    assert shell("pack", "text", "--text", "--layout", layout) == (0, data, "")


def test_a_count_and_a_type(shell: Shell) -> None:
    (shell.directory / "in").write_bytes(np.array([-1, 300, 7], "<i4").tobytes())
    command = ["pack", "in", "--layout", "size=9,signed", "--dtype", "int32"]
    status, _, err = shell(*command)
    assert status == 1
    assert err.startswith("error: the value 300 at index 1 does not fit in 9 bits (signed)\n")
    status, out, _ = shell(*command, "--saturate")
    assert (status, signals.unpack(out, "size=9,signed", 3).tolist()) == (0, [-1, 255, 7])
    status, out, _ = shell(*command, "--wrap")
    assert (status, signals.unpack(out, "size=9,signed", 3).tolist()) == (0, [-1, -212, 7])
    assert shell("unpack", "in", "--layout", "u8", "--count", "2") == (0, b"\xff\xff", "")
    status, _, err = shell("unpack", "in", "--layout", "u8", "--count", "13")
    assert (status, err) == (1, "error: the input has 12 samples, not 13\n")


LAYOUTS = [
    "u12",
    "size=13,stride=17,offset=11",
    "size=5,stride=64,offset=80,order=big",
    "size=24,stride=40,channels=3",
    "size=7,offset=3",
    "raw10",
    "rgb565",
    "u12s4p5",
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_chunks_make_no_difference(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    """Streams of many small chunks give what the whole gives at once."""
    monkeypatch.setattr(streaming, "CHUNK_BYTES", 64)
    (shell.directory / "in").write_bytes(DATA)
    whole = signals.unpack(DATA, layout)
    status, out, _ = shell("unpack", "in", "--layout", layout)
    assert (status, out) == (0, whole.tobytes())
    whole = whole[: len(whole) // 4 * 4]
    (shell.directory / "numbers").write_bytes(whole.tobytes())
    status, out, _ = shell("pack", "numbers", "--layout", layout)
    assert (status, out) == (0, bytes(signals.pack(whole, layout)))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("source", "target"),
    [("raw10", "size=11,stride=13,offset=21"), ("u12", "size=17,order=big"), ("rgb24", "bgr24"),
     ("size=5,stride=7,offset=2", "raw14"), ("cs12", "size=24,signed,channels=2,offset=4")],
)  # fmt: skip
def test_chunks_of_conversions_make_no_difference(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, source: str, target: str
) -> None:
    monkeypatch.setattr(streaming, "CHUNK_BYTES", 50)
    data = DATA[:2_800]
    (shell.directory / "in").write_bytes(data)
    status, out, err = shell("convert", "in", "--from", source, "--to", target)
    assert (status, err) == (0, "")
    assert out == bytes(signals.convert(data, source, target))


def test_a_stream_of_no_whole_groups(shell: Shell) -> None:
    (shell.directory / "in").write_bytes(bytes(3))
    status, out, err = shell("convert", "in", "--from", "u8", "--to", "raw10")
    assert (status, out) == (1, b"")
    assert err.startswith("error: 3 samples make no whole groups of 4\n")


SOURCE = """
(import (signals))
(define (sum s) (signal-sum s))
(define (gain! in out numerator) (signal-gain! in out numerator 2))
(define (ramp! out) (signal-ramp! out 5 2))
"""


@native
def test_run_a_program(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (shell.directory / "in").write_bytes(DATA)
    (shell.directory / "p.scm").write_text(SOURCE)
    values = signals.unpack(DATA, "u12").astype(int)
    command = ["run", "p.scm", "in", "--entry"]
    expected = (0, b"%d\n" % values.sum(), "")
    assert shell(*command, "sum", "--layout", "u12") == expected
    assert (
        shell(*command, "sum", "--layout", "u12", "--count", "3")[1] == b"%d\n" % values[:3].sum()
    )
    layouts = ["--layout", "u12", "--layout", "pcm16be", "--arg", "6"]
    assert shell(*command, "gain!", *layouts, "-o", "out") == (0, b"", "")
    found = signals.unpack((shell.directory / "out").read_bytes(), "pcm16be")
    assert found.tolist() == (values * 6 // 4).tolist()
    feed(monkeypatch, DATA)
    command = ["run", "p.scm", "-", "--entry", "sum", "--word-size", "64", "--layout", "u12"]
    assert shell(*command) == expected
    made = shell("run", "p.scm", "--entry", "ramp!", "--layout", "u8", "--count", "3")
    assert made == (0, bytes([5, 7, 9]), "")


def test_the_formats_are_listed(shell: Shell) -> None:
    status, out, _ = shell("formats")
    assert status == 0
    lines = out.decode().splitlines()
    assert [line.split()[0] for line in lines] == list(signals.names())


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        (["unpack", "in", "--layout", "raw11"], 2, "error: there is no layout 'raw11'"),
        (["unpack", "in"], 2, "say behind FILE, or with --layout, how the samples are packed"),
        (["unpack", "in", "u13x"], 2, "error: there is no layout 'u13x'"),
        (["unpack", "u12", "in"], 2, "'u12' does not exist. It is a layout, which comes behind"),
        (["unpack", "in", "u12", "--layout", "u8"], 2, "--layout gives one, too"),
        (["pack", "in", "u8,width=3"], 2, "rows can only be unpacked here"),
        (["convert", "in", "u8"], 2, "say behind FILE, or with --to, how the samples are packed"),
        (["convert", "in", "u8", "u4", "--to", "u4"], 2, "--to gives one, too"),
        (["unpack", "none", "--layout", "u8"], 2, "'none' does not exist"),
        (["pack", "in", "--layout", "u8", "--wrap", "--saturate"], 2, "exclude each other"),
        (["pack", "in", "--layout", "u8", "--dtype", "potato"], 2, "is no type of numbers"),
        (["pack", "in", "--layout", "u4u4", "--dtype", "int8"], 2, "not for records"),
        (["pack", "in", "--layout", "u12"], 1, "the input ends inside an item"),
        (["pack", "in", "--layout", "u8", "--text"], 1, "line 1 of the input holds no integers"),
        (["pack", "in", "--layout", "rgb24", "--text"], 1,
         "line 1 of the input has 1 numbers, not 3"),
        (["unpack", "in", "--layout", "size=8,stride=-8,offset=16"], 1,
         "limitation: a negative stride cannot be streamed"),
        (["convert", "in", "--from", "u8", "--to", "u4"], 1, "the value 97 at index 0"),
        (["convert", "in", "--from", "u8", "--to", "rgb24"], 1, "1 channels or fields"),
        (["run", "p.scm", "--entry", "sum", "--layout", "u8"], 2, "without FILEs"),
        (["run", "p.scm", "in", "in", "--entry", "sum", "--layout", "u8"], 2, "2 FILEs, but 1"),
        (["run", "p.scm", "in", "--entry", "sun", "--layout", "u8"], 2, "not define `sun`"),
        (["run", "p.scm", "in", "--entry", "sum", "--layout", "u8", "--arg", "("], 2,
         "--arg 1:1:1"),
    ],
)  # fmt: skip
def test_mistakes(shell: Shell, command: list[str], status: int, message: str) -> None:
    (shell.directory / "in").write_bytes(b"abc")
    (shell.directory / "p.scm").write_text(SOURCE)
    before = shell.files()
    found, out, err = shell(*command, "-o", "result")
    assert (found, out) == (status, b"")
    assert message in err
    assert "Traceback" not in err
    assert shell.files() == before, "no file is left behind"


def test_layouts_may_stand_behind_the_file(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (shell.directory / "in").write_bytes(DATA)
    numbers = signals.unpack(DATA, "u12")
    expected = (0, numbers.astype("<u2").tobytes(), "")
    assert shell("unpack", "in", "u12") == expected
    feed(monkeypatch, DATA)
    assert shell("unpack", "-", "u12") == expected
    (shell.directory / "numbers").write_bytes(expected[1])
    assert shell("pack", "numbers", "u12") == (0, DATA, "")
    wide = (0, signals.convert(DATA, "u12", "u16").tobytes(), "")
    for words in (["u12", "u16"], ["u16", "--from", "u12"], ["u12", "--to", "u16"]):
        assert shell("convert", "in", *words) == wide


def test_a_failing_stream_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def write() -> None:
        with output_stream(str(path)) as stream:
            stream.write(b"new")
            raise CogenError("stop")

    with pytest.raises(CogenError, match="stop"):
        write()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_an_output_that_cannot_be_written(shell: Shell) -> None:
    (shell.directory / "in").write_bytes(b"abc")
    status, _, err = shell("unpack", "in", "--layout", "u8", "-o", "none/out")
    assert (status, err) == (1, "error: cannot write none/out: No such file or directory\n")


class Zeros(io.RawIOBase):
    """A stream of so many zeros."""

    def __init__(self, size: int) -> None:
        self.left = size

    def read(self, size: int = -1) -> bytes:
        some = min(size, self.left)
        self.left -= some
        return bytes(some)


class Counter(io.RawIOBase):
    """A stream that only counts what is written."""

    size = 0

    def write(self, data: Any) -> int:
        self.size += len(data)
        return len(data)


@native
def test_memory_does_not_grow_with_the_input() -> None:
    peaks = []
    for megabytes in (2, 2, 32):  # the first time includes what is made once
        source: Any = Zeros(megabytes << 20)
        sink: Any = Counter()
        tracemalloc.start()
        layouts = signals.layout("size=12,order=big"), signals.layout("size=16,signed")
        streaming.convert_stream(source, layouts[0], sink, layouts[1], "check", lambda _: None)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert sink.size == (megabytes << 20) * 8 // 12 * 2
    assert peaks[2] < peaks[1] + (1 << 20)


# Inputs that end early, rows, the code of kernels


@pytest.mark.parametrize(
    ("layout", "size", "message"),
    [
        ("u12", 8, None),  # four bits fill up the last byte
        ("u12", 7, "the input ends inside a sample: 1 bytes are left over"),
        ("raw12", 7, "the input ends inside a group: 1 bytes are left over"),
        ("raw10", 9, "the input ends inside a group: 4 bytes are left over"),
        ("pcm16le", 5, "the input ends inside a sample: 1 bytes are left over"),
        ("size=8,channels=3", 8, "the input ends inside an item: 2 bytes are left over"),
        ("size=4,stride=32", 7, None),  # what lies between samples may be missing
        ("u8", 5, None),
        ("raw12,width=4", 12, None),
        ("raw12,width=4", 14, "the input ends inside a row: 2 of its 6 bytes are left over"),
        ("raw12,width=4,pitch=8", 14, None),
        ("raw12,width=4,pitch=8,height=3", 14, "the input has 2 rows, not 3"),
    ],
)
def test_an_input_that_ends_early(
    shell: Shell, layout: str, size: int, message: str | None
) -> None:
    (shell.directory / "in").write_bytes(DATA[:size])
    expected = signals.unpack(DATA[:size], to_shape(layout)) if "height" not in layout else None
    status, out, err = shell("unpack", "in", "--layout", layout)
    assert status == 0
    assert err == ("" if message is None else f"warning: {message}\n")
    if expected is not None:
        assert out == expected.tobytes()
    status, out, err = shell("unpack", "in", "--layout", layout, "--strict", "-o", "out")
    assert (status == 1) == (message is not None)
    assert (message or "") in err
    assert ("out" in shell.files()) == (message is None)


def test_a_count_leaves_the_rest_alone(shell: Shell) -> None:
    (shell.directory / "in").write_bytes(DATA[:8])
    assert shell("unpack", "in", "--layout", "u12", "--count", "2", "--strict")[0] == 0


def test_rows_are_streamed(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "CHUNK_BYTES", 100)
    (shell.directory / "in").write_bytes(DATA)
    for text in ("raw10,width=13,pitch=25,offset=32", "u12,width=9,height=40", "u12,width=300"):
        rows = to_shape(text)
        status, out, _ = shell("unpack", "in", "--layout", text)
        assert (status, out) == (0, signals.unpack(DATA, rows).astype("<u2").tobytes())
    assert shell("unpack", "in", "--layout", "u12,width=3", "--count", "3")[0] == 2
    assert shell("convert", "in", "--from", "u12,width=3", "--to", "u16")[0] == 2
    assert shell("unpack", "in", "--layout", "u12,width=x")[0] == 2


def test_the_code_of_a_kernel(shell: Shell) -> None:
    status, out, err = shell("kernel", "raw12", "--emit", "scheme")
    assert (status, err) == (0, "")
    assert b"(define (convert in in-at out out-at rounds)" in out
    (shell.directory / "kernel.scm").write_bytes(out)
    assert main(["run", "kernel.scm", "--entry", "convert", "#u8(18 52 186)", "0",
                 "#u8(0 0 0 0)", "0", "0"]) == 0  # fmt: skip
    status, out, err = shell("kernel", "raw12", "--to", "pcm16le", "-o", "kernel.c")
    assert (status, out, err) == (0, b"", "")
    text = (shell.directory / "kernel.c").read_text()
    assert text.startswith("/* Made by cogen. Converts groups of 2 fields in 24 bits (little) to ")
    assert "int64_t cogen_move(const uint8_t *in, int64_t in_bytes, int64_t in_at," in text
    assert shell("kernel", "raw12", "--dtype", "f4")[0] == 0
    assert shell("kernel", "raw12", "--dtype", "i1")[0] == 1
    assert shell("kernel", "raw12", "--dtype", "f4", "--to", "u8")[0] == 2
    assert shell("kernel", "nonsense")[0] == 2
    assert shell("kernel", "cs8", "--to", "u8")[0] == 1


@native
def test_the_c_of_a_kernel_stands_alone(shell: Shell) -> None:
    """A program of one's own can call it."""
    assert shell("kernel", "raw12", "-o", "kernel.c")[0] == 0
    (shell.directory / "main.c").write_text(
        '#include "kernel.c"\n#include <stdio.h>\n'
        "int main(void) { uint8_t in[] = {0x12, 0x34, 0xba}; uint16_t out[2];"
        " cogen_move(in, 3, 0, (uint8_t *)out, 4, 0, 2, 1.0);"
        ' printf("%x %x", out[0], out[1]); }\n'
    )
    subprocess.run(["cc", "-o", "main", "main.c"], check=True)
    done = subprocess.run([shell.directory / "main"], capture_output=True, check=True)
    assert done.stdout == b"12a 34b"
