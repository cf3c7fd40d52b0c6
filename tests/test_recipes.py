"""Each recipe of CONTRIBUTING.md is followed in a copy of the tree, and does what it says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recipes import ROOT, Change, Recipe, recipes

COPIED = ("cogen", "lang", "signals", "tests", "docs", "pyproject.toml", "README.md")


@pytest.mark.parametrize("recipe", recipes(), ids=lambda recipe: recipe.heading)
def test_recipe(recipe: Recipe, tmp_path: Path) -> None:
    assert recipe.commands
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "golden", "corpus")
            shutil.copytree(source, tmp_path / name, ignore=ignored, symlinks=True)
        else:
            shutil.copy(source, tmp_path / name)
    for change in recipe.changes:
        change.apply(tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {
        **os.environ, "PATH": path, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    for command in recipe.commands:
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_changes_fit_in_one_place_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("a\nb\na\n", encoding="utf-8")
    Change("f.py", (("b\n", "b\nc\n"),)).apply(tmp_path)
    assert (tmp_path / "f.py").read_text(encoding="utf-8") == "a\nb\nc\na\n"
    for before in ("a\n", "d\n"):
        with pytest.raises(ValueError, match=r"f\.py: these lines are there [02] times"):
            Change("f.py", ((before, ""),)).apply(tmp_path)
    Change("new/g.py", (("", "x\n"),)).apply(tmp_path)
    assert (tmp_path / "new" / "g.py").read_text(encoding="utf-8") == "x\n"
