"""The tutorials, from beginning to end as a reader runs them, in an empty folder."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cogen import signals
from cogen.signals.slices import Slices
from tests.signals import residualmover

ROOT = Path(__file__).parents[1]

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
    ),
    pytest.mark.usefixtures("folder"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and plots that go to files; kernels are NumPy, programs C."""
    pytest.importorskip("matplotlib", reason="the tutorials end with a plot")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    residualmover.use(monkeypatch, Slices)  # which are made sooner than C


def run(page: str) -> dict[str, Any]:
    """Run the blocks of a page one after the other; programs are saved under the names that they
    say, or that the text says before them.  The names that Python then has."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert "\npip install " in text
    names: dict[str, Any] = {}
    for found in re.finditer(r"^```(\w+)\n(.*?)^```", text, re.S | re.M):
        language, block = found.groups()
        if language == "scheme":
            told = re.findall(r"(\w+\.scm)", text[: found.start(2)] + block.splitlines()[0])
            Path(told[-1]).write_text(block, encoding="utf-8")
        elif language == "python":
            exec(compile(block, page, "exec"), names)
    import matplotlib.pyplot as plt

    plt.close("all")
    return names


def check_plot(name: str) -> None:
    """There is a plot, and something in it."""
    assert len(np.unique(signals.read_picture(name).array().reshape(-1, 3), axis=0)) > 10


def test_a_radio_recording(capsys: pytest.CaptureFixture[str]) -> None:
    names = run("tutorial-radio.md")
    (low, high) = re.findall(r"something from (\d+) to (\d+) kHz", capsys.readouterr().out)[0]
    assert (int(low), int(high)) == (pytest.approx(75, abs=5), pytest.approx(225, abs=5))
    sound = signals.read_sound("sound.wav")
    assert (sound.rate, sound.seconds) == (40_000, 0.5)
    heard = np.abs(np.fft.rfft(names["heard"][400:].astype(float)))
    assert np.argmax(heard) / (len(names["heard"]) - 400) * 40_000 == pytest.approx(1000, abs=3)
    assert heard.max() > 50 * np.median(heard)
    check_plot("radio.png")


def test_frames_of_a_camera() -> None:
    names = run("tutorial-camera.md")
    assert [frame.shape for frame in names["film"]] == [(120, 160, 3)] * 4
    assert signals.read_picture("first.png").array().tolist() == names["film"][0].tolist()
    check_plot("film.png")


def test_a_drive_on_the_bus() -> None:
    pytest.importorskip("can", reason="logs are read by python-can")
    names = run("tutorial-automotive.md")
    assert names["warm"][-1] == pytest.approx(80, abs=0.3)
    check_plot("drive.png")


def test_a_processor_in_the_language() -> None:
    run("tutorial-processor.md")
    check_plot("mulaw.png")
