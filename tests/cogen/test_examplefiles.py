"""`cogen examples`: the list, the programs, copies of them, and what they make."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from cogen import examplefiles, signals
from cogen.cli import main
from cogen.examplefiles import examples, folder

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GALLERY = [name for name in examples() if name.startswith("gallery/")]

needs_c = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["examples"], ["examples", "list"]):
        assert main(words) == 0
        lines = capsys.readouterr().out.splitlines()
        assert "power                 x to the power n, by squaring" in lines
        assert [line.split()[0] for line in lines] == [*examples()]
        assert all(len(line.split(maxsplit=1)[1]) > 10 for line in lines)


def test_every_example_says_how_it_is_run() -> None:
    for example in examples().values():
        assert example.summary, example.name
        if example.path.suffix == ".scm":
            assert example.commands, example.name


def test_showing(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("power", "power.scm"):
        assert main(["examples", "show", name]) == 0
        assert capsys.readouterr().out == (ROOT / "examples" / "power.scm").read_text()
    assert main(["examples", "show", "powr"]) == 2
    assert "did you mean `power`?" in capsys.readouterr().err
    assert main(["examples", "show", "bells"]) == 2
    assert "did you mean `gallery/bells`?" in capsys.readouterr().err
    assert main(["examples", "show", "qqqqq"]) == 2
    assert "cogen examples lists them" in capsys.readouterr().err


def test_copies_are_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "mine"
    assert main(["examples", "copy", str(target)]) == 0
    copied = capsys.readouterr().out.splitlines()
    assert str(target / "data" / "coffee.ppm") in copied
    assert str(target / "gallery" / "bells.py") in copied
    assert not any("__pycache__" in path for path in copied)
    assert main(["examples", "copy", str(target)]) == 1
    assert "is there already" in capsys.readouterr().err


def test_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert main(["examples", "run", "ackermann"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("$ cogen specialize ackermann.scm --entry ack '(static 2)' _\n")
    assert "(define (ack n)" in out
    assert main(["examples", "run", "ackermann", "3"]) == 1
    assert "is run without arguments" in capfd.readouterr().err
    assert main(["examples", "run", "packed", "no-number"]) == 1
    assert "MEGABYTES" in capfd.readouterr().err


def test_what_an_example_lacks_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "PIL.py").write_text("raise ImportError\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")
    monkeypatch.chdir(tmp_path)
    assert main(["examples", "run", "gallery/ship"]) == 1
    told = capfd.readouterr().err
    assert told.startswith("error: pictures need the package Pillow\nhint: install the extra")
    assert "Traceback" not in told


def test_they_are_found_in_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '"examples" = "cogen/examples"' in project
    monkeypatch.setattr(examplefiles, "_PLACES", (tmp_path, ROOT / "examples"))
    assert folder() == ROOT / "examples"
    (tmp_path / "power.scm").touch()
    assert folder() == tmp_path


# The gallery


def module(name: str) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name.replace("/", "_"), examples()[name].path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def content(path: Path) -> np.ndarray:
    """The pixels of a picture, or the samples of a sound."""
    if path.suffix == ".png":
        return np.asarray(signals.read_picture(path).array()).astype(float)
    sound = signals.read_sound(path)
    return signals.unpack(sound.data, sound.layout).astype(float)


@pytest.mark.one_in(4)
@needs_c
@pytest.mark.parametrize(
    "name",
    [
        # It takes six seconds to compile.
        pytest.param(name, marks=pytest.mark.long if name == "gallery/muffled" else [])
        for name in GALLERY
    ],
)
def test_the_gallery_shows_what_examples_make(name: str, tmp_path: Path) -> None:
    """But for rounding, and for the letters of a plot."""
    if name == "gallery/muffled":
        pytest.importorskip("matplotlib", reason="it makes a plot")
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    for made in module(name).main(tmp_path):
        link = f"images/gallery/{made.name}" if made.suffix == ".png" else f"sounds/{made.name}"
        assert f"]({link})" in page
        shown, found = content(DOCS / link), content(made)
        assert shown.shape == found.shape
        assert shown.std() > 0.1
        assert np.abs(shown - found).mean() < 0.02 * shown.std()
    assert f"(../examples/{name}.py)" in page


def test_all_that_the_gallery_shows_is_made() -> None:
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\((images/gallery/[\w.]+|sounds/[\w.]+)\)", page))
    files = [*(DOCS / "images" / "gallery").iterdir(), *(DOCS / "sounds").iterdir()]
    assert {path.relative_to(DOCS).as_posix() for path in files} == shown
