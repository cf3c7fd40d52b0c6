"""The demo runs on the files that ship with it, and its answers agree."""

from __future__ import annotations

import dataclasses
import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from cogen import signals

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo.py"


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The demo's module, with each file taken once instead of repeated."""
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location("demo", DEMO)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "demo", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "MEGABYTES", 0.5)
    return module


@pytest.mark.one_in(2)
@pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)
@pytest.mark.parametrize("columns", [70, 160])
def test_demo(
    demo: ModuleType,
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert demo.main() == 0
    output = capsys.readouterr().out
    for part in ("generic source", "residual program", "its loop in C", "sound, 24 bits: sum"):
        assert part in output
    assert all(len(line) <= columns for line in output.splitlines())
    pixels = signals.unpack(signals.read_picture("demo-output/grey.png").data, "u8")
    red, green, blue = signals.unpack(demo.picture().samples.tobytes(), "rgb24")[
        : len(pixels)
    ].T.astype(int)
    assert np.array_equal(pixels, (77 * red + 150 * green + 29 * blue) >> 8)
    assert signals.read_picture("demo-output/mask.png").width == 448
    assert signals.read_sound("demo-output/chime16.wav").rate == 44_100
    assert "<html" in Path("demo-output/sum.html").read_text(encoding="utf-8")


def test_inputs(demo: ModuleType) -> None:
    sound, raw, picture = demo.sound(), demo.raw_photograph(), demo.picture()
    assert (sound.end - sound.start) % 6 == 0
    assert (raw.end - raw.start) % 3 == 0
    assert (picture.end - picture.start) % 3 == 0
    assert all(len(chunk.data) % 8 == 0 for chunk in (sound, raw, picture))
    assert np.abs(demo.sound_samples(sound)).max() < 2**23
    assert demo.raw_samples(raw).max() < 4096


def test_an_unequal_answer_is_seen(
    demo: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = next(iter(demo.sound_demos()))
    wrong = dataclasses.replace(first, usual=lambda: 0)
    for name in ("raw_demos", "picture_demos", "automaton_demos"):
        monkeypatch.setattr(demo, name, list)
    monkeypatch.setattr(demo, "sound_demos", lambda: [wrong])
    assert demo.main() == 1
    assert "the answers differ: sound, 24 bits: sum" in capsys.readouterr().out


def test_the_heart_of_a_c_file_is_its_loop(demo: ModuleType) -> None:
    text = "\n/* f */\nint f(int n)\n{\n    int r = 0;\n    for (;;) {\n        r++;\n    }\n}\n"
    assert demo.heart(text) == "for (;;) {\n  r++;\n}"
    assert demo.heart("\n/* g */\nint g(void)\n{\n    return 1;\n}\n").startswith("/* g */")


def test_long_text_is_clipped(demo: ModuleType) -> None:
    shown = demo.clipped("\n".join(map(str, range(100)))).splitlines()
    assert len(shown) == demo.MAX_LINES + 1
    assert shown[-1] == f"… {100 - demo.MAX_LINES} more lines"
