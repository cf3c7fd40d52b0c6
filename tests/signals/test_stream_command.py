"""`cogen signal stream`: stages as texts, runs that are interrupted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cogen
from cogen import signals
from cogen.cli import main
from cogen.signals.steps import with_steps

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
    ("steps", "message"),
    [
        (["fur 1"], "step 1 is 'fur 1', which is no stage"),
        (["abs", "fir x"], "step 2 is not of the form fir TAP ... [decimate=N]"),
        (["fir @none.txt"], "step 1: cannot read none.txt"),
        (["times"], "step 1 is not of the form times X"),
        (["decimate 2.5"], "step 1 is not of the form decimate N"),
        (["abs 3"], "step 1 is not of the form abs"),
        (["process half.scm"], "step 1 is not of the form process PROGRAM ENTRY LAYOUT OUT"),
        (['fir "1'], "cannot be read"),
    ],
)
def test_wrong_steps_are_told(place: Path, steps: list[str], message: str) -> None:
    with pytest.raises(cogen.CogenError) as failure:
        with_steps(signals.stream("radio.cs16", "cs16"), steps)
    assert message in str(failure.value)


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
