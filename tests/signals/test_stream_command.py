"""`cogen signal stream`: stages as texts, runs that are interrupted."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cogen
from cogen import signals
from cogen.cli import main
from cogen.lang.errors import Source
from cogen.signals.steps import with_steps, words_of

IQ = np.random.default_rng(4).integers(-3000, 3000, (5000, 2)).astype("<i2")
TAPS = [0.25, 0.5, 0.25]

HALF = """
(import (signals))
(define (half in out) (signal-gain! in out 1 1))
"""


def run(*arguments: str) -> int:
    return main(["signal", "stream", *arguments])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    IQ.tofile("radio.cs16")
    Path("taps.txt").write_text("0.25 0.5\n0.25\n", encoding="utf-8")
    Path("half.scm").write_text(HALF, encoding="utf-8")
    return tmp_path


def test_stages_are_those_of_streams(place: Path) -> None:
    common = ["--layout", "cs16", "--dtype", "complex64", "-o", "level.f32"]
    expected = signals.stream("radio.cs16", "cs16", dtype="complex64").fir(TAPS, 4).map(np.abs)
    for taps in ("0.25 0.5 0.25", "@taps.txt"):
        assert run("radio.cs16", f"fir {taps} decimate=4", "abs", *common) == 0
        assert np.array_equal(np.fromfile("level.f32", "<f4"), expected.array())
    assert run("radio.cs16", "times 0.5", "plus 1", "imag", "decimate 3", *common) == 0
    wanted = (IQ[::3, 1] * np.float32(0.5)).astype(np.float32)
    assert np.array_equal(np.fromfile("level.f32", "<f4"), wanted)


def test_processors_and_packing(place: Path) -> None:
    output = ["--layout", "u12", "--to", "u10", "--saturate", "--block", "64", "-o", "out"]
    samples = np.arange(3000, dtype=np.uint16)
    signals.pack(samples, "u12").tofile("in")
    assert run("in", "process half.scm half u12 uint16", *output) == 0
    found = signals.unpack(Path("out"), "u10", 3000)
    assert np.array_equal(found, np.minimum(samples // 2, 1023))


def test_a_pipe_goes_through(place: Path) -> None:
    command = [sys.executable, "-m", "cogen", "signal", "stream", "-", "real", "--layout", "cs16",
               "--dtype", "complex64"]  # fmt: skip
    done = subprocess.run(command, input=IQ.tobytes(), capture_output=True, check=True)
    assert np.array_equal(np.frombuffer(done.stdout, "<f4"), IQ[:, 0].astype("<f4"))


@pytest.mark.parametrize(
    ("steps", "place_of_it", "carets", "message"),
    [
        (["fur 1"], "STEP 1:1:1", "^^^", "there is no stage 'fur'"),
        (["abs", "fir 1 x"], "STEP 2:1:7", "^", "this is not of the form fir TAP"),
        (["fir"], "STEP 1:1:1", "^^^", "this is not of the form fir TAP"),
        (["fir @none.txt"], "STEP 1:1:5", "^^^^^^^^^", "cannot read none.txt: No such file"),
        (["fir @empty.txt"], "STEP 1:1:5", "^^^^^^^^^^", "there are no numbers in empty.txt"),
        (["fir @taps.txt"], "taps.txt:2:3", "^^^^", "this is no number"),
        (["times"], "STEP 1:1:1", "^^^^^", "this is not of the form times X"),
        (["times 1 2"], "STEP 1:1:9", "^", "this is not of the form times X"),
        (["decimate 2.5"], "STEP 1:1:10", "^^^", "this is not of the form decimate N"),
        (["decimate 0"], "STEP 1:1:1", "^" * 10, ""),
        (["fir 1 decimate=x"], "STEP 1:1:7", "^" * 10, "this is not of the form fir TAP"),
        (["abs 3"], "STEP 1:1:5", "^", "this is not of the form abs"),
        (["process half.scm"], "STEP 1:1:1", "^" * 16, "not of the form process PROGRAM ENTRY"),
        (["process none.scm f u8 u8"], "STEP 1:1:9", "^" * 8, "none.scm"),
        (["process half.scm none u8 u8"], "STEP 1:1:18", "^^^^", "none"),
        (["process half.scm half u99x u8"], "STEP 1:1:23", "^^^^", "u99x"),
        (["process half.scm half u8 u8 '(1'"], "STEP 1:1:29", "^^^^", ""),
        (["process half.scm half u8 u8 )"], "STEP 1:1:29", "^", ""),
        (["fir '1"], "STEP 1:1:5", "^", "nothing closes this quote"),
        (["fir 1\\"], "STEP 1:1:6", "^", "nothing is quoted here"),
        ([" "], "STEP 1:1:1", "^", "a stage has a name"),
    ],
)
def test_wrong_steps_are_told_with_their_place(
    place: Path, steps: list[str], place_of_it: str, carets: str, message: str
) -> None:
    (place / "empty.txt").write_text(" \n")
    (place / "taps.txt").write_text("1 2\n3 four\n")
    with pytest.raises(cogen.CogenError) as failure:
        with_steps(signals.stream("radio.cs16", "cs16"), steps)
    head, _, marked, *_ = str(failure.value).splitlines()
    assert head.startswith(f"{place_of_it}: error: ")
    assert message in head
    assert marked.split("|")[1].strip() == carets


def test_words_of_steps_are_those_of_a_shell() -> None:
    text = """ a 'b c'"d"  e\\ f "\\"" ''"""
    words = words_of(Source("STEP 1", text))
    assert [word.text for word in words] == shlex.split(text)
    assert [text[word.span.start : word.span.end] for word in words] == [
        "a", "'b c'\"d\"", "e\\ f", '"\\""', "''",
    ]  # fmt: skip


def test_what_cannot_be_gone_on_with_is_refused(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("-", "abs", "--layout", "cs16", "--resume", "-o", "x") == 2
    assert "--resume needs a FILE" in capsys.readouterr().err
    assert run("radio.cs16", "--layout", "cs16", "--wrap", "-o", "x") == 2
    assert "name a layout with --to" in capsys.readouterr().err
    assert run("radio.cs16", "times 2", "--layout", "cs16", "-o", "x", "--resume") == 0
    one = with_steps(signals.stream("radio.cs16", "cs16"), ["times 2"])
    other = with_steps(signals.stream("radio.cs16", "cs16"), ["times 3"])
    assert one._identity() != other._identity()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_leave_nothing(place: Path, number: int) -> None:
    os.mkfifo("pipe")
    command = [sys.executable, "-m", "cogen", "signal", "stream", "pipe", "square", "--layout",
               "u8", "-o", "out"]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    with open("pipe", "wb") as pipe:
        pipe.write(bytes(1 << 20))
        pipe.flush()
        process.send_signal(number)
        process.wait(timeout=60)
    assert process.returncode in (-number, 128 + number)
    left = {path.name for path in place.iterdir()}
    assert left == {"radio.cs16", "taps.txt", "half.scm", "pipe"}
