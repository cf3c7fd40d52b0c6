"""`cogen new-language`: what it writes works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cogen.cli import main
from cogen.newlanguage.write import files
from tests.cogen.lsp.editor import Editor

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("languages") / "toy"
    assert main(["new-language", "toy", str(folder)]) == 0
    return folder


def run(folder: Path, *words: str) -> str:
    """What a command that succeeds prints."""
    done = subprocess.run(
        words, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_tests_pass(folder: Path) -> None:
    said = run(folder, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert re.search(r"\d+ passed", said)


@pytest.mark.skipif(shutil.which("cc") is None, reason="native programs need a C compiler")
def test_make_makes_native_programs(folder: Path) -> None:
    run(folder, "make", f"PYTHON={sys.executable}")
    assert run(folder, "build/gcd", "48", "18") == "6\n"


def test_mistakes_are_told_in_the_editor(folder: Path) -> None:
    editor = Editor(sys.executable, str(folder / "server.py"))
    try:
        uri = editor.open(folder / "a.toy", "input a;\nreturn a +;\n")
        (found,) = editor.diagnostics(uri)
        assert (found.range.start.line, found.range.start.character) == (1, 10)
        assert found.message == "`;` cannot stand here"
        editor.change(uri, "input a;\nreturn a;\n", 2)
        assert editor.diagnostics(uri, 2) == []
        editor.change(uri, "input a;\n// 🎈\n", 3)
        (found,) = editor.diagnostics(uri, 3)
        assert found.message == "the program ends too early"
        editor.change(uri, "input a;\nreturn a +\n  speed * 2;\n", 4)
        (found,) = editor.diagnostics(uri, 4)
        assert found.message == "no such variable: speed"
        start, end = found.range.start, found.range.end
        assert (start.line, start.character, end.line, end.character) == (2, 2, 2, 7)
    finally:
        editor.close()


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["run", "nothing.toy"], 1, "No such file or directory: 'nothing.toy'"),
        (["run", "examples/gcd.toy", "48", "x"], 1, "arguments are integers, and `x` is none"),
        (["compile", "examples/gcd.toy"], 2, "what shall the program be called?"),
        (["gcd.toy"], 2, "python toy.py run FILE ARG..."),
    ],
)
def test_wrong_use_is_told(folder: Path, words: list[str], status: int, told: str) -> None:
    command = [sys.executable, "toy.py", *words]
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == status
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_package_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "lark.py").write_text("raise ModuleNotFoundError(name='lark')")
    hidden = {**ENVIRONMENT, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    command = [sys.executable, "toy.py", "check", "examples/gcd.toy"]
    done = subprocess.run(
        command, cwd=folder, env=hidden, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("the package lark is missing: ")


def test_names_and_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in files("toy").values():
        assert "@NAME@" not in text
    assert main(["new-language", "No Name", str(tmp_path / "x")]) == 1
    assert "is no name for a language" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
    (tmp_path / "mine").write_text("")
    assert main(["new-language", "toy", str(tmp_path)]) == 1
    assert "is not empty" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]
